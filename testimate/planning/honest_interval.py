"""An interval is shown only where the technique claims that it is honest."""

import re
from dataclasses import replace

from testimate.core.design import Design
from testimate.core.estimate import Estimate


def with_honest_interval(estimate: Estimate, technique: str, design: Design) -> Estimate:
    """The estimate, without its interval at a fixed size where the technique claims none, and why.

    The interval that is right whenever one stops stays: the estimator gives it only where it holds. So does the
    conservative one of an unbiased technique, which covers as often as it says where the ordinary one does not.
    """
    from testimate.selectors import SELECTORS

    if estimate.low is None or technique not in SELECTORS:
        return estimate
    claims = SELECTORS[technique].claims
    if claims.honest_interval or (claims.unbiased != "no" and _is_conservative(estimate, design)):
        return estimate
    why = f"{technique} has no honest interval at a fixed size. {claims.note} {estimate.why}"
    method = re.sub(", [^,]* interval$", "", estimate.method)  # what is not shown is not named
    return replace(estimate, low=None, high=None, settled_low=None, settled_high=None, method=method, why=why.strip())


def _is_conservative(estimate: Estimate, design: Design) -> bool:
    from testimate.estimators.interval_table import interval_line

    name = interval_line(type(design), "pass or fail").conservative
    return bool(name) and name in estimate.method
