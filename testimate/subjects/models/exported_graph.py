"""A .pt2 file of torch.export as a graph of values, interpreted node by node; only for files that a person trusts."""

import io
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import fx
from torch.export.passes import move_to_device_pass

from testimate.core.errors import BadInput
from testimate.subjects.models.batches import Arrays, InputSpec, cannot_run
from testimate.subjects.models.facts import Channels
from testimate.subjects.models.network_nodes import Node, varying_nodes
from testimate.subjects.models.torch_device import best_device, precision
from testimate.subjects.models.torch_operations import SHAPE_ONLY, operation_of

TRAINING_ARGUMENT: Mapping[str, int] = {"dropout": 2, "feature_dropout": 2, "batch_norm": 5, "instance_norm": 5}
"""Operations that act differently in training, and the argument that selects training."""


class ExportedGraph:
    """The program in a .pt2 file. Raises BadInput where it is damaged or has several inputs or outputs."""

    channels: Channels = "first"

    def __init__(self, content: bytes, *, mixed: bool = False) -> None:
        self.device, self._mixed = best_device(), mixed
        try:
            program = move_to_device_pass(torch.export.load(io.BytesIO(content)), self.device)
            self._module: Any = program.module()
        except Exception as error:  # the loader may raise anything
            raise BadInput(
                f"This .pt2 file cannot be read ({type(error).__name__}: {error!s:.150}); expected one that this version of "
                "PyTorch can open. Export the model again with torch.export.save()."
            ) from error
        nodes = list(self._module.graph.nodes)
        inputs = [node for node in nodes if node.op == "placeholder"]
        answers = _nodes_in(next(node for node in nodes if node.op == "output").args[0])
        if len(inputs) != 1 or len(answers) != 1:
            raise BadInput(
                f"The model takes {len(inputs)} inputs and gives {len(answers)} outputs; expected one of each, the "
                "output being the scores. Export a model that wraps it so."
            )
        self.input, self.output = inputs[0].name, answers[0].name
        self.spec = _spec(inputs[0].meta["val"])
        self.parameters = sum(weight.numel() for weight in program.parameters())
        self.nodes: Sequence[Node] = varying_nodes(
            [_node(node) for node in nodes if node.op == "call_function"],
            {node.name for node in nodes if node.op == "get_attr"},
        )

    def values(self, batch: NDArray[Any], names: Sequence[str]) -> Arrays:
        """The named values for an arranged batch; BadInput where it cannot be run."""
        seen = _Recording(self._module, names)
        try:
            with torch.inference_mode(), precision(self.device, mixed=self._mixed):
                torch.manual_seed(0)
                seen.run(torch.tensor(batch, device=self.device))
        except Exception as error:  # a program may raise anything
            raise cannot_run("The program", batch, error) from error
        return {name: as_array(seen.values[name]) for name in names}


class _Recording(fx.Interpreter):
    """Runs a graph in evaluation mode and keeps copies of some values."""

    def __init__(self, module: fx.GraphModule, wanted: Collection[str]) -> None:
        super().__init__(module)
        self.values: dict[str, torch.Tensor] = {}
        self._wanted = frozenset(wanted)

    def run_node(self, node: fx.Node) -> Any:
        said = super().run_node(node)
        if node.name in self._wanted:
            self.values[node.name] = said.clone()  # a later operation may work in place
        return said

    def call_function(self, target: Any, arguments: Any, named: Any) -> Any:
        place = TRAINING_ARGUMENT.get(_name(target))
        if place is not None and len(arguments) > place:
            arguments = (*arguments[:place], False, *arguments[place + 1 :])
        return super().call_function(target, arguments, named)


def as_array(tensor: torch.Tensor) -> NDArray[Any]:
    """The tensor's numbers; fractions as float32, because numpy has no bfloat16."""
    if tensor.is_floating_point():
        tensor = tensor.float()
    array: NDArray[Any] = np.asarray(tensor.detach().cpu().numpy())
    return array


def _spec(example: torch.Tensor) -> InputSpec:
    sizes = [size if isinstance(size, int) else None for size in example.shape]
    kind = str(example.dtype).removeprefix("torch.")
    return InputSpec(shape=tuple(sizes[1:]), type="float32" if kind == "bfloat16" else kind, batch=sizes[0])


def _node(node: fx.Node) -> Node:
    name = _name(node.target)
    inputs = () if name in SHAPE_ONLY else tuple(source.name for source in node.all_input_nodes)
    return Node(operation_of(name), inputs, node.name)


def _name(target: Any) -> str:
    """The operation's name without its namespace and overload: "linear" of aten.linear.default."""
    if isinstance(target, torch._ops.OpOverload):
        return target._schema.name.rpartition("::")[2]
    return str(getattr(target, "__name__", target))


def _nodes_in(value: Any) -> list[fx.Node]:
    if isinstance(value, fx.Node):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [node for part in parts for node in _nodes_in(part)]
