"""Inputs by their classes: how many are predicted as each, and what the model said against what the tester answered."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from testimate.charts.columns import places
from testimate.charts.palette import FAILED, RIGHT, faint, shades
from testimate.charts.theme import blank, note, themed
from testimate.charts.untrusted import safe_text
from testimate.core.errors import BadInput
from testimate.core.words import class_order, spaced

CLASS_LIMIT = 30
"""With more classes than this only the most frequent ones are drawn."""

LETTERS = 18
"""Letters of a class's name that an axis shows."""


def predicted_classes(counts: ArrayLike, classes: Sequence[str], *, dark: bool) -> go.Figure:
    """One bar per class, in the order in which people expect them; the most frequent ones where there are many.

    Parameters
    ----------
    counts : (C,) inputs predicted as each class.
    classes : names of all classes, untrusted text.
    """
    numbers = places(counts, "counts", len(classes))
    frequent = set(np.argsort(-numbers, kind="stable")[:CLASS_LIMIT].tolist())
    shown = [place for place in class_order(classes) if place in frequent]
    figure = blank()
    figure.add_bar(
        x=[*range(len(shown))],  # not the names: two long ones that begin alike are two bars
        y=numbers[shown],
        customdata=[safe_text(classes[place]) for place in shown],
        marker_color=shades(dark).estimate,
        hovertemplate="predicted %{customdata}<br>%{y:,} inputs<extra></extra>",
    )
    some = f", the {len(shown)} most frequent of {spaced(len(classes))}" if len(shown) < len(classes) else ""
    figure.update_layout(showlegend=False)  # there is none, and no room is left for it
    themed(figure, dark=dark, x_title=f"predicted class{some}", y_title="inputs (count)", height=260)
    names = [safe_text(classes[place], limit=LETTERS) for place in shown]
    slanted = sum(min(len(classes[place]), LETTERS) for place in shown) > 90
    figure.update_xaxes(tickvals=[*range(len(names))], ticktext=names, tickangle=-45 if slanted else 0, showgrid=False)
    if not numbers.sum():
        return note(figure, "No predictions yet: compute the features first.", dark=dark)
    return figure


def confusion(
    predicted: ArrayLike, answered: ArrayLike, classes: Sequence[str], *, dark: bool, limit: int = 20
) -> go.Figure:
    """Counts of predicted class against the tester's answer; right ones green on the diagonal, wrong ones vermillion.

    Parameters
    ----------
    predicted, answered : (n,) places of the classes, of the labeled inputs.
    classes : names of all classes, untrusted text.
    limit : of the classes seen, at most that many are shown: those most often in a mistake, then the most frequent.
    """
    said = places(predicted, "predicted classes")
    true = places(answered, "answers", len(said))
    both = np.concatenate([said, true])
    if both.size and (both.min() < 0 or both.max() >= len(classes)):
        raise BadInput(
            f"A class has place {both.min() if both.min() < 0 else both.max()} and there are {len(classes)} names; "
            "expected a name for each class, places from 0 on. Pass the names of all classes."
        )
    seen = np.unique(both)
    shown = _shown(said, true, seen, limit)
    counts = np.zeros((len(shown), len(shown)), dtype=np.intp)
    inside = np.isin(said, shown) & np.isin(true, shown)
    np.add.at(counts, (np.searchsorted(shown, true[inside]), np.searchsorted(shown, said[inside])), 1)
    names = [safe_text(classes[place], limit=LETTERS) for place in shown.tolist()]
    figure = blank()
    _add_cells(figure, counts, names, dark)
    figure.update_layout(showlegend=False)
    height = 110 + 30 * max(len(shown), 4)
    some = ""
    if len(shown) < len(seen):
        some = (
            f"<br>{len(shown)} of {len(seen)} classes seen, those most often in a mistake; "
            f"{spaced(inside.sum())} of {spaced(len(said))} labels"
        )
    themed(
        figure, dark=dark, x_title=f"predicted (class){some}", y_title="answered by the tester (class)", height=height
    )
    ticks = {"tickvals": list(range(len(shown))), "ticktext": names, "showgrid": False, "tickfont_size": 12}
    slanted = sum(min(len(classes[place]), LETTERS) for place in shown.tolist()) > 90
    figure.update_xaxes(**ticks, tickangle=-40 if slanted else 0, range=[-0.5, max(len(shown), 1) - 0.5])
    figure.update_yaxes(**ticks, range=[max(len(shown), 1) - 0.5, -0.5])
    if not len(said):
        return note(figure, "No labels yet: label a first input.", dark=dark)
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


def shares_confused(
    cells: Sequence[tuple[int, int, float]], classes: Sequence[str], *, dark: bool, limit: int = 20
) -> go.Figure:
    """How much of all inputs is of one class and predicted as another, in percent, as ``confusion`` draws counts.

    ``cells`` : true place, predicted place, share of all inputs 0..1. ``limit`` : classes shown, those with the largest shares
    of mistakes first.
    """
    count = len(classes)
    shares = np.zeros((count, count))
    for true, predicted, share in cells:
        shares[true, predicted] += 100 * share
    wrong = shares - np.diag(np.diag(shares))
    order = np.lexsort((np.arange(count), -(wrong.sum(axis=0) + wrong.sum(axis=1))))
    seen = [place for place in order.tolist() if shares[place].any() or shares[:, place].any()]
    shown = np.sort(np.array(seen[:limit], dtype=np.intp))
    names = [safe_text(classes[place], limit=LETTERS) for place in shown.tolist()]
    figure, part = blank(), shares[np.ix_(shown, shown)]
    diagonal = np.eye(len(shown), dtype=bool)
    for mask, colour, word in ((diagonal, RIGHT, "right"), (~diagonal, FAILED, "wrong")):
        z = np.where(mask & (part > 0), part, np.nan)
        figure.add_heatmap(
            z=z,
            name=word,
            text=[["" if np.isnan(value) else f"{value:.1f}" for value in line] for line in z.tolist()],
            texttemplate="%{text}",
            textfont={"color": shades(dark).text, "size": 12},
            customdata=[[[row, predicted] for predicted in names] for row in names],
            colorscale=[[0, faint(colour, 0.22)], [1, faint(colour, 0.72)]],
            zmin=0,
            zmax=max(1.0, float(part[mask].max(initial=0))),
            showscale=False,
            xgap=2,
            ygap=2,
            hoverongaps=False,
            hovertemplate=(
                "is %{customdata[0]}, predicted %{customdata[1]}: %{z:.2f} % of all inputs "
                + f"({word})<extra></extra>"
            ),
        )
    some = (
        f"<br>{len(shown)} of {len(seen)} classes seen, those most often in a mistake" if len(shown) < len(seen) else ""
    )
    figure.update_layout(showlegend=False)
    height = 110 + 30 * max(len(shown), 4)
    themed(
        figure, dark=dark, x_title=f"predicted (class; % of all inputs){some}", y_title="true (class)", height=height
    )
    ticks = {"tickvals": list(range(len(shown))), "ticktext": names, "showgrid": False, "tickfont_size": 12}
    slanted = sum(min(len(classes[place]), LETTERS) for place in shown.tolist()) > 90
    figure.update_xaxes(**ticks, tickangle=-40 if slanted else 0, range=[-0.5, max(len(shown), 1) - 0.5])
    figure.update_yaxes(**ticks, range=[max(len(shown), 1) - 0.5, -0.5])
    return figure
