"""Which method made a plan's or session's intervals, kept with it so that later ones can say what was computed anew."""

from testimate.core.estimate import Estimate

INTERVAL_METHOD = "score, skipped bounded, skewness corrected"
"""Kept with every plan and session when it is made; raised whenever the same labels would get another ordinary interval.

Those made before it was kept have none, "". No interval is ever stored: each is computed from the votes when it is shown.
"""


def computed_anew(kept: str, estimate: Estimate | None, what: str) -> str:
    """A sentence where the interval shown is not the one shown before, and why; else empty.

    ``kept`` : the method kept with the plan or session. ``what`` : "plan" or "session".
    """
    if kept == INTERVAL_METHOD or estimate is None or estimate.low is None:
        return ""
    return (
        f"This {what} was made with an earlier method of the interval, so its interval is computed anew: the earlier one could "
        "be too narrow where the network is sure of itself, where few inputs fail, where inputs were skipped, or where "
        "a few losses are very large. The labels "
        "and the accuracy are as they were."
    )
