"""Differences between the accuracies of models, from answers to inputs on which they disagree; valid at any time.

For a pair of models A and B the difference of their accuracies over all N inputs is 1/N times the sum of
d_i = [A right] - [B right] over the D inputs on which they disagree: the predictions tell which these are, and elsewhere d
is 0. Answers to a random part of the D inputs therefore estimate it with D / N of the range that all inputs would have.

Which of several models is best, with few labels: inputs are drawn only where models still in contention disagree.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import check_budget, check_level
from testimate.core.design import Design, Purposive
from testimate.core.draw import Draw, Verdict
from testimate.core.selector import Claims, Need, Option, check_options
from testimate.estimators.always_valid import always_valid_simple, simple_game
from testimate.estimators.betting import aimed_capitals, capitals
from testimate.selectors.base import (
    AHEAD,
    check_ahead,
    check_count,
    check_seed,
    check_variant,
    not_drawn,
    rounds_open,
)

UNSETTLED = -2
"""The answer to an input that nobody could settle; ``UNKNOWN`` is one: it is no class, and every model is wrong."""


@dataclass(frozen=True, eq=False)
class DrawnAnswers:
    """Answers to n inputs in the order in which they were drawn.

    Attributes
    ----------
    rows : (n,) places in the dataset, no input twice.
    classes : (n,) the class place answered, UNKNOWN, or UNSETTLED.
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
    return 1 - (1 - check_level(level)) / max(models - 1, 1)


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


BLOCK = 8
"""Inputs drawn for the same contenders."""


class TellingApart:
    """One random order of all inputs, walked through; an input is asked about where models still in contention disagree.

    A model is out once another one is better by an interval that holds whenever one looks. While two models contend, every
    input on which they disagree is asked about when its turn comes: so their answers are a simple random sample of
    these inputs, whatever became of the other models. An input passed over is never needed again, because contenders
    only become fewer. The draws end when one model is left, or when those left agree on every input not labeled yet.

    Parameters
    ----------
    labels : (N, M) predicted classes.
    budget : n, labels at most, 1..N.
    seed : whole number that determines the order.
    level : chance with which the best model is never ruled out, however long one labels.
    rounds_ahead : blocks of 8 drawn beyond those that are settled, 1 or more.
    aimed_at : labels at which the differences' intervals are to be narrow; None for bets that aim at no number.

    Source: ours; the sequences are those of Waudby-Smith and Ramdas 2020, section 5, and of Voracek and Orabona 2025.
    """

    name: ClassVar[str] = "tell-apart"
    title: ClassVar[str] = "Tell models apart"
    needs: ClassVar[tuple[Need, ...]] = ("labels",)
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        tasks=("classification",),
        note="Only inputs on which models disagree are labeled: they say which model is better and by how much, not how "
        "accurate one is over all inputs.",
    )
    adapts: ClassVar[bool] = True
    source: ClassVar[str] = "Testimate; Waudby-Smith and Ramdas 2020, section 5, for the intervals"
    options: ClassVar[tuple[Option, ...]] = (
        Option("level", 0.95, "Chance with which the best model is never ruled out.", low=0.5, high=0.9999),
    )
    variants: ClassVar[tuple[str, ...]] = ()
    aims: ClassVar[bool] = True

    @staticmethod
    def resolved(
        _scores_are_chances: bool, _available: Collection[str] = (), _options: object = None
    ) -> dict[str, Any]:
        """Arguments besides the options that are stored with a session, by their present defaults."""
        return {"rounds_ahead": rounds_open(BLOCK)}

    def __init__(
        self,
        labels: NDArray[np.intp],
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        level: float = 0.95,
        rounds_ahead: int = AHEAD,
        aimed_at: int | None = None,
    ) -> None:
        self._labels = labels  # (N, M)
        self._budget = check_budget(budget, len(labels))
        check_variant(variant, self.variants)
        check_options(self.options, level=level)
        self.level, self._ahead = float(level), check_ahead(rounds_ahead)
        self._contending = np.ones(labels.shape[1], dtype=bool)
        self.lost: dict[int, int] = {}
        self._left = self._disputed(np.random.default_rng(check_seed(seed)).permutation(len(labels)))
        # Known before the first label, so the intervals stay valid: decision 14.
        self.aim = None if aimed_at is None else PlannedAnswers(aimed_at, len(self._left))
        self._draws: list[Draw] = []
        self._masks: list[NDArray[np.bool_]] = []  # of each draw
        self._answers: dict[int, int] = {}
        self._drawn_rows: set[int] = set()
        self._judged = 0  # draws by which the contenders were judged
        self._settled = 0  # draws settled from the first one on without a gap
        self._asked = 0
        self._draw_ahead()

    @property
    def design(self) -> Design:
        """Chosen, for an estimate of one model's accuracy; the differences have their own intervals."""
        return Purposive((len(self._labels),), self._budget)

    @property
    def remaining(self) -> int:
        """Draws not asked yet, if no further model is ruled out; 0 once one is left, or all are labeled that can matter."""
        return min(self._budget, len(self._draws) + len(self._left)) - self._asked

    @property
    def contending(self) -> NDArray[np.bool_]:
        """The models in contention for the next draws, (M,)."""
        return self._contending.copy()

    def contending_at(self, position: int) -> NDArray[np.bool_]:
        """The models that were in contention when that draw was drawn, (M,)."""
        return self._masks[position]

    def ask(self, count: int) -> Sequence[Draw]:
        """The next draws, at most ``count``; fewer when exhausted or while verdicts are missing."""
        first, self._asked = self._asked, min(self._asked + check_count(count), len(self._draws))
        return self._draws[first : self._asked]

    def tell(self, verdicts: Sequence[Verdict]) -> None:
        """Keeps the answers; a settled block lets one more be drawn. UnknownRow for rows not drawn.

        An answer of None settles a draw and counts for the rival of either model.
        """
        for verdict in verdicts:
            row = verdict.draw.row
            if row not in self._drawn_rows:
                raise not_drawn(row)
            self._answers.setdefault(row, UNSETTLED if verdict.answer is None else int(verdict.answer))
        before = self._settled // BLOCK
        while self._settled < len(self._draws) and self._draws[self._settled].row in self._answers:
            self._settled += 1
        for block in range(before + 1, self._settled // BLOCK + 1):
            self._rule_out(block * BLOCK)
            self._draw_ahead()

    def _rule_out(self, count: int) -> None:
        """Judges the contenders by the first ``count`` draws, all settled."""
        rows = np.array([draw.row for draw in self._draws[:count]], dtype=np.intp)
        classes = np.array([self._answers[row] for row in rows.tolist()], dtype=np.intp)
        answers = DrawnAnswers(rows, classes, np.array(self._masks[:count]))
        lost = ruled_out(self._labels, answers, self._contending, level=self.level, aim=self.aim)
        if lost:
            self.lost |= lost
            self._contending = self._contending.copy()
            self._contending[list(lost)] = False
            self._left = self._disputed(self._left)
        self._judged = count

    def _draw_ahead(self) -> None:
        """Draws blocks until enough are ahead of those already judged."""
        while len(self._draws) < self._judged + self._ahead * BLOCK and self._draw_block():
            pass

    def draw_more(self) -> None:
        """One more block, for the models in contention now; nothing where none can be drawn."""
        self._draw_block()

    def _draw_block(self) -> bool:
        """Draws to the end of a block; whether any draw was left."""
        if drawable := len(self._left) > 0 and len(self._draws) < self._budget:
            count = min(BLOCK - len(self._draws) % BLOCK, self._budget - len(self._draws), len(self._left))
            for row in self._left[:count].tolist():
                self._draws.append(Draw(row, reason=self._why(row)))
                self._masks.append(self._contending)
                self._drawn_rows.add(row)
            self._left = self._left[count:]
        return drawable

    def _disputed(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Those of the rows on which models in contention disagree, in their order."""
        labels = self._labels[rows][:, self._contending]
        disputed: NDArray[np.intp] = rows[(labels != labels[:, :1]).any(axis=1)]
        return disputed

    def _why(self, row: int) -> str:
        said: Any = np.unique(self._labels[row, self._contending])
        return f"the {int(self._contending.sum())} models in contention predict {len(said)} classes here"
