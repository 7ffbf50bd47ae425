"""Zones: inputs in the order of their guessed chance of failure, cut into parts of equal weight."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Round


@dataclass(frozen=True, eq=False)
class Zones:
    """The inputs not drawn before, by rising or falling guess, cut into B zones.

    Attributes
    ----------
    weights : (n,) s, above 0.
    ends : (n,) running sum of the weights.
    starts : (B,) place of each zone's first input, rising from 0.
    chances : (n,) s / S, in (0, 1].
    """

    weights: NDArray[np.float64]
    ends: NDArray[np.float64]
    starts: NDArray[np.intp]
    chances: NDArray[np.float64]

    def round_of(self, guesses: NDArray[np.float64], size: int, exploit: int) -> Round:
        """What the design keeps of a round that is drawn from these zones, with the guesses mu (n,), N = ``size``."""
        reach = self.starts.size / (size * self.chances)  # (n,) B / (p N), what an error of 1 in a guess moves
        off = guesses * reach
        return Round(
            zones=self.starts.size,
            exploit=exploit,
            guessed=float(guesses.sum()),
            smallest=-float(off.max()),
            largest=float((reach - off).max()),
            variance=float((off * (1 - guesses)).sum()) / size,  # mean over zones of sum p mu (1 - mu) (B / (p N))^2
        )


def cut_zones(guesses: NDArray[np.float64], count: int, eps: float) -> Zones:
    """Zones of equal weight from guesses (n,) that rise or fall; fewer than ``count`` where one input outweighs a zone.

    With as many zones as inputs, each input is a zone. An input lies where the middle of its weight falls.

    >>> cut_zones(np.array([0.1, 0.1, 0.1, 0.9]), 2, 1.0).chances
    array([0.5, 0.5, 0.5, 0.5])
    """
    spread = np.sqrt(guesses * (1 - guesses))  # (n,), standard deviation of a loss of 0 or 1
    weights = (1 - eps) * spread + eps * spread.mean()
    ends = np.cumsum(weights)
    if count >= guesses.size:
        starts = np.arange(guesses.size)
    else:
        borders = (np.arange(count) - 1e-9) * (ends[-1] / count)  # equal weights end on borders but for rounding
        starts = np.unique(np.searchsorted(ends - weights / 2, borders))
        starts = starts[starts < guesses.size]
    totals = np.add.reduceat(weights, starts)  # (B,)
    counts = np.diff(starts, append=guesses.size)
    return Zones(weights, ends, starts, np.minimum(weights / np.repeat(totals, counts), 1.0))
