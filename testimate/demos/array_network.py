"""A small network of convolutions and dense layers in plain arrays, for the demos where PyTorch is not installed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from testimate.models.confinement import Device
from testimate.models.facts import Channels
from testimate.models.graph import Arrays, InputSpec, Node, Operation
from testimate.models.known_networks import FittedNetwork

Floats = NDArray[np.float32]

INPUT = "input of the model"
"""As PyTorch's reader calls it, so that the layers have the same names either way."""

EPSILON = 1e-5
"""Added to the variance where brightness is evened out, as PyTorch does."""


@dataclass(frozen=True, eq=False)
class Layer:
    """One step: its name, what it computes of (n, ...) float32, what kind of operation it is, its learned numbers."""

    name: str
    compute: Callable[[Floats], Floats]
    operation: Operation = "other"
    parameters: int = 0


class ArrayGraph:
    """Layers one after another as a graph of values; see ``Graph``."""

    channels: Channels = "first"
    device: Device = "cpu"
    input = INPUT

    def __init__(self, layers: Sequence[Layer], shape: tuple[int, ...]) -> None:
        self._layers = layers
        self.spec = InputSpec(shape=shape, type="float32")
        before = (INPUT, *(layer.name for layer in layers))
        self.nodes: Sequence[Node] = [
            Node(layer.operation, (taken,), layer.name, layer.parameters > 0)
            for taken, layer in zip(before, layers, strict=False)
        ]
        self.output = layers[-1].name
        self.parameters = sum(layer.parameters for layer in layers)

    def values(self, batch: NDArray[Any], names: Sequence[str]) -> Arrays:
        """The named values for a batch (n, *shape)."""
        value = np.asarray(batch, dtype=np.float32)
        kept = {INPUT: value}
        for layer in self._layers:
            value = layer.compute(value)
            if layer.name in names:
                kept[layer.name] = value
        return {name: kept[name] for name in names}


def layers_of(fitted: FittedNetwork) -> list[Layer]:
    """The layers of a known network, by the names that its PyTorch module has."""
    activation = rectified if fitted.architecture.activation == "relu" else np.tanh
    pool = largest_of_four if fitted.architecture.pool == "maximum" else mean_of_four
    layers = []
    for place, (weight, bias) in enumerate(fitted.kernels, 1):
        layers += [
            convolution(f"conv{place}", weight, bias, padding=fitted.padding[place - 1]),
            Layer(f"activation{place}", activation),
            Layer(f"pool{place}", pool),
        ]
    layers.append(Layer("flatten", flattened, "pass"))
    for place, (weight, bias) in enumerate(fitted.matrices, 1):
        layers.append(dense(f"dense{place}", weight, bias))
        if place < len(fitted.matrices):
            layers.append(Layer(f"dense_activation{place}", activation))
    return layers


def convolution(name: str, weight: NDArray[Any], bias: NDArray[Any], *, stride: int = 1, padding: int = 0) -> Layer:
    """A convolution with kernels (outputs, inputs, k, k)."""
    kernels, shift = weight.astype(np.float32), bias.astype(np.float32)
    matrix = kernels.reshape(len(kernels), -1).T  # (inputs k k, outputs)

    def compute(maps: Floats) -> Floats:
        edge = (padding, padding)
        padded = np.pad(maps, ((0, 0), (0, 0), edge, edge))
        size = kernels.shape[2]
        windows = sliding_window_view(padded, (size, size), axis=(2, 3))[:, :, ::stride, ::stride]  # (n, i, h, w, k, k)
        n, _, height, width = windows.shape[:4]
        columns = windows.transpose(0, 2, 3, 1, 4, 5).reshape(n * height * width, -1)
        said = columns @ matrix + shift
        return np.ascontiguousarray(said.reshape(n, height, width, -1).transpose(0, 3, 1, 2))

    return Layer(name, compute, "kernel", weight.size + bias.size)


def dense(name: str, weight: NDArray[Any], bias: NDArray[Any]) -> Layer:
    """A matrix (outputs, inputs) times its input, plus the bias."""
    matrix, shift = weight.astype(np.float32).T, bias.astype(np.float32)
    return Layer(name, lambda x: x @ matrix + shift, "dense", weight.size + bias.size)


def rectified(x: Floats) -> Floats:
    """0 where it is below 0."""
    return np.maximum(x, np.float32(0))


def flattened(maps: Floats) -> Floats:
    """The maps of each input as one row: (n, channels, height, width) to (n, channels * height * width)."""
    return maps.reshape(len(maps), -1)


def evened(maps: Floats) -> Floats:
    """Each map of each input with mean 0 and variance 1 (instance normalization)."""
    mean = maps.mean(axis=(2, 3), keepdims=True)
    spread = np.sqrt(maps.var(axis=(2, 3), keepdims=True) + np.float32(EPSILON))
    return np.asarray((maps - mean) / spread, dtype=np.float32)


def largest_of_four(maps: Floats) -> Floats:
    """The largest of each two by two."""
    return np.asarray(_in_fours(maps).max(axis=(3, 5)))


def mean_of_four(maps: Floats) -> Floats:
    """The mean of each two by two."""
    return np.asarray(_in_fours(maps).mean(axis=(3, 5), dtype=np.float32))


def _in_fours(maps: Floats) -> Floats:
    n, channels, height, width = maps.shape
    whole = maps[:, :, : height // 2 * 2, : width // 2 * 2]
    return whole.reshape(n, channels, height // 2, 2, width // 2, 2)


def arrays_in(content: bytes) -> Mapping[str, NDArray[Any]]:
    """The weights in a safetensors file, by name, in the order in which they run."""
    import safetensors.numpy

    return dict(sorted(safetensors.numpy.load(content).items()))
