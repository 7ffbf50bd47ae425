"""What looks random in the road demo's pictures: the camera's noise and the streaks of rain."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from testimate.subjects.road_scenes import PARTS, Scenes
from testimate.subjects.road_weather import WEATHER

if TYPE_CHECKING:
    from testimate.subjects.road_drawing import Drawing

Values = NDArray[np.float32]


def camera_noise(drawing: "Drawing") -> Values:
    """The noise and the streaks, to be added, (n, height, width)."""
    pixels = np.arange(drawing.height * drawing.width, dtype=np.uint32).reshape(1, drawing.height, drawing.width)
    raw = scrambled(pixels + own_numbers(drawing.scenes))
    three = [raw >> np.uint32(shift) & np.uint32(255) for shift in (0, 8, 16)]
    bell = (three[0] + three[1] + three[2]).astype(np.float32)
    bell = (bell - np.float32(382.5)) * np.float32(1 / 128)  # deviation 1
    found: Values = bell * drawing.per_weather([one.noise for one in WEATHER]) + _streaks(drawing)
    return found


def _streaks(drawing: "Drawing") -> Values:
    """What slanting streaks of rain add, as many in a small picture as in a large one; (n, height, width)."""
    fine = np.float32(160 / drawing.height)
    slanted = (np.floor((drawing.x + drawing.y * np.float32(0.18)) * fine) + np.float32(4096)).astype(np.uint32)
    begins = scrambled(slanted).astype(np.float32) * np.float32(2.0**-32)
    layer = np.floor(drawing.y * fine / np.float32(26) + begins).astype(np.uint32)  # each a sixth of the height
    drop = scrambled(slanted * np.uint32(31) + layer + own_numbers(drawing.scenes))
    falls = (drop < np.uint32(2**32 // 12)).astype(np.float32)
    found: Values = falls * drawing.per_weather([one.streaks for one in WEATHER])
    return found


def own_numbers(scenes: Scenes) -> NDArray[np.uint32]:
    """A number of each scene's own to begin with, (n, 1, 1)."""
    low, high = (scenes.chance[:, PARTS.index(f"seed {end}")].astype(np.uint32) for end in ("low", "high"))
    return scrambled(low + (high << np.uint32(16))).reshape(-1, 1, 1)


def scrambled(values: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Numbers that look random, one for each (the permutation of PCG by O'Neill 2014, as a hash)."""
    state = values * np.uint32(747796405) + np.uint32(2891336453)
    word = ((state >> ((state >> np.uint32(28)) + np.uint32(4))) ^ state) * np.uint32(277803737)
    found: NDArray[np.uint32] = word >> np.uint32(22) ^ word
    return found
