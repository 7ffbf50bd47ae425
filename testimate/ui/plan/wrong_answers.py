"""What wrong answers would do to the estimate of a plan, and how many to look at again."""

import streamlit as st

from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.second_look import second_look_advice
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.plan.expected_width import looked_at


def wrong_answers(inputs: Inputs, request: Request) -> None:
    """The advice below the forecast; nothing where there is no forecast."""
    advice = second_look_advice(looked_at(inputs, request.budget), request)
    if advice is not None:
        st.caption(escape_markdown(advice.words()))
