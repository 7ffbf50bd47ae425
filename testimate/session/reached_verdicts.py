"""The verdicts of a session up to the last draw reached, updated only where a row changed."""

from collections.abc import Mapping
from typing import Protocol

from testimate.core.draw import Verdict
from testimate.session.asked_draws import AskedDraws


class HasLoss(Protocol):
    """What stands of a row: its loss, None where it could not be told."""

    @property
    def loss(self) -> float | None:
        """0 and above; None where it could not be told."""


class ReachedVerdicts:
    """A verdict for each draw up to the last that was voted on or put off, and the repeats of settled rows right after it.

    A verdict that did not change stays the same object, so that a caller who kept the last ones sees at once what is new.
    """

    def __init__(self, asked: AskedDraws, standing: Mapping[int, HasLoss]) -> None:
        self._asked, self._standing = asked, standing
        self._acted: set[int] = set()  # rows that were voted on or put off
        self._last = 0  # draws up to the last of them
        self._changed: set[int] = set()
        self._now: tuple[Verdict, ...] = ()

    def change(self, row: int, acted: bool) -> None:
        """Something was done with the row; ``acted``: whether it is voted on or put off now."""
        self._changed.add(row)
        position = self._asked.positions[row][0] + 1
        if acted:
            self._acted.add(row)
            self._last = max(self._last, position)
            return
        self._acted.discard(row)
        if position == self._last:
            self._last = max((self._asked.positions[other][0] + 1 for other in self._acted), default=0)

    def extended(self) -> None:
        """There are more draws after the last one, and those of settled rows right after it are reached, too."""
        self._changed.add(self._asked.draws[-1].row)

    def now(self) -> tuple[Verdict, ...]:
        """The verdicts in draw order; the loss is of what stands, None where nothing does."""
        if self._changed:
            self._now = self._brought_up_to_date()
            self._changed.clear()
        return self._now

    def _brought_up_to_date(self) -> tuple[Verdict, ...]:
        draws, standing = self._asked.draws, self._standing
        reached = self._last
        while reached < len(draws) and draws[reached].row in standing:
            reached += 1
        verdicts = list(self._now[:reached])
        places = [place for row in self._changed for place in self._asked.positions[row] if place < len(verdicts)]
        for place in (*places, *range(len(verdicts), reached)):
            draw = draws[place]
            settled = standing.get(draw.row)
            verdict = Verdict(draw, None if settled is None else settled.loss)
            if place < len(verdicts):
                verdicts[place] = verdict
            else:
                verdicts.append(verdict)
        return tuple(verdicts)
