"""A PyTorch module as a Model: a known network, TorchScript or torch.export, recorded by hooks that are removed again."""

import io
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import fx, nn
from torch.export.passes import move_to_device_pass

from testimate.core.errors import BadInput
from testimate.models.confinement import Device
from testimate.models.facts import Channels
from testimate.models.graph import (
    Arrays,
    GraphModel,
    InputSpec,
    NeedsExample,
    Node,
    Operation,
    cannot_run,
    varying_nodes,
)
from testimate.models.known_networks import FittedNetwork, fitted_network


def best_device() -> Device:
    """CUDA if PyTorch sees one, else the CPU with all its cores.

    TensorFloat-32 is turned off: its products have ten bits, which could change a close prediction.
    """
    if not torch.cuda.is_available():
        return "cpu"
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.deterministic = True
    return "cuda"


def precision(device: Device, *, mixed: bool) -> AbstractContextManager[object]:
    """Runs the block in mixed precision, or unchanged."""
    return torch.autocast(device) if mixed else nullcontext()


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
                f"The model answers {len(batch)} inputs with {found!s:.100}. Expected one row of numbers per input. "
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


OPERATIONS_BY_NAME: Mapping[str, Operation] = {
    **dict.fromkeys(("linear", "addmm", "mm", "matmul", "bmm"), "dense"),
    **dict.fromkeys(
        ("conv1d", "conv2d", "conv3d", "convolution", "_convolution", "embedding", "embedding_bag", "lstm", "gru"),
        "kernel",
    ),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "rnn_tanh", "rnn_relu"), "kernel"),
    **dict.fromkeys(("softmax", "_softmax", "_safe_softmax"), "softmax"),
    **dict.fromkeys(("log_softmax", "_log_softmax"), "log-softmax"),
    **dict.fromkeys(
        (
            "view",
            "reshape",
            "flatten",
            "squeeze",
            "unsqueeze",
            "clone",
            "contiguous",
            "to",
            "_to_copy",
            "alias",
            "detach",
        ),
        "pass",
    ),
    **dict.fromkeys(("dropout", "feature_dropout", "lift_fresh_copy"), "pass"),
    "sigmoid": "sigmoid",
    "add": "bias",
    **dict.fromkeys(("sub", "mul", "div"), "scaling"),
}
SHAPE_ONLY = frozenset({"size", "dim", "dtype", "device", "sym_size", "sym_numel", "numel", "len"})
"""Operations that only report a shape or type, so that no value depends on them."""


def operation_of(name: str) -> Operation:
    """The operation of that name, with or without the underscore of those that work in place."""
    return OPERATIONS_BY_NAME.get(name, OPERATIONS_BY_NAME.get(name.rstrip("_"), "other"))


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
                f"This .pt2 file cannot be read ({type(error).__name__}: {error!s:.150}). Expected one that this version of "
                "PyTorch can open. Export the model again with torch.export.save()."
            ) from error
        nodes = list(self._module.graph.nodes)
        inputs = [node for node in nodes if node.op == "placeholder"]
        answers = _nodes_in(next(node for node in nodes if node.op == "output").args[0])
        if len(inputs) != 1 or len(answers) != 1:
            raise BadInput(
                f"The model takes {len(inputs)} inputs and gives {len(answers)} outputs. Expected one of each, the "
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
                    f"This TorchScript file cannot be read ({type(error).__name__}: {error!s:.150}). Expected one that this "
                    "version of PyTorch can open. Save it again."
                ) from error
        self._graph: Any = self._module.graph
        taken, answers = list(self._graph.inputs())[1:], list(self._graph.outputs())
        if len(taken) != 1 or len(answers) != 1 or str(answers[0].type()) not in ("Tensor", "torch.Tensor"):
            raise BadInput(
                f"The model takes {len(taken)} inputs and gives {len(answers)} outputs ({answers[0].type()!s:.40}). Expected "
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
