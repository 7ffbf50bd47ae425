"""An ONNX file as a graph of values: the wanted ones are appended to its outputs, and onnxruntime runs it."""

import locale
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

from testimate.core.errors import BadInput
from testimate.datasets.class_lists import names_in_metadata
from testimate.models.bounds import check_classes
from testimate.models.confinement import Device, is_visible
from testimate.models.facts import Channels
from testimate.models.graph import Arrays, Node, Operation, RunsTooLong, cannot_run, varying_nodes
from testimate.models.onnx_check import TYPES, OnnxInputs, Scores, find_scores, inner_graphs, read_onnx

KEPT_SESSIONS = 2
"""Sets of wanted values whose sessions are cached; each holds the weights."""

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
ANY_LANGUAGE = "C.UTF-8"
MADE_UP = 64
"""Inputs made up to compare a classifier's label with its scores, and their seed."""

ANOTHER_CLASS = (
    "names another class than its largest score on most inputs made up for it: see whether the classes are exchanged"
)
NEARLY_ALWAYS = 0.95
IN_ITS_ORDER = "names another class than its largest score, so that each score is read as that of the class it names"
"""What is noted about a label where an order of the classes explains it on so many of the inputs made up."""

LOOP_SECONDS = 60.0
"""Seconds for one batch of a model with branches or loops, which could run forever."""


class OnnxGraph:
    """The network in an ONNX file, from its bytes.

    Of several outputs the probabilities are taken. Several inputs of one number each are columns of a table; token ids
    may come with their mask and types; ``padding`` and ``filler`` are as for ``OnnxInputs``. The ``notes`` say what was
    taken. Raises BadInput where the file is refused (see ``read_onnx``), or its inputs or outputs are unclear.
    """

    channels: Channels = "first"

    def __init__(self, content: bytes, *, mixed: bool = False, padding: int = 0, filler: int = 0) -> None:
        self.device: Device = "cpu"
        self._providers = _providers(mixed=mixed)
        self._model = read_onnx(content)
        self.class_names = names_in_metadata({entry.key: entry.value for entry in self._model.metadata_props})
        for field in ("metadata_props", "training_info"):
            self._model.ClearField(field)
        graph = self._model.graph
        _settle_language(graph.node)
        weights = {tensor.name for tensor in graph.initializer} | {
            sparse.values.name for sparse in graph.sparse_initializer
        }
        inputs = [value for value in graph.input if value.name not in weights]
        taken = OnnxInputs(inputs, padding=padding, filler=filler)
        scores = find_scores(graph)
        check_classes(scores.width)
        self._taken, self.input, self.spec, self.columns = taken, taken.name, taken.spec, taken.columns
        self.masks = taken.masks
        self.output, self._places = scores.name, scores.places
        self.class_names = self.class_names or scores.class_names
        self.notes = (*taken.notes, *scores.notes)
        self._loops = any(True for node in graph.node for _ in inner_graphs(node))
        del graph.output[:]
        graph.output.append(ValueInfoProto(name=self.output))
        self.parameters = sum(_size(tensor) for tensor in graph.initializer)
        self.nodes: Sequence[Node] = varying_nodes(_nodes(graph.node, weights), weights)
        self._sessions: OrderedDict[frozenset[str], Any] = OrderedDict()
        places = self._places_by_label(scores) if scores.label else None
        if places:
            names = self.class_names or tuple(map(str, range(len(places))))
            self.class_names = tuple(names[place] for place in places)
        if places is not None:
            self.notes = (*self.notes, f"its own {scores.label!r:.60} {IN_ITS_ORDER if places else ANOTHER_CLASS}")

    def values(self, batch: NDArray[Any], names: Sequence[str]) -> Arrays:
        """The named values for an arranged batch; BadInput where the runtime cannot run it."""
        session = self._session(frozenset(names))
        options = onnxruntime.RunOptions()
        clock = threading.Timer(LOOP_SECONDS, setattr, (options, "terminate", True)) if self._loops else None
        try:
            if clock is not None:
                clock.start()
            said = dict(zip(names, session.run(list(names), self._taken.fed(batch), options), strict=True))
        except Exception as error:  # onnxruntime has a class of its own for each reason
            if options.terminate:
                raise RunsTooLong(
                    f"The model has a loop or branch and was stopped after {LOOP_SECONDS:g} seconds for {len(batch)} inputs. "
                    "Expected one that ends. Export it by tracing one input, without loops."
                ) from error
            raise cannot_run("ONNX's runtime", batch, error) from error
        finally:
            if clock is not None:
                clock.cancel()
        if self._places and self.output in said:
            said[self.output] = self._placed(said[self.output])
        return said

    def _places_by_label(self, scores: Scores) -> list[int] | None:
        """The class that the label names where each score is the largest, on numbers made up for the model.

        None where it mostly names the class of that score; empty where no order of the classes explains what it names.
        """
        sides = [side for side in self.spec.shape if side is not None]
        if not sides or len(sides) < len(self.spec.shape) or self.spec.type not in ("float32", "float64"):
            return None
        batch = np.random.default_rng(MADE_UP).normal(size=(self.spec.batch or MADE_UP, *sides))
        try:
            said = self.values(batch.astype(self.spec.type), [scores.name, scores.label])
        except BadInput:  # running it on its own inputs will report why
            return None
        finally:
            self._sessions.clear()
        given, label = np.asarray(said[scores.name]), np.asarray(said[scores.label]).ravel().astype(str)
        if given.ndim != 2 or given.shape[1] < 2 or len(label) != len(given):
            return None
        names = [str(name) for name in scores.class_names or range(given.shape[1])]
        largest = given.argmax(axis=1)
        if len(names) != given.shape[1] or 2 * int((np.array(names)[largest] == label).sum()) >= len(label):
            return None
        counts = np.array([[int((label[largest == at] == name).sum()) for name in names] for at in range(len(names))])
        unseen = np.flatnonzero(~counts.any(axis=1))
        if len(unseen) == 1:  # all others show what this one is
            counts[unseen[0], counts.sum(axis=0).argmin()] = 1
        places = [int(place) for place in counts.argmax(axis=1)]
        explained = len(unseen) < 2 and counts.max(axis=1).sum() >= NEARLY_ALWAYS * counts.sum()
        return places if explained and len({*places}) == len(places) else []

    def _placed(self, labels: NDArray[Any]) -> NDArray[np.int64]:
        """The places of predicted classes among those the file lists; BadInput for one that it does not list."""
        different, where = np.unique(labels.astype(str), return_inverse=True)
        by_name = {str(name): place for name, place in self._places.items()}
        if unknown := [name for name in different.tolist() if name not in by_name]:
            raise BadInput(
                f"The model predicts {unknown[0]!r:.60}, and its file lists {', '.join(by_name)!s:.200}. Expected one of "
                "these. Export it again."
            )
        places = np.array([by_name[name] for name in different.tolist()], dtype=np.int64)
        return places[where].reshape(labels.shape)

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
                if _is_too_new(self._model, error):
                    return self._session(names)
                raise BadInput(
                    f"ONNX's runtime cannot open this file ({error!s:.200}). Expected an intact model of a version it "
                    "knows. Export it again."
                ) from error
            # the runtime falls back silently if one of CUDA's libraries is missing
            self.device = "cuda" if CUDA in self._sessions[names].get_providers() else "cpu"
        self._sessions.move_to_end(names)
        return self._sessions[names]


def _is_too_new(model: ModelProto, error: Exception) -> bool:
    """Whether the runtime knows only older forms of the file; the model then has the newest that it knows.

    The form, ONNX's "IR version", is how a file is laid out; what its operators do follows from the opset, which stays.
    """
    known = re.search(r"max supported IR version: (\d+)", str(error))
    if known is None or model.ir_version <= int(known[1]):
        return False
    model.ir_version = int(known[1])
    return True


def _providers(*, mixed: bool) -> list[Any]:
    """The devices the runtime may use: CUDA if it is built for it and one is visible, and the processor.

    Mixed precision only allows TensorFloat-32, because the runtime does not change the types in a file.
    """
    if not is_visible(os.environ) or CUDA not in onnxruntime.get_available_providers():
        return [CPU]
    onnxruntime.preload_dlls()  # finds CUDA's libraries where pip put them
    return [(CUDA, {"use_tf32": "1" if mixed else "0"}), CPU]


def _settle_language(nodes: Iterable[NodeProto]) -> None:
    """Uses lower case as every system has it, if a node asks for the rules of a language that is not installed here."""
    for node in nodes:
        if node.op_type != "StringNormalizer":
            continue
        asked = next(
            (one.s.decode() for one in node.attribute if one.name == "locale"), "en_US.UTF-8"
        )  # ONNX's own default
        before = locale.setlocale(locale.LC_CTYPE)
        try:
            locale.setlocale(locale.LC_CTYPE, asked)
        except locale.Error:
            kept = [one for one in node.attribute if one.name != "locale"]
            del node.attribute[:]
            node.attribute.extend([*kept, helper.make_attribute("locale", ANY_LANGUAGE)])
        finally:
            locale.setlocale(locale.LC_CTYPE, before)


def _nodes(nodes: Sequence[NodeProto], weights: Collection[str]) -> list[Node]:
    found = []
    for node in nodes:
        # an operation that only reports a shape depends on no value
        inputs = () if node.op_type in SHAPE_ONLY else (*(name for name in node.input if name), *_captured(node))
        operation = OPERATIONS.get(node.op_type, "other")
        if node.op_type == "Gather" and node.input[0] in weights:  # an embedding
            operation = "kernel"
        found += [Node(operation, inputs, name) for name in node.output if name]
    return found


def _captured(node: NodeProto) -> Iterator[str]:
    """The values that a node's branches or body take from the graph around it."""
    for inner in inner_graphs(node):
        own = {value.name for value in inner.input} | {tensor.name for tensor in inner.initializer}
        own |= {name for part in inner.node for name in part.output}
        for part in inner.node:
            yield from (name for name in (*part.input, *_captured(part)) if name and name not in own)


def _size(tensor: TensorProto) -> int:
    return int(np.prod([int(size) for size in tensor.dims], dtype=object)) if tensor.data_type in TYPES else 0
