"""What every layer of one map shares: its points, their rows, and what lies in the focus."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from testimate.charts.untrusted import safe_text
from testimate.core.errors import BadInput

FADED = 0.08
"""Opacity of what lies outside the focus."""


class MapDrawing:
    """The (N, 2) points of a map with the rows they carry.

    ``hover`` : (N,) a line for each, untrusted text, or None. ``focus`` : (N,) the points that are not faded; None for all.
    ``pictured`` : the page shows the input under the pointer, so that the points have no labels of their own.
    """

    def __init__(
        self,
        points: NDArray[np.float32],
        rows: NDArray[np.int32],
        hover: Sequence[str] | None,
        dark: bool,
        focus: NDArray[np.bool_] | None,
        pictured: bool,
    ) -> None:
        for name, values in (("rows", rows), ("hover lines", hover), ("marks of the focus", focus)):
            if values is not None and len(values) != len(points):
                raise BadInput(
                    f"There are {len(values)} {name} and {len(points)} points; needed is one each. Pass as many."
                )
        self.points, self.rows, self.hover, self.dark = points, rows, hover, dark
        self.focus, self.pictured = focus, pictured

    def scatter(self, positions: NDArray[np.intp], *lines: str) -> dict[str, object]:
        """What a Scattergl of these points needs besides its markers."""
        places = {
            "x": self.points[positions, 0],
            "y": self.points[positions, 1],
            "customdata": self.rows[positions],
            "mode": "markers",
        }
        if self.pictured:
            return {**places, "hoverinfo": "none"}
        template = ["input %{customdata}", *lines]
        if self.hover is not None:
            template.append("%{text}")
        text = None if self.hover is None else [safe_text(self.hover[i], limit=120) for i in positions]
        return {**places, "text": text, "hovertemplate": "<br>".join(template) + "<extra></extra>"}

    def faded(self, positions: NDArray[np.intp], opacity: float) -> float | NDArray[np.float32]:
        """The opacity of each of these points: the focus as given, the others hardly seen."""
        if self.focus is None:
            return opacity
        return np.where(self.focus[positions], opacity, FADED).astype(np.float32)
