"""Say the gaps between the groups of a column in words: each against the rest, and the largest one between two."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.estimators.gaps import Gap, Gaps, group_gaps
from testimate.planning.parts import Grouping, why_counts_only
from testimate.planning.task_estimates import outcomes_of
from testimate.reports.compared_models import points, points_range
from testimate.session.session import Session


@dataclass(frozen=True, eq=False)
class ColumnGaps:
    """The gaps between the groups of one column."""

    column: str
    values: tuple[str, ...]
    found: Gaps

    def lines(self) -> list[tuple[str, str]]:
        """Return each group's name with its gap from the rest in words, those without a number last."""
        ranked = sorted(self.found.each, key=lambda one: (one.value is None, one.value or 0.0))
        return [(self.values[one.first], gap_in_words(one)) for one in ranked]

    def largest(self) -> str:
        """Return the largest gap in a sentence; "" without one."""
        one = self.found.largest
        if one is None:
            return ""
        apart = "They differ." if one.low is not None and one.low > 0 else "Chance alone may explain it."
        between = f"{self.values[one.first]} above {self.values[one.second]}"
        return f"Largest gap: {between}, {gap_in_words(one)}, allowing for all pairs. {apart}"

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; numbers are null where ``why`` says what is missing."""
        largest = self.found.largest
        return {
            "column": self.column,
            "rest": [self._gap(one) for one in self.found.each],
            "largest": None if largest is None else {**self._gap(largest), "beside": self.values[largest.second]},
        }

    def _gap(self, one: Gap) -> dict[str, Any]:
        return {"value": self.values[one.first], "gap": one.value, "low": one.low, "high": one.high, "why": one.why}


def gap_in_words(one: Gap) -> str:
    """Return a gap in points with its interval, or why there is none.

    >>> gap_in_words(Gap(0, 1, 0.2, 0.0524, 0.3339)), gap_in_words(Gap(0, 1, why="3 labels, 10 needed"))
    ('+20.0 points (+5.2 to +33.4)', 'no number, 3 labels, 10 needed')
    """
    if one.value is None or one.low is None or one.high is None:
        return f"no number, {one.why}"
    return f"{points(one.value)} points ({points_range(one.low, one.high).removesuffix(' points')})"


def gaps_of(
    groupings: Sequence[Grouping],
    design: Design,
    verdicts: Sequence[Verdict],
    *,
    technique: str,
    level: float = 0.95,
    simultaneous: bool = False,
    loss_bound: float | None = 1.0,
) -> tuple[ColumnGaps, ...]:
    """Return the gaps of each grouping; a technique that claims no honest interval has none."""
    why, made = why_counts_only(technique), []
    for one in groupings:
        count = len(one.values)
        found = group_gaps(
            design, verdicts, one.groups, count, level=level, simultaneous=simultaneous, loss_bound=loss_bound
        )
        if why:
            found = Gaps(tuple(Gap(gap.first, gap.second, why=why) for gap in found.each), None)
        made.append(ColumnGaps(one.column, tuple(one.values), found))
    return tuple(made)


def session_gaps(session: Session, grouping: Grouping, *, simultaneous: bool = False) -> ColumnGaps:
    """Return the gaps between the groups by the session's labels."""
    task, record = session.inputs.task, session.session_record
    return gaps_of(
        [grouping],
        session.selector.design,
        outcomes_of(task, session.verdicts()),
        technique=record.request.technique,
        level=record.level,
        simultaneous=simultaneous,
        loss_bound=task.outcome_bound,
    )[0]
