"""Draws made block by block, each from the labels of the settled blocks alone, some blocks ahead of the tester."""

from collections.abc import Sequence
from math import ceil

from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput
from testimate.selectors.fixed_list import check_count
from testimate.selectors.settings import not_drawn

AHEAD = 2
"""Blocks drawn beyond the settled ones where nobody labels from a queue: the one being labeled and the next."""

# A quick tester has no input otherwise: decision 67.
READY = 30
"""Inputs that are open behind the block being labeled: more than a tester answers while one look at the page is on its way."""


def rounds_open(size: int) -> int:
    """Blocks of ``size`` draws to be drawn beyond the settled ones: the one being labeled and at least READY draws more.

    >>> rounds_open(5), rounds_open(10), rounds_open(40)
    (7, 4, 2)
    """
    return 1 + ceil(READY / size)


def check_ahead(ahead: object) -> int:
    """The number of rounds drawn ahead; BadInput where it is not a whole number of at least 1."""
    if isinstance(ahead, bool) or not isinstance(ahead, int) or ahead < 1:
        raise BadInput(f"The number of rounds drawn ahead is {ahead!r:.40}; expected a whole number of at least 1.")
    return ahead


class Blocks:
    """What was drawn, asked and told so far; a block is settled when every draw of it and of those before has its verdict.

    Attributes
    ----------
    budget : n, draws in all. draws : those made so far, in their order. count : blocks made so far.
    ahead : blocks drawn beyond the settled ones, 1 or more.
    """

    def __init__(self, budget: int, ahead: int) -> None:
        self.budget = budget
        self._ahead = check_ahead(ahead)
        self.draws: list[Draw] = []
        self._starts: list[int] = []  # place of each block's first draw
        self._rows: set[int] = set()
        self._losses: dict[int, float | None] = {}  # row -> loss
        self._settled = 0
        self._asked = 0

    @property
    def count(self) -> int:
        """Blocks made so far."""
        return len(self._starts)

    @property
    def remaining(self) -> int:
        """Draws of the budget not asked yet; 0 when exhausted."""
        return self.budget - self._asked

    @property
    def wanted(self) -> bool:
        """Whether another block is to be drawn now."""
        return not self.complete and self.count < self._settled + self._ahead

    @property
    def complete(self) -> bool:
        """Whether the whole budget is drawn."""
        return len(self.draws) >= self.budget

    def add(self, draws: Sequence[Draw]) -> None:
        """One more block, in the order in which it is to be labeled."""
        self._starts.append(len(self.draws))
        self.draws.extend(draws)
        self._rows.update(draw.row for draw in draws)

    def ask(self, count: int) -> Sequence[Draw]:
        """The next draws, at most ``count``; fewer when exhausted or while verdicts are missing."""
        first, self._asked = self._asked, min(self._asked + check_count(count), len(self.draws))
        return self.draws[first : self._asked]

    def keep(self, verdicts: Sequence[Verdict]) -> None:
        """Keeps the losses, the first one of each row; UnknownRow for rows not drawn."""
        for verdict in verdicts:
            row = verdict.draw.row
            if row not in self._rows:
                raise not_drawn(row)
            self._losses.setdefault(row, verdict.loss)

    def settle(self) -> bool:
        """Settles one more block if all its draws have verdicts, and says whether it did; call it until it returns False."""
        if self._settled == self.count:
            return False
        block = self.draws[self._starts[self._settled] : self._end_of(self._settled)]
        if any(draw.row not in self._losses for draw in block):
            return False
        self._settled += 1
        return True

    def known(self) -> list[tuple[int, float]]:
        """Row and loss of each draw of the settled blocks that has one, in draw order."""
        settled = self._end_of(self._settled - 1) if self._settled else 0
        return [(draw.row, loss) for draw in self.draws[:settled] if (loss := self._losses[draw.row]) is not None]

    def told(self) -> list[tuple[int, float]]:
        """Row and loss of each draw that has one, in draw order, whether its block is settled or not."""
        return [(draw.row, loss) for draw in self.draws if (loss := self._losses.get(draw.row)) is not None]

    def _end_of(self, block: int) -> int:
        return self._starts[block + 1] if block + 1 < self.count else len(self.draws)
