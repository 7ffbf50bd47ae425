"""How long it takes to show where a network looked: squares of one picture covered, the model asked in its confined process.

`python -m benchmarks occlusion` writes two small ONNX files, LeNet-5's layers for 28 x 28 and ResNet-18's for 224 x 224, with
weights drawn at random, and explains pictures of noise. What they say means nothing; the work is that of trained weights.
"""

import statistics
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

SEED, INPUTS, ROUNDS = 0, 64, 3
SMALL_TARGET = 1.0
"""Seconds for one picture of 28 x 28."""


def main() -> None:
    """Prints the table."""
    print("## Occlusion: where a network looked at one picture\n")
    print(
        f"Seconds on the clock, the median of {ROUNDS} pictures, the model loaded; the model runs in its own process."
    )
    print(
        "Copies: the input with a square covered. Progress is shown after each batch, and there the work can be stopped.\n"
    )
    print("| picture, network | copies | seconds | seconds to the first progress | progress shown | target |")
    print("|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        print(_row("1 x 28 x 28, LeNet-5", lenet(Path(folder, "lenet.onnx")), (1, 28, 28), f"{SMALL_TARGET:g}"))
        print(_row("3 x 224 x 224, ResNet-18", resnet(Path(folder, "resnet.onnx")), (3, 224, 224), "progress"))


def _row(name: str, path: Path, shape: tuple[int, ...], target: str) -> str:
    from testimate.models import open_model_file
    from testimate.models.description import ModelDescription
    from testimate.subjects.occlusion import explain

    opened = open_model_file(ModelDescription(path)).model
    made = _subject(np.random.default_rng(SEED).random((INPUTS, *shape), dtype=np.float32), opened)
    seconds, first, copies, reports = [], [], [], []
    try:
        opened.run(made.dataset.batch(np.array([0])), list(opened.layers))  # what is loaded once is not counted
        for row in range(ROUNDS):
            times: list[float] = []
            begun = time.perf_counter()
            found = explain(made, row, progress=lambda *_, times=times: times.append(time.perf_counter()))
            seconds.append(time.perf_counter() - begun)
            first.append(times[1] - begun)  # the first is of the input as it is
            copies.append(found.runs)
            reports.append(len(times))
    finally:
        opened.close()
    middle = [statistics.median(one) for one in (copies, seconds, first, reports)]
    return f"| {name} | {middle[0]:.0f} | {middle[1]:.2f} | {middle[2]:.2f} | {middle[3]:.0f} times | {target} |"


def _subject(pictures: NDArray[np.float32], model: Any) -> Any:
    """What `explain` asks of a subject: pictures, ten classes, and the model."""
    from testimate.tasks.classification import Classification

    return SimpleNamespace(
        dataset=_Pictures(pictures),
        task=Classification(tuple("0123456789")),
        open_model=lambda: SimpleNamespace(roles={"CON": "said"}, layers=["said"], run=model.run),
    )


class _Pictures:
    """A dataset of pictures, (n, channels, height, width), which nobody looks at."""

    modality = "image"

    def __init__(self, pictures: NDArray[np.float32]) -> None:
        self._pictures = pictures

    def __len__(self) -> int:
        return len(self._pictures)

    def batch(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """As the network takes them."""
        return self._pictures[rows]

    def show(self, _row: int) -> Any:
        """Nothing to see."""
        from testimate.core.subject import Shown

        return Shown("image", image=b"")


class _Layers:
    """Nodes and weights of a network that is written from front to back."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self._rng = np.random.default_rng(SEED)

    def add(self, kind: str, *inputs: str, **settings: Any) -> str:
        """A node of that kind; returns its output's name."""
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **settings))
        return name

    def weight(self, *shape: int) -> str:
        """Weights that keep the size of what goes through (He et al. 2015)."""
        name = f"w{len(self.weights)}"
        drawn = self._rng.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape).astype(np.float32)
        self.weights.append(numpy_helper.from_array(drawn, name))
        return name

    def convolved(self, x: str, into: int, out: int, side: int, stride: int = 1, pad: int | None = None) -> str:
        """A convolution with a square kernel."""
        edge = side // 2 if pad is None else pad
        return self.add("Conv", x, self.weight(out, into, side, side), strides=[stride] * 2, pads=[edge] * 4)

    def save(self, path: Path, said: str, shape: tuple[int, ...]) -> Path:
        """Writes the network with the softmax of its scores as its output."""
        self.nodes.append(helper.make_node("Softmax", [said], ["said"], axis=1))
        graph = helper.make_graph(
            self.nodes,
            "network",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", *shape])],
            [helper.make_tensor_value_info("said", TensorProto.FLOAT, ["n", 10])],
            self.weights,
        )
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10), str(path))
        return path


def lenet(path: Path) -> Path:
    """LeNet-5's layers (LeCun et al. 1998) with ReLU and largest values, for 28 x 28."""
    net = _Layers()
    x = net.add("Relu", net.convolved("x", 1, 6, 5))
    x = net.add("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = net.add("Relu", net.convolved(x, 6, 16, 5, pad=0))
    x = net.add("Flatten", net.add("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]))
    for into, out in ((400, 120), (120, 84)):
        x = net.add("Relu", net.add("Gemm", x, net.weight(out, into), transB=1))
    return net.save(path, net.add("Gemm", x, net.weight(10, 84), transB=1), (1, 28, 28))


def resnet(path: Path) -> Path:
    """ResNet-18's layers (He et al. 2016, table 1), normalization folded away, for 224 x 224."""
    net = _Layers()
    x = net.add("Relu", net.convolved("x", 3, 64, 7, stride=2))
    x = net.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    into = 64
    for out in (64, 128, 256, 512):
        for block in range(2):
            stride = 2 if block == 0 and out != 64 else 1
            straight = x if into == out else net.convolved(x, into, out, 1, stride)
            y = net.add("Relu", net.convolved(x, into, out, 3, stride))
            x = net.add("Relu", net.add("Add", net.convolved(y, out, out, 3), straight))
            into = out
    x = net.add("Flatten", net.add("GlobalAveragePool", x))
    return net.save(path, net.add("Gemm", x, net.weight(10, 512), transB=1), (3, 224, 224))
