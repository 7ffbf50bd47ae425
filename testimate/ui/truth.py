"""One switch for the truth, where it is known: until it is on, no page shows anything that depends on it."""

from dataclasses import replace

import streamlit as st

from testimate.core.inputs import Inputs
from testimate.reports.live import LiveReport

REVEALED = "truth revealed"
PARAMETER, ON = "truth", "on"
"""A link with ``truth=on`` opens with the truth shown, as for the end of a lecture."""


def truth_revealed() -> bool:
    """Whether this tab shows the truth: by the switch or, before it was touched, by the address."""
    return bool(st.session_state.setdefault(REVEALED, st.query_params.get(PARAMETER) == ON))


def truth_switch(inputs: Inputs) -> None:
    """The switch, at the same place on every page whose subject's truth is known; nothing on the others."""
    if inputs.losses is None:
        return
    with st.container(key="truth-switch"):
        st.toggle(
            "Reveal the truth",
            truth_revealed(),
            key="reveal the truth",
            on_change=_turned,
            help="The right answers are known here. Label first, then see on every page how good the estimate was.",
        )


def reveal(shown: bool) -> None:
    """Sets the switch of every page from code."""
    st.session_state[REVEALED] = shown
    st.session_state.pop("reveal the truth", None)


def _turned() -> None:
    st.session_state[REVEALED] = st.session_state["reveal the truth"]


def as_revealed(inputs: Inputs) -> Inputs:
    """The inputs as the pages may show them: without the truth until it is revealed."""
    return inputs if truth_revealed() else inputs.without_truth


def report_as_revealed(report: LiveReport) -> LiveReport:
    """The same for what the labels say."""
    return report if truth_revealed() else replace(report, truth=None, exact=None)
