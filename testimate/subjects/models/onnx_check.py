"""Looks through an ONNX file before the runtime sees it, so that nothing in it reaches for other files or runs forever."""

from collections.abc import Iterator, Mapping

import numpy as np
import onnx
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, numpy_helper

from testimate.core.errors import BadInput
from testimate.subjects.models.bounds import MAX_LAYERS, MAX_PARAMETERS

OWN_DOMAINS = frozenset({"", "ai.onnx", "ai.onnx.ml"})
LOOPS = frozenset({"If", "Loop", "Scan", "SequenceMap"})


def read_onnx(content: bytes) -> ModelProto:
    """The model in these bytes, when it holds its weights itself and only plain operations of ONNX's own.

    Raises
    ------
    BadInput : damaged, external data, operations of another maker, functions, loops or branches, training mode, too large.
    """
    try:
        model = onnx.load_model_from_string(content)
    except Exception as error:  # protobuf's own errors come from several modules
        raise BadInput(
            f"This ONNX file cannot be read ({type(error).__name__}); expected a complete one. Export the model again."
        ) from error
    if model.functions:
        raise BadInput(
            f"This ONNX file defines operations of its own ({model.functions[0].name!r:.60}); expected ONNX's operations "
            "alone. Export it again with torch.onnx.export(..., optimize=True), or inline the functions with onnx.inliner."
        )
    if len(model.graph.node) > MAX_LAYERS:
        raise BadInput(
            f"This ONNX file has {len(model.graph.node):,} operations; expected at most {MAX_LAYERS:,}. Simplify it."
        )
    _check_tensors(model.graph)
    switches = _switches(model.graph)
    for node in model.graph.node:
        _check_node(node)
        _check_mode(node, switches)
    return model


def _check_node(node: NodeProto) -> None:
    if node.domain not in OWN_DOMAINS:
        raise BadInput(
            f"This ONNX file uses an operation that is not ONNX's own ({node.domain!r:.60}, {node.op_type!r:.60}), which would "
            "need a program of its maker; expected ONNX's operations alone. Export it without custom operators."
        )
    graphs = any(attribute.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS) for attribute in node.attribute)
    if node.op_type in LOOPS or graphs:
        raise BadInput(
            f"This ONNX file has a {node.op_type!r:.60} operation, which can run forever; expected a network without loops "
            "and branches. Export it by tracing one input."
        )


def _check_mode(node: NodeProto, switches: Mapping[str, bool]) -> None:
    """BadInput for batch normalization or dropout as in training; ``switches`` : values of the constant truth values."""
    training = False
    if node.op_type == "BatchNormalization":
        training = any(attribute.name == "training_mode" and attribute.i for attribute in node.attribute)
    elif node.op_type == "Dropout" and len(node.input) > 2 and node.input[2]:
        training = switches.get(node.input[2], True)
    if training:
        raise BadInput(
            "This ONNX file was exported in training mode, so its answers would depend on the batch; expected evaluation "
            "mode. Call model.eval() and export it again."
        )


def _switches(graph: GraphProto) -> dict[str, bool]:
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant" and node.output:
            values = [attribute.t for attribute in node.attribute if attribute.name == "value"]
            tensors.update((node.output[0], value) for value in values)
    return {
        name: bool(numpy_helper.to_array(tensor).any())
        for name, tensor in tensors.items()
        if tensor.data_type == TensorProto.BOOL
    }


def _check_tensors(graph: GraphProto) -> None:
    claimed = 0
    for tensor in _tensors(graph):
        if tensor.data_location == TensorProto.EXTERNAL or tensor.external_data:
            raise BadInput(
                "This ONNX file keeps its weights in another file beside it; expected one file that holds everything. "
                "Export it again with torch.onnx.export(..., external_data=False)."
            )
        if any(size < 0 for size in tensor.dims):
            raise BadInput("This ONNX file claims weights of negative size; expected a sound file. Export it again.")
        claimed += int(np.prod([int(size) for size in tensor.dims], dtype=object))
        if claimed > MAX_PARAMETERS:
            raise BadInput(
                f"This ONNX file claims more than {MAX_PARAMETERS:,} weights, the limit. Use a prediction table for "
                "a model of that size."
            )


def _tensors(graph: GraphProto) -> Iterator[TensorProto]:
    yield from graph.initializer
    for sparse in graph.sparse_initializer:
        yield from (sparse.values, sparse.indices)
    for node in graph.node:
        for attribute in node.attribute:
            yield attribute.t
            yield from attribute.tensors
            for sparse in (attribute.sparse_tensor, *attribute.sparse_tensors):
                yield from (sparse.values, sparse.indices)
