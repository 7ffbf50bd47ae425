"""The networks that Testimate knows, recognized only by the shapes of their weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from testimate.core.errors import BadInput

Weights: TypeAlias = Mapping[str, Any]
"""Arrays of NumPy or tensors of PyTorch, by name, in the order in which they run."""

Pair: TypeAlias = tuple[Any, Any]
"""A kernel or matrix with its bias."""


@dataclass(frozen=True)
class Architecture:
    """A network recognized by the shapes of its weights.

    Attributes
    ----------
    name : as a person chooses it. description : for people.
    convolutions, dense : how many of these layers. activation, pool : what comes between them. side : of the square
        pictures it takes; None if it follows from the shapes.
    """

    name: str
    description: str
    convolutions: int
    dense: int
    activation: Literal["relu", "tanh"]
    pool: Literal["maximum", "average"]
    side: int | None = None


ARCHITECTURES: Mapping[str, Architecture] = {
    known.name: known
    for known in (
        Architecture("lenet-1", "LeNet-1: ReLU, maximum pooling, one dense layer", 2, 1, "relu", "maximum"),
        Architecture("lenet-1-tanh", "LeNet-1: tanh, average pooling, one dense layer", 2, 1, "tanh", "average"),
        Architecture("lenet-5", "LeNet-5: ReLU, maximum pooling, three dense layers", 2, 3, "relu", "maximum"),
        Architecture("lenet-5-tanh", "LeNet-5: tanh, average pooling, three dense layers", 2, 3, "tanh", "average"),
        Architecture("digits", "the network of the digits demo, for 8 x 8 pictures", 2, 2, "relu", "maximum", side=8),
    )
}
"""Two convolutions, each followed by an activation and pooling by two, then dense layers; widths follow from the weights."""


@dataclass(frozen=True, eq=False)
class FittedNetwork:
    """A known network with its weights.

    Attributes
    ----------
    architecture : which one. kernels, matrices : with their biases, in the order in which they run.
    side : of the pictures. padding : of each convolution.
    """

    architecture: Architecture
    kernels: Sequence[Pair]
    matrices: Sequence[Pair]
    side: int
    padding: tuple[int, int]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of one input: channels, height, width."""
        return self.kernels[0][0].shape[1], self.side, self.side


@dataclass(frozen=True)
class _Fit:
    """The side of the pictures and the padding of each convolution for which every layer fits the next."""

    side: int
    padding: tuple[int, int]


def fitted_network(weights: Weights, name: str | None = None, side: int | None = None) -> FittedNetwork:
    """The known network that these weights (by name, in the order in which they run) belong to.

    ``side`` : of the dataset's pictures, if known; the same weights may fit 28 with padding and 32 without.
    Raises BadInput where none fits, or where several do (shapes do not distinguish tanh from ReLU) and none was named.
    """
    kernels, matrices = _layers(weights)
    fits = {known.name: _fit(known, kernels, matrices, side) for known in ARCHITECTURES.values()}
    fitting = {fitted: fit for fitted, fit in fits.items() if fit is not None}
    choice = name if name is not None else next(iter(fitting), None) if len(fitting) == 1 else None
    if choice not in fitting:
        raise _not_known([tuple(one.shape) for one in weights.values() if one.ndim > 1], list(fitting), name)
    fit = fitting[choice]
    return FittedNetwork(ARCHITECTURES[choice], kernels, matrices, fit.side, fit.padding)


def _layers(weights: Weights) -> tuple[list[Pair], list[Pair]]:
    """The kernels and the matrices, each with its bias, in the order in which they run."""
    pairs: dict[int, list[Pair]] = {4: [], 2: []}
    used = 0
    for name, weight in weights.items():
        bias = weights.get(f"{name.removesuffix('weight')}bias")
        if name.endswith("weight") and weight.ndim in pairs and bias is not None and bias.shape == weight.shape[:1]:
            pairs[weight.ndim].append((weight, bias))
            used += 2
    if used != len(weights):
        return [], []
    return pairs[4], pairs[2]


def _fit(known: Architecture, kernels: Sequence[Pair], matrices: Sequence[Pair], side: int | None) -> _Fit | None:
    if len(kernels) != known.convolutions or len(matrices) != known.dense:
        return None
    first, second = kernels[0][0], kernels[1][0]
    odd = all(kernel.shape[2] == kernel.shape[3] and kernel.shape[2] % 2 == 1 for kernel in (first, second))
    chain = [second, *(matrix for matrix, _ in matrices)]
    follows = all(after.shape[1] == before.shape[0] for before, after in pairwise(chain[1:]))
    if not odd or not follows or second.shape[1] != first.shape[0]:
        return None
    halves = (first.shape[2] // 2, second.shape[2] // 2)
    usual = (28, 32) if first.shape[1] == 1 else (32, 28)  # MNIST is gray, CIFAR is not
    sides = (side,) if side is not None else usual if known.side is None else (known.side,)
    for size in sides:
        for padding in (halves, (halves[0], 0), (0, 0)):
            inner = (size + 2 * padding[0] - first.shape[2] + 1) // 2
            inner = (inner + 2 * padding[1] - second.shape[2] + 1) // 2
            if matrices[0][0].shape[1] == inner * inner * second.shape[0]:
                return _Fit(size, padding)
    return None


def _not_known(shapes: Sequence[tuple[int, ...]], fitting: Sequence[str], name: str | None) -> BadInput:
    if fitting and name is None:
        return BadInput(
            f"These weights fit {' and '.join(fitting)}, which differ only in parts without weights. Expected the one "
            "they were trained in. Choose it as the architecture, or export the model to ONNX."
        )
    if name is not None and name not in ARCHITECTURES:
        return BadInput(
            f"There is no architecture {name!r:.40}. Expected one of {', '.join(ARCHITECTURES)}. Choose one of these."
        )
    named = f" by the name {name}" if name else ""
    said = f"{[*shapes]!s:.150}"
    return BadInput(
        f"This file contains weights alone, and they fit no network Testimate knows{named} (their shapes are {said}). "
        f"Expected one of {', '.join(ARCHITECTURES)}. Export the whole model, "
        'torch.onnx.export(model.eval(), (example,), "model.onnx", external_data=False), or bring a table of its predictions.'
    )
