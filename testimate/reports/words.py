"""What is known of a session, in plain sentences."""

from testimate.core.estimate import Estimate
from testimate.core.measure import SHARE_RIGHT, Measure
from testimate.core.rounding import percent
from testimate.metrics import SeverityCounts
from testimate.planning.error_estimate import ErrorEstimate, share_words, within_words
from testimate.reports.plurals import counted
from testimate.session.session import Session


def standing_words(
    session: Session,
    estimate: Estimate | None,
    no_number: str,
    failures: int,
    severity: SeverityCounts | None,
    exploit: int = 0,
    errors: ErrorEstimate | None = None,
) -> str:
    """What the labels say so far: the accuracy with its interval, how many were labeled, and what was found.

    Of a regression with a tolerance, ``errors`` come first: the share within it, then the mean errors.

    Why there is no interval, or why it stands at an earlier label, is ``estimate.why``.
    """
    counts = f"{session.labeled:,} labeled, {failures:,} {session.inputs.task.fault_words}"
    if failures and severity is not None:
        counts += f", {severity.high:,} of them with at least 80 % confidence"
    if session.skipped:
        counts += f", {session.skipped:,} skipped"
    if exploit:
        counts += f"; {exploit:,} of the labeled are exploit picks, which stand for no other input"
    if estimate is None:
        return f"{no_number} So far: {counts}."
    if errors is not None:
        at_random = session.selector.design.at_random
        return f"{share_words(errors, len(session.inputs), at_random=at_random)}; {counts}. {errors.words(estimate)}"
    return f"{_accuracy_words(session, estimate)}; {counts}."


def _accuracy_words(session: Session, estimate: Estimate) -> str:
    size, measure = f"{len(session.inputs):,}", session.inputs.task.measure
    if estimate.low is not None and estimate.high is not None:
        low, high = measure.ends(estimate.low, estimate.high)
        if measure.is_share:
            return f"Between {low} and {high} of the {size} inputs are classified right"
        return f"{measure.noun} over the {size} inputs lies between {low} and {high}"
    accuracy, nothing = measure.value(estimate.accuracy), f"without a guarantee for all {size}"
    if not session.selector.design.at_random:
        if measure.is_share:
            return f"Of the inputs chosen {accuracy} are classified right, {nothing}"
        return f"Over the inputs chosen {measure.noun} is {accuracy}, {nothing}"
    if measure.is_share:
        return f"About {accuracy} are classified right, {nothing}"
    return f"{measure.noun} is about {accuracy}, {nothing}"


def whenever_words(session: Session, estimate: Estimate | None, errors: ErrorEstimate | None = None) -> str:
    """The always-valid interval as a sentence, of a regression's share within tolerance; empty where there is none."""
    if errors is not None and errors.share.always_low is not None and errors.share.always_high is not None:
        low, high = SHARE_RIGHT.ends(errors.share.always_low, errors.share.always_high)
        sure = percent(errors.share.level, 0, space=" ")
        return f"Whenever you stop, between {low} and {high} are {within_words(errors.task)}, with {sure} confidence."
    if estimate is None or estimate.always_low is None or estimate.always_high is None:
        return ""
    measure = session.inputs.task.measure
    low, high = measure.ends(estimate.always_low, estimate.always_high)
    sure = percent(estimate.level, 0, space=" ")
    return f"Whenever you stop, {measure.noun} lies between {low} and {high} with {sure} confidence."


def widened_words(estimate: Estimate | None, measure: Measure) -> str:
    """What the skipped inputs cost in width, as a sentence; empty where they leave the interval as it is."""
    if estimate is None or estimate.settled_half_width is None or estimate.half_width is None:
        return ""
    for digits in (1, 2, 3):
        before, after = (
            measure.half_width(half, digits) for half in (estimate.settled_half_width, estimate.half_width)
        )
        if before != after:
            break
    verb = "widens" if estimate.skipped == 1 else "widen"
    return (
        f"{counted(estimate.skipped, 'skipped input')} {verb} the interval from ±{before.removesuffix(' points')} to ±{after}: "
        "its low end counts all of them as wrong, its high end all as right."
    )


def skipped_words(estimate: Estimate | None, measure: Measure) -> str:
    """What the inputs reached and not settled change and could change, as sentences; empty where there are none."""
    if estimate is None or estimate.skipped_high is None:
        return ""
    count = "1 input was" if estimate.skipped == 1 else f"{estimate.skipped:,} inputs were"
    bounds = f"{measure.value(estimate.skipped_high)} if all of them were right"
    if estimate.skipped_low is not None:
        wrong = "wrong" if measure.is_share else "as wrong as can be"
        bounds += f", and {measure.value(estimate.skipped_low)} if all were {wrong}"
    could = f"{count} skipped, put off or not settled: with every label so far the estimate would be {bounds}."
    return f"{widened_words(estimate, measure)} {could}".strip()


def may_stop_words(session: Session, estimate: Estimate | None) -> tuple[bool, str]:
    """Whether the always-valid interval is as narrow as was asked when the session was planned, and a sentence on it."""
    measure = session.inputs.task.measure
    asked = measure.half_width(session.session_record.half_width)
    if estimate is None:
        return False, f"Not yet: you may stop when the stop-safe interval is within ±{asked}."
    half_width = estimate.always_half_width
    if half_width is None:
        return False, f"There is no stop-safe interval here; label all {session.planned:,} planned inputs."
    reached = measure.half_width(half_width)
    if half_width <= session.session_record.half_width:
        return True, f"You may stop: the stop-safe interval is within ±{asked} (it is ±{reached})."
    return False, f"Not yet: the stop-safe interval is ±{reached}; you may stop when it is within ±{asked}."
