"""The chances of failure that adaptive rounds guess from one score or all that is known, and how labels refine them."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_scores, is_number
from testimate.core.errors import BadInput
from testimate.selectors.logistic_regression import (
    ByInput,
    Line,
    Prior,
    Terms,
    Weights,
    fits,
    most_likely_line,
    prior_weights,
)
from testimate.selectors.prioritizers import CONFIDENCE_PRIOR, SCORE_PRIOR, check_length, log_odds, normal_scores
from testimate.structure.orders import kind_of_places, order_of_levels, picked

AT_A_TIME = 1 << 16
"""Inputs whose chances are computed and ranked at a time: with tens of millions of them, every further array counts."""

Array = NDArray[np.float64]
Places = NDArray[np.integer[Any]]
Numbers = Mapping[str, Sequence[float]]

ALONE: Numbers = {
    "intercept": (CONFIDENCE_PRIOR.mean.intercept, CONFIDENCE_PRIOR.sd.intercept),
    "score": (CONFIDENCE_PRIOR.mean.slope, CONFIDENCE_PRIOR.sd.slope),
}
ALONE_BY_RANK: Numbers = {
    "intercept": (SCORE_PRIOR.mean.intercept, SCORE_PRIOR.sd.intercept),
    "score": (SCORE_PRIOR.mean.slope, SCORE_PRIOR.sd.slope),
}
WITH_VOTES: Numbers = {
    "intercept": (0.16, 0.5, 0.6, 0.5),
    "doubt": (0.32, 0.2, 0.9, 0.25),
    "disagreement": (0.77, 0.5, 0.0, 0.3),
    "votes": (0.35, 0.25, 0.0, 0.1),
}
WITHOUT_VOTES: Numbers = {
    "intercept": (-1.02, 1.1, 0.6, 0.5),
    "doubt": (0.38, 0.2, 0.9, 0.25),
    "disagreement": (2.86, 1.8, 0.0, 0.3),
}
"""Two beliefs, a weight and its standard deviation in each: that the other models know more about the failures than the
tested one does, as they did for ten networks, and that they know next to nothing."""

SURPRISE: Numbers = {"dsa": (0.25, 0.3), "lsa": (0.15, 0.25)}
CLASS_SHARE = (1.2, 0.8)
"""Most likely weight of a term before any label, and its standard deviation: means over ten networks."""
# A mean of 0.4 errs 0.1 to 0.3% more over 14 other networks at 50 to 400 labels, and 0.5 to 1.3% more on CN12 and the digits.

# With 2 in place of 4 networks that are wrong about whole classes lose: decision 60.
CLASS_SDS = (0.25, 0.7, 4.0)
"""Standard deviations that the predicted classes' own weights may have; the labels so far choose among them."""

SEVERAL = frozenset({"classes"})
"""Terms whose numbers are standard deviations to choose from; each class has a weight of its own around 0."""


def usual_terms(given: Collection[str], *, scores_are_chances: bool) -> dict[str, list[float]]:
    """The terms of a fit on what is ``given``, with the numbers of their priors.

    ``given`` : of doubt, disagreement, votes, dsa, lsa and classes, those available. Without other models' disagreement
        the score itself predicts, and then surprise adequacy is used only where the score is a chance.
    """
    if "disagreement" in given:
        numbers = dict(WITH_VOTES if "votes" in given else WITHOUT_VOTES)
        if "doubt" not in given:
            (mean, sd), slope = numbers["intercept"][:2], numbers.pop("doubt")[0]
            numbers = {name: prior[:2] for name, prior in numbers.items()}
            numbers["intercept"] = (mean + slope * USUAL_DOUBT, math.hypot(sd, 1.0))
    else:
        numbers = dict(ALONE if scores_are_chances else ALONE_BY_RANK)
    if scores_are_chances:
        numbers |= {name: prior for name, prior in SURPRISE.items() if name in given}
    if "classes" in given:
        numbers |= {"class share": CLASS_SHARE, "classes": CLASS_SDS}
    return {name: list(prior) for name, prior in numbers.items()}


def other_belief_first(terms: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    """The terms with their second belief before the first; before any label the first one counts.

    >>> other_belief_first({"votes": (0.35, 0.25, 0.0, 0.1), "dsa": (0.25, 0.3)})
    {'votes': [0.0, 0.1, 0.35, 0.25], 'dsa': [0.25, 0.3]}
    """
    return {
        name: [*prior] if name in SEVERAL or len(prior) != BOTH else [*prior[2:], *prior[:2]]
        for name, prior in terms.items()
    }


def taught(
    terms: Mapping[str, Sequence[float]],
    scores: Array,
    given: Mapping[str, NDArray[Any]],
    rows: NDArray[np.intp],
    outcomes: Array,
    *,
    scores_are_chances: bool,
) -> dict[str, list[float]]:
    """The terms with one more belief before the others: the weights that outcomes (k,) known before make likely.

    Known labels may have been collected where the network is right. So what they say is a belief like the others: it counts
    until the labels that are drawn make another one likelier.
    """
    if rows.size > MOST_TAUGHT:
        chosen = np.linspace(0, rows.size - 1, MOST_TAUGHT).astype(np.intp)
        rows, outcomes = rows[chosen], outcomes[chosen]
    fit = _several(scores, np.arange(scores.size), given, terms, scores_are_chances=scores_are_chances)
    fit.learn(rows, outcomes)
    found: dict[str, list[float]] = {}
    beliefs = max(len(prior) // 2 for name, prior in terms.items() if name not in SEVERAL)
    for name, prior in terms.items():
        if name in SEVERAL:
            found[name] = [*prior]
            continue
        others = [number for one in range(beliefs) for number in prior[2 * one : 2 * one + 2] or prior[:2]]
        found[name] = [fit.weights[name], SURE * prior[1], *others]
    return found


SURE = 0.5
"""Of a weight that known labels teach: its standard deviation over that of the prior."""

MOST_TAUGHT = 2_000
"""Known labels that teach at most, spread evenly: more would not be felt, and the fit takes as long as there are labels."""

BOTH = 4
"""Numbers of a prior with two beliefs."""

USUAL_DOUBT = -4.0
"""Log-odds of failure where the tested model gives no confidence: about the mean over the networks measured."""


class Guesses(Protocol):
    """Chances of failure of inputs by their places in the order of the scores."""

    def learn(self, places: NDArray[np.intp], outcomes: Array) -> None:
        """Fits the guesses to k outcomes in [0, 1], in draw order."""
        ...

    def chances(self, places: Places) -> Array:
        """Of the inputs at these places, rising, (n,)."""
        ...

    def order(self, chances: Array) -> Places:
        """The order by rising or falling chance of the inputs last asked for, (n,)."""
        ...

    @property
    def rising(self) -> bool:
        """Whether that order rises."""
        ...


@dataclass(frozen=True, eq=False)
class OfGroups:
    """The number of each input's group, (N,): ``numbers`` of the groups, (K,), and ``groups``, (N,), which each is in."""

    numbers: Array
    groups: Places

    def __getitem__(self, places: Any, /) -> Any:
        """The numbers at these places."""
        return self.numbers[self.groups[places]]


class OneLine:
    """Guesses that rise or fall with one number x (N,), sorted."""

    def __init__(self, x: Array, prior: Prior) -> None:
        self._x, self._prior, self._line = x, prior, prior.mean

    @property
    def rising(self) -> bool:
        """Whether the guesses rise with x."""
        return self._line.slope >= 0

    def learn(self, places: NDArray[np.intp], outcomes: Array) -> None:
        """Fits the line again, to outcomes (k,) in [0, 1] at the places (k,), starting from the last fit."""
        self._line = most_likely_line(self._x[places], outcomes, self._prior, self._line)

    def chances(self, places: Places) -> Array:
        """Chances of failure at the places, (n,), 0 to 1, by the line."""
        return self._line.chances(picked(self._x, places))

    def order(self, chances: Array) -> Places:
        """The places as they are: the line rises or falls with x, so they are in order already."""
        return np.arange(chances.size, dtype=kind_of_places(chances.size))


class SeveralTerms:
    """Guesses by a ridge-logistic fit in several columns (N,), and in the predicted class, each with a weight of its own.

    The labels decide how much the classes differ and whether the other models know anything: of the standard deviations
    and beliefs given, each round takes those under which the labels so far are likeliest (Laplace's approximation;
    MacKay 1992).
    """

    rising = True

    def __init__(self, columns: Mapping[str, ByInput], groups: Places | None, numbers: Numbers, size: int) -> None:
        names = self._names = [name for name in numbers if name not in SEVERAL]
        self._columns = tuple(np.broadcast_to(1.0, size) if name == "intercept" else columns[name] for name in names)
        spreads = (1e-6,) if groups is None else numbers["classes"]
        groups = np.zeros(size, np.uint8) if groups is None else groups
        even = np.zeros(int(groups.max(initial=0)) + 1)
        self._terms = []
        for belief in range(max(len(numbers[name]) // 2 for name in names)):
            pairs = [numbers[name][2 * belief : 2 * belief + 2] or numbers[name][:2] for name in names]
            mean, sd = np.array(pairs, dtype=np.float64).T
            for spread in spreads:
                self._terms.append(Terms(self._columns, groups, mean, sd, even, spread))
        self._weights = [prior_weights(one) for one in self._terms]
        self._best: Weights = self._weights[0]

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each column under the most likely belief, by name."""
        return dict(zip(self._names, self._best.columns.tolist(), strict=True))

    def learn(self, places: NDArray[np.intp], outcomes: Array) -> None:
        """Fits the weights under each belief, and takes the likeliest."""
        found = fits(self._terms, places, outcomes, self._weights)
        self._weights = [one.weights for one in found]
        likely = [one.log_evidence for one in found]
        self._best = self._weights[int(np.argmax(likely))]

    def chances(self, places: Places) -> Array:
        """Chances of failure at the places, (n,), 0 to 1, by the weights of the most likely belief."""
        found, groups = np.empty(len(places)), self._terms[0].groups
        for start in range(0, len(places), AT_A_TIME):
            own = places[start : start + AT_A_TIME]
            odds = found[start : start + AT_A_TIME]
            first, last = int(own[0]), int(own[-1])
            # rising places without a gap, as most are, need not be picked one by one
            part = slice(first, last + 1) if last - first + 1 == len(own) else own
            odds[:] = self._best.groups[groups[part]]
            for weight, column in zip(self._best.columns, self._columns, strict=True):
                odds += weight * column[part]
            np.negative(odds, out=odds)
            np.exp(odds, out=odds)
            odds += 1
            np.divide(1, odds, out=odds)
        return found

    def order(self, chances: Array) -> Places:
        """By rising chance, in 65,536 levels, which sort in a tenth of the time; within a level the order is unchanged."""
        levels = np.empty(chances.size, dtype=np.uint16)
        for start in range(0, chances.size, AT_A_TIME):
            part = slice(start, start + AT_A_TIME)
            levels[part] = np.sqrt(chances[part]) * 65535
        return order_of_levels(levels)


def of_inputs(name: str, values: ArrayLike, size: int) -> NDArray[Any]:
    """One number for each input, (N,); BadInput where it is not that."""
    if name == "classes":
        array: NDArray[Any] = np.asarray(values, dtype=np.intp)
        check_length(array, size, "predicted classes")
        return array
    array = check_scores(values, name)
    check_length(array, size, f"{name} values")
    return array


def guesses_of(
    scores: Array,
    order: Places,
    given: Mapping[str, NDArray[Any]],
    numbers: Numbers,
    *,
    scores_are_chances: bool,
) -> Guesses:
    """The guesses for inputs in this ``order`` (N,), by the terms that ``numbers`` names.

    Parameters
    ----------
    scores : (N,) as the technique takes them. given : what else is known, by name, each (N,) in the order of the inputs.
    numbers : prior of each term; see ``usual_terms``. BadInput where a term is not available or has no such numbers.
    """
    check_numbers(numbers, given)
    if {*numbers} == {"intercept", "score"} and len(numbers["intercept"]) == len(numbers["score"]) == 2:  # one belief
        x = log_odds(scores) if scores_are_chances else normal_scores(scores)
        (intercept, wide), (slope, steep) = numbers["intercept"], numbers["score"]
        return OneLine(picked(x, order), Prior(Line(intercept, slope), Line(wide, steep)))
    return _several(scores, order, given, numbers, scores_are_chances=scores_are_chances)


def _several(
    scores: Array, order: Places, given: Mapping[str, NDArray[Any]], numbers: Numbers, *, scores_are_chances: bool
) -> SeveralTerms:
    """The guesses by a fit in several columns, as ``guesses_of`` takes them."""
    columns: dict[str, ByInput] = {}
    counts, groups = None, None
    if "class share" in numbers or "classes" in numbers:
        counts, groups = _groups_of(given["classes"], order)
    for name in numbers:
        if name == "score":
            columns[name] = picked(log_odds(scores) if scores_are_chances else normal_scores(scores), order)
        elif name == "doubt":
            columns[name] = picked(log_odds(given[name]), order)
        elif name in SURPRISE:
            columns[name] = picked(normal_scores(given[name]), order)
        elif name in ("disagreement", "votes"):
            columns[name] = picked(given[name], order)
        elif name == "class share" and counts is not None and groups is not None:
            columns[name] = OfGroups(np.log(counts * counts.size / groups.size), groups)
    return SeveralTerms(columns, groups if "classes" in numbers else None, numbers, scores.size)


def _groups_of(classes: NDArray[np.intp], order: Places) -> tuple[NDArray[np.intp], Places]:
    """The counts of the K classes that occur, (K,), and the place of each input's class among them, (N,) in this order.

    The places are as small as they may be: with tens of millions of them, every further array counts.
    """
    least, most = int(classes.min()), int(classes.max())
    parts = [slice(start, start + AT_A_TIME) for start in range(0, classes.size, AT_A_TIME)]
    counts = np.zeros(most - least + 1, dtype=np.intp)
    for part in parts:
        own = np.bincount(classes[part] - least)
        counts[: own.size] += own
    number = np.cumsum(counts > 0) - 1
    groups = np.empty(classes.size, dtype=np.min_scalar_type(int(number[-1])))
    for part in parts:
        groups[part] = number[classes[order[part]] - least]
    return counts[counts > 0], groups


def check_numbers(numbers: Numbers, given: Collection[str]) -> None:
    """BadInput if a term is unknown or not available, or its numbers are not a prior."""
    for name, prior in numbers.items():
        needed = "classes" if name == "class share" else name
        if needed not in ("intercept", "score") and needed not in given:
            raise BadInput(
                f"The plan learns from {name!r:.40}, which these inputs do not have. Expected the inputs it was made for. "
                "Restore them."
            )
        values = np.asarray(prior, dtype=object).ravel().tolist()
        sound = all(is_number(one) and math.isfinite(one) for one in values) and len(values) >= 1
        widths = values if name in SEVERAL else values[1::2]
        if not sound or (name not in SEVERAL and len(values) % 2) or min(widths) <= 0:
            raise BadInput(
                f"The prior of {name!r:.40} is {prior!r:.60}. Expected a most likely weight and a standard deviation above 0. "
                "Correct it."
            )
