"""Which method made a plan's or session's intervals, kept with it so that later ones can say what was computed again."""

from testimate.core.draw import Estimate
from testimate.core.task import Task
from testimate.estimators.adaptive_rounds import OF_ROUNDS
from testimate.estimators.grades import OF_GRADES
from testimate.tasks.verdict import Judgement

INTERVAL_METHOD = "score with jackknife, skipped bounded, skewness corrected"
"""Kept with every plan and session when it is made; raised whenever the same labels would get another ordinary interval.

Those made before it was kept have none, "". No interval is ever stored: each is computed from the votes when it is shown.
"""

OF_GRADES_BEFORE = (INTERVAL_METHOD, f"{INTERVAL_METHOD}, grades as shares")
"""The methods of grades until now: Student's interval, and that of a share but in adaptive rounds (decision 221)."""

OF_A_SHARE = "share within tolerance, "
"""Before the method of a regression whose first number is that share; those made before it was have the method alone."""


def interval_method(task: Task | None) -> str:
    """What is kept with a plan or session of the task when it is made."""
    if isinstance(task, Judgement):
        return f"{INTERVAL_METHOD}, grades as shares in rounds too"
    return (
        f"{OF_A_SHARE}{INTERVAL_METHOD}"
        if task is not None and task.numeric and task.measure.is_share
        else INTERVAL_METHOD
    )


def computed_anew(kept: str, task: Task | None, estimate: Estimate | None, what: str) -> str:
    """A sentence where the interval shown is not the one shown before, and why; else empty.

    ``kept`` : the method kept with the plan or session. ``what`` : "plan" or "session".
    """
    now = interval_method(task)
    if kept == now or estimate is None or estimate.low is None:
        return ""
    if kept in OF_GRADES_BEFORE and isinstance(task, Judgement):
        shares_before = kept != OF_GRADES_BEFORE[0] and not estimate.method.startswith(OF_ROUNDS)
        if OF_GRADES not in estimate.method or shares_before:
            return ""
        return (
            f"This {what} was made when grades had Student's interval. They now have the interval of a share, computed "
            "again from the same labels: the earlier one was wider than needed where nearly all outputs are right, and "
            "could miss faults that nothing had hinted at."
        )
    if now.startswith(OF_A_SHARE) and not kept.startswith(OF_A_SHARE):
        return (
            f"This {what} was made when the accuracy of numbers was 1 - mean squared error. It is now read by the "
            "share of inputs within the tolerance, and the precision requested then is applied to that share. The "
            "labels are as they were."
        )
    return (
        f"This {what} was made when intervals were computed by an earlier method, so its interval has been "
        "computed again: the earlier one could be too narrow where the network is sure of itself, where few "
        "inputs fail, where inputs were skipped, or where a few losses are very large. The labels and the "
        "accuracy are as they were."
    )
