"""What each of an ONNX file's inputs is, and which of its outputs holds the scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto

from testimate.core.errors import BadInput
from testimate.subjects.models.batches import InputSpec
from testimate.subjects.models.bounds import input_size

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
            raise BadInput(f"The model takes no input; expected one. Export it with its input. {TABLE}")
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
                f"The model takes columns, and {', '.join(words):.150} of them are words; expected numbers, or one text alone. "
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
                f"The model takes {len(taken)} inputs ({shapes:.200}); expected one, or columns of one number each, or "
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

    ``width`` : how many scores the file declares per input; 1 if it does not say.
    """

    name: str
    class_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    width: int = 1


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
                f"The model gives {len(outputs)} outputs ({', '.join(outputs):.200}) and nothing says which holds the scores. "
                "Keep the one that does: onnx.utils.extract_model(file, new_file, [input], [output]). "
                f"{TABLE}"
            )
        chosen = candidates[0]
    notes = () if len(outputs) == 1 else (f"{chosen}, of the outputs {', '.join(outputs):.200}",)
    if chosen in maps:
        node = makers[chosen]
        return Scores(node.input[0], _labels(node), notes)
    declared = next(value for value in graph.output if value.name == chosen)
    listed = next((_labels(node) for node in graph.node if _labels(node)), ())
    return Scores(chosen, listed, notes, input_size(_sizes(declared)[1:]))


def _sizes(value: ValueInfoProto) -> tuple[int | None, ...]:
    """The declared length of each axis, None if it is variable; exporters write -1 or 0 for that."""
    return tuple(axis.dim_value if axis.dim_value > 0 else None for axis in value.type.tensor_type.shape.dim)


def _operation(makers: Mapping[str, NodeProto], name: str) -> str:
    return makers[name].op_type if name in makers else ""


def _labels(node: NodeProto) -> tuple[str, ...]:
    """The classes that a classifier of ai.onnx.ml lists; none if they are only numbered."""
    for attribute in node.attribute:
        if attribute.name == "classlabels_strings" and attribute.strings:
            return tuple(name.decode("utf-8", "replace") for name in attribute.strings)
        if attribute.name in ("classlabels_int64s", "classlabels_ints") and attribute.ints:
            numbered = list(attribute.ints) == list(range(len(attribute.ints)))
            return () if numbered else tuple(map(str, attribute.ints))
    return ()


def _spec(value: ValueInfoProto) -> InputSpec:
    tensor = value.type.tensor_type
    if tensor.elem_type not in (*TYPES, TensorProto.STRING):
        raise BadInput(
            f"The input {value.name!r:.60} of the model takes values that are neither plain numbers nor texts; expected one of "
            f"these. Export the part behind its encoder. {TABLE}"
        )
    sizes = _sizes(value)
    for axis in tensor.shape.dim:
        if axis.HasField("dim_value") and axis.dim_value <= 0:
            axis.dim_param = "any"
    if not sizes:
        raise BadInput("The model's input has no axes; expected a batch of inputs. Export it with its input's shape.")
    if tensor.elem_type == TensorProto.STRING and sizes[1:] not in ((), (1,)):
        raise BadInput(
            f"The input {value.name!r:.60} of the model takes {sizes[1] or 'any number of'} words per input; expected one "
            f"text. {TABLE}"
        )
    return InputSpec(shape=sizes[1:], type=TYPES.get(tensor.elem_type, "str"), batch=sizes[0])
