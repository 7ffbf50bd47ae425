"""SSOA's P variants without simulation: every pre-sample that can be, and what the second phase makes of it."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from testimate.core.errors import BadInput
from testimate.selectors.optimum_allocation import pre_sample_sizes
from testimate.structure.strata import neyman

EVERY = 5_000
"""Pre-samples up to which every one is counted; beyond, as many as DRAWN are drawn."""

DRAWN = 3_000


@dataclass(frozen=True)
class TwoPhase:
    """Bias and RMSE of the estimated accuracy, and failures found, over all campaigns.

    ``exact`` where every pre-sample was counted; else from pre-samples drawn at random, each with its exact mean and
    variance.
    """

    bias: float
    rmse: float
    failures: float
    exact: bool


def two_phase(
    losses: NDArray[np.float64],
    strata: NDArray[np.intp],
    budget: int,
    *,
    seed: int,
    h: int = 10,
    as_published: bool = False,
) -> TwoPhase:
    """The stratum-weighted mean with Neyman allocation on the spreads of a pre-sample, on losses of 0 and 1.

    Given the failures of the pre-sample its sample sizes are fixed, so its mean and variance have formulas; the
    pre-sample's failures are independent hypergeometric counts.

    Parameters
    ----------
    losses, strata : (N,) loss and stratum of every input, strata 0..H-1 without gaps.
    budget : n, at least a pre-sample of one in each stratum.
    seed : of the pre-samples, where there are too many to count them all.
    h, as_published : as ``OptimumAllocation`` has them.

    Raises
    ------
    BadInput : other losses, or a budget below the number of strata.

    Source: Wu et al. 2023, section 4.2 and equation 6.
    """
    sizes = np.bincount(strata)
    if not np.isin(losses, (0.0, 1.0)).all() or budget < len(sizes):
        raise BadInput(
            f"The budget is {budget} for {len(sizes)} strata; expected losses of 0 and 1 and a label for each stratum. "
            "Run a study."
        )
    wrong = np.bincount(strata, losses).astype(np.intp)
    before = pre_sample_sizes(sizes, budget, h)  # (H,)
    every = int(np.prod((before + 1).astype(np.float64))) <= EVERY
    if every:
        failed = np.indices(tuple(before + 1)).reshape(len(sizes), -1).T  # (P, H)
        chances = stats.hypergeom.pmf(failed, sizes, wrong, before).prod(axis=1)
    else:
        drawn = np.random.default_rng(seed).hypergeometric(wrong, sizes - wrong, before, size=(DRAWN, len(sizes)))
        failed, repeats = np.unique(drawn, axis=0, return_counts=True)
        chances = repeats / DRAWN
    likely = chances > 1e-12
    failed, chances = failed[likely], chances[likely] / chances[likely].sum()
    spreads = _spreads(failed, before, smooth=not as_published)  # (P, H)
    share_out = partial(neyman, sizes, budget=budget, minimum=before)
    counts = np.stack([share_out(own) for own in spreads])  # (P, H)
    return _summed_up(failed, counts, chances, before, sizes, wrong, every)


def _spreads(failed: NDArray[np.intp], before: NDArray[np.intp], *, smooth: bool) -> NDArray[np.float64]:
    """Standard deviations as ``loss_spreads`` has them for losses of 0 and 1."""
    chance = (failed + 1) / (before + 2) if smooth else failed / np.maximum(before, 1)
    spreads: NDArray[np.float64] = np.sqrt(chance * (1 - chance))
    return spreads


def _summed_up(
    failed: NDArray[np.intp],
    counts: NDArray[np.intp],
    chances: NDArray[np.float64],
    before: NDArray[np.intp],
    sizes: NDArray[np.intp],
    wrong: NDArray[np.intp],
    every: bool,
) -> TwoPhase:
    """Mean and variance over pre-samples (P, H) of ``chances`` (P,), and over the second phase given each."""
    shares, more = sizes / sizes.sum(), counts - before  # more: (P, H)
    left, rest = sizes - before, wrong - failed
    rate = np.divide(rest, left, out=np.zeros(rest.shape), where=left > 0)  # of the inputs not pre-sampled
    mean = ((failed + more * rate) / counts) @ shares  # (P,)
    correction = np.divide(left - more, left - 1, out=np.zeros(rest.shape), where=left > 1)
    variance = ((shares / counts) ** 2 * more * rate * (1 - rate) * correction).sum(axis=1)  # hypergeometric
    off = mean - wrong.sum() / sizes.sum()
    return TwoPhase(
        bias=float(-(chances @ off)),  # of accuracy
        rmse=float(np.sqrt(chances @ (variance + off**2))),
        failures=float(chances @ (failed + more * rate).sum(axis=1)),
        exact=every,
    )
