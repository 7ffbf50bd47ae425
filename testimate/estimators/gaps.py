"""Estimate how far groups of inputs lie apart: each one from the rest, and the best from the worst, with intervals.

Newcombe 1998, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17, method 10,
with the correlation of Zou and Donner 2008 (MOVER), on the linearised means of domains.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import check_level
from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.estimators.intervals import Ends, Interval, is_graded, korn_graubard_ends
from testimate.estimators.weights import (
    FEWEST,
    WEIGHED,
    DrawWeights,
    Ratios,
    draw_weights,
    mean_ends,
    ratios,
    share_ends,
    too_few,
)

Floats = NDArray[np.float64]

REST = -1
"""In place of a group: all inputs of the others."""


@dataclass(frozen=True)
class Gap:
    """Accuracy of one group minus that of another; ``REST`` is all other groups. None if ``why`` says what is missing."""

    first: int
    second: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    why: str = ""


@dataclass(frozen=True)
class Gaps:
    """Each group against the rest, in their order, and the largest gap between two; None below two groups with a number."""

    each: tuple[Gap, ...]
    largest: Gap | None


def mover(first: Interval, second: Interval, values: tuple[float, float], correlation: float = 0.0) -> Interval:
    """Return the interval of a difference from the intervals of both sides.

    Newcombe 1998, table II, method 10: 56 of 70 less 48 of 80.

    >>> from testimate.estimators.intervals import wilson
    >>> low, high = mover(wilson(56 / 70, 70), wilson(48 / 80, 80), (0.8, 0.6))
    >>> round(low, 4), round(high, 4)
    (0.0524, 0.3339)
    """
    below, above = (values[0] - first.low, first.high - values[0]), (values[1] - second.low, second.high - values[1])
    gap = values[0] - values[1]
    return Interval(
        gap - _joined(below[0], above[1], correlation),
        gap + _joined(below[1], above[0], correlation),
    )


def _joined(one: float, other: float, correlation: float) -> float:
    return float(np.sqrt(max(one**2 + other**2 - 2 * correlation * one * other, 0.0)))


def group_gaps(
    design: Design,
    verdicts: Sequence[Verdict],
    groups: NDArray[np.intp],
    count: int,
    *,
    level: float = 0.95,
    simultaneous: bool = False,
    loss_bound: float | None = 1.0,
) -> Gaps:
    """Return what the labels say about the gaps between ``count`` groups.

    The largest gap is between the groups with the highest and the lowest accuracy seen, so its interval holds for all pairs
    together (Bonferroni). Groups below ``FEWEST`` labels have no number.

    Parameters
    ----------
    groups : (N,) the group of each input, or -1 if it is in none; chosen without looking at the labels.
    simultaneous : whether the intervals against the rest hold together with chance ``level``; then the ends inside are those of
        Korn and Graubard, because smaller levels need exact ones.
    """
    check_level(level)
    if not isinstance(design, WEIGHED):
        return Gaps(tuple(Gap(place, REST, why=_NO_WEIGHTS.format(design.kind)) for place in range(count)), None)
    try:
        weights = draw_weights(design, verdicts, loss_bound)
    except NotEnoughLabels as error:
        return Gaps(tuple(Gap(place, REST, why=str(error)) for place in range(count)), None)
    losses = np.array([verdicts[place].loss for place in weights.positions.tolist()], dtype=np.float64)
    of_labels = groups[[verdicts[place].draw.row for place in weights.positions.tolist()]]
    inside = (of_labels[:, None] == np.arange(count)).astype(np.float64)
    grouped = (of_labels >= 0).astype(np.float64)[:, None]
    sides = np.hstack([inside, grouped - inside])  # the groups, then what is beside each
    apart = _Apart(weights, sides, 1 - losses, shares=is_graded(losses, loss_bound))
    shown = [place for place in range(count) if apart.enough(place) and apart.enough(count + place)]
    each = 1 - (1 - level) / max(len(shown), 1) if simultaneous else level
    found = {place: apart.gap(place, count + place, each, exact=simultaneous) for place in shown}
    lines = [
        Gap(place, REST, *found[place]) if place in found else Gap(place, REST, why=too_few(apart.labels(place)))
        for place in range(count)
    ]
    ranked = sorted((place for place in range(count) if apart.enough(place)), key=apart.value)
    if len(ranked) < 2:
        return Gaps(tuple(lines), None)
    pairs = len(ranked) * (len(ranked) - 1) / 2
    best, worst = ranked[-1], ranked[0]
    return Gaps(tuple(lines), Gap(best, worst, *apart.gap(best, worst, 1 - (1 - level) / pairs, exact=pairs > 1)))


_NO_WEIGHTS = "a {} design has no honest interval for parts of the set"


class _Apart:
    """Means of domains, of which any two may be compared."""

    def __init__(self, weights: DrawWeights, sides: Floats, right: Floats, *, shares: bool) -> None:
        self._found = ratios(weights, sides * right[:, None], sides)
        totals = weights.weights @ sides
        values = np.where(totals > 0, self._found.values, 0.0)
        self._terms = weights.terms(sides * (right[:, None] - values) / np.where(totals > 0, totals, 1.0))
        self._shares = shares

    def labels(self, place: int) -> int:
        """Return how many labels a domain has."""
        return int(self._found.labels[place])

    def enough(self, place: int) -> bool:
        """Return whether it has enough of them."""
        return self.labels(place) >= FEWEST

    def value(self, place: int) -> float:
        """Return its mean."""
        return float(self._found.values[place])

    def gap(self, first: int, second: int, level: float, *, exact: bool) -> tuple[float, float, float]:
        """Return the difference of two domains with the ends of its interval."""
        both = [first, second]
        found = self._found._replace(
            values=self._found.values[both],
            variances=self._found.variances[both],
            squares=self._found.squares[both],
            labels=self._found.labels[both],
        )
        ends = _ends(found, level, shares=self._shares, exact=exact)
        low, high = np.asarray(ends.low), np.asarray(ends.high)
        values = float(found.values[0]), float(found.values[1])
        one, other = self._terms[:, first], self._terms[:, second]
        size = float(np.sqrt((one @ one) * (other @ other)))
        between = mover(
            Interval(float(low[0]), float(high[0])),
            Interval(float(low[1]), float(high[1])),
            values,
            float(one @ other) / size if size > 0 else 0.0,
        )
        return values[0] - values[1], max(between.low, -1.0), min(between.high, 1.0)


def _ends(found: Ratios, level: float, *, shares: bool, exact: bool) -> Ends:
    """Return the ends of each mean: of a share as everywhere, or those of Korn and Graubard for small levels."""
    if not shares:
        return mean_ends(found, level)
    if not exact:
        return share_ends(found, level)
    rate = np.clip(found.values, 0.0, 1.0)
    smooth = (found.labels * rate + 1) / (found.labels + 2)
    plain = smooth * (1 - smooth) * found.squares
    spread = found.labels * rate * (1 - rate) * found.squares
    effect = (found.labels * found.variances + 2 * plain) / np.where(plain > 0, spread + 2 * plain, 1.0)
    worth = np.where(plain > 0, smooth * (1 - smooth) / np.where(plain > 0, plain * effect, 1.0), np.inf)
    known = ~np.isfinite(worth)
    ends = korn_graubard_ends(rate, np.where(known, 1.0, worth), level)
    return Ends(np.where(known, rate, ends.low), np.where(known, rate, ends.high))
