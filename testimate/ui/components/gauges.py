"""Bars drawn as HTML: they keep their height, and a new label draws no chart.

The width of the interval against the goal, the faults by severity, and how far the last round is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from testimate.charts.palette import CHOSEN, FAILED
from testimate.core.words import commas

GOALS = 3
"""The gauge of the width reaches from 0 to this many times the goal, so the goal's mark stays where it is."""

TRACK = "#80808030"
LINE = "display:grid;grid-template-columns:{columns};gap:0 0.75rem;align-items:center;font-size:0.875rem;line-height:1.6rem"
BAR = "position:relative;height:0.6rem;border-radius:3px;background:{track}"
FILLED = (
    "position:absolute;inset:0 auto 0 0;width:{share:.1f}%;border-radius:3px;background:{color};opacity:{opacity:g}"
)
SMALL = "grid-column:1/-1;font-size:0.8rem;line-height:1.2rem;opacity:0.8"
MARK = "position:absolute;top:-0.2rem;bottom:-0.2rem;width:2px;left:{share:.1f}%;background:currentColor"


@dataclass(frozen=True)
class Band:
    """Faults of one grade of severity: what the grade is called, how many, and how strongly its bar is colored, 0..1."""

    name: str
    count: int
    opacity: float


def width_gauge(half_width: float, goal: float, *, reached: str, wanted: str) -> None:
    """Draws half of the interval's width as a bar with a mark at the goal; ``reached`` and ``wanted`` are both in words."""
    end = GOALS * goal
    share = 100 * min(half_width / end, 1.0) if end > 0 else 100.0
    mark = f'<div style="{MARK.format(share=100 / GOALS)}"></div>'
    row = f"<div>Width <b>±{escape(reached)}</b></div>{_bar(share, CHOSEN, 0.6, mark)}<div>goal ±{escape(wanted)}</div>"
    _draw([row], "max-content 1fr max-content")


def severity_bars(bands: Sequence[Band], basis: str) -> None:
    """Draws a bar for each grade of severity, in the order given, against the longest of them; ``basis`` : what grades them."""
    longest = max(*(band.count for band in bands), 1)
    rows = [
        f"<div>{escape(band.name)}</div>{_bar(100 * band.count / longest, FAILED, band.opacity)}"
        f"<div><b>{commas(band.count)}</b></div>"
        for band in bands
    ]
    _draw([*rows, f'<div style="{SMALL}">{escape(basis)}</div>'], "minmax(9rem, max-content) 1fr max-content")


def round_bar(number: int, labeled: int, planned: int) -> None:
    """Draws how many inputs of a round are labeled."""
    share = 100 * labeled / max(planned, 1)
    row = (
        f"<div>Round {commas(number)}</div>{_bar(share, CHOSEN, 1.0)}<div>{commas(labeled)} of {commas(planned)}</div>"
    )
    _draw([row], "max-content 1fr max-content")


def _bar(share: float, color: str, opacity: float, mark: str = "") -> str:
    """Return a bar filled to ``share`` percent; the numbers beside it say the same to a screen reader."""
    filled = FILLED.format(share=share, color=color, opacity=opacity)
    return f'<div aria-hidden="true" style="{BAR.format(track=TRACK)}"><div style="{filled}"></div>{mark}</div>'


def _draw(rows: Sequence[str], columns: str) -> None:
    """Draws rows of three cells below each other."""
    st.html(f'<div style="{LINE.format(columns=columns)}">{"".join(rows)}</div>')
