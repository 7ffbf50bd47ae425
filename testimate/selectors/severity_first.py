"""Severity first: inputs that probably fail although the network is sure of them, in an order that learns from the labels.

Each input's chance of failure from confidence, surprise and predicted class, and which severe fault to look for next.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_budget, check_probability, check_scores
from testimate.core.design import Design, Purposive
from testimate.core.draw import Draw, Verdict
from testimate.core.selector import Claims, Need, Option, check_options
from testimate.selectors.base import AHEAD, Blocks, check_seed, check_variant
from testimate.selectors.logistic_regression import Terms, chances_of, most_likely_weights, prior_weights
from testimate.selectors.prioritizers import CHOSEN, check_length, log_odds, normal_scores
from testimate.selectors.round_guesses import WITH_VOTES, WITHOUT_VOTES

TILT = 1 / 8  # of the inputs worth labeling, the next is the one of highest p^TILT * confidence

SEVERITY = 0.5  # g, unless a tester says otherwise

FEW_CLASSES = 20
CLASS_SD, CLASS_SD_OF_MANY = 0.5, 0.35

TRAINING_SHARE = 0.5
"""How much of a class's log-odds of failure in training is expected to hold for the operational inputs."""

TRAINING_COUNT = 10
"""Training inputs added to each class, failing as often as all do, so that a few of its own do not decide."""


@dataclass(frozen=True, eq=False)
class Known:
    """What is known about N inputs before any label.

    Attributes
    ----------
    confidence : (N,) in [0, 1]. dsa, lsa : (N,) larger = more likely to fail, or None.
    disagreement, votes : (N,) what other models say (``auxiliary.leak``), or None; no votes without a disagreement.
    groups : (N,) place of the predicted class among the C that are predicted. class_lean : (C,) what training says about them.
    training_rate : share of the training inputs that fail, or None.
    """

    confidence: NDArray[np.float64]
    dsa: NDArray[np.float64] | None
    lsa: NDArray[np.float64] | None
    groups: NDArray[np.intp]
    class_lean: NDArray[np.float64]
    training_rate: float | None
    disagreement: NDArray[np.float64] | None = None
    votes: NDArray[np.float64] | None = None


def known_of(
    confidence: ArrayLike,
    dsa: ArrayLike | None,
    lsa: ArrayLike | None,
    classes: ArrayLike | None,
    training_classes: ArrayLike | None,
    training_losses: ArrayLike | None,
    disagreement: ArrayLike | None = None,
    votes: ArrayLike | None = None,
) -> Known:
    """The arguments, checked; BadInput where a confidence is outside [0, 1] or lengths differ."""
    sure = check_probability(confidence, "confidence")
    further = {}
    for name, values in (("DSA", dsa), ("LSA", lsa), ("disagreement", disagreement), ("votes", votes)):
        if values is not None:
            further[name] = check_scores(values, name)
            check_length(further[name], sure.size, f"{name} values")
    groups, kinds = np.zeros(sure.size, dtype=np.intp), np.zeros(1, dtype=np.intp)
    if classes is not None:
        predicted = np.asarray(classes, dtype=np.intp)
        check_length(predicted, sure.size, "predicted classes")
        kinds, groups = np.unique(predicted, return_inverse=True)
    lean, wrong = np.zeros(kinds.size), None
    if training_losses is not None and np.size(training_losses):
        wrong = check_scores(training_losses, "training losses") > 0
        if classes is not None and training_classes is not None:
            lean = _class_lean(kinds, np.asarray(training_classes, dtype=np.intp), wrong)
    rate = None if wrong is None else float(wrong.mean())
    dsa, lsa, disagreement, votes = (further.get(name) for name in ("DSA", "LSA", "disagreement", "votes"))
    return Known(sure, dsa, lsa, groups, lean, rate, disagreement, votes if disagreement is not None else None)


def _class_lean(kinds: NDArray[np.intp], trained: NDArray[np.intp], wrong: NDArray[np.bool_]) -> NDArray[np.float64]:
    """How much more the training inputs of each predicted class fail than all of them, in log-odds, (C,)."""
    check_length(wrong, trained.size, "training losses")
    rate = wrong.mean()
    if not 0 < rate < 1:
        return np.zeros(kinds.size)
    failed = np.array([(wrong & (trained == kind)).sum() for kind in kinds]) + TRAINING_COUNT * rate
    right = np.array([(~wrong & (trained == kind)).sum() for kind in kinds]) + TRAINING_COUNT * (1 - rate)
    lean: NDArray[np.float64] = TRAINING_SHARE * (np.log(failed / right) - np.log(rate / (1 - rate)))
    return lean


@dataclass(frozen=True)
class _Column:
    """A term of the log-odds: its values (N,), and the mean and standard deviation of its weight before any label."""

    values: NDArray[np.float64]
    mean: float
    sd: float
    name: str


def _doubt_columns(known: Known) -> list[_Column]:
    """The intercept, x = logit(1 - confidence), and what other models say where that is known.

    Without them the weights are those found on networks labeled before; with them those of ``auxiliary.leak``.
    """
    one, x = np.ones(known.confidence.size), log_odds(1 - known.confidence)
    if known.disagreement is None:
        return [_Column(one, 0.7, 1.0, ""), _Column(x, 0.6, 0.3, "doubt")]
    numbers = WITH_VOTES if known.votes is not None else WITHOUT_VOTES
    values = {"intercept": one, "doubt": x, "disagreement": known.disagreement, "votes": known.votes}
    shown = {"intercept": "", "doubt": "doubt"}
    return [
        _Column(column, numbers[name][0], numbers[name][1], shown.get(name, OTHERS))
        for name, column in values.items()
        if column is not None
    ]


OTHERS = "other models"


def static_chances(known: Known) -> NDArray[np.float64]:
    """Chance of failure before any label, (N,): logistic in 0.6 x + 0.8 nscore(DSA) + 0.4 nscore(LSA).

    x = logit(1 - confidence), nscore the normal score of the rank. What training says about the predicted class is added
    where it is known, and so is what other models say, which changes the weight of x.
    """
    first, *further = _doubt_columns(known)
    total = first.mean * first.values
    for column in further:
        total += column.mean * column.values
    total += known.class_lean[known.groups]
    if known.dsa is not None:
        total += 0.8 * normal_scores(known.dsa)
    if known.lsa is not None:
        total += 0.4 * normal_scores(known.lsa)
    return chances_of(total)


def static_fault_count(known: Known) -> int:
    """How many of the inputs may fail, 1..N, before any label.

    The rate of the training set, or the rate their confidence predicts if that is higher; without training data the sum
    of ``static_chances``.
    """
    if known.training_rate is None:
        expected = float(static_chances(known).sum())
    else:
        expected = known.confidence.size * max(known.training_rate, float(1 - known.confidence.mean()))
    return min(max(round(expected), 1), known.confidence.size)


def ranking(
    chances: NDArray[np.float64],
    confidence: NDArray[np.float64],
    *,
    wanted: int,
    severity: float,
    tilt: float = TILT,
) -> NDArray[np.intp]:
    """Places (n,) in the order they are wanted: the ``wanted`` of highest p * confidence^severity by falling
    p^tilt * confidence, then the others by falling p * confidence^severity. Ties stay in the order given.

    >>> ranking(np.array([0.9, 0.5, 0.1]), np.array([0.4, 0.9, 0.99]), wanted=2, severity=0.5).tolist()
    [1, 0, 2]
    """
    worth = np.argsort(-(chances * confidence**severity), kind="stable")
    first = worth[:wanted]
    order: NDArray[np.intp] = np.argsort(-(chances[first] ** tilt * confidence[first]), kind="stable")
    return np.concatenate([first[order], worth[wanted:]])


class SeverityChance:
    """The chance of failure of every input, learned from labels.

    Log-odds of failure: ridge-logistic MAP on x = logit(1 - confidence), nscore(DSA), nscore(LSA), ((x + 3) / 3)^2,
    x nscore(DSA) / 3 and the predicted class, nscore the normal score of the rank. The priors' means were found on
    networks labeled before: 0.70 (intercept), 0.60, 0.41, 0.18, 0, 0 with standard deviations 1, 0.3, 0.3, 0.25, 0.3,
    0.2; a class has 0.5, or 0.35 where there are more than 20, around what training says about it. Terms of a missing
    DSA or LSA are left out. Other models' disagreement and votes are two more terms, with the priors of
    ``round_guesses`` for them, x and intercept.

    Attributes
    ----------
    confidence : (N,) in [0, 1]. chances : (N,) in (0, 1), by the labels learned so far.
    """

    def __init__(self, known: Known) -> None:
        self._known = known
        self.confidence = known.confidence
        x = log_odds(1 - known.confidence)
        columns = _doubt_columns(known)
        if known.dsa is not None:
            dsa = normal_scores(known.dsa)
            columns += [_Column(dsa, 0.41, 0.3, "DSA"), _Column(x * dsa / 3, 0.0, 0.2, "DSA")]
        if known.lsa is not None:
            columns.append(_Column(normal_scores(known.lsa), 0.18, 0.25, "LSA"))
        columns.append(_Column(((x + 3) / 3) ** 2, 0.0, 0.3, "doubt"))
        self._names = [column.name for column in columns]
        class_sd = CLASS_SD if known.class_lean.size <= FEW_CLASSES else CLASS_SD_OF_MANY
        mean, sd = np.array([column.mean for column in columns]), np.array([column.sd for column in columns])
        values = tuple(column.values for column in columns)
        self._terms = Terms(values, known.groups, mean, sd, known.class_lean, class_sd)
        self._weights = prior_weights(self._terms)
        self.chances = chances_of(self._weights.log_odds(self._terms))

    def learn(self, rows: NDArray[np.intp], outcomes: NDArray[np.float64]) -> None:
        """Fits the chances again to all labels so far: rows (k,) and whether they failed, in [0, 1]."""
        self._weights = most_likely_weights(self._terms, rows, outcomes, self._weights)
        self.chances = chances_of(self._weights.log_odds(self._terms))

    def why(self, row: int) -> str:
        """The arguments for and against this input, as a phrase for the tester."""
        chance, sure = float(self.chances[row]), float(self._known.confidence[row])
        return f"chance of failure {100 * chance:.0f}%{self._raised(row)}; {band_words(sure)}"

    def _raised(self, row: int) -> str:
        """What raises the chance most besides the network's doubt; empty if nothing raises it much."""
        share = {"DSA": 0.0, "LSA": 0.0, "class": float(self._weights.groups[self._known.groups[row]])}
        if self._known.disagreement is not None and self._known.disagreement[row] > 0:
            share[OTHERS] = 0.0
        for name, weight, column in zip(self._names, self._weights.columns, self._terms.columns, strict=True):
            if name in share:
                share[name] += float(weight * column[row])
        name, most = max(share.items(), key=lambda item: item[1])
        if most < NOTABLE:
            return ""
        if name == OTHERS:
            return " because other models disagree"
        return " because of its predicted class" if name == "class" else f" because of its surprise ({name})"


NOTABLE = 0.3
"""The log-odds a term must add to be named."""


def band_words(confidence: float) -> str:
    """How severe a fault would be here, by Al-Qadasi et al. 2023, section III-D."""
    band = "high" if confidence >= 0.8 else "moderate" if confidence >= 0.5 else "low"
    return f"the network is {100 * confidence:.0f}% sure: of {band} severity if it fails"


SMALLEST, PART, GROWTH = 5, 80, 40  # a block has at least 5 inputs, b / 80, and a fortieth of those drawn before

SURE_FROM = 0.8  # a fault is severe from here (Al-Qadasi et al. 2023, section III-D)

LEARNS = 4
"""The work of learning from one label, counted in inputs looked at."""

# Without looks nothing shows that a network is wrong where it is sure: decision 12.
LOOKS, LOOKS_FADE = 0.6, 400
"""Share of labels that look where the network is sure: 0.6 at first, 0.6 / (1 + n / 400) at the n-th, half at the 401st."""


GOLDEN = (5**0.5 - 1) / 2  # the fractions of its multiples spread evenly over 0..1

LOOK_WORDS = "a look where the network is sure, whatever is expected there"


class SeverityFirst:
    """Faults on which the network was sure come first, at the cost of few other faults.

    Worth labeling are the b inputs of highest p * confidence^g, p the chance of failure. The next of them is the one of
    highest p^(1/8) * confidence, nearly the one of highest confidence. p is learned (``SeverityChance``): it is fitted
    again before every block of inputs, to the labels of all blocks but the one still open. b is the smaller of the
    budget and the number of faults now expected (those found, plus the sum of p over the rest); beyond it inputs come
    by falling p * confidence^g.

    Whatever p says, of n draws at least looks * 400 ln(1 + n / 400) have a confidence of 0.8 and more, as long as there are
    such inputs. Where the order above brings fewer, looks make up for it at the end of a block: in turn one spread evenly
    over their confidences and the one of highest p. So severe faults are found even where most faults have a low
    confidence, and p is corrected where it is wrong at high confidence.

    The draws depend only on the verdicts and on the seed, which breaks ties; not on how many are asked or told at a
    time. They are not a random sample: there is no honest interval, and they enter an estimate only as exploit picks of
    rra.

    Parameters
    ----------
    confidence : (N,) probability of the predicted class, 0..1.
    dsa, lsa : (N,) surprise adequacy, or None.
    classes : (N,) predicted class, or None.
    training_classes, training_losses : (M,) of training inputs, or None: how often each predicted class failed there.
    disagreement, votes : (N,) what other models say, or None.
    budget : n, draws to plan, 1..N.
    seed : whole number, for ties alone.
    variant : "static" is an order known before any label, which can be exported: p logistic in
        0.6 logit(1 - confidence) + 0.8 nscore(DSA) + 0.4 nscore(LSA) and the class's failures in training; the first b
        by falling confidence. Here b is the budget, or the expected number of faults if all N inputs are ordered.
    severity : g. 0: most failures; 1 and more: severe ones at the cost of others.
    surprise : which of DSA and LSA to use where available.
    looks : share of the first labels that look where the network is sure, 0..1; of no use to the static variant.
    others_teach : whether what other models say is used; sessions and plans made before it was possible do not use it.

    Source: Testimate's own; Al-Qadasi et al. 2023 (section VI) ask for it.
    """

    name: ClassVar[str] = "severity-first"
    title: ClassVar[str] = "Severity first: probable faults the network is sure of"
    needs: ClassVar[tuple[Need, ...]] = ("confidence",)
    uses: ClassVar[tuple[Need, ...]] = (
        *("dsa", "lsa", "classes", "training_classes", "training_losses"),
        *("disagreement", "votes"),
    )
    claims: ClassVar[Claims] = Claims("no", honest_interval=False, not_for=("regression", "boxes"), note=CHOSEN.note)
    adapts: ClassVar[bool] = True
    source: ClassVar[str] = "Testimate; asked for by Al-Qadasi et al., Difficulty and severity-oriented metrics (2023)"
    options: ClassVar[tuple[Option, ...]] = (
        Option("severity", SEVERITY, "0 finds the most faults; 1 and more favor severe ones.", low=0.0, high=10.0),
        Option(
            "surprise",
            "dsa and lsa",
            "Which surprise scores it may learn from.",
            choices=("dsa and lsa", "dsa", "lsa", "none"),
        ),
        Option(
            "looks",
            LOOKS,
            "Share of the first labels that goes to inputs the network is at least 80% sure of, even where no fault "
            "is expected; fewer later.",
            low=0.0,
            high=1.0,
        ),
    )
    variants: ClassVar[tuple[str, ...]] = ("static",)

    @staticmethod
    def resolved(
        _scores_are_chances: bool, _available: Collection[str] = (), _options: object = None
    ) -> dict[str, Any]:
        """The arguments that are stored with a session besides its options, with their present defaults."""
        return {"rounds_ahead": AHEAD, "others_teach": True}

    def __init__(
        self,
        confidence: ArrayLike,
        dsa: ArrayLike | None = None,
        lsa: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        training_classes: ArrayLike | None = None,
        training_losses: ArrayLike | None = None,
        disagreement: ArrayLike | None = None,
        votes: ArrayLike | None = None,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        severity: float = SEVERITY,
        surprise: str = "dsa and lsa",
        looks: float = LOOKS,
        rounds_ahead: int = AHEAD,
        others_teach: bool = True,
    ) -> None:
        known = known_of(
            confidence,
            dsa if "dsa" in surprise else None,
            lsa if "lsa" in surprise else None,
            classes,
            training_classes,
            training_losses,
            disagreement if others_teach else None,
            votes if others_teach else None,
        )
        size = known.confidence.size
        self._budget = check_budget(budget, size)
        self._static = check_variant(variant, self.variants) == "static"
        check_options(self.options, severity=severity, surprise=surprise, looks=looks)
        self._severity, self._known, self._looks = float(severity), known, float(looks)
        self._sure_drawn, self._looked = 0, 0
        self._worth, self._done = self._budget, 0.0
        # The rows not drawn so far, mixed once: every sort is stable, so ties come in a random order.
        self._left = np.random.default_rng(check_seed(seed)).permutation(size)
        self._blocks = Blocks(self._budget, rounds_ahead)
        self._chance = SeverityChance(known)
        if self._static:
            self._draw_static()
        else:
            self._draw_ahead()

    @property
    def design(self) -> Design:
        """A purposive design: its inputs are chosen, not drawn, so there is no honest interval."""
        return Purposive((self._known.confidence.size,), self._budget)

    @property
    def remaining(self) -> int:
        """Draws of the budget that were not handed out yet; 0 when exhausted."""
        return self._blocks.remaining

    def ask(self, count: int) -> Sequence[Draw]:
        """The next draws, at most ``count``; fewer when exhausted or while verdicts are missing."""
        return self._blocks.ask(count)

    def tell(self, verdicts: Sequence[Verdict]) -> None:
        """Keeps the losses; a settled block lets one more be drawn. UnknownRow for rows not drawn.

        A loss of None settles a draw and teaches nothing.
        """
        self._blocks.keep(verdicts)
        while self._blocks.settle():
            if not self._static:
                self._draw_ahead()

    def predicted(self) -> NDArray[np.float64]:
        """The chance of failure of each input by the labels learned so far, (N,), in (0, 1)."""
        return static_chances(self._known) if self._static else self._chance.chances

    def _draw_ahead(self) -> None:
        while self._blocks.wanted:
            self._draw_block(self._learn(self._blocks.known()))

    def work(self) -> tuple[float, float]:
        """The work of the draws so far, and about that of those to come if the number of faults expected stays the same.

        In inputs looked at: a block looks at all that are left, and learns from the labels of those before, which takes
        more. Blocks grow, so that the last half of the draws takes less than the first.
        """
        drawn, ahead = len(self._blocks.draws), 0.0
        while drawn < self._budget:
            ahead += self._takes(drawn)
            drawn += self._block_size(drawn)
        return self._done, ahead

    def _takes(self, drawn: int) -> float:
        return self._known.confidence.size + LEARNS * drawn

    def _block_size(self, drawn: int) -> int:
        return min(max(SMALLEST, self._worth // PART, drawn // GROWTH), self._budget - drawn)

    def draw_more(self) -> None:
        """One more block, from all labels known so far; nothing once the budget is drawn."""
        if not self._blocks.complete:
            self._draw_block(self._learn(self._blocks.told()))

    def _learn(self, known: Sequence[tuple[int, float]]) -> float:
        """Fits the chances to these labels, row and loss, in draw order; gives the number of faults expected."""
        if not known:
            return float(self._chance.chances.sum())
        rows = np.array([row for row, _ in known], dtype=np.intp)
        outcomes = np.minimum([loss for _, loss in known], 1.0)  # (k,)
        self._chance.learn(rows, outcomes)
        chances = self._chance.chances
        return float(outcomes.sum() + chances.sum() - chances[rows].sum())

    def _draw_block(self, expected: float) -> None:
        drawn = len(self._blocks.draws)
        worth = self._worth = min(self._budget, round(expected))  # b
        self._done += self._takes(drawn)
        size = self._block_size(drawn)
        chances, confidence = self._chance.chances[self._left], self._known.confidence[self._left]
        order = ranking(chances, confidence, wanted=max(worth - drawn, size), severity=self._severity)[:size]
        order, looks = self._with_looks(order, chances, confidence, drawn + size)
        reasons = [self._chance.why(row) for row in self._left[order].tolist()]
        reasons[size - looks :] = [f"{LOOK_WORDS}; {reason}" for reason in reasons[size - looks :]]
        self._blocks.add([Draw(row, reason=why) for row, why in zip(self._left[order].tolist(), reasons, strict=True)])
        self._sure_drawn += int((confidence[order] >= SURE_FROM).sum())
        self._left = np.delete(self._left, order)

    def _with_looks(
        self, order: NDArray[np.intp], chances: NDArray[np.float64], confidence: NDArray[np.float64], drawn: int
    ) -> tuple[NDArray[np.intp], int]:
        """The block's places (k,) with looks in place of its last ones, and how many looks; ``drawn``: with this block."""
        sure = confidence >= SURE_FROM
        wanted = int(self._looks * LOOKS_FADE * np.log1p(drawn / LOOKS_FADE)) - self._sure_drawn
        looks = 0
        while looks < order.size and sure[order[: order.size - looks]].sum() + looks < wanted:
            looks += 1
        by_confidence = np.argsort(confidence, kind="stable")
        free = by_confidence[sure[by_confidence] & ~np.isin(by_confidence, order[: order.size - looks])]
        looks = min(looks, free.size)
        kept, found = order[: order.size - looks], []
        for _ in range(looks):
            self._looked += 1
            spread = int(self._looked * GOLDEN % 1 * free.size)
            place = spread if self._looked % 2 else int(np.argmax(chances[free]))
            found.append(free[place])
            free = np.delete(free, place)
        return np.append(kept, np.array(found, dtype=np.intp)), looks

    def _draw_static(self) -> None:
        chances, confidence = static_chances(self._known)[self._left], self._known.confidence[self._left]
        whole = self._budget == self._left.size
        wanted = static_fault_count(self._known) if whole else self._budget
        order = ranking(chances, confidence, wanted=wanted, severity=self._severity, tilt=0.0)[: self._budget]
        draws = []
        for place in order.tolist():
            reason = f"chance of failure {100 * chances[place]:.0f}% before any label; {band_words(float(confidence[place]))}"
            draws.append(Draw(int(self._left[place]), reason=reason))
        self._blocks.add(draws)
