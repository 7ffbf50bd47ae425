"""Charts of estimates: as labels come in, before a session, by slice, by version, and how severe the faults are."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from testimate.charts.palette import FAILED, dash, faint, hue, shades, symbol
from testimate.charts.theme import Column, blank, column, note, places, safe_text, themed, with_log_heights
from testimate.core.draw import Trail
from testimate.core.task import SHARE_RIGHT, Measure
from testimate.core.words import commas, level_words, percent, points

Numbers = NDArray[np.float64]


def running_estimate(
    trail: Trail,
    *,
    dark: bool,
    truth: float | None = None,
    target_half_width: float | None = None,
    level: float = 0.95,
    next_step: str = "label a few more inputs",
    measure: Measure = SHARE_RIGHT,
    chosen: bool = False,
) -> go.Figure:
    """Accuracy in percent against labels: a line, a dark band, a light band, and the truth where it is known.

    Parameters
    ----------
    trail : shares after more and more labels.
    truth : the known accuracy, a share, or None.
    target_half_width : half-width at which the tester may stop, a share; drawn as a bracket beside the last estimate.
    level : of both intervals, 0..1.
    next_step : what to do while there is no number, shown after "No number yet: ".
    measure : what the accuracy is, and how it is written.
    chosen : whether the inputs are chosen, so that the line is their mean and no estimate of the whole set.
    """
    places, scale = column(trail.labels, "label counts"), measure.factor
    line, ordinary_low, ordinary_high, safe_low, safe_high = (
        scale * column(values, name, len(places))
        for values, name in (
            (trail.accuracy, "accuracies"),
            (trail.low, "lower ends"),
            (trail.high, "upper ends"),
            (trail.always_low, "always-valid lower ends"),
            (trail.always_high, "always-valid upper ends"),
        )
    )
    colors = shades(dark)
    figure = blank()
    sure = level_words(level)
    _band(figure, places, safe_low, safe_high, f"stop-safe {sure} interval", faint(colors.estimate, 0.16))
    _band(figure, places, ordinary_low, ordinary_high, measure.interval(sure), faint(colors.estimate, 0.32))
    if truth is not None and len(places):
        _truth(figure, places, scale * truth, dark, measure)
    figure.add_scatter(
        x=places,
        y=line,
        name="mean of the chosen" if chosen else _begun_small(measure.title) if measure.is_share else measure.title,
        legendrank=1,
        mode="lines",
        line={"color": colors.estimate, "width": 2.5},
        customdata=[
            [_in_words(point, measure), _between(first, last, measure), _between(safe_first, safe_last, measure)]
            for point, first, last, safe_first, safe_last in zip(
                line, ordinary_low, ordinary_high, safe_low, safe_high, strict=True
            )
        ],
        hovertemplate=_hover(ordinary_low, safe_low),
    )
    whole = "the chosen" if chosen else "all inputs"
    y_title = f"{_begun_small(measure.title)} (% of {whole})" if measure.is_share else f"{measure.title} of {whole}"
    themed(figure, dark=dark, x_title="labels (inputs)", y_title=y_title, height=280)
    known = np.flatnonzero(np.isfinite(line))
    if not known.size:
        figure.update_layout(showlegend=False, xaxis_range=[0, max(10, *places, 0)], yaxis_range=[0, scale])
        return note(figure, f"No number yet: {next_step}.", dark=dark)
    last, span = int(known[-1]), max(float(places[-1]), 1.0)
    late = known[len(known) // 2 :]
    shown = [line[late], ordinary_low[late], ordinary_high[late], safe_low[[last]], safe_high[[last]]]
    said, beside = _in_words(float(line[last]), measure), 10 if target_half_width is None else 26
    _latest(figure, float(places[last]), float(line[last]), said, dark, beside=beside)
    if target_half_width is not None:
        safe = (safe_low[last] + safe_high[last]) / 2
        center = float(safe if np.isfinite(safe) else line[last])
        shown.append(center + scale * target_half_width * np.array([-1, 1]))
        goal = f"±{scale * target_half_width:g}{' points' if measure.is_share else ''}"
        _goal(figure, float(places[last]) + 0.02 * span, center, scale * target_half_width, goal, dark)
    if truth is not None:
        shown.append(np.array([scale * truth]))
    reach = axis_range(np.concatenate(shown)) if measure.is_share else _range(np.concatenate(shown))
    figure.update_layout(yaxis_range=reach, xaxis_range=[0, 1.13 * span], margin_r=52)
    return figure


def _range(values: Numbers) -> list[float]:
    """A range around numbers of any size, with a tenth of room on both sides."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = 0.1 * (high - low) or 0.1 * abs(high) or 1.0
    return [low - room, high + room]


def _begun_small(title: str) -> str:
    """The title within a sentence: "preference for A"."""
    return title[:1].lower() + title[1:]


def _in_words(value: float, measure: Measure) -> str:
    return measure.value(value / measure.factor)


def axis_range(values: Numbers) -> list[float]:
    """A range around percentages that moves only in steps (1, 5 or 10 points) and stays within 0 and 100 if they do.

    >>> axis_range(np.array([87.2, 95.1]))
    [87.0, 96.0]
    >>> axis_range(np.array([52.0, 91.0, 96.0]))
    [50.0, 100.9]
    """
    values = values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())
    bounded = low >= 0 and high <= 100
    widen = max(4 - (high - low), 0) / 2
    if bounded:
        middle = min(max((low + high) / 2, widen + (high - low) / 2), 100 - widen - (high - low) / 2)
        low, high = middle - widen - (high - low) / 2, middle + widen + (high - low) / 2
    else:
        low, high = low - widen, high + widen
    step = 1 if high - low <= 10 else 5 if high - low <= 40 else 10
    floor, ceiling = float(step * np.floor(low / step)), float(step * np.ceil(high / step))
    if bounded:
        floor, ceiling = max(floor, 0.0), min(ceiling, 100.0)
        room = 0.018 * (ceiling - floor)  # so that a line at 0 or 100% is drawn whole
        return [floor - room if floor == 0 else floor, ceiling + room if ceiling == 100 else ceiling]
    return [floor, ceiling]


def _band(figure: go.Figure, x: Numbers, low: Numbers, high: Numbers, name: str, color: str) -> None:
    """One closed outline for each run of points that have both ends; a point alone is drawn a little wide."""
    known = np.isfinite(low) & np.isfinite(high)
    if not known.any():
        return
    outline_x: list[Numbers] = []
    outline_y: list[Numbers] = []
    for run in np.split(np.arange(len(x)), np.flatnonzero(np.diff(known)) + 1):
        if known[run[0]]:
            across = x[run] if len(run) > 1 else x[run[0]] + np.array([-0.4, 0.4])
            rise, fall = np.broadcast_to(high[run], across.shape), np.broadcast_to(low[run], across.shape)
            outline_x += [across, across[::-1], np.array([across[0], np.nan])]
            outline_y += [rise, fall[::-1], np.array([rise[0], np.nan])]
    figure.add_scatter(
        x=np.concatenate(outline_x)[:-1],
        y=np.concatenate(outline_y)[:-1],
        name=name,
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=color,
        hoverinfo="skip",
    )


def _between(low: float, high: float, measure: Measure) -> str:
    """Both ends of an interval, rounded outwards; a dash where there is none."""
    if not np.isfinite([low, high]).all():
        return "–"
    return measure.range(low / measure.factor, high / measure.factor)


def _hover(low: Numbers, safe_low: Numbers) -> str:
    lines = ["after %{x:,} labels: <b>%{customdata[0]}</b>"]
    if np.isfinite(low).any():
        lines.append("interval %{customdata[1]}")
    if np.isfinite(safe_low).any():
        lines.append("stop-safe %{customdata[2]}")
    return "<br>".join(lines) + "<extra></extra>"


def _truth(figure: go.Figure, x: Numbers, truth: float, dark: bool, measure: Measure) -> None:
    figure.add_scatter(
        x=[x[0], x[-1]],
        y=[truth, truth],
        name=f"truth {_in_words(truth, measure)}",
        mode="lines",
        line={"color": shades(dark).text, "width": 1.25, "dash": "dash"},
        hovertemplate=f"truth {measure.value(truth / measure.factor, 2)}<extra></extra>",
    )


def _latest(figure: go.Figure, x: float, accuracy: float, said: str, dark: bool, *, beside: int) -> None:
    """The last estimate as a dot, ``said`` in words ``beside`` pixels to the right."""
    colors = shades(dark)
    figure.add_scatter(
        x=[x],
        y=[accuracy],
        mode="markers",
        showlegend=False,
        hoverinfo="skip",
        marker={"color": colors.estimate, "size": 9, "line": {"color": colors.background, "width": 1.5}},
    )
    figure.add_annotation(
        x=x,
        y=accuracy,
        text=f"<b>{said}</b>",
        showarrow=False,
        xanchor="left",
        xshift=beside,
        font={"size": 15, "color": colors.text},
    )


def _goal(figure: go.Figure, x: float, center: float, goal: float, said: str, dark: bool) -> None:
    """A bracket around the middle of the light band: once the band fits into it, one may stop."""
    color = shades(dark).text
    figure.add_scatter(
        x=[x],
        y=[center],
        name=f"goal {said}",
        mode="markers",
        marker={"symbol": "line-ns", "size": 12, "line": {"color": color, "width": 1.5}},
        error_y={"type": "constant", "value": goal, "color": color, "thickness": 1.5, "width": 6},
        hovertemplate=f"goal: the stop-safe band within {said}<extra></extra>",
    )


NOTHING = "No study yet: run one."

APART = 1.025
"""Factor by which techniques are shifted along the budget axis, so that their error bars do not overlap."""


@dataclass(frozen=True, eq=False)
class StudyLine:
    """One technique's line.

    ``budgets`` (k,) labels, ascending; ``values`` (k,), None or nan where there is no number; ``low`` and ``high`` (k,)
    the band around them, both or neither.
    """

    budgets: ArrayLike
    values: ArrayLike
    low: ArrayLike | None = None
    high: ArrayLike | None = None


def error_lines(lines: Mapping[str, StudyLine], *, dark: bool, measure: str = "RMSE") -> go.Figure:
    """Errors in percentage points against the budget, both axes logarithmic: 1 / sqrt(n) is a straight line.

    Parameters
    ----------
    lines : technique (untrusted) to its errors, shares.
    measure : of the y axis, such as "RMSE" or "RMedSE".
    """
    figure = drawn_lines(lines, 100.0, dark, lambda error: points(error, 2))
    themed(figure, dark=dark, x_title="budget (labels)", y_title=f"{measure} (points of accuracy)")
    if not figure.data:
        return note(figure, "No study yet: run one to see its errors.", dark=dark)
    return with_budgets(with_log_heights(figure), lines)


def ratio_lines(lines: Mapping[str, StudyLine], *, dark: bool) -> go.Figure:
    """Errors over that of simple random sampling, which is the line at 1; below it a technique saves labels."""
    figure = drawn_lines(lines, 1.0, dark, lambda ratio: f"{ratio:.2f} of its error")
    themed(figure, dark=dark, x_title="budget (labels)", y_title="RMSE over that of srs")
    if not figure.data:
        return note(figure, "No study yet: run one to see its errors.", dark=dark)
    budgets = np.concatenate([column(line.budgets, "budgets") for line in lines.values()])
    figure.add_scatter(
        x=[budgets.min(), budgets.max()],
        y=[1, 1],
        name="srs, exact",
        mode="lines",
        line={"color": shades(dark).text, "width": 1.25, "dash": "dash"},
        hovertemplate="1: the exact error of simple random sampling<extra></extra>",
    )
    figure.update_yaxes(rangemode="tozero")
    return with_budgets(figure, lines)


def drawn_lines(lines: Mapping[str, StudyLine], scale: float, dark: bool, said: Callable[[float], str]) -> go.Figure:
    """The lines, ``scale`` times as large, and their bands beneath them; ``said`` says a value as it came, with its unit."""
    figure = blank()
    for place, (name, line) in enumerate(lines.items()):
        budgets = column(line.budgets, "budgets")
        values = scale * column(line.values, f"errors of {name!r:.40}", len(budgets))
        if not np.isfinite(values).any():
            continue
        color = hue(place, dark=dark)
        if line.low is not None and line.high is not None:
            low = scale * column(line.low, f"lower ends of {name!r:.40}", len(budgets))
            high = scale * column(line.high, f"upper ends of {name!r:.40}", len(budgets))
            figure.add_scatter(
                x=np.concatenate([budgets, budgets[::-1]]),
                y=np.concatenate([high, low[::-1]]),
                mode="lines",
                fill="toself",
                fillcolor=faint(color, 0.15),
                line={"width": 0},
                hoverinfo="skip",
                showlegend=False,
                legendgroup=str(place),
            )
        figure.add_scatter(
            x=budgets,
            y=values,
            name=safe_text(name),
            mode="lines+markers",
            legendgroup=str(place),
            line={"color": color, "width": 1.75, "dash": dash(place)},
            marker={"symbol": symbol(place), "size": 7},
            customdata=[said(value / scale) if np.isfinite(value) else "–" for value in values],
            hovertemplate="%{fullData.name}: %{customdata} with %{x:,} labels<extra></extra>",
        )
    figure.update_layout(showlegend=bool(figure.data))
    return figure


def with_budgets(figure: go.Figure, lines: Mapping[str, StudyLine]) -> go.Figure:
    """The budgets of the study as ticks of a logarithmic axis."""
    ticks = np.unique(np.concatenate([column(line.budgets, "budgets") for line in lines.values()]))
    figure.update_xaxes(type="log", tickvals=ticks, ticktext=[commas(tick) for tick in ticks])
    return figure


def failure_lines(lines: Mapping[str, StudyLine], *, dark: bool) -> go.Figure:
    """Failures among the labels against the budget; an input drawn twice counts twice."""
    figure = drawn_lines(lines, 1.0, dark, lambda count: f"{count:.1f} failures")
    themed(figure, dark=dark, x_title="budget (labels)", y_title="failures found (labels)")
    if not figure.data:
        return note(figure, NOTHING, dark=dark)
    figure.update_yaxes(rangemode="tozero")
    return with_budgets(figure, lines)


def coverage_lines(lines: Mapping[str, StudyLine], *, dark: bool, level: float = 0.95) -> go.Figure:
    """How often the intervals contained the truth against the budget, with what they claim as a dashed line.

    ``lines`` : technique (untrusted) to its coverage, shares; those without an interval are left out. ``level`` : 0..1.
    """
    plain = {name: StudyLine(line.budgets, line.values) for name, line in lines.items()}
    figure = drawn_lines(plain, 100.0, dark, lambda share: f"{percent(share)} held the truth")
    themed(figure, dark=dark, x_title="budget (labels)", y_title="intervals that contain the truth (%)")
    if not figure.data:
        return note(figure, "None of these techniques has an interval.", dark=dark)
    lowest = 100 * level - 5
    known = [line for line in lines.values() if np.isfinite(column(line.values, "coverages")).any()]
    for place, (trace, line) in enumerate(zip(figure.data, known, strict=True)):
        trace.x = column(line.budgets, "budgets") * APART ** (place - (len(known) - 1) / 2)  # beside each other
        if line.low is None or line.high is None:
            continue
        low, high = 100 * column(line.low, "lower ends"), 100 * column(line.high, "upper ends")
        bars = {"array": high - trace.y, "arrayminus": trace.y - low, "color": trace.line.color}
        trace.error_y = {"type": "data", "symmetric": False, "thickness": 1.25, "width": 3, **bars}
        lowest = min(lowest, float(np.nanmin(low)))
    budgets = np.concatenate([column(line.budgets, "budgets") for line in known])
    figure.add_scatter(
        x=[budgets.min() / APART**2, budgets.max() * APART**2],
        y=[100 * level] * 2,
        name=f"claimed: {level_words(level)}",
        mode="lines",
        line={"color": shades(dark).text, "width": 1.25, "dash": "dash"},
        hoverinfo="skip",
    )
    figure.update_yaxes(range=[lowest - 1, 100.8])
    return with_budgets(figure, lines)


def width_lines(lines: Mapping[str, StudyLine], *, dark: bool) -> go.Figure:
    """Mean widths of the intervals, shares, against the budget, both axes logarithmic."""
    figure = drawn_lines(lines, 100.0, dark, lambda width: f"{points(width)} wide")
    themed(figure, dark=dark, x_title="budget (labels)", y_title="mean width (points of accuracy)")
    if not figure.data:
        return note(figure, "None of these techniques has an interval.", dark=dark)
    return with_budgets(with_log_heights(figure), lines)


def forecast(
    budgets: ArrayLike,
    half_widths: Mapping[str, Column],
    *,
    dark: bool,
    chosen_budget: int | None = None,
    chosen_technique: str | None = None,
    target: float | None = None,
) -> go.Figure:
    """Expected half-width in percentage points against labels, one line per technique, the chosen budget marked.

    Parameters
    ----------
    budgets : (k,) labels, ascending.
    half_widths : technique to its (k,) expected half-widths, shares; None or nan where none can be expected.
    target : half-width the tester would like, a share, drawn as a thin line.
    """
    places = column(budgets, "budgets")
    figure = blank()
    colors = shades(dark)
    highest = 0.0
    for place, (technique, widths) in enumerate(half_widths.items()):
        points = 100 * column(widths, f"half-widths of {technique!r:.40}", len(places))
        highest = max(highest, *points[np.isfinite(points)].tolist(), 0.0)
        chosen = technique == chosen_technique
        figure.add_scatter(
            x=places,
            y=points,
            name=safe_text(technique),
            mode="lines+markers" if len(places) <= 12 else "lines",
            line={"color": hue(place, dark=dark), "width": 3 if chosen else 1.75, "dash": dash(place)},
            marker={"symbol": symbol(place), "size": 9 if chosen else 7},
            hovertemplate="%{fullData.name}: ±%{y:.2f} points with %{x:,} labels<extra></extra>",
        )
    # Room for the words on the two lines, beyond the plot, where no curve runs through them.
    figure.update_layout(showlegend=True, legend={"y": 1.1}, margin={"t": 60, "r": 72})
    themed(figure, dark=dark, x_title="budget (labels)", y_title="expected half-width (± points)")
    if not highest:
        return note(figure, "No forecast yet: choose a technique and a budget.", dark=dark)
    figure.update_yaxes(range=[0, 1.08 * highest])
    shapes, words = [], []
    if target is not None:
        y = 100 * target
        line = {"color": colors.text, "width": 1.25, "dash": "dash"}
        shapes.append(
            {"type": "line", "x0": 0, "x1": 1, "xref": "x domain", "y0": y, "y1": y, "yref": "y", "line": line}
        )
        at = {"x": 1, "xref": "x domain", "xanchor": "left", "xshift": 4, "y": y, "yref": "y", "yanchor": "middle"}
        font = {"size": 12, "color": colors.muted}
        words.append({"text": f"wanted:<br>±{y:g}", **at, "align": "left", "font": font, "showarrow": False})
    if chosen_budget is not None:
        x, line = chosen_budget, {"color": colors.estimate, "width": 1.5}
        shapes.append(
            {"type": "line", "x0": x, "x1": x, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain", "line": line}
        )
        at = {"x": x, "xref": "x", "xanchor": "center", "y": 1, "yref": "y domain", "yanchor": "bottom"}
        font = {"size": 12, "color": colors.text}
        words.append({"text": f"budget: {commas(x)} labels", **at, "font": font, "showarrow": False})
    figure.layout.shapes, figure.layout.annotations = shapes, words  # at once: add_hline and add_vline take 10 ms each
    return figure


MOST = 40
"""Slices drawn: those with the lowest accuracy."""

LETTERS = 24
"""Letters of a slice's name that the axis shows."""


def forest(
    names: Sequence[str],
    values: Sequence[float],
    lows: Sequence[float],
    highs: Sequence[float],
    *,
    whole: float | None,
    column: str,
    measure: str,
    dark: bool,
    highest_first: bool = False,
) -> go.Figure:
    """The slices from the lowest value down the page, or from the highest one.

    Parameters
    ----------
    names : untrusted text. values, lows, highs : K shares 0..1, one for each.
    whole : the accuracy of the whole set, or None.
    """
    figure, colors = blank(), shades(dark)
    order = sorted(range(len(values)), key=values.__getitem__, reverse=highest_first)[:MOST]
    points = [100 * values[place] for place in order]
    places = [*range(len(order))]
    shown = [safe_text(names[place], limit=LETTERS) for place in order]
    figure.add_scatter(
        x=points,
        y=places,
        mode="markers",
        marker={"color": colors.estimate, "size": 8},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [100 * highs[place] - point for place, point in zip(order, points, strict=True)],
            "arrayminus": [point - 100 * lows[place] for place, point in zip(order, points, strict=True)],
            "color": colors.estimate,
            "thickness": 1.5,
        },
        customdata=[[name, 100 * lows[place], 100 * highs[place]] for name, place in zip(shown, order, strict=True)],
        hovertemplate="%{customdata[0]}<br>%{x:.1f}%, %{customdata[1]:.1f} to %{customdata[2]:.1f}<extra></extra>",
    )
    if whole is not None:
        figure.add_vline(x=100 * whole, line={"color": colors.muted, "dash": "dot", "width": 1.5})
    figure.update_layout(showlegend=False)
    some = f", the {MOST} {'highest' if highest_first else 'lowest'} of {len(values)}" if len(values) > MOST else ""
    themed(
        figure, dark=dark, x_title=f"{measure} (%)", y_title=f"{safe_text(column)}{some}", height=110 + 24 * len(order)
    )
    figure.update_yaxes(tickvals=places, ticktext=shown, autorange="reversed")
    if not order:
        return note(figure, "Too few labels in every slice.", dark=dark)
    return figure


OPACITIES = (0.3, 0.6, 1.0)
BANDS = ("low (below 50%)", "moderate (50 to 80%)", "severe (80% and more)")


def severity(levels: ArrayLike, *, dark: bool, ten_levels: bool = False) -> go.Figure:
    """The faults found by the probability the model gave its wrong answer: three bands in words, or ten levels.

    Parameters
    ----------
    levels : (faults,) level of each fault, 1..10; see ``metrics.severity_level``.
    ten_levels : the levels themselves, as SFDR counts them, instead of the bands.
    """
    level = column(levels, "levels").astype(np.intp)
    if ten_levels:
        return _levels(np.bincount(level, minlength=11)[1:], dark)
    band = np.searchsorted((6, 9), level, "right")
    return severity_bands(BANDS, np.bincount(band, minlength=3), dark=dark, what="confidence (%)")


def severity_bands(names: Sequence[str], counts: ArrayLike, *, dark: bool, what: str) -> go.Figure:
    """Faults per band, the mildest first in ``names`` and drawn lowest; for errors of a regression, or any other bands.

    Parameters
    ----------
    names : of the bands, untrusted text.
    counts : (bands,) faults in each.
    what : what the bands measure, with its unit, such as "absolute error (degrees)"; untrusted text.
    """
    values = places(counts, "faults per band", len(names))
    opacity = np.interp(np.linspace(0, 2, len(names)), (0, 1, 2), OPACITIES).tolist()
    figure = blank()
    figure.add_bar(
        x=values,
        y=list(range(len(names))),
        orientation="h",
        width=0.62,
        marker={"color": [faint(FAILED, part) for part in opacity], "line": {"color": FAILED, "width": 1}},
        text=values,
        texttemplate="<b>%{text:,}</b>",
        textposition="outside",
        textfont={"color": shades(dark).text, "size": 14},
        cliponaxis=False,
        customdata=[safe_text(name) for name in names],
        hovertemplate="%{customdata}: %{x:,} faults<extra></extra>",
    )
    figure.update_layout(showlegend=False)
    height = 70 + 38 * len(names)
    themed(figure, dark=dark, x_title="faults found (inputs)", y_title=safe_text(what), height=height)
    figure.update_xaxes(range=[0, 1.15 * max(4, int(values.max(initial=0)))], tickformat=",d", nticks=6)
    figure.update_yaxes(tickvals=list(range(len(names))), ticktext=[safe_text(name) for name in names], showgrid=False)
    return _or_note(figure, values, dark)


def _levels(counts: NDArray[np.intp], dark: bool) -> go.Figure:
    opacity = [*[OPACITIES[0]] * 5, *[OPACITIES[1]] * 3, *[OPACITIES[2]] * 2]
    words = [*["low"] * 5, *["moderate"] * 3, *["severe"] * 2]
    figure = blank()
    figure.add_bar(
        x=list(range(1, 11)),
        y=counts,
        marker={"color": [faint(FAILED, part) for part in opacity], "line": {"color": FAILED, "width": 1}},
        customdata=[f"{word}: {10 * k} to {10 * k + 10}%" for k, word in enumerate(words)],
        hovertemplate="level %{x}, %{customdata}: %{y:,} faults<extra></extra>",
    )
    figure.update_layout(showlegend=False, bargap=0.15)
    themed(figure, dark=dark, x_title="severity level (1 to 10)", y_title="faults found (inputs)", height=220)
    figure.update_xaxes(
        tickvals=list(range(1, 11)),
        ticktext=["1", "2", "3<br>low", "4", "5", "6", "7<br>moderate", "8", "9", "10<br>high"],
        tickangle=0,
        showgrid=False,
    )
    few = {"dtick": 1} if counts.max(initial=0) < 6 else {"nticks": 6}  # else the ticks read 0, 0, 1, 1
    figure.update_yaxes(rangemode="tozero", tickformat=",d", **few)
    return _or_note(figure, counts, dark)


def _or_note(figure: go.Figure, counts: NDArray[np.intp], dark: bool) -> go.Figure:
    return figure if counts.any() else note(figure, "No fault found yet.", dark=dark)


FITS, TURNED = 48, 14
"""Letters that fit side by side below the chart, every name with as much room as the longest; of more the names are turned,
beyond that many versions on end."""


def version_history(
    names: Sequence[str], accuracy: Column, low: Column, high: Column, truth: Column, *, dark: bool
) -> go.Figure:
    """A dot for each version in its order, with a bar for its interval and a dash where its accuracy is known.

    Parameters
    ----------
    names : V names, untrusted text.
    accuracy, low, high, truth : (V,) shares, 0..1; nan where there is no number, no interval or no known truth.
    """
    values, least, most, known = (
        100 * column(one, what, len(names))
        for one, what in (
            (accuracy, "accuracies"),
            (low, "lower ends"),
            (high, "upper ends"),
            (truth, "known accuracies"),
        )
    )
    colors, places = shades(dark), list(range(len(names)))
    shown = [safe_text(name, limit=24) for name in names]
    figure = blank()
    figure.add_scatter(
        x=places,
        y=values,
        name="estimate",
        mode="lines+markers",
        line={"color": colors.estimate, "width": 1, "dash": "dot"},
        marker={"size": 11, "color": colors.estimate},
        error_y={
            "type": "data",
            "symmetric": False,
            "array": np.nan_to_num(most - values).clip(min=0),
            "arrayminus": np.nan_to_num(values - least).clip(min=0),
            "color": colors.estimate,
            "thickness": 2,
            "width": 7,
        },
        customdata=np.column_stack([shown, [_ends(*one) for one in zip(least, most, strict=True)]]),
        hovertemplate="%{customdata[0]}: %{y:.1f}%%{customdata[1]}<extra></extra>",
    )
    there = np.flatnonzero(~np.isnan(known))
    if there.size:
        figure.add_scatter(
            x=there,
            y=known[there],
            name="known here",
            mode="markers",
            marker={"symbol": "line-ew", "size": 26, "line": {"color": colors.text, "width": 2}},
            customdata=[shown[place] for place in there],
            hovertemplate="%{customdata}: %{y:.1f}% is its accuracy, known here<extra></extra>",
        )
    figure.update_layout(showlegend=bool(there.size))
    themed(figure, dark=dark, x_title="version", y_title="accuracy (% of the inputs)", height=340)
    beside = max(map(len, shown), default=0) * len(shown) <= FITS
    turn = 0 if beside else -40 if len(shown) <= TURNED else -90
    figure.update_xaxes(tickvals=places, ticktext=shown, tickangle=turn, range=[-0.5, max(len(names), 2) - 0.5])
    return figure if np.isfinite(values).any() else note(figure, "No version has a number yet.", dark=dark)


def _ends(low: float, high: float) -> str:
    return "" if np.isnan(low) or np.isnan(high) else f", {low:.1f} to {high:.1f}%"
