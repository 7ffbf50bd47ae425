"""Inputs as a person sees them, outside the labeling surface: pictures, sounds, texts or table rows."""

import base64
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from PIL import Image

from testimate.charts.pictures import boxed_picture, series_png
from testimate.core.subject import Shown
from testimate.ui.components.spectrogram import spectrogram
from testimate.ui.components.untrusted_text import escape_markdown, shown_text

SMALL = 64
"""Pictures with at most this many pixels a side are enlarged without smoothing, so that their pixels stay crisp."""

PICTURES_PER_WIDE = 3
"""A text or a sound takes as much width as this many pictures."""

GAP = 16
"""Pixels between two pictures of a line."""

FORMATS = ("PNG", "JPEG", "BMP", "WEBP")

LONGEST, LOW = 4_000, 150
"""Most characters of a text to show; height in pixels of the box in which a long one scrolls."""


@dataclass(frozen=True)
class Tile:
    """One input of a gallery.

    Attributes
    ----------
    shown : what is seen. caption : beneath it, untrusted text. help : on hover over the caption, untrusted text.
    """

    shown: Shown
    caption: str = ""
    help: str = ""


def picture_width(shown: Shown, side: int) -> int:
    """Pixels of width in which a picture wider than high takes the room of a square one of ``side``; others take ``side``."""
    if shown.image is None:
        return side
    with Image.open(io.BytesIO(shown.image), formats=FORMATS) as image:
        return round(side * min(2.0, max(1.0, math.sqrt(image.width / image.height))))


def gallery(tiles: Sequence[Tile], *, across: int, size: int = 88) -> None:
    """Inputs side by side, as many in a line as their kind leaves readable; table rows as the rows of one table.

    ``across`` : pictures in a line; texts and sounds are a third as many. ``size`` : width of a picture on the screen.
    """
    rows = [tile for tile in tiles if tile.shown.cells]
    if rows:
        said = [{" ": tile.caption} if tile.caption else {} for tile in rows]
        st.dataframe(
            [
                {**{name: shown_text(value) for name, value in tile.shown.cells}, **more}
                for tile, more in zip(rows, said, strict=True)
            ],
            hide_index=True,
        )
    others = [tile for tile in tiles if not tile.shown.cells]
    if all(tile.shown.image is not None for tile in others):
        _pictures(others, across, size)
        return
    across = max(1, across // PICTURES_PER_WIDE)
    for start in range(0, len(others), across):
        for column, tile in zip(st.columns(across), others[start : start + across], strict=False):
            with column:
                shown_input(tile.shown, caption=tile.caption, help=tile.help, size=size)


def _pictures(tiles: Sequence[Tile], across: int, size: int) -> None:
    """At most ``across`` pictures in a line, fewer where the window is too narrow for them."""
    with st.container(horizontal=True, gap="small", width=across * (size + GAP)):
        for tile in tiles:
            with st.container(width=size, gap="xsmall"):
                shown_input(tile.shown, caption=tile.caption, help=tile.help, size=size)


def shown_input(shown: Shown, *, caption: str = "", help: str = "", size: int = 96) -> None:
    """Shows the input; ``size`` is the width of a picture in pixels on the screen, caption and help are untrusted text."""
    if shown.image is not None:
        image = boxed_picture(shown.image, shown.boxes) if shown.boxes else shown.image
        st.image(crisp(image, size), alt=caption)
    elif shown.series is not None:
        st.image(crisp(series_png(shown.series.values), PICTURES_PER_WIDE * size), alt=caption)
    elif shown.audio is not None:
        _sound(shown.audio)
    elif shown.text is not None:
        _text(shown.text, code=shown.code)
    else:
        st.dataframe([{"column": name, "value": shown_text(value)} for name, value in shown.cells], hide_index=True)
    if caption:
        st.caption(escape_markdown(caption), help=escape_markdown(help) or None)


def _sound(sound: bytes) -> None:
    """A player beneath the sound's spectrogram."""
    drawn = spectrogram(sound)
    if drawn is not None:
        st.image(drawn.wide(), width="stretch", alt=drawn.title)
    st.audio(sound, format="audio/wav")


def _text(text: str, *, code: bool) -> None:
    """A text or source code letter by letter; a long one scrolls in a box, and only the labeling surface shows its end."""
    words = text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
    is_long = len(words) > 240 or words.count("\n") > 8  # input, output and reference of a line each are no long text
    if code:
        st.code(words, language=None, height=LOW if is_long else "content")
        return
    with st.container(border=True, height=LOW if is_long else "content"):
        st.text(words)


def before_and_after(shown: Shown, given: np.ndarray, caption: str, *, seen: Shown | None = None) -> None:
    """An input as it is stored, above what the model is given: ``given`` without the batch axis, ``seen`` as a picture."""
    shown_input(shown, caption=f"{caption}, as stored", size=120)
    if seen is not None:
        shown_input(seen, size=120)
    if given.dtype.kind not in "fiub":
        return  # not numbers yet, so there is nothing to show
    st.caption(f"as given: {numbers_in_words(given)}")
    if seen is None:
        st.code(first_numbers(given), language=None, wrap_lines=True)


def numbers_in_words(given: np.ndarray) -> str:
    """Shape and range of what a model is given.

    >>> numbers_in_words(np.array([[0.0, 0.5], [1.0, 0.25]]))
    '2 × 2, from 0 to 1'
    """
    shape = " × ".join(str(side) for side in given.shape) or "1"
    if not given.size:
        return f"{shape}, no numbers"
    return f"{shape}, from {given.min():.4g} to {given.max():.4g}"


def first_numbers(given: np.ndarray) -> str:
    """The first numbers of an input, as text."""
    flat = given.ravel()
    return " ".join(f"{number:.4g}" for number in flat[:24]) + (" …" if flat.size > 24 else "")


def crisp(png: bytes, size: int) -> np.ndarray:
    """The picture as an array (height, width[, 3]) uint8, a small one enlarged to about ``size`` pixels wide.

    An array, never a path or bytes: Streamlit would open a string as a file or URL.
    """
    with Image.open(io.BytesIO(png), formats=FORMATS) as image:
        picture = image.convert("L" if image.mode in ("1", "L", "I;16") else "RGB")
        if max(picture.size) <= SMALL:
            factor = max(1, round(size / picture.width))
            picture = picture.resize((picture.width * factor, picture.height * factor), Image.Resampling.NEAREST)
        elif picture.width > size:
            picture.thumbnail((size, size * 4))
        return np.asarray(picture)


def inline_picture(png: bytes, *, size: int, alt: str) -> None:
    """Shows the picture about ``size`` pixels wide, a small one with crisp pixels; ``alt`` is trusted text.

    ``st.image`` gives the browser a URL; if the next picture arrives before the browser has fetched this one, the URL no longer
    exists and the browser reports an error.
    """
    packed = io.BytesIO()
    Image.fromarray(crisp(png, size)).save(packed, format="PNG")
    data = base64.b64encode(packed.getvalue()).decode()
    st.html(
        f'<img alt="{alt}" width="{size}" decoding="sync" style="display: block" src="data:image/png;base64,{data}">',
        width="content",
    )
