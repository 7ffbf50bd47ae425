"""About how many more labels the stop-safe interval needs; recomputed now and then, because it costs as much as a label."""

from weakref import WeakKeyDictionary

from testimate.core.estimate import Estimate
from testimate.estimators.labels_needed import labels_still_needed
from testimate.reports.plurals import counted
from testimate.session.session import Session

FEWEST, SHARE = 5, 0.05
"""Labels after which the forecast is made anew: so many, or this share of those it was made from."""

_kept: WeakKeyDictionary[Session, tuple[int, int | None]] = WeakKeyDictionary()


def still_needed(session: Session, estimate: Estimate | None) -> int | None:
    """Labels still needed until the stop-safe interval is as narrow as was asked; None where that cannot be predicted.

    A forecast "about so many": between two computations it counts down with the labels.
    """
    bound = session.inputs.task.loss_bound
    if estimate is None or estimate.always_half_width is None or bound is None:
        return None
    at, count = _kept.get(session, (estimate.labeled + 1, None))
    if not at <= estimate.labeled < at + max(FEWEST, SHARE * at):
        wanted, design = session.session_record.half_width, session.selector.design
        at, count = estimate.labeled, labels_still_needed(estimate, design, wanted, always_valid=True, loss_bound=bound)
        _kept[session] = (at, count)
    return None if count is None else max(count - (estimate.labeled - at), 1)


def still_needed_words(session: Session, estimate: Estimate | None) -> str:
    """The same as a sentence, which says where the plan holds fewer inputs; empty where nothing can be predicted."""
    count, left = still_needed(session, estimate), session.remaining
    if count is None:
        return ""
    held = f"; the plan holds {left:,} more" if count > left else ""
    return f"That takes about {counted(count, 'more label')}{held}."
