"""Draws road pictures from scenes: a road in perspective with its lane marks, fields, trees, sky, weather and headlights.

Everything is done by adding, multiplying and dividing numbers of 32 bits one by one, and by whole numbers, which give the
same bits on every machine; sines, logarithms and sums of many numbers do not.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint

CONDITIONS = ("clear", "rain", "fog", "dusk", "night")

HORIZON, FOCAL, CAMERA = 0.40, 1.5, 1.8
"""Of the picture's height: the horizon from above, and the focal length; meters from the ground to the camera."""

LANE = 1.75
"""Meters from the middle of the lane to its marks; the road has a second lane on the left."""

AHEAD = 14.0
"""Meters ahead of the point on the lane's middle that is steered for."""

FARTHEST = 25.0
"""Degrees of the steering wheel to either side, the most there is."""

SIDEWAYS = 4.4
"""Meters to the side, ``AHEAD`` meters ahead, for which the wheel is turned to its farthest."""

BEND, PLACE, HEADING = 0.033, 0.7, 0.045
"""The most of each, to either side: the curvature (1 / meters), meters beside the lane's middle, and slope."""

STRAIGHT_FROM = 45.0
"""Meters ahead beyond which a bend becomes straight."""

TREES = 6

PARTS = (
    *("bend", "place", "heading", "sight", "brightness", "beam", "seed low", "seed high"),
    *("cloud begins", "cloud is long", "cloud begins again", "cloud is long again", "wood begins", "wood is long"),
    *("worn marks", "stubble", "asphalt", "dash begins"),
    *(f"tree {number} {what}" for number in range(TREES) for what in ("ahead", "aside")),
)
"""What is random in a scene."""

Color = tuple[float, float, float]
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
        """Curvature of the road in 1 / meters, positive to the right, (N,)."""
        return self.between("bend", -BEND, BEND)

    @property
    def place(self) -> NDArray[np.float32]:
        """Meters from the car to the middle of its lane, positive to the right, (N,)."""
        return self.between("place", -PLACE, PLACE)

    @property
    def heading(self) -> NDArray[np.float32]:
        """Meters to the right per meter ahead in which the road leaves, (N,)."""
        return self.between("heading", -HEADING, HEADING)

    @property
    def angles(self) -> NDArray[np.float64]:
        """Degrees to steer for the middle of the lane ``AHEAD`` meters ahead, positive to the right, (N,)."""
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
    """What the light does. ``sight``: meters at which half is lost in haze, nearest and farthest. ``light``: on what is
    drawn; ``sky``: above and at the horizon, where it is the color of the haze. ``beam``: of the headlights. ``noise``: of
    the camera. ``wet``: how much darker the road is. ``streaks``: of rain.
    """

    sight: tuple[float, float]
    light: Color
    sky: tuple[Color, Color]
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


Values = NDArray[np.float32]

ASPHALT: Color = (0.36, 0.36, 0.38)
MARK: Color = (0.95, 0.95, 0.90)
GRAVEL: Color = (0.58, 0.53, 0.44)
MEADOW: Color = (0.30, 0.48, 0.18)
STUBBLE: Color = (0.62, 0.55, 0.27)
HILL: Color = (0.20, 0.34, 0.22)
BEAM: Color = (1.0, 0.96, 0.84)

BLOCK = 64
"""Pictures drawn at a time, so that what is computed between stays in the processor's cache."""

GRAY: Color = (0.299, 0.587, 0.114)
"""Weights of red, green and blue in gray (ITU-R BT.601)."""

STANDS = ((70.0, -1), (55.0, 1), (42.0, -1), (32.0, 1), (24.0, -1), (17.0, 1))
"""The least meters ahead of each tree, and its side; the farthest is drawn first."""

LEAVES: Color = (0.13, 0.30, 0.11)
TRUNK: Color = (0.27, 0.19, 0.13)


class RoadView:
    """A few scenes being drawn from the row ``top`` down; every value is (n or 1, rows or 1, width or 1)."""

    def __init__(self, scenes: Scenes, height: int, top: int = 0) -> None:
        self.scenes, self.height, self.width, self.top = scenes, height, 2 * height, top
        self.focal = np.float32(FOCAL * height)
        self.horizon = np.float32(HORIZON * height)
        rows, columns = np.arange(top, height, dtype=np.float32), np.arange(2 * height, dtype=np.float32)
        self.y = (rows + np.float32(0.5)).reshape(1, -1, 1)
        self.x = (columns + np.float32(0.5) - np.float32(height)).reshape(1, 1, -1)  # from the middle
        self.first = int(np.count_nonzero(self.y < self.horizon + np.float32(0.25)))  # row of ground
        below = self.y[:, self.first :] - self.horizon
        self.ahead = np.float32(CAMERA) * self.focal / below  # meters, (1, ground, 1)
        self.pixel = self.ahead / self.focal  # meters a pixel spans to the side
        self.across = self.x * self.pixel  # meters from the camera's axis, (1, ground, width)

    def column(self, part: str, low: float, high: float) -> Values:
        """A random number of each scene, (n, 1, 1)."""
        return self.scenes.between(part, low, high).reshape(-1, 1, 1)

    def per_weather(self, values: list[float]) -> Values:
        """A number that depends on the weather, (n, 1, 1)."""
        return np.asarray(values, dtype=np.float32)[self.scenes.conditions].reshape(-1, 1, 1)

    def middle(self, ahead: Values) -> Values:
        """Meters from the camera's axis to the middle of the lane, at that many meters ahead."""
        bent = np.minimum(ahead, np.float32(STRAIGHT_FROM))
        bend = self.scenes.bend.reshape(-1, 1, 1)
        sideways = bend * (bent * (ahead - bent * np.float32(0.5)))
        found: Values = sideways + self.scenes.heading.reshape(-1, 1, 1) * ahead + self.scenes.place.reshape(-1, 1, 1)
        return found

    def clearness(self, ahead: Values) -> Values:
        """How much of what is that many meters ahead is visible through the haze, 0..1."""
        nearest = self.per_weather([one.sight[0] for one in WEATHER])
        farthest = self.per_weather([one.sight[1] for one in WEATHER])
        sight = nearest + (farthest - nearest) * self.column("sight", 0, 1)
        lost = ahead / sight
        found: Values = np.divide(1, 1 + lost * (1 + lost) * np.float32(0.5), dtype=np.float32)
        return found

    def sky(self) -> list[Values]:
        """The sky down to the first row of ground, with a line of hills or woods at its foot."""
        y = self.y[:, : self.first]
        height = 1 - y / self.horizon  # 0 at the horizon
        shade = np.clip(height * np.float32(1.4), 0, 1)
        cloud = self.wave("cloud", "", self.x * np.float32(0.5) + y * 3) * self.wave(
            "cloud", " again", y * 4 - self.x * np.float32(0.2)
        )
        cloud = np.clip(cloud - np.float32(0.25), 0, np.float32(0.5)) * np.clip(height * 3, 0, 1)
        crest = (self.wave("wood", "", self.x) * np.float32(0.10) + np.float32(0.03)) * self.horizon
        wood = np.clip(crest - (self.horizon - y) + np.float32(0.5), 0, 1)
        through = self.clearness(np.full((1, 1, 1), 150, dtype=np.float32)) * wood
        found = []
        for place in range(3):
            top = self.per_weather([one.sky[0][place] for one in WEATHER])
            foot = self.per_weather([one.sky[1][place] for one in WEATHER])
            color = foot + (top - foot) * shade
            color = color + cloud * (foot * np.float32(1.15) - color)
            light = self.per_weather([one.light[place] for one in WEATHER])
            found.append(color + through * (np.float32(HILL[place]) * light - color))
        return found

    def wave(self, what: str, again: str, at: Values) -> Values:
        """A smooth wave from 0 to 1 along ``at`` (pixels), with a random beginning and length, made of parabolas."""
        period = self.column(f"{what} is long{again}", 0.35, 0.9) * np.float32(self.height)
        turn = at / period + self.column(f"{what} begins{again}", 0, 1)
        turn = turn - np.floor(turn)  # 0..1
        half = np.abs(turn - np.float32(0.5)) * 2  # 1..0..1
        found: Values = half * half * (3 - 2 * half)
        return found

    def ground(self) -> list[Values]:
        """Fields, the road and its marks, from the first row of ground down."""
        side = self.across - self.middle(self.ahead)  # meters right of the lane's middle, (n, ground, width)
        road = self.stripe(side, -LANE, 2 * LANE + 0.15)
        gravel = self.stripe(side, -LANE, 2 * LANE + 0.15 + 0.9)
        mark = self.stripe(side, LANE, 0.07) + self.stripe(side, -3 * LANE, 0.07)
        mark = mark + self.stripe(side, -LANE, 0.06) * self.dashes()
        mark = mark * self.column("worn marks", 0.75, 1.0)
        field = self.column("stubble", 0, 1)
        rough = self.texture()
        beam = self.beam()
        through = self.clearness(self.ahead)
        wet = 1 - self.per_weather([one.wet for one in WEATHER])
        tone = self.column("asphalt", 0.85, 1.15) * wet
        brightness = self.brightness()
        found, room = [], np.empty_like(side)
        for place in range(3):
            grass = np.float32(MEADOW[place]) + np.float32(STUBBLE[place] - MEADOW[place]) * field
            color = grass * rough
            blend(color, gravel, np.float32(GRAVEL[place]) * wet, room)
            blend(color, road, np.float32(ASPHALT[place]) * tone, room)
            blend(color, mark, np.float32(MARK[place]), room)
            np.multiply(beam, np.float32(BEAM[place]), out=room)
            room += self.per_weather([one.light[place] for one in WEATHER])
            color *= room
            color *= brightness
            haze = self.per_weather([one.sky[1][place] for one in WEATHER])
            color -= haze
            color *= through
            color += haze
            found.append(color)
        return found

    def brightness(self) -> Values:
        """How bright it is today."""
        return self.column("brightness", 0.85, 1.08)

    def stripe(self, side: Values, middle: float, half: float) -> Values:
        """How much of each pixel lies in a stripe along the road, 0..1."""
        reach = self.pixel * np.float32(0.5)
        left: Values = side - np.float32(middle)
        right: Values = left + reach
        left -= reach
        np.minimum(right, np.float32(half), out=right)
        right -= np.maximum(left, np.float32(-half), out=left)
        np.maximum(right, 0, out=right)
        right /= self.pixel
        return right

    def dashes(self) -> Values:
        """How much of each row lies in a dash of the line between the lanes, 3 meters in 9."""
        turn = self.ahead / 9 + self.column("dash begins", 0, 1)
        turn = np.abs(turn - np.floor(turn) - np.float32(0.5)) * 9  # meters from a dash's middle
        deep = self.ahead * self.ahead / (np.float32(CAMERA) * self.focal)  # meters a row spans
        inside = np.clip((np.float32(1.5) - turn) / deep + np.float32(0.5), 0, 1)
        blurred = np.minimum(deep / np.float32(9), np.float32(1))
        found: Values = np.add(inside, blurred * (np.float32(1 / 3) - inside), dtype=np.float32)
        return found

    def texture(self) -> Values:
        """Light and dark patches of the fields, about 1."""
        lengthwise = np.floor(self.ahead * np.float32(0.8)).astype(np.uint32)
        sideways = (np.floor(self.across * np.float32(0.5)) + 4096).astype(np.uint32)
        patch = scrambled(lengthwise * np.uint32(8209) + sideways + own_numbers(self.scenes))
        found: Values = np.float32(0.86) + (patch >> np.uint32(24)).astype(np.float32) * np.float32(0.28 / 255)
        return found

    def beam(self) -> Values:
        """The headlights' light on the ground: a pool straight ahead, however the road bends."""
        strength = self.per_weather([one.beam for one in WEATHER]) * self.column("beam", 0.75, 1.15)
        far = self.ahead / 24
        wide = self.across / (np.float32(1.6) + np.float32(0.48) * self.ahead)
        wide = wide * wide
        found: Values = strength / ((1 + far * far) * (1 + wide * wide))
        return found


def blend(color: Values, share: Values, other: Values | np.float32, room: Values) -> None:
    """Turns a share (0..1) of each pixel's color into the other, in place; ``room`` : for what is computed between."""
    np.subtract(other, color, out=room)
    room *= share
    color += room


def draw(scenes: Scenes, height: int, top: int = 0) -> NDArray[np.uint8]:
    """The pictures in color without their first ``top`` rows, (N, height - top, 2 * height, 3), 0 = black to 255."""
    pictures = np.empty((len(scenes), height - top, 2 * height, 3), dtype=np.uint8)
    for start in range(0, len(scenes), BLOCK):
        rows = slice(start, start + BLOCK)
        pictures[rows] = _painted(RoadView(scenes[rows], height, top))
    return pictures


def _painted(view: RoadView) -> NDArray[np.uint8]:
    """The scenes, (n, rows, width, 3)."""
    colors = [np.concatenate(pair, axis=1) for pair in zip(view.sky(), view.ground(), strict=True)]
    _plant(view, colors)
    found = np.empty((*colors[0].shape, 3), dtype=np.uint8)
    grains = _camera_noise(view)
    for place, color in enumerate(colors):
        np.add(color, grains, out=color)
        np.multiply(color, np.float32(255), out=color)
        found[..., place] = np.clip(color, 0, 255, out=color).astype(np.uint8)
    return found


def gray(pictures: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The pictures (N, rows, width, 3) without their colors, (N, rows, width)."""
    red, green, blue = (
        round(weight * 1024) * pictures[..., place].astype(np.int32) for place, weight in enumerate(GRAY)
    )
    return (red + green + blue + 512 >> 10).astype(np.uint8)


def _plant(view: RoadView, colors: list[Values]) -> None:
    """Draws the trees over what is there already, the farthest first; ``colors`` are (n, rows, width) each."""
    for number, (nearest, side) in enumerate(STANDS):
        ahead = view.column(f"tree {number} ahead", nearest, nearest * 1.25)  # meters
        aside = np.float32(3.5) + 9 * view.column(f"tree {number} aside", 0, 1)  # from the mark at the road's edge
        edge = np.float32(LANE if side > 0 else -3 * LANE)
        scale = view.focal / ahead  # pixels a meter spans there
        x = (view.middle(ahead) + edge + side * aside) * scale
        foot = view.horizon + np.float32(CAMERA) * scale
        _draw_tree(view, colors, x, foot, view.column(f"tree {number} ahead", 4.5, 9.5) * scale, ahead)


def _draw_tree(view: RoadView, colors: list[Values], x: Values, foot: Values, tall: Values, ahead: Values) -> None:
    """One tree of each scene, ``tall`` pixels high, in the few pixels it can reach; all (n, 1, 1)."""
    wide, high = tall * np.float32(0.26), tall * np.float32(0.40)
    middle = foot - tall * np.float32(0.62)
    place = _reached(view, x, wide + 1, middle - high - 1, foot + 1)
    beside, over = view.x[0, 0, place[2]] - x, (y := view.y[:, place[1][0, :, 0]]) - middle
    away = (beside / wide) * (beside / wide) + (over / high) * (over / high)  # 1 on the crown's edge
    crown = np.clip((1 - away) * (wide * np.float32(0.5)) + np.float32(0.5), 0, 1)
    trunk = np.clip(tall * np.float32(0.035) - np.abs(beside) + np.float32(0.5), 0, 1)
    trunk = trunk * np.clip(foot - y + np.float32(0.5), 0, 1) * np.clip(over + tall * np.float32(-0.22), 0, 1)
    shade = np.float32(1.15) - np.float32(0.35) * np.clip(over / tall + np.float32(0.4), 0, 1)
    through = view.clearness(ahead)
    headlights = view.per_weather([one.beam for one in WEATHER]) * (6 / ahead)
    for number, color in enumerate(colors):
        light = (view.per_weather([one.light[number] for one in WEATHER]) + headlights) * view.brightness()
        haze = view.per_weather([one.sky[1][number] for one in WEATHER])
        here = color[place]
        here += trunk * (haze + through * (np.float32(TRUNK[number]) * light - haze) - here)
        here += crown * (haze + through * (np.float32(LEAVES[number]) * shade * light - haze) - here)
        color[place] = here


Place = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]
"""Scenes (n, 1, 1), rows (1, h, 1) and columns (n, 1, w) of a part of each picture."""


def _reached(view: RoadView, x: Values, reach: Values, highest: Values, lowest: Values) -> Place:
    """As much of each picture as holds all pixels so near to ``x``, from ``highest`` to ``lowest``; all (n, 1, 1)."""
    first = max(0, int(np.floor(highest.min())) - view.top)
    last = min(view.height - view.top, int(np.ceil(lowest.max())) - view.top)
    across = min(view.width, 2 * int(np.ceil(reach.max())) + 2)
    left = np.clip(np.floor(x - reach) + np.float32(view.height), 0, view.width - across).astype(np.intp)
    scenes = np.arange(len(x)).reshape(-1, 1, 1)
    return scenes, np.arange(first, max(first, last)).reshape(1, -1, 1), left + np.arange(across)


def _camera_noise(view: RoadView) -> Values:
    """The noise and the streaks, to be added, (n, rows, width)."""
    pixels = np.arange(view.top * view.width, view.height * view.width, dtype=np.uint32).reshape(1, -1, view.width)
    raw = scrambled(pixels + own_numbers(view.scenes))
    three = [raw >> np.uint32(shift) & np.uint32(255) for shift in (0, 8, 16)]
    bell = (three[0] + three[1] + three[2]).astype(np.float32)
    bell = (bell - np.float32(382.5)) * np.float32(1 / 128)  # deviation 1
    found: Values = bell * view.per_weather([one.noise for one in WEATHER]) + _streaks(view)
    return found


def _streaks(view: RoadView) -> Values:
    """What slanting streaks of rain add, as many in a small picture as in a large one; (n, rows, width)."""
    fine = np.float32(160 / view.height)
    slanted = (np.floor((view.x + view.y * np.float32(0.18)) * fine) + np.float32(4096)).astype(np.uint32)
    begins = scrambled(slanted).astype(np.float32) * np.float32(2.0**-32)
    layer = np.floor(view.y * fine / np.float32(26) + begins).astype(np.uint32)  # each a sixth of the height
    drop = scrambled(slanted * np.uint32(31) + layer + own_numbers(view.scenes))
    falls = (drop < np.uint32(2**32 // 12)).astype(np.float32)
    found: Values = falls * view.per_weather([one.streaks for one in WEATHER])
    return found


def own_numbers(scenes: Scenes) -> NDArray[np.uint32]:
    """A starting number of its own for each scene, (n, 1, 1)."""
    low, high = (scenes.chance[:, PARTS.index(f"seed {end}")].astype(np.uint32) for end in ("low", "high"))
    return scrambled(low + (high << np.uint32(16))).reshape(-1, 1, 1)


def scrambled(values: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Numbers that look random, one for each (the permutation of PCG by O'Neill 2014, as a hash)."""
    state = values * np.uint32(747796405) + np.uint32(2891336453)
    word = ((state >> ((state >> np.uint32(28)) + np.uint32(4))) ^ state) * np.uint32(277803737)
    found: NDArray[np.uint32] = word >> np.uint32(22) ^ word
    return found
