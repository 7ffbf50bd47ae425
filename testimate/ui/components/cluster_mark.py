"""A cluster's mark, in the colour and shape it has on the map, and its prototypes, as one small picture for a table."""

import base64
import io
import math
from collections.abc import Sequence

from PIL import Image, ImageDraw

from testimate.charts.palette import hue, symbol

SIDE = 72
"""Pixels of a prototype's side in the picture: twice its size on the page, so that it is sharp on dense screens."""


def cluster_mark(place: int, pictures: Sequence[bytes], *, dark: bool) -> str:
    """The picture as a data URL: the mark of the cluster at that place, then each of the ``pictures`` (PNG)."""
    strip = Image.new("RGBA", (SIDE // 2 + (SIDE + 6) * len(pictures), SIDE), (0, 0, 0, 0))
    ImageDraw.Draw(strip).polygon(outline(symbol(place), SIDE / 4, SIDE / 2, SIDE / 5), fill=hue(place, dark=dark))
    for number, png in enumerate(pictures):
        with Image.open(io.BytesIO(png), formats=["PNG", "JPEG", "BMP", "WEBP"]) as opened:
            picture = opened.convert("RGB")
        factor = SIDE / max(picture.size)
        size = (max(1, round(picture.width * factor)), max(1, round(picture.height * factor)))
        resampling = Image.Resampling.NEAREST if factor > 1 else Image.Resampling.BILINEAR
        strip.paste(picture.resize(size, resampling), (SIDE // 2 + number * (SIDE + 6), (SIDE - size[1]) // 2))
    file = io.BytesIO()
    strip.save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode('ascii')}"


def outline(name: str, x: float, y: float, radius: float) -> list[tuple[float, float]]:
    """The corners of a symbol of the palette around (x, y).

    >>> outline("diamond", 0, 0, 2)
    [(2.4, 0.0), (0.0, 2.4), (-2.4, 0.0), (0.0, -2.4)]
    """
    corners: list[tuple[float, float]]
    match name:
        case "square":
            corners = [(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)]
        case "diamond":
            corners = [(1.2, 0.0), (0.0, 1.2), (-1.2, 0.0), (0.0, -1.2)]
        case "triangle-up":
            corners = [(0.0, -1.1), (1.05, 0.8), (-1.05, 0.8)]
        case "triangle-down":
            corners = [(0.0, 1.1), (1.05, -0.8), (-1.05, -0.8)]
        case "cross" | "x":
            thin, far = 0.35, 1.1
            plus = [(thin, far), (thin, thin), (far, thin), (far, -thin), (thin, -thin), (thin, -far)]
            corners = plus + [(-a, -b) for a, b in plus]
            if name == "x":
                turn = math.sqrt(0.5)
                corners = [(turn * (a - b), turn * (a + b)) for a, b in corners]
        case _:
            corners = [(math.cos(math.tau * k / 36), math.sin(math.tau * k / 36)) for k in range(36)]
    return [(x + radius * a, y + radius * b) for a, b in corners]
