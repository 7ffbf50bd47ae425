"""A TorchScript file as a graph of values: frozen into one graph with the wanted values as its outputs."""

import io
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.subjects.models.batches import Arrays, InputSpec, cannot_run
from testimate.subjects.models.exported_graph import as_array
from testimate.subjects.models.facts import Channels
from testimate.subjects.models.graph_model import NeedsExample
from testimate.subjects.models.network_nodes import Node, varying_nodes
from testimate.subjects.models.torch_device import best_device, precision
from testimate.subjects.models.torch_operations import SHAPE_ONLY, operation_of


class TorchScriptGraph:
    """The program in a TorchScript file, in evaluation mode; only for files that a person trusts.

    Raises BadInput where it is damaged or has several inputs or outputs; NeedsExample without ``example``, because the
    file does not say what it takes.
    """

    channels: Channels = "first"

    def __init__(self, content: bytes, example: NDArray[Any] | None, *, mixed: bool = False) -> None:
        self.device, self._mixed = best_device(), mixed
        if example is None:
            raise NeedsExample(
                "A TorchScript file does not say what its inputs look like. Open it together with its dataset."
            )
        script: Any = torch.jit  # without types
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # PyTorch recommends .pt2
            try:
                module = script.load(io.BytesIO(content), map_location=self.device).eval()
                self.parameters = sum(weight.numel() for weight in module.parameters())
                self._module = script.freeze(module, optimize_numerics=False)
            except Exception as error:  # the loader may raise anything
                raise BadInput(
                    f"This TorchScript file cannot be read ({type(error).__name__}: {error!s:.150}); expected one that this "
                    "version of PyTorch can open. Save it again."
                ) from error
        self._graph: Any = self._module.graph
        taken, answers = list(self._graph.inputs())[1:], list(self._graph.outputs())
        if len(taken) != 1 or len(answers) != 1 or str(answers[0].type()) not in ("Tensor", "torch.Tensor"):
            raise BadInput(
                f"The model takes {len(taken)} inputs and gives {len(answers)} outputs ({answers[0].type()!s:.40}); expected "
                "one tensor each, the second with the scores. Script a model that wraps it so."
            )
        self.input, self.output = taken[0].debugName(), answers[0].debugName()
        whole = example.dtype in (np.dtype("int32"), np.dtype("int64"))  # token ids; smaller whole numbers are pictures
        sides = example.shape[1:]
        shape = (None,) * len(sides) if whole and len(sides) == 1 else tuple(sides)  # texts may be of any length
        self.spec = InputSpec(shape=shape, type=example.dtype.name if whole else "float32")
        nodes = [made for node in self._graph.nodes() for made in _nodes(node)]
        self.nodes: Sequence[Node] = varying_nodes(nodes, {next(self._graph.inputs()).debugName()})
        self._functions: dict[tuple[str, ...], Any] = {}

    def values(self, batch: NDArray[Any], names: Sequence[str]) -> Arrays:
        """The named values for an arranged batch; BadInput where it cannot be run."""
        key = tuple(names)
        try:
            if key not in self._functions:
                self._functions[key] = self._function(names)
            with torch.inference_mode(), precision(self.device, mixed=self._mixed):
                torch.manual_seed(0)
                values = self._functions[key](self._module, torch.tensor(batch, device=self.device))
        except Exception as error:  # a program may raise anything
            raise cannot_run("The program", batch, error) from error
        said = values if isinstance(values, tuple) else (values,)
        return {name: as_array(value) for name, value in zip(names, said, strict=True)}

    def _function(self, names: Sequence[str]) -> Any:
        """The graph with these values as its outputs, in this order."""
        graph = self._graph.copy()
        found = dict(zip(_names(self._graph), _values(graph), strict=True))  # a copy has other names in the same order
        graph.eraseOutput(0)
        for name in names:
            # a copy right where the value is made, because a later operation may work in place
            nothing = graph.create("prim::Constant", 1)
            nothing.output().setType(torch._C.NoneType.get())
            copy = graph.create("aten::clone", [found[name], nothing.output()], 1)
            copy.insertAfter(found[name].node())
            nothing.insertBefore(copy)
            graph.registerOutput(copy.output())
        graph.makeMultiOutputIntoTuple()
        return torch._C._create_function_from_graph("forward", graph)


def _values(graph: Any) -> list[Any]:
    return [*graph.inputs(), *(value for node in graph.nodes() for value in node.outputs())]


def _names(graph: Any) -> list[str]:
    return [value.debugName() for value in _values(graph)]


def _nodes(node: Any) -> list[Node]:
    """One node for each output tensor; what its branches use counts as its input."""
    name = node.kind().partition("::")[2]
    inputs = () if name in SHAPE_ONLY else tuple(value.debugName() for value in _used(node))
    return [Node(operation_of(name), inputs, value.debugName()) for value in node.outputs()]


def _used(node: Any) -> list[Any]:
    inner = [value for block in node.blocks() for part in block.nodes() for value in _used(part)]
    return [*node.inputs(), *inner, *(value for block in node.blocks() for value in block.outputs())]
