"""The demo "road": pictures of roads by day and night, and a network that has learned to steer by day."""

from collections import OrderedDict
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.plug_ins import is_there
from testimate.core.progress import Progress, silent
from testimate.core.subject import Model, Subject
from testimate.core.words import spaced
from testimate.demos.array_network import ArrayGraph, Layer, arrays_in, convolution, dense, evened, flattened, rectified
from testimate.demos.road_pictures import CUT, HEIGHT, RoadPictures
from testimate.demos.road_scenes import AHEAD, CONDITIONS, FARTHEST, LANE, SIDEWAYS, scenes
from testimate.models.graph import GraphModel
from testimate.tasks.regression import Regression

if TYPE_CHECKING:
    from torch import nn

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
            ("inputs", f"{spaced(COUNT)} pictures of roads: {_in_words(counts)}"),
            ("answer", f"the number on the ruler, {AHEAD:g} m ahead, in the middle of the right lane; left is below 0"),
            (
                "how to read it",
                f"where the right mark crosses the ruler, less {LANE / SIDEWAYS * FARTHEST:.0f}: half a lane",
            ),
            ("failure", f"more than {TASK.tolerance:g} degrees off"),
            ("loss", f"the square of the error as a share of {TASK.scale:g} degrees, from one end to the other"),
            ("the network gets", f"the same view, grey, {HEIGHT - CUT} x {2 * HEIGHT} pixels from the horizon down"),
            ("trained on", f"{spaced(TRAINING_COUNT)} other pictures: {_in_words(known)}"),
            ("network", "three convolutions and two dense layers, PyTorch"),
        ),
    )


def _in_words(counts: NDArray[np.intp]) -> str:
    return ", ".join(f"{spaced(count)} {name}" for name, count in zip(CONDITIONS, counts.tolist(), strict=True))


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
    """For grey pictures of ``height`` x ``width`` pixels, whose brightness and contrast it evens out first.

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
