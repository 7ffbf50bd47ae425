"""How stable a ranking without labels is: what it would have been with other inputs of the same kind."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.comparison.agreeing_models import agreeing_models
from testimate.comparison.confusions import dawid_skene_accuracy
from testimate.comparison.labeling_free import LabelingFree, labeling_free
from testimate.comparison.majority import majority_agreement
from testimate.comparison.predictions import Predictions
from testimate.core.progress import Progress, silent
from testimate.structure.cores import one_thread
from testimate.structure.ranks import places_of

RESAMPLES = 200
REFITS = 30
MOST_REFITTED = 2_000
_NUMBERS = 1 << 22  # weights held at a time


@dataclass(frozen=True, eq=False)
class Stability:
    """The ranking over resampled inputs.

    Attributes
    ----------
    score : (M,) of the models on the inputs themselves.
    low, high : (M,) 2.5 and 97.5 % points of the score over the resamples.
    best_rank, worst_rank : (M,) the same points of the rank, whole numbers from 1.
    first : (M,) share of the resamples in which the model came first.
    agreement : mean Spearman correlation of a resample's ranking with the ranking itself, -1..1; None where all are tied.
    not_told_apart : (M,) models whose score is within reach of the first one's: the 95 % range of the difference of the
        two holds 0.
    """

    score: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    best_rank: NDArray[np.intp]
    worst_rank: NDArray[np.intp]
    first: NDArray[np.float64]
    agreement: float | None
    not_told_apart: NDArray[np.bool_]


def majority_stability(predictions: Predictions, *, seed: int, resamples: int = RESAMPLES) -> Stability:
    """Stability of the majority's ranking, by the bootstrap: N inputs drawn from the N with replacement, repeatedly."""
    rows, size = predictions.disputed, len(predictions.labels)
    together = agreeing_models(predictions.labels[rows]).with_majority.astype(np.float64)
    change, agreed = _resampled(together, size, seed, resamples)
    change += (agreed - (size - len(rows)))[:, None]  # on the others every model is with the majority
    return _summary(majority_agreement(predictions), change / size)


def laf_stability(
    predictions: Predictions,
    found: LabelingFree,
    *,
    seed: int,
    resamples: int = REFITS,
    progress: Progress = silent,
) -> Stability:
    """Stability of LaF's ranking, by the bootstrap; LaF is run again for each resample, as it has many nearby maxima.

    Of more than 2,000 inputs each resample takes that many, and what it moves is scaled by the square root of their share.
    """
    return _refitted(predictions, found.ability, lambda drawn: labeling_free(drawn).ability, seed, resamples, progress)


def dawid_skene_stability(
    predictions: Predictions, *, seed: int, resamples: int = REFITS, progress: Progress = silent
) -> Stability:
    """Stability of Dawid and Skene's ranking, as ``laf_stability`` has it."""
    found = dawid_skene_accuracy(predictions)
    return _refitted(predictions, found, dawid_skene_accuracy, seed, resamples, progress)


def _refitted(
    predictions: Predictions,
    found: NDArray[np.float64],
    score: Callable[[Predictions], NDArray[np.float64]],
    seed: int,
    resamples: int,
    progress: Progress,
) -> Stability:
    """Stability of a score ``found`` (M,) that is computed again for each resample."""
    rng, size = np.random.default_rng(seed), len(predictions.labels)
    count = min(size, MOST_REFITTED)
    refits = []
    with one_thread():  # set once: each time takes longer than a step of LaF
        for place in range(resamples):
            progress(place, resamples, "ranking resampled inputs")
            drawn = predictions.labels[rng.integers(size, size=count)]
            refits.append(score(Predictions(predictions.models, drawn, predictions.classes)))
    centre = found if count == size else np.mean(refits, axis=0)
    return _summary(found, (np.array(refits) - centre) * np.sqrt(count / size))


def _resampled(
    terms: NDArray[np.float64], size: int, seed: int, resamples: int
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Change of the sum over ``terms`` (n, M) in each resample of the N inputs, (B, M), and draws of other inputs, (B,)."""
    rng = np.random.default_rng(seed)
    total = np.zeros((resamples, terms.shape[1]))
    left, inputs_left = np.full(resamples, size), size  # draws not dealt out yet, and inputs they may fall on
    block = max(1, _NUMBERS // resamples)
    for start in range(0, len(terms), block):
        part = terms[start : start + block]
        drawn = rng.binomial(left, len(part) / inputs_left)  # how many draws fall into this block
        weights = rng.multinomial(drawn, np.full(len(part), 1 / len(part)))  # (B, block)
        total += (weights - 1.0) @ part
        left, inputs_left = left - drawn, inputs_left - len(part)
    return total, left


def _summary(score: NDArray[np.float64], shifts: NDArray[np.float64]) -> Stability:
    resampled = score + shifts  # (B, M)
    ranks = places_of(resampled)
    low, high = np.quantile(resampled, [0.025, 0.975], axis=0)
    best, worst = np.quantile(ranks, [0.025, 0.975], axis=0, method="nearest").astype(np.intp)
    leader = int(np.argmax(score))
    behind = np.quantile(resampled[:, [leader]] - resampled, 0.025, axis=0)  # low end of the lead
    tied = np.ptp(score) == 0
    agreement = None if tied else float(np.mean([_correlation(places_of(score), one) for one in ranks]))
    return Stability(score, low, high, best, worst, (ranks == 1).mean(axis=0), agreement, behind <= 0)


def _correlation(ranks: NDArray[np.intp], others: NDArray[np.intp]) -> float:
    """Correlation of two rankings; 0 where one of them has no order."""
    if np.ptp(ranks) == 0 or np.ptp(others) == 0:
        return 0.0
    return float(np.corrcoef(ranks, others)[0, 1])
