"""What to expect of a plan for its goal: the width of its interval, the faults it will find, or the severe ones."""

import streamlit as st

from testimate.advice.advice import Objective
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.words import commas, counted
from testimate.metrics.severity import HIGH_FROM
from testimate.planning.expected_faults import ExpectedFaults, expected_faults
from testimate.selectors import LADDER
from testimate.ui.plan.expected_width import BY_CONTENT, Forecast, looked_at, sampled_words

PLAYED_TO = 1_000
"""Labels up to which campaigns are played while someone waits."""


def expected_of_goal(width: Forecast, inputs: Inputs, request: Request, objective: Objective) -> Forecast:
    """What to expect for the goal; ``width`` is what there is of the interval, and all there is without a confidence."""
    if objective == "tight interval" or request.budget > PLAYED_TO:
        return width
    severe = objective == "severe faults"
    found = _played(looked_at(inputs, request.budget), request, severe)
    if found is None:
        return width
    assumed = (
        "Faults in played campaigns. The range does not take the confidence at its word: most networks fail more often than "
        f"they say. It is for seven networks of eight.{sampled_words(inputs)}"
    )
    if objective == "balance":
        return Forecast(f"{width.words} Expect {faults_words(found, 'fault')}.", f"{width.assumption}\n\n{assumed}")
    after = f"{faults_words(found, 'severe fault' if severe else 'fault')} in {counted(request.budget, 'label')}"
    meant = f" Severe: wrong, and at least {100 * HIGH_FROM:.0f}% sure." if severe else ""
    return Forecast(f"Expect {after}.{meant}", assumed)


def faults_words(found: ExpectedFaults, what: str) -> str:
    """Return the number with its range.

    >>> faults_words(ExpectedFaults(9, 12, 14), "severe fault"), faults_words(ExpectedFaults(0, 0, 0), "fault")
    ('about 12 severe faults (likely 9 to 14)', 'about 0 faults')
    """
    likely = "" if found.low == found.high else f" (likely {commas(found.low)} to {commas(found.high)})"
    return f"about {counted(found.middle, what)}{likely}"


def forecast_of_shared(shared: Request) -> Forecast:
    """Names the size of a plan for several parts or models or for a confidence, whose own words lie under Advanced."""
    most = "at most " if shared.technique == LADDER else ""
    return Forecast(f"Takes {most}{counted(shared.budget, 'label')}, as chosen under Advanced.")


@st.cache_data(show_spinner="Playing campaigns …", max_entries=64, hash_funcs=BY_CONTENT)
def _played(inputs: Inputs, request: Request, severe: bool) -> ExpectedFaults | None:
    return expected_faults(inputs, request, severe=severe)
