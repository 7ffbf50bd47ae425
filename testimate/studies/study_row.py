"""One line of a study: how a technique did over its repetitions."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.studies.campaign import Campaign


@dataclass(frozen=True)
class StudyRow:
    """How far a technique's estimates were from the truth, and what else its labels found.

    Errors are estimated minus true accuracy. None where a number does not exist.

    Attributes
    ----------
    technique, variant : as asked; variant None is the technique's own definition.
    auxiliary : the auxiliary variable; None for a technique that takes none.
    budget, repetitions : draws per campaign, and campaigns; 1 for a technique that selects the same with every seed.
    truth : accuracy of the whole set, 1 - mean loss.
    rmse, rmedse : root of the mean and of the median squared error.
    bias, bias_standard_error : mean error and its standard error; the latter None with 1 repetition.
    rmse_ratio_to_srs : rmse over the exact spread of simple random sampling without replacement, the root of
        (1 - n / N) S^2 / n; None where that is 0.
    failures_mean, failures_sd : failures among the draws; an input drawn twice counts twice. sd None with 1 repetition.
    coverage, width_mean : share of the intervals that hold the truth, and their mean width; None where a campaign
        has no interval.
    seconds : median time of one campaign on one core, at all budgets that it serves; rows that differ only in it are
        equal.
    """

    technique: str
    auxiliary: str | None
    variant: str | None
    budget: int
    repetitions: int
    truth: float
    rmse: float
    rmedse: float
    bias: float
    bias_standard_error: float | None
    rmse_ratio_to_srs: float | None
    failures_mean: float
    failures_sd: float | None
    coverage: float | None
    width_mean: float | None
    seconds: float = field(compare=False)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, every field by its name."""
        return asdict(self)


def spread_of_srs(losses: NDArray[np.float64], budget: int) -> float:
    """The exact standard deviation of the mean of ``budget`` of the (N,) losses, drawn without replacement.

    >>> round(spread_of_srs(np.array([1.0] * 20 + [0.0] * 80), 25), 6)
    0.069631
    """
    size = losses.size
    if size < 2:
        return 0.0
    return float(np.sqrt((1 - budget / size) * losses.var(ddof=1) / budget))  # Cochran 1977, eq. 2.20


def study_row(
    *,
    technique: str,
    auxiliary: str | None,
    variant: str | None,
    budget: int,
    losses: NDArray[np.float64],
    campaigns: Sequence[Campaign],
) -> StudyRow:
    """The row that sums up the campaigns (at least 1) over the (N,) true ``losses``."""
    truth = float(1 - losses.mean())
    errors = np.array([campaign.accuracy for campaign in campaigns]) - truth  # (R,)
    failures = np.array([campaign.failures for campaign in campaigns], dtype=np.float64)
    repetitions = len(campaigns)
    several = repetitions > 1
    rmse = float(np.sqrt(np.mean(errors**2)))
    by_srs = spread_of_srs(losses, budget)
    coverage, width = _of_intervals(campaigns, truth)
    return StudyRow(
        technique=technique,
        auxiliary=auxiliary,
        variant=variant,
        budget=budget,
        repetitions=repetitions,
        truth=truth,
        rmse=rmse,
        rmedse=float(np.sqrt(np.median(errors**2))),
        bias=float(errors.mean()),
        bias_standard_error=float(errors.std(ddof=1) / np.sqrt(repetitions)) if several else None,
        rmse_ratio_to_srs=rmse / by_srs if by_srs > 0 else None,
        failures_mean=float(failures.mean()),
        failures_sd=float(failures.std(ddof=1)) if several else None,
        coverage=coverage,
        width_mean=width,
        seconds=float(np.median([campaign.seconds for campaign in campaigns])),
    )


def _of_intervals(campaigns: Sequence[Campaign], truth: float) -> tuple[float | None, float | None]:
    """Coverage and mean width; both None if any campaign lacks an interval, because the rest would not be representative."""
    ends = [(one.low, one.high) for one in campaigns if one.low is not None and one.high is not None]
    if len(ends) < len(campaigns):
        return None, None
    low, high = np.array(ends).T  # each (R,)
    held = (low <= truth + 1e-12) & (truth - 1e-12 <= high)  # a census ends on the truth but for rounding
    return float(held.mean()), float((high - low).mean())
