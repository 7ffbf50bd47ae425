"""Reconstruction error of a small autoencoder, plain (SAE) or variational (VAE): how unlike the training inputs."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from testimate.core.checks import check_features
from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent

_SAE_CODE = 64  # numbers an input is squeezed into by the plain autoencoder
_VAE_HIDDEN, _VAE_CODE = 128, 16
_BATCH, _STEPS = 128, 2000
_RATE, _BETA_1, _BETA_2, _EPSILON = 1e-3, 0.9, 0.999, 1e-8  # Adam's, as published
_LOG_VARIANCE = 20.0  # of the code, at most: a training input far out would overflow its exponential
_EXTREME = 1e12  # scaled inputs are clipped to this, so that float32 results stay finite
_BLOCK = 4096

Loss = Callable[[Tensor], Tensor]


def sae(
    inputs: ArrayLike, training_inputs: ArrayLike, *, seed: int, progress: Progress = silent
) -> NDArray[np.float64]:
    """Reconstruction error of an autoencoder with a single hidden layer, trained on the training inputs.

    Stocco et al., "Misbehaviour prediction for autonomous driving systems", ICSE 2020, section 3.2; Guerriero et al.,
    "DeepSample", ICSE 2024, section 2.2.

    Parameters
    ----------
    inputs : (N, d) pixels, features or traces.
    training_inputs : (M, d) of the training set, in the same unit.
    seed : of the first weights and the order of training.

    Returns
    -------
    (N,) float64 above or equal to 0, finite; larger = more likely to fail. The mean squared error over the d numbers, in
    units of the mean variance of the training inputs' columns: 1 = as bad as guessing their mean.

    Raises
    ------
    BadInput : inputs not finite, or widths that differ.

    Notes
    -----
    64 hidden units, 2,000 batches of 128, Adam, on one thread of the CPU: the same machine gives the same scores, and a
    few seconds do for 60,000 pictures of 28 x 28. One scale for all columns: bring columns of different units to one first.
    """
    known, training = _scaled(inputs, training_inputs)
    with _quietly(seed):
        network = nn.Sequential(nn.Linear(known.shape[1], _SAE_CODE), nn.ReLU(), nn.Linear(_SAE_CODE, known.shape[1]))
        _train(list(network.parameters()), lambda batch: (network(batch) - batch).square().sum(1), training, progress)
        return _errors(network, known)


def vae(
    inputs: ArrayLike, training_inputs: ArrayLike, *, seed: int, progress: Progress = silent
) -> NDArray[np.float64]:
    """Reconstruction error of a variational autoencoder, trained on the training inputs; everything else as in ``sae``.

    Kingma and Welling, "Auto-encoding variational Bayes", ICLR 2014; 128 hidden units, 16 latent ones. The error is that
    of the latent mean's reconstruction, so that scoring draws nothing at random.
    """
    known, training = _scaled(inputs, training_inputs)
    with _quietly(seed):
        network = _Variational(known.shape[1])
        _train(list(network.parameters()), network.loss, training, progress)
        return _errors(network, known)


class _Variational(nn.Module):
    """Inputs to the mean and log variance of a normal code, and a code back to an input."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(width, _VAE_HIDDEN), nn.ReLU(), nn.Linear(_VAE_HIDDEN, 2 * _VAE_CODE))
        self.decoder = nn.Sequential(nn.Linear(_VAE_CODE, _VAE_HIDDEN), nn.ReLU(), nn.Linear(_VAE_HIDDEN, width))

    def forward(self, batch: Tensor) -> Tensor:
        mean: Tensor = self.encoder(batch)[:, :_VAE_CODE]
        decoded: Tensor = self.decoder(mean)
        return decoded

    def loss(self, batch: Tensor) -> Tensor:
        mean, log_variance = self.encoder(batch).chunk(2, dim=1)
        log_variance = log_variance.clamp(-_LOG_VARIANCE, _LOG_VARIANCE)
        code = mean + (log_variance / 2).exp() * torch.randn_like(mean)
        likelihood = (self.decoder(code) - batch).square().sum(1) / 2
        divergence = -(1 + log_variance - mean.square() - log_variance.exp()).sum(1) / 2  # Kingma and Welling, app. B
        total: Tensor = likelihood + divergence
        return total


def _scaled(inputs: ArrayLike, training_inputs: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Both around the training inputs' mean, in units of the root of the columns' mean variance, (N, d) and (M, d)."""
    known, training = check_features(inputs, "inputs"), check_features(training_inputs, "training inputs")
    if known.shape[1] != training.shape[1]:
        raise BadInput(
            f"The inputs are {known.shape[1]} wide and the training inputs {training.shape[1]}. Expected one width. "
            "Prepare both in the same way."
        )
    largest = np.abs(training).max() or 1.0  # divided first, so that no square overflows
    mean = (training / largest).mean(axis=0, dtype=np.float64)  # (d,)
    spread = float(np.sqrt((training / largest).var(axis=0, dtype=np.float64).mean())) or 1.0

    def scale(block: NDArray[np.floating]) -> NDArray[np.float32]:
        with np.errstate(over="ignore"):
            bounded = np.clip(block / largest, -_EXTREME, _EXTREME)
        scaled: NDArray[np.float32] = np.clip((bounded - mean) / spread, -_EXTREME, _EXTREME).astype(np.float32)
        return scaled

    return scale(known), scale(training)


def _train(weights: Sequence[Tensor], loss: Loss, training: NDArray[np.float32], progress: Progress) -> None:
    """Adam (Kingma and Ba 2015, algorithm 1) on random batches; torch.optim would import a compiler for seconds first."""
    points = torch.from_numpy(training)
    means, squares = [torch.zeros_like(weight) for weight in weights], [torch.zeros_like(weight) for weight in weights]
    for step, rows in enumerate(_batches(len(points)), start=1):
        if step % 100 == 1:
            progress(step - 1, _STEPS, "training the autoencoder")
        gradients = torch.autograd.grad(loss(points[rows]).mean(), weights)
        with torch.no_grad():
            for weight, gradient, mean, square in zip(weights, gradients, means, squares, strict=True):
                mean.mul_(_BETA_1).add_(gradient, alpha=1 - _BETA_1)
                square.mul_(_BETA_2).addcmul_(gradient, gradient, value=1 - _BETA_2)
                unbiased = (square / (1 - _BETA_2**step)).sqrt_().add_(_EPSILON)
                weight.addcdiv_(mean, unbiased, value=-_RATE / (1 - _BETA_1**step))
    progress(_STEPS, _STEPS, "training the autoencoder")


def _batches(size: int) -> Iterator[Tensor]:
    """Row numbers of ``_STEPS`` batches, every row once before any comes again."""
    left = _STEPS
    while left:
        order = torch.randperm(size)
        for top in range(0, min(size, left * _BATCH), _BATCH):
            left -= 1
            yield order[top : top + _BATCH]


@torch.no_grad()
def _errors(network: nn.Module, known: NDArray[np.float32]) -> NDArray[np.float64]:
    errors = np.empty(len(known))
    for top in range(0, len(known), _BLOCK):
        block = torch.from_numpy(known[top : top + _BLOCK])
        errors[top : top + _BLOCK] = (network(block).double() - block.double()).square().mean(1).numpy()
    return errors


@contextmanager
def _quietly(seed: int) -> Iterator[None]:
    """One thread and a seed for torch; the caller's threads and random numbers are left as they were."""
    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)
