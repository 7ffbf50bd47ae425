"""The digits demo's network: its layers, its training, and its weights as bytes and back."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from testimate.core.errors import BadInput
from testimate.core.progress import Progress
from testimate.models.torch_graph import TorchModel

SEED, EPOCHS, BATCH, LEARNING_RATE = 0, 40, 32, 3e-3
BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8


def network() -> nn.Sequential:
    """Two convolutions and two dense layers for pictures of 8 x 8; about 2,400 weights."""
    return nn.Sequential(
        nn.Conv2d(1, 6, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(6, 12, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(48, 24),
        nn.ReLU(),
        nn.Linear(24, 10),
    )


def train(images: NDArray[np.float32], digits: NDArray[np.intp], progress: Progress) -> bytes:
    """Trains the network on (n, 8, 8) pictures and returns its state dict as a file's content.

    Seeded and on one thread, so that the same machine always learns the same weights; the caller's random numbers and
    threads are left as they were.
    """
    inputs = torch.tensor(images[:, None])  # (n, 1, 8, 8)
    targets = torch.tensor(digits, dtype=torch.int64)  # (n,)
    with torch.random.fork_rng(devices=[]), _one_thread():
        torch.manual_seed(SEED)
        module = network().train()
        weights = list(module.parameters())
        steps = Adam(weights)
        for epoch in range(EPOCHS):
            progress(epoch, EPOCHS, "training the network")
            for rows in torch.split(torch.randperm(len(inputs)), BATCH):
                loss = nn.functional.cross_entropy(module(inputs[rows]), targets[rows])
                steps.take(torch.autograd.grad(loss, weights))
        progress(EPOCHS, EPOCHS, "training the network")
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    return file.getvalue()


class Adam:
    """Adam as published (Kingma and Ba 2015, algorithm 1); torch.optim would import a compiler for seconds first."""

    def __init__(self, weights: Sequence[torch.Tensor]) -> None:
        self._weights = weights
        self._means = [torch.zeros_like(weight) for weight in weights]
        self._squares = [torch.zeros_like(weight) for weight in weights]
        self._count = 0

    @torch.no_grad()
    def take(self, gradients: Sequence[torch.Tensor]) -> None:
        """One step against the gradients, one for each of the weights."""
        self._count += 1
        for weight, gradient, mean, square in zip(self._weights, gradients, self._means, self._squares, strict=True):
            mean.mul_(BETA_1).add_((1 - BETA_1) * gradient)
            square.mul_(BETA_2).add_((1 - BETA_2) * gradient**2)
            unbiased_mean = mean / (1 - BETA_1**self._count)
            unbiased_square = square / (1 - BETA_2**self._count)
            weight -= LEARNING_RATE * unbiased_mean / (unbiased_square.sqrt() + EPSILON)


def load(content: bytes, example: NDArray[np.float32], fingerprint: str) -> TorchModel:
    """The network with these weights, read without running any code in them; BadInput where they do not fit."""
    module = network()
    try:
        module.load_state_dict(torch.load(io.BytesIO(content), weights_only=True))
    except Exception as error:  # torch raises RuntimeError, UnpicklingError, KeyError and others for a foreign file
        raise BadInput(
            f"The weights do not fit the digits network ({type(error).__name__}). Remove the file "
            "from the project's demos folder and open the demo again."
        ) from error
    return TorchModel(module, example=example, fingerprint=fingerprint)


@contextmanager
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
