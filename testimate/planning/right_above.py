"""Above which confidence enough inputs are right: the plan of a ladder, and what a ladder or any other plan certifies."""

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.words import counted, percent
from testimate.estimators.right_above import RightAbove, of_ladder, right_above
from testimate.planning.parts import PartLabels, why_counts_only
from testimate.selectors import LADDER
from testimate.structure.confidence_ladder import (
    LOOKS,
    RIGHT,
    RISK,
    USUAL,
    Ladder,
    check_share,
    faultless_labels,
    rungs_of,
)

LABELS = 5
"""Labels that a ladder plans if nobody says how many, in multiples of those that its first look takes."""


def confidence_of(inputs: Inputs) -> NDArray[np.float64]:
    """Return the chance that each input is right, (N,); BadInput if there is none, or nothing is right or wrong."""
    if inputs.confidence is None or not inputs.task.one_class:
        raise BadInput(
            "These inputs have no confidence that one answer is right. Expected a column confidence, or p_<class>. Add one."
        )
    return inputs.confidence


def first_look(share: float) -> int:
    """Return how many labels without a fault a ladder certifies its first rung with."""
    return faultless_labels(share, RISK / LOOKS)


def ladder_share(request: Request) -> float:
    """Return the share that is to be right, of a ladder's request."""
    return float(request.options.get(RIGHT, USUAL))


def ladder_request(inputs: Inputs, share: float, *, budget: int | None, seed: int) -> Request:
    """Return the request of a ladder; BadInput without a confidence. ``budget`` : None for as many as it usually takes."""
    confidence_of(inputs)
    planned = min(LABELS * first_look(check_share(share)), len(inputs)) if budget is None else budget
    return Request(LADDER, planned, seed, options={RIGHT: float(share)})


def ladder_words(inputs: Inputs, share: float) -> str:
    """Return what a ladder takes at least, before its first label, in a sentence or two."""
    surest = int(rungs_of(confidence_of(inputs)).sizes[0])
    if surest <= first_look(share):
        every = f"All of the surest {counted(surest, 'input')} are labeled."
        return f"{every} Fewer labels could not show that {percent(share)} of them are right."
    return (
        f"To show that {percent(share)} of the surest inputs are right takes {counted(first_look(share), 'label')} without a "
        "fault, and more with one."
    )


def certified(request: Request, labels: PartLabels, inputs: Inputs, share: float | None = None) -> RightAbove:
    """Return what the labels of a plan certify.

    Parameters
    ----------
    share : that is to be right; None for that of a ladder, else 0.95.
    labels : at whose level no more is certified than is true; that of a ladder is always 95%.

    Raises BadInput without a confidence, or for another share than a ladder was made for.
    """
    confidence = confidence_of(inputs)
    if request.technique != LADDER:
        share = check_share(USUAL if share is None else share)
        if why := why_counts_only(request.technique):
            return RightAbove(share, len(inputs), why=f"{why}.")
        return right_above(labels.design, labels.verdicts, confidence, share, level=labels.level)
    own = ladder_share(request)
    if share is not None and check_share(share) != own:
        raise BadInput(
            f"The share that is to be right is {share:g}, and this plan's labels were drawn for {own:g}. Expected that one. "
            "Give it, or make another plan."
        )
    design = labels.design
    ladder = Ladder(own, design.stratum_sizes, design.planned, design.aimed_at or design.planned)
    return of_ladder(ladder, labels.verdicts, confidence)


SHARES = (0.9, 0.95, 0.99)
"""That are looked for unasked."""


def certified_shares(request: Request, labels: PartLabels, inputs: Inputs) -> tuple[RightAbove, ...]:
    """Return those of ``SHARES`` that are certified, and the first that is not; of a ladder its own, of chosen inputs none."""
    if request.technique == LADDER:
        return (certified(request, labels, inputs),)
    if not labels.design.at_random or why_counts_only(request.technique):
        return ()
    found = [certified(request, labels, inputs, share) for share in SHARES]
    first = next((at for at, one in enumerate(found) if one.least is None), len(found))
    return tuple(found[: first + 1])
