"""What is in a road picture: scenes chosen by chance, seeded, and the light under each of their conditions."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint

CONDITIONS = ("clear", "rain", "fog", "dusk", "night")

HORIZON, FOCAL, CAMERA = 0.40, 1.5, 1.8
"""Of the picture's height: the horizon from above, and the focal length; metres from the ground to the camera."""

LANE = 1.75
"""Metres from the middle of the lane to its marks; the road has a second lane on the left."""

AHEAD = 14.0
"""Metres ahead of the point on the lane's middle that is steered for."""

FARTHEST = 25.0
"""Degrees of the steering wheel to either side, the most there is."""

SIDEWAYS = 4.4
"""Metres to the side, ``AHEAD`` metres ahead, for which the wheel is turned to its farthest."""

BEND, PLACE, HEADING = 0.033, 0.7, 0.045
"""The most of each, to either side: the curvature (1 / metres), metres beside the lane's middle, and slope."""

STRAIGHT_FROM = 45.0
"""Metres ahead beyond which a bend becomes straight."""

TREES = 6

PARTS = (
    *("bend", "place", "heading", "sight", "brightness", "beam", "seed low", "seed high"),
    *("cloud begins", "cloud is long", "cloud begins again", "cloud is long again", "wood begins", "wood is long"),
    *("worn marks", "stubble", "asphalt", "dash begins"),
    *(f"tree {number} {what}" for number in range(TREES) for what in ("ahead", "aside")),
)
"""What is random in a scene."""

Colour = tuple[float, float, float]
"""Red, green and blue, 0..1."""


@dataclass(frozen=True, eq=False)
class Scenes:
    """N scenes: ``conditions`` (N,) places in ``CONDITIONS``; ``chance`` (N, P) uint16, a number of each of the ``PARTS``."""

    conditions: NDArray[np.intp]
    chance: NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.conditions)

    def __getitem__(self, rows: "NDArray[np.intp] | slice") -> "Scenes":
        return Scenes(self.conditions[rows], self.chance[rows])

    @property
    def fingerprint(self) -> str:
        """Fingerprint of everything in the scenes."""
        return fingerprint.of_bytes(
            self.conditions.astype("<i8").tobytes(), np.ascontiguousarray(self.chance, dtype="<u2").tobytes()
        )

    def between(self, part: str, low: float, high: float) -> NDArray[np.float32]:
        """That part's random number, scaled to ``low`` to ``high``, (N,)."""
        share = self.chance[:, PARTS.index(part)] * np.float32(1 / 65536)
        values: NDArray[np.float32] = np.float32(low) + np.float32(high - low) * share
        return values

    @property
    def bend(self) -> NDArray[np.float32]:
        """Curvature of the road in 1 / metres, positive to the right, (N,)."""
        return self.between("bend", -BEND, BEND)

    @property
    def place(self) -> NDArray[np.float32]:
        """Metres from the car to the middle of its lane, positive to the right, (N,)."""
        return self.between("place", -PLACE, PLACE)

    @property
    def heading(self) -> NDArray[np.float32]:
        """Metres to the right per metre ahead in which the road leaves, (N,)."""
        return self.between("heading", -HEADING, HEADING)

    @property
    def angles(self) -> NDArray[np.float64]:
        """Degrees to steer for the middle of the lane ``AHEAD`` metres ahead, positive to the right, (N,)."""
        place, heading, bend = (values.astype(np.float64) for values in (self.place, self.heading, self.bend))
        sideways = place + AHEAD * heading + AHEAD * AHEAD / 2 * bend
        found: NDArray[np.float64] = np.clip(sideways / SIDEWAYS, -1, 1) * FARTHEST
        return found


def scenes(count: int, shares: tuple[float, ...], seed: int) -> Scenes:
    """``count`` scenes under each of the ``CONDITIONS`` in these shares, in an order that means nothing."""
    width = len(PARTS)
    raw = np.random.PCG64(seed).random_raw(count * (width + 1) // 4 + 1).astype("<u8").view("<u2")
    bounds = np.cumsum([round(65536 * share) for share in shares[:-1]])
    conditions = np.searchsorted(bounds, raw[:count], side="right").astype(np.intp)
    return Scenes(conditions, raw[count : count * (width + 1)].reshape(count, width).astype(np.uint16))


class Weather(NamedTuple):
    """What the light does. ``sight``: metres at which half is lost in haze, nearest and farthest. ``light``: on what is
    drawn; ``sky``: above and at the horizon, where it is the colour of the haze. ``beam``: of the headlights. ``noise``: of
    the camera. ``wet``: how much darker the road is. ``streaks``: of rain.
    """

    sight: tuple[float, float]
    light: Colour
    sky: tuple[Colour, Colour]
    beam: float = 0.0
    noise: float = 0.02
    wet: float = 0.0
    streaks: float = 0.0


WEATHER = (
    Weather((500, 900), (1.0, 1.0, 0.98), ((0.36, 0.58, 0.90), (0.78, 0.87, 0.95))),
    Weather((110, 260), (0.66, 0.69, 0.73), ((0.50, 0.54, 0.58), (0.66, 0.69, 0.72)), wet=0.35, streaks=0.10),
    Weather((7, 26), (0.88, 0.89, 0.90), ((0.76, 0.78, 0.80), (0.80, 0.82, 0.83)), noise=0.025),
    Weather((300, 600), (0.62, 0.47, 0.40), ((0.22, 0.24, 0.42), (0.92, 0.56, 0.32)), noise=0.03),
    Weather((300, 600), (0.06, 0.072, 0.13), ((0.015, 0.02, 0.055), (0.06, 0.066, 0.11)), beam=1.0, noise=0.04),
)
"""In the order of the conditions."""
