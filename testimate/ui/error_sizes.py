"""How large the errors of a regression's faults are, which stands for the severity that a confidence would give."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from testimate.charts.severity import severity_bands
from testimate.core.task import Regression, Task
from testimate.metrics.severity import error_bands
from testimate.session.session import Session
from testimate.ui.appearance import dark
from testimate.ui.components.shown_input import Tile, gallery

ACROSS, WIDE = 6, 160
"""Pictures in a line, and the width of each in pixels."""


def has_error_sizes(task: Task) -> bool:
    """Whether a fault has a size: of a regression with a tolerance, in multiples of which it is given."""
    return isinstance(task, Regression) and task.tolerance > 0


def error_sizes(task: Task, losses: NDArray[np.float64]) -> go.Figure:
    """The faults among these losses (n,) in bands as wide as the tolerance; only where ``has_error_sizes``."""
    assert isinstance(task, Regression)
    edges = tuple(step * task.tolerance for step in (1, 2, 3))
    names = [f"{edges[0]:g} to {edges[1]:g}", f"{edges[1]:g} to {edges[2]:g}", f"beyond {edges[2]:g}"]
    counts = error_bands(task.errors(losses), edges).counts
    return severity_bands(names, counts, dark=dark(), what=f"error ({task.unit or 'no unit'})")


def largest_errors(session: Session, rows: NDArray[np.intp], *, count: int) -> None:
    """The faults of a regression as pictures, the largest error first and at most ``count`` of them."""
    inputs, answers = session.inputs, session.answers()
    of_faults = {row: answers[row] for row in rows.tolist()}
    largest = np.argsort(-inputs.losses_of(of_faults), kind="stable")[:count]
    st.markdown("**Largest error first**")
    tiles = []
    for place in largest.tolist():
        row = int(rows[place])
        answer = f"{answers[row]:.4g} {inputs.task.unit}".rstrip()
        words = f"said {inputs.task.prediction_text(inputs.predictions[row])}, is {answer}"
        tiles.append(Tile(session.show(row), words, help=inputs.name_of(row)))
    gallery(tiles, across=ACROSS, size=WIDE)
