"""How far a ranking without labels can be trusted, judged from the predictions alone."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.comparison.labeling_free import LabelingFree
from testimate.comparison.predictions import Predictions

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
            "There are two models: where they differ, nothing says which one is right, so a ranking without labels is "
            "a guess. Label some inputs on which they differ."
        ]
    return []


def _of_numbers(quality: float, diversity: float) -> list[str]:
    found = []
    if quality <= GOOD_QUALITY:
        found.append(
            f"The models seem right on {100 * quality:.0f} % of the inputs on average; at 50 % and below the majority is often "
            "wrong, and the paper's rankings were poor."
        )
    if diversity < CLOSE:
        found.append(
            f"The models' accuracies differ by {100 * diversity:.1f} points (standard deviation): too close for a ranking "
            "without labels."
        )
    elif diversity <= GOOD_DIVERSITY:
        found.append(
            f"The models' accuracies differ by {100 * diversity:.1f} points (standard deviation); the paper found rankings "
            "good above 18, and good or poor below."
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
