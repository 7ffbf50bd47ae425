"""A gate for a build server: does a model pass, by the interval that counts, as words, exit status, JUnit XML and Markdown."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal
from xml.sax.saxutils import escape, quoteattr

from testimate.core.draw import Estimate
from testimate.core.words import percent, percent_range
from testimate.estimators.margin_test import Outcome
from testimate.estimators.version_difference import Difference
from testimate.planning.estimate import Headline
from testimate.planning.margin_gate import MarginGate, margin_in_words

By = Literal["low", "estimate"]

STATUS: dict[Outcome, int] = {"pass": 0, "fail": 1, "undecided": 3}
"""Exit status of each outcome; 2 is bad input."""


@dataclass(frozen=True)
class Check:
    """One question asked of a model: its name, what came out, and why, in a sentence."""

    name: str
    outcome: Outcome
    why: str

    def to_json(self) -> dict[str, Any]:
        """{"name", "outcome", "why"}, each a string."""
        return asdict(self)


def accuracy_check(estimate: Estimate, headline: Headline | None, least: float, by: By) -> Check:
    """Whether the accuracy reaches ``least``, a share.

    By its low end: passed where the low end of the interval that counts reaches it, failed where the high end lies below, else
    undecided. By "estimate": passed or failed by the accuracy alone.
    """
    low, high = _counting(headline, estimate.low, estimate.high, estimate.always_low, estimate.always_high)
    ends = None if low is None or high is None else percent_range(low, high, 2)
    name = f"accuracy of at least {percent(least, 2)}"
    said = f"It is {percent(estimate.accuracy, 2)}"
    return _check(name, estimate.accuracy, (low, high), least, by, said, ends)


def difference_check(difference: Difference, headline: Headline | None, most: float, by: By) -> Check:
    """Whether the new version is at most ``most`` percentage points worse than the old; decided as in ``accuracy_check``."""
    ends = (difference.low, difference.high, difference.always_low, difference.always_high)
    low, high = _counting(headline, *ends)
    name = margin_in_words(most)
    said = f"New minus old is {_points(difference.value)} points"
    between = (
        None if low is None or high is None else f"{_points(low, math.floor)} to {_points(high, math.ceil)} points"
    )
    return _check(name, difference.value, (low, high), -most / 100, by, said, between)


def margin_check(gate: MarginGate) -> Check:
    """The answer of a gate that asks until it is decided."""
    return Check(gate.name, gate.outcome, gate.why)


def _counting(
    headline: Headline | None,
    low: float | None,
    high: float | None,
    always_low: float | None,
    always_high: float | None,
) -> tuple[float | None, float | None]:
    """The ends of the interval that counts."""
    if headline is None:
        return None, None
    return (low, high) if headline == "fixed" else (always_low, always_high)


def _check(
    name: str,
    value: float,
    ends: tuple[float | None, float | None],
    least: float,
    by: By,
    said: str,
    interval: str | None,
) -> Check:
    """The check of a value, which a clause says, with its interval, against the least that passes."""
    low, high = ends
    if by == "estimate":
        return Check(name, "pass" if value >= least else "fail", f"{said} by the estimate alone.")
    if low is None or high is None:
        why = f"{said}, but no valid interval yet, because the plan stopped early. Label the rest."
        return Check(name, "undecided", why)
    outcome: Outcome = "pass" if low >= least else "fail" if high < least else "undecided"
    more = " Label more to decide." if outcome == "undecided" else ""
    return Check(name, outcome, f"{said}, interval {interval}.{more}")


def status_of(checks: Sequence[Check]) -> int:
    """The exit status: 1 where one failed, else 3 where one is undecided, else 0.

    >>> status_of([Check("a", "undecided", ""), Check("b", "fail", "")]), status_of([Check("c", "pass", "")])
    (1, 0)
    """
    outcomes = {one.outcome for one in checks}
    worst: Outcome = "fail" if "fail" in outcomes else "undecided" if "undecided" in outcomes else "pass"
    return STATUS[worst]


def junit(checks: Sequence[Check]) -> str:
    """The checks as JUnit XML: a failed one is a failure, an undecided one an error, which neither passed nor failed."""
    counts = {outcome: sum(one.outcome == outcome for one in checks) for outcome in STATUS}
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="testimate" tests="{len(checks)}" failures="{counts["fail"]}" errors="{counts["undecided"]}">',
    ]
    tags: dict[Outcome, str] = {"pass": "system-out", "fail": "failure", "undecided": "error"}
    for one in checks:
        tag = tags[one.outcome]
        message = "" if one.outcome == "pass" else f" message={quoteattr(one.outcome)}"
        lines.append(f'  <testcase classname="testimate" name={quoteattr(one.name)}>')
        lines.append(f"    <{tag}{message}>{escape(one.why)}</{tag}>")
        lines.append("  </testcase>")
    return "\n".join([*lines, "</testsuite>"]) + "\n"


def markdown(checks: Sequence[Check]) -> str:
    """The checks as a table in Markdown.

    >>> print(markdown([Check("accuracy of at least 90.0%", "pass", "It is 93.0%.")]), end="")
    | check | result | why |
    |---|---|---|
    | accuracy of at least 90.0% | **pass** | It is 93.0%. |
    """
    rows = [f"| {one.name} | **{one.outcome}** | {one.why} |" for one in checks]
    return "\n".join(["| check | result | why |", "|---|---|---|", *rows]) + "\n"


def _points(value: float, rounded: Callable[[float], int] = round) -> str:
    """A difference in percentage points, with its sign.

    >>> _points(0.0125), _points(-0.50001, math.floor), _points(0.00001, math.ceil)
    ('+1.25', '-50.01', '+0.01')
    """
    return f"{rounded(round(10_000 * value, 6)) / 100:+.2f}"
