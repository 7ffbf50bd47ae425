"""A network of named values as a Model: finds the layers in each role, and turns its output into probabilities."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.machine import ran_out
from testimate.models.bounds import check_classes, check_input_size
from testimate.models.confinement import Device
from testimate.models.facts import (
    WITHOUT_CHANCES,
    Channels,
    Closing,
    ModelFacts,
    OutputKind,
    PictureRange,
    channels_of,
    check_output_kind,
    judge_output,
    to_probabilities,
    two_sided,
)

Operation = Literal["dense", "kernel", "bias", "scaling", "softmax", "log-softmax", "sigmoid", "pass", "other"]
"""dense: a matrix times its input. kernel: a convolution, an embedding, a recurrent layer. scaling: every number times or
less a constant. pass: only shape or type changes."""


@dataclass(frozen=True)
class Node:
    """One operation: the names of the values it takes, constants left out, and of the one it gives.

    ``weighted`` : whether it uses a learned matrix or kernel. ``constant`` : whether any input is a constant.
    """

    operation: Operation
    inputs: tuple[str, ...]
    output: str
    weighted: bool = False
    constant: bool = False


@dataclass(frozen=True)
class Parts:
    """Names of the values that have a role.

    ``first`` : the output of the first operation with weights. ``hidden`` : the input of the last dense one.
        ``dense`` : its output, or the network's if there is none. Without any weights ``first`` and ``hidden`` are
        None. ``closing`` : the operation at the end, if it is a closing one; ``before_closing`` : its input, or the
        network's output. ``scaled`` : the input of the first operation with weights, if only constants that scale or
        shift come before it; None otherwise.
    """

    first: str | None
    hidden: str | None
    dense: str
    closing: Closing | None
    before_closing: str
    scaled: str | None = None


def varying_nodes(nodes: Iterable[Node], constants: Collection[str]) -> list[Node]:
    """The nodes that depend on the input: a node with only constant inputs is a constant itself."""
    fixed, varying = set(constants), []
    for node in nodes:
        inputs = tuple(name for name in node.inputs if name not in fixed)
        if not inputs:
            fixed.add(node.output)
            continue
        constant = len(inputs) < len(node.inputs) or node.constant
        weighted = node.weighted or (constant and node.operation in ("dense", "kernel"))
        varying.append(Node(node.operation, inputs, node.output, weighted, constant))
    return varying


def find_parts(nodes: Sequence[Node], output: str) -> Parts:
    """The parts of the network, or other model, that ends in the value ``output``."""
    maker = {node.output: node for node in nodes}
    needed = _ancestors(maker, output)
    way = [node for node in nodes if node.output in needed]
    weighted = [node for node in way if node.weighted]
    closing, before = _closing(maker, output)
    if not weighted:
        return Parts(first=None, hidden=None, dense=output, closing=closing, before_closing=before)
    last = next((node for node in reversed(weighted) if node.operation == "dense"), weighted[-1])
    return Parts(
        first=_with_bias(way, weighted[0]),
        hidden=last.inputs[0],
        dense=_with_bias(way, last),
        closing=closing,
        before_closing=before,
        scaled=_scaled(maker, weighted[0]),
    )


def _ancestors(maker: Mapping[str, Node], output: str) -> set[str]:
    found, waiting = {output}, [output]
    while waiting:
        node = maker.get(waiting.pop())
        new = [] if node is None else [name for name in node.inputs if name not in found]
        found.update(new)
        waiting += new
    return found


def _with_bias(way: Sequence[Node], node: Node) -> str:
    """The node's value with its bias, if a separate node adds it."""
    takers = [other for other in way if node.output in other.inputs]
    if len(takers) == 1 and takers[0].operation == "bias" and takers[0].constant:
        return takers[0].output
    return node.output


def _scaled(maker: Mapping[str, Node], first: Node) -> str | None:
    """The input of the first operation with weights, if the model itself scales its input before it."""
    name, scales = first.inputs[0], False
    while name in maker:
        node = maker[name]
        if len(node.inputs) != 1 or node.operation not in ("scaling", "bias", "pass"):
            return None
        scales = scales or node.operation != "pass"
        name = node.inputs[0]
    return first.inputs[0] if scales else None


def _closing(maker: Mapping[str, Node], output: str) -> tuple[Closing | None, str]:
    name = output
    while name in maker:
        node = maker[name]
        if node.operation in ("softmax", "log-softmax", "sigmoid"):
            return node.operation, node.inputs[0]
        if node.operation != "pass":
            break
        name = node.inputs[0]
    return None, output


Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class InputSpec:
    """What a model takes: the ``shape`` of one input (None: any length) and numpy's name of its ``type``, "str" for texts.

    ``batch`` is the number of inputs it takes at a time if that is fixed, else None.
    """

    shape: tuple[int | None, ...]
    type: str
    batch: int | None = None


def arranged(batch: NDArray[Any], spec: InputSpec) -> NDArray[Any]:
    """The batch (n, ...) in the model's shape and type.

    Gray pictures get a channel axis, numbers in a row axes of length 1, channels move first or last, and inputs are flattened
    if only one of these fits; nothing is scaled. Raises BadInput where nothing fits, or for fractions where the model takes
    whole numbers.
    """
    count, shape = len(batch), batch.shape[1:]
    for candidate in _candidates(batch):
        if _fits(candidate.shape[1:], spec.shape):
            return _typed(candidate, spec)
    if spec.shape and None not in spec.shape and shape and len(spec.shape) == 1 and np.prod(shape) == spec.shape[0]:
        return _typed(batch.reshape(count, -1), spec)
    if len(shape) == 1 and [side or shape[0] for side in spec.shape if side != 1] == [*shape]:
        return _typed(batch.reshape(count, *(side or shape[0] for side in spec.shape)), spec)
    if len(spec.shape) == len(shape) == 1:
        raise BadInput(
            f"The model takes {_shown(spec.shape)} numbers per input and these have {_shown(shape)}. Expected those it was "
            "trained on, in that order. Leave the other columns out, or choose the dataset that belongs to it."
        )
    raise BadInput(
        f"The model takes inputs of shape {_shown(spec.shape)} and these have {_shown(shape)}. Expected inputs like "
        "those it was trained on. Choose the dataset that belongs to it, or resize its pictures."
    )


def in_chunks(
    run: Callable[[NDArray[Any], Sequence[str]], Arrays], batch: NDArray[Any], names: Sequence[str], size: int | None
) -> Arrays:
    """The outputs of ``run`` for the batch, ``size`` inputs at a time; the last ones are filled up with repeats."""
    if size is None or len(batch) == size:
        return run(batch, names)
    parts: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
    for start in range(0, len(batch), size):
        some = batch[start : start + size]
        filled = some if len(some) == size else np.concatenate([some, np.repeat(some[-1:], size - len(some), axis=0)])
        for name, said in run(filled, names).items():
            parts[name].append(said[: len(some)] if said.ndim and len(said) == size else said)
    return {name: np.concatenate(said) for name, said in parts.items()}


def flat(layer: str, said: NDArray[Any], count: int) -> NDArray[np.float32]:
    """A layer's output as (count, width) float32; BadInput where it is not one row per input."""
    if said.ndim == 0 or len(said) != count or said.dtype.kind not in "fiub":
        raise BadInput(
            f"Layer {layer!r:.60} gives {said.dtype} of shape {said.shape} for {count} inputs. Expected one row of "
            "numbers "
            "per input. Choose another layer."
        )
    return np.ascontiguousarray(said.reshape(count, -1), dtype=np.float32)


def cannot_run(runner: str, batch: NDArray[Any], error: Exception) -> BadInput | MemoryError:
    """The error to raise when ``runner`` failed on an arranged batch: MemoryError if that is the reason."""
    text = str(error)
    if ran_out(error):
        return MemoryError(text)
    return BadInput(
        f"{runner} cannot run inputs of shape {batch.shape} and type {batch.dtype} ({text:.200}). Expected inputs like "
        "those the model was trained on. Choose the dataset that belongs to it."
    )


def _candidates(batch: NDArray[Any]) -> list[NDArray[Any]]:
    if batch.ndim == 3:
        return [batch, batch[:, None], batch[..., None]]
    if batch.ndim == 4:
        return [batch, np.moveaxis(batch, 3, 1), np.moveaxis(batch, 1, 3)]
    return [batch]


def _fits(shape: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    return len(shape) == len(wanted) and all(need in (None, size) for size, need in zip(shape, wanted, strict=True))


def _typed(batch: NDArray[Any], spec: InputSpec) -> NDArray[Any]:
    if spec.type == "str":
        if batch.dtype.kind != "U":
            raise BadInput(
                "The model takes texts and these inputs are numbers. Expected texts as they are. Choose the dataset that "
                "belongs to it, and leave its texts uncut."
            )
        return batch
    if batch.dtype.kind not in "fiub":
        raise BadInput(
            f"The inputs are of type {batch.dtype}. Expected numbers. Turn words into token ids as the model's training did."
        )
    wanted = np.dtype(spec.type)
    with np.errstate(invalid="ignore"):  # nan and infinity become some whole number, which is detected below
        typed = np.ascontiguousarray(batch, dtype=wanted)
    if wanted.kind in "iu" and not np.array_equal(typed, batch):
        raise BadInput(
            f"The model takes whole numbers ({spec.type}, token ids as a rule) and these inputs are not. Expected whole "
            "numbers in that range. Choose the dataset that belongs to it, without scaling."
        )
    return typed


def _shown(shape: tuple[int | None, ...]) -> str:
    return " x ".join("any" if size is None else str(size) for size in shape) or "a single value"


INPUT, PROBABILITIES, OUTPUT, TWO_LOGITS = "(input)", "(probabilities)", "(output)", "(two logits)"
"""Names of the layers that are not values of the network: the flattened input, the class probabilities, the output as it
is, and a single logit as those of two classes."""

NO_LAYERS = "no layers with weights, so it gives predictions and confidences, and no hidden features"

LOGITS_OF: Mapping[OutputKind, OutputKind] = {
    "probabilities": "logits",
    "log-probabilities": "logits",
    "one probability": "one logit",
    "several probabilities": "several logits",
}
"""Probabilities and the logits they come from."""

SEED = 0
"""Seed of the inputs made up to run a network once."""

PROBES, SIZES = 4, (28, 32, 64, 128, 224, 299, 16, 8)
"""How many inputs are made up, and the lengths tried if the length is variable."""


MADE_UP_TEXTS = ("a", "The weather is fine today.", "0", "I would not buy it again: it broke, and nobody answered.")
"""For a model that takes texts as they are."""

MIN_SPREAD = 0.05
_RANGES: tuple[tuple[PictureRange, float, float], ...] = (("0 to 1", 1.0, 10.0), ("0 to 255", 255.0, 200.0))
"""Ranges of pictures, their largest number, and how far the scaled numbers may spread if the range is right."""


class NeedsExample(BadInput):
    """The model cannot be opened without an input of its dataset."""


class RunsTooLong(BadInput):
    """The model was stopped, so no other inputs are tried."""


class Graph(Protocol):
    """A network any of whose values can be computed."""

    spec: InputSpec
    input: str
    output: str
    nodes: Sequence[Node]
    parameters: int
    channels: Channels
    device: Device

    def values(self, batch: NDArray[Any], names: Sequence[str]) -> Arrays:
        """The named values for an arranged batch; BadInput where it cannot be run."""
        ...


class GraphModel:
    """A network as a Model.

    ORI : the flattened input. FL : the output of the first operation with weights. LHL : the input of the last dense
        one. logits : the input of the closing softmax or sigmoid, or the network's output if it has none. CON : the
        class probabilities; softmax is applied only if the network does not contain it. A regression has OUT, its
        output, instead of logits and CON. A model without weights, such as a forest, has neither FL nor LHL.

    Parameters
    ----------
    graph : the network, in evaluation mode. fingerprint : of its content and of the choices made here.
    example : (n, *shape) inputs as the dataset gives them; made up by default.
    output : what the output means, if the person knows; otherwise it is inferred.

    Raises
    ------
    BadInput : it cannot run the example, or does not answer with one row of numbers per input.
    NeedsExample : it could not be run on any made-up input.
    """

    def __init__(
        self, graph: Graph, *, fingerprint: str, example: NDArray[Any] | None = None, output: str | None = None
    ) -> None:
        self.fingerprint = fingerprint
        self._graph = graph
        parts = find_parts(graph.nodes, graph.output)
        wanted = (parts.first, parts.hidden, parts.dense, parts.before_closing, graph.output)
        check_input_size(graph.spec.shape)
        said = self._probe([name for name in wanted if name is not None], example)
        answers = said[graph.output]
        check_classes(answers.shape[1])
        if output is None:
            known = said[parts.dense if parts.closing is None else parts.before_closing]
            bare = parts.first is None and parts.closing is None  # for instance a forest, whose output is not a layer's
            self._kind: OutputKind = judge_output(
                answers, closing=parts.closing, logits=None if bare else known, whole=self._gives_whole
            )
        else:
            self._kind = check_output_kind(output, answers.shape[1])
        self._names = {INPUT: graph.input, PROBABILITIES: graph.output, OUTPUT: graph.output}
        named = self._named_roles(parts, said)
        self.roles: Mapping[str, str] = {
            role: INPUT if layer == graph.input else layer for role, layer in named.items()
        }
        made = [layer for layer in (TWO_LOGITS, OUTPUT, PROBABILITIES) if layer in named.values()]
        self.layers: Sequence[str] = (INPUT, *(node.output for node in graph.nodes), *made)
        widths = {
            role: self._made(layer, said[self._names.get(layer, layer)]).shape[1] for role, layer in named.items()
        }
        self.facts = ModelFacts(
            masks=getattr(graph, "masks", False),
            parameters=graph.parameters,
            layers=tuple(self.layers),
            roles=self.roles,
            widths=widths,
            input_shape=graph.spec.shape,
            input_type=graph.spec.type,
            channels=channels_of(graph.spec.shape, graph.channels),
            output=self._kind,
            classes=widths.get("CON", 0),
            class_names=tuple(getattr(graph, "class_names", ())),
            own_range=self._own_range(parts.scaled),
            columns=tuple(getattr(graph, "columns", ())),
            notes=(*getattr(graph, "notes", ()), *([NO_LAYERS] if parts.first is None else [])),
        )

    @property
    def device(self) -> Device:
        """The device it runs on."""
        return self._graph.device

    def run(self, batch: NDArray[Any], layers: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """Outputs of the named layers, each (len(batch), width) float32.

        Raises BadInput for an unknown layer, and for a batch that does not fit.
        """
        for layer in layers:
            if layer not in self.layers:
                known = ", ".join(self.layers)
                raise BadInput(
                    f"The model has no layer {layer!r:.60}. Expected one of {known:.500}. Choose one of these."
                )
        count, inputs = len(batch), arranged(batch, self._graph.spec)
        names = dict.fromkeys(self._names.get(layer, layer) for layer in layers if layer != INPUT)
        said = in_chunks(self._graph.values, inputs, list(names), self._graph.spec.batch) if names else {}
        return {
            layer: self._made(
                layer, flat(layer, inputs if layer == INPUT else said[self._names.get(layer, layer)], count)
            )
            for layer in layers
        }

    def _made(self, layer: str, values: NDArray[np.float32]) -> NDArray[np.float32]:
        if layer == PROBABILITIES:
            return to_probabilities(values, self._kind)
        return two_sided(values) if layer == TWO_LOGITS else values

    def _named_roles(self, parts: Parts, said: Mapping[str, NDArray[np.float32]]) -> dict[str, str]:
        """The values, or added layers, in each role."""
        roles = {} if self._graph.spec.type == "str" else {"ORI": self._graph.input}  # a text is not a row of numbers
        if parts.first is not None and parts.hidden is not None:
            roles |= {"FL": parts.first, "LHL": parts.hidden}
        if self._kind in WITHOUT_CHANCES:
            return {**roles, "OUT": OUTPUT}
        logits = self._logits(parts, said)
        if logits is not None and self._kind in ("one probability", "one logit"):
            self._names[TWO_LOGITS] = logits
            logits = TWO_LOGITS
        return {**roles, **({} if logits is None else {"logits": logits}), "CON": PROBABILITIES}

    def _logits(self, parts: Parts, said: Mapping[str, NDArray[np.float32]]) -> str | None:
        """The value whose softmax or sigmoid gives the probabilities, if there is one."""
        if self._kind not in LOGITS_OF:
            same = np.array_equal(said[parts.dense], said[self._graph.output])
            return parts.dense if same else self._graph.output
        probabilities = to_probabilities(said[self._graph.output], self._kind)
        for name in (parts.before_closing, parts.dense):
            values = said[name]
            if name == self._graph.output or values.shape != said[self._graph.output].shape:
                continue
            if np.allclose(to_probabilities(values, LOGITS_OF[self._kind]), probabilities, rtol=1e-3, atol=1e-5):
                return name
        return None

    def _own_range(self, scaled: str | None) -> PictureRange | None:
        """The range of pictures that the model takes, if its own first layers scale them.

        With the right range, the scaled numbers of made-up pictures are near zero and about one wide. A model for 8-bit
        whole numbers takes pictures as they are stored.
        """
        spec = self._graph.spec
        if len(spec.shape) == 3 and spec.type == "uint8":
            return "0 to 255"
        if scaled is None or len(spec.shape) != 3 or np.dtype(spec.type).kind != "f":
            return None
        for name, unit, most in _RANGES:
            for batch in _made_up(spec):
                try:
                    made = in_chunks(self._graph.values, (batch * unit).astype(spec.type), [scaled], spec.batch)[scaled]
                except BadInput:
                    continue
                spread = float(np.std(made))
                if MIN_SPREAD <= spread <= most and abs(float(np.mean(made))) <= 3 * spread:
                    return name
                break
        return None

    def _probe(self, names: Sequence[str], example: NDArray[Any] | None) -> dict[str, NDArray[np.float32]]:
        """The values for the example, or for the first made-up inputs that the network can run."""
        spec = self._graph.spec
        wanted = [name for name in dict.fromkeys(names) if name != self._graph.input]
        refused: BadInput | None = None
        for batch in [arranged(example, spec)] if example is not None else _made_up(spec):
            try:
                said = dict(in_chunks(self._graph.values, batch, wanted, spec.batch))
                if spec.type != "str":
                    said[self._graph.input] = batch
                _check_answers(said[self._graph.output], len(batch))
                self._gives_whole = said[self._graph.output].dtype.kind in "iu"
                return {name: flat(name, value, len(batch)) for name, value in said.items()}
            except RunsTooLong:
                raise
            except BadInput as error:
                refused = error
        if example is not None and refused is not None:
            raise refused
        raise NeedsExample(
            f"The model could not be run on inputs made up for it ({refused!s:.300}); it needs inputs of its own. Open it "
            "together with its dataset."
        )


Made = TypeVar("Made")


def first_that_runs(make: Callable[[NDArray[Any]], Made], example: NDArray[Any]) -> Made:
    """The result for the first arrangement of the example that the network can run; else the BadInput of the last one."""
    *others, last = channels_first(example)
    for arrangement in others:
        try:
            return make(arrangement)
        except BadInput:
            continue
    return make(last)


def channels_first(example: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """The arrangements to try: as PyTorch arranges pictures, if the example has their channels elsewhere, and as it is.

    A PyTorch file does not say what it takes, so the first arrangement that runs is used. Colors become gray, or gray
    three channels, if the model takes those; a model without convolutions may take all numbers in a row.
    """
    pictures = None
    if example.ndim == 4 and example.shape[3] in (1, 3, 4) and example.shape[1] not in (1, 3, 4):
        pictures = np.ascontiguousarray(np.moveaxis(example, 3, 1))
    elif example.ndim == 3:
        pictures = example[:, None]
    if pictures is not None:
        yield pictures
        if pictures.shape[1] == 1:
            yield np.repeat(pictures, 3, axis=1)
        else:
            yield pictures[:, :3].mean(axis=1, keepdims=True).astype(example.dtype)
        yield example.reshape(len(example), -1)
    yield example


def _check_answers(answers: NDArray[Any], count: int) -> None:
    """BadInput where the output is not one row of scores per input; axes of length one are allowed."""
    wide = [size for size in answers.shape[1:] if size != 1]
    if answers.ndim == 0 or len(answers) != count or len(wide) > 1:
        raise BadInput(
            f"The model answers {count} inputs with an array of shape {answers.shape}. Expected one row of numbers per input. "
            "Wrap it in a model that gives only its scores."
        )


def _made_up(spec: InputSpec) -> Iterator[NDArray[Any]]:
    """Inputs of the right shape and type; token ids are 0 and 1, which every vocabulary has."""
    if spec.type == "str":
        yield np.array(MADE_UP_TEXTS)
        return
    rng = np.random.default_rng(SEED)
    for size in SIZES if None in spec.shape else SIZES[:1]:
        shape = (spec.batch or PROBES, *(size if length is None else length for length in spec.shape))
        if np.dtype(spec.type).kind in "iu":
            yield rng.integers(0, 2, shape).astype(spec.type)
        else:
            yield rng.random(shape).astype(spec.type)
