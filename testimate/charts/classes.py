"""Inputs by their classes: how many are predicted as each, and what the model said against what the tester answered."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from testimate.charts.columns import places
from testimate.charts.palette import FAILED, RIGHT, faint, shades
from testimate.charts.theme import blank, caption, note, themed
from testimate.charts.untrusted import safe_text
from testimate.core.errors import BadInput
from testimate.core.rounding import spaced

CLASS_LIMIT = 30
"""With more classes than this only the most frequent ones are drawn."""


def predicted_classes(counts: ArrayLike, classes: Sequence[str], *, dark: bool) -> go.Figure:
    """One bar per class, in the order of the classes; the most frequent ones where there are many.

    Parameters
    ----------
    counts : (C,) inputs predicted as each class.
    classes : names of all classes, untrusted text.
    """
    numbers = places(counts, "counts", len(classes))
    shown = np.sort(np.argsort(-numbers, kind="stable")[:CLASS_LIMIT])
    figure = blank()
    figure.add_bar(
        x=[safe_text(classes[place]) for place in shown],
        y=numbers[shown],
        marker_color=shades(dark).estimate,
        hovertemplate="predicted %{x}<br>%{y:,} inputs<extra></extra>",
    )
    themed(figure, dark=dark, x_title="predicted class", y_title="inputs (count)", height=260)
    figure.update_xaxes(type="category")
    if not numbers.sum():
        return note(figure, "No predictions yet: compute the features first.", dark=dark)
    if len(shown) < len(classes):
        caption(figure, f"the {len(shown)} most frequent of {spaced(len(classes))} classes", dark=dark)
    return figure


def confusion(
    predicted: ArrayLike, answered: ArrayLike, classes: Sequence[str], *, dark: bool, limit: int = 20
) -> go.Figure:
    """Counts of predicted class against the tester's answer; right ones green on the diagonal, wrong ones vermillion.

    Parameters
    ----------
    predicted, answered : (n,) places of the classes, of the labeled inputs.
    classes : names of all classes, untrusted text.
    limit : of the classes seen, at most so many are shown: those most often in a mistake, then the most frequent.
    """
    said = places(predicted, "predicted classes")
    true = places(answered, "answers", len(said))
    both = np.concatenate([said, true])
    if both.size and (both.min() < 0 or both.max() >= len(classes)):
        raise BadInput(
            f"A class has place {both.min() if both.min() < 0 else both.max()} and there are {len(classes)} names; expected "
            "is a name for each class, places from 0 on. Pass the names of all classes."
        )
    seen = np.unique(both)
    shown = _shown(said, true, seen, limit)
    counts = np.zeros((len(shown), len(shown)), dtype=np.intp)
    inside = np.isin(said, shown) & np.isin(true, shown)
    np.add.at(counts, (np.searchsorted(shown, true[inside]), np.searchsorted(shown, said[inside])), 1)
    names = [safe_text(classes[place], limit=18) for place in shown.tolist()]
    figure = blank()
    _add_cells(figure, counts, names, dark)
    figure.update_layout(showlegend=False)
    height = 110 + 30 * max(len(shown), 4)
    themed(figure, dark=dark, x_title="predicted (class)", y_title="answered by the tester (class)", height=height)
    ticks = {"tickvals": list(range(len(shown))), "ticktext": names, "showgrid": False, "tickfont_size": 12}
    slanted = sum(min(len(classes[place]), 18) for place in shown.tolist()) > 90
    figure.update_xaxes(**ticks, tickangle=-40 if slanted else 0, range=[-0.5, max(len(shown), 1) - 0.5])
    figure.update_yaxes(**ticks, range=[max(len(shown), 1) - 0.5, -0.5])
    if not len(said):
        return note(figure, "No labels yet: label a first input.", dark=dark)
    if len(shown) < len(seen):
        part = f"{len(shown)} of {len(seen)} classes seen, those most often in a mistake"
        caption(figure, f"{part}; {spaced(inside.sum())} of {spaced(len(said))} labels", dark=dark)
    return figure


def _shown(said: NDArray[np.intp], true: NDArray[np.intp], seen: NDArray[np.intp], limit: int) -> NDArray[np.intp]:
    """At most ``limit`` of the classes seen, ascending."""
    wrong = said != true
    mistakes = np.array([np.sum(wrong & ((said == place) | (true == place))) for place in seen])
    frequency = np.array([np.sum((said == place) | (true == place)) for place in seen])
    order = np.lexsort((seen, -frequency, -mistakes)) if len(seen) else np.empty(0, dtype=np.intp)
    return np.sort(seen[order[:limit]])


def _add_cells(figure: go.Figure, counts: NDArray[np.intp], names: list[str], dark: bool) -> None:
    """Two layers, right and wrong, each with its counts; empty cells stay blank."""
    diagonal = np.eye(len(counts), dtype=bool)
    for mask, colour, word in ((diagonal, RIGHT, "right"), (~diagonal, FAILED, "wrong")):
        z = np.where(mask & (counts > 0), counts, np.nan)
        figure.add_heatmap(
            z=z,
            name=word,
            text=[[f"{counts[i, j]}" if np.isfinite(z[i, j]) else "" for j in range(len(z))] for i in range(len(z))],
            texttemplate="%{text}",
            textfont={"color": shades(dark).text, "size": 13},
            customdata=[[[row, predicted] for predicted in names] for row in names],
            colorscale=[[0, faint(colour, 0.22)], [1, faint(colour, 0.72)]],
            zmin=0,
            zmax=max(5, int(counts[mask].max(initial=0))),
            showscale=False,
            xgap=2,
            ygap=2,
            hoverongaps=False,
            hovertemplate=f"predicted %{{customdata[1]}}, answered %{{customdata[0]}}: %{{z}} ({word})<extra></extra>",
        )
