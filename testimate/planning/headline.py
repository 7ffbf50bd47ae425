"""Which of an estimate's intervals counts now: the one for a size fixed in advance, or the one that holds whenever you stop."""

from collections.abc import Collection
from typing import Literal

from testimate.core.draw import Estimate
from testimate.planning.plan import Plan

Headline = Literal["fixed", "always"]

KNOWN = "known"
"""In what a top-up's plan resolved: the rows that earlier plans know."""


EXTENDED = "extended"
"""In what a session's plan resolved, where it went on beyond its planned end: what was seen may have decided that."""


def is_complete(plan: Plan, answered: Collection[int]) -> bool:
    """Whether each draw that was planned is among the rows that were answered, "cannot tell" included, and no more were.

    A plan that was extended is never complete as it was made.
    """
    if plan.resolved.get(EXTENDED):
        return False
    known = set(plan.resolved.get(KNOWN, ()))
    planned = len(plan.draws) >= plan.design.planned
    return planned and all(draw.row in answered or draw.row in known for draw in plan.draws)


# Pages, reports, files and gates all ask here which interval counts: decision 20.
def headline_of(complete: bool, low: float | None, always_low: float | None) -> Headline | None:
    """The interval that counts: "fixed" once the plan is complete, else "always"; None where that does not exist.

    A plan may have been left because of what it showed, and then only the second one holds.
    """
    if complete and low is not None:
        return "fixed"
    return None if always_low is None else "always"


def counting_ends(estimate: Estimate, counts: Headline | None) -> tuple[float, float] | None:
    """The ends of the interval that counts; None where there is none."""
    ends = (estimate.low, estimate.high) if counts == "fixed" else (estimate.always_low, estimate.always_high)
    return None if counts is None or ends[0] is None or ends[1] is None else (ends[0], ends[1])
