"""Thousands of campaigns at once by techniques whose draws no label decides: srs, sups and 2-ups, on losses of 0 and 1."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput

AT_ONCE = 1 << 22
"""Numbers held at a time."""


@dataclass(frozen=True, eq=False)
class Many:
    """R campaigns at one budget: (R,) estimated failure rates, never clipped, and failures found."""

    rate: NDArray[np.float64]
    failures: NDArray[np.float64]


def many_simple(losses: NDArray[np.float64], budgets: Sequence[int], *, campaigns: int, seed: int) -> dict[int, Many]:
    """Simple random sampling without replacement: hypergeometric failures.

    ``losses`` (N,) of 0 and 1; ``budgets`` of at most N; ``campaigns`` R; ``seed`` determines everything. BadInput for
    other losses.
    """
    wrong, rng = int(check_pass_or_fail(losses).sum()), np.random.default_rng(seed)
    found = {}
    for budget in budgets:
        failures = rng.hypergeometric(wrong, losses.size - wrong, budget, size=campaigns).astype(np.float64)
        found[budget] = Many(failures / budget, failures)
    return found


def many_unequal(
    losses: NDArray[np.float64], chances: NDArray[np.float64], budgets: Sequence[int], *, campaigns: int, seed: int
) -> dict[int, Many]:
    """Draws with replacement by ``chances`` (N,) summing to 1, with the Hansen-Hurwitz mean (sups).

    ``budgets`` rise, and the campaign of a smaller one is the beginning of a larger one's. The rest as ``many_simple``.
    """
    check_pass_or_fail(losses)
    rng, bounds = np.random.default_rng(seed), np.cumsum(chances)
    terms = np.divide(losses, chances * losses.size, out=np.zeros(losses.size), where=chances > 0)
    parts: dict[int, list[Many]] = {budget: [] for budget in budgets}
    for part in np.array_split(np.arange(campaigns), 1 + campaigns * budgets[-1] // AT_ONCE):
        uniform = rng.random((len(part), budgets[-1]))
        rows = np.searchsorted(bounds / bounds[-1], uniform, side="right")  # (part, n)
        for budget in budgets:
            drawn = rows[:, :budget]
            parts[budget].append(Many(terms[drawn].mean(axis=1), losses[drawn].sum(axis=1)))
    return {
        budget: Many(
            np.concatenate([one.rate for one in found]),
            np.concatenate([one.failures for one in found]),
        )
        for budget, found in parts.items()
    }


def many_two_stage(
    losses: NDArray[np.float64],
    strata: NDArray[np.intp],
    stratum_chances: NDArray[np.float64],
    budgets: Sequence[int],
    *,
    campaigns: int,
    seed: int,
    as_published: bool = False,
) -> dict[int, Many]:
    """A stratum by its chance, then an input of it without replacement (2-ups).

    Parameters
    ----------
    losses, strata : (N,) loss of 0 or 1 and stratum of every input, strata 0..H-1 without gaps.
    stratum_chances : (H,) psi, summing to 1, above 0.
    budgets, campaigns, seed : as ``many_unequal`` has them.
    as_published : strata that have given all their inputs are passed over, not begun again, and the estimate is the
        average over the strata met, as in the authors' program.

    Raises
    ------
    BadInput : other losses.

    Source: DeepSample, section 3.4.2, 2-UPS.
    """
    check_pass_or_fail(losses)
    sizes = np.bincount(strata)
    wrong, rng = np.bincount(strata, losses).astype(np.intp), np.random.default_rng(seed)
    weights = sizes / losses.size / stratum_chances  # (H,)
    found = {}
    for budget in budgets:
        if as_published:
            counts = _passing_over(stratum_chances, sizes, budget, campaigns, rng)  # (R, H)
            failures = rng.hypergeometric(wrong, sizes - wrong, counts)
            terms = weights * failures / np.maximum(counts, 1)
            rate = terms.sum(axis=1) / (counts > 0).sum(axis=1)
        else:
            counts = rng.multinomial(budget, stratum_chances, size=campaigns)
            failures = counts // sizes * wrong + rng.hypergeometric(wrong, sizes - wrong, counts % sizes)
            rate = failures @ weights / budget  # DeepSample, eq. 15
        found[budget] = Many(rate, failures.sum(axis=1).astype(np.float64))
    return found


def check_pass_or_fail(losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """The losses, each 0 or 1; BadInput otherwise."""
    if not np.isin(losses, (0.0, 1.0)).all():
        raise BadInput(
            f"The losses run from {losses.min():.4g} to {losses.max():.4g}; campaigns at once need losses of 0 and 1. "
            "Run a study."
        )
    return losses


def _passing_over(
    chances: NDArray[np.float64], sizes: NDArray[np.intp], budget: int, campaigns: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draws of each stratum, (R, H), those that are exhausted passed over."""
    counts = rng.multinomial(budget, chances, size=campaigns)
    over = np.flatnonzero((counts > sizes).any(axis=1))  # only these campaigns met an exhausted stratum
    again = np.zeros((len(over), len(sizes)), dtype=np.intp)
    for place, row in enumerate(over):
        order = rng.permutation(np.repeat(np.arange(len(sizes)), counts[row]))
        for stratum in order:
            left = np.where(again[place] < sizes, chances, 0.0)
            open_ = again[place, stratum] < sizes[stratum]
            again[place, stratum if open_ else rng.choice(len(sizes), p=left / left.sum())] += 1
    counts[over] = again
    return counts
