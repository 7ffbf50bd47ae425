"""Draws a ruler of steering angles on a road picture, so that a person can read off the angle."""

import io

import numpy as np
from numpy.typing import NDArray

from testimate.demos.road_scenes import AHEAD, CAMERA, FARTHEST, FOCAL, HORIZON, SIDEWAYS

NUMBERED, LONGER = 10, 5
"""Degrees between two numbers of the ruler, and between two of its longer marks."""

REACH = 35
"""Degrees to either side: beyond what can be steered, so that the lane's marks lie on the ruler too."""

COLOURS = 192
"""Of the picture: a third of the bytes of one in all its colours, and looks the same."""


def ruled_png(picture: NDArray[np.uint8]) -> bytes:
    """The picture (height, 2 * height, 3) as PNG with the ruler across the road, ``AHEAD`` metres ahead."""
    from PIL import Image, ImageDraw, ImageFont

    height = len(picture)
    image = Image.fromarray(picture)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(height / 18)
    ends = [place_of(degrees, height) for degrees in (-REACH, REACH)]
    y = round(ends[0][1])
    pen.line([(ends[0][0], y + 1), (ends[1][0], y + 1)], fill=(0, 0, 0))
    pen.line([(ends[0][0], y), (ends[1][0], y)], fill=(255, 255, 255))
    for degrees in range(-REACH, REACH + 1):
        x = round(place_of(degrees, height)[0])
        long = height // 40 if degrees % LONGER == 0 else height // 100
        pen.line([(x + 1, y - long), (x + 1, y + long)], fill=(0, 0, 0))
        pen.line([(x, y - long), (x, y + long)], fill=(255, 255, 255))
        if degrees % NUMBERED == 0:
            at = (x, y + height // 25)
            pen.text(
                at, f"{degrees}", font=font, anchor="mt", fill=(255, 255, 255), stroke_width=1, stroke_fill=(0, 0, 0)
            )
    file = io.BytesIO()
    image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(file, "PNG")
    return file.getvalue()


def place_of(degrees: float, height: int) -> tuple[float, float]:
    """Where in a picture of that height the middle of the lane is when so many degrees are right, across and down.

    >>> place_of(0, 100)
    (100.0, 59.28...)
    """
    scale = FOCAL * height / AHEAD  # pixels a metre spans there
    return height + degrees / FARTHEST * SIDEWAYS * scale, HORIZON * height + CAMERA * scale
