"""A map as a self-contained picture: SVG, for reports and notebooks."""

from collections.abc import Mapping
from html import escape

import numpy as np
from numpy.typing import NDArray

from testimate.charts.map_density import thinned
from testimate.charts.map_names import NAME_SIZE, placed_names
from testimate.charts.palette import hue, shades

SIZE = 640
MOST_POINTS = 10_000
_SVG_MARGIN, _DOT = 12, 3.2


def map_svg(points: NDArray[np.floating], labels: NDArray[np.intp], names: Mapping[str, NDArray[np.intp]]) -> str:
    """The (N, 2) points as dots in the colours of their clusters, -1 in grey, with the names at their places.

    Above 10,000 points the crowded places are thinned. ``names`` : untrusted text, each with its points.
    """
    if not len(points):
        return ""
    low = points.min(axis=0)
    extent = points.max(axis=0) - low
    extent = np.where(extent > 0, extent, 1)

    def placed(places: NDArray[np.floating]) -> NDArray[np.floating]:
        scaled: NDArray[np.floating] = (places - low) / extent * (SIZE - 2 * _SVG_MARGIN) + _SVG_MARGIN
        scaled[..., 1] = SIZE - scaled[..., 1]
        return scaled

    shown = thinned(points, MOST_POINTS)
    parts = []
    for label in np.unique(labels[shown]).tolist():  # the minority space lies underneath
        colour = shades(False).noise if label < 0 else hue(label, dark=False)
        dots = placed(points[shown[labels[shown] == label]])
        path = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in dots.tolist())
        parts.append(f'<path d="{path}" stroke="{colour}" stroke-width="{_DOT}" stroke-linecap="round" fill="none"/>')
    for name in placed_names(points, names, height=SIZE, width=SIZE):
        x, y = placed(np.array([name.x, name.y])).tolist()
        parts.append(
            f'<text x="{x:.1f}" y="{y + NAME_SIZE / 3:.1f}" text-anchor="middle" paint-order="stroke" stroke="#ffffff" '
            f'stroke-width="3" stroke-opacity="0.85">{escape(name.text)}</text>'
        )
    return (
        f'<svg viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}" role="img" aria-label="Map of the inputs" '
        f'font-family="sans-serif" font-size="{NAME_SIZE}" xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )
