"""Draws the harbor demo's scenes: sky, sea and quay, and what is on the water, through the weather."""

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from testimate.demos.harbor_scenes import HORIZON, Scene, Thing

WIDTH, HEIGHT = 384, 256
Color = tuple[int, int, int]

SKY: dict[str, tuple[Color, Color]] = {
    "clear": ((110, 165, 215), (205, 225, 238)),
    "rain": ((108, 118, 128), (152, 160, 166)),
    "fog": ((190, 196, 200), (205, 209, 211)),
    "night": ((12, 18, 38), (34, 40, 62)),
}
SEA: dict[str, tuple[Color, Color]] = {
    "clear": ((92, 140, 165), (30, 78, 112)),
    "rain": ((104, 116, 124), (62, 76, 86)),
    "fog": ((178, 186, 190), (122, 136, 144)),
    "night": ((24, 32, 54), (10, 18, 36)),
}
VEIL: dict[str, tuple[Color, float, float]] = {
    "clear": ((205, 225, 238), 0.0, 0.25),
    "rain": ((130, 138, 144), 0.15, 0.35),
    "fog": ((196, 202, 205), 0.25, 0.58),
    "night": ((16, 22, 42), 0.45, 0.30),
}
"""What is between the camera and a thing: its color, how much of it there is nearby, and how much more far away."""

HULLS: tuple[Color, ...] = ((150, 40, 36), (34, 60, 110), (40, 92, 70), (60, 60, 66))


def drawn(scene: Scene) -> bytes:
    """PNG bytes of the picture, WIDTH x HEIGHT."""
    random = np.random.default_rng([91, scene.number])
    pixels = _background(scene, random)
    picture = Image.fromarray(pixels)
    for thing in scene.things:
        _over(picture, thing, scene.weather)
    if scene.weather == "rain":
        _rain(picture, random)
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def _background(scene: Scene, random: np.random.Generator) -> NDArray[np.uint8]:
    """Sky, a quay with cranes on the horizon, and the sea with waves; (HEIGHT, WIDTH, 3)."""
    horizon = round(HORIZON * HEIGHT)
    rows = [_shaded(*SKY[scene.weather], horizon), _shaded(*SEA[scene.weather], HEIGHT - horizon)]
    picture = Image.fromarray(np.repeat(np.concatenate(rows)[:, None], WIDTH, axis=1).astype(np.uint8))
    pen = ImageDraw.Draw(picture)
    veil, _, far = VEIL[scene.weather]
    land = _mixed((70, 76, 80), veil, min(0.85, 0.35 + far))
    height = horizon - int(random.integers(6, 14))
    pen.rectangle((0, height, WIDTH, horizon), fill=land)
    for x in random.integers(0, WIDTH, 5).tolist():
        pen.line((x, height - 22, x, height), fill=land, width=3)
        pen.line((x - 6, height - 22, x + 20, height - 18), fill=land, width=2)
    light = _mixed(SEA[scene.weather][0], (255, 255, 255), 0.18)
    for y in random.integers(horizon + 3, HEIGHT, 130).tolist():
        x, long = int(random.integers(0, WIDTH)), 3 + (y - horizon) // 9
        pen.line((x, y, x + long, y), fill=light)
    return np.asarray(picture)


def _shaded(top: Color, bottom: Color, count: int) -> NDArray[np.float64]:
    """(count, 3) colors from one to the other."""
    return np.linspace(np.array(top, dtype=np.float64), np.array(bottom, dtype=np.float64), count)


def _mixed(one: Color, other: Color, share: float) -> Color:
    """A mixture: the first color with a share of the second."""
    red, green, blue = (round(a + share * (b - a)) for a, b in zip(one, other, strict=True))
    return red, green, blue


def _over(picture: Image.Image, thing: Thing, weather: str) -> None:
    """Draws a thing at four times its size, and puts it into the picture through the weather."""
    wide, high = max(2, round(thing.width * WIDTH)), max(2, round(thing.height * HEIGHT))
    layer = Image.new("RGBA", (4 * wide, 4 * high))
    shape = {"ship": _ship, "boat": _boat, "buoy": _buoy, "rock": _rock, "gull": _gull}[thing.kind]
    shape(ImageDraw.Draw(layer), 4 * wide, 4 * high, HULLS[int(thing.color * len(HULLS))])
    layer = layer.resize((wide, high), Image.Resampling.BOX)
    veil, near, far = VEIL[weather]
    share = min(0.86, near + far * (1 - thing.near))
    colors = np.asarray(layer).astype(np.float64)
    colors[..., :3] += share * (np.array(veil) - colors[..., :3])
    layer = Image.fromarray(colors.round().astype(np.uint8), "RGBA")
    if weather == "fog":
        layer = layer.filter(ImageFilter.GaussianBlur(0.6 * (1 - thing.near)))
    place = (round(thing.left * WIDTH), round(thing.top * HEIGHT))
    picture.paste(layer, place, layer)
    if weather == "night" and thing.is_object:
        pen = ImageDraw.Draw(picture)
        x, y = place[0] + wide // 2, place[1] + max(1, high // 6)
        lamp = (255, 214, 120) if thing.kind != "buoy" else (120, 230, 140)
        pen.ellipse((x - 1, y - 1, x + 1, y + 1), fill=lamp)


def _ship(pen: ImageDraw.ImageDraw, wide: int, high: int, hull: Color) -> None:
    pen.polygon([(0, 0.58 * high), (wide, 0.55 * high), (0.94 * wide, high), (0.07 * wide, high)], fill=hull)
    pen.rectangle((0.70 * wide, 0.18 * high, 0.88 * wide, 0.57 * high), fill=(232, 232, 226))
    pen.rectangle((0.76 * wide, 0, 0.82 * wide, 0.18 * high), fill=(190, 70, 50))
    for place in range(5):
        left = 0.10 * wide + place * 0.115 * wide
        color = ((200, 120, 50), (70, 110, 160), (150, 60, 60), (90, 130, 90), (180, 170, 90))[place]
        pen.rectangle((left, 0.38 * high, left + 0.10 * wide, 0.58 * high), fill=color)


def _boat(pen: ImageDraw.ImageDraw, wide: int, high: int, hull: Color) -> None:
    pen.polygon(
        [(0.04 * wide, 0.78 * high), (0.98 * wide, 0.78 * high), (0.82 * wide, high), (0.16 * wide, high)], fill=hull
    )
    pen.rectangle((0.47 * wide, 0, 0.51 * wide, 0.78 * high), fill=(90, 76, 60))
    pen.polygon(
        [(0.54 * wide, 0.03 * high), (0.54 * wide, 0.72 * high), (0.94 * wide, 0.72 * high)], fill=(240, 238, 228)
    )
    pen.polygon(
        [(0.44 * wide, 0.12 * high), (0.44 * wide, 0.72 * high), (0.12 * wide, 0.72 * high)], fill=(222, 218, 206)
    )


def _buoy(pen: ImageDraw.ImageDraw, wide: int, high: int, hull: Color) -> None:  # noqa: ARG001 - all buoys are alike
    pen.rectangle((0.42 * wide, 0, 0.58 * wide, 0.30 * high), fill=(60, 60, 60))
    pen.polygon(
        [(0.30 * wide, 0.30 * high), (0.70 * wide, 0.30 * high), (0.92 * wide, high), (0.08 * wide, high)],
        fill=(214, 62, 40),
    )
    pen.polygon(
        [
            (0.20 * wide, 0.56 * high),
            (0.80 * wide, 0.56 * high),
            (0.86 * wide, 0.76 * high),
            (0.14 * wide, 0.76 * high),
        ],
        fill=(245, 240, 230),
    )


def _rock(pen: ImageDraw.ImageDraw, wide: int, high: int, hull: Color) -> None:  # noqa: ARG001 - rocks have no hull
    pen.polygon(
        [(0, high), (0.2 * wide, 0.35 * high), (0.5 * wide, 0), (0.8 * wide, 0.3 * high), (wide, high)],
        fill=(84, 80, 74),
    )


def _gull(pen: ImageDraw.ImageDraw, wide: int, high: int, hull: Color) -> None:  # noqa: ARG001 - gulls have no hull
    pen.ellipse((0.1 * wide, 0.4 * high, 0.85 * wide, high), fill=(236, 236, 236))
    pen.ellipse((0.72 * wide, 0.1 * high, wide, 0.62 * high), fill=(240, 240, 240))
    pen.polygon(
        [(0.1 * wide, 0.55 * high), (0.6 * wide, 0.45 * high), (0.25 * wide, 0.85 * high)], fill=(150, 152, 156)
    )


def _rain(picture: Image.Image, random: np.random.Generator) -> None:
    """Slanting streaks over everything."""
    pen = ImageDraw.Draw(picture)
    for x, y in zip(random.integers(0, WIDTH, 150).tolist(), random.integers(0, HEIGHT, 150).tolist(), strict=True):
        pen.line((x, y, x - 3, y + 11), fill=(176, 184, 190))
