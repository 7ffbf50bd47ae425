"""The order in which a tester meets the inputs that were drawn."""

from collections.abc import Iterator

from testimate.sessions.asked_draws import AskedDraws


class RowQueue:
    """Rows still to be labeled: first those taken back, the latest first; then in draw order; last those put off."""

    def __init__(self, asked: AskedDraws) -> None:
        self._asked = asked
        self._done: set[int] = set()
        self._taken_back: dict[int, None] = {}  # the latest stands last
        self._put_off: dict[int, None] = {}  # the latest stands last
        self._open_from = 0  # no row first drawn before this position waits for its turn

    def done(self, row: int) -> None:
        """The row has a vote."""
        self._leave(row)
        self._done.add(row)
        self._move_on()

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

    def rows(self) -> Iterator[int]:
        """The rows to be met, each once, in their order."""
        yield from reversed(self._taken_back)
        for position in range(self._open_from, len(self._asked.draws)):
            row = self._asked.draws[position].row
            if self._asked.positions[row][0] == position and self._waits(row):
                yield row
        yield from self._put_off

    def _leave(self, row: int) -> None:
        self._done.discard(row)
        self._put_off.pop(row, None)
        self._taken_back.pop(row, None)

    def _waits(self, row: int) -> bool:
        return not (row in self._done or row in self._put_off or row in self._taken_back)

    def _move_on(self) -> None:
        draws = self._asked.draws
        while self._open_from < len(draws) and not self._waits(draws[self._open_from].row):
            self._open_from += 1
