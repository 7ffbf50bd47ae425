"""A figure that is drawn again only when what it shows has changed."""

from collections.abc import Callable, Hashable
from typing import cast

import plotly.graph_objects as go
import streamlit as st

from testimate.ui.appearance import dark
from testimate.ui.lecture import lecturing


def kept_figure(place: str, name: Hashable, draw: Callable[[], go.Figure]) -> go.Figure:
    """The figure last drawn at this place of the session if the name, the theme and the size of type are the same, else a
    new one."""
    full, kept = (name, dark(), lecturing()), st.session_state.get(place)
    if kept is not None and kept[0] == full:
        return cast(go.Figure, kept[1])
    figure = draw()
    st.session_state[place] = (full, figure)
    return figure
