"""The networks that Testimate knows, as PyTorch modules, for files that hold only weights."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import nn

from testimate.subjects.models.known_networks import FittedNetwork, fitted_network

Weights = Mapping[str, torch.Tensor]

ACTIVATIONS: Mapping[str, Callable[[], nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}
POOLS: Mapping[str, Callable[[int], nn.Module]] = {"maximum": nn.MaxPool2d, "average": nn.AvgPool2d}


@dataclass(frozen=True, eq=False)
class Built:
    """A network with its weights; ``shape`` of one input."""

    module: nn.Module
    shape: tuple[int, int, int]


def build(weights: Weights, name: str | None = None, side: int | None = None) -> Built:
    """The known network that these weights belong to; arguments and errors are those of ``fitted_network``."""
    fitted = fitted_network(weights, name, side)
    return Built(_network(fitted).eval(), fitted.shape)


def _network(fitted: FittedNetwork) -> nn.Sequential:
    activation, pool = ACTIVATIONS[fitted.architecture.activation], POOLS[fitted.architecture.pool]
    module = nn.Sequential()
    for place, (weight, bias) in enumerate(fitted.kernels, 1):
        outputs, inputs, size, _ = weight.shape
        layer = nn.Conv2d(inputs, outputs, size, padding=fitted.padding[place - 1])
        module.add_module(f"conv{place}", _filled(layer, weight, bias))
        module.add_module(f"activation{place}", activation())
        module.add_module(f"pool{place}", pool(2))
    module.add_module("flatten", nn.Flatten())
    for place, (weight, bias) in enumerate(fitted.matrices, 1):
        module.add_module(f"dense{place}", _filled(nn.Linear(weight.shape[1], weight.shape[0]), weight, bias))
        if place < len(fitted.matrices):
            module.add_module(f"dense_activation{place}", activation())
    return module


def _filled(layer: nn.Module, weight: torch.Tensor, bias: torch.Tensor) -> nn.Module:
    layer.load_state_dict({"weight": weight.float(), "bias": bias.float()})
    return layer
