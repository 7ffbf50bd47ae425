"""What the tests of models share: one warm process, the Keras files, LeNet-5 of PACE as a PyTorch module, a canary."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import torch
from torch import nn

from testimate.core.stored_record import read_record
from testimate.models.confinement import Limits
from testimate.models.description import ModelDescription
from testimate.models.facts import ModelFacts
from testimate.models.file_content import read_content
from testimate.models.frames import Message
from testimate.models.kinds import kind_of
from testimate.models.worker_process import WorkerProcess

collect_ignore = ["keras_files.py"]  # a program of its own, which imports TensorFlow


class Warm:
    """One worker process that opens one file after another, so that frameworks start once."""

    def __init__(self, readable: Path) -> None:
        self._path = Path()
        self._choices: dict[str, Any] = {}
        self._process = WorkerProcess(self._opening, Limits(), [readable])

    def open(self, path: Path, *, example: np.ndarray | None = None, **choices: Any) -> ModelFacts:
        """Opens the file in the running process as ``open_model_file`` would in one of its own."""
        self._path, self._choices = path, {"example": example, **choices}
        answer = self._process.open() if self._process.process_id is None else self._process.ask(self._opening())
        return read_record(ModelFacts, answer.head["facts"])

    def run(self, batch: np.ndarray, layers: Sequence[str]) -> dict[str, np.ndarray]:
        return dict(zip(layers, self._process.ask(Message({"run": list(layers)}, [batch])).arrays, strict=True))

    def close(self) -> None:
        self._process.close()

    def _opening(self) -> Message:
        content = read_content(self._path)
        said = {
            "kind": kind_of(content.data, self._path),
            "trust": self._choices.get("trust", False),
            "fingerprint": content.digest[:32],
            "model": ModelDescription(
                self._path, output=self._choices.get("output"), architecture=self._choices.get("architecture")
            ).to_json(),
        }
        example = self._choices["example"]
        arrays = [np.frombuffer(data, dtype=np.uint8) for data in (content.data, content.tokenizer)]
        return Message({"open": said}, arrays if example is None else [*arrays, example])


@pytest.fixture(scope="session")
def warm(keras_files: Path) -> Iterator[Warm]:
    process = Warm(keras_files)
    yield process
    process.close()


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A place where a file that runs code would leave a mark."""
    return tmp_path / "canary"


@pytest.fixture(scope="session")
def mnist(real_data: Path) -> dict[str, np.ndarray]:
    """The 10,000 test pictures of MNIST from 0 to 1, and what they show."""
    with np.load(real_data / "mnist" / "mnist.npz") as data:
        return {"x": (data["x_test"] / 255).astype(np.float32), "y": data["y_test"]}


@pytest.fixture(scope="session")
def lenet5(real_data: Path) -> nn.Sequential:
    """PACE's LeNet-5 as a PyTorch module, its weights copied by hand from the Keras file."""
    net = nn.Sequential(
        *(nn.Conv2d(1, 8, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(8, 12, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
        *(nn.Linear(588, 128), nn.ReLU(), nn.Linear(128, 84), nn.ReLU(), nn.Linear(84, 10)),
    ).eval()
    names = {0: "block1_conv1", 3: "block2_conv1", 7: "fc1", 9: "fc2", 11: "before_softmax"}
    with h5py.File(real_data / "pace" / "LeNet-5.h5") as file, torch.no_grad():
        for place, name in names.items():
            weights = file["model_weights"][name][name]
            kernel = weights["kernel:0"][:]
            if name == "fc1":  # colors are last in Keras, first here
                kernel = kernel.reshape(7, 7, 12, 128).transpose(2, 0, 1, 3).reshape(588, 128)
            turned = kernel.transpose(3, 2, 0, 1) if kernel.ndim == 4 else kernel.T
            net[place].weight.copy_(torch.tensor(turned.copy()))
            net[place].bias.copy_(torch.tensor(weights["bias:0"][:]))
    return net
