"""What a technique draws next: the draws it has given so far, the outcomes it has learned, and how far labels reach."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isclose
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput, TestimateError, UnknownRow
from testimate.core.selector import DrawsMore, Selector
from testimate.core.words import commas


@dataclass(frozen=True, slots=True)
class KnownOutcome:
    """What a known label says about its input: the loss, and the answer where techniques judge several models by it."""

    loss: float
    answer: Any = None


class AskedDraws:
    """The draws of a plan in their order.

    The selector is asked for all the draws it will give, and again after each outcome it learns. So the same rows
    settled in the same order lead to the same asks and tells, whatever a page reads in between.

    Attributes
    ----------
    draws : every draw given so far.
    positions : row -> the positions of its draws, rising.
    known : what is known of inputs before they are drawn, by row: such an input is settled as soon as it is.
    told : row -> the loss passed to the selector, in order; a vote changed later does not change it.
    """

    def __init__(self, selector: Selector, known: Mapping[int, KnownOutcome] | None = None) -> None:
        self._selector, self.known = selector, known or {}
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

    def rows(self) -> Iterator[int]:
        """Yield the row of each draw in turn, and of those that are drawn meanwhile."""
        place = 0
        while place < len(self.draws):
            yield self.draws[place].row
            place += 1

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
        larger = AskedDraws(selector, self.known)
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
                f"{commas(len(self.draws))} draws would differ, and their chances would no longer hold. Plan a new "
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
        """Takes every draw the selector gives at this point; a known row or a repeat of a settled one is settled at once."""
        while self._selector.remaining > 0 and (draws := self._selector.ask(self._selector.remaining)):
            repeats = []
            for draw in draws:
                self.positions.setdefault(draw.row, []).append(len(self.draws))
                self.draws.append(draw)
                if draw.row in self.known and draw.row not in self.told:
                    self.told[draw.row] = self.known[draw.row].loss
                    self._answers[draw.row] = self.known[draw.row].answer
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


def reached_by(draws: Sequence[Draw], last: int, settled: Container[int]) -> int:
    """Return how many draws the labels reach: the first ``last``, and the repeats of settled rows right after these.

    An input that is drawn again later counts there only once what lies between is labeled.
    """
    while last < len(draws) and draws[last].row in settled:
        last += 1
    return last


def verdicts_to_the_end(selector: Selector, losses: NDArray[np.float64] | None) -> Iterator[list[Verdict]]:
    """Yield the verdicts of all that the technique draws, each batch told as soon as it is drawn.

    ``losses`` : of all inputs, (N,), by which they are labeled; None where nobody tells the technique anything.
    """
    done = 0
    while selector.remaining:
        draws = selector.ask(selector.remaining)
        if not draws:
            raise TestimateError(
                f"{selector.title} ({selector.name}) draws nothing more after {done} labels though {selector.remaining} are "
                "left; it has the verdict on every one. Correct the technique."
            )
        found = [None] * len(draws) if losses is None else losses[[draw.row for draw in draws]].tolist()
        batch = [Verdict(draw, loss) for draw, loss in zip(draws, found, strict=True)]
        if losses is not None:
            selector.tell(batch)
        yield batch
        done += len(batch)
