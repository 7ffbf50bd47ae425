"""The draws a technique has given so far, and the outcomes it has learned."""

from typing import Any

from testimate.core.draw import Draw, Verdict
from testimate.core.errors import UnknownRow
from testimate.core.selector import Selector


class AskedDraws:
    """Draws in their order.

    The selector is asked for all it will give at once, and again after each outcome it learns. So the same rows settled in
    the same order lead to the same asks and tells, whatever a page looked at in between.

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
        self._ask_ahead()

    def first_position(self, row: int) -> int:
        """The place of the row's first draw, 0..; UnknownRow where it was not drawn so far."""
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
