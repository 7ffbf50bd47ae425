"""Colours of the classes on the buttons that answer with them, for a team whose other tools have colours already."""

import streamlit as st

from testimate.charts.theme import LIGHT
from testimate.core.task import Task
from testimate.ui.components.untrusted_text import escape_markdown

MOST_COLOURS = len(LIGHT.hues)
"""Classes that can have a colour; more could not be told apart."""

ACROSS = 5


def class_colours(task: Task) -> dict[str, str]:
    """The colour chosen for each class, #rrggbb by name; empty where colours are not wanted."""
    if not 2 <= len(task.classes) <= MOST_COLOURS:
        return {}
    with st.expander("Colours of the classes"):
        wanted = st.toggle(
            "Colour the buttons",
            help="A stripe on each class's button on Label, as in a tool your testers know. Its name and key stay.",
        )
        if not wanted:
            return {}
        chosen: dict[str, str] = {}
        for first in range(0, len(task.classes), ACROSS):
            names = task.classes[first : first + ACROSS]
            for place, (column, name) in enumerate(zip(st.columns(ACROSS), names, strict=False), start=first):
                with column:
                    usual = LIGHT.hues[place]
                    chosen[name] = st.color_picker(escape_markdown(name), usual, key=f"colour of class {place}")
        return chosen
