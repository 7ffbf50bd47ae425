"""What is known of a session, in plain sentences."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from testimate.core.design import Purposive
from testimate.core.estimate import Estimate
from testimate.core.task import Classification, MultiLabel, Regression, Task
from testimate.metrics import SeverityCounts
from testimate.sessions.session import Session


def answer_in_words(task: Task, answer: Any, *, in_full: bool = False) -> str:
    """A tester's answer, as events hold it, by the names of its classes; empty for None.

    A number has four digits, or all of them ``in_full``.

    >>> answer_in_words(MultiLabel(("cat", "dog", "owl")), [0, 2])
    'cat, owl'
    """
    if answer is None:
        return ""
    if isinstance(task, MultiLabel):
        return ", ".join(task.classes[place] for place in answer)
    if isinstance(task, Classification):
        return str(task.classes[answer])
    return f"{answer!r}" if in_full else f"{answer:.4g}"


def prediction_in_words(task: Task, prediction: ArrayLike, *, in_full: bool = False) -> str:
    """A row of ``Inputs.predictions`` by the names of its classes, of the first k the most probable first.

    A number has its unit and, whatever the input, the same digits after the point: the last is a tenth of the power of ten
    that the tolerance begins with. Without a tolerance it has four digits; ``in_full`` all of them and no unit.

    >>> prediction_in_words(MultiLabel(("cat", "dog", "owl")), [1, 0, 1])
    'cat, owl'
    >>> prediction_in_words(Regression(6.0, unit="degrees"), -0.3413), prediction_in_words(Regression(250.0), 1234.5)
    ('-0.3 degrees', '1,234')
    >>> prediction_in_words(Regression(0.0), 0.123456), prediction_in_words(Regression(6.0), 0.123456, in_full=True)
    ('0.1235', '0.123456')
    """
    values = np.ravel(prediction).tolist()
    if isinstance(task, MultiLabel):
        return answer_in_words(task, np.flatnonzero(values).tolist())
    if isinstance(task, Classification):
        return ", ".join(task.classes[place] for place in values)
    if in_full or not isinstance(task, Regression):
        return answer_in_words(task, values[0], in_full=in_full)
    return f"{_rounded(values[0], task.tolerance)} {task.unit}".rstrip()


def truth_in_words(task: Task, truth: Any) -> str:
    """A row of ``Inputs.truth``, which but for a single class is stored as a prediction is."""
    return answer_in_words(task, truth) if isinstance(task, Classification) else prediction_in_words(task, truth)


def _rounded(number: float, tolerance: float) -> str:
    if not tolerance:
        return f"{number:.4g}"
    return f"{number:,.{max(0, 1 - math.floor(math.log10(tolerance)))}f}"


def standing_words(
    session: Session,
    estimate: Estimate | None,
    no_number: str,
    failures: int,
    severity: SeverityCounts | None,
    exploit: int = 0,
) -> str:
    """What the labels say by now: the accuracy with its interval, how many were labeled, and what was found.

    Why there is no interval, or why it stands at an earlier label, is ``estimate.why``.
    """
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
    if exploit:
        counts += f"; {exploit:,} of the labeled are exploit picks, which stand for no other input"
    if estimate is None:
        return f"{no_number} So far: {counts}."
    return f"{_accuracy_words(session, estimate)}; {counts}."


def _accuracy_words(session: Session, estimate: Estimate) -> str:
    size, regression = f"{len(session.inputs):,}", isinstance(session.inputs.task, Regression)
    if estimate.low is not None and estimate.high is not None:
        low, high = number_in_words(estimate.low, regression), number_in_words(estimate.high, regression)
        if regression:
            return f"1 - mean squared error over the {size} inputs lies between {low} and {high}"
        return f"Between {low} and {high} of the {size} inputs are classified right"
    accuracy, nothing = number_in_words(estimate.accuracy, regression), f"without a guarantee for all {size}"
    if isinstance(session.selector.design, Purposive):
        if regression:
            return f"Over the inputs chosen 1 - mean squared error is {accuracy}, {nothing}"
        return f"Of the inputs chosen {accuracy} are classified right, {nothing}"
    if regression:
        return f"1 - mean squared error is about {accuracy}, {nothing}"
    return f"About {accuracy} are classified right, {nothing}"


def whenever_words(session: Session, estimate: Estimate | None) -> str:
    """The always-valid interval as a sentence; empty where there is none."""
    if estimate is None or estimate.always_low is None or estimate.always_high is None:
        return ""
    regression = isinstance(session.inputs.task, Regression)
    what = "1 - mean squared error" if regression else "the accuracy"
    low, high = (number_in_words(end, regression) for end in (estimate.always_low, estimate.always_high))
    return f"Whenever you stop, {what} lies between {low} and {high} with {100 * estimate.level:.0f} % confidence."


def skipped_words(session: Session, estimate: Estimate | None) -> str:
    """What the inputs reached and not settled could change, as a sentence; empty where there are none."""
    if estimate is None or estimate.skipped_high is None:
        return ""
    regression = isinstance(session.inputs.task, Regression)
    count = "1 input was" if estimate.skipped == 1 else f"{estimate.skipped:,} inputs were"
    bounds = f"{number_in_words(estimate.skipped_high, regression)} if all of them were right"
    if estimate.skipped_low is not None:
        wrong = "as wrong as can be" if regression else "wrong"
        bounds += f", and {number_in_words(estimate.skipped_low, regression)} if all were {wrong}"
    return f"{count} skipped, put off or not settled: with every label so far the estimate would be {bounds}."


def may_stop_words(session: Session, estimate: Estimate | None) -> tuple[bool, str]:
    """Whether the always-valid interval is as narrow as was asked when the session was planned, and a sentence on it."""
    regression = isinstance(session.inputs.task, Regression)
    asked = difference_in_words(session.session_record.half_width, regression)
    if estimate is None:
        return False, f"Not yet: you may stop when the stop-safe interval is within ±{asked}."
    half_width = estimate.always_half_width
    if half_width is None:
        return False, f"There is no stop-safe interval here; label all {session.planned:,} planned inputs."
    met = difference_in_words(half_width, regression)
    if half_width <= session.session_record.half_width:
        return True, f"You may stop: the stop-safe interval is within ±{asked} (it is ±{met})."
    return False, f"Not yet: the stop-safe interval is ±{met}; you may stop when it is within ±{asked}."


def number_in_words(value: float, regression: bool, digits: int = 1) -> str:
    """A share in percent with so many digits after the point, or the number itself with four in all."""
    return f"{value:.4g}" if regression else f"{100 * value:.{digits}f} %"


def difference_in_words(value: float, regression: bool, digits: int = 1) -> str:
    """A difference of two shares in percentage points, which "%" would take for a share of a share; or the number itself.

    >>> difference_in_words(0.084, False)
    '8.4 points'
    """
    return f"{value:.4g}" if regression else f"{100 * value:.{digits}f} points"
