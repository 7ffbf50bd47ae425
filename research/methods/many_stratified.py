"""Thousands of stratified campaigns at once: with fixed sample sizes the failures of each stratum are hypergeometric."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from research.methods.exact_error import FIXED_STRATA, strata_of_all
from testimate.core.design import Stratified
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators.always_valid import prior_failure_of
from testimate.estimators.intervals import Ends
from testimate.estimators.stratified import stratified_ends
from testimate.planning.build import build
from testimate.studies.campaign import known_losses

TIES = 4
"""Seeds that break the ties of the scores; each serves a part of the campaigns."""


@dataclass(frozen=True, eq=False)
class ManyStratified:
    """R campaigns of one technique at one budget.

    Attributes
    ----------
    truth : accuracy of the whole set.
    accuracy, failures : (R,) estimate and failures found.
    score, korn_graubard : (R, 2) ends of the two intervals of accuracy, as ``StratifiedMean`` has them.
    """

    truth: float
    accuracy: NDArray[np.float64]
    failures: NDArray[np.float64]
    score: NDArray[np.float64]
    korn_graubard: NDArray[np.float64]

    def coverage(self, interval: str = "score") -> float:
        """Share of the campaigns whose interval holds the truth."""
        low, high = getattr(self, interval).T
        return float(((low <= self.truth + 1e-12) & (self.truth - 1e-12 <= high)).mean())


def many_stratified(inputs: Inputs, request: Request, *, campaigns: int, level: float = 0.95) -> ManyStratified:
    """Campaigns of the request for rrs, ssrs or css on losses of 0 and 1: the same in law as one by one, in milliseconds.

    Parameters
    ----------
    inputs : of known truth, every loss 0 or 1.
    request : technique and budget; its seed determines everything.
    campaigns : R, at least TIES.

    Raises
    ------
    BadInput : another technique, other losses, or a budget that leaves a stratum without a label.
    """
    losses = known_losses(inputs)
    if request.technique not in FIXED_STRATA or not np.isin(losses, (0.0, 1.0)).all() or campaigns < TIES:
        raise BadInput(
            f"{request.technique} with {campaigns} campaigns was asked for; expected one of {', '.join(FIXED_STRATA)}, "
            f"losses of 0 and 1, and at least {TIES} campaigns. Run a study."
        )
    rng = np.random.default_rng(request.seed)
    parts = [
        _with_one_order(inputs, replace(request, seed=int(rng.integers(2**32))), len(part), level, rng)
        for part in np.array_split(np.arange(campaigns), TIES)
    ]
    columns = {
        name: np.concatenate([part[name] for part in parts])
        for name in ("accuracy", "failures", "score", "korn_graubard")
    }
    return ManyStratified(truth=float(1 - losses.mean()), **columns)


def _with_one_order(
    inputs: Inputs, request: Request, campaigns: int, level: float, rng: np.random.Generator
) -> dict[str, NDArray[np.float64]]:
    """The columns of campaigns whose ties were broken alike."""
    losses = known_losses(inputs)
    strata = strata_of_all(build(inputs, replace(request, budget=len(inputs))), len(inputs))
    selector = build(inputs, request)
    design = selector.design
    assert isinstance(design, Stratified)
    sizes = np.asarray(design.stratum_sizes)  # (H,)
    wrong = np.bincount(strata, losses).astype(np.intp)  # (H,)
    if design.in_rounds:
        counts = counts_of_rounds(sizes, request.budget, campaigns, rng)  # (R, H)
    else:
        drawn = np.bincount([draw.stratum for draw in selector.ask(request.budget)], minlength=len(sizes))
        counts = np.broadcast_to(drawn, (campaigns, len(sizes)))
    if not counts.all():
        raise BadInput(
            f"A budget of {request.budget} leaves a stratum of {request.technique} without a label; expected one in each. "
            "Raise the budget."
        )
    failures = rng.hypergeometric(wrong, sizes - wrong, counts)  # (R, H)
    return judged(failures, counts, sizes, prior_failure_of(design), level)


def counts_of_rounds(
    sizes: NDArray[np.intp], budget: int, campaigns: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draws of each stratum, (R, H): whole rounds over those not exhausted, the last one's in random order."""
    totals = np.minimum.outer(np.arange(sizes.max() + 1), sizes).sum(axis=1)
    whole = np.minimum(int(np.searchsorted(totals, budget, "right")) - 1, sizes)  # (H,)
    more, live = budget - int(whole.sum()), whole < sizes
    turns = np.where(live, rng.random((campaigns, len(sizes))), np.inf).argsort(axis=1).argsort(axis=1)
    counts: NDArray[np.intp] = whole + (turns < more)
    return counts


def judged(
    failures: NDArray[np.intp],
    counts: NDArray[np.intp],
    sizes: NDArray[np.intp],
    prior: NDArray[np.float64],
    level: float,
) -> dict[str, NDArray[np.float64]]:
    """What ``StratifiedMean`` says about each campaign, from failures and draws (R, H)."""
    mean = (failures / counts) @ (sizes / sizes.sum())  # (R,)
    ordinary, careful = (
        stratified_ends(failures, counts, sizes, prior, level=level, conservative=one) for one in (False, True)
    )
    return accuracies(mean, failures.sum(axis=1).astype(np.float64), ordinary, careful)


def accuracies(
    mean: NDArray[np.float64], failures: NDArray[np.float64], ordinary: Ends, careful: Ends
) -> dict[str, NDArray[np.float64]]:
    """Columns of campaigns by name, from failure rates (R,), the ends of two intervals of them, and the failures found."""
    score, korn_graubard = (1 - np.column_stack([ends.high, ends.low]) for ends in (ordinary, careful))
    return {"accuracy": 1 - mean, "failures": failures, "score": score, "korn_graubard": korn_graubard}
