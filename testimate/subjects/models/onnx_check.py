"""Checks an ONNX file before the runtime sees it, so that nothing in it can use other files or programs."""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import onnx
import onnx.inliner
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, numpy_helper

from testimate.core.errors import BadInput
from testimate.core.words import spaced
from testimate.subjects.models.bounds import MAX_LAYERS, MAX_PARAMETERS
from testimate.subjects.models.onnx_parts import ONE_FILE, OnnxParts, plain_name, unpacked

OWN_DOMAINS = frozenset({"", "ai.onnx", "ai.onnx.ml"})
OF_THE_RUNTIME = frozenset({("com.microsoft", "Tokenizer")})
"""Operations of the runtime itself, not of ONNX, that scikit-learn's text models use (skl2onnx)."""

MAX_DEPTH = 20
"""Graphs inside graphs: branches and the bodies of loops."""


def read_onnx(content: bytes) -> ModelProto:
    """The model in these bytes, with weights from files beside it put in, and with ONNX's own operations only.

    ``content`` : of the file, or a zip of it and its weight files. It may have branches and loops; their running time
        is limited where they run.

    Raises
    ------
    BadInput : damaged, weights outside the folder, other operations, training mode, too large.
    """
    parts = unpacked(content)
    try:
        model = onnx.load_model_from_string(parts.main)
    except Exception as error:  # protobuf's own errors come from several modules
        raise BadInput(
            f"This ONNX file cannot be read ({type(error).__name__}); expected a complete one. Export the model again."
        ) from error
    if model.functions:
        model = _without_functions(model)
    graphs = list(all_graphs(model.graph))
    count = sum(len(graph.node) for graph in graphs)
    if count > MAX_LAYERS:
        raise BadInput(
            f"This ONNX file has {spaced(count)} operations; expected at most {spaced(MAX_LAYERS)}. Simplify it."
        )
    _check_tensors(graphs)
    _fill_in(graphs, parts)
    switches: dict[str, bool] = {}
    for graph in graphs:
        switches |= _switches(graph)
        for node in graph.node:
            _check_node(node)
            _check_mode(node, switches)
    return model


def _without_functions(model: ModelProto) -> ModelProto:
    """The model with every function call replaced by its body; BadInput where that is too large or fails."""
    functions = {(one.domain, one.name, one.overload): one for one in model.functions}
    sizes: dict[tuple[str, str, str], int] = {}

    def size(nodes: Iterable[NodeProto], around: tuple[tuple[str, str, str], ...]) -> int:
        count = 0
        for node in nodes:
            called = (node.domain, node.op_type, node.overload)
            if called in around or len(around) > MAX_DEPTH:
                raise BadInput(
                    f"A function in this ONNX file calls itself, or calls others more than {MAX_DEPTH} deep "
                    f"({node.op_type!r:.60}); expected a network that ends. Export it by tracing one input."
                )
            if called in functions and called not in sizes:
                sizes[called] = size(functions[called].node, (*around, called))
            count += sizes.get(called, 1) + sum(size(inner.node, around) for inner in inner_graphs(node))
        return count

    count = size(model.graph.node, ())
    if count > MAX_LAYERS:
        raise BadInput(
            f"The functions in this ONNX file make {spaced(count)} operations; expected at most {spaced(MAX_LAYERS)}. Simplify "
            "it."
        )
    try:
        return onnx.inliner.inline_local_functions(model)
    except Exception as error:  # the runtime's C++ errors
        raise BadInput(
            f"The functions in this ONNX file cannot be put into its graph ({error!s:.100}); expected an intact file. "
            "Export it again with torch.onnx.export(..., optimize=True)."
        ) from error


def all_graphs(graph: GraphProto, depth: int = 0) -> Iterator[GraphProto]:
    """The graph and those inside it: branches and the bodies of loops."""
    if depth > MAX_DEPTH:
        raise BadInput(
            f"This ONNX file nests graphs more than {MAX_DEPTH} deep, the limit. Export it by tracing one input."
        )
    yield graph
    for node in graph.node:
        for inner in inner_graphs(node):
            yield from all_graphs(inner, depth + 1)


def inner_graphs(node: NodeProto) -> Iterator[GraphProto]:
    """The branches of an If, the body of a Loop or Scan."""
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            yield attribute.g
        elif attribute.type == AttributeProto.GRAPHS:
            yield from attribute.graphs


def _check_node(node: NodeProto) -> None:
    if node.domain not in OWN_DOMAINS and (node.domain, node.op_type) not in OF_THE_RUNTIME:
        raise BadInput(
            f"This ONNX file uses an operation that is not ONNX's own ({node.domain!r:.60}, {node.op_type!r:.60}), which would "
            "need a program of its maker; expected ONNX's operations alone. Export it without custom operators."
        )


def _check_mode(node: NodeProto, switches: Mapping[str, bool]) -> None:
    """BadInput for batch normalization or dropout in training mode; ``switches`` : the constant truth values."""
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


def _check_tensors(graphs: Iterable[GraphProto]) -> None:
    claimed = 0
    for tensor in (tensor for graph in graphs for tensor in _tensors(graph)):
        if any(size < 0 for size in tensor.dims):
            raise BadInput("This ONNX file claims weights of negative size; expected an intact file. Export it again.")
        claimed += int(np.prod([int(size) for size in tensor.dims], dtype=object))
        if claimed > MAX_PARAMETERS:
            raise BadInput(
                f"This ONNX file claims more than {spaced(MAX_PARAMETERS)} weights, the limit. Use a prediction table for "
                "a model of that size."
            )


def _fill_in(graphs: Iterable[GraphProto], parts: OnnxParts) -> None:
    """Puts the weights from the files beside the model into it; BadInput where one is missing or too short."""
    for tensor in (tensor for graph in graphs for tensor in _tensors(graph)):
        if tensor.data_location != TensorProto.EXTERNAL and not tensor.external_data:
            continue
        entries = {entry.key: entry.value for entry in tensor.external_data}
        name = plain_name(entries.get("location", ""))
        if name not in parts.beside:
            raise BadInput(
                f"This ONNX file keeps its weights in {name!r:.80}, which is not beside it. Put both files into one zip, or "
                f"into one folder, and choose that; or export it again as one file: {ONE_FILE}."
            )
        held = parts.beside[name]
        start, length = entries.get("offset", "0"), entries.get("length", "")
        if not start.isdecimal() or not (length or "0").isdecimal() or len(start + length) > 30:
            raise BadInput(f"This ONNX file does not say where in {name!r:.80} its weights are. Export it again.")
        first = int(start)
        last = first + int(length) if length else len(held)
        if not 0 <= first <= last <= len(held):
            raise BadInput(
                f"{name!r:.80} has {spaced(len(held))} bytes and the model's weights end at {spaced(last)}; expected "
                "the file of the same export. Copy or export both again."
            )
        tensor.raw_data = held[first:last]
        tensor.ClearField("external_data")
        tensor.ClearField("data_location")


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
