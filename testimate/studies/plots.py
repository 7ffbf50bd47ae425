"""A study as people look at it: a table in a notebook, and its plots as one page that needs no network.

The plots are of the error against the budget, and of its ratio to simple random sampling.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from testimate.charts.estimates import StudyLine, error_lines, ratio_lines
from testimate.charts.html import table
from testimate.core.errors import BadInput
from testimate.estimators.intervals import wilson
from testimate.studies.study_rows import COLUMNS, StudyRow, to_markdown

LEVEL = 1.96  # standard errors in a band
BAND = 0.95


Ends = tuple[float, float]


def ends_of_an_rmse(row: StudyRow, value: float) -> Ends:
    """The uncertainty of an RMSE, or of its ratio: the relative standard error from R normal errors is 1 / sqrt(2 R)."""
    share = LEVEL / np.sqrt(2 * row.repetitions)
    return value * max(1 - share, 0.01), value * (1 + share)  # above 0 for a logarithmic axis


def ends_of_a_coverage(row: StudyRow, value: float) -> Ends:
    """Wilson's interval for the share of R intervals that held the truth."""
    return wilson(value, row.repetitions, BAND)


def ends_of_the_failures(row: StudyRow, value: float) -> Ends:
    """The mean number of failures, with the standard error of R campaigns."""
    reach = LEVEL * (row.failures_sd or 0.0) / np.sqrt(row.repetitions)
    return value - reach, value + reach


def line_names(rows: Sequence[StudyRow], *, called: Callable[[str], str] = str) -> list[str]:
    """What each row is called: its technique, with the auxiliary variable where there are several, and its variant.

    ``called`` gives a technique's name; only its code where names are too long for a legend.
    """
    several = len({row.auxiliary for row in rows if row.auxiliary}) > 1
    words = ([called(row.technique), row.auxiliary if several else None, row.variant] for row in rows)
    return [", ".join(word for word in own if word) for own in words]


def lines_of(
    rows: Sequence[StudyRow],
    measure: Callable[[StudyRow], float | None],
    ends: Callable[[StudyRow, float], Ends] | None = ends_of_an_rmse,
) -> dict[str, StudyLine]:
    """A line for each technique, auxiliary variable and variant, in the order of the rows.

    The bands, by ``ends``, show the uncertainty of the repetitions; None where ``ends`` is None, and for a row of one
    repetition, which has no spread.
    """
    grouped: dict[str, list[StudyRow]] = {}
    for row, name in zip(rows, line_names(rows), strict=True):
        grouped.setdefault(name, []).append(row)
    lines = {}
    for name, own in grouped.items():
        own.sort(key=lambda row: row.budget)
        values = np.array([np.nan if (value := measure(row)) is None else value for row in own])
        low = high = None
        if ends is not None and all(row.repetitions > 1 for row in own):
            found = [
                ends(row, value) if np.isfinite(value) else (np.nan, np.nan)
                for row, value in zip(own, values.tolist(), strict=True)
            ]
            low, high = np.array(found).T  # each (k,)
        lines[name] = StudyLine([row.budget for row in own], values, low, high)
    return lines


def to_html(rows: Sequence[StudyRow], *, dark: bool = False) -> str:
    """A page with both plots and the program that draws them. BadInput where there is no row."""
    if not rows:
        raise BadInput("The study has no rows; a plot needs at least one. Ask for a technique and a budget.")
    figures = [
        error_lines(lines_of(rows, lambda row: row.rmse), dark=dark),
        ratio_lines(lines_of(rows, lambda row: row.rmse_ratio_to_srs), dark=dark),
    ]
    parts = [
        figure.update_layout(height=440).to_html(full_html=False, include_plotlyjs=number == 0, div_id=f"plot{number}")
        for number, figure in enumerate(figures)
    ]
    body = "\n".join(str(part) for part in parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Techniques side by side</title></head>\n'
        f'<body style="font-family: sans-serif; max-width: 1000px; margin: 2rem auto">\n{body}\n</body></html>\n'
    )


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

    def against(self, technique: str) -> Any:
        """The rows against that technique: a list of ``testimate.studies.against.Against``, for each budget and over all."""
        from testimate.studies.against import against

        return against(self, technique)

    def to_html(self) -> str:
        """A page that needs no network, with charts: error against budget, and its ratio to simple random sampling."""
        return to_html(self)
