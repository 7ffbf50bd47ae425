"""Small views of an input or a cluster: a picture, the beginning of a text, a sound, cells; a cluster's mark and prototypes."""

import base64
import io
import math
from collections.abc import Sequence
from typing import Any

from PIL import Image, ImageDraw

from testimate.charts.palette import hue, symbol
from testimate.charts.pictures import boxed_picture
from testimate.core.subject import Shown
from testimate.ui.components.spectrogram import spectrogram

CRISP = 64
"""Pictures with at most this many pixels a side are sent as they are; the browser enlarges them without smoothing."""
LONGEST = 280
CELLS = 8


def look_to_json(shown: Shown, *, side: int = 160) -> dict[str, Any]:
    """The input as a small view, in plain JSON; a picture with at most ``side`` pixels a side. All text in it is untrusted."""
    if shown.image is not None:
        return _picture(boxed_picture(shown.image, shown.boxes) if shown.boxes else shown.image, side)
    if shown.audio is not None:
        drawn = spectrogram(shown.audio)
        look = {"audio": base64.b64encode(shown.audio).decode("ascii")}
        if drawn is None:
            return look
        return {**look, "spectrogram": base64.b64encode(drawn.small()).decode("ascii"), "title": drawn.title}
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


SIDE = 72
"""Pixels of a prototype's side in the picture: twice its size on the page, so that it is sharp on dense screens."""


def cluster_mark(place: int, pictures: Sequence[bytes], *, dark: bool) -> str:
    """The picture as a data URL: the mark of the cluster at that place, then each of the ``pictures`` (PNG)."""
    strip = Image.new("RGBA", (SIDE // 2 + (SIDE + 6) * len(pictures), SIDE), (0, 0, 0, 0))
    ImageDraw.Draw(strip).polygon(outline(symbol(place), SIDE / 4, SIDE / 2, SIDE / 5), fill=hue(place, dark=dark))
    for number, png in enumerate(pictures):
        with Image.open(io.BytesIO(png), formats=["PNG", "JPEG", "BMP", "WEBP"]) as opened:
            picture = opened.convert("RGBA")
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
