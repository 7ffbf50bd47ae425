"""Trees beside the road in the demo's pictures."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from testimate.subjects.road_scenes import CAMERA, LANE
from testimate.subjects.road_weather import WEATHER, Colour

if TYPE_CHECKING:
    from testimate.subjects.road_drawing import Drawing

Values = NDArray[np.float32]

STANDS = ((70.0, -1), (55.0, 1), (42.0, -1), (32.0, 1), (24.0, -1), (17.0, 1))
"""Metres ahead of each tree at the least, and its side; the farthest is drawn first."""

LEAVES: Colour = (0.13, 0.30, 0.11)
TRUNK: Colour = (0.27, 0.19, 0.13)


def plant(drawing: "Drawing", colours: list[Values]) -> None:
    """Draws the trees over what is there already, the farthest first; ``colours`` are (n, height, width) each."""
    for number, (nearest, side) in enumerate(STANDS):
        ahead = drawing.column(f"tree {number} ahead", nearest, nearest * 1.25)  # metres
        aside = np.float32(3.5) + 9 * drawing.column(f"tree {number} aside", 0, 1)  # from the mark at the road's edge
        edge = np.float32(LANE if side > 0 else -3 * LANE)
        scale = drawing.focal / ahead  # pixels a metre spans there
        x = (drawing.middle(ahead) + edge + side * aside) * scale
        foot = drawing.horizon + np.float32(CAMERA) * scale
        _draw_tree(drawing, colours, x, foot, drawing.column(f"tree {number} ahead", 4.5, 9.5) * scale, ahead)


def _draw_tree(drawing: "Drawing", colours: list[Values], x: Values, foot: Values, tall: Values, ahead: Values) -> None:
    """One tree of each scene, ``tall`` pixels high; all (n, 1, 1)."""
    lowest = min(drawing.height, int(np.ceil(foot.max())) + 1)
    y = drawing.y[:, :lowest]
    beside, over = drawing.x - x, y - (foot - tall * np.float32(0.62))
    wide, high = tall * np.float32(0.26), tall * np.float32(0.40)
    away = (beside / wide) * (beside / wide) + (over / high) * (over / high)  # 1 on the crown's edge
    crown = np.clip((1 - away) * (wide * np.float32(0.5)) + np.float32(0.5), 0, 1)
    trunk = np.clip(tall * np.float32(0.035) - np.abs(beside) + np.float32(0.5), 0, 1)
    trunk = trunk * np.clip(foot - y + np.float32(0.5), 0, 1) * np.clip(over + tall * np.float32(-0.22), 0, 1)
    shade = np.float32(1.15) - np.float32(0.35) * np.clip(over / tall + np.float32(0.4), 0, 1)
    through = drawing.clearness(ahead)
    headlights = drawing.per_weather([one.beam for one in WEATHER]) * (6 / ahead)
    for place, colour in enumerate(colours):
        light = (drawing.per_weather([one.light[place] for one in WEATHER]) + headlights) * drawing.brightness()
        haze = drawing.per_weather([one.sky[1][place] for one in WEATHER])
        here = colour[:, :lowest]
        here += trunk * (haze + through * (np.float32(TRUNK[place]) * light - haze) - here)
        here += crown * (haze + through * (np.float32(LEAVES[place]) * shade * light - haze) - here)
