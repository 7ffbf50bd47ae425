"""The draws a technique has given so far, and the outcomes it has learned."""

from dataclasses import asdict
from math import isclose
from typing import Any

from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput, UnknownRow
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

    def continued(self, selector: Selector) -> "AskedDraws":
        """What a selector with a larger budget asks after the same outcomes in the same order.

        BadInput where it does not begin with the draws so far, whose chances would then no longer hold.
        """
        larger = AskedDraws(selector)
        for row, loss in self.told.items():
            if row not in larger.positions:
                break
            larger.tell(row, loss, self._answers[row])
        first = larger.draws[: len(self.draws)]
        if len(first) < len(self.draws) or not all(map(_same_draw, first, self.draws)):
            raise BadInput(
                f"{selector.title} shares its labels out over the whole plan at once; with more of them its first "
                f"{len(self.draws):,} draws would be others, and their chances would no longer hold. Plan a new session."
            )
        return larger

    def take_over(self, larger: "AskedDraws") -> None:
        """Goes on as the ``continued`` draws."""
        self._selector = larger._selector
        self.draws, self.positions = larger.draws, larger.positions
        self.told, self._answers = larger.told, larger._answers

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
    """Whether the input, its stratum and its chance are the same, the chance up to the rounding of sums; why does not count."""
    apart = {"reason": "", "probability": None}
    return asdict(one) | apart == asdict(other) | apart and isclose(
        one.probability or 0.0, other.probability or 0.0, rel_tol=1e-9
    )
