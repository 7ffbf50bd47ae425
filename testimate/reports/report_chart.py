"""The running estimate drawn into a report: lines and bands as points, without a script."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.charts.ticks import round_ticks
from testimate.core.task import Measure
from testimate.core.words import spaced
from testimate.reports.estimate_trail import Trail

WIDTH, HEIGHT = 760, 220
"""Of the plot, in the picture's own units."""

LEAST_SPAN = {True: 4.0, False: 1e-4}
"""Of the axis: points of accuracy where it is a share, else of 1 - mean squared error."""


@dataclass(frozen=True)
class ReportChart:
    """A line, two bands and a truth, as points in the picture's units; (place, number) pairs along both axes."""

    line: str
    band: str
    always_band: str
    truth: float | None
    heights: tuple[tuple[float, str], ...]
    widths: tuple[tuple[float, str], ...]


def report_chart(trail: Trail, truth: float | None, *, measure: Measure) -> ReportChart | None:
    """The chart of a session; None while there are not two points to join.

    ``truth`` : the known value, or None. ``measure`` : what the accuracy is.
    """
    if len(trail.labels) < 2:
        return None
    scale, most = measure.factor, float(trail.labels[-1])
    known = [] if truth is None else [truth]
    ends = np.concatenate([trail.accuracy, trail.low, trail.high, trail.always_low, trail.always_high, known])
    low, high = scale * float(np.nanmin(ends)), scale * float(np.nanmax(ends))
    room = max(0.04 * (high - low), (LEAST_SPAN[measure.is_share] - (high - low)) / 2)
    low, high = low - room, high + room

    def down(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return (high - scale * values) / (high - low) * HEIGHT

    def place(values: NDArray[np.float64]) -> list[str]:
        there = np.isfinite(values)
        points = zip(trail.labels[there] / most * WIDTH, down(values[there]), strict=True)
        return [f"{x:.1f},{y:.1f}" for x, y in points]

    def band(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> str:
        return " ".join([*place(upper), *reversed(place(lower))])

    heights = round_ticks(low, min(high, scale), most=5)
    widths = [mark for mark in round_ticks(0, most, most=8).tolist() if mark == round(mark)]
    return ReportChart(
        line=" ".join(place(trail.accuracy)),
        band=band(trail.low, trail.high),
        always_band=band(trail.always_low, trail.always_high),
        truth=None if truth is None else float(down(np.array(truth))),
        heights=tuple(zip(down(heights / scale).tolist(), [f"{mark:.6g}" for mark in heights], strict=True)),
        widths=tuple((mark / most * WIDTH, spaced(mark)) for mark in widths),
    )
