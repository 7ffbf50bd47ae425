"""Differences between the accuracies of models, from answers to inputs on which they disagree; valid at any time.

For a pair of models A and B the difference of their accuracies over all N inputs is 1/N times the sum of
d_i = [A right] - [B right] over the D inputs on which they disagree: the predictions tell which these are, and elsewhere d
is 0. Answers to a random part of the D inputs therefore estimate it with D / N of the range that all inputs would have.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.estimators.always_valid import always_valid_simple, simple_game
from testimate.estimators.betting import aimed_capitals, capitals

UNSETTLED = -1
"""The answer to an input that nobody could settle."""


@dataclass(frozen=True, eq=False)
class DrawnAnswers:
    """Answers to n inputs in the order in which they were drawn.

    Attributes
    ----------
    rows : (n,) places in the dataset, no input twice.
    classes : (n,) the class place answered, or UNSETTLED.
    contending : (n, M) the models in contention when the input was drawn: all inputs on which any two of them disagree
        stood in the same random order then.
    """

    rows: NDArray[np.intp]
    classes: NDArray[np.intp]
    contending: NDArray[np.bool_]


@dataclass(frozen=True)
class PlannedAnswers:
    """How many answers the bets on a pair aim at: those expected from the plan, known before the first one.

    Attributes
    ----------
    planned : labels of the whole plan.
    among : the inputs they are drawn from: those on which any two models disagree, or all of them.
    """

    planned: int
    among: int

    def of_pair(self, disputed: int) -> int:
        """The share of the plan that falls on the inputs on which the pair disagrees, 1 to ``disputed``.

        >>> PlannedAnswers(200, 1000).of_pair(250), PlannedAnswers(200, 1000).of_pair(3)
        (50, 1)
        """
        return max(1, min(disputed, round(self.planned * disputed / max(self.among, 1))))


@dataclass(frozen=True)
class ModelDifference:
    """Accuracy of the first model minus that of the second over all inputs.

    Attributes
    ----------
    estimate : -1..1; None before the first answer that tells them apart or not.
    low, high : always valid, at the level of the pair.
    labeled, disputed : inputs on which they disagree: answered, and in all.
    """

    estimate: float | None
    low: float
    high: float
    labeled: int
    disputed: int


def level_of_pair(level: float, models: int) -> float:
    """The level of one pair, such that the best of M models is wrongly ruled out with a chance of at most 1 - level.

    It can be ruled out by its M - 1 rivals alone, whatever the other pairs do (Bonferroni).

    >>> round(level_of_pair(0.95, 6), 3)
    0.99
    """
    if not 0 < level < 1:
        raise BadInput(f"The level is {level}; expected one above 0 and below 1, such as 0.95. Change it.")
    return 1 - (1 - level) / max(models - 1, 1)


def difference(
    labels: NDArray[np.intp],
    answers: DrawnAnswers,
    first: int,
    second: int,
    *,
    level: float,
    aim: PlannedAnswers | None = None,
) -> ModelDifference:
    """The difference of two models from predicted classes (N, M), its interval at ``level_of_pair(level, M)``."""
    outcomes, disputed = _outcomes(labels, answers, first, second)
    aimed_at = None if aim is None else aim.of_pair(disputed)
    share = disputed / len(labels)
    settled = ~np.isnan(outcomes)
    count = int(settled.sum())
    estimate = float(share * (2 * outcomes[settled].mean() - 1)) if count else (0.0 if not disputed else None)
    if not len(outcomes):
        return ModelDifference(estimate, -share, share, 0, disputed)
    one = level_of_pair(level, labels.shape[1])
    low = always_valid_simple(np.where(settled, outcomes, 0.0), disputed, level=one, aimed_at=aimed_at)[-1, 0]
    high = always_valid_simple(np.where(settled, outcomes, 1.0), disputed, level=one, aimed_at=aimed_at)[-1, 1]
    ahead, behind = _beats(outcomes, disputed, 1 - one, aimed_at)
    low, high = (max(low, 0.5) if ahead else low), (min(high, 0.5) if behind else high)  # the grid rounds outward
    return ModelDifference(estimate, float(share * (2 * low - 1)), float(share * (2 * high - 1)), count, disputed)


def ruled_out(
    labels: NDArray[np.intp],
    answers: DrawnAnswers,
    contending: NDArray[np.bool_],
    *,
    level: float,
    aim: PlannedAnswers | None = None,
) -> dict[int, int]:
    """Models in contention (M,) that another one is better than: loser -> the model that beat it.

    Where every one would be beaten, in a circle, the intervals cannot all hold: then nobody is ruled out.
    """
    alpha = 1 - level_of_pair(level, labels.shape[1])
    places, lost = np.flatnonzero(contending).tolist(), dict[int, int]()
    for position, first in enumerate(places):
        for second in places[position + 1 :]:
            outcomes, disputed = _outcomes(labels, answers, first, second)
            ahead, behind = _beats(outcomes, disputed, alpha, None if aim is None else aim.of_pair(disputed))
            if ahead:
                lost.setdefault(second, first)
            elif behind:
                lost.setdefault(first, second)
    return {} if len(lost) == len(places) else lost


def _outcomes(
    labels: NDArray[np.intp], answers: DrawnAnswers, first: int, second: int
) -> tuple[NDArray[np.float64], int]:
    """(d + 1) / 2 of each answer on which the two disagree, (k,), nan where unsettled; and D.

    While both contend, every input on which they disagree may still be drawn and comes in random order, so these are a
    simple random sample without replacement of the D.
    """
    ours, theirs = labels[:, first], labels[:, second]
    rows, classes = answers.rows, answers.classes
    counted = (ours[rows] != theirs[rows]) & answers.contending[:, first] & answers.contending[:, second]
    rows, classes = rows[counted], classes[counted]
    won = (ours[rows] == classes).astype(np.float64) - (theirs[rows] == classes)
    return np.where(classes == UNSETTLED, np.nan, (won + 1) / 2), int((ours != theirs).sum())


def _beats(
    outcomes: NDArray[np.float64], disputed: int, alpha: float, aimed_at: int | None = None
) -> tuple[bool, bool]:
    """Whether the first model is better than the second, and the other way round; unsettled inputs count for the other.

    Better means: the capital that bets against equal accuracies has reached 2 / alpha at some time, or no answers to the
    rest could turn it round.
    """
    if not len(outcomes):
        return False, False
    settled = ~np.isnan(outcomes)
    found = []
    for fill, side in ((0.0, 0), (1.0, 1)):
        filled = np.where(settled, outcomes, fill)
        lead = (filled - 0.5).sum() * (1 - 2 * side)
        certain = lead > (disputed - len(filled)) / 2
        game = simple_game(filled, disputed)
        if aimed_at is None:
            path = capitals(game, np.array([0.5]), alpha)[side, :, 0]
        else:
            path = aimed_capitals(game, 0.5, alpha, aimed_at)[side]
        found.append(bool(certain or path.max() >= 2 / alpha))
    return found[0], found[1] and not found[0]
