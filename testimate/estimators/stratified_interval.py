"""The interval of a failure rate from a stratified sample, ordinary and conservative, for one sample or for many."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.estimators.intervals import Ends, korn_graubard_ends
from testimate.estimators.possible_counts import counts_not_refuted
from testimate.estimators.score_interval import EVEN_SHARE, score_lower_end, score_upper_end, stratified_variance_at

PSEUDO_LABELS = 2  # labels in each stratum that failed at the prior rate, which smooth it


def smoothed_rates(
    failures: NDArray[np.number[Any]], counts: NDArray[np.number[Any]], prior: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Failure rates (..., H) as if two more labels in each stratum had failed at the rate ``prior``."""
    return np.asarray((failures + PSEUDO_LABELS * prior) / (counts + PSEUDO_LABELS), dtype=np.float64)


def stratified_ends(
    failures: NDArray[np.number[Any]],
    counts: NDArray[np.number[Any]],
    sizes: NDArray[np.intp],
    prior: NDArray[np.float64],
    *,
    level: float = 0.95,
    conservative: bool = False,
    replacement: bool = False,
) -> Ends:
    """Ends of the failure rate, (...).

    They are those of the score interval, whose rates move as the rate asked about does: upwards a part of what is added
    may lie anywhere (``EVEN_SHARE``), downwards all rates shrink in proportion. Neither end excludes a count of failures
    under which just these labels have more than (1 - level) / 2 chance, unseen failures lying where the score interval
    has them. The conservative interval is the hull of this one, Korn and Graubard's, the score interval that ignores the
    network's word (even share 1), and the counts of failures that may all hide in one stratum, whichever that is. Korn
    and Graubard's effective n is taken without the finite population correction in strata that are not labeled whole:
    Clopper and Pearson's binomial is exact for plain n, and with the correction covers 93 % of samples of 50 of 100 inputs.

    Parameters
    ----------
    failures, counts : (..., H) failures among n_h labels; n_h above 0.
    sizes, prior : (H,) inputs N_h and the rates, above 0, by which a stratum's rate is smoothed.
    """
    weights, seen = sizes / sizes.sum(), np.asarray(failures, dtype=np.float64)
    mean = (seen / counts) @ weights  # (...)
    rates = smoothed_rates(seen, counts, prior)
    moving = stratified_variance_at(rates, counts, sizes, replacement=replacement)
    shrinking = stratified_variance_at(rates, counts, sizes, even=0.0, replacement=replacement)
    ends = Ends(score_lower_end(mean, shrinking, level), score_upper_end(mean, moving, level))
    if conservative:
        open_strata = np.ones(len(sizes), bool) if replacement else counts < sizes
        uncorrected = (open_strata * weights**2 * rates * (1 - rates) / counts).sum(axis=-1)
        varies = uncorrected > 0
        careful = np.where(varies, moving.start * (1 - moving.start) / np.where(varies, uncorrected, 1), np.inf)
        ignoring = stratified_variance_at(rates, counts, sizes, even=1.0, replacement=replacement)
        ends = ends.joined(korn_graubard_ends(mean, careful, level))
        ends = ends.joined(Ends(ends.low, score_upper_end(mean, ignoring, level)))
    if replacement:
        return ends
    left = np.broadcast_to(sizes - counts, seen.shape)
    growth = EVEN_SHARE + (1 - EVEN_SHARE) * rates / moving.start[..., None]  # g of the score interval
    hiding = (left * growth)[..., None, :]  # (..., ways of hiding, H)
    if conservative:
        hiding = np.concatenate([hiding, left[..., None] * np.eye(len(sizes))], axis=-2)
    possible = counts_not_refuted(seen[..., None, :], np.asarray(counts)[..., None, :], sizes, hiding, level)
    least, greatest = (np.fmin.reduce(possible.least, axis=-1), np.fmax.reduce(possible.greatest, axis=-1))
    ends = ends.joined(Ends(least / sizes.sum(), greatest / sizes.sum()))
    found = seen.sum(axis=-1) / sizes.sum()
    open_ = left.sum(axis=-1) / sizes.sum()
    return Ends(np.clip(ends.low, found, found + open_), np.clip(ends.high, found, found + open_))
