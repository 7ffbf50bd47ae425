"""Inputs as pictures: with boxes, with a shade over what matters, and a series as lines.

A picture with a detector's boxes drawn into it, for galleries, reports and screens that only show.
"""

import io
from collections.abc import Collection, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from testimate.charts.palette import CHOSEN, FAILED, RIGHT, UNLABELED
from testimate.core.subject import ShownBox

LARGEST = 640
"""Pixels of the longer side that is drawn, so that lines and numbers stay readable when it is shown small."""


def boxed_picture(png: bytes, boxes: Sequence[ShownBox], wrong: Collection[int] = ()) -> bytes:
    """PNG bytes of the picture with its boxes and their numbers, those in ``wrong``, counted from 0, crossed out."""
    with Image.open(io.BytesIO(png), formats=("PNG",)) as image:
        picture = image.convert("RGB")
    factor = LARGEST / max(picture.size)
    picture = picture.resize((max(1, round(picture.width * factor)), max(1, round(picture.height * factor))))
    pen = ImageDraw.Draw(picture)
    for number, box in enumerate(boxes):
        left, top = box.left * picture.width, box.top * picture.height
        right, bottom = left + box.width * picture.width, top + box.height * picture.height
        color = FAILED if number in wrong else RIGHT
        pen.rectangle((left, top, max(left, right), max(top, bottom)), outline=color, width=4)
        if number in wrong:
            pen.line((left, top, right, bottom), fill=color, width=3)
        words = f" {number + 1} "
        above = top - 24 if top >= 24 else bottom  # outside, or it would hide what is in a small box
        pen.rectangle(pen.textbbox((left, above), words, font_size=20), fill=color)
        pen.text((left, above), words, fill="white", font_size=20)
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


NEEDED, AGAINST = (213, 94, 0), (0, 114, 178)
"""Vermillion where the model needs the part, blue where it would be more confident without (Okabe and Ito 2008)."""

STRONGEST = 0.65
"""Opacity of the largest effect."""


def heat_picture(
    png: bytes, effect: NDArray[np.float64], frame: tuple[int, ...] | None = None, *, side: int = 280
) -> bytes:
    """The picture as PNG, enlarged to about ``side`` pixels, with the (height, width) effect over it.

    ``frame`` : left, top, right and bottom in the effect's pixels, or None.
    """
    with Image.open(io.BytesIO(png), formats=["PNG", "JPEG", "BMP", "WEBP"]) as opened:
        picture = opened.convert("RGB")
    factor = side / max(picture.size)
    size = (max(1, round(picture.width * factor)), max(1, round(picture.height * factor)))
    picture = picture.resize(size, Image.Resampling.NEAREST if factor > 1 else Image.Resampling.BILINEAR)
    largest = float(np.abs(effect).max())
    if largest > 0:
        opacity = np.rint(255 * STRONGEST * np.abs(effect) / largest).astype(np.uint8)
        color = np.where(effect[..., None] > 0, NEEDED, AGAINST).astype(np.uint8)
        shade = Image.fromarray(np.dstack([color, opacity]), "RGBA").resize(size, Image.Resampling.BILINEAR)
        picture.paste(shade, (0, 0), shade)
    if frame is not None:
        height, width = effect.shape
        across, down = size[0] / width, size[1] / height
        left, top, right, bottom = frame
        box = (left * across, top * down, right * across - 1, bottom * down - 1)
        draw = ImageDraw.Draw(picture)
        draw.rectangle(box, outline="white", width=4)
        draw.rectangle(box, outline=FAILED, width=2)
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


WIDTH, HEIGHT = 480, 160
MARGIN = 4
COLORS = (CHOSEN, FAILED, RIGHT, UNLABELED)


def series_png(values: NDArray[np.float32]) -> bytes:
    """PNG bytes of the (t, C) values, all on one scale; values that are not finite leave a gap."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), "white")
    pen = ImageDraw.Draw(picture)
    finite = values[np.isfinite(values)].astype(np.float64)
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    across = np.linspace(MARGIN, WIDTH - MARGIN, max(len(values), 2))
    for place, channel in enumerate(values.T.astype(np.float64)):
        up = (channel - low) / (high - low) if high > low else np.full(len(channel), 0.5)
        points = list(zip(across.tolist(), (HEIGHT - MARGIN - up * (HEIGHT - 2 * MARGIN)).tolist(), strict=False))
        for start, end in pairwise(points):
            if np.isfinite(start[1]) and np.isfinite(end[1]):
                pen.line([start, end], fill=COLORS[place % len(COLORS)])
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()
