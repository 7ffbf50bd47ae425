"""What is known of a session, in plain sentences."""

from testimate.core.estimate import Estimate
from testimate.core.task import Regression
from testimate.metrics import SeverityCounts
from testimate.sessions.session import Session


def standing_words(
    session: Session, estimate: Estimate | None, no_number: str, failures: int, severity: SeverityCounts | None
) -> str:
    """What the labels say by now: the accuracy with its interval, how many were labeled, and what was found."""
    task = session.inputs.task
    counts = f"{session.labeled:,} labeled"
    if isinstance(task, Regression):
        counts += f", {failures:,} off by more than {f'{task.tolerance:g} {task.unit}'.strip()}"
    else:
        counts += f", {failures:,} wrong"
    if failures and severity is not None:
        counts += f", {severity.high:,} of them with at least 80 % confidence"
    if session.skipped:
        counts += f", {session.skipped:,} skipped"
    if estimate is None:
        return f"{no_number} So far: {counts}."
    held_up = f" {estimate.why}" if estimate.low is not None else ""
    return f"{_accuracy_words(session, estimate)}; {counts}.{held_up}".rstrip()


def _accuracy_words(session: Session, estimate: Estimate) -> str:
    size, regression = f"{len(session.inputs):,}", isinstance(session.inputs.task, Regression)
    if estimate.low is not None and estimate.high is not None:
        low, high = _number(estimate.low, regression), _number(estimate.high, regression)
        if regression:
            return f"1 - mean squared error over the {size} inputs lies between {low} and {high}"
        return f"Between {low} and {high} of the {size} inputs are classified right"
    accuracy, why = _number(estimate.accuracy, regression), estimate.why.rstrip(".") or "it has no interval"
    if regression:
        return f"1 - mean squared error is about {accuracy}, without a guarantee for the {size} inputs: {why}"
    return f"About {accuracy} are classified right, without a guarantee for the {size} inputs: {why}"


def may_stop_words(session: Session, estimate: Estimate | None) -> tuple[bool, str]:
    """Whether the always-valid interval is as narrow as was asked when the session was planned, and a sentence on it."""
    regression = isinstance(session.inputs.task, Regression)
    asked = _number(session.session_record.half_width, regression)
    if estimate is None:
        return False, f"Not yet: you may stop when the stop-safe interval is within ±{asked}."
    half_width = estimate.always_half_width
    if half_width is None:
        return False, f"There is no stop-safe interval here; label all {session.planned:,} planned inputs."
    met = _number(half_width, regression)
    if half_width <= session.session_record.half_width:
        return True, f"You may stop: the stop-safe interval is within ±{asked} (it is ±{met})."
    return False, f"Not yet: the stop-safe interval is ±{met}; you may stop when it is within ±{asked}."


def _number(value: float, regression: bool) -> str:
    """A share in percent, or the number itself."""
    return f"{value:.4g}" if regression else f"{100 * value:.1f} %"
