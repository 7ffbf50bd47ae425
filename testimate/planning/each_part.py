"""Every part of the set to the same width: how many labels each part needs, and the request that draws them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.words import points, spaced
from testimate.estimators.expected_width import part_half_width
from testimate.estimators.labels_needed import check_half_width, labels_needed
from testimate.estimators.weights import FEWEST
from testimate.planning.slices import Grouping
from testimate.selectors.base import ShuffledStrata
from testimate.selectors.following import EachPart
from testimate.structure.strata import interleave

MOST_PARTS = 1000
WORST = 0.5
"""The share of failures that needs the most labels."""

STEPS = 14
"""Halvings of the half-width that a number of labels reaches."""


@dataclass(frozen=True, eq=False)
class EachPartPlan:
    """Labels of each of G parts at which its interval is expected within +- ``half_width``.

    Attributes
    ----------
    grouping : the parts. half_width : 0..1. sizes, labels : (G,) inputs of each part, and labels in it.
    at_most : labels in all that would be enough however often each part fails.
    whole : how many parts have to be labeled whole. guessed : whether failures are guessed from the confidence.
    """

    grouping: Grouping
    half_width: float
    sizes: NDArray[np.intp]
    labels: NDArray[np.intp]
    at_most: int
    guessed: bool

    @property
    def total(self) -> int:
        """The number of labels over all parts."""
        return int(self.labels.sum())

    @property
    def whole(self) -> int:
        """How many parts have to be labeled whole."""
        return int((self.labels == self.sizes).sum())

    def words(self) -> str:
        """What it costs, and what that is based on."""
        count, all_of_them = len(self.sizes), int(self.sizes.sum())
        said = (
            f"Each of {spaced(count)} parts by {self.grouping.column} to ±{points(self.half_width)} takes about "
            f"{spaced(self.total)} labels"
        )
        if self.guessed and self.at_most > self.total:
            said += f" if the confidence is right, and at most {spaced(self.at_most)} however often a part fails"
        said += f": {spaced(int(self.labels.min()))} to {spaced(int(self.labels.max()))} a part."
        if self.whole:
            said += f" {spaced(self.whole)} of them {'has' if self.whole == 1 else 'have'} so few inputs that all are labeled."
        if 2 * self.total > all_of_them:
            said += f" That is more than half of all {spaced(all_of_them)} inputs: ask for wider intervals, or for fewer parts."
        return said


def each_part_within(inputs: Inputs, grouping: Grouping, half_width: float, *, level: float = 0.95) -> EachPartPlan:
    """The plan for a half-width.

    A part's failures are guessed as the mean of 1 - confidence, moved towards one half as by one label more of each outcome
    among ten, so that a network that is too sure of itself does not get a handful of labels; without a confidence as one half.
    Each part has ``FEWEST`` labels at least, without which it has no number.

    Raises
    ------
    BadInput : a half-width not above 0, a task without right and wrong, or more than ``MOST_PARTS`` parts.
    """
    check_half_width(half_width)
    sizes = _checked(inputs, grouping)
    guesses = failure_by_part(inputs, grouping, sizes)
    guessed = inputs.confidence is not None and not inputs.task.numeric
    labels = _labels(half_width, sizes, guesses, level)
    most = _labels(half_width, sizes, np.full(len(sizes), WORST), level)
    return EachPartPlan(grouping, half_width, sizes, labels, int(most.sum()), guessed)


def each_part_plan(
    inputs: Inputs, grouping: Grouping, *, half_width: float | None, budget: int | None, level: float = 0.95
) -> EachPartPlan:
    """The plan for a half-width or for a budget; BadInput where not exactly one of them is given."""
    if (half_width is None) == (budget is None):
        raise BadInput(
            "Parts of the same width need one of a half-width and a budget: how wide each interval may be, or how many labels "
            "there are. Give one of them."
        )
    if half_width is not None:
        return each_part_within(inputs, grouping, half_width, level=level)
    assert budget is not None
    return each_part_with(inputs, grouping, budget, level=level)


def each_part_with(inputs: Inputs, grouping: Grouping, budget: int, *, level: float = 0.95) -> EachPartPlan:
    """The plan with the smallest half-width that ``budget`` labels are expected to reach in every part.

    What is left over by whole numbers stays unused. BadInput where the budget is below ``FEWEST`` labels for each part.
    """
    sizes = _checked(inputs, grouping)
    least = int(np.minimum(sizes, FEWEST).sum())
    if budget < least:
        raise BadInput(
            f"{spaced(budget)} labels were to measure {spaced(len(sizes))} parts; expected at least {spaced(least)}, "
            f"{FEWEST} in each part. Raise the budget, or choose a column with fewer values."
        )
    narrow, wide = 0.0, 1.0
    for _ in range(STEPS):
        middle = (narrow + wide) / 2
        if each_part_within(inputs, grouping, middle, level=level).total > budget:
            narrow = middle
        else:
            wide = middle
    return each_part_within(inputs, grouping, wide, level=level)


def failure_by_part(inputs: Inputs, grouping: Grouping, sizes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Guessed share of failures in each part, (G,), in (0, 1/2]."""
    if inputs.confidence is None or inputs.task.numeric:
        return np.full(len(sizes), WORST)
    doubt = np.bincount(grouping.groups, 1 - inputs.confidence, len(sizes)) / sizes
    return np.asarray(np.minimum((FEWEST * doubt + 1) / (FEWEST + 2), WORST))


def each_part_request(plan: EachPartPlan, seed: int) -> Request:
    """The request of a session or plan; every prefix of its draws is near the parts' shares."""
    order = interleave(plan.labels)
    rows = ShuffledStrata(plan.grouping.groups, np.random.default_rng([seed, 0xEAC4])).deal(order)
    options = {
        "rows": rows.tolist(),
        "strata": order.tolist(),
        "sizes": plan.sizes.tolist(),
        "called": plan.grouping.column,
    }
    return Request(EachPart.name, plan.total, seed, options=options)


def _labels(half_width: float, sizes: NDArray[np.intp], failure: NDArray[np.float64], level: float) -> NDArray[np.intp]:
    """Labels of each part, (G,)."""

    def of(size: int, rate: float) -> int:
        found = labels_needed(
            half_width, lambda budgets: part_half_width(size, budgets, rate, level=level), least=1, most=size
        )
        return size if found is None else found

    known: dict[tuple[int, float], int] = {}
    pairs = list(zip(sizes.tolist(), failure.round(3).tolist(), strict=True))
    for pair in pairs:
        if pair not in known:
            known[pair] = of(*pair)
    return np.array([known[pair] for pair in pairs], dtype=np.intp)


def _checked(inputs: Inputs, grouping: Grouping) -> NDArray[np.intp]:
    """The sizes of the parts, (G,)."""
    if not inputs.task.measure.is_share:
        raise BadInput(
            f"The parts were to have intervals of {inputs.task.measure.title}, whose width cannot be predicted before "
            "there are labels; expected right or wrong. Give a tolerance, by which numbers are right or wrong."
        )
    sizes = np.bincount(grouping.groups, minlength=len(grouping.values)).astype(np.intp)
    if not 1 <= len(sizes) <= MOST_PARTS or not sizes.all():
        raise BadInput(
            f"{grouping.column!r:.60} has {spaced(len(sizes))} values; expected 1 to {spaced(MOST_PARTS)}, each of some input. "
            "Choose another column."
        )
    return sizes
