"""Warns, on Subject and Plan, of predictions that suggest the inputs were not prepared as in training."""

import streamlit as st

from testimate.core.inputs import Inputs
from testimate.planning.known_inputs import unusual_predictions
from testimate.ui.components.untrusted_text import escape_markdown


def unusual(inputs: Inputs) -> None:
    """A warning for each sign of a wrong scale, channel order or class list."""
    for warning in unusual_predictions(inputs):
        st.warning(escape_markdown(warning), icon=":material/warning:")
