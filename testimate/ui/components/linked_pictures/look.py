"""What a browser needs to show an input small: a picture of few pixels, the beginning of a text, a sound, some cells."""

import base64
import io
from typing import Any

from PIL import Image

from testimate.core.subject import Shown

CRISP = 64
"""Pictures with at most this many pixels a side are sent as they are; the browser enlarges them without smoothing."""
LONGEST = 280
CELLS = 8


def look_to_json(shown: Shown, *, side: int = 160) -> dict[str, Any]:
    """The input in small, as plain JSON; a picture with at most ``side`` pixels a side. All text in it is untrusted."""
    if shown.image is not None:
        return _picture(shown.image, side)
    if shown.audio is not None:
        return {"audio": base64.b64encode(shown.audio).decode("ascii")}
    if shown.text is not None:
        return {"text": shortened(shown.text, LONGEST)}
    return {
        "cells": [[shortened(name, 40), shortened(value, 140)] for name, value in shown.cells[:CELLS]],
        "more": max(0, len(shown.cells) - CELLS),
    }


def shortened(text: object, limit: int) -> str:
    """The text, its end replaced by an ellipsis where it is longer than the limit.

    >>> shortened("a long text", 6)
    'a lon…'
    """
    letters = str(text)
    return letters if len(letters) <= limit else letters[: limit - 1] + "…"


def _picture(image: bytes, side: int) -> dict[str, Any]:
    with Image.open(io.BytesIO(image), formats=["PNG", "JPEG", "BMP", "WEBP"]) as opened:
        if max(opened.size) <= CRISP:
            return {"image": base64.b64encode(image).decode("ascii"), "crisp": True}
        picture = opened.convert("L" if opened.mode in ("1", "L", "I;16") else "RGB")
        picture.thumbnail((side, side))
        file = io.BytesIO()
        picture.save(file, "PNG")
    return {"image": base64.b64encode(file.getvalue()).decode("ascii"), "crisp": False}
