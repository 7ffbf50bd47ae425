"""Each input's chance of failure from confidence, surprise and predicted class, and which severe fault to look for next."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_scores
from testimate.core.errors import BadInput
from testimate.selectors.failure_predictors import log_odds, normal_scores
from testimate.selectors.logistic_regression import Terms, chances_of, most_likely_weights, prior_weights
from testimate.selectors.round_guesses import WITH_VOTES, WITHOUT_VOTES
from testimate.selectors.score_order import check_length

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
    disagreement, votes : (N,) what other models say (``auxiliary.other_models``), or None; no votes without a disagreement.
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
    sure = check_scores(confidence, "confidence")
    bad = np.flatnonzero((sure < 0) | (sure > 1))
    if bad.size:
        raise BadInput(
            f"confidence[{bad[0]}] is {sure[bad[0]]}; a probability is between 0 and 1. Divide percentages by 100, or give "
            "the column of the predicted probability."
        )
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

    Without them the weights are those found on networks labeled before; with them those of ``auxiliary.other_models``.
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
        return f"chance of failure {100 * chance:.0f} %{self._raised(row)}; {band_words(sure)}"

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
    return f"the network is {100 * confidence:.0f} % sure: of {band} severity if it fails"
