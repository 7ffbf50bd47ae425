"""A study's plots: error against budget, and its ratio to simple random sampling, as one page that needs no network."""

from collections.abc import Callable, Sequence

import numpy as np

from testimate.charts.study_lines import StudyLine, error_lines, ratio_lines
from testimate.core.errors import BadInput
from testimate.studies.study_row import StudyRow

LEVEL = 1.96  # standard errors in a band


def lines_of(rows: Sequence[StudyRow], measure: Callable[[StudyRow], float | None]) -> dict[str, StudyLine]:
    """A line for each technique, auxiliary variable and variant, in the order of the rows.

    The bands are what the number of repetitions leaves open: an RMSE of R normal errors is off by a share of
    1 / sqrt(2 R). None for a row of one repetition, which has no spread.
    """
    grouped: dict[str, list[StudyRow]] = {}
    auxiliaries = {row.auxiliary for row in rows if row.auxiliary}
    for row in rows:
        words = [row.technique, row.auxiliary if len(auxiliaries) > 1 else None, row.variant]
        grouped.setdefault(", ".join(word for word in words if word), []).append(row)
    lines = {}
    for name, own in grouped.items():
        own.sort(key=lambda row: row.budget)
        values = np.array([np.nan if (value := measure(row)) is None else value for row in own])
        several = all(row.repetitions > 1 for row in own)
        share = LEVEL / np.sqrt([2 * row.repetitions for row in own])
        lines[name] = StudyLine(
            budgets=[row.budget for row in own],
            values=values,
            low=values * np.maximum(1 - share, 0.01) if several else None,  # above 0 for a logarithmic axis
            high=values * (1 + share) if several else None,
        )
    return lines


def to_html(rows: Sequence[StudyRow], *, dark: bool = False) -> str:
    """A page with both plots; the program that draws them is inside. BadInput where there is no row."""
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
