"""Techniques side by side over known truth."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from testimate.charts.theme import table
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.core.subject import Subject
from testimate.studies import study as campaigns
from testimate.studies.study import COLUMNS, StudyRow, to_markdown
from testimate.verbs.known import known_inputs_of

SHOWN = ("technique", "auxiliary", "budget", "rmse", "rmse_ratio_to_srs", "coverage", "width_mean", "failures_mean")
"""The columns a notebook shows."""


class StudyRows(list[StudyRow]):
    """The rows of a study: a list that a notebook shows as a table."""

    def __repr__(self) -> str:
        return to_markdown(self)

    def _repr_html_(self) -> str:
        return table(SHOWN, ([getattr(row, name) for name in SHOWN] for row in self), len(self))

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row for each."""
        import pandas as pd

        return pd.DataFrame([row.to_json() for row in self], columns=list(COLUMNS))

    def to_html(self) -> str:
        """A page that needs no network, with charts: error against budget, and its ratio to simple random sampling."""
        from testimate.studies.plots import to_html

        return to_html(self)


def study(
    subject: Subject | Inputs,
    *,
    techniques: Sequence[str],
    budgets: Sequence[int],
    repetitions: int,
    seed: int,
    auxiliaries: Sequence[str] = ("confidence",),
    variant: str | None = None,
    features: str = "LHL",
    level: float = 0.95,
    progress: Progress = silent,
    workers: int | None = None,
    options: Mapping[str, Any] | None = None,
    resume_file: Path | None = None,
) -> StudyRows:
    """Runs every technique at every budget many times where the truth is known, and compares the estimates with it.

    ``subject`` is the result of ``open_subject``, with the true answers, or inputs; the other parameters and the errors
    are those of ``testimate.studies.study.study``.
    """
    rows = campaigns.study(
        known_inputs_of(subject),
        techniques=techniques,
        budgets=budgets,
        repetitions=repetitions,
        seed=seed,
        auxiliaries=auxiliaries,
        variant=variant,
        features=features,
        level=level,
        progress=progress,
        workers=workers,
        options=options,
        resume_file=resume_file,
    )
    return StudyRows(rows)
