"""Whether a budget is too small for any estimate, determined before anyone labels."""

from collections.abc import Sequence

from testimate.core.design import Design
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.core.words import spaced
from testimate.estimators import estimator_of


def no_estimate_follows(design: Design, draws: Sequence[Draw], budget: int) -> str:
    """A sentence where no estimate can follow even from a label for every draw; else empty.

    ``draws`` : all that the technique gives before a label is known. Where it will give more, up to the ``budget``, nothing
    is said.
    """
    if len(draws) < budget:
        return ""
    try:
        estimator_of(design).estimate(design, [Verdict(draw, 0.0) for draw in draws])
    except NotEnoughLabels:
        needed = design.first_number_needs
        return f"No estimate is possible from {spaced(budget)} of these labels: it needs {needed}. Plan more."
    return ""
