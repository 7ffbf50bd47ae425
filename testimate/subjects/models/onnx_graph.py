"""An ONNX file as a graph of values: the wanted ones are appended to its outputs, and onnxruntime runs it."""

import os
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto

from testimate.core.errors import BadInput
from testimate.subjects.class_lists import names_in_metadata
from testimate.subjects.models.batches import Arrays, InputSpec, cannot_run
from testimate.subjects.models.devices import Device, is_visible
from testimate.subjects.models.facts import Channels
from testimate.subjects.models.network_nodes import Node, Operation, varying_nodes
from testimate.subjects.models.onnx_check import read_onnx

KEPT_SESSIONS = 2
"""Sets of wanted values whose sessions stay ready; each holds the weights."""

OPERATIONS: Mapping[str, Operation] = {
    **dict.fromkeys(("Gemm", "MatMul", "MatMulInteger", "QLinearMatMul"), "dense"),
    **dict.fromkeys(("Conv", "ConvTranspose", "ConvInteger", "QLinearConv", "LSTM", "GRU", "RNN"), "kernel"),
    **dict.fromkeys(("Add",), "bias"),
    **dict.fromkeys(("Mul", "Div", "Sub"), "scaling"),
    **dict.fromkeys(("Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Cast", "Dropout"), "pass"),
    "Softmax": "softmax",
    "LogSoftmax": "log-softmax",
    "Sigmoid": "sigmoid",
}
SHAPE_ONLY = frozenset({"Shape", "Size"})
CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"
TYPES: Mapping[int, str] = {
    TensorProto.FLOAT: "float32",
    TensorProto.FLOAT16: "float16",
    TensorProto.DOUBLE: "float64",
    TensorProto.INT64: "int64",
    TensorProto.INT32: "int32",
    TensorProto.INT8: "int8",
    TensorProto.UINT8: "uint8",
}


class OnnxGraph:
    """The network in an ONNX file, from its bytes.

    Raises BadInput where the file is refused (see ``read_onnx``), takes several inputs or inputs that are no numbers, or
    gives several outputs.
    """

    channels: Channels = "first"

    def __init__(self, content: bytes, *, mixed: bool = False) -> None:
        self.device: Device = "cpu"
        self._providers = _providers(mixed=mixed)
        self._model = read_onnx(content)
        self.class_names = names_in_metadata({entry.key: entry.value for entry in self._model.metadata_props})
        for field in ("metadata_props", "training_info"):
            self._model.ClearField(field)
        graph = self._model.graph
        weights = {tensor.name for tensor in graph.initializer} | {
            sparse.values.name for sparse in graph.sparse_initializer
        }
        taken = [value for value in graph.input if value.name not in weights]
        if len(taken) != 1 or len(graph.output) != 1:
            raise BadInput(
                f"The model takes {len(taken)} inputs and gives {len(graph.output)} outputs; expected one of each, of which "
                "one is the scores. Export a model that wraps it so."
            )
        self.input, self.output = taken[0].name, graph.output[0].name
        self.spec = _spec(taken[0])
        self.parameters = sum(_size(tensor) for tensor in graph.initializer)
        self.nodes: Sequence[Node] = varying_nodes(_nodes(graph.node, weights), weights)
        self._sessions: OrderedDict[frozenset[str], Any] = OrderedDict()

    def values(self, batch: NDArray[Any], names: Sequence[str]) -> Arrays:
        """The named values for a batch that is arranged already; BadInput where the runtime cannot run it."""
        session = self._session(frozenset(names))
        try:
            return dict(zip(names, session.run(list(names), {self.input: batch}), strict=True))
        except Exception as error:  # onnxruntime has a class of its own for each reason
            raise cannot_run("ONNX's runtime", batch, error) from error

    def _session(self, names: frozenset[str]) -> Any:
        if names not in self._sessions:
            model = ModelProto()
            model.CopyFrom(self._model)
            model.graph.output.extend(ValueInfoProto(name=name) for name in sorted(names - {self.output}))
            while len(self._sessions) >= KEPT_SESSIONS:
                self._sessions.popitem(last=False)
            try:
                options = onnxruntime.SessionOptions()
                options.log_severity_level = 4
                self._sessions[names] = onnxruntime.InferenceSession(
                    model.SerializeToString(), options, providers=self._providers
                )
            except Exception as error:
                raise BadInput(
                    f"ONNX's runtime cannot open this file ({error!s:.200}); expected a sound model of a version it knows. "
                    "Export it again."
                ) from error
            # a library of CUDA's that lacks makes the runtime fall back by itself
            self.device = "cuda" if CUDA in self._sessions[names].get_providers() else "cpu"
        self._sessions.move_to_end(names)
        return self._sessions[names]


def _providers(*, mixed: bool) -> list[Any]:
    """What the runtime may run on: CUDA where it is built for it and may see any, and the processor.

    Mixed precision allows TensorFloat-32 alone, for the runtime does not change the types in a file.
    """
    if not is_visible(os.environ) or CUDA not in onnxruntime.get_available_providers():
        return [CPU]
    onnxruntime.preload_dlls()  # finds CUDA's libraries where pip put them
    return [(CUDA, {"use_tf32": "1" if mixed else "0"}), CPU]


def _spec(value: ValueInfoProto) -> InputSpec:
    tensor = value.type.tensor_type
    if tensor.elem_type not in TYPES:
        raise BadInput(
            "The model takes words or other inputs that are not plain numbers; expected numbers. Export the part behind "
            "its tokenizer."
        )
    sizes = [axis.dim_value if axis.HasField("dim_value") else None for axis in tensor.shape.dim]
    if not sizes:
        raise BadInput("The model's input has no axes; expected a batch of inputs. Export it with its input's shape.")
    return InputSpec(shape=tuple(sizes[1:]), type=TYPES[tensor.elem_type], batch=sizes[0])


def _nodes(nodes: Sequence[NodeProto], weights: Collection[str]) -> list[Node]:
    found = []
    for node in nodes:
        # what only reports a shape depends on no value
        inputs = () if node.op_type in SHAPE_ONLY else tuple(name for name in node.input if name)
        operation = OPERATIONS.get(node.op_type, "other")
        if node.op_type == "Gather" and node.input[0] in weights:  # an embedding
            operation = "kernel"
        found += [Node(operation, inputs, name) for name in node.output if name]
    return found


def _size(tensor: TensorProto) -> int:
    return int(np.prod([int(size) for size in tensor.dims], dtype=object)) if tensor.data_type in TYPES else 0
