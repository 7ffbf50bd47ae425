"""A PyTorch module as a Model, recorded by forward hooks that are removed again."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from testimate.core.errors import BadInput
from testimate.subjects.models.batches import Arrays, InputSpec, cannot_run
from testimate.subjects.models.facts import Channels
from testimate.subjects.models.graph_model import GraphModel
from testimate.subjects.models.network_nodes import Node, Operation
from testimate.subjects.models.torch_device import best_device, precision

INPUT = "input of the model"
SEED = 0
"""Seed of every forward pass, so that a module that draws random numbers in evaluation mode repeats itself."""

OPERATIONS: Mapping[type[nn.Module], Operation] = {
    nn.Linear: "dense",
    nn.Softmax: "softmax",
    nn.LogSoftmax: "log-softmax",
    nn.Sigmoid: "sigmoid",
    nn.Flatten: "pass",
    nn.Unflatten: "pass",
    nn.Identity: "pass",
    nn.Dropout: "pass",
}


class TorchModel(GraphModel):
    """A trained module as a Model; ``layers`` are the modules in the order in which they run.

    The second run of a module is named with "#2"; the result of functions between two modules is named "input of" the
    second. The roles are found as ``GraphModel`` describes. A convolution's maps are kept whole, so FL may be wide.

    Parameters
    ----------
    module : in any mode; it is put into evaluation mode for good.
    example : (n, *shape) at least one input as the module takes it.
    fingerprint : of the module's content and of these choices.
    output : what the output means, if the person knows.
    mixed : whether it runs in mixed precision, on CUDA.

    Raises
    ------
    BadInput : the module cannot run the example, or its output is not a tensor of one row per input.
    """

    def __init__(
        self,
        module: nn.Module,
        *,
        example: NDArray[Any],
        fingerprint: str,
        output: str | None = None,
        mixed: bool = False,
    ) -> None:
        graph = TorchGraph(module, example, mixed=mixed)
        super().__init__(graph, fingerprint=fingerprint, example=example, output=output)


class TorchGraph:
    """A module as a graph of values, on CUDA if there is one; a run of ``example`` shows which modules run."""

    channels: Channels = "first"
    input = INPUT

    def __init__(self, module: nn.Module, example: NDArray[Any], *, mixed: bool = False) -> None:
        self.device, self._mixed = best_device(), mixed
        self._module = module.eval().to(self.device)
        self._names = {part: name or "(model)" for name, part in module.named_modules()}
        self.parameters = sum(weight.numel() for weight in module.parameters())
        # whole numbers of 32 and 64 bits are token ids; smaller ones are pictures
        whole = example.dtype in (np.dtype("int32"), np.dtype("int64"))
        sides = example.shape[1:]
        shape = (None,) * len(sides) if whole and len(sides) == 1 else tuple(sides)  # texts may be of any length
        self.spec = InputSpec(shape=shape, type=example.dtype.name if whole else "float32")
        seen = self._forward(np.ascontiguousarray(example, dtype=self.spec.type), ())
        self.nodes: Sequence[Node] = seen.nodes
        self.output = seen.last

    def values(self, batch: NDArray[Any], names: Sequence[str]) -> Arrays:
        """The named values for an arranged batch; BadInput where the module cannot run it."""
        kept = self._forward(batch, names).kept
        return {name: kept[name].to(torch.float32).cpu().numpy() for name in names}

    def _forward(self, batch: NDArray[Any], wanted: Sequence[str]) -> "_PassRecord":
        """One pass in evaluation mode."""
        first = next(self._module.parameters(), None)
        taken = torch.tensor(batch)  # a copy: the module may work in place
        if first is not None:
            taken = taken.to(self.device, first.dtype if taken.is_floating_point() else taken.dtype)
        seen = _PassRecord(wanted)
        seen.name(taken, INPUT)
        self._module.eval()
        exact = precision(self.device, mixed=self._mixed)
        with torch.inference_mode(), exact, torch.random.fork_rng(devices=[]), _hooked(self._names, seen):
            torch.manual_seed(SEED)
            try:
                output = self._module(taken)
            except (RuntimeError, ValueError, IndexError, TypeError) as error:
                raise cannot_run("The model", batch, error) from error
        if not isinstance(output, torch.Tensor) or output.ndim == 0 or len(output) != len(batch):
            found = tuple(output.shape) if isinstance(output, torch.Tensor) else type(output).__name__
            raise BadInput(
                f"The model answers {len(batch)} inputs with {found!s:.100}; expected one row of numbers per input. "
                "Wrap it in a module that returns only its scores."
            )
        seen.end(output)
        return seen


class _PassRecord:
    """The record of one pass: the nodes, and copies of the wanted values."""

    def __init__(self, wanted: Sequence[str]) -> None:
        self.nodes: list[Node] = []
        self.kept: dict[str, torch.Tensor] = {}
        self.last = INPUT
        self._wanted = frozenset(wanted)
        self._names: dict[int, str] = {}
        self._alive: list[torch.Tensor] = []
        self._open: list[tuple[str, tuple[str, ...]]] = []
        self._runs: dict[str, int] = {}

    def name(self, tensor: torch.Tensor, name: str) -> None:
        self._alive.append(tensor)  # so that no other tensor gets its id
        self._names[id(tensor)] = name
        self.last = name
        if name in self._wanted:
            self.kept[name] = tensor.clone()  # a later in-place ReLU would overwrite it

    def before(self, path: str, taken: Sequence[torch.Tensor]) -> None:
        """Records a module that is about to run and may overwrite its input."""
        self._runs[path] = self._runs.get(path, 0) + 1
        name = path if self._runs[path] == 1 else f"{path}#{self._runs[path]}"
        self._open.append((name, tuple(self._known(tensor, f"input of {name}") for tensor in taken)))

    def after(self, module: nn.Module, said: torch.Tensor | None) -> None:
        """Records the output of the module that ran last."""
        name, inputs = self._open.pop()
        if said is None or not inputs:
            return
        weighted = any(weight.ndim >= 2 for weight in module.parameters(recurse=False))
        operation = OPERATIONS.get(type(module), "dense" if isinstance(module, nn.Linear) else "other")
        self.nodes.append(Node("kernel" if weighted and operation == "other" else operation, inputs, name, weighted))
        self.name(said, name)

    def end(self, answer: torch.Tensor) -> None:
        """Records the module's answer, which a function may have made from the last module's output."""
        self.last = self._known(answer, "answer")

    def _known(self, tensor: torch.Tensor, name: str) -> str:
        """The value's name; ``name`` for one that a function made, from anything that ran before."""
        if id(tensor) not in self._names:
            self.nodes.append(Node("other", tuple(dict.fromkeys(self._names.values())), name))
            self.name(tensor, name)
        return self._names[id(tensor)]


@contextmanager
def _hooked(names: Mapping[nn.Module, str], seen: _PassRecord) -> Iterator[None]:
    """Records every module that computes by itself, and removes every hook again."""

    def before(module: nn.Module, inputs: tuple[Any, ...]) -> None:
        seen.before(names[module], [value for value in inputs if isinstance(value, torch.Tensor)])

    def after(module: nn.Module, _: tuple[Any, ...], output: Any) -> None:
        # nothing is returned, because that would replace the output
        said = output[0] if isinstance(output, tuple) and output else output
        seen.after(module, said if isinstance(said, torch.Tensor) else None)

    computing = [module for module in names if list(module.parameters(recurse=False)) or not list(module.children())]
    handles: list[Any] = []
    try:
        for module in computing:
            handles += [module.register_forward_pre_hook(before), module.register_forward_hook(after)]
        yield
    finally:
        for handle in handles:
            handle.remove()
