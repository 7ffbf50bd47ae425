"""What is set for a session beside its technique: when one may stop, whether the prediction is shown, testers per input."""

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from testimate.core.task import Task
from testimate.ui.components.terms import explained
from testimate.ui.member import team


def session_settings(task: Task) -> dict[str, Any]:
    """The settings by the names ``Project.start_session`` takes; none of them changes the draws."""
    columns = st.columns(2, vertical_alignment="bottom")
    half_width = wanted_half_width(columns[0], task)
    shown = columns[1].toggle(
        "Show the prediction first",
        help="A shown prediction draws the tester towards it; hidden until the answer by default.",
    )
    needed = None
    if team():
        needed = int(
            st.number_input(
                "Testers per input",
                1,
                9,
                2,
                help="Each input goes to so many testers, blind to each other. More than half of them must agree; what "
                "they dispute a lead settles.",
            )
        )
    return {"half_width": half_width, "show_prediction": shown, "votes_per_input": needed}


def wanted_half_width(place: DeltaGenerator, task: Task) -> float:
    """The stop-safe half-width asked for, as a share, or in the unit of the squared error."""
    if task.measure.is_share:
        what = explained("half-width", "The stop-safe interval's, in percentage points of accuracy.")
        points = place.number_input("Stop when within ± points", 0.5, 50.0, 5.0, step=0.5, format="%.1f", help=what)
        return float(points) / 100
    why = (
        explained("half-width", "The stop-safe interval's, around 1 - mean squared error.")
        if task.loss_bound is not None
        else "Squared errors have no largest one here, so there is no stop-safe interval: label the whole budget."
    )
    label, bounded = f"Stop when within ± of {task.measure.title}", task.loss_bound is not None
    return float(place.number_input(label, 0.0001, value=0.05, format="%g", disabled=not bounded, help=why))
