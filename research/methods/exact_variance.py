"""Exact variances of the estimates where the truth is known and a formula exists: the witness of every simulation."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from testimate.core.errors import BadInput


def of_simple_random(losses: NDArray[np.float64], budget: int, *, replacement: bool = False) -> float:
    """Variance of the mean of ``budget`` of the (N,) losses drawn at random.

    >>> of_simple_random(np.array([0.0, 1.0]), 1)
    0.25
    """
    if replacement or losses.size < 2:
        return float(losses.var() / budget)
    return float((1 - budget / losses.size) * losses.var(ddof=1) / budget)  # Cochran 1977, eq. 2.20


def of_stratified(
    losses: NDArray[np.float64],
    strata: NDArray[np.intp],
    allocation: NDArray[np.intp],
    *,
    replacement: bool = False,
) -> float:
    """Variance of the stratum-weighted mean with a given allocation.

    Parameters
    ----------
    losses, strata : (N,) loss and stratum of every input, strata 0..H-1 without gaps.
    allocation : (H,) draws of each stratum, at least 1 and, without replacement, at most its size.
    replacement : inputs inside a stratum may be drawn again.

    >>> of_stratified(np.array([0.0, 1.0, 0.0, 0.0]), np.array([0, 0, 1, 1]), np.array([1, 1]))
    0.0625
    """
    sizes, spread = _sizes_and_spread(losses, strata)
    draws = np.asarray(allocation)
    if draws.shape != sizes.shape or draws.min() < 1 or (not replacement and (draws > sizes).any()):
        raise BadInput(
            f"The allocation {draws.tolist()!r:.60} does not fit strata of {sizes.tolist()!r:.60} inputs; expected at least "
            "1 draw in each and at most its inputs. Change it."
        )
    if replacement:
        terms = (sizes / losses.size) ** 2 * spread * (sizes - 1) / sizes / draws
    else:
        terms = (sizes / losses.size) ** 2 * (1 - draws / sizes) * spread / draws  # Cochran 1977, eq. 5.7
    return float(terms.sum())


def of_rounds(losses: NDArray[np.float64], strata: NDArray[np.intp], budget: int) -> float:
    """Variance of the stratum-weighted mean after ``budget`` draws in rounds over the strata, in random order (rrs).

    Each round visits every stratum that is not exhausted once. The last round reaches j of its L strata, every choice of j
    alike, so each of them has one draw more with probability j / L; given the counts the mean is unbiased, so the
    variance is the mean of the conditional ones. BadInput where the first round is not whole.

    >>> of_rounds(np.array([0.0, 1.0, 0.0, 0.0]), np.array([0, 0, 1, 1]), 3)
    0.03125
    """
    sizes, spread = _sizes_and_spread(losses, strata)
    if not len(sizes) <= budget <= losses.size:
        raise BadInput(
            f"The budget is {budget}; expected one from {len(sizes)}, a draw for each stratum, to {losses.size}. Change it."
        )
    rounds = int(np.searchsorted(np.minimum.outer(np.arange(sizes.max() + 1), sizes).sum(axis=1), budget, "right")) - 1
    whole = np.minimum(rounds, sizes)  # (H,)
    live = whole < sizes
    more = (budget - whole.sum()) / max(int(live.sum()), 1)  # chance of a live stratum to have one more
    inverse = (1 - more) / whole + more * np.where(live, 1 / (whole + 1), 1 / whole)
    return float(((sizes / losses.size) ** 2 * spread * (inverse - 1 / sizes)).sum())


def of_independent_draws(losses: NDArray[np.float64], chances: NDArray[np.float64], budget: int) -> float:
    """Variance of the Hansen-Hurwitz mean of ``budget`` draws with replacement, ``chances`` (N,) summing to 1 (sups).

    An input of chance 0 is never drawn: BadInput where it has a loss, for then the mean is biased.

    >>> of_independent_draws(np.array([0.0, 1.0]), np.array([0.5, 0.5]), 4)
    0.0625
    """
    _check_drawable(losses, chances)
    total = losses.sum()
    hit = losses > 0
    squares = float((losses[hit] ** 2 / chances[hit]).sum())
    return float((squares - total**2) / losses.size**2 / budget)  # Cochran 1977, eq. 9A.8


def of_groups(losses: NDArray[np.float64], chances: NDArray[np.float64], budget: int) -> float:
    """Variance of the Rao-Hartley-Cochran mean: ``budget`` random groups as equal as can be, one draw each (rhc-s).

    ``chances`` (N,) above 0 summing to 1. Rao, Hartley and Cochran 1962, equation 8.

    >>> of_groups(np.array([0.0, 1.0]), np.array([0.5, 0.5]), 1)
    0.25
    """
    size = losses.size
    _check_drawable(losses, chances)
    if (chances <= 0).any():
        raise BadInput(
            f"{int((chances <= 0).sum())} inputs have no chance; a random group may hold none but such. Give each one."
        )
    each, larger = divmod(size, budget)
    squared = larger * (each + 1) ** 2 + (budget - larger) * each**2
    with_replacement = of_independent_draws(losses, chances, 1)
    return float((squared - size) / (size * max(size - 1, 1)) * with_replacement)


def of_two_stages(
    losses: NDArray[np.float64], strata: NDArray[np.intp], stratum_chances: NDArray[np.float64], budget: int
) -> float:
    """Variance of the mean of N_h z / (N psi_h) over ``budget`` draws of a stratum and then an input in it (2-ups).

    Strata come with replacement, each by its chance psi (H,) above 0; inside one the inputs come without, and again in the
    same order once all were drawn: of m draws, q whole turns and a simple random sample of r = m - q N_h.

    >>> of_two_stages(np.array([0.0, 1.0]), np.array([0, 0]), np.array([1.0]), 2)
    0.0
    """
    sizes, spread = _sizes_and_spread(losses, strata)
    if stratum_chances.shape != sizes.shape or (stratum_chances <= 0).any() or abs(stratum_chances.sum() - 1) > 1e-9:
        raise BadInput(
            f"The chances {stratum_chances!r:.60} do not fit {len(sizes)} strata; expected one above 0 for each, summing to "
            "1. Change them."
        )
    weights = sizes / losses.size / stratum_chances  # (H,)
    means = np.bincount(strata, losses) / sizes
    between = float((stratum_chances * (weights * means - losses.mean()) ** 2).sum()) / budget
    drawn = np.arange(budget + 1)[:, None]
    rest = drawn % sizes  # (n + 1, H)
    inside = rest * (1 - rest / sizes) * spread  # variance of the sum of r without replacement
    expected = (stats.binom.pmf(drawn, budget, stratum_chances) * inside).sum(axis=0)
    return between + float((weights**2 * expected).sum()) / budget**2


def _sizes_and_spread(
    losses: NDArray[np.float64], strata: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """N_h and S_h^2 of each stratum, each (H,); 0 where there is one input only."""
    sizes = np.bincount(strata)
    if strata.shape != losses.shape or not sizes.all():
        raise BadInput(
            f"There are strata for {strata.size} of {losses.size} losses, {int((sizes == 0).sum())} of them empty; expected "
            "one per loss, none empty. Number them without gaps."
        )
    centred = losses - (np.bincount(strata, losses) / sizes)[strata]
    return sizes, np.bincount(strata, centred**2) / np.maximum(sizes - 1, 1)


def _check_drawable(losses: NDArray[np.float64], chances: NDArray[np.float64]) -> None:
    if chances.shape != losses.shape or (chances < 0).any() or abs(chances.sum() - 1) > 1e-9:
        raise BadInput(
            f"{chances.size} chances summing to {chances.sum():.6g} were given for {losses.size} losses; expected one of at "
            "least 0 for each, summing to 1. Change them."
        )
    hidden = int(((chances == 0) & (losses > 0)).sum())
    if hidden:
        raise BadInput(
            f"{hidden} inputs with a loss can never be drawn, so the mean is biased and its variance says little. "
            "Give each a chance, such as by a uniform share."
        )
