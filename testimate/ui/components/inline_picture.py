"""A small picture that changes many times a second: it is sent inside the page, so no request can come too late for it."""

import base64
import io

import streamlit as st
from PIL import Image

from testimate.ui.components.shown_input import crisp


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
