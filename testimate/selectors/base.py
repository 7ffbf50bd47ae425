"""The bases of techniques: a list that is fixed at once, or blocks of draws, with their settings and strata.

Draws made block by block, each from the labels of the settled blocks alone, some blocks ahead of the tester.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_budget, check_scores, is_whole
from testimate.core.design import Design, IntervalVersion
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput, UnknownRow
from testimate.core.selector import Option, Selector, check_options


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
    if not is_whole(count, 0):
        raise BadInput(f"{count!r:.60} draws were asked for. Expected a whole number of at least 0. Ask for as many.")
    return int(count)


@dataclass(frozen=True, eq=False)
class Settings:
    """The checked settings of a technique that follows a score.

    Attributes
    ----------
    scores : (N,) chi, finite.
    budget : n, 1..N.
    published : whether the variant "as published" was asked for.
    rng : the one source of chance.
    options : the value of each option, as given or by default.
    """

    scores: NDArray[np.float64]
    budget: int
    published: bool
    rng: np.random.Generator
    options: Mapping[str, Any]


def check_settings(
    technique: type[Selector], scores: ArrayLike, *, budget: int, seed: int, variant: str | None, **options: Any
) -> Settings:
    """The settings of a technique that follows a score; BadInput where its class does not allow one of them."""
    chi = check_scores(scores)  # (N,)
    budget = check_budget(budget, chi.size)
    published = check_variant(variant, technique.variants) == "as published"
    chosen = check_options(technique.options, **options)
    return Settings(chi, budget, published, np.random.default_rng(check_seed(seed)), chosen)


TRUST = Option(
    "trust", 1.0, "How far the score is believed as a chance of failure; the rest of it is one half.", low=0.0, high=1.0
)
"""A judge's score is often coarse and far too high: believed whole, it spends nearly all labels where it is unsure.

With two thirds, the width beside simple random sampling is 0.85 instead of 1.09 for a judge of grades that is far too kind, and
1.00 instead of 1.26 for one that knows nothing besides (docs/studies/verdicts.md).
"""


def trusted(chances: NDArray[np.float64], trust: float) -> NDArray[np.float64]:
    """Return trust c + (1 - trust) / 2 of chances c of failure, (N,)."""
    return chances if trust == 1 else trust * chances + (1 - trust) / 2


def not_drawn(row: int) -> UnknownRow:
    """The error of a technique that was given the verdict of a row it did not draw."""
    return UnknownRow(
        f"A verdict came for row {row}, which was not drawn. Expected verdicts of inputs that were asked for. Leave it out."
    )


def check_variant(variant: str | None, variants: Sequence[str]) -> str | None:
    """The variant, None or one of those the technique has; BadInput otherwise."""
    if variant is not None and variant not in variants:
        known = ", ".join(repr(name) for name in variants) or "none"
        raise BadInput(
            f"The variant {variant!r:.60} is not known here. Expected the default or one of {known}. "
            "Choose one of these or leave it out."
        )
    return variant


def check_seed(seed: int) -> int:
    """The seed, a whole number of at least 0; BadInput otherwise."""
    if not is_whole(seed, 0):
        raise BadInput(f"The seed is {seed!r:.60}. Expected a whole number of at least 0. Change it.")
    return int(seed)


def check_request(size: int, budget: int, seed: int, variant: str | None, variants: Sequence[str]) -> None:
    """BadInput where a budget, a seed or a variant cannot be of a technique with these variants on ``size`` inputs."""
    check_budget(budget, size)
    check_seed(seed)
    check_variant(variant, variants)


INTERVAL_VERSION: IntervalVersion = 3
"""Of the intervals of a new session or plan of rrs and rra, and of a top-up."""

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
    if not is_whole(ahead, 1):
        raise BadInput(
            f"The number of rounds drawn ahead is {ahead!r:.40}. Expected a whole number of at least 1. Give another."
        )
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

    def loss_of(self, row: int) -> float | None:
        """The loss of a row that has a verdict; None where nobody could say."""
        return self._losses[row]

    def known(self) -> list[tuple[int, float]]:
        """Row and loss of each draw of the settled blocks that has one, in draw order."""
        settled = self._end_of(self._settled - 1) if self._settled else 0
        return [(draw.row, loss) for draw in self.draws[:settled] if (loss := self._losses[draw.row]) is not None]

    def told(self) -> list[tuple[int, float]]:
        """Row and loss of each draw that has one, in draw order, whether its block is settled or not."""
        return [(draw.row, loss) for draw in self.draws if (loss := self._losses.get(draw.row)) is not None]

    def _end_of(self, block: int) -> int:
        return self._starts[block + 1] if block + 1 < self.count else len(self.draws)


class ShuffledStrata:
    """One shuffled pile of rows per stratum; taking from the top is simple random sampling without replacement.

    A pile that has given all its rows starts again in the same order.

    Parameters
    ----------
    strata : (N,) stratum of each input, 0..H-1, none empty.
    rng : shuffles all inputs at once.

    Attributes
    ----------
    sizes : (H,) inputs in each stratum.
    place : (N,) place of each row in its stratum's pile, 0..N_h-1.
    """

    def __init__(self, strata: NDArray[np.intp], rng: np.random.Generator) -> None:
        shuffled = shuffled_rows(strata.size, rng)
        by_stratum = np.argsort(strata.astype(np.int16)[shuffled], kind="stable")  # small whole numbers: a radix sort
        self._piles = shuffled[by_stratum]  # (N,), pile after pile
        del shuffled, by_stratum
        self.sizes = np.bincount(strata)  # (H,)
        self._starts = np.cumsum(self.sizes) - self.sizes  # (H,)
        self.place: NDArray[Any] = np.empty_like(self._piles)
        for start, size in zip(self._starts.tolist(), self.sizes.tolist(), strict=True):
            self.place[self._piles[start : start + size]] = np.arange(size)

    def deal(self, order: NDArray[np.intp]) -> NDArray[np.intp]:
        """Rows (n,) for strata visited in this order (n,): at its k-th visit a stratum gives the k-th of its pile."""
        return self._piles[self._starts[order] + visits(order) % self.sizes[order]].astype(np.intp)

    def piles(self) -> list[NDArray[Any]]:
        """The rows of each stratum in their order, H arrays of whole numbers."""
        return np.split(self._piles, self._starts[1:])


def shuffled_rows(size: int, rng: np.random.Generator) -> NDArray[Any]:
    """The rows 0..N-1 in random order, (N,), as ``rng.permutation`` gives them, in half its memory where they fit."""
    rows = np.arange(size, dtype=np.int32 if size <= np.iinfo(np.int32).max else np.int64)
    rng.shuffle(rows)
    return rows


def visits(order: NDArray[np.intp]) -> NDArray[np.intp]:
    """How often each entry's stratum was visited before it, (n,).

    >>> visits(np.array([0, 1, 0, 0, 1])).tolist()
    [0, 0, 1, 2, 1]
    """
    grouped = np.argsort(order, kind="stable")
    sizes = np.bincount(order)
    before = np.empty(order.size, dtype=np.intp)
    before[grouped] = np.arange(order.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return before


def score_ranges(scores: NDArray[np.float64], strata: NDArray[np.intp]) -> list[str]:
    """The range of scores in each stratum, in words: "0.1 to 0.25", H phrases."""
    count = int(strata.max()) + 1
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, strata, scores)
    np.maximum.at(high, strata, scores)
    spans = [(f"{first:.3g}", f"{last:.3g}") for first, last in zip(low, high, strict=True)]
    return [first if first == last else f"{first} to {last}" for first, last in spans]
