"""How wide each interval is expected to be, computed once per content and choice: a page is drawn anew at every key."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.forecast import QUICK, budgets_needed, expected_always_half_widths, expected_half_widths
from testimate.selectors import SELECTORS

KEPT = 512
BY_CONTENT: dict[str | type[Any], Callable[[Any], Any]] = {Inputs: lambda inputs: inputs.fingerprint, Request: repr}


def curves(
    inputs: Inputs, budgets: Sequence[int], chosen: Request, *, stop_safe: bool
) -> dict[str, NDArray[np.float64]]:
    """Expected half-widths (K,) of the stop-safe or the ordinary interval at K budgets, by technique; nan where none is."""
    found = {name: half_widths(inputs, budgets, name, chosen, stop_safe=stop_safe) for name in QUICK}
    return {name: widths for name, widths in found.items() if widths is not None}


def half_widths(
    inputs: Inputs, budgets: Sequence[int], technique: str, chosen: Request, *, stop_safe: bool
) -> NDArray[np.float64] | None:
    """Those of one technique, (K,); None where it has none, no forecast, or none that can be had while one waits."""
    if technique not in QUICK or not (stop_safe or SELECTORS[technique].claims.honest_interval):
        return None
    return _half_widths(inputs, tuple(budgets), technique, _what_counts(technique, chosen), stop_safe)


def labels_needed(inputs: Inputs, half_width: float, technique: str, chosen: Request, *, stop_safe: bool) -> int | None:
    """Labels by which the technique is expected to reach the half-width; None where not even all N are enough."""
    return _labels_needed(inputs, half_width, technique, _what_counts(technique, chosen), stop_safe)


def _what_counts(technique: str, chosen: Request) -> Request | None:
    """Of what was chosen, all that the technique's forecast depends on."""
    return replace(chosen, budget=1, seed=0) if chosen.technique == technique else None


@st.cache_data(show_spinner=False, max_entries=KEPT, hash_funcs=BY_CONTENT)
def _half_widths(
    inputs: Inputs, budgets: tuple[int, ...], technique: str, chosen: Request | None, stop_safe: bool
) -> NDArray[np.float64] | None:
    expected = expected_always_half_widths if stop_safe else expected_half_widths
    return expected(inputs, budgets, techniques=(technique,), chosen=chosen).get(technique)


@st.cache_data(show_spinner=False, max_entries=KEPT, hash_funcs=BY_CONTENT)
def _labels_needed(
    inputs: Inputs, half_width: float, technique: str, chosen: Request | None, stop_safe: bool
) -> int | None:
    needed = budgets_needed(inputs, half_width, always_valid=stop_safe, techniques=(technique,), chosen=chosen)
    return needed[technique]
