"""The field for the tolerance of a regression at an upload, for tables and models alike."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from testimate.core.errors import BadInput
from testimate.tasks.regression import SaidTolerance, as_said, regression
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown


def tolerance_field(
    place: DeltaGenerator, label: str, *, key: str, usual: str = "0.5, or 10 %"
) -> SaidTolerance | None:
    """What was typed, a number or a percentage; None if it is empty or not a tolerance, and then a
    message says so. ``usual`` : the placeholder of the empty field.
    """
    said = place.text_input(
        label,
        key=key,
        placeholder=usual,
        help=explained(
            "fault",
            "A number in the unit of the predictions, or a percentage of the true number. If left empty: one standard "
            "deviation of the predictions.",
        ),
    )
    if not said.strip():
        return None
    try:
        return as_said(regression(said))
    except BadInput as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None
