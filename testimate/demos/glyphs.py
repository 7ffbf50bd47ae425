"""The demo "glyphs": letters drawn in sixteen typefaces, and a LeNet-5 that was trained on ten of them."""

from collections.abc import Mapping
from functools import lru_cache
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
from testimate.core.words import spaced
from testimate.demos.array_network import ArrayGraph, arrays_in, layers_of
from testimate.demos.glyph_drawing import SIDE, Glyphs, read_masters
from testimate.demos.png import grey_png
from testimate.models.graph import GraphModel
from testimate.models.known_networks import fitted_network
from testimate.tasks.classification import Classification

LETTERS = "ABDEGHKMNP"
"""Each is a key of its own on the Label page, where C, F, R and S mean something else."""

TASK = Classification(classes=tuple(LETTERS))

TYPEFACES = (
    *("DejaVu Sans", "DejaVu Serif", "Liberation Sans Bold", "Liberation Serif", "Lato"),
    *("EB Garamond", "CMU Sans Serif", "Hack", "Comic Neue", "Quicksand"),
    *("Courier Prime", "Courier Prime Bold", "Vollkorn Black", "CMU Typewriter", "EB Garamond Italic"),
    "Kaushan Script",
)
"""Of the masters, in their order; their licences are in glyph_files/TYPEFACES.md."""

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
            f"There is no shift of {level / 100:g}; expected one from {LEVELS[0] / 100:g} to {LEVELS[-1] / 100:g} in steps "
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
            ("inputs", f"{spaced(COUNT)} pictures of {SIDE} x {SIDE} pixels in {len(TYPEFACES)} typefaces"),
            ("shift", f"{level / 100:.2f}: how far they are turned, slanted, thickened, faded and noisy"),
            ("trained on", f"{spaced(20_000)} letters at shift 0.70 in {TRAINED} of the typefaces"),
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
            raise BadInput(f"There is no row {row}; expected one from 0 to {len(self) - 1}. Choose another.")
        return Shown(modality="image", image=self._png(int(row)))

    def _drawn(self, row: int) -> bytes:
        (ink,) = self.glyphs.drawn(np.array([row]))
        return grey_png(255 - ink)
