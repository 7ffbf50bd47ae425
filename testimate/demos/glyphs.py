"""The demo "glyphs": letters drawn in sixteen typefaces, and a LeNet-5 that was trained on ten of them.

Everything is done in whole numbers from the raw bits of a generator, because the last digits of a sine, or of a random
number of a bell curve, differ from machine to machine, and with them a dataset's fingerprint.
"""

import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.plug_ins import is_there
from testimate.core.progress import Progress, silent
from testimate.core.subject import Modality, Model, Shown, Subject
from testimate.core.words import commas
from testimate.demos.array_network import ArrayGraph, arrays_in, layers_of
from testimate.demos.png import gray_png
from testimate.models.graph import GraphModel
from testimate.models.known_networks import fitted_network
from testimate.tasks.classification import Classification

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
    center = (side - 1) * ONE // 2
    found = []
    for weights in (across, down):
        place = (weights[:, 0, None] * x)[:, None, :] + (weights[:, 1, None] * y)[:, :, None]
        found.append((place // ONE + center).reshape(len(x), -1).astype(np.int32))
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


LETTERS = "ABDEGHKMNP"
"""Each is a key of its own on the Label page, where C, F, R and S mean something else."""

TASK = Classification(classes=tuple(LETTERS))

TYPEFACES = (
    *("DejaVu Sans", "DejaVu Serif", "Liberation Sans Bold", "Liberation Serif", "Lato"),
    *("EB Garamond", "CMU Sans Serif", "Hack", "Comic Neue", "Quicksand"),
    *("Courier Prime", "Courier Prime Bold", "Vollkorn Black", "CMU Typewriter", "EB Garamond Italic"),
    "Kaushan Script",
)
"""Of the masters, in their order; their licenses are in glyph_files/TYPEFACES.md."""

TRAINED = 10
"""The first of them, which the networks were trained on."""

COUNT = 10_000
SEED = 2

FINGERPRINTS = {
    40: "216aade3edfa21a08c9b57d076f91c6c",
    45: "7538c7a96b85c1f4f38409aff5a6e383",
    50: "315da0429b62715c4fc149b633a2023f",
    55: "29e53da357b4d7c80445ed7a76eb576b",
    60: "5cc4b800842e4bf04d20797cdaa272a5",
    65: "d7d73c10f1261a0cb34d02dec88942b0",
    70: "e7a7809e2ee032478828e17540ce8b88",
    75: "ddb9d7c80d832f77aebe117c1d8b9e22",
    80: "f94812cdc5c82c8a057706647a16c510",
    85: "cda2f001911720350e1c1cd7a411a13a",
    90: "98898f47959c30d994ef4a726a511a63",
    95: "685a8a0b054083600b2d0920a3a55772",
    100: "6893881c4d24cc3c6423dbe3ca3f9773",
}
"""Fingerprint of all pictures by level, in percent; the same on every machine, so none has to be drawn for it."""

LEVELS = tuple(FINGERPRINTS)
DEFAULT_LEVEL = 65

KEPT = 1_024
"""Of the pictures drawn last: pages ask for the same ones again and again, and each takes under 1 KB."""

WEIGHTS = "lenet-5.safetensors"


def open_glyphs(folder: Path, progress: Progress = silent, *, level: int = DEFAULT_LEVEL) -> Subject:  # noqa: ARG001 - as of every demo
    """The demo as a subject with known truth, its letters strayed to ``level`` percent, one of ``LEVELS``.

    Nothing is trained and ``folder`` is left alone: the weights come with the program, and a letter is drawn when it is asked
    for, the same on every machine. Each level is a subject of its own; row i is the same letter in the same
    typeface at all of them. BadInput for another level.
    """
    if level not in LEVELS:
        raise BadInput(
            f"There is no shift of {level / 100:g}. Expected one from {LEVELS[0] / 100:g} to {LEVELS[-1] / 100:g} in steps "
            "of 0.05. Choose one of these."
        )
    glyphs = operational(level)
    dataset = GlyphPictures(glyphs, FINGERPRINTS[level])
    progress(1, 1, "choosing the letters")
    found = fingerprint.of_bytes(shipped(WEIGHTS))
    return Subject(
        key=key_of(level),
        name="Letters, LeNet-5" if level == DEFAULT_LEVEL else f"Letters, LeNet-5, shift {level / 100:.2f}",
        task=TASK,
        dataset=dataset,
        fingerprint=fingerprint.of_bytes(found.encode(), dataset.fingerprint.encode(), repr(TASK).encode()),
        model_fingerprint=found,
        open_model=open_network,
        truth=glyphs.letters,
        facts=(
            ("inputs", f"{commas(COUNT)} pictures of {SIDE} x {SIDE} pixels in {len(TYPEFACES)} typefaces"),
            ("shift", f"{level / 100:.2f}: how far they are turned, slanted, thickened, faded and noisy"),
            ("trained on", f"{commas(20_000)} letters at shift 0.70 in {TRAINED} of the typefaces"),
            ("not trained on", ", ".join(TYPEFACES[TRAINED:])),
            ("network", "LeNet-5: two convolutions and three dense layers, PyTorch"),
        ),
    )


def key_of(level: int) -> str:
    """The key of the demo at that level.

    >>> key_of(65), key_of(80)
    ('glyphs', 'glyphs-80')
    """
    return "glyphs" if level == DEFAULT_LEVEL else f"glyphs-{level}"


def operational(level: int) -> Glyphs:
    """The 10,000 letters at that level."""
    return Glyphs(read_masters(), COUNT, level=level, fonts=np.arange(len(TYPEFACES)), seed=SEED)


def shipped(name: str) -> bytes:
    """The content of a file that comes with the program."""
    return files("testimate.demos").joinpath("glyph_files", name).read_bytes()


def open_network() -> Model:
    """The demo's network, without the first layer's maps: 188 MB at each level, which nothing here needs."""
    model = network_of(weights_in(WEIGHTS), "lenet-5", fingerprint.of_bytes(shipped(WEIGHTS)))
    model.roles = {role: layer for role, layer in model.roles.items() if role != "FL"}
    return model


def weights_in(name: str) -> Mapping[str, NDArray[Any]]:
    """The weights in a shipped file, layer after layer."""
    return arrays_in(shipped(name))


def network_of(weights: Mapping[str, NDArray[Any]], architecture: str, digest: str) -> Model:
    """The known network with these weights, for pictures of the demo: by PyTorch where that is installed, else in arrays."""
    example = np.zeros((1, 1, SIDE, SIDE), dtype=np.float32)
    if not is_there("torch"):
        layers = layers_of(fitted_network(weights, architecture, SIDE))
        return GraphModel(ArrayGraph(layers, example.shape[1:]), fingerprint=digest, example=example)
    import torch

    from testimate.models.torch_graph import TorchModel, build

    tensors = {name: torch.from_numpy(weight) for name, weight in weights.items()}
    return TorchModel(build(tensors, architecture, SIDE).module, example=example, fingerprint=digest)


class GlyphPictures:
    """The pictures of the ``glyphs``, drawn when they are asked for; ``fingerprint`` : of them all, as they are known to be."""

    modality: Modality = "image"

    def __init__(self, glyphs: Glyphs, fingerprint: str) -> None:
        self.glyphs, self.fingerprint = glyphs, fingerprint
        self._png = lru_cache(maxsize=KEPT)(self._drawn)

    def __len__(self) -> int:
        return len(self.glyphs)

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The pictures of these rows, (len(rows), 1, 28, 28) float32, 0 = paper to 1 = ink."""
        pictures = self.glyphs.drawn(np.asarray(rows))[:, None]
        return np.divide(pictures, np.float32(255), dtype=np.float32)

    def show(self, row: int) -> Shown:
        """The picture as PNG, dark ink on white paper, pixel for pixel; BadInput where there is no such row."""
        if not 0 <= row < len(self):
            raise BadInput(f"There is no row {row}. Expected one from 0 to {len(self) - 1}. Choose another.")
        return Shown(modality="image", image=self._png(int(row)))

    def _drawn(self, row: int) -> bytes:
        (ink,) = self.glyphs.drawn(np.array([row]))
        return gray_png(255 - ink)
