"""Names and values, one pair per line, in a plain table that wraps."""

import re
from collections.abc import Iterable

import streamlit as st

from testimate.ui.components.untrusted_text import escape_markdown


def facts(pairs: Iterable[tuple[str, str]]) -> None:
    """Shows (name, value) pairs; both are untrusted text."""
    escaped = [(escape_markdown(name), escape_markdown(shortened(value))) for name, value in pairs]
    columns = {"what": [name for name, _ in escaped], "value": [value for _, value in escaped]}
    st.table(columns, border="horizontal", hide_header=True, hide_index=True)


def shortened(value: str) -> str:
    """A hexadecimal digest cut to its first 16 characters, since it would not fit; any other value unchanged.

    >>> shortened("7aa84c3b1ee4b05c646ae4f3c0d42845" * 2), shortened("digits")
    ('7aa84c3b1ee4b05c…', 'digits')
    """
    return f"{value[:16]}…" if re.fullmatch(r"[0-9a-f]{32,}", value) else value
