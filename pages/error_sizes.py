"""How large the errors of a regression's faults are, which stands for the severity that a confidence would tell."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from pages.opened import dark
from testimate.charts.severity import severity_bands
from testimate.core.task import Regression, Task
from testimate.metrics.severity import error_bands
from testimate.sessions.session import Session
from testimate.sessions.words import prediction_in_words
from testimate.widgets.shown_input import Tile, gallery

ACROSS, WIDE = 6, 160
"""Pictures in a line, and the width of each in pixels."""


def has_error_sizes(task: Task) -> bool:
    """Whether a fault has a size: of a regression with a tolerance, in whose multiples it is told."""
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
    unit = inputs.task.unit if isinstance(inputs.task, Regression) else ""
    answered = np.array([answers[int(row)] for row in rows], dtype=np.float64)
    largest = np.argsort(-inputs.task.losses(inputs.predictions[rows], answered), kind="stable")[:count]
    st.markdown("**Largest error first**")
    tiles = []
    for place in largest.tolist():
        row = int(rows[place])
        answer = f"{answered[place]:.4g} {unit}".rstrip()
        words = f"said {prediction_in_words(inputs.task, inputs.predictions[row])}, is {answer}"
        tiles.append(Tile(session.show(row), words))
    gallery(tiles, across=ACROSS, size=WIDE)
