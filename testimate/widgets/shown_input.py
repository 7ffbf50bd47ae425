"""One input as a person sees it, outside the labeling surface: a picture, a text or a table row."""

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
    elif shown.text is not None:
        st.code(shown.text, language=None, wrap_lines=True)
        st.caption(caption)
    else:
        st.dataframe([{"column": name, "value": value} for name, value in shown.cells], hide_index=True)
        st.caption(caption)


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
