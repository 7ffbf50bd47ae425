"""One input as a person sees it, outside the labeling surface: a picture, a sound, a text or a table row."""

import io

import numpy as np
import streamlit as st
from PIL import Image

from testimate.core.subject import Shown

SMALL = 64
"""Pictures with at most this many pixels a side are enlarged without smoothing, so that their pixels stay crisp."""


def shown_input(shown: Shown, *, caption: str = "", size: int = 96) -> None:
    """Shows the input; ``size`` is the width of a picture in pixels on the screen."""
    if shown.image is not None:
        st.image(crisp(shown.image, size), caption=caption, alt=caption)
    elif shown.audio is not None:
        st.audio(shown.audio, format="audio/wav")
        st.caption(caption)
    elif shown.text is not None:
        st.code(shown.text, language=None, wrap_lines=True)
        st.caption(caption)
    else:
        st.dataframe([{"column": name, "value": value} for name, value in shown.cells], hide_index=True)
        st.caption(caption)


def before_and_after(shown: Shown, given: np.ndarray, caption: str, *, seen: Shown | None = None) -> None:
    """An input as it is stored, above what the model is given: ``given`` without the batch axis, ``seen`` as a picture."""
    shown_input(shown, caption=f"{caption}, as stored", size=120)
    if seen is not None:
        shown_input(seen, size=120)
    st.caption(f"as given: {numbers_in_words(given)}")
    if seen is None:
        st.code(first_numbers(given), language=None, wrap_lines=True)


def numbers_in_words(given: np.ndarray) -> str:
    """Shape and range of what a model is given.

    >>> numbers_in_words(np.array([[0.0, 0.5], [1.0, 0.25]]))
    '2 × 2, from 0 to 1'
    """
    shape = " × ".join(str(side) for side in given.shape) or "1"
    if given.dtype.kind not in "fiub" or not given.size:
        return f"{shape}, no numbers"
    return f"{shape}, from {given.min():.4g} to {given.max():.4g}"


def first_numbers(given: np.ndarray) -> str:
    """The first numbers of an input, as text."""
    flat = given.ravel()
    if flat.dtype.kind not in "fiub":
        return str(flat[0])[:300] if flat.size else ""
    return " ".join(f"{number:.4g}" for number in flat[:24]) + (" …" if flat.size > 24 else "")


def crisp(png: bytes, size: int) -> np.ndarray:
    """The picture as an array (height, width[, 3]) uint8, a small one enlarged to about ``size`` pixels wide.

    An array, never a path or bytes: Streamlit would open a string as a file or URL.
    """
    with Image.open(io.BytesIO(png), formats=["PNG", "JPEG", "BMP", "WEBP"]) as image:
        picture = image.convert("L" if image.mode in ("1", "L", "I;16") else "RGB")
        if max(picture.size) <= SMALL:
            factor = max(1, round(size / picture.width))
            picture = picture.resize((picture.width * factor, picture.height * factor), Image.Resampling.NEAREST)
        elif picture.width > size:
            picture.thumbnail((size, size * 4))
        return np.asarray(picture)
