"""Whether a technique's error falls as labels are added: where it is least, and DeepSample's inversions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from testimate.core.errors import BadInput
from testimate.studies.study_rows import StudyRow


@dataclass(frozen=True)
class Convergence:
    """How an error changes with the budget.

    Attributes
    ----------
    best_budget : where the error is least; the largest of several.
    converges : whether that is the largest budget, which is what one expects (DeepSample, section 5.3.1).
    inversion : whether the error at the smallest budget is below that at the largest (DeepSample, tables 6 and 7).
    rises : from how many budgets to the next the error rises.
    slope : of log error against log budget by least squares; -1/2 for a mean of independent labels. None where an
        error is 0.
    """

    best_budget: int
    converges: bool
    inversion: bool
    rises: int
    slope: float | None


def convergence(budgets: ArrayLike, errors: ArrayLike) -> Convergence:
    """The convergence of errors (k,) of at least 0 at two or more rising budgets (k,).

    >>> convergence([50, 200, 800], [0.06, 0.03, 0.015])
    Convergence(best_budget=800, converges=True, inversion=False, rises=0, slope=-0.5)
    """
    labels, values = np.asarray(budgets), np.asarray(errors, dtype=np.float64)
    fits = labels.ndim == 1 and labels.shape == values.shape and len(labels) >= 2 and (np.diff(labels) > 0).all()
    if not (fits and np.isfinite(values).all() and (values >= 0).all()):
        raise BadInput(
            f"The budgets {budgets!r:.60} and errors {errors!r:.60} do not fit together. Expected two or more rising "
            "budgets with an error of at least 0 each. Sort them, or add a budget."
        )
    best = int(labels[np.flatnonzero(values == values.min())[-1]])
    slope = np.polyfit(np.log(labels), np.log(values), 1)[0] if values.min() > 0 else None
    return Convergence(
        best_budget=best,
        converges=best == int(labels[-1]),
        inversion=bool(values[0] < values[-1]),
        rises=int((np.diff(values) > 0).sum()),
        slope=None if slope is None else float(np.round(slope, 12)),
    )


def convergence_by_technique(rows: Sequence[StudyRow]) -> dict[tuple[str, str | None, str | None], Convergence]:
    """(technique, auxiliary, variant) to the convergence of its RMSE, from rows at two or more budgets each."""
    lines: dict[tuple[str, str | None, str | None], dict[int, float]] = {}
    for row in rows:
        lines.setdefault((row.technique, row.auxiliary, row.variant), {})[row.budget] = row.rmse
    return {name: convergence(sorted(line), [line[budget] for budget in sorted(line)]) for name, line in lines.items()}
