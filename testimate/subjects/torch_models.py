"""Runs a PyTorch module and records what its layers say, by forward hooks that are taken off again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from testimate.core.errors import BadInput

INPUT, OUTPUT = "(input)", "(probabilities)"
"""Names of the two layers that are no modules: the flattened input, and the class probabilities."""

SEED = 0
"""Of every forward pass, so that a module that draws random numbers in evaluation mode repeats itself."""


@dataclass(frozen=True)
class _Call:
    """One module that ran: its name, what went in and what came out, in the order of running."""

    name: str
    module: nn.Module
    input: torch.Tensor
    output: torch.Tensor


class TorchModel:
    """A trained module as a Model; ``layers`` are the modules in the order in which they run.

    A module that runs twice is named again with "#2". The layers that play a part (``roles``) are found by running
    ``example`` once:

    ORI : the flattened input. FL : output of the first module with a weight matrix or kernel. LHL : what goes into the
    last Linear. logits : what comes out of it. CON : the class probabilities, softmax applied once and only where the
    module does not apply it itself; of a single sigmoid the two columns 1 - p and p; missing where the output is one
    number that is no probability (a regression).

    Every output is flattened to (n, width); a convolution's maps are kept whole, so FL may be wide.

    Parameters
    ----------
    module : in any mode; it is put into evaluation mode for good.
    example : (n, *shape) at least one input as the module takes it.
    fingerprint : of the module's content and of these choices.

    Raises
    ------
    BadInput : the module cannot run the example, has no Linear, or its output is no tensor of one row per input.
    """

    def __init__(self, module: nn.Module, *, example: NDArray[Any], fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self._module = module.eval()
        self._names = {part: name or "(model)" for name, part in module.named_modules()}
        calls, output = self._trace(example)
        linear = [call for call in calls if isinstance(call.module, nn.Linear)]
        weighted = [call for call in calls if _has_weights(call.module)]
        if not linear:
            raise BadInput(
                "The module runs no Linear layer, so its last hidden layer is unknown; needed is one that ends in a "
                "Linear. Replace a closing 1 x 1 convolution by a Linear."
            )
        last = linear[-1]
        self._last = last.name
        self._to_probabilities = _probabilities_from(output, last.output)
        self.layers: Sequence[str] = (INPUT, *(call.name for call in calls), _input_of(last.name), OUTPUT)
        self.roles: Mapping[str, str] = {
            "ORI": INPUT,
            "FL": weighted[0].name,
            "LHL": _input_of(last.name),
            "logits": last.name,
        }
        if self._to_probabilities is None:
            self.layers = self.layers[:-1]
        else:
            self.roles = {**self.roles, "CON": OUTPUT}

    def run(self, batch: NDArray[Any], layers: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """Outputs of the named layers, each (len(batch), width) float32, the same on every call.

        Raises BadInput for a layer the module does not have, and for a batch it cannot run.
        """
        for layer in layers:
            if layer not in self.layers:
                known = ", ".join(self.layers)
                raise BadInput(f"The model has no layer {layer!r:.60}; it has {known:.500}. Choose one of these.")
        modules = {layer for layer in layers if layer not in (INPUT, OUTPUT)}
        said: dict[str, torch.Tensor] = {}

        def keep(call: _Call) -> None:
            for name, tensor in ((call.name, call.output), (_input_of(call.name), call.input)):
                if name in modules:
                    said[name] = tensor.clone()  # a later in-place ReLU would overwrite it

        output = self._forward(batch, keep)
        if INPUT in layers:
            said[INPUT] = torch.tensor(np.ascontiguousarray(batch))
        if OUTPUT in layers and self._to_probabilities is not None:
            said[OUTPUT] = self._to_probabilities(output)
        return {layer: _flat(layer, said[layer], len(batch)) for layer in layers}

    def _trace(self, example: NDArray[Any]) -> tuple[list[_Call], torch.Tensor]:
        calls: list[_Call] = []

        def keep(call: _Call) -> None:
            calls.append(_Call(call.name, call.module, call.input.clone(), call.output.clone()))

        return calls, self._forward(example, keep)

    def _forward(self, batch: NDArray[Any], keep: Callable[[_Call], None]) -> torch.Tensor:
        """One pass in evaluation mode; ``keep`` sees every module that runs."""
        self._module.eval()
        with torch.inference_mode(), torch.random.fork_rng(devices=[]), _hooked(self._names, keep):
            torch.manual_seed(SEED)
            try:
                output = self._module(_tensor(batch, self._module))
            except (RuntimeError, ValueError, IndexError, TypeError) as error:
                raise BadInput(
                    f"The model cannot run inputs of shape {batch.shape} and type {batch.dtype} ({error!s:.200}); needed "
                    "are inputs as it was trained on. Choose the dataset that belongs to it."
                ) from error
        if isinstance(output, torch.Tensor) and output.ndim == 1:
            output = output[:, None]
        if not isinstance(output, torch.Tensor) or output.ndim != 2 or len(output) != len(batch):
            met = tuple(output.shape) if isinstance(output, torch.Tensor) else type(output).__name__
            raise BadInput(
                f"The model answers {len(batch)} inputs with {met!s:.100}; needed is one row of numbers per input. "
                "Wrap it in a module that returns only its scores."
            )
        return output


@contextmanager
def _hooked(names: Mapping[nn.Module, str], keep: Callable[[_Call], None]) -> Iterator[None]:
    """Has ``keep`` called for every module that computes by itself, and takes every hook off again."""
    runs: dict[str, int] = {}

    def hook(module: nn.Module, inputs: tuple[Any, ...], output: Any) -> None:  # returning a value would replace output
        said = output[0] if isinstance(output, tuple) and output else output
        if not isinstance(said, torch.Tensor) or not inputs or not isinstance(inputs[0], torch.Tensor):
            return
        name = names[module]
        runs[name] = runs.get(name, 0) + 1
        numbered = name if runs[name] == 1 else f"{name}#{runs[name]}"
        keep(_Call(numbered, module, inputs[0], said))

    handles = [module.register_forward_hook(hook) for module in names if _computes_itself(module)]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _computes_itself(module: nn.Module) -> bool:
    return not list(module.children()) or bool(list(module.parameters(recurse=False)))


def _has_weights(module: nn.Module) -> bool:
    """Whether it has a matrix or kernel of its own; norms and biases have vectors only."""
    return any(parameter.ndim >= 2 for parameter in module.parameters(recurse=False))


def _input_of(name: str) -> str:
    return f"input of {name}"


def _tensor(batch: NDArray[Any], module: nn.Module) -> torch.Tensor:
    """The batch as the module's type of number; whole numbers of 32 and 64 bits (token ids) stay whole."""
    tensor = torch.tensor(np.ascontiguousarray(batch))  # a copy: the module may work in place
    first = next(module.parameters(), None)
    if tensor.dtype in (torch.int32, torch.int64) or first is None:
        return tensor if first is None else tensor.to(first.device)
    return tensor.to(device=first.device, dtype=first.dtype)


def _probabilities_from(output: torch.Tensor, logits: torch.Tensor) -> Callable[[torch.Tensor], torch.Tensor] | None:
    """How the module's output becomes (n, C) probabilities, judged by how it came from the logits; None for numbers."""

    def same(other: torch.Tensor) -> bool:
        return output.shape == other.shape and torch.allclose(output, other, rtol=1e-4, atol=1e-6)

    if output.shape[-1] == 1:
        return _two_sided if same(logits.sigmoid()) else None
    if same(logits.softmax(dim=-1)) or same(logits.sigmoid()):
        return _as_it_is
    sums = output.sum(dim=-1)
    if not same(logits) and bool((output >= 0).all()) and torch.allclose(sums, torch.ones_like(sums), atol=1e-4):
        return _as_it_is
    return _softmax  # right for log-softmax, too: the softmax of log p is p


def _two_sided(output: torch.Tensor) -> torch.Tensor:
    return torch.cat([1 - output, output], dim=-1)


def _as_it_is(output: torch.Tensor) -> torch.Tensor:
    return output


def _softmax(output: torch.Tensor) -> torch.Tensor:
    return output.softmax(dim=-1)


def _flat(layer: str, said: torch.Tensor, count: int) -> NDArray[np.float32]:
    if said.ndim == 0 or len(said) != count:
        raise BadInput(
            f"Layer {layer!r:.60} says {tuple(said.shape)} for {count} inputs; needed is one row per input. "
            "Choose another layer."
        )
    flat: NDArray[np.float32] = said.reshape(count, -1).to(torch.float32).cpu().numpy()
    return flat
