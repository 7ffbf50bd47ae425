"""A picture with a shade over what matters in it, and a frame around the part that is enough."""

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from testimate.charts.palette import FAILED

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
        colour = np.where(effect[..., None] > 0, NEEDED, AGAINST).astype(np.uint8)
        shade = Image.fromarray(np.dstack([colour, opacity]), "RGBA").resize(size, Image.Resampling.BILINEAR)
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
