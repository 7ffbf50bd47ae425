"""The draws a technique has given so far, the outcomes it has learned, and the verdicts of the draws reached."""

from collections.abc import Mapping
from dataclasses import asdict
from math import isclose
from typing import Any, Protocol

from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput, UnknownRow
from testimate.core.selector import DrawsMore, Selector
from testimate.core.words import spaced


class AskedDraws:
    """The draws of a session in their order.

    The selector is asked for all the draws it will give, and again after each outcome it learns. So the same rows
    settled in the same order lead to the same asks and tells, whatever a page reads in between.

    Attributes
    ----------
    draws : every draw given so far.
    positions : row -> the positions of its draws, rising.
    told : row -> the loss passed to the selector, in order; a vote changed later does not change it.
    """

    def __init__(self, selector: Selector) -> None:
        self._selector = selector
        self.draws: list[Draw] = []
        self.positions: dict[int, list[int]] = {}
        self.told: dict[int, float | None] = {}
        self._answers: dict[int, Any] = {}
        self._more: list[int] = []  # outcomes told before each extra round, drawn because inputs ran out
        self._ask_ahead()

    @property
    def more_to_come(self) -> bool:
        """Whether the technique has draws left to make."""
        return self._selector.remaining > 0

    def first_position(self, row: int) -> int:
        """The position of the row's first draw, from 0; UnknownRow where it has not been drawn."""
        if row not in self.positions:
            raise UnknownRow(
                f"Row {row} was not drawn by the plan, so its chance is not known. Label it as exploration instead."
            )
        return self.positions[row][0]

    def first(self, row: int) -> Draw:
        """The row's first draw; UnknownRow as above."""
        return self.draws[self.first_position(row)]

    def tell(self, row: int, loss: float | None, answer: Any = None) -> None:
        """The row is settled; the selector learns the outcome of all its draws, the first time only."""
        if row not in self.told:
            self.told[row], self._answers[row] = loss, answer
            self._selector.tell([Verdict(self.draws[position], loss, answer) for position in self.positions[row]])
            self._ask_ahead()

    def draw_more(self) -> bool:
        """Has the selector draw one more round although it waits for labels; whether there are more draws now."""
        before = len(self.draws)
        if not isinstance(self._selector, DrawsMore):
            return False
        self._selector.draw_more()
        self._ask_ahead()
        if len(self.draws) > before:
            self._more.append(len(self.told))
        return len(self.draws) > before

    def continued(self, selector: Selector) -> "AskedDraws":
        """The draws of a selector with a larger budget after the same outcomes in the same order.

        BadInput where it does not begin with the draws so far, whose chances would then no longer hold.
        """
        larger = AskedDraws(selector)
        for count, (row, loss) in enumerate(self.told.items()):
            larger._draw_again(self._more.count(count))
            if row not in larger.positions:
                break
            larger.tell(row, loss, self._answers[row])
        larger._draw_again(self._more.count(len(self.told)))
        first = larger.draws[: len(self.draws)]
        if len(first) < len(self.draws) or not all(map(_same_draw, first, self.draws)):
            raise BadInput(
                f"{selector.title} distributes its labels over the whole plan at once; with more labels its first "
                f"{spaced(len(self.draws))} draws would differ, and their chances would no longer hold. Plan a new "
                "session."
            )
        return larger

    def _draw_again(self, rounds: int) -> None:
        for _ in range(rounds):
            self.draw_more()

    def take_over(self, larger: "AskedDraws") -> None:
        """Replaces these draws by the ``continued`` ones."""
        self._selector = larger._selector
        self.draws, self.positions = larger.draws, larger.positions
        self.told, self._answers, self._more = larger.told, larger._answers, larger._more

    def _ask_ahead(self) -> None:
        """Takes every draw the selector gives at this point; a repeat of a settled row is settled at once."""
        while self._selector.remaining > 0 and (draws := self._selector.ask(self._selector.remaining)):
            repeats = []
            for draw in draws:
                self.positions.setdefault(draw.row, []).append(len(self.draws))
                self.draws.append(draw)
                if draw.row in self.told:
                    repeats.append(Verdict(draw, self.told[draw.row], self._answers[draw.row]))
            if repeats:
                self._selector.tell(repeats)


def _same_draw(one: Draw, other: Draw) -> bool:
    """Whether input, stratum and chance are the same, the chance up to rounding; the reason may differ."""
    apart = {"reason": "", "probability": None}
    return asdict(one) | apart == asdict(other) | apart and isclose(
        one.probability or 0.0, other.probability or 0.0, rel_tol=1e-9
    )


class HasLoss(Protocol):
    """The standing result of a row: its loss, None where nobody could tell."""

    @property
    def loss(self) -> float | None:
        """0 and above; None where nobody could tell."""


class ReachedVerdicts:
    """A verdict for each draw up to the last that was voted on or put off, and the repeats of settled rows right after it.

    A verdict that did not change stays the same object, so that a caller who kept the last list sees quickly what is
    new.
    """

    def __init__(self, asked: AskedDraws, standing: Mapping[int, HasLoss]) -> None:
        self._asked, self._standing = asked, standing
        self._acted: set[int] = set()  # rows that were voted on or put off
        self._last = 0  # draws up to the last of them
        self._changed: set[int] = set()
        self._now: tuple[Verdict, ...] = ()

    def change(self, row: int, acted: bool) -> None:
        """Notes a change of the row; ``acted``: whether it now has a vote or is put off."""
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
        """Notes that draws were added after the last one; those of settled rows right after it are reached, too."""
        self._changed.add(self._asked.draws[-1].row)

    def now(self) -> tuple[Verdict, ...]:
        """The verdicts in draw order, each with the loss of the standing answer; None where there is none."""
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
