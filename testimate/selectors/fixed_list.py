"""The base of techniques whose whole list of draws is fixed before any label is seen."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput


class FixedList:
    """A list of n draws, given out from the front; verdicts do not change it.

    Parameters
    ----------
    design : what the chances of the draws mean.
    rows : (n,) rows in labeling order.
    reason : says why the draw at a position of the list was picked, as a phrase for the tester.
    strata : (n,) stratum of each draw; None where there is one only.
    probabilities : (n,) chance of each draw, in (0, 1]; None where the design needs none.
    """

    def __init__(
        self,
        design: Design,
        rows: NDArray[np.intp],
        reason: Callable[[int], str],
        *,
        strata: NDArray[np.intp] | None = None,
        probabilities: NDArray[np.float64] | None = None,
    ) -> None:
        self._design = design
        self._rows = rows  # (n,)
        self._strata = np.zeros(len(rows), dtype=np.intp) if strata is None else strata  # (n,)
        self._probabilities = probabilities  # (n,) or None
        self._reason = reason
        self._asked = 0

    @property
    def design(self) -> Design:
        """What the chances of the draws mean."""
        return self._design

    @property
    def remaining(self) -> int:
        """Draws of the budget not asked yet; 0 when exhausted."""
        return len(self._rows) - self._asked

    @property
    def rows(self) -> NDArray[np.intp]:
        """The whole list, (n,), however much of it was asked for."""
        return self._rows

    def reasons(self, positions: range) -> list[str]:
        """Why the draws at these positions of the list were picked."""
        return [self._reason(position) for position in positions]

    def ask(self, count: int) -> Sequence[Draw]:
        """The next draws, at most ``count``; fewer when exhausted. BadInput where ``count`` is negative."""
        first, self._asked = self._asked, min(self._asked + check_count(count), len(self._rows))
        return [self._draw(position) for position in range(first, self._asked)]

    def tell(self, verdicts: Sequence[Verdict]) -> None:
        """Does nothing: the list is fixed in advance."""

    def _draw(self, position: int) -> Draw:
        chance = None if self._probabilities is None else float(self._probabilities[position])
        return Draw(int(self._rows[position]), chance, int(self._strata[position]), self._reason(position))


def check_count(count: int) -> int:
    """How many draws are asked for, a whole number of at least 0; BadInput otherwise."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
        raise BadInput(f"{count!r:.60} draws were asked for; expected a whole number of at least 0. Ask for as many.")
    return int(count)
