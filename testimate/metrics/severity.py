"""How severe a fault is, by the network's confidence in its wrong answer; regression: by |error|."""

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_scores
from testimate.core.errors import BadInput
from testimate.metrics.order import check_failed

Band = Literal["low", "moderate", "high"]

LEVELS = 10
"""Levels of severity of a fault, 1 to 10; a correct input has level 0."""

MODERATE_FROM, HIGH_FROM = 0.5, 0.8

DEGREES = tuple(2.5 * step for step in range(11))
"""Edges of DeepSample's bands of a steering error, degrees: 0, 2.5 ... 25 (section 4.3); a failure is beyond 12.5."""

ROUNDING = 1e-9
"""0.3 is a hair below three tenths in binary; without this, 10 * 0.3 could fall a level short."""


@dataclass(frozen=True, slots=True)
class SeverityCounts:
    """Faults by band of the predicted probability: below 50 %, 50 to below 80 %, from 80 %."""

    low: int
    moderate: int
    high: int

    def to_json(self) -> dict[str, int]:
        """Plain JSON values, every field by its name."""
        return asdict(self)


@dataclass(frozen=True)
class ErrorBands:
    """Regression inputs by the size of their error.

    ``edges`` : (E,) increasing, in the unit of the errors. ``counts[j]`` : errors beyond ``edges[j]`` and not beyond the
    next edge; the last band has no end. ``beyond[j]`` : all errors beyond ``edges[j]``.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    beyond: tuple[int, ...]


def severity_level(probability: ArrayLike, failed: ArrayLike | None = None) -> NDArray[np.intp]:
    """Severity level of each input: 1..10 of a fault, by tenths of the predicted probability; 0 of a correct input.

    ``failed`` None means that all are faults. A probability of exactly 0.9 is of level 10 (Al-Qadasi et al. 2023, section
    III-D). BadInput where a probability lies outside [0, 1].

    >>> severity_level([0.99, 0.90, 0.83, 0.24, 0.99], [1, 1, 1, 1, 0])
    array([10, 10,  9,  3,  0])
    """
    chances = check_probability(probability)
    levels = np.minimum(np.floor(LEVELS * chances + ROUNDING).astype(np.intp) + 1, LEVELS)
    if failed is None:
        return levels
    return np.where(_same_length(failed, chances), levels, 0)


def severity_band(probability: float) -> Band:
    """The band of a fault: low below 0.5, moderate below 0.8, high from there (Al-Qadasi et al. 2023, section III-D)."""
    (chance,) = check_probability([probability])
    if chance + ROUNDING >= HIGH_FROM:
        return "high"
    return "moderate" if chance + ROUNDING >= MODERATE_FROM else "low"


def severity_counts(failed: ArrayLike, probability: ArrayLike) -> SeverityCounts:
    """How many of the faults are in each band; correct inputs are in none.

    >>> severity_counts([1, 1, 1, 0], [0.2, 0.5, 0.95, 0.99])
    SeverityCounts(low=1, moderate=1, high=1)
    """
    chances = check_probability(probability)
    faults = chances[_same_length(failed, chances)] + ROUNDING
    high = int((faults >= HIGH_FROM).sum())
    low = int((faults < MODERATE_FROM).sum())
    return SeverityCounts(low=low, moderate=faults.size - low - high, high=high)


def error_bands(errors: ArrayLike, edges: tuple[float, ...] = DEGREES) -> ErrorBands:
    """Counts of the absolute errors in bands (DeepSample, section 4.3, RQ2.2); the last band is open.

    An error is in a band when it lies *beyond* its lower edge, as a failure lies beyond the tolerance; DeepSample's tables
    put an error exactly on an edge one band higher. BadInput where errors are not finite or edges do not increase.

    >>> error_bands([0.0, 1.0, -3.0, 30.0], edges=(0.0, 2.5, 25.0))
    ErrorBands(edges=(0.0, 2.5, 25.0), counts=(1, 1, 1), beyond=(3, 2, 1))
    """
    absolute = np.abs(check_scores(errors, "errors"))
    if not edges or edges[0] < 0 or not all(low < high for low, high in pairwise(edges)):
        raise BadInput(f"The edges are {edges}; expected numbers from 0 on, each above the last. Change them.")
    beyond = np.array([(absolute > edge).sum() for edge in edges])  # (E,)
    counts = beyond - np.append(beyond[1:], 0)
    return ErrorBands(tuple(edges), tuple(counts.tolist()), tuple(beyond.tolist()))


def check_probability(probability: ArrayLike) -> NDArray[np.float64]:
    """The probabilities as a (n,) array in [0, 1]; BadInput names the first that is not."""
    chances = check_scores(probability, "probability")
    bad = np.flatnonzero((chances < 0) | (chances > 1))
    if bad.size:
        raise BadInput(
            f"probability[{bad[0]}] is {chances[bad[0]]}; a probability is between 0 and 1. "
            "Divide percentages by 100, or give the column of the predicted probability."
        )
    return chances


def _same_length(failed: ArrayLike, chances: NDArray[np.float64]) -> NDArray[np.bool_]:
    outcomes = check_failed(failed) if np.size(failed) else np.zeros(0, dtype=np.bool_)
    if outcomes.size != chances.size:
        raise BadInput(
            f"There are {outcomes.size} outcomes and {chances.size} probabilities; expected one of each per input. "
            "Give both in the same order."
        )
    return outcomes
