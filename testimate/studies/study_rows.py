"""The rows of a study as Python gives them: a list that a notebook shows as a table."""

from typing import Any

from testimate.charts.html import table
from testimate.studies.plots import to_html
from testimate.studies.study import COLUMNS, StudyRow, to_markdown

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
        return to_html(self)
