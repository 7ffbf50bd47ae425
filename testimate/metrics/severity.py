"""How severe faults are: one of them, those that a labeling order shows, and all of the set."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_probability, check_scores
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.metrics.order import CheckedOrder, check_failed, checked_order
from testimate.tasks.regression import FAR_OFF

Band = Literal["low", "moderate", "high"]

GRADES: Mapping[Band, str] = {"high": "severe", "moderate": "moderate", "low": "low"}
"""What people call each band, the most severe first: on the screens, in the report and in the terminal."""

LEVELS = 10
"""Levels of severity of a fault, 1 to 10; a correct input has level 0."""

MODERATE_FROM, HIGH_FROM = 0.5, 0.8

DEGREES = tuple(2.5 * step for step in range(11))
"""Edges of DeepSample's bands of a steering error, degrees: 0, 2.5 ... 25 (section 4.3); a failure is beyond 12.5."""

ROUNDING = 1e-9
"""0.3 is a hair below three tenths in binary; without this, 10 * 0.3 could fall a level short."""


@dataclass(frozen=True, slots=True)
class SeverityCounts:
    """Faults by band of the predicted probability: below 50%, 50 to below 80%, from 80%."""

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
        raise BadInput(f"The edges are {edges}. Expected numbers from 0 on, each above the last. Change them.")
    beyond = np.array([(absolute > edge).sum() for edge in edges])  # (E,)
    counts = beyond - np.append(beyond[1:], 0)
    return ErrorBands(tuple(edges), tuple(counts.tolist()), tuple(beyond.tolist()))


def _same_length(failed: ArrayLike, chances: NDArray[np.float64]) -> NDArray[np.bool_]:
    outcomes = check_failed(failed) if np.size(failed) else np.zeros(0, dtype=np.bool_)
    if outcomes.size != chances.size:
        raise BadInput(
            f"There are {outcomes.size} outcomes and {chances.size} probabilities. Expected one of each per input. "
            "Give both in the same order."
        )
    return outcomes


LARGEST = 3.0
"""Tolerances from which on an error of a regression is as severe as can be."""

MODERATE_TIMES, HIGH_TIMES = (1 + (LARGEST - 1) * start for start in (MODERATE_FROM, HIGH_FROM))
"""Tolerances, 2 and 2.6, at which the moderate and the high band of a regression begin."""


def fault_severity(inputs: Inputs, rows: NDArray[np.intp], losses: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """How severe a fault of each row (k,) is, by its loss (k,): (k,) in [0, 1]; None where that is not known.

    The confidence in the predicted class, or of a regression with a tolerance its `error_severity`.
    """
    if inputs.task.numeric:
        if not inputs.task.tolerance:
            return None
        errors = np.minimum(inputs.task.errors(losses), FAR_OFF * max(1.0, inputs.task.tolerance))
        return error_severity(errors, tolerance=inputs.task.tolerance)
    return None if inputs.confidence is None else inputs.confidence[rows]


def error_severity(errors: ArrayLike, *, tolerance: float, largest: float | None = None) -> NDArray[np.float64]:
    """How severe the errors of a regression are, (n,) in [0, 1]: what metrics take in place of the probability of a class.

    0 up to the tolerance, where there is no failure, rising evenly to 1 at ``largest``. With DeepSample's tolerance of 12.5
    degrees and the default of three times the tolerance, each level of `severity_level` is 2.5 degrees wide, as its tables
    are (section 5.3.2), the tenth from 35 degrees on; the high band begins at 32.5.

    Parameters
    ----------
    errors : (n,) predicted minus true, in the unit of the task.
    tolerance : the error beyond which an input has failed. largest : above it; None for three times the tolerance.

    Raises
    ------
    BadInput
        Where errors are not finite or ``largest`` is not above the tolerance.

    >>> error_severity([12.5, -15.0, 35.0, 90.0], tolerance=12.5)
    array([0. , 0.1, 0.9, 1. ])
    """
    absolute = np.abs(check_scores(errors, "errors"))
    end = LARGEST * tolerance if largest is None else largest
    if not 0 <= tolerance < end:
        raise BadInput(
            f"The tolerance is {tolerance} and the largest error {end}. Expected a largest error above the tolerance. Name it."
        )
    severity: NDArray[np.float64] = np.clip((absolute - tolerance) / (end - tolerance), 0.0, 1.0)
    return severity


def error_severity_counts(errors: ArrayLike, *, tolerance: float, largest: float | None = None) -> SeverityCounts:
    """Failures of a regression by band of `error_severity`; arguments and errors as there.

    >>> error_severity_counts([3.0, 20.0, -30.0, 40.0], tolerance=12.5)
    SeverityCounts(low=1, moderate=1, high=1)
    """
    absolute = np.abs(check_scores(errors, "errors"))
    return severity_counts(absolute > tolerance, error_severity(errors, tolerance=tolerance, largest=largest))


@dataclass(frozen=True, eq=False)
class JudgedSeverity:
    """A labeling order with the severity level of each input, (n,), 0 where it is correct."""

    order: CheckedOrder
    levels: NDArray[np.intp]

    def level_counts_of_all(self, all_faults: ArrayLike | None) -> NDArray[np.intp]:
        """Faults of the whole set per severity level, (11,); ``all_faults`` and errors as in `sfdr`."""
        shown = level_counts(self.levels)
        if all_faults is None:
            if shown.sum() < self.order.faults:
                raise NotEnoughLabels(
                    f"The order shows {shown.sum()} of {self.order.faults} faults. Expected the severity of all of them. "
                    "Give the whole order or the probabilities of all faults."
                )
            return shown
        known = level_counts(severity_level(check_probability(all_faults)))
        if known.sum() != self.order.faults or (known < shown).any():
            raise BadInput(
                f"The probabilities given for all faults are {known.sum():.0f} and do not hold the {shown.sum()} faults of "
                f"the order among {self.order.faults}. Expected one per fault. Correct them."
            )
        return known


def judged_severity(
    failed: ArrayLike,
    probability: ArrayLike,
    *,
    size: int | None,
    faults: int | None,
    budget: int | None,
    all_faults: ArrayLike | None,
) -> JudgedSeverity:
    """The order, checked, with its severity levels; arguments and errors as in `sfdr`."""
    if all_faults is not None and faults is None:
        faults = int(np.size(all_faults))
    order = checked_order(failed, size=size, faults=faults, budget=budget)
    return JudgedSeverity(order, severity_level(probability, order.failed))


def level_counts(levels: NDArray[np.intp]) -> NDArray[np.intp]:
    """Faults per severity level, (11,): place 0 stays empty, correct inputs count nowhere."""
    counts = np.bincount(levels, minlength=LEVELS + 1)
    counts[0] = 0
    return counts


BANDS = {"low": slice(1, 6), "moderate": slice(6, 9), "high": slice(9, LEVELS + 1)}
"""The severity levels of each band: below 50%, 50 to below 80%, from 80%."""


@dataclass(frozen=True, slots=True)
class SeverityShares:
    """FDRO by band of severity, 0..1; None where the whole set has no fault of that band."""

    low: float | None
    moderate: float | None
    high: float | None

    def to_json(self) -> dict[str, float | None]:
        """Plain JSON values, every field by its name."""
        return asdict(self)


def fdro_by_severity(
    failed: ArrayLike,
    probability: ArrayLike,
    *,
    size: int | None = None,
    faults: int | None = None,
    budget: int | None = None,
    all_faults: ArrayLike | None = None,
) -> SeverityShares:
    """Faults of each band among the first m over all faults of that band (Al-Qadasi et al. 2023, table V).

    Arguments and errors as in `sfdr`.

    >>> fdro_by_severity([1, 0, 1, 1], [0.9, 0.9, 0.6, 0.95])
    SeverityShares(low=None, moderate=1.0, high=0.5)
    """
    judged = judged_severity(failed, probability, size=size, faults=faults, budget=budget, all_faults=all_faults)
    found, totals = _found(judged), judged.level_counts_of_all(all_faults)
    shares = {
        band: float(found[band][-1] / total) if (total := int(totals[BANDS[band]].sum())) else None for band in BANDS
    }
    return SeverityShares(**shares)


def found_by_severity(
    failed: ArrayLike,
    probability: ArrayLike,
    *,
    size: int | None = None,
    faults: int | None = None,
    budget: int | None = None,
    all_faults: ArrayLike | None = None,
) -> dict[str, NDArray[np.intp]]:
    """Faults of each band found after each of the first m inputs, (m,) by band: low, moderate, high; as `sfdr`."""
    return _found(judged_severity(failed, probability, size=size, faults=faults, budget=budget, all_faults=all_faults))


def _found(judged: JudgedSeverity) -> dict[str, NDArray[np.intp]]:
    levels = judged.levels[: judged.order.budget]
    return {
        band: np.cumsum((levels >= which.start) & (levels < which.stop), dtype=np.intp) for band, which in BANDS.items()
    }
