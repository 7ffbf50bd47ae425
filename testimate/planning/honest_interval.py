"""An interval is shown only where the technique claims that it is honest."""

import re
from dataclasses import replace

from testimate.core.draw import Estimate


def with_honest_interval(estimate: Estimate, technique: str) -> Estimate:
    """The estimate, without its interval at a fixed size where the technique claims none, and why.

    The interval that is right whenever one stops stays: the estimator gives it only where it holds. The conservative one goes
    too: of draws with unequal chances it holds 80 % where the failures lie among inputs of low chance (docs/intervals.md).
    """
    from testimate.selectors import SELECTORS

    if estimate.low is None or technique not in SELECTORS:
        return estimate
    claims = SELECTORS[technique].claims
    if claims.honest_interval:
        return estimate
    why = f"{technique} has no honest interval at a fixed size. {claims.note} {estimate.why}"
    method = re.sub(", [^,]* interval$", "", estimate.method)  # what is not shown is not named
    return replace(estimate, low=None, high=None, settled_low=None, settled_high=None, method=method, why=why.strip())
