"""One switch for the truth, where it is known: until it is on, no page shows anything that depends on it."""

from dataclasses import replace

import streamlit as st

from testimate.core.inputs import Inputs
from testimate.reports.live import LiveReport

REVEALED = "truth revealed"
_TOGGLE, _KNOWN = "reveal the truth", "truth is known"
PARAMETER, ON = "truth", "on"
"""A link with ``truth=on`` opens with the truth shown, as for the end of a lecture."""


def truth_revealed() -> bool:
    """Whether this tab shows the truth: by the switch or, before it was touched, by the address."""
    return bool(st.session_state.setdefault(REVEALED, st.query_params.get(PARAMETER) == ON))


def note_truth(subject: str, inputs: Inputs) -> None:
    """Notes whether the truth of what a page shows is known, which the switcher asks; called by whatever opens inputs."""
    st.session_state[_KNOWN] = (subject, inputs.losses is not None)


def truth_toggle(subject: str | None) -> None:
    """The one switch of the truth; nothing where that of the open test set is not known. Draw it in a fragment."""
    if subject is None or st.session_state.get(_KNOWN) != (subject, True):
        return
    shown = st.toggle(
        "Reveal the truth",
        truth_revealed(),
        key=_TOGGLE,
        help="The right answers are known here. Label first, then see on every page how good the estimate was.",
    )
    if shown != truth_revealed():
        st.session_state[REVEALED] = shown
        st.rerun(scope="app")


def hide_pill() -> None:
    """While the truth is shown, a pill that says so and hides it again."""
    if truth_revealed() and st.button(
        "Truth shown", key="truth shown", icon=":material/visibility:", help="Hides the truth again."
    ):
        reveal(False)
        st.rerun(scope="app")


def reveal(shown: bool) -> None:
    """Sets the switch of every page from code."""
    st.session_state[REVEALED] = shown
    st.session_state.pop(_TOGGLE, None)


def as_revealed(inputs: Inputs) -> Inputs:
    """The inputs as the pages may show them: without the truth until it is revealed."""
    return inputs if truth_revealed() else inputs.without_truth


def report_as_revealed(report: LiveReport) -> LiveReport:
    """The same for what the labels say."""
    return report if truth_revealed() else replace(report, truth=None, exact=None)
