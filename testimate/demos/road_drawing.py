"""Draws road pictures from scenes: a road in perspective with its lane marks, fields, trees, sky, weather and headlights.

Everything is done by adding, multiplying and dividing numbers of 32 bits one by one, and by whole numbers, which give the
same bits on every machine; sines, logarithms and sums of many numbers do not.
"""

import numpy as np
from numpy.typing import NDArray

from testimate.demos.road_random import own_numbers, scrambled
from testimate.demos.road_scenes import CAMERA, LANE, Scenes
from testimate.demos.road_view import RoadView
from testimate.demos.road_weather import WEATHER, Colour

Values = NDArray[np.float32]

BLOCK = 64
"""Pictures drawn at a time, so that what is computed between stays in the processor's cache."""

GREY: Colour = (0.299, 0.587, 0.114)
"""Weights of red, green and blue in grey (ITU-R BT.601)."""

STANDS = ((70.0, -1), (55.0, 1), (42.0, -1), (32.0, 1), (24.0, -1), (17.0, 1))
"""Metres ahead of each tree at the least, and its side; the farthest is drawn first."""

LEAVES: Colour = (0.13, 0.30, 0.11)
TRUNK: Colour = (0.27, 0.19, 0.13)


def draw(scenes: Scenes, height: int) -> NDArray[np.uint8]:
    """The pictures in colour, (N, height, 2 * height, 3), 0 = black to 255."""
    pictures = np.empty((len(scenes), height, 2 * height, 3), dtype=np.uint8)
    for start in range(0, len(scenes), BLOCK):
        rows = slice(start, start + BLOCK)
        pictures[rows] = _painted(RoadView(scenes[rows], height))
    return pictures


def _painted(view: RoadView) -> NDArray[np.uint8]:
    """The scenes, (n, height, width, 3)."""
    colours = [np.concatenate(pair, axis=1) for pair in zip(view.sky(), view.ground(), strict=True)]
    _plant(view, colours)
    found = np.empty((len(view.scenes), view.height, view.width, 3), dtype=np.uint8)
    grains = _camera_noise(view)
    for place, colour in enumerate(colours):
        np.add(colour, grains, out=colour)
        np.multiply(colour, np.float32(255), out=colour)
        found[..., place] = np.clip(colour, 0, 255, out=colour).astype(np.uint8)
    return found


def grey(pictures: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The pictures (N, height, width, 3) without their colours, (N, height, width)."""
    red, green, blue = (
        round(weight * 1024) * pictures[..., place].astype(np.int32) for place, weight in enumerate(GREY)
    )
    return (red + green + blue + 512 >> 10).astype(np.uint8)


def _plant(view: RoadView, colours: list[Values]) -> None:
    """Draws the trees over what is there already, the farthest first; ``colours`` are (n, height, width) each."""
    for number, (nearest, side) in enumerate(STANDS):
        ahead = view.column(f"tree {number} ahead", nearest, nearest * 1.25)  # metres
        aside = np.float32(3.5) + 9 * view.column(f"tree {number} aside", 0, 1)  # from the mark at the road's edge
        edge = np.float32(LANE if side > 0 else -3 * LANE)
        scale = view.focal / ahead  # pixels a metre spans there
        x = (view.middle(ahead) + edge + side * aside) * scale
        foot = view.horizon + np.float32(CAMERA) * scale
        _draw_tree(view, colours, x, foot, view.column(f"tree {number} ahead", 4.5, 9.5) * scale, ahead)


def _draw_tree(view: RoadView, colours: list[Values], x: Values, foot: Values, tall: Values, ahead: Values) -> None:
    """One tree of each scene, ``tall`` pixels high; all (n, 1, 1)."""
    lowest = min(view.height, int(np.ceil(foot.max())) + 1)
    y = view.y[:, :lowest]
    beside, over = view.x - x, y - (foot - tall * np.float32(0.62))
    wide, high = tall * np.float32(0.26), tall * np.float32(0.40)
    away = (beside / wide) * (beside / wide) + (over / high) * (over / high)  # 1 on the crown's edge
    crown = np.clip((1 - away) * (wide * np.float32(0.5)) + np.float32(0.5), 0, 1)
    trunk = np.clip(tall * np.float32(0.035) - np.abs(beside) + np.float32(0.5), 0, 1)
    trunk = trunk * np.clip(foot - y + np.float32(0.5), 0, 1) * np.clip(over + tall * np.float32(-0.22), 0, 1)
    shade = np.float32(1.15) - np.float32(0.35) * np.clip(over / tall + np.float32(0.4), 0, 1)
    through = view.clearness(ahead)
    headlights = view.per_weather([one.beam for one in WEATHER]) * (6 / ahead)
    for place, colour in enumerate(colours):
        light = (view.per_weather([one.light[place] for one in WEATHER]) + headlights) * view.brightness()
        haze = view.per_weather([one.sky[1][place] for one in WEATHER])
        here = colour[:, :lowest]
        here += trunk * (haze + through * (np.float32(TRUNK[place]) * light - haze) - here)
        here += crown * (haze + through * (np.float32(LEAVES[place]) * shade * light - haze) - here)


def _camera_noise(view: RoadView) -> Values:
    """The noise and the streaks, to be added, (n, height, width)."""
    pixels = np.arange(view.height * view.width, dtype=np.uint32).reshape(1, view.height, view.width)
    raw = scrambled(pixels + own_numbers(view.scenes))
    three = [raw >> np.uint32(shift) & np.uint32(255) for shift in (0, 8, 16)]
    bell = (three[0] + three[1] + three[2]).astype(np.float32)
    bell = (bell - np.float32(382.5)) * np.float32(1 / 128)  # deviation 1
    found: Values = bell * view.per_weather([one.noise for one in WEATHER]) + _streaks(view)
    return found


def _streaks(view: RoadView) -> Values:
    """What slanting streaks of rain add, as many in a small picture as in a large one; (n, height, width)."""
    fine = np.float32(160 / view.height)
    slanted = (np.floor((view.x + view.y * np.float32(0.18)) * fine) + np.float32(4096)).astype(np.uint32)
    begins = scrambled(slanted).astype(np.float32) * np.float32(2.0**-32)
    layer = np.floor(view.y * fine / np.float32(26) + begins).astype(np.uint32)  # each a sixth of the height
    drop = scrambled(slanted * np.uint32(31) + layer + own_numbers(view.scenes))
    falls = (drop < np.uint32(2**32 // 12)).astype(np.float32)
    found: Values = falls * view.per_weather([one.streaks for one in WEATHER])
    return found
