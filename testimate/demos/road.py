"""The demo "road": pictures of roads by day and night, and a network that has learned to steer by day.

Road scenes as a dataset: a small gray picture for the network, a large one with a ruler for the tester, kept on disk.
"""

import contextlib
import io
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.files import replace_file
from testimate.core.plug_ins import is_there
from testimate.core.progress import Progress, silent
from testimate.core.subject import Modality, Model, Shown, Subject
from testimate.core.words import commas
from testimate.demos.array_network import ArrayGraph, Layer, arrays_in, convolution, dense, evened, flattened, rectified
from testimate.demos.road_drawing import (
    AHEAD,
    CAMERA,
    CONDITIONS,
    FARTHEST,
    FOCAL,
    HORIZON,
    LANE,
    SIDEWAYS,
    Scenes,
    draw,
    gray,
    scenes,
)
from testimate.models.graph import GraphModel
from testimate.tasks.regression import Regression

if TYPE_CHECKING:
    from torch import nn


DRAWING = b"road 1"
"""Name of the way of drawing; another one gets another name, and with it the pictures another fingerprint."""

VIEW = "view-1"
"""Name of the way a view is drawn and ruled; another one gets another name, and views that were kept are drawn again."""

HEIGHT, CUT = 40, 14
"""Rows of the camera's picture as the network gets it, and how many of them from above, mostly sky, are cut off."""

SHOWN_HEIGHT = 240
"""Rows of the same view as a tester sees it."""

KEPT = 256
"""Of the views drawn last; a page asks for the same ones again and again, and each takes some 50 ms and 60 KB."""

NUMBERED, LONGER = 10, 5
"""Degrees between two numbers of the ruler, and between two of its longer marks."""

REACH = 35
"""Degrees to either side: beyond what can be steered, so that the lane's marks lie on the ruler too."""

COLORS = 192
"""Of the picture: a third of the bytes of one in all its colors, and looks the same."""

MOST = 1_000
"""Views kept in a folder: of the road about 50 MB, and more than a session looks at; the others are drawn every time."""


class RoadPictures:
    """The pictures of the ``scenes``, drawn when they are asked for; ``folder`` : to keep the views in that were looked at."""

    modality: Modality = "image"

    def __init__(self, scenes: Scenes, folder: Path | None = None) -> None:
        self.scenes = scenes
        self.fingerprint = fingerprint.of_bytes(DRAWING, scenes.fingerprint.encode())
        view = self._drawn if folder is None else KeptViews(folder / self.fingerprint / VIEW, self._drawn).view
        self._png = lru_cache(maxsize=KEPT)(view)

    def __len__(self) -> int:
        return len(self.scenes)

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The pictures of these rows, gray and without most of the sky, (len(rows), 1, 26, 80) float32 from 0 to 1."""
        pictures = gray(draw(self.scenes[np.asarray(rows)], HEIGHT, CUT))[:, None]
        return np.divide(pictures, np.float32(255), dtype=np.float32)

    def glances(self, rows: NDArray[np.intp]) -> NDArray[np.uint8]:
        """The whole views of these rows, small and without the ruler, (len(rows), 40, 80, 3)."""
        return draw(self.scenes[np.asarray(rows)], HEIGHT)

    def show(self, row: int) -> Shown:
        """The whole view in color, with a ruler of angles; BadInput where there is no such row."""
        if not 0 <= row < len(self):
            raise BadInput(f"There is no row {row}. Expected one from 0 to {len(self) - 1}. Choose another.")
        return Shown(modality="image", image=self._png(int(row)))

    def _drawn(self, row: int) -> bytes:
        (picture,) = draw(self.scenes[np.array([row])], SHOWN_HEIGHT)
        return ruled_png(picture)


def ruled_png(picture: NDArray[np.uint8]) -> bytes:
    """The picture (height, 2 * height, 3) as PNG with the ruler across the road, ``AHEAD`` meters ahead."""
    from PIL import Image, ImageDraw, ImageFont

    height = len(picture)
    image = Image.fromarray(picture)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(height / 18)
    ends = [place_of(degrees, height) for degrees in (-REACH, REACH)]
    y = round(ends[0][1])
    pen.line([(ends[0][0], y + 1), (ends[1][0], y + 1)], fill=(0, 0, 0))
    pen.line([(ends[0][0], y), (ends[1][0], y)], fill=(255, 255, 255))
    for degrees in range(-REACH, REACH + 1):
        x = round(place_of(degrees, height)[0])
        long = height // 40 if degrees % LONGER == 0 else height // 100
        pen.line([(x + 1, y - long), (x + 1, y + long)], fill=(0, 0, 0))
        pen.line([(x, y - long), (x, y + long)], fill=(255, 255, 255))
        if degrees % NUMBERED == 0:
            at = (x, y + height // 25)
            pen.text(
                at, f"{degrees}", font=font, anchor="mt", fill=(255, 255, 255), stroke_width=1, stroke_fill=(0, 0, 0)
            )
    file = io.BytesIO()
    image.quantize(COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(file, "PNG")
    return file.getvalue()


def place_of(degrees: float, height: int) -> tuple[float, float]:
    """Where the middle of the lane is in a picture of that height when that steering angle is right, across and down.

    >>> place_of(0, 100)
    (100.0, 59.28...)
    """
    scale = FOCAL * height / AHEAD  # pixels a meter spans there
    return height + degrees / FARTHEST * SIDEWAYS * scale, HORIZON * height + CAMERA * scale


class KeptViews:
    """Views by row, as files; a view that is missing or damaged is drawn and kept.

    A folder that cannot be written is not an error: the views are then drawn every time.

    Parameters
    ----------
    folder : of views that are all drawn in the same way; made when one is kept. draw : the view of a row, as PNG.
    """

    def __init__(self, folder: Path, draw: Callable[[int], bytes]) -> None:
        self._folder, self._draw = folder, draw
        self._digests: dict[int, str] | None = None

    def view(self, row: int) -> bytes:
        """The view of that row, as PNG."""
        if self._digests is None:
            self._digests = {}
            for path in self._folder.glob("*-*.png"):
                number, _, digest = path.stem.partition("-")
                if number.isdecimal():
                    self._digests[int(number)] = digest
        kept = self._read(row, self._digests.get(row, ""))
        if kept is not None:
            return kept
        drawn = self._draw(row)
        if row in self._digests or len(self._digests) < MOST:
            self._digests[row] = digest = fingerprint.of_bytes(drawn)
            self._keep(self._path(row, digest), drawn)
        return drawn

    def _path(self, row: int, digest: str) -> Path:
        return self._folder / f"{row}-{digest}.png"

    def _read(self, row: int, digest: str) -> bytes | None:
        if not digest:
            return None
        try:
            content = self._path(row, digest).read_bytes()
        except OSError:  # unreadable is as good as damaged: drawn again
            return None
        return content if fingerprint.of_bytes(content) == digest else None

    def _keep(self, path: Path, content: bytes) -> None:
        """Writes the view whole or not at all; not flushed, because one that a power cut takes is drawn again."""
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, content, flushed=False)


TASK = Regression(
    tolerance=6.0,
    unit="degrees",
    scale=2 * FARTHEST,  # the farthest it can be off: the loss is then from 0 to 1, as that of a class
    loss_bound=1.0,
    answers=(-FARTHEST, FARTHEST),
)

COUNT, SHARES, SEED = 5_614, (0.40, 0.15, 0.12, 0.15, 0.18), 2
"""Of the operational pictures: as many as DeepSample's driving data; the shares are of ``CONDITIONS`` in their order."""

TRAINING_COUNT, TRAINING_SHARES, TRAINING_SEED = 6_000, (0.60, 0.18, 0.06, 0.16, 0.0), 1
"""Of the pictures the network was trained on: none of them by night."""

WEIGHTS = "road.safetensors"

CONVOLUTIONS = {"conv1": 2, "conv2": 1, "conv3": 1}
"""The network's convolutions with their padding; each takes every second place."""

HIDDEN = 32
"""Width of the network's first dense layer."""


def open_road(folder: Path, progress: Progress = silent) -> Subject:
    """The demo as a subject with known truth, and the pictures its network was trained on.

    Nothing is trained: the weights come with the program, and a picture is drawn when it is asked for, the same on every
    machine. ``folder/demos/road/`` keeps the views that were looked at.
    """
    operational, training = scenes(COUNT, SHARES, SEED), scenes(TRAINING_COUNT, TRAINING_SHARES, TRAINING_SEED)
    dataset, trained = RoadPictures(operational, folder / "demos" / "road"), RoadPictures(training)
    found = fingerprint.of_bytes(shipped_weights())
    counts = np.bincount(operational.conditions, minlength=len(CONDITIONS))
    known = np.bincount(training.conditions, minlength=len(CONDITIONS))
    progress(1, 1, "choosing the scenes")
    return Subject(
        key="road",
        name="Road, steering by a small CNN",
        task=TASK,
        dataset=dataset,
        fingerprint=fingerprint.of_bytes(found.encode(), dataset.fingerprint.encode(), repr(TASK).encode()),
        model_fingerprint=found,
        open_model=open_network,
        truth=operational.angles,
        training=trained,
        training_truth=training.angles,
        facts=(
            ("inputs", f"{commas(COUNT)} pictures of roads: {_in_words(counts)}"),
            ("answer", f"the number on the ruler, {AHEAD:g} m ahead, in the middle of the right lane; left is below 0"),
            (
                "how to read it",
                f"where the right mark crosses the ruler, less {LANE / SIDEWAYS * FARTHEST:.0f}: half a lane",
            ),
            ("failure", f"more than {TASK.tolerance:g} degrees off"),
            ("loss", f"the square of the error as a share of {TASK.scale:g} degrees, from one end to the other"),
            ("the network gets", f"the same view, gray, {HEIGHT - CUT} x {2 * HEIGHT} pixels from the horizon down"),
            ("trained on", f"{commas(TRAINING_COUNT)} other pictures: {_in_words(known)}"),
            ("network", "three convolutions and two dense layers, PyTorch"),
        ),
    )


def _in_words(counts: NDArray[np.intp]) -> str:
    return ", ".join(f"{commas(count)} {name}" for name, count in zip(CONDITIONS, counts.tolist(), strict=True))


def shipped_weights() -> bytes:
    """The content of the file of weights that comes with the program."""
    return files("testimate.demos").joinpath("road_files", WEIGHTS).read_bytes()


def open_network() -> Model:
    """The demo's network, without the first layer's maps, which nothing here needs."""
    content = shipped_weights()
    example, digest = RoadPictures(scenes(2, SHARES, SEED)).batch(np.arange(2)), fingerprint.of_bytes(content)
    model = _network_in_torch(content, example, digest) if is_there("torch") else _in_arrays(content, example, digest)
    model.roles = {role: layer for role, layer in model.roles.items() if role != "FL"}
    return model


def _network_in_torch(content: bytes, example: NDArray[np.float32], digest: str) -> GraphModel:
    import torch

    from testimate.models.torch_graph import TorchModel

    module = network(HEIGHT - CUT, 2 * HEIGHT, FARTHEST)
    module.load_state_dict({name: torch.from_numpy(weight).float() for name, weight in arrays_in(content).items()})
    return TorchModel(module, example=example, fingerprint=digest)


def _in_arrays(content: bytes, example: NDArray[np.float32], digest: str) -> GraphModel:
    """The same network where PyTorch is not installed; the layers are those of ``network``, by its names."""
    weights = arrays_in(content)
    own = {name: (weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in (*CONVOLUTIONS, "dense1", "dense2")}
    layers = [Layer("evened", evened)]
    for place, (name, padding) in enumerate(CONVOLUTIONS.items(), 1):
        layers += [convolution(name, *own[name], stride=2, padding=padding), Layer(f"act{place}", rectified)]
    layers += [Layer("flat", flattened, "pass"), dense("dense1", *own["dense1"]), Layer("act4", rectified)]
    layers += [dense("dense2", *own["dense2"]), Layer("ends", lambda x: np.clip(x, -FARTHEST, FARTHEST))]
    return GraphModel(ArrayGraph(layers, example.shape[1:]), fingerprint=digest, example=example)


def network(height: int, width: int, farthest: float) -> "nn.Sequential":
    """For gray pictures of ``height`` x ``width`` pixels, whose brightness and contrast it evens out first.

    It says degrees from ``-farthest`` to ``farthest``; in training, where the ends would stop all learning, leave the last
    part out.
    """
    from torch import nn

    flat = 24 * halved(height, 3) * halved(width, 3)
    parts = (
        *(("evened", nn.InstanceNorm2d(1)), ("conv1", nn.Conv2d(1, 8, 5, stride=2, padding=2)), ("act1", nn.ReLU())),
        *(("conv2", nn.Conv2d(8, 16, 3, stride=2, padding=1)), ("act2", nn.ReLU())),
        *(("conv3", nn.Conv2d(16, 24, 3, stride=2, padding=1)), ("act3", nn.ReLU()), ("flat", nn.Flatten())),
        *(("dense1", nn.Linear(flat, HIDDEN)), ("act4", nn.ReLU()), ("dense2", nn.Linear(HIDDEN, 1))),
        ("ends", nn.Hardtanh(-farthest, farthest)),
    )
    return nn.Sequential(OrderedDict(parts))


def halved(length: int, times: int) -> int:
    """A side after that many convolutions that take every second place.

    >>> halved(26, 3)
    4
    """
    for _ in range(times):
        length = (length + 1) // 2
    return length
