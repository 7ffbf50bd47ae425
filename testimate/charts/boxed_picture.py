"""A picture with a detector's boxes drawn into it, for galleries, reports and screens that only show."""

import io
from collections.abc import Collection, Sequence

from PIL import Image, ImageDraw

from testimate.charts.palette import FAILED, RIGHT
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
        colour = FAILED if number in wrong else RIGHT
        pen.rectangle((left, top, max(left, right), max(top, bottom)), outline=colour, width=4)
        if number in wrong:
            pen.line((left, top, right, bottom), fill=colour, width=3)
        words = f" {number + 1} "
        above = top - 24 if top >= 24 else bottom  # outside, or it would hide what is in a small box
        pen.rectangle(pen.textbbox((left, above), words, font_size=20), fill=colour)
        pen.text((left, above), words, fill="white", font_size=20)
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()
