"""The rows of a study: how a technique did over its repetitions, as numbers and as text."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.spreadsheet_cells import SpreadsheetWriter
from testimate.studies.campaign import (
    Campaign,
)


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
    labels_p : p-value of the Kolmogorov-Smirnov test between the true labels of a sample and of the whole set, in the median
        over campaigns; None where the true labels are not known.
    neurons_covered : of the 30 sections of each neuron's range that the whole set reaches, the mean share that a sample
        reaches; None where no technique of the study needs features.
    errors : of each campaign; empty in a row that was kept before they were.
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
    labels_p: float | None = None
    neurons_covered: float | None = None
    errors: tuple[float, ...] = field(default=(), compare=False, repr=False)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, every column by its name."""
        return {name: getattr(self, name) for name in COLUMNS}


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
    represented: "Represented | None" = None,
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
        labels_p=None if represented is None else represented.labels_p(campaigns),
        neurons_covered=None if represented is None else represented.neurons_covered(campaigns),
        errors=tuple(errors.tolist()),
    )


SECTIONS = 30
"""Of each neuron's range, as CES and its coverage have them."""


class Represented:
    """How far samples resemble the whole set in what is not estimated: its true labels, and the neurons it reaches.

    Parameters
    ----------
    truth : (N,) or None. features : (N, width) or None.
    """

    def __init__(self, truth: NDArray[Any] | None, features: NDArray[Any] | None) -> None:
        self._places: NDArray[np.intp] | None = None
        if truth is not None and truth.ndim == 1:
            self._places = np.unique(truth, return_inverse=True)[1]
            self._whole = np.cumsum(np.bincount(self._places)) / len(truth)
        self._sections: NDArray[np.int8] | None = None
        if features is not None:
            low = features.min(axis=0)
            reach = np.maximum(features.max(axis=0) - low, np.finfo(np.float32).tiny)
            self._sections = np.minimum((features - low) / reach * SECTIONS, SECTIONS - 1).astype(np.int8)
            self._reached = self._count(np.arange(len(features)))

    def labels_p(self, campaigns: Sequence[Campaign]) -> float | None:
        """The asymptotic p-value of the median statistic: smaller statistics have larger p-values."""
        if self._places is None:
            return None
        from scipy.stats import kstwo

        gaps = []
        for one in campaigns:
            counts = np.bincount(self._places[list(one.rows)], minlength=len(self._whole))
            gaps.append(np.abs(np.cumsum(counts) / counts.sum() - self._whole).max())
        labels, size = len(campaigns[0].rows), len(self._places)
        return float(np.clip(kstwo.sf(np.median(gaps), np.round(labels * size / (labels + size))), 0, 1))

    def neurons_covered(self, campaigns: Sequence[Campaign]) -> float | None:
        """The mean share of sections."""
        if self._sections is None:
            return None
        return float(np.mean([self._count(np.array(one.rows)) for one in campaigns]) / self._reached)

    def _count(self, rows: NDArray[np.intp]) -> int:
        sections: Any = self._sections
        neurons = np.arange(sections.shape[1])
        reached = np.zeros((len(neurons), SECTIONS), dtype=np.bool_)
        for row in rows.tolist():
            reached[neurons, sections[row]] = True
        return int(reached.sum())


def _of_intervals(campaigns: Sequence[Campaign], truth: float) -> tuple[float | None, float | None]:
    """Coverage and mean width; both None if any campaign lacks an interval, because the rest would not be representative."""
    ends = [(one.low, one.high) for one in campaigns if one.low is not None and one.high is not None]
    if len(ends) < len(campaigns):
        return None, None
    low, high = np.array(ends).T  # each (R,)
    held = (low <= truth + 1e-12) & (truth - 1e-12 <= high)  # a census ends on the truth but for rounding
    return float(held.mean()), float((high - low).mean())


COLUMNS = tuple(column.name for column in fields(StudyRow) if column.name != "errors")
"""The columns of both tables, in order; the fields of the study JSON."""


def to_csv(rows: Sequence[StudyRow]) -> str:
    """CSV with a header and every field at full precision; a number that does not exist is an empty cell."""
    text = io.StringIO()
    writer = SpreadsheetWriter(text)
    writer.writerow(COLUMNS)
    for row in rows:
        record = row.to_json()
        writer.writerow(record[name] for name in COLUMNS)
    return text.getvalue()


def to_markdown(rows: Sequence[StudyRow]) -> str:
    """A Markdown table with every field, numbers to four significant digits; – where a number does not exist."""
    lines = [
        _line(COLUMNS),
        _line(["---" if name in ("technique", "auxiliary", "variant") else "---:" for name in COLUMNS]),
    ]
    for row in rows:
        record = row.to_json()
        lines.append(_line([_cell(record[name]) for name in COLUMNS]))
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: str | float | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):  # a column name is anybody's text
        return value.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
    return f"{value:.4g}" if isinstance(value, float) else str(value)
