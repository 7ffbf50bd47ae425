"""Round numbers along an axis that is drawn by hand, and along a logarithmic one.

Plotly's own ticks of a logarithmic axis read "6 7 8 9 1 2" where 0.6, 0.7 ... is meant; here each is written in full.
"""

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from testimate.core.words import grouped

FEWEST = 4
"""Ticks an axis needs for its values to be read off."""

DIGITS = (
    (1,),
    (1, 3),
    (1, 2, 5),
    (1, 2, 3, 5, 7),
    *(tuple(place / parts for place in range(parts, 10 * parts)) for parts in (1, 2, 5, 10)),
)
"""Leading digits of the ticks in each power of ten, the coarsest first."""

ROOM = 1.1
"""Factor by which the axis reaches beyond what is drawn."""


def round_ticks(low: float, high: float, *, most: int) -> NDArray[np.float64]:
    """Round numbers from low to high, at most that many steps.

    >>> round_ticks(75, 100.4, most=6)
    array([ 75.,  80.,  85.,  90.,  95., 100.])
    """
    rough = (high - low) / most
    size = 10 ** np.floor(np.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough - 1e-9 or factor == 10)
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    return np.asarray(step * np.arange(first, last + 1) + 0.0, dtype=np.float64)  # never -0


def log_ticks(low: float, high: float) -> NDArray[np.float64]:
    """The fewest round numbers from low to high, above 0, that are still enough to read a value off.

    >>> log_ticks(0.6, 4).tolist()
    [0.7, 1.0, 2.0, 3.0]
    """
    powers = range(int(np.floor(np.log10(low))), int(np.floor(np.log10(high))) + 1)
    for digits in DIGITS:
        ticks = np.array([float(f"{digit}e{power}") for power in powers for digit in digits])
        ticks = ticks[(ticks >= low) & (ticks <= high)]
        if len(ticks) >= FEWEST:
            break
    return ticks


def with_log_heights(figure: go.Figure) -> go.Figure:
    """The figure with a logarithmic y axis over all that is drawn, its ticks written in full."""
    drawn = np.concatenate([np.asarray(trace.y, dtype=np.float64) for trace in figure.data])
    drawn = drawn[np.isfinite(drawn) & (drawn > 0)]
    low, high = float(drawn.min()) / ROOM, float(drawn.max()) * ROOM
    ticks = log_ticks(low, high)
    reach = [float(np.log10(end)) for end in (low, high)]
    figure.update_yaxes(type="log", range=reach, tickvals=ticks, ticktext=[grouped(f"{tick:g}") for tick in ticks])
    return figure
