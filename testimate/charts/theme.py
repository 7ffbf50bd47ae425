"""The look every chart shares: transparent, a quiet grid, axis titles always, compact margins."""

import textwrap
from typing import Any

import plotly.graph_objects as go

from testimate.charts.palette import shades
from testimate.core.errors import BadInput
from testimate.core.words import THIN_SPACE

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
    colours = shades(dark)
    title = {"font": {"color": colours.muted, "size": 13}, "standoff": 8}
    axis = {
        "gridcolor": colours.grid,
        "linecolor": colours.grid,
        "zeroline": False,
        "ticks": "",
        "automargin": True,
        "tickfont": {"color": colours.muted, "size": 12},
        "separatethousands": True,
        "exponentformat": "none",
    }
    look = {
        **_frame(dark),
        "height": height,
        "separators": f".{THIN_SPACE}",  # after the whole number, between thousands
        "margin": {"l": 56, "r": 16, "t": 12 if figure.layout.showlegend is False else 36, "b": 44},
        "xaxis": {**axis, "title": {**title, "text": x_title}},
        "yaxis": {**axis, "title": {**title, "text": y_title}},
    }
    # Assigned at once: update_layout takes several times as long, and the figure is redrawn after every label.
    figure.layout = {**look, **_merged(look, figure.layout.to_plotly_json())}
    return figure


def _frame(dark: bool) -> dict[str, Any]:
    """What surrounds the axes: ground, letters, legend, hover."""
    colours = shades(dark)
    clear = "rgba(0, 0, 0, 0)"
    return {
        "paper_bgcolor": clear,
        "plot_bgcolor": clear,
        "font": {"family": FONT, "size": 13, "color": colours.text},
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.02,
            "yanchor": "bottom",
            "bgcolor": clear,
            "font": {"color": colours.text, "size": 12},
        },
        "hoverlabel": {
            "bgcolor": colours.panel,
            "bordercolor": colours.muted,
            "font": {"family": FONT, "size": 13, "color": colours.text},
            "align": "left",
        },
        "modebar": {"bgcolor": clear, "color": colours.muted, "activecolor": colours.estimate},
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
    colours = shades(dark)
    figure.add_annotation(
        text=message,
        showarrow=False,
        xref="paper",
        yref="paper",
        x=1,
        y=0.01,
        xanchor="right",
        yanchor="bottom",
        bgcolor=colours.panel,
        opacity=0.9,
        font={"size": 12, "color": colours.muted},
    )
    return figure
