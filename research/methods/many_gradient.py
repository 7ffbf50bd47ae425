"""Thousands of gradient-based campaigns at once: with replacement a draw from a cluster fails with the cluster's rate."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from research.methods.many_draws import Many, check_pass_or_fail
from testimate.core.errors import BadInput


def many_gradient(
    losses: NDArray[np.float64],
    strata: NDArray[np.intp],
    budgets: Sequence[int],
    *,
    campaigns: int,
    seed: int,
    as_published: bool = False,
) -> dict[int, Many]:
    """GBS with replacement on losses of 0 and 1, the same in law as ``GradientBasedSampling`` and its estimators.

    Parameters
    ----------
    losses, strata : (N,) loss and cluster of every input, clusters 0..H-1 without gaps.
    budgets : rising, the smallest at least H.
    campaigns : R.
    seed : determines everything.
    as_published : as the authors' program computes it.

    Raises
    ------
    BadInput : other losses, or a budget below the number of clusters.

    Source: DeepSample, section 3.4.2, GBS.
    """
    sizes = np.bincount(strata)
    check_pass_or_fail(losses)
    if budgets[0] < len(sizes):
        raise BadInput(
            f"The budgets are {list(budgets)!r:.60} for {len(sizes)} clusters; expected a draw for each. Raise them."
        )
    rates, shares = np.bincount(strata, losses) / sizes, sizes / losses.size  # each (H,)
    rng, everyone = np.random.default_rng(seed), np.arange(campaigns)
    drawn = np.ones((campaigns, len(sizes)))
    failed = (rng.random(drawn.shape) < rates).astype(np.float64)  # (R, H)
    last = rng.integers(len(sizes), size=campaigns)  # the stratum of the last label; any of the first ones
    found = {}
    for label in range(len(sizes), budgets[-1] + 1):
        if label in budgets:
            found[label] = Many(_estimate(failed, drawn, shares, last, as_published), failed.sum(axis=1))
        last = _steepest(failed, drawn, shares, as_published, rng)
        drawn[everyone, last] += 1
        failed[everyone, last] += rng.random(campaigns) < rates[last]
    return found


def _steepest(
    failed: NDArray[np.float64],
    drawn: NDArray[np.float64],
    shares: NDArray[np.float64],
    as_published: bool,
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """The stratum of the next label of each campaign, (R,)."""
    if as_published:
        chance = np.where(failed > 0, failed / (drawn + 1), 1 / (drawn + 2))
        falls = shares * shares * (chance * (1 - chance)) / (drawn + 1) ** 2
        return np.asarray(falls.argmax(axis=1))
    chance = (failed + 1) / (drawn + 2)
    falls = shares * shares * (chance * (1 - chance)) / drawn**2
    best = falls.max(axis=1, keepdims=True)
    ties = falls == best
    if (ties.sum(axis=1) == 1).all():
        return np.asarray(falls.argmax(axis=1))
    return np.asarray(np.where(ties, rng.random(falls.shape), -1.0).argmax(axis=1))


def _estimate(
    failed: NDArray[np.float64],
    drawn: NDArray[np.float64],
    shares: NDArray[np.float64],
    last: NDArray[np.intp],
    as_published: bool,
) -> NDArray[np.float64]:
    """The estimated failure rate of each campaign, (R,)."""
    if not as_published:
        return np.asarray((failed / drawn) @ shares)
    rates = failed / (drawn + 1)
    zero = rates == 0
    zero[np.arange(len(last)), last] = False
    return np.asarray(np.where(zero, 1 / (drawn + 2), rates) @ shares)
