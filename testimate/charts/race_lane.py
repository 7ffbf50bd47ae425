"""One lane of a race as a drawing of a few kilobytes, light enough to be drawn again several times a second.

SVG, not Plotly: Streamlit builds a Plotly chart from scratch whenever its numbers change, which flickers in a race.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.charts.columns import Column, column
from testimate.charts.palette import FAILED, Shades, faint, shades
from testimate.charts.running_estimate import axis_range
from testimate.charts.theme import FONT
from testimate.charts.ticks import round_ticks
from testimate.core.task import SHARE_RIGHT, Measure
from testimate.core.words import spaced

FIRST = 10
"""Labels before which an estimate is too rough to set the frame by."""

LEFT, RIGHT_MARGIN, TOP, BOTTOM = 50, 12, 10, 42
"""Room around the axes, in units of the drawing."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Lane:
    """The frame that all lanes share.

    ``budget`` : labels of the whole race. ``ends`` : of the y axis (percent, or 1 - MSE). ``truth`` : accuracy of all inputs.
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
    colours, x = shades(dark), lane.x(np.arange(1, len(line) + 1))
    title = f"mean of the chosen ({_unit(lane)})" if chosen else f"accuracy ({_unit(lane)})"
    parts = [
        *_axes(lane, colours, title if lane.measure.is_share or chosen else lane.measure.title),
        *_band(x, lane.y(ends[2]), lane.y(ends[3]), faint(colours.estimate, 0.16)),
        *_band(x, lane.y(ends[0]), lane.y(ends[1]), faint(colours.estimate, 0.32)),
        _truth(lane, scale, colours),
        *_line(x, lane.y(line), colours.estimate),
        *_crosses(lane.x(np.flatnonzero(np.asarray(failed, dtype=bool)) + 1), lane.height - BOTTOM - 6),
        *_latest(x, lane.y(line), line, lane, colours),
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


def _axes(lane: Lane, colours: Shades, title: str) -> list[str]:
    """Grid, numbers at the ticks, and what the axes are."""
    bottom, right, parts = lane.height - BOTTOM, lane.width - RIGHT_MARGIN, []
    for tick in round_ticks(*lane.ends, most=6):
        y = float(lane.y(tick))
        parts.append(f'<path d="M{LEFT} {y:.1f}H{right}" stroke="{colours.grid}"/>')
        parts.append(_text(LEFT - 6, y + 4, f"{tick:.6g}", colours.muted, "end"))
    for tick in round_ticks(0, lane.budget, most=max(2, lane.width // 110)):
        x = float(lane.x(tick))
        parts.append(f'<path d="M{x:.1f} {TOP}V{bottom}" stroke="{colours.grid}"/>')
        parts.append(_text(x, bottom + 15, spaced(tick), colours.muted, "middle"))
    parts.append(_text((LEFT + right) / 2, lane.height - 6, "labels (inputs)", colours.muted, "middle"))
    middle = (TOP + bottom) / 2
    turned = f' transform="rotate(-90 12 {middle:.1f})"'
    return [*parts, _text(12, middle, title, colours.muted, "middle", turned)]


def _band(x: Numbers, low: Numbers, high: Numbers, colour: str) -> list[str]:
    """A closed outline for each run of labels that have both ends."""
    known = np.isfinite(low) & np.isfinite(high)
    parts = []
    for run in np.split(np.arange(len(x)), np.flatnonzero(np.diff(known)) + 1):
        if run.size and known[run[0]]:
            outline = [*zip(x[run], high[run], strict=True), *zip(x[run[::-1]], low[run[::-1]], strict=True)]
            points = " ".join(f"{across:.1f},{down:.1f}" for across, down in outline)
            parts.append(f'<polygon points="{points}" fill="{colour}" clip-path="url(#frame)"/>')
    return parts


def _line(x: Numbers, y: Numbers, colour: str) -> list[str]:
    known = np.isfinite(y)
    points = " ".join(f"{across:.1f},{down:.1f}" for across, down in zip(x[known], y[known], strict=True))
    look = f'fill="none" stroke="{colour}" stroke-width="2.5" stroke-linejoin="round" clip-path="url(#frame)"'
    return [f'<polyline points="{points}" {look}/>'] if points else []


def _truth(lane: Lane, scale: float, colours: Shades) -> str:
    y, right = float(lane.y(scale * lane.truth)), lane.width - RIGHT_MARGIN
    return f'<path d="M{LEFT} {y:.1f}H{right}" stroke="{colours.text}" stroke-width="1.25" stroke-dasharray="7 5"/>'


def _crosses(x: Numbers, y: float) -> list[str]:
    """A cross along the lower edge for each failure, where it was found."""
    marks = "".join(f"M{across - 3:.1f} {y - 3}l6 6m0 -6l-6 6" for across in x.tolist())
    return [f'<path d="{marks}" stroke="{FAILED}" stroke-width="1.6"/>'] if marks else []


def _latest(x: Numbers, y: Numbers, line: Numbers, lane: Lane, colours: Shades) -> list[str]:
    """The last estimate as a dot with its number, or that there is none yet."""
    if not len(line) or not np.isfinite(line[-1]):
        middle = (LEFT + lane.width - RIGHT_MARGIN) / 2
        return [_text(middle, (lane.height - BOTTOM) / 2, "no number yet", colours.muted, "middle", ' font-size="14"')]
    said = lane.measure.value(line[-1] / 100) if lane.measure.is_share else lane.measure.brief(line[-1])
    across, down = float(x[-1]), float(np.clip(y[-1], TOP, lane.height - BOTTOM))
    halo = f' font-size="15" font-weight="bold" paint-order="stroke" stroke="{colours.background}" stroke-width="4"'
    at = max(down - 9, 16)
    dot = f'<circle cx="{across:.1f}" cy="{down:.1f}" r="4.5" fill="{colours.estimate}" stroke="{colours.background}"/>'
    return [dot, _text(min(across + 6, lane.width - 58), at, said, colours.text, "start", halo)]


def _text(x: float, y: float, said: str, colour: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}"{more}>{said}</text>'
