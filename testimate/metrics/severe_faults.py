"""The share of the faults of each severity that the budget finds."""

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.metrics.judged_severity import JudgedSeverity, judged_severity
from testimate.metrics.severity import LEVELS

BANDS = {"low": slice(1, 6), "moderate": slice(6, 9), "high": slice(9, LEVELS + 1)}
"""The severity levels of each band: below 50 %, 50 to below 80 %, from 80 %."""


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
