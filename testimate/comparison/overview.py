"""What the page on several models shows before any label, with how far its ranking can be trusted, from predictions alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.comparison import compared_predictions
from testimate.comparison.predictions import Predictions
from testimate.comparison.predictions_table import agreeing_models
from testimate.comparison.ranking import (
    LabelingFree,
    RankAgreement,
    accuracies,
    dawid_skene_accuracy,
    labeling_free,
    majority_agreement,
    places_of,
    rank_agreement,
)
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.structure.cores import one_thread

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
    low, high : (M,) 2.5 and 97.5% points of the score over the resamples.
    best_rank, worst_rank : (M,) the same points of the rank, whole numbers from 1.
    first : (M,) share of the resamples in which the model came first.
    agreement : mean Spearman correlation of a resample's ranking with the ranking itself, -1..1; None where all are tied.
    not_told_apart : (M,) models whose score is within reach of the first one's: the 95% range of the difference of the
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
    center = found if count == size else np.mean(refits, axis=0)
    return _summary(found, (np.array(refits) - center) * np.sqrt(count / size))


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


GOOD_QUALITY = 0.50
"""Mean accuracy above which the paper's rankings were mostly good (Guo et al., section 5.3)."""

GOOD_DIVERSITY = 0.18
"""Standard deviation of the accuracies above which they were good (there)."""

CLOSE = 0.02
"""Standard deviation below which we call the models too close; the paper names no number for that side."""


@dataclass(frozen=True, eq=False)
class Trust:
    """What the predictions say about their own ranking.

    Attributes
    ----------
    accuracy : (M,) estimated without a label, 0..1.
    quality : their mean. diversity : their standard deviation, 0..0.5.
    good : whether both are where the paper found rankings good.
    warnings : sentences for a person, the most serious first; names in them are untrusted.
    """

    accuracy: NDArray[np.float64]
    quality: float
    diversity: float
    good: bool
    warnings: tuple[str, ...]


def estimated_accuracy(predictions: Predictions, found: LabelingFree) -> NDArray[np.float64]:
    """The accuracy of each model if LaF's chances are right, (M,).

    Where all models agree they count as right: no prediction speaks against it, and shared errors raise all alike.
    """
    agreed = len(predictions.labels) - len(found.rows)
    accuracy: NDArray[np.float64] = (agreed + found.right.sum(axis=0)) / len(predictions.labels)
    return accuracy


def trust_in(predictions: Predictions, found: LabelingFree) -> Trust:
    """Quality and diversity of the models, and the warning signs of the paper's RQ3 (Guo et al., section 5.3)."""
    accuracy = estimated_accuracy(predictions, found)
    quality, diversity = float(accuracy.mean()), float(accuracy.std())
    good = quality > GOOD_QUALITY and diversity > GOOD_DIVERSITY
    warnings = [*_of_shape(predictions), *_of_numbers(quality, diversity), *_of_models(predictions)]
    return Trust(accuracy, quality, diversity, good and not warnings, tuple(warnings))


def _of_shape(predictions: Predictions) -> list[str]:
    if not len(predictions.disputed):
        return ["All models predict the same for every input: here they are one model, and no label tells them apart."]
    if len(predictions.models) == 2:
        return [
            "There are two models. Where they differ, nothing shows which one is right, so a ranking without labels is a "
            "guess. Label some inputs on which they differ."
        ]
    return []


def _of_numbers(quality: float, diversity: float) -> list[str]:
    found = []
    if quality <= GOOD_QUALITY:
        found.append(
            f"The models seem right on {100 * quality:.0f}% of the inputs on average. At 50% and below the majority is often "
            "wrong, and the paper's rankings were poor."
        )
    if diversity < CLOSE:
        found.append(
            f"Accuracies differ by {100 * diversity:.1f} points (standard deviation), too little for a ranking without labels."
        )
    elif diversity <= GOOD_DIVERSITY:
        found.append(
            f"Accuracies differ by {100 * diversity:.1f} points (standard deviation). In the paper, rankings were good above "
            "18 and mixed below."
        )
    return found


def _of_models(predictions: Predictions) -> list[str]:
    """Models that equal another, and models that always say the same."""
    found = []
    for first, others in identical_models(predictions):
        named = ", ".join(repr(predictions.models[other])[:60] for other in others)
        found.append(
            f"{predictions.models[first]!r:.60} and {named} predict the same for every input, so together they "
            "count as that many votes for one opinion. Keep one of them."
        )
    for place, model in enumerate(predictions.models):
        if len(predictions.labels) > 1 and (predictions.labels[:, place] == predictions.labels[0, place]).all():
            name = predictions.classes[predictions.labels[0, place]]
            found.append(
                f"{model!r:.60} predicts {name!r:.60} for every input; check that its column is the right one."
            )
    return found


def identical_models(predictions: Predictions) -> list[tuple[int, tuple[int, ...]]]:
    """Groups of models that predict the same everywhere: the first of each, and the others."""
    groups: dict[bytes, list[int]] = {}
    for place, column in enumerate(predictions.labels.T):
        groups.setdefault(np.ascontiguousarray(column).tobytes(), []).append(place)
    return [(places[0], tuple(places[1:])) for places in groups.values() if len(places) > 1]


HARDEST = 24
SEED = 0
"""Of the resamples: the same table shows the same ranges."""


@dataclass(frozen=True, eq=False)
class ComparisonView:
    """Models and what their predictions say about them.

    Attributes
    ----------
    predictions : of M models for N inputs.
    laf, majority, dawid_skene : the rankings with their ranges.
    trust : how far they can be trusted.
    agreement : (M, M) share of inputs on which two models predict the same.
    hardest : rows, the hardest first.
    disputed : inputs on which not all agree.
    accuracy : (M,) the true ones, where the truth is known; else None.
    with_truth : how the rankings agree with it, by name; empty where it is not known.
    """

    predictions: Predictions
    laf: Stability
    majority: Stability
    dawid_skene: Stability
    trust: Trust
    agreement: NDArray[np.float64]
    hardest: NDArray[np.intp]
    disputed: int
    accuracy: NDArray[np.float64] | None
    with_truth: dict[str, RankAgreement]

    @property
    def rankings(self) -> dict[str, Stability]:
        """The rankings by the names that the page has for them."""
        return {"LaF": self.laf, "Majority": self.majority, "Dawid-Skene": self.dawid_skene}


def view_comparison(inputs: Inputs, progress: Progress = silent) -> ComparisonView:
    """The view of inputs that several models predict; BadInput where it is one model alone."""
    predictions = compared_predictions(inputs)
    found = labeling_free(predictions, progress=progress)
    laf = laf_stability(predictions, found, seed=SEED, progress=progress)
    majority = majority_stability(predictions, seed=SEED)
    accuracy = None if inputs.truth is None else accuracies(predictions, np.asarray(inputs.truth))
    confusions = dawid_skene_stability(predictions, seed=SEED, progress=progress)
    scores = {"LaF": laf.score, "majority": majority.score, "Dawid-Skene": confusions.score}
    return ComparisonView(
        predictions=predictions,
        laf=laf,
        majority=majority,
        dawid_skene=confusions,
        trust=trust_in(predictions, found),
        agreement=pairwise_agreement(predictions),
        hardest=hardest_rows(found, HARDEST),
        disputed=len(found.rows),
        accuracy=accuracy,
        with_truth={}
        if accuracy is None
        else {name: rank_agreement(score, accuracy) for name, score in scores.items()},
    )


def ranks_side_by_side(views: Sequence[ComparisonView], which: str = "LaF") -> dict[str, NDArray[np.intp]]:
    """The rank of each model that is in all the comparisons, among those, (D,), by name in the order of the first."""
    common = [model for model in views[0].predictions.models if all(model in view.predictions.models for view in views)]
    columns = []
    for view in views:
        score = view.rankings[which].score
        columns.append(places_of([score[view.predictions.models.index(model)] for model in common]))
    return {model: np.array([column[place] for column in columns]) for place, model in enumerate(common)}


def pairwise_agreement(predictions: Predictions) -> NDArray[np.float64]:
    """The share of inputs on which two models predict the same, (M, M), 1 on the diagonal."""
    labels = predictions.labels
    return np.array([(labels == labels[:, [model]]).mean(axis=0) for model in range(labels.shape[1])])


def hardest_rows(found: LabelingFree, count: int) -> NDArray[np.intp]:
    """The disputed inputs on which LaF trusts the models least, the hardest first, at most ``count``.

    Hardest is where the models are right with the least mean chance; easinesses break ties. Empty without a dispute.
    """
    if not len(found.rows):
        return np.empty(0, dtype=np.intp)
    return found.rows[np.lexsort((found.easiness, found.right.mean(axis=1)))[:count]]
