"""A tester's own files: a small ONNX network whose outputs numpy can say, and arrays for it to run on."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from testimate.models.description import ModelDescription
from testimate.models.facts import ModelFacts
from testimate.subjects.uploaded_subject import SubjectDescription, UploadedSubject, open_uploaded_subject


@dataclass(frozen=True)
class OwnFiles:
    """The network's file, the dataset's with a training split, and what is in them.

    ``x``, ``y`` : 60 operational inputs of width 4 and their classes of 3; ``x_train``, ``y_train`` : 90 of the training set.
    """

    model: Path
    dataset: Path
    first: NDArray[np.float32]
    last: NDArray[np.float32]
    x: NDArray[np.float32]
    y: NDArray[np.intp]
    x_train: NDArray[np.float32]
    y_train: NDArray[np.intp]

    def hidden(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.maximum(x @ self.first, 0)

    def probabilities(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        logits = self.hidden(x) @ self.last
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True)


PICTURE_FACTS = ModelFacts(
    parameters=1,
    layers=("(input)", "p"),
    roles={"CON": "p"},
    widths={"CON": 2},
    input_shape=(1, 5, 5),
    input_type="float32",
    channels="first",
    output="probabilities",
    classes=2,
)
"""What is known of a model of two classes that takes pictures of 5 x 5 pixels."""


def write_network(path: Path, first: NDArray[np.float32], last: NDArray[np.float32], closing: str | None) -> Path:
    """x @ first, ReLU, @ last, and the closing operation, where there is one."""
    nodes = [
        helper.make_node("MatMul", ["x", "first"], ["a"]),
        helper.make_node("Relu", ["a"], ["hidden"]),
        helper.make_node("MatMul", ["hidden", "last"], ["logits" if closing else "y"]),
    ]
    if closing:
        nodes.append(helper.make_node(closing, ["logits"], ["y"]))
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", first.shape[0]])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", last.shape[1]])],
        [numpy_helper.from_array(first, "first"), numpy_helper.from_array(last, "last")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def write_own_files(folder: Path) -> OwnFiles:
    """A network and its data in a folder; every fifth of the labels is another class than the network says."""
    rng = np.random.default_rng(5)
    first, last = rng.normal(size=(4, 6)).astype(np.float32), rng.normal(size=(6, 3)).astype(np.float32)
    x, x_train = rng.normal(size=(60, 4)).astype(np.float32), rng.normal(size=(90, 4)).astype(np.float32)
    model = write_network(folder / "network.onnx", first, last, "Softmax")
    files = OwnFiles(model, folder / "data.npz", first, last, x, np.array([]), x_train, np.array([]))
    y, y_train = (files.probabilities(part).argmax(axis=1) for part in (x, x_train))
    y, y_train = (np.where(np.arange(len(part)) % 5 == 4, (part + 1) % 3, part) for part in (y, y_train))
    np.savez(files.dataset, x_test=x, y_test=y, x_train=x_train, y_train=y_train)
    return OwnFiles(model, files.dataset, first, last, x, y, x_train, y_train)


def described(model: Path, dataset: Path, **chosen: Any) -> SubjectDescription:
    """The description of two files, and what a test chose for them."""
    about_model = {name: chosen.pop(name) for name in ("output", "architecture", "roles") if name in chosen}
    return SubjectDescription(ModelDescription(model, **about_model), dataset, **chosen)


def open_files(model: Path, dataset: Path, **chosen: Any) -> UploadedSubject:
    """The subject of two files, opened as ``described``."""
    return open_uploaded_subject(described(model, dataset, **chosen))
