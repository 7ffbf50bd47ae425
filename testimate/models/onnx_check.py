"""Checks an ONNX file before the runtime sees it, so that nothing in it can use other files or programs.

What each of an ONNX file's inputs is, and which of its outputs holds the scores.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import onnx.inliner
from numpy.typing import NDArray
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, numpy_helper

from testimate.core.errors import BadInput
from testimate.core.words import commas
from testimate.models.bounds import MAX_LAYERS, MAX_PARAMETERS, input_size
from testimate.models.graph import InputSpec
from testimate.models.onnx_parts import ONE_FILE, OnnxParts, plain_name, unpacked

OWN_DOMAINS = frozenset({"", "ai.onnx", "ai.onnx.ml"})
RUNTIME = "com.microsoft"
"""The domain of ONNX Runtime's own operations."""

OF_THE_RUNTIME = frozenset({(RUNTIME, "Tokenizer")})
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
            f"This ONNX file cannot be read ({type(error).__name__}). Expected a complete one. Export the model again."
        ) from error
    if model.functions:
        model = _without_functions(model)
    graphs = list(all_graphs(model.graph))
    count = sum(len(graph.node) for graph in graphs)
    if count > MAX_LAYERS:
        raise BadInput(
            f"This ONNX file has {commas(count)} operations. Expected at most {commas(MAX_LAYERS)}. Simplify it."
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
                    f"({node.op_type!r:.60}). Expected a network that ends. Export it by tracing one input."
                )
            if called in functions and called not in sizes:
                sizes[called] = size(functions[called].node, (*around, called))
            count += sizes.get(called, 1) + sum(size(inner.node, around) for inner in inner_graphs(node))
        return count

    count = size(model.graph.node, ())
    if count > MAX_LAYERS:
        raise BadInput(
            f"The functions in this ONNX file make {commas(count)} operations. Expected at most {commas(MAX_LAYERS)}. Simplify "
            "it."
        )
    try:
        return onnx.inliner.inline_local_functions(model)
    except Exception as error:  # the runtime's C++ errors
        raise BadInput(
            f"The functions in this ONNX file cannot be put into its graph ({error!s:.100}). Expected an intact file. "
            "Export it again with torch.onnx.export(..., optimize=True)."
        ) from error


def all_graphs(graph: GraphProto, depth: int = 0) -> Iterator[GraphProto]:
    """The graph and those inside it: branches and the bodies of loops."""
    if depth > MAX_DEPTH:
        raise BadInput(
            f"This ONNX file nests graphs more than {MAX_DEPTH} deep. Expected fewer levels. Export it by tracing one input."
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
    if node.domain == RUNTIME and (node.domain, node.op_type) not in OF_THE_RUNTIME:
        raise BadInput(
            f"This ONNX file uses an operation of ONNX Runtime alone ({node.op_type!r:.60}), as its quantization and its "
            "optimizer write. Expected ONNX's operations. Quantize again with quant_format=QuantFormat.QDQ, or export it "
            "without optimizing."
        )
    if node.domain not in OWN_DOMAINS and (node.domain, node.op_type) not in OF_THE_RUNTIME:
        raise BadInput(
            f"This ONNX file uses an operation that is not ONNX's own ({node.domain!r:.60}, {node.op_type!r:.60}), which would "
            "need a program of its maker. Expected ONNX's operations alone. Export it without custom operators."
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
            "This ONNX file was exported in training mode, so its answers would depend on the batch. Expected evaluation "
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
            raise BadInput("This ONNX file claims weights of negative size. Expected an intact file. Export it again.")
        claimed += int(np.prod([int(size) for size in tensor.dims], dtype=object))
        if claimed > MAX_PARAMETERS:
            raise BadInput(
                f"This ONNX file claims more than {commas(MAX_PARAMETERS)} weights. Expected at most that many. Use a "
                "prediction table for a model of that size."
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
                f"This ONNX file keeps its weights in {name!r:.80}, which is not beside it. Expected both together. Put "
                f"them into one zip or folder, and choose that; or export it again as one file: {ONE_FILE}."
            )
        held = parts.beside[name]
        start, length = entries.get("offset", "0"), entries.get("length", "")
        if not start.isdecimal() or not (length or "0").isdecimal() or len(start + length) > 30:
            raise BadInput(
                f"This ONNX file does not say where in {name!r:.80} its weights are. Expected an offset and a length. "
                "Export it again."
            )
        first = int(start)
        last = first + int(length) if length else len(held)
        if not 0 <= first <= last <= len(held):
            raise BadInput(
                f"{name!r:.80} has {commas(len(held))} bytes and the model's weights end at {commas(last)}. Expected "
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


TYPES: Mapping[int, str] = {
    TensorProto.FLOAT: "float32",
    TensorProto.FLOAT16: "float16",
    TensorProto.DOUBLE: "float64",
    TensorProto.INT64: "int64",
    TensorProto.INT32: "int32",
    TensorProto.INT8: "int8",
    TensorProto.UINT8: "uint8",
}

IDS, MASK, KINDS = "input_ids", "attention_mask", "token_type_ids"
"""Names that Hugging Face's exports give to the tokens, to their mask, and to the number of the text they belong to."""

SCORES = ("prob", "logit", "score")
"""Parts of the names of outputs with scores, the likeliest first."""

TABLE = "Or run the model where it is and bring a prediction table."


class OnnxInputs:
    """What a model takes: one array, columns of a table by their names, or tokens with their mask.

    ``name`` : of the value that represents the input. ``columns`` : names of the table's columns, empty if it takes an
        array. ``masks`` : whether it takes a mask with the tokens.

    Parameters
    ----------
    taken : the model's inputs. padding : number of the padding token. filler : the number used for it in the batches;
        the mask is 0 there.

    Raises BadInput where there are several inputs of another kind, or one takes words beside others.
    """

    def __init__(self, taken: Sequence[ValueInfoProto], *, padding: int = 0, filler: int = 0) -> None:
        self._padding, self._filler = padding, filler
        self.masks = False
        self._names = tuple(value.name for value in taken)
        self.columns: tuple[str, ...] = ()
        self.notes: tuple[str, ...] = ()
        if not taken:
            raise BadInput(f"The model takes no input. Expected one. Export it with its input. {TABLE}")
        specs = [_spec(value) for value in taken]
        self._types = {name: spec.type for name, spec in zip(self._names, specs, strict=True)}
        self.name, self.spec = self._names[0], specs[0]
        if len(taken) == 1:
            self._tall = self.spec.type == "str" and self.spec.shape == (1,)
            if self.spec.type == "str":
                self.spec = InputSpec(shape=(), type="str", batch=self.spec.batch)
            return
        others = set(self._names) - {IDS}
        words = [name for name, spec in zip(self._names, specs, strict=True) if spec.type == "str"]
        if IDS in self._names and others <= {MASK, KINDS}:
            self.name, self.spec = IDS, specs[self._names.index(IDS)]
            self.masks = MASK in others
            beside = [f"{MASK} is 0 where a text is padded, with token {padding}"] if self.masks else []
            self.notes = ("; ".join([*beside, *([f"{KINDS} is 0"] if KINDS in others else [])]),)
        elif all(spec.shape in ((), (1,)) for spec in specs) and words:
            raise BadInput(
                f"The model takes columns, and {', '.join(words):.150} of them are words. Expected numbers, or one text alone. "
                f"{TABLE}"
            )
        elif all(spec.shape in ((), (1,)) for spec in specs):
            whole = all(np.dtype(spec.type).kind in "iu" for spec in specs)
            self.columns = self._names
            self.spec = InputSpec(shape=(len(taken),), type="int64" if whole else "float32", batch=specs[0].batch)
            self._shapes = {name: spec.shape for name, spec in zip(self._names, specs, strict=True)}
        else:
            shapes = ", ".join(f"{name} {spec.shape}" for name, spec in zip(self._names, specs, strict=True))
            raise BadInput(
                f"The model takes {len(taken)} inputs ({shapes:.200}). Expected one, or columns of one number each, or "
                f"{IDS} with {MASK}. Export a model that takes one array and splits it. {TABLE}"
            )

    def fed(self, batch: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """The runtime's inputs for an arranged batch."""
        if self.columns:
            return {
                name: batch[:, place].astype(self._types[name]).reshape(len(batch), *self._shapes[name])
                for place, name in enumerate(self.columns)
            }
        if self.spec.type == "str":
            return {self.name: batch[:, None] if self._tall else batch}
        ids = batch if self._filler == self._padding else np.where(batch == self._filler, self._padding, batch)
        fed = {self.name: ids.astype(batch.dtype, copy=False)}
        for name in self._names:
            if name == MASK and name != self.name:
                fed[name] = (batch != self._filler).astype(self._types[name])
            elif name == KINDS and name != self.name:
                fed[name] = np.zeros(batch.shape, dtype=self._types[name])
        return fed


@dataclass(frozen=True)
class Scores:
    """The value that holds the scores, the classes listed in the file, and a note on the choice.

    ``width`` : how many scores the file declares per input; 1 if it does not say. ``places`` : where the value is the name
    or number of the predicted class, its place among the classes; empty where it holds scores or counts from 0. ``label`` :
    the output that names the predicted class beside the scores; "" without one.
    """

    name: str
    class_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    width: int = 1
    places: Mapping[Any, int] = field(default_factory=dict)
    label: str = ""


def find_scores(graph: GraphProto) -> Scores:
    """The output that holds the probabilities or scores; BadInput where several might.

    A ZipMap, which makes a list of maps for a person, is skipped: its input is the array of probabilities.
    """
    makers = {name: node for node in graph.node for name in node.output}
    maps = {value.name for value in graph.output if _operation(makers, value.name) == "ZipMap"}
    tensors = [value.name for value in graph.output if value.type.tensor_type.elem_type in (1, 10, 11)]
    outputs = [value.name for value in graph.output]
    if len(outputs) == 1:
        chosen = outputs[0]
    else:
        by_name = [name for part in SCORES for name in tensors if part in name.casefold()]
        candidates = sorted(maps) or by_name[:1] or tensors
        if len(candidates) != 1:
            raise BadInput(
                f"The model gives {len(outputs)} outputs ({', '.join(outputs):.200}) and nothing says which contains the "
                "scores. Expected one. Keep the one that does: onnx.utils.extract_model(file, new_file, [input], [output]). "
                f"{TABLE}"
            )
        chosen = candidates[0]
    notes = () if len(outputs) == 1 else (f"{chosen}, of the outputs {', '.join(outputs):.200}",)
    kinds = {value.name: value.type.tensor_type.elem_type for value in graph.output}
    label = next((name for name in outputs if name != chosen and kinds[name] in (TensorProto.STRING, *WHOLE)), "")
    from_words = _only_words(graph) if label and kinds[label] == TensorProto.STRING else ()
    if not from_words and not any(one.name.startswith("classlabels") for node in graph.node for one in node.attribute):
        label = ""  # nothing says which class it numbers
    if chosen in maps:
        node = makers[chosen]
        return Scores(node.input[0], _labels(node), notes, label=label)
    declared = next(value for value in graph.output if value.name == chosen)
    listed = next((_labels(node) for node in graph.node if _labels(node)), from_words)
    maker = makers.get(chosen)
    kind = declared.type.tensor_type.elem_type
    if (
        maker is not None and maker.output[0] == chosen and _labels(maker)
    ):  # a graph cut to one output may not say its type
        kind = TensorProto.STRING if any(one.name == WORDS_OF for one in maker.attribute) else TensorProto.INT64
    elif not kind and _takes_words(chosen, makers, graph):
        kind = TensorProto.STRING
    if kind == TensorProto.STRING:
        listed = listed or _only_words(graph)
        if not listed:
            raise BadInput(
                f"The model's output {chosen!r:.60} is words, and no list in the file says which there are. Expected a list of "
                f"its classes, or their probabilities. Export it with its probabilities. {TABLE}"
            )
        return Scores(chosen, listed, notes, places={name: place for place, name in enumerate(listed)})
    given = {int(name): place for place, name in enumerate(listed) if name.lstrip("-").isdecimal()}
    numbered = listed if kind in WHOLE and len(given) == len(listed) and input_size(_sizes(declared)[1:]) == 1 else ()
    return Scores(chosen, listed, notes, input_size(_sizes(declared)[1:]), given if numbered else {}, label)


WHOLE = (TensorProto.INT64, TensorProto.INT32)


def _takes_words(name: str, makers: Mapping[str, NodeProto], graph: GraphProto) -> bool:
    """Whether a value without a type is taken from a list of words, by places that the model computes."""
    words = {tensor.name for tensor in graph.initializer if tensor.data_type == TensorProto.STRING}
    while _operation(makers, name) in ("Reshape", "Identity", "Squeeze", "Flatten"):
        name = makers[name].input[0]
    return _operation(makers, name) in ("ArrayFeatureExtractor", "Gather") and makers[name].input[0] in words


def _only_words(graph: GraphProto) -> tuple[str, ...]:
    """The only list of different words among the constants, of which the label is taken; none where there are several."""
    lists = [tensor for tensor in graph.initializer if tensor.data_type == TensorProto.STRING]
    words = [tuple(one.decode("utf-8", "replace") for one in tensor.string_data) for tensor in lists]
    words = [one for one in words if len(one) > 1 and len({*one}) == len(one)]
    return words[0] if len(words) == 1 else ()


def _sizes(value: ValueInfoProto) -> tuple[int | None, ...]:
    """The declared length of each axis, None if it is variable; exporters write -1 or 0 for that."""
    return tuple(axis.dim_value if axis.dim_value > 0 else None for axis in value.type.tensor_type.shape.dim)


def _operation(makers: Mapping[str, NodeProto], name: str) -> str:
    return makers[name].op_type if name in makers else ""


WORDS_OF = "classlabels_strings"


def _labels(node: NodeProto) -> tuple[str, ...]:
    """The classes that a classifier of ai.onnx.ml lists; none if they are only numbered."""
    for attribute in node.attribute:
        if attribute.name == WORDS_OF and attribute.strings:
            return tuple(name.decode("utf-8", "replace") for name in attribute.strings)
        if attribute.name in ("classlabels_int64s", "classlabels_ints") and attribute.ints:
            numbered = list(attribute.ints) == list(range(len(attribute.ints)))
            return () if numbered else tuple(map(str, attribute.ints))
    return ()


def _spec(value: ValueInfoProto) -> InputSpec:
    tensor = value.type.tensor_type
    if tensor.elem_type not in (*TYPES, TensorProto.STRING):
        raise BadInput(
            f"The input {value.name!r:.60} of the model takes values that are neither plain numbers nor texts. Expected one of "
            f"these. Export the part behind its encoder. {TABLE}"
        )
    sizes = _sizes(value)
    for axis in tensor.shape.dim:
        if axis.HasField("dim_value") and axis.dim_value <= 0:
            axis.dim_param = "any"
    if not sizes:
        raise BadInput("The model's input has no axes. Expected a batch of inputs. Export it with its input's shape.")
    if tensor.elem_type == TensorProto.STRING and sizes[1:] not in ((), (1,)):
        raise BadInput(
            f"The input {value.name!r:.60} of the model takes {sizes[1] or 'any number of'} words per input. Expected one "
            f"text. {TABLE}"
        )
    return InputSpec(shape=sizes[1:], type=TYPES.get(tensor.elem_type, "str"), batch=sizes[0])
