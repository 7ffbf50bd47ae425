"""What open disputes could still change of a result: both ends, for its headline."""

from dataclasses import replace

from testimate.core.draw import Estimate
from testimate.core.errors import NotEnoughLabels
from testimate.core.words import spaced
from testimate.session.session import Session


def with_disputes(words: str, session: Session, estimate: Estimate | None) -> str:
    """A result's sentence, with what open disputes could change of it."""
    open_ones = disputed_words(session, estimate)
    return f"{words.rstrip('.')}; {open_ones}." if open_ones else words


def disputed_draws(session: Session) -> int:
    """How many draws so far are of inputs in dispute; an input drawn twice counts twice."""
    disputed = set(session.disputed())
    return sum(one.draw.row in disputed for one in session.verdicts()) if disputed else 0


def disputed_words(session: Session, estimate: Estimate | None) -> str:
    """The estimate if all disputed inputs were wrong, and if all were right; empty where none is, or a loss has no bound.

    What else has no answer stays as it is, so these are no intervals.
    """
    disputed, worst = set(session.disputed()), session.inputs.task.loss_bound
    if estimate is None or not disputed or worst is None:
        return ""
    ends = []
    for loss in (worst, 0.0):
        verdicts = [replace(one, loss=loss) if one.draw.row in disputed else one for one in session.verdicts()]
        try:
            ends.append(session.inputs.task.measure.value(session.estimate_of(verdicts).accuracy))
        except NotEnoughLabels:
            return ""
    which = "the disputed input is" if len(disputed) == 1 else f"all {spaced(len(disputed))} disputed inputs are"
    wrong = "wrong" if session.inputs.task.measure.is_share else "as wrong as can be"
    return f"{ends[0]} if {which} {wrong}, {ends[1]} if right"
