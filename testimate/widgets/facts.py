"""Names and values, one pair a line, as a quiet table that wraps."""

from collections.abc import Iterable

import streamlit as st

from testimate.widgets.untrusted_text import escape_markdown


def facts(pairs: Iterable[tuple[str, str]]) -> None:
    """Shows (name, value) pairs; both are untrusted text."""
    escaped = [(escape_markdown(name), escape_markdown(value)) for name, value in pairs]
    columns = {"what": [name for name, _ in escaped], "value": [value for _, value in escaped]}
    st.table(columns, border="horizontal", hide_header=True, hide_index=True)
