"""Two streams in one session: random draws that carry the estimate, and picks that look for failures; what they cost."""

from dataclasses import replace

import numpy as np
import streamlit as st

from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.plans.forecast import expected_half_widths
from testimate.widgets.terms import explained
from testimate.widgets.untrusted_text import escape_markdown

ROUND = 20
"""Inputs in a round, of both streams."""

SHARES = (4, 6, 8, 10)
ORDERS = {
    "failure chance": "whatever is likeliest to fail",
    "severe first": "what fails while the network is sure",
}
SEVERE = {"failure chance": "failure chance", "severe first": "severity first"}
"""The names on the page, and the option's."""


def two_streams(inputs: Inputs, request: Request) -> Request:
    """The plan with the share of picks, and what they go for, that the tester chooses; the width this costs is said."""
    left, right = st.columns(2)
    picks = left.select_slider(
        f"Picks among {ROUND} inputs",
        SHARES,
        8,
        key="picks",
        help=explained(
            "exploit pick", "The others are drawn at random and alone carry the estimate, which stays unbiased."
        ),
    )
    order = right.selectbox("They go for", list(ORDERS), format_func=ORDERS.__getitem__, key="picks go for")
    options = {**request.options, "zones": ROUND - picks, "exploit": picks, "exploit_order": SEVERE[order]}
    chosen = replace(request, options=options)
    if words := cost_in_words(inputs, chosen, picks):
        st.caption(escape_markdown(words))
    return chosen


def cost_in_words(inputs: Inputs, chosen: Request, picks: int) -> str:
    """How much wider the interval is expected to be for the picks; empty where there is no forecast."""
    without = replace(chosen, options={})
    pair = [
        expected_half_widths(inputs, [request.budget], techniques=("rra",), chosen=request).get("rra", [np.nan])[0]
        for request in (chosen, without)
    ]
    if not np.isfinite(pair).all():
        return ""
    return (
        f"Of {chosen.budget:,} labels about {chosen.budget * picks // ROUND:,} go to picks. The interval is expected to be "
        f"±{100 * pair[0]:.1f} points instead of ±{100 * pair[1]:.1f} without them."
    )
