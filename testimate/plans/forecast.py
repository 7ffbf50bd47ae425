"""How narrow the interval will be for a budget, said before any label is seen."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.design import Stratified
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators.expected_half_width import rounds_half_width, simple_random_half_width
from testimate.plans.build import build


def expected_half_widths(inputs: Inputs, budgets: ArrayLike) -> dict[str, NDArray[np.float64]]:
    """Expected half-width of the 95 % interval by technique, each (K,) for K budgets; nan below one label per stratum.

    Taken from the confidence as if it were right: an overconfident network will have wider intervals. Empty where there is
    no confidence, and for a regression, whose losses have no bound.
    """
    counts = np.atleast_1d(np.asarray(budgets, dtype=np.intp))
    if "confidence" not in inputs.scores or inputs.task.loss_bound != 1.0 or len(inputs) < 2:
        return {}
    chance = inputs.scores["confidence"]  # (N,) chance of failure
    curves = {"srs": simple_random_half_width(len(inputs), counts, float(chance.mean()))}
    try:
        design = build(inputs, Request("rrs", budget=1, seed=0)).design
    except BadInput:
        return curves
    if isinstance(design, Stratified) and design.prior_failure is not None:
        enough = counts >= len(design.stratum_sizes)
        widths = np.full(len(counts), np.nan)
        if enough.any():
            widths[enough] = rounds_half_width(design.stratum_sizes, counts[enough], design.prior_failure)
        curves["rrs"] = widths
    return curves
