"""Charts of several things side by side: models, orders of priority, lanes of a race, and classes.

SVG, not Plotly: Streamlit builds a Plotly chart from scratch whenever its numbers change, which flickers in a race.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from testimate.charts.estimates import axis_range
from testimate.charts.palette import FAILED, RIGHT, SYMBOL_SCALE, UNLABELED, Shades, dash, faint, hue, shades, symbol
from testimate.charts.theme import FONT, Column, blank, column, note, places, round_ticks, safe_text, themed
from testimate.core.errors import BadInput
from testimate.core.task import SHARE_RIGHT, Measure
from testimate.core.words import class_order, commas, percent

MOST_WRITTEN = 14
"""With more models than this the numbers are on hover alone."""


def model_ranking(
    models: Sequence[str], scores: Column, low: Column | None, high: Column | None, *, dark: bool, what: str
) -> go.Figure:
    """A dot for each model, the first on top, with a bar for its range.

    Parameters
    ----------
    models : M names, untrusted text, the best first.
    scores, low, high : (M,) in the same order; None or nan where there is no range.
    what : what the score is, with its unit.
    """
    values = column(scores, "scores", len(models))
    ends = [column(end, "ends of the range", len(models)) for end in (low, high)]
    colors = shades(dark)
    names = [safe_text(model, limit=28) for model in models]
    places = list(range(len(models)))
    figure = blank()
    figure.add_scatter(
        x=values,
        y=places,
        mode="markers",
        marker={"size": 10, "color": colors.estimate},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": np.nan_to_num(ends[1] - values).clip(min=0),
            "arrayminus": np.nan_to_num(values - ends[0]).clip(min=0),
            "color": colors.muted,
            "thickness": 1.5,
            "width": 4,
        },
        customdata=names,
        hovertemplate="%{customdata}: %{x:.4~g}<extra></extra>",
    )
    figure.update_layout(showlegend=False)
    themed(figure, dark=dark, x_title=what, y_title="model (best first)", height=90 + 30 * max(len(models), 3))
    figure.update_yaxes(tickvals=places, ticktext=names, range=[len(models) - 0.5, -0.5])
    return figure if len(models) else note(figure, "No models yet: choose some to compare.", dark=dark)


def agreement_matrix(shares: ArrayLike, models: Sequence[str], *, dark: bool) -> go.Figure:
    """A square of shares, darker (or, on dark, lighter) where two models agree less often.

    Parameters
    ----------
    shares : (M, M) share of inputs on which two models predict the same, 0..1.
    models : M names, untrusted text, in the order of the rows.
    """
    values = np.asarray(shares, dtype=np.float64)
    if values.shape != (len(models), len(models)):
        raise BadInput(
            f"The shares have the shape {values.shape} and there are {len(models)} models. Expected a row and a column for "
            "each. Pass as many names."
        )
    names = [safe_text(model, limit=22) for model in models]
    colors = shades(dark)
    figure = blank()
    in_percent = 100 * values
    if len(models):
        off = in_percent[~np.eye(len(models), dtype=bool)]
        low = float(np.floor(off.min(initial=100.0) / 10) * 10)
        count = len(colors.scale)
        figure.add_heatmap(
            z=np.where(np.eye(len(models), dtype=bool), np.nan, in_percent),
            customdata=[
                [[row, column, percent(share)] for column, share in zip(names, line, strict=True)]
                for row, line in zip(names, values, strict=True)
            ],
            text=[
                ["" if i == j else percent(share, 0)[:-1] for j, share in enumerate(line)]
                for i, line in enumerate(values)
            ],
            texttemplate="%{text}" if len(models) <= MOST_WRITTEN else None,
            colorscale=[[place / (count - 1), color] for place, color in enumerate(colors.scale)],
            zmin=min(low, 90.0),
            zmax=100.0,
            xgap=1,
            ygap=1,
            hoverongaps=False,
            colorbar={
                "title": {"text": "same (%)", "font": {"color": colors.muted, "size": 12}},
                "tickfont": {"color": colors.muted},
                "thickness": 12,
                "outlinewidth": 0,
            },
            hovertemplate="%{customdata[0]} and %{customdata[1]}: %{customdata[2]} the same<extra></extra>",
        )
    figure.update_layout(showlegend=False)
    height = 150 + 26 * max(len(models), 4)
    themed(figure, dark=dark, x_title="model", y_title="model", height=height)
    ticks = {"tickvals": list(range(len(models))), "ticktext": names, "showgrid": False, "tickfont_size": 11}
    figure.update_xaxes(**ticks, tickangle=-45)
    figure.update_yaxes(**ticks, autorange="reversed")
    return figure if len(models) else note(figure, "No models yet: choose some to compare.", dark=dark)


def rank_change(ranks: Mapping[str, ArrayLike], datasets: Sequence[str], *, dark: bool) -> go.Figure:
    """A line for each model over the datasets, rank 1 on top.

    Parameters
    ----------
    ranks : model (untrusted text) to its (D,) ranks, whole numbers from 1.
    datasets : D names, untrusted text.
    """
    figure = blank()
    across = list(range(len(datasets)))
    for place, (model, values) in enumerate(ranks.items()):
        figure.add_scatter(
            x=across,
            y=places(values, "ranks", len(datasets)),
            name=safe_text(model, limit=28),
            mode="lines+markers",
            line={"color": hue(place, dark=dark), "dash": dash(place // 7), "width": 2},
            marker={"symbol": symbol(place), "size": 9},
            hovertemplate="%{fullData.name}: rank %{y}<extra></extra>",
        )
    figure.update_layout(showlegend=bool(ranks))
    themed(figure, dark=dark, x_title="dataset", y_title="rank (1 is best)", height=140 + 26 * max(len(ranks), 4))
    figure.update_layout(legend={"orientation": "v", "x": 1.02, "y": 1, "yanchor": "top"})
    figure.update_xaxes(tickvals=across, ticktext=[safe_text(name, limit=24) for name in datasets], showgrid=False)
    figure.update_yaxes(range=[len(ranks) + 0.5, 0.5], dtick=1 if len(ranks) <= 15 else 5)
    return figure if ranks else note(figure, "No change yet: choose two datasets with the same models.", dark=dark)


def fault_curve(
    found: Mapping[str, ArrayLike],
    *,
    dark: bool,
    size: int,
    faults: float | None = None,
    faults_estimated: bool = False,
) -> go.Figure:
    """Faults found after 0, 1, 2 ... labels, one line per order; a single one is drawn in the color of failure.

    Parameters
    ----------
    found : name of the order to (n,) faults among its first 1..n labels; untrusted names.
    size : N, the inputs of the whole set.
    faults : m, the faults in the whole set, for the ideal line min(i, m) and the random one i m / N; None where unknown.
    faults_estimated : whether m is an estimate, which the legend then says.
    """
    if size < 1:
        raise BadInput(f"Expected a set of at least 1 input, got {size}. Load a dataset that is not empty.")
    curves = {name: column(values, f"faults found by {name!r:.40}") for name, values in found.items()}
    longest = max((len(curve) for curve in curves.values()), default=0)
    figure = blank()
    colors = shades(dark)
    if faults is not None and longest:
        known = "estimated" if faults_estimated else "known"
        ends = np.unique([0.0, min(faults, longest), longest])
        _reference(
            figure,
            ends,
            np.minimum(ends, faults),
            f"ideal ({commas(faults)} faults, {known})",
            colors.text,
            "dash",
        )
        line = np.array([0.0, longest])
        _reference(figure, line, line * faults / size, "random order (expected)", UNLABELED, "dot")
    for place, (name, curve) in enumerate(curves.items()):
        single = len(curves) == 1
        figure.add_scatter(
            x=np.arange(len(curve) + 1),
            y=np.concatenate([[0.0], curve]),
            name=safe_text(name),
            mode="lines",
            line={
                "color": FAILED if single else hue(place, dark=dark),
                "width": 2.5,
                "shape": "hv",
                "dash": "solid" if single else dash(place),
            },
            hovertemplate="%{fullData.name}: %{y:,} faults in %{x:,} labels<extra></extra>",
        )
    figure.update_layout(showlegend=bool(longest))
    themed(figure, dark=dark, x_title="labels (inputs)", y_title="faults found (inputs)", height=260)
    figure.update_yaxes(rangemode="tozero")
    if not longest:
        return note(figure, "No labels yet: label a first input.", dark=dark)
    most = max(float(curve.max(initial=0)) for curve in curves.values())
    figure.update_yaxes(range=[0, max(5.0, 1.35 * most)], tickformat=",d", nticks=6)
    return figure


def _reference(figure: go.Figure, x: ArrayLike, y: ArrayLike, name: str, color: str, style: str) -> None:
    figure.add_scatter(
        x=x,
        y=y,
        name=name,
        mode="lines",
        line={"color": color, "width": 1.25, "dash": style},
        hovertemplate="%{fullData.name}: %{y:,.1f} faults in %{x:,.0f} labels<extra></extra>",
    )


SPREAD = 0.5
"""Share of an order's height over which its metrics are spread."""


def order_scores(orders: Sequence[str], scores: Mapping[str, Column], *, dark: bool) -> go.Figure:
    """A symbol for each metric of each order, the first order on top, one metric above the other so that equal ones show.

    ``orders`` : K names, untrusted. ``scores`` : metric to (K,) shares, 0..1, None where there is no number.
    """
    names = [safe_text(order, limit=28) for order in orders]
    places = list(range(len(names)))
    figure = blank()
    for place, (metric, values) in enumerate(scores.items()):
        mark = symbol(place)
        figure.add_scatter(
            x=100 * column(values, f"values of {metric}", len(names)),
            y=[order + SPREAD * (place - (len(scores) - 1) / 2) / max(len(scores) - 1, 1) for order in places],
            name=metric,
            mode="markers",
            marker={"symbol": mark, "size": 11 * SYMBOL_SCALE.get(mark, 1), "color": hue(place, dark=dark)},
            customdata=[
                f"{name}: {metric} {percent(value) if np.isfinite(value) else '–'}"
                for name, value in zip(names, column(values, f"values of {metric}", len(names)), strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    themed(
        figure, dark=dark, x_title="metric (%; more is better)", y_title="order", height=110 + 46 * max(len(names), 3)
    )
    figure.update_xaxes(range=[-1.5, 101.5])
    figure.update_yaxes(tickvals=places, ticktext=names, range=[len(names) - 0.5, -0.5])
    return figure if names else note(figure, "No orders yet: choose some to compare.", dark=dark)


FIRST = 10
"""Labels before which an estimate is too rough to set the frame by."""

LEFT, RIGHT_MARGIN, TOP, BOTTOM = 50, 12, 10, 42
"""Room around the axes, in units of the drawing."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Lane:
    """The frame that all lanes share.

    ``budget`` : labels of the whole race. ``ends`` : of the y axis (percent, or 1 - MSE). ``truth`` : accuracy of all inputs,
    nan while it is hidden.
    ``width``, ``height`` : of the drawing, which is scaled to the room there is. ``measure`` : what the accuracy is.
    """

    budget: int
    ends: tuple[float, float]
    truth: float
    width: int = 560
    height: int = 236
    measure: Measure = SHARE_RIGHT

    def x(self, labels: ArrayLike) -> Numbers:
        """The horizontal place of a number of labels; a tenth is left for the number beside the last one."""
        inside = self.width - LEFT - RIGHT_MARGIN
        return LEFT + inside * np.asarray(labels, dtype=np.float64) / (1.12 * self.budget)

    def y(self, values: ArrayLike) -> Numbers:
        """The vertical place of an accuracy, percent or 1 - MSE; one outside the frame is drawn just outside it."""
        low, high = self.ends
        inside = self.height - TOP - BOTTOM
        share = (np.asarray(values, dtype=np.float64) - low) / (high - low)
        return TOP + inside * (1 - np.clip(share, -0.1, 1.1))


def race_lane(
    lane: Lane,
    accuracy: Column,
    low: Column,
    high: Column,
    always_low: Column,
    always_high: Column,
    failed: ArrayLike,
    *,
    dark: bool,
    chosen: bool,
) -> str:
    """The estimate after each label so far with its two bands, the truth as a dashed line, a cross for each failure.

    Parameters
    ----------
    accuracy, low, high, always_low, always_high : (k,) after 1..k labels, shares; nan where there is no number.
    failed : (k,) whether each label was a failure.
    chosen : whether the inputs are chosen, so that the line is their mean and no estimate.

    Returns
    -------
    str
        A self-contained SVG element.
    """
    scale = lane.measure.factor
    line = scale * column(accuracy, "accuracies")
    ends = [scale * column(end, "ends of an interval", len(line)) for end in (low, high, always_low, always_high)]
    colors, x = shades(dark), lane.x(np.arange(1, len(line) + 1))
    title = f"mean of the chosen ({_unit(lane)})" if chosen else f"accuracy ({_unit(lane)})"
    parts = [
        *_axes(lane, colors, title if lane.measure.is_share or chosen else lane.measure.title),
        *_band(x, lane.y(ends[2]), lane.y(ends[3]), faint(colors.estimate, 0.16)),
        *_band(x, lane.y(ends[0]), lane.y(ends[1]), faint(colors.estimate, 0.32)),
        _truth(lane, scale, colors),
        *_line(x, lane.y(line), colors.estimate),
        *_crosses(lane.x(np.flatnonzero(np.asarray(failed, dtype=bool)) + 1), lane.height - BOTTOM - 6),
        *_latest(x, lane.y(line), line, lane, colors),
    ]
    clip = (
        f'<clipPath id="frame"><rect x="{LEFT}" y="0" width="{lane.width}" height="{lane.height - BOTTOM}"/></clipPath>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {lane.width} {lane.height}" width="{lane.width}" '
        f'height="{lane.height}" font-family=\'{FONT}\' font-size="12"><defs>{clip}</defs>{"".join(parts)}</svg>'
    )


def race_frame(
    lanes: Sequence[tuple[Column, Column, Column]], truth: float, *, measure: Measure = SHARE_RIGHT
) -> tuple[float, float]:
    """Both ends of the y axis that all lanes share: (accuracy, low, high) of each, (n,), but for the roughest beginning."""
    values = [np.array([truth])]
    for accuracy, low, high in lanes:
        line = column(accuracy, "accuracies")
        values.append(line[min(FIRST, len(line) - 1) :])
        for end in (low, high):
            values.append(column(end, "ends of the interval", len(line))[min(3 * FIRST, len(line) - 1) :])
    seen = np.concatenate(values)
    seen = seen[np.isfinite(seen)]
    if measure.is_share:
        low_end, high_end = axis_range(100 * np.clip(seen, 0, 1))
        return low_end, high_end
    room = 0.05 * float(np.ptp(seen) or 1.0)
    return float(seen.min()) - room, float(seen.max()) + room


def _unit(lane: Lane) -> str:
    return "%" if lane.measure.is_share else lane.measure.title


def _axes(lane: Lane, colors: Shades, title: str) -> list[str]:
    """Grid, numbers at the ticks, and what the axes are."""
    bottom, right, parts = lane.height - BOTTOM, lane.width - RIGHT_MARGIN, []
    for tick in round_ticks(*lane.ends, most=6):
        y = float(lane.y(tick))
        parts.append(f'<path d="M{LEFT} {y:.1f}H{right}" stroke="{colors.grid}"/>')
        parts.append(_text(LEFT - 6, y + 4, f"{tick:.6g}", colors.muted, "end"))
    for tick in round_ticks(0, lane.budget, most=max(2, lane.width // 110)):
        x = float(lane.x(tick))
        parts.append(f'<path d="M{x:.1f} {TOP}V{bottom}" stroke="{colors.grid}"/>')
        parts.append(_text(x, bottom + 15, commas(tick), colors.muted, "middle"))
    parts.append(_text((LEFT + right) / 2, lane.height - 6, "labels (inputs)", colors.muted, "middle"))
    middle = (TOP + bottom) / 2
    turned = f' transform="rotate(-90 12 {middle:.1f})"'
    return [*parts, _text(12, middle, title, colors.muted, "middle", turned)]


def _band(x: Numbers, low: Numbers, high: Numbers, color: str) -> list[str]:
    """A closed outline for each run of labels that have both ends."""
    known = np.isfinite(low) & np.isfinite(high)
    parts = []
    for run in np.split(np.arange(len(x)), np.flatnonzero(np.diff(known)) + 1):
        if run.size and known[run[0]]:
            outline = [*zip(x[run], high[run], strict=True), *zip(x[run[::-1]], low[run[::-1]], strict=True)]
            points = " ".join(f"{across:.1f},{down:.1f}" for across, down in outline)
            parts.append(f'<polygon points="{points}" fill="{color}" clip-path="url(#frame)"/>')
    return parts


def _line(x: Numbers, y: Numbers, color: str) -> list[str]:
    known = np.isfinite(y)
    points = " ".join(f"{across:.1f},{down:.1f}" for across, down in zip(x[known], y[known], strict=True))
    look = f'fill="none" stroke="{color}" stroke-width="2.5" stroke-linejoin="round" clip-path="url(#frame)"'
    return [f'<polyline points="{points}" {look}/>'] if points else []


def _truth(lane: Lane, scale: float, colors: Shades) -> str:
    if not np.isfinite(lane.truth):
        return ""
    y, right = float(lane.y(scale * lane.truth)), lane.width - RIGHT_MARGIN
    return f'<path d="M{LEFT} {y:.1f}H{right}" stroke="{colors.text}" stroke-width="1.25" stroke-dasharray="7 5"/>'


def _crosses(x: Numbers, y: float) -> list[str]:
    """A cross along the lower edge for each failure, where it was found."""
    marks = "".join(f"M{across - 3:.1f} {y - 3}l6 6m0 -6l-6 6" for across in x.tolist())
    return [f'<path d="{marks}" stroke="{FAILED}" stroke-width="1.6"/>'] if marks else []


def _latest(x: Numbers, y: Numbers, line: Numbers, lane: Lane, colors: Shades) -> list[str]:
    """The last estimate as a dot with its number, or that there is none yet."""
    if not len(line) or not np.isfinite(line[-1]):
        middle = (LEFT + lane.width - RIGHT_MARGIN) / 2
        return [_text(middle, (lane.height - BOTTOM) / 2, "no number yet", colors.muted, "middle", ' font-size="14"')]
    said = lane.measure.value(line[-1] / 100) if lane.measure.is_share else lane.measure.brief(line[-1])
    across, down = float(x[-1]), float(np.clip(y[-1], TOP, lane.height - BOTTOM))
    halo = f' font-size="15" font-weight="bold" paint-order="stroke" stroke="{colors.background}" stroke-width="4"'
    at = max(down - 9, 16)
    dot = f'<circle cx="{across:.1f}" cy="{down:.1f}" r="4.5" fill="{colors.estimate}" stroke="{colors.background}"/>'
    return [dot, _text(min(across + 6, lane.width - 58), at, said, colors.text, "start", halo)]


def _text(x: float, y: float, said: str, color: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}" text-anchor="{anchor}"{more}>{said}</text>'


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
    some = f", the {len(shown)} most frequent of {commas(len(classes))}" if len(shown) < len(classes) else ""
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
            f"A class has place {both.min() if both.min() < 0 else both.max()} and there are {len(classes)} names. "
            "Expected a name for each class, places from 0 on. Pass the names of all classes."
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
            f"{commas(inside.sum())} of {commas(len(said))} labels"
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
    for mask, color, word in ((diagonal, RIGHT, "right"), (~diagonal, FAILED, "wrong")):
        z = np.where(mask & (counts > 0), counts, np.nan)
        figure.add_heatmap(
            z=z,
            name=word,
            text=[[f"{counts[i, j]}" if np.isfinite(z[i, j]) else "" for j in range(len(z))] for i in range(len(z))],
            texttemplate="%{text}",
            textfont={"color": shades(dark).text, "size": 13},
            customdata=[[[row, predicted] for predicted in names] for row in names],
            colorscale=[[0, faint(color, 0.22)], [1, faint(color, 0.72)]],
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
    for mask, color, word in ((diagonal, RIGHT, "right"), (~diagonal, FAILED, "wrong")):
        z = np.where(mask & (part > 0), part, np.nan)
        figure.add_heatmap(
            z=z,
            name=word,
            text=[["" if np.isnan(value) else f"{value:.1f}" for value in line] for line in z.tolist()],
            texttemplate="%{text}",
            textfont={"color": shades(dark).text, "size": 12},
            customdata=[[[row, predicted] for predicted in names] for row in names],
            colorscale=[[0, faint(color, 0.22)], [1, faint(color, 0.72)]],
            zmin=0,
            zmax=max(1.0, float(part[mask].max(initial=0))),
            showscale=False,
            xgap=2,
            ygap=2,
            hoverongaps=False,
            hovertemplate=(
                "is %{customdata[0]}, predicted %{customdata[1]}: %{z:.2f}% of all inputs " + f"({word})<extra></extra>"
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
