"""The look that every chart shares, and how numbers, names and lists are made ready for it.

The colors, symbols and dashes every chart draws with, chosen so that color-blind people can tell them apart.

Plotly's own ticks of a logarithmic axis read "6 7 8 9 1 2" where 0.6, 0.7 ... is meant; here each is written in full.
"""

import html
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from testimate.charts.palette import shades
from testimate.core.errors import BadInput
from testimate.core.words import commas

FONT = '"Source Sans", "Source Sans 3", "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
"""Typefaces whose digits all have the same width by default, so that numbers do not jitter as they change."""


def blank() -> go.Figure:
    """A figure without Plotly's own template, which would travel with every figure and take as long as all the rest."""
    # Whole, before Plotly looks whether it is there: half of it may be, while another page loads it. Here and not above, so
    # that the first input is on the screen before.
    import pandas as pd  # noqa: F401 - Plotly uses it

    return go.Figure(layout={"template": "none"})


def themed(figure: go.Figure, *, dark: bool, x_title: str, y_title: str, height: int = 300) -> go.Figure:
    """The same figure in the light or dark look, its axes named with their units.

    Everything is set on the figure itself, not in a template, so that it looks the same in Streamlit and in a report.

    Raises
    ------
    BadInput
        Where an axis title is blank.
    """
    if not x_title.strip() or not y_title.strip():
        raise BadInput(
            f"The axis titles are {x_title!r:.60} and {y_title!r:.60}; each axis needs a name and a unit. Name them."
        )
    colors = shades(dark)
    title = {"font": {"color": colors.muted, "size": 13}, "standoff": 8}
    axis = {
        "gridcolor": colors.grid,
        "linecolor": colors.grid,
        "zeroline": False,
        "ticks": "",
        "automargin": True,
        "tickfont": {"color": colors.muted, "size": 12},
        "separatethousands": True,
        "exponentformat": "none",
    }
    look = {
        **_frame(dark),
        "height": height,
        "separators": ".,",  # after the whole number, between thousands
        "margin": {"l": 56, "r": 16, "t": 12 if figure.layout.showlegend is False else 36, "b": 44},
        "xaxis": {**axis, "title": {**title, "text": x_title}},
        "yaxis": {**axis, "title": {**title, "text": y_title}},
    }
    # Assigned at once: update_layout takes several times as long, and the figure is redrawn after every label.
    figure.layout = {**look, **_merged(look, figure.layout.to_plotly_json())}
    return figure


def _frame(dark: bool) -> dict[str, Any]:
    """What surrounds the axes: ground, letters, legend, hover."""
    colors = shades(dark)
    clear = "rgba(0, 0, 0, 0)"
    return {
        "paper_bgcolor": clear,
        "plot_bgcolor": clear,
        "font": {"family": FONT, "size": 13, "color": colors.text},
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.02,
            "yanchor": "bottom",
            "bgcolor": clear,
            "font": {"color": colors.text, "size": 12},
        },
        "hoverlabel": {
            "bgcolor": colors.panel,
            "bordercolor": colors.muted,
            "font": {"family": FONT, "size": 13, "color": colors.text},
            "align": "left",
        },
        "modebar": {"bgcolor": clear, "color": colors.muted, "activecolor": colors.estimate},
        "separators": ".,",
        "uirevision": "keep",
    }


def _merged(look: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """The figure's own settings with the look's around them."""
    return {
        key: {**look[key], **_merged(look[key], value)} if isinstance(value, dict) and key in look else value
        for key, value in own.items()
    }


NOTE = 28
"""Letters on a line of a note, so that it fits a chart in a narrow column."""


def note(figure: go.Figure, message: str, *, dark: bool) -> go.Figure:
    """The figure as an empty state: its axes without ticks, and in the middle what to do next (trusted text), folded."""
    figure.update_xaxes(showgrid=False, showticklabels=False)
    figure.update_yaxes(showgrid=False, showticklabels=False)
    figure.add_annotation(
        text="<br>".join(textwrap.wrap(message, NOTE)),
        showarrow=False,
        xref="paper",
        yref="paper",
        x=0.5,
        y=0.5,
        font={"size": 15, "color": shades(dark).muted},
    )
    return figure


def caption(figure: go.Figure, message: str, *, dark: bool) -> go.Figure:
    """A small remark inside the plot, at the lower right (trusted text)."""
    colors = shades(dark)
    figure.add_annotation(
        text=message,
        showarrow=False,
        xref="paper",
        yref="paper",
        x=1,
        y=0.01,
        xanchor="right",
        yanchor="bottom",
        bgcolor=colors.panel,
        opacity=0.9,
        font={"size": 12, "color": colors.muted},
    )
    return figure


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
    words = [commas(tick) if tick >= 1 else f"{tick:g}" for tick in ticks]
    reach = [float(np.log10(end)) for end in (low, high)]
    figure.update_yaxes(type="log", range=reach, tickvals=ticks, ticktext=words)
    return figure


def safe_text(name: object, *, limit: int = 40) -> str:
    """The name as Plotly shows it letter for letter, cut in the middle to ``limit`` characters, where names differ least.

    Plotly takes ``<b>``, ``<a href=...>`` and the like for markup, ``$...$`` for a formula and ``%{...}`` in a hover
    template for a variable; here they all stay plain text. Quotes need no escape, as no text becomes an attribute.

    >>> safe_text("<b>cat</b> & $dog$")
    '&lt;b&gt;cat&lt;/b&gt; &amp; &#36;dog&#36;'
    >>> safe_text("%{y}")
    '%&#123;y}'
    """
    text = " ".join(str(name).split())
    if len(text) > limit:
        text = f"{text[: limit - limit // 2 - 1]}…{text[len(text) - limit // 2 :]}"
    return html.escape(text, quote=False).replace("$", "&#36;").replace("%{", "%&#123;")


WIDTH, MARGIN, LABELS, LINE = 640, 24, 190, 26
"""Of the intervals, in pixels: the whole width, the margin on both sides, the width of the names, the height of one."""


Column = ArrayLike | Sequence[float | None]
"""Numbers, or None (or nan) where there is none."""


def column(values: Column | None, name: str, count: int | None = None) -> NDArray[np.float64]:
    """The values as a (count,) float array, nan where there is no number; None stands for a column without any.

    Raises
    ------
    BadInput
        The values are not numbers in one column, or not ``count`` of them.
    """
    if values is None:
        return np.full(count or 0, np.nan)
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"Expected numbers or None as the {name}, got something else. Repair them.") from None
    if array.ndim != 1 or (count is not None and len(array) != count):
        needed = "one number each" if count is None else f"{count} numbers"
        raise BadInput(f"Expected {needed} {name} in one column, got shape {array.shape}. Pass as many.")
    return array


def places(values: Column, name: str, count: int | None = None) -> NDArray[np.intp]:
    """The values as a (count,) array of whole numbers; BadInput where they are not whole numbers."""
    numbers = column(values, name, count)
    if numbers.size and not np.array_equal(numbers, np.floor(numbers)):
        raise BadInput(f"Expected whole numbers as the {name}, got others. Repair them.")
    whole: NDArray[Any] = numbers.astype(np.intp)
    return whole
