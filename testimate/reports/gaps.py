"""Say the gaps between the groups of a column in words: each against the rest, and the largest one between two."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from testimate.estimators.gaps import Gap, Gaps, group_gaps
from testimate.planning.parts import Grouping, PartLabels, why_counts_only
from testimate.reports.compared_models import points, points_range
from testimate.reports.parts import part_labels
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


def gaps_of(groupings: Sequence[Grouping], labels: PartLabels, *, simultaneous: bool = False) -> tuple[ColumnGaps, ...]:
    """Return the gaps of each grouping; a technique that claims no honest interval has none."""
    why, made = why_counts_only(labels.technique), []
    for one in groupings:
        count = len(one.values)
        found = group_gaps(
            labels.design,
            labels.verdicts,
            one.groups,
            count,
            level=labels.level,
            simultaneous=simultaneous,
            loss_bound=labels.loss_bound,
        )
        if why:
            found = Gaps(tuple(Gap(gap.first, gap.second, why=why) for gap in found.each), None)
        made.append(ColumnGaps(one.column, tuple(one.values), found))
    return tuple(made)


def session_gaps(session: Session, grouping: Grouping, *, simultaneous: bool = False) -> ColumnGaps:
    """Return the gaps between the groups by the session's labels."""
    return gaps_of([grouping], part_labels(session), simultaneous=simultaneous)[0]
