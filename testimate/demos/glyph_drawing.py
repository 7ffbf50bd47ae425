"""Draws letters from glyph masters: turned, slanted, thinned or thickened, and under noise; the same bytes everywhere.

Everything is done in whole numbers from the raw bits of a generator, because the last digits of a sine, or of a random
number of a bell curve, differ from machine to machine, and with them a dataset's fingerprint.
"""

import io
import math
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

SIDE = 28
"""Side of a drawn picture, in pixels."""

BLOCK = 500
"""Pictures drawn at a time, so that what is computed between stays in the processor's cache."""

NOISE = SIDE * SIDE // 2
"""Random numbers of 64 bits in a picture, 4 bytes a pixel."""

ONE = 1 << 12
"""The number 1 in the whole numbers used here."""

STEPS = 16
"""Steps of a master's distance in a pixel of the master."""

INSIDE = 128
"""A master's value on the outline; above it is ink."""

FULL_TURN = 4096
SINES = np.array([round(ONE * math.sin(2 * math.pi * step / FULL_TURN)) for step in range(FULL_TURN)], dtype=np.int32)


@dataclass(frozen=True)
class Straying:
    """How far a picture may stray from print at level 1; at another level in proportion.

    Attributes
    ----------
    turn : degrees to either side. slant : sideways per upwards. size : share of the size to either side. move : pixels.
    thicker, thinner : of a stroke on either side, in pixels of the master. noise : of a pixel, 1 = from paper to ink.
    fading : share of the ink.
    """

    turn: float = 26.0
    slant: float = 0.30
    size: float = 0.20
    move: float = 2.5
    thicker: float = 1.5
    thinner: float = 0.3
    noise: float = 0.52
    fading: float = 0.35


STRAYING = Straying()


def read_masters() -> NDArray[np.uint8]:
    """The glyph masters (fonts, letters, side, side): distances from the outline, ``INSIDE`` on it."""
    content = files("testimate.demos").joinpath("glyph_files", "masters.npz").read_bytes()
    with np.load(io.BytesIO(content), allow_pickle=False) as kept:
        masters: NDArray[np.uint8] = kept["masters"]
    return masters


class Glyphs:
    """N letters, each as often as any other, in these fonts; a picture is drawn when it is asked for.

    The same seed draws the same letters, bent and blurred the same way but further, at every level.

    Parameters
    ----------
    masters : as ``read_masters`` gives them. count : N. level : how far they stray, in percent. fonts : places in ``masters``.

    Attributes
    ----------
    letters, fonts : (N,) places.
    """

    def __init__(
        self, masters: NDArray[np.uint8], count: int, *, level: int, fonts: NDArray[np.intp], seed: int
    ) -> None:
        bits = np.random.PCG64(seed)
        chosen = _random(bits, count, 2)  # (N, 2), 0..65535
        self.letters: NDArray[np.intp] = (chosen[:, 0] * masters.shape[1] >> 16).astype(np.intp)
        self.fonts: NDArray[np.intp] = fonts[chosen[:, 1] * len(fonts) >> 16].astype(np.intp)
        self._strayed = _random(bits, count, 8) * 2 - 65535  # (N, 8), -65535..65535
        self._noise_from = bits.state
        self._masters, self._level = masters, level

    def __len__(self) -> int:
        return len(self.letters)

    @cached_property
    def images(self) -> NDArray[np.uint8]:
        """All pictures, (N, 28, 28), from 0 = paper to 255 = ink."""
        return self.drawn(np.arange(len(self)))

    def drawn(self, rows: NDArray[np.intp]) -> NDArray[np.uint8]:
        """The pictures of these rows, (len(rows), 28, 28)."""
        images = np.empty((len(rows), SIDE, SIDE), dtype=np.uint8)
        for start in range(0, len(rows), BLOCK):
            block = rows[start : start + BLOCK]
            masters = self._masters[self.fonts[block], self.letters[block]]
            images[start : start + BLOCK] = _drawn(masters, self._strayed[block], self._noise(block), self._level)
        return images

    def _noise(self, rows: NDArray[np.intp]) -> NDArray[np.uint8]:
        """The random bytes of these pictures, one picture's after another's; found wherever they lie in their order."""
        bits, found = np.random.PCG64(), []
        for run in np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1):  # of rows that follow each other
            bits.state = self._noise_from
            bits.advance(int(run[0]) * NOISE)
            found.append(bits.random_raw(len(run) * NOISE))
        return np.concatenate(found).astype("<u8").view(np.uint8)


def _random(bits: np.random.PCG64, count: int, width: int) -> NDArray[np.int64]:
    """(count, width) whole numbers from 0 to 65535."""
    raw = bits.random_raw((count * width + 3) // 4).astype("<u8").view("<u2")
    return raw[: count * width].reshape(count, width).astype(np.int64)


def _part(of: float, level: int) -> int:
    """What a number may be at that level, in ``ONE``."""
    return round(of * ONE) * level // 100


def _drawn(
    masters: NDArray[np.uint8], strayed: NDArray[np.int64], noise: NDArray[np.uint8], level: int
) -> NDArray[np.uint8]:
    """The pictures of these masters (n, side, side); ``strayed`` (n, 8), ``noise`` 4 bytes a pixel."""
    ink = _sampled(masters, *_places(masters.shape[-1], strayed, level))  # in STEPS * ONE
    most = np.where(strayed[:, 4] < 0, _part(STRAYING.thinner, level), _part(STRAYING.thicker, level))
    outwards = (strayed[:, 4] * most >> 16) * STEPS
    ink += (outwards.astype(np.int32) - (INSIDE - STEPS // 2) * ONE)[:, None]
    ink = np.clip(ink * 255 // (STEPS * ONE), 0, 255)  # the outline's ramp is a pixel wide
    faded = 65535 - (_part(STRAYING.fading, level) * (strayed[:, 5] + 65535) // 2 // ONE)
    ink = ink * faded.astype(np.int32)[:, None] >> 16
    spread = _part(STRAYING.noise, level) * (strayed[:, 6] + 65535) >> 17  # from none to all of it, in ONE
    grains = (
        noise.reshape(len(masters), SIDE * SIDE, 4).sum(axis=2, dtype=np.int32) - 510
    )  # deviation 148: a bell curve
    ink += (grains * spread.astype(np.int32)[:, None]) * 7 >> 14  # 255 / 148 in fourths of ONE
    return np.clip(ink, 0, 255).astype(np.uint8).reshape(-1, SIDE, SIDE)


def _places(side: int, strayed: NDArray[np.int64], level: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Where in the master each pixel is taken from, (n, 784) across and down, in ``ONE``."""
    turn = strayed[:, 0] * _part(STRAYING.turn / 360, level) * FULL_TURN // ONE >> 16
    sine, cosine = SINES[turn % FULL_TURN].astype(np.int64), SINES[(turn + FULL_TURN // 4) % FULL_TURN].astype(np.int64)
    slant = strayed[:, 1] * _part(STRAYING.slant, level) >> 16
    scale = side * ONE // SIDE * (ONE + (strayed[:, 2] * _part(STRAYING.size, level) >> 16)) // ONE
    across = np.stack([cosine, sine + slant * cosine // ONE], axis=1) * scale[:, None] // ONE  # (n, 2)
    down = np.stack([-sine, cosine - slant * sine // ONE], axis=1) * scale[:, None] // ONE
    middle = (2 * np.arange(SIDE, dtype=np.int64) - SIDE + 1) * ONE // 2
    moved = strayed[:, 3:8:4] * _part(STRAYING.move, level) >> 16  # (n, 2)
    x = middle[None, :] + moved[:, :1]
    y = middle[None, :] + moved[:, 1:]
    centre = (side - 1) * ONE // 2
    found = []
    for weights in (across, down):
        place = (weights[:, 0, None] * x)[:, None, :] + (weights[:, 1, None] * y)[:, :, None]
        found.append((place // ONE + centre).reshape(len(x), -1).astype(np.int32))
    return found[0], found[1]


def _sampled(masters: NDArray[np.uint8], x: NDArray[np.int32], y: NDArray[np.int32]) -> NDArray[np.int32]:
    """The masters between their pixels (bilinear), beyond their edge as on it; (n, 784) in ``ONE``."""
    side = masters.shape[-1]
    x, y = np.clip(x, 0, (side - 1) * ONE - 1), np.clip(y, 0, (side - 1) * ONE - 1)
    column, line, right, below = x // ONE, y // ONE, x % ONE, y % ONE
    flat = masters.reshape(-1)
    first = (np.arange(len(masters), dtype=np.int32) * side * side)[:, None] + line * side + column
    upper = flat[first] * (ONE - right) + flat[first + 1] * right
    lower = flat[first + side] * (ONE - right) + flat[first + side + 1] * right
    between: NDArray[np.int32] = (upper * ((ONE - below) >> 4) + lower * (below >> 4)) >> 8
    return between
