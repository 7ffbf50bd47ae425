"""The accuracy of the whole set as it becomes known, label by label, with its two intervals."""

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from testimate.charts.columns import Column, column
from testimate.charts.palette import faint, shades
from testimate.charts.theme import blank, note, themed
from testimate.core.task import SHARE_RIGHT, Measure
from testimate.core.words import percent_range

Numbers = NDArray[np.float64]


def running_estimate(
    labels: ArrayLike,
    accuracy: Column,
    low: Column | None,
    high: Column | None,
    always_low: Column | None,
    always_high: Column | None,
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
    labels : (n,) how many labels there were, ascending.
    accuracy, low, high, always_low, always_high : (n,) shares, None or nan where there is no number yet; low and high are
        the ends of the ordinary interval, always_low and always_high of the always-valid one; None where there is none.
    truth : the known accuracy, a share, or None.
    target_half_width : half-width at which the tester may stop, a share; drawn as a bracket beside the last estimate.
    level : of both intervals, 0..1.
    next_step : what to do while there is no number, shown after "No number yet: ".
    measure : what the accuracy is, and how it is written.
    chosen : whether the inputs are chosen, so that the line is their mean and no estimate of the whole set.
    """
    places, scale = column(labels, "label counts"), measure.factor
    line, ordinary_low, ordinary_high, safe_low, safe_high = (
        scale * column(values, name, len(places))
        for values, name in (
            (accuracy, "accuracies"),
            (low, "lower ends"),
            (high, "upper ends"),
            (always_low, "always-valid lower ends"),
            (always_high, "always-valid upper ends"),
        )
    )
    colours = shades(dark)
    figure = blank()
    sure = f"{100 * level:g} %"
    _band(figure, places, safe_low, safe_high, f"stop-safe {sure} interval", faint(colours.estimate, 0.16))
    _band(figure, places, ordinary_low, ordinary_high, measure.interval(sure), faint(colours.estimate, 0.32))
    if truth is not None and len(places):
        _truth(figure, places, scale * truth, dark, measure)
    figure.add_scatter(
        x=places,
        y=line,
        name="mean of the chosen" if chosen else _begun_small(measure.title) if measure.is_share else measure.title,
        legendrank=1,
        mode="lines",
        line={"color": colours.estimate, "width": 2.5},
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
        centre = float(safe if np.isfinite(safe) else line[last])
        shown.append(centre + scale * target_half_width * np.array([-1, 1]))
        goal = f"±{scale * target_half_width:g}{' points' if measure.is_share else ''}"
        _goal(figure, float(places[last]) + 0.02 * span, centre, scale * target_half_width, goal, dark)
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
        room = 0.018 * (ceiling - floor)  # so that a line at 0 or 100 % is drawn whole
        return [floor - room if floor == 0 else floor, ceiling + room if ceiling == 100 else ceiling]
    return [floor, ceiling]


def _band(figure: go.Figure, x: Numbers, low: Numbers, high: Numbers, name: str, colour: str) -> None:
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
        fillcolor=colour,
        hoverinfo="skip",
    )


def _between(low: float, high: float, measure: Measure) -> str:
    """Both ends of an interval, rounded outwards; a dash where there is none."""
    if not np.isfinite([low, high]).all():
        return "–"
    if measure.is_share:
        return percent_range(low / 100, high / 100, space=" ")
    return " – ".join(measure.ends(low, high))


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
    colours = shades(dark)
    figure.add_scatter(
        x=[x],
        y=[accuracy],
        mode="markers",
        showlegend=False,
        hoverinfo="skip",
        marker={"color": colours.estimate, "size": 9, "line": {"color": colours.background, "width": 1.5}},
    )
    figure.add_annotation(
        x=x,
        y=accuracy,
        text=f"<b>{said}</b>",
        showarrow=False,
        xanchor="left",
        xshift=beside,
        font={"size": 15, "color": colours.text},
    )


def _goal(figure: go.Figure, x: float, centre: float, goal: float, said: str, dark: bool) -> None:
    """A bracket around the middle of the light band: once the band fits into it, one may stop."""
    colour = shades(dark).text
    figure.add_scatter(
        x=[x],
        y=[centre],
        name=f"goal {said}",
        mode="markers",
        marker={"symbol": "line-ns", "size": 12, "line": {"color": colour, "width": 1.5}},
        error_y={"type": "constant", "value": goal, "color": colour, "thickness": 1.5, "width": 6},
        hovertemplate=f"goal: the stop-safe band within {said}<extra></extra>",
    )
