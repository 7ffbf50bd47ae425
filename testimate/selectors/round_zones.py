"""The zones of a round: inputs in the order of their guesses, cut where a random draw of each leaves the same doubt."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Round
from testimate.structure.orders import RunningSums

AT_A_TIME = 1 << 16
"""Inputs of a round worked on at a time: with tens of millions of them, every further array counts."""


@dataclass(frozen=True, eq=False)
class Zones:
    """The inputs not drawn before, by rising or falling guess, cut into B zones.

    Attributes
    ----------
    weights : (n,) s, each above 0.
    sums : their running sums.
    starts : (B,) place of each zone's first input, rising from 0.
    before : (B,) sum of the weights of the zones before.
    totals : (B,) S, sum of each zone's weights.
    """

    weights: NDArray[np.float64]
    sums: RunningSums
    starts: NDArray[np.intp]
    before: NDArray[np.float64]
    totals: NDArray[np.float64]

    @property
    def stops(self) -> NDArray[np.intp]:
        """The place behind each zone's last input, (B,)."""
        return np.append(self.starts[1:], self.weights.size)

    @property
    def chances(self) -> NDArray[np.float64]:
        """s / S of each input, in (0, 1], (n,)."""
        return self._chances(0, self.weights.size)

    def chances_at(self, places: NDArray[np.intp]) -> NDArray[np.float64]:
        """s / S of the inputs at these places, (k,)."""
        zones = np.searchsorted(self.starts, places, side="right") - 1
        return np.minimum(self.weights[places] / self.totals[zones], 1.0)

    def _chances(self, start: int, stop: int) -> NDArray[np.float64]:
        """s / S of the inputs from one place to another."""
        found = self.weights[start:stop].copy()
        first, last = np.searchsorted(self.starts, (start, stop - 1), side="right").tolist()
        for zone in range(first - 1, last):
            begin = max(int(self.starts[zone]) - start, 0)
            end = int(self.starts[zone + 1]) - start if zone + 1 < self.starts.size else found.size
            found[begin:end] /= self.totals[zone]
        return np.minimum(found, 1.0, out=found)

    def round_of(self, guesses: NDArray[np.float64], size: int, exploit: int) -> Round:
        """What the design keeps of a round that is drawn from these zones, with the guesses mu (n,), N = ``size``.

        The zones are used up: with tens of millions of inputs every further array counts, so their weights are
        overwritten.
        """
        spread, smallest, largest = self.weights, -math.inf, -math.inf
        for start in range(0, guesses.size, AT_A_TIME):
            part = slice(start, start + AT_A_TIME)
            reach = self._chances(start, min(start + AT_A_TIME, guesses.size))
            reach *= size
            np.divide(self.starts.size, reach, out=reach)  # B / (p N), what an error of 1 in a guess moves
            off = guesses[part] * reach
            reach -= off
            smallest, largest = max(smallest, float(off.max())), max(largest, float(reach.max()))
            np.subtract(1, guesses[part], out=reach)
            np.multiply(off, reach, out=spread[part])
        return Round(
            zones=self.starts.size,
            exploit=exploit,
            guessed=float(guesses.sum()),
            smallest=-smallest,
            largest=largest,
            variance=float(spread.sum()) / size,  # mean over zones of sum p mu (1 - mu) (B / (p N))^2
        )


def cut_zones(guesses: NDArray[np.float64], count: int, eps: float) -> Zones:
    """Zones of equal weight from guesses (n,) that rise or fall; fewer than ``count`` where one input outweighs a zone.

    With as many zones as inputs, each input is a zone. An input lies where the middle of its weight falls.

    >>> cut_zones(np.array([0.1, 0.1, 0.1, 0.9]), 2, 1.0).chances
    array([0.5, 0.5, 0.5, 0.5])
    """
    weights = np.subtract(1, guesses)
    weights *= guesses
    np.sqrt(weights, out=weights)  # (n,), standard deviation of a loss of 0 or 1
    even = eps * weights.mean()
    weights *= 1 - eps
    weights += even
    sums = RunningSums(weights)
    if count >= guesses.size:
        starts = np.arange(guesses.size)
    else:
        borders = (np.arange(count) - 1e-9) * (sums.total / count)  # equal weights end on borders but for rounding
        starts = np.unique([sums.first_middle(border) for border in borders.tolist()])
        starts = starts[starts < guesses.size]
    before = np.array([sums.at(place) for place in starts.tolist()]) - weights[starts]
    return Zones(weights, sums, starts, before, totals=np.add.reduceat(weights, starts))
