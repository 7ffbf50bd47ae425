"""The demo "glyphs": letters drawn in sixteen typefaces, and a LeNet-5 that was trained on ten of them."""

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent
from testimate.core.subject import Model, Subject
from testimate.core.task import Classification
from testimate.subjects.glyph_drawing import SIDE, Glyphs, draw, read_masters
from testimate.subjects.grey_pictures import GreyPictures

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch

LETTERS = "ABDEGHKMNP"
"""Each is a key of its own on the Label page, where C, F, R and S mean something else."""

TASK = Classification(classes=tuple(LETTERS))

TYPEFACES = (
    *("DejaVu Sans", "DejaVu Serif", "Liberation Sans Bold", "Liberation Serif", "Lato"),
    *("EB Garamond", "CMU Sans Serif", "Hack", "Comic Neue", "Quicksand"),
    *("Courier Prime", "Courier Prime Bold", "Vollkorn Black", "CMU Typewriter", "EB Garamond Italic"),
    "Kaushan Script",
)
"""Of the masters, in their order; their licences stand in glyph_files/TYPEFACES.md."""

TRAINED = 10
"""The first of them, which the networks were trained on."""

COUNT = 10_000
SEED = 2

LEVELS = tuple(range(40, 101, 5))
"""How far the letters stray from print, in percent."""
DEFAULT_LEVEL = 65

WEIGHTS = "lenet-5.safetensors"


def open_glyphs(folder: Path, progress: Progress = silent, *, level: int = DEFAULT_LEVEL) -> Subject:  # noqa: ARG001 - as of every demo
    """The demo as a subject with known truth, its letters strayed to ``level`` percent, one of ``LEVELS``.

    Nothing is trained and ``folder`` is left alone: the weights come with the program and the letters are drawn anew, in
    about a second and the same on every machine. Each level is a subject of its own; row i is the same letter in the same
    typeface at all of them. BadInput for another level.
    """
    if level not in LEVELS:
        raise BadInput(
            f"There is no shift of {level / 100:g}; needed is one from {LEVELS[0] / 100:g} to {LEVELS[-1] / 100:g} in steps "
            "of 0.05. Choose one of these."
        )
    progress(0, 1, "drawing the letters")
    glyphs = operational(level)
    dataset = GreyPictures(np.divide(glyphs.images, np.float32(255), dtype=np.float32))
    progress(1, 1, "drawing the letters")
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
            ("inputs", f"{COUNT:,} pictures of {SIDE} x {SIDE} pixels in {len(TYPEFACES)} typefaces"),
            ("shift", f"{level / 100:.2f}: how far they are turned, slanted, thickened, faded and noisy"),
            ("trained on", f"20,000 letters at shift 0.70 in {TRAINED} of the typefaces"),
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
    return draw(read_masters(), COUNT, level=level, fonts=np.arange(len(TYPEFACES)), seed=SEED)


def shipped(name: str) -> bytes:
    """The content of a file that comes with the program."""
    return files("testimate.subjects").joinpath("glyph_files", name).read_bytes()


def open_network() -> Model:
    """The demo's network, without the first layer's maps: 188 MB at each level, which nothing here needs."""
    model = network_of(weights_in(WEIGHTS), "lenet-5", fingerprint.of_bytes(shipped(WEIGHTS)))
    model.roles = {role: layer for role, layer in model.roles.items() if role != "FL"}
    return model


def weights_in(name: str) -> "Mapping[str, torch.Tensor]":
    """The weights in a shipped file, layer after layer."""
    import safetensors.torch

    return dict(sorted(safetensors.torch.load(shipped(name)).items()))


def network_of(weights: "Mapping[str, torch.Tensor]", architecture: str, digest: str) -> Model:
    """The known network with these weights, for pictures of the demo."""
    from testimate.subjects.models.architectures import build
    from testimate.subjects.models.torch_model import TorchModel

    example = np.zeros((1, 1, SIDE, SIDE), dtype=np.float32)
    return TorchModel(build(weights, architecture, SIDE).module, example=example, fingerprint=digest)
