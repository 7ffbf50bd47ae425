"""A small picture that changes many times a second: it travels inside the page, so no fetch can come too late for it."""

import base64
import io

import streamlit as st
from PIL import Image

from testimate.widgets.shown_input import crisp


def inline_picture(png: bytes, *, size: int, alt: str) -> None:
    """Shows the picture about ``size`` pixels wide, a small one with crisp pixels; ``alt`` is trusted text.

    ``st.image`` hands the browser an address to fetch it from; where the next picture comes before the fetch, the address is
    gone and the browser reports an error.
    """
    packed = io.BytesIO()
    Image.fromarray(crisp(png, size)).save(packed, format="PNG")
    data = base64.b64encode(packed.getvalue()).decode()
    st.html(
        f'<img alt="{alt}" width="{size}" decoding="sync" style="display: block" src="data:image/png;base64,{data}">',
        width="content",
    )
