"""On Plan, if groups are drawn as wholes: the expected width of the interval, by how alike inputs of a group fail."""

from dataclasses import replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from testimate.charts.estimates import forecast
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.words import counted
from testimate.planning.build import titled
from testimate.planning.forecast import GROUPED, budget_for_groups, group_half_widths, has_group_forecast
from testimate.ui.appearance import dark
from testimate.ui.components.untrusted_text import escape_markdown

GROUPS_HEIGHT, POINTS = 360, 9


def groups_width(inputs: Inputs, request: Request, half_width: float, last: int) -> None:
    """The expected half-width against the budget, up to ``last`` labels, and the labels that the wanted one needs."""
    alike = st.number_input(
        "Suppose inputs of one group fail alike (%)",
        0,
        100,
        30,
        5,
        key="supposed alike",
        help="0: each fails independently. 100: of a group's equally doubtful inputs all fail, or none does. Nothing "
        "shows this before there are labels; the more alike they are, the less a further input of the same group "
        "tells you.",
    )
    budgets = np.unique(
        np.append(np.geomspace(min(40, len(inputs)), last, POINTS).astype(int), request.budget)
    ).tolist()
    chosen = replace(request, budget=1, seed=0)
    widths = {
        name: _widths(inputs, tuple(budgets), chosen if name == request.technique else Request(name, 1, 0), alike / 100)
        for name in GROUPED
    }
    figure = forecast(
        np.array(budgets),
        {titled(name): found for name, found in widths.items()},
        chosen_budget=request.budget,
        chosen_technique=titled(request.technique),
        target=half_width,
        dark=dark(),
    )
    figure.update_layout(height=GROUPS_HEIGHT)
    st.plotly_chart(
        figure, theme=None, key="expected width", alt="Expected half-width of the 95 % interval against the budget"
    )
    st.markdown(escape_markdown(words(budgets, widths[request.technique], request.budget, half_width)))
    st.caption(
        "Expected half-width of the 95 % interval at a budget fixed in advance, if the network's confidence is about right and "
        "groups are as alike as supposed."
    )


def words(budgets: list[int], widths: NDArray[np.float64], budget: int, half_width: float) -> str:
    """How wide the chosen budget leaves the interval, and how many labels the wanted width needs."""
    at = float(widths[budgets.index(budget)])
    wanted = budget_for_groups(budgets, widths, half_width)
    labels = f"more than {counted(budgets[-1], 'label')}" if wanted is None else f"about {counted(wanted, 'label')}"
    now = "no number yet" if np.isnan(at) else f"±{100 * at:.1f} points"
    return f"{now} with {counted(budget, 'label')}; ±{100 * half_width:.1f} points needs {labels}."


@st.cache_data(
    show_spinner="Playing campaigns …", max_entries=64, hash_funcs={Inputs: lambda one: one.fingerprint, Request: repr}
)
def _widths(inputs: Inputs, budgets: tuple[int, ...], chosen: Request, alike: float) -> NDArray[np.float64]:
    if not has_group_forecast(inputs, chosen.technique):
        return np.full(len(budgets), np.nan)
    return group_half_widths(inputs, budgets, chosen, alike=alike)
