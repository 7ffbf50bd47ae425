"""What is selected on the Clusters page, remembered by this tab: rows, how they were chosen, and the ringed point."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

ROWS, HOW, MARKED = "picked on the map", "how it was picked", "marked on the map"


@dataclass(frozen=True, eq=False)
class Picked:
    """The selection: ``rows`` ascending, and ``how`` they were chosen, such as "lasso" or the name they were saved under."""

    rows: NDArray[np.intp]
    how: str


def picked(size: int) -> Picked:
    """The selection among ``size`` inputs; no rows where nothing is selected."""
    rows = np.asarray(st.session_state.get(ROWS, ()), dtype=np.intp)
    return Picked(rows[rows < size], str(st.session_state.get(HOW, "")))


def pick(rows: Sequence[int] | NDArray[np.intp], how: str) -> None:
    """Selects these rows; one alone is ringed on the map."""
    st.session_state[ROWS] = np.unique(np.asarray(rows, dtype=np.intp))
    st.session_state[HOW] = how
    st.session_state.pop(f"{ROWS}: how many", None)  # of the wall
    st.session_state[MARKED] = int(rows[0]) if len(rows) == 1 else None


def clear() -> None:
    """Selects nothing."""
    pick([], "")


def marked() -> int | None:
    """The row whose point has the ring."""
    row = st.session_state.get(MARKED)
    return row if isinstance(row, int) else None
