"""The draws a technique has given so far, what it was told of them, and the order in which a tester meets them."""

from testimate.core.draw import Draw, Verdict
from testimate.core.selector import Selector


class AskedDraws:
    """Draws in their order, and the queue of rows still to be labeled.

    The selector is asked for all it will give at once, and again after each row it is told of. So the same rows settled in
    the same order lead to the same asks and tells, whatever a page looked at in between.

    Attributes
    ----------
    draws : every draw given so far.
    positions : row -> the positions of its draws, rising.
    """

    def __init__(self, selector: Selector) -> None:
        self._selector = selector
        self.draws: list[Draw] = []
        self.positions: dict[int, list[int]] = {}
        self._told: dict[int, float | None] = {}  # row -> the loss its draws were told with
        self._settled: set[int] = set()
        self._taken_back: dict[int, None] = {}  # to be met first; the latest stands last
        self._put_off: dict[int, None] = {}  # to be met last; the latest stands last
        self._open_from = 0  # no row first drawn before this position waits for its turn
        self._ask_ahead()

    def first(self, row: int) -> Draw:
        """The first draw of a row that was drawn."""
        return self.draws[self.positions[row][0]]

    def settle(self, row: int, loss: float | None) -> None:
        """The row has a vote; the selector is told of all its draws, the first time only, whatever comes later."""
        self._settled.add(row)
        self._put_off.pop(row, None)
        self._taken_back.pop(row, None)
        self._move_on()
        if row not in self._told:
            self._told[row] = loss
            self._selector.tell([Verdict(self.draws[position], loss) for position in self.positions[row]])
            self._ask_ahead()

    def put_off(self, row: int) -> None:
        """The row comes after all others."""
        self._leave(row)
        self._put_off[row] = None
        self._move_on()

    def take_back(self, row: int) -> None:
        """The row comes before all others."""
        self._leave(row)
        self._taken_back[row] = None
        self._move_on()

    def upcoming(self, count: int) -> tuple[Draw, ...]:
        """The first draws of the rows to be met next, at most ``count``."""
        rows = list(reversed(self._taken_back))
        position = self._open_from
        while len(rows) < count and position < len(self.draws):
            row = self.draws[position].row
            if self.positions[row][0] == position and self._waits(row):
                rows.append(row)
            position += 1
        rows += self._put_off
        return tuple(self.first(row) for row in rows[: max(count, 0)])

    def _leave(self, row: int) -> None:
        self._settled.discard(row)
        self._put_off.pop(row, None)
        self._taken_back.pop(row, None)

    def _waits(self, row: int) -> bool:
        return not (row in self._settled or row in self._put_off or row in self._taken_back)

    def _move_on(self) -> None:
        while self._open_from < len(self.draws) and not self._waits(self.draws[self._open_from].row):
            self._open_from += 1

    def _ask_ahead(self) -> None:
        """Takes every draw the selector will give by now; a repeat of a row that was told is told at once."""
        while self._selector.remaining > 0 and (draws := self._selector.ask(self._selector.remaining)):
            repeats = []
            for draw in draws:
                self.positions.setdefault(draw.row, []).append(len(self.draws))
                self.draws.append(draw)
                if draw.row in self._told:
                    repeats.append(Verdict(draw, self._told[draw.row]))
            if repeats:
                self._selector.tell(repeats)
