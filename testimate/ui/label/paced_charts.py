"""Charts beside the surface: drawn again at most once a second, so that drawing them never holds up the keys."""

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import plotly.graph_objects as go
import streamlit as st

SECONDS = 1.0
"""Seconds between two drawings; an older chart is not wrong, but people expect a new one within a second."""


@dataclass
class PacedCharts:
    """The charts of one session as this browser page has them.

    Attributes
    ----------
    rest : seconds until they may be drawn again; 0 where they are drawn in this run.
    """

    rest: float = 0.0
    _drawn_at: float = float("-inf")
    _figures: dict[str, tuple[Hashable, go.Figure]] = field(default_factory=dict)

    def begin_run(self) -> None:
        """Notes that a run of the page begins, and decides whether it is time to draw."""
        now = time.monotonic()
        self.rest = max(0.0, self._drawn_at + SECONDS - now)
        if not self.rest:
            self._drawn_at = now

    def figure(self, key: str, make: Callable[[], go.Figure], looks: Hashable = None) -> go.Figure:
        """The chart of this name; made again when it is time, or when ``looks``, what else it shows, has changed."""
        kept = self._figures.get(key)
        if kept is None or not self.rest or kept[0] != looks:
            kept = self._figures[key] = (looks, make())
        return kept[1]


def paced_charts(session: str) -> PacedCharts:
    """Those of a session, by its id."""
    name = f"charts {session}"
    charts = st.session_state.setdefault(name, PacedCharts())
    assert isinstance(charts, PacedCharts)
    return charts
