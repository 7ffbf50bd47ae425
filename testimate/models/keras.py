"""A checked Keras file as a graph of values: it is measured, and only then built with its weights.

The graph is recorded in the layers' own calls. Files of Keras 2 have what Keras 3 does not handle: a missing input layer,
configs that are lists, the old hard sigmoid.
"""

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import h5py
import keras
import numpy as np
import tensorflow as tf
from keras.src.backend.common import global_state
from keras.src.legacy.saving import legacy_h5_format, saving_options, saving_utils  # load_model takes only paths
from keras.src.saving import saving_lib  # what keras.saving.load_model calls for an archive; takes bytes
from keras.src.saving.serialization_lib import SafeModeScope
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.words import commas
from testimate.models.bounds import MAX_DEPTH, MAX_PARAMETERS
from testimate.models.confinement import Device
from testimate.models.facts import Channels
from testimate.models.graph import SIZES, Arrays, InputSpec, Node, Operation, cannot_run
from testimate.models.saved_model import settle_device


def graph_of_archive(content: bytes, config: dict[str, Any], *, safe: bool, mixed: bool) -> "KerasGraph":
    """The model in a Keras 3 archive that was checked; BadInput where Keras cannot read it."""
    device = settle_device(mixed=mixed)
    with _reading():
        with without_memory():
            _check_parameters(keras.saving.deserialize_keras_object(config, safe_mode=safe))
        return KerasGraph(saving_lib.load_model(io.BytesIO(content), compile=False, safe_mode=safe), device)


def graph_of_hdf5(file: h5py.File, config: dict[str, Any], *, safe: bool, mixed: bool) -> "KerasGraph":
    """The model in a legacy HDF5 file that was checked; BadInput where Keras cannot read it."""
    version = file.attrs.get("keras_version", b"")
    device = settle_device(mixed=mixed)
    with _reading():
        config = with_input_layer(in_words_of_keras_3(config), file)
        _check_parameters(sketch(config, safe=safe))
        model = build(config, file, safe=safe)
    if (version if isinstance(version, bytes) else str(version).encode()).startswith(b"2"):
        with_old_sigmoids(model)
    return KerasGraph(model, device)


@contextmanager
def _reading() -> Iterator[None]:
    """Turns Keras's own errors about a file into a sentence."""
    try:
        yield
    except BadInput:
        raise
    except (
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        IndexError,
        OSError,
        RuntimeError,
    ) as error:
        first = str(error).strip().partition("\n")[0]
        raise BadInput(
            f"Keras cannot read this model ({type(error).__name__}: {first:.200}). Expected a complete file of Keras 2.2 or "
            "later with layers of its own. Save it again with model.save(), or export it to ONNX."
        ) from error


def _check_parameters(model: Any) -> None:
    """BadInput where the model, built without memory for its weights, would need too much."""
    count = sum(_product(variable.shape) for variable in model.variables)
    if count > MAX_PARAMETERS:
        raise BadInput(
            f"This Keras model claims {commas(count)} weights. Expected at most {commas(MAX_PARAMETERS)}. Use a prediction "
            "table for a model of that size."
        )


def _product(shape: Any) -> int:
    count = 1
    for size in shape:
        count *= int(size)
    return count


CLOSING: Mapping[str, Operation] = {"softmax": "softmax", "log_softmax": "log-softmax", "sigmoid": "sigmoid"}
DENSE = (keras.layers.Dense, keras.layers.EinsumDense)
SCALING = (keras.layers.Rescaling, keras.layers.Normalization)
PASSING = (keras.layers.Reshape, keras.layers.Flatten, keras.layers.Identity, keras.layers.Dropout)
BEFORE, INPUT = "{} before activation", "input of the model"


class KerasGraph:
    """A built Sequential or functional model, always run in evaluation mode.

    A value is named after the layer that gives it, with the names of the models around it; the second run of a layer is
    named with "#2". The input of an activation is a value of its own. Raises BadInput where the model has several
    inputs or outputs, or was never built.
    """

    channels: Channels = "last"
    input = INPUT

    def __init__(self, model: Any, device: Device) -> None:
        self._model, self.device = model, device
        if (
            not model.built
            or not isinstance(model, keras.Sequential | keras.models.Model)
            or not hasattr(model, "inputs")
        ):
            raise BadInput(
                "This Keras model was never built, so the shape of its inputs is unknown. Expected a built one. Call "
                "model.build(...) before saving."
            )
        if len(model.inputs) != 1 or len(model.outputs) != 1:
            raise BadInput(
                f"The model takes {len(model.inputs)} inputs and gives {len(model.outputs)} outputs. Expected one of "
                "each, the output being the scores. Save a model that wraps it so."
            )
        batch, *shape = model.inputs[0].shape
        kind = keras.backend.standardize_dtype(model.inputs[0].dtype)
        if kind == "string":
            raise BadInput("The model takes words. Expected numbers. Save the part behind its tokenizer.")
        self.parameters = int(model.count_params())
        self._layers = list(_named_layers(model, ""))
        self._type = kind
        tokens = bool(self._layers) and isinstance(self._layers[0][1], keras.layers.Embedding)
        self.spec = InputSpec(shape=tuple(shape), type=_numpy_type(kind, tokens), batch=batch)
        self._functions: dict[tuple[str, ...], Any] = {}
        seen = _RunRecord()
        self._traced(lambda taken: self._recorded_run(taken, seen)).get_concrete_function()
        self.nodes: Sequence[Node] = seen.nodes
        self.output = seen.last

    def values(self, batch: NDArray[Any], names: Sequence[str]) -> Arrays:
        """The named values for an arranged batch; BadInput where it cannot be run."""
        key = tuple(names)
        if key not in self._functions:
            self._functions[key] = self._traced(lambda taken: self._wanted(taken, key))
        try:
            said = self._functions[key](tf.cast(tf.constant(batch), self._type))
        except (tf.errors.OpError, ValueError, TypeError, RuntimeError) as error:
            raise cannot_run("Keras", batch, error) from error
        return {name: np.asarray(value) for name, value in zip(names, said, strict=True)}

    def _traced(self, run: Callable[[Any], Any]) -> Any:
        shape = (self.spec.batch, *self.spec.shape)
        return tf.function(run, input_signature=[tf.TensorSpec(shape, self._type)], autograph=False)

    def _wanted(self, taken: Any, names: Sequence[str]) -> list[Any]:
        seen = _RunRecord()
        self._recorded_run(taken, seen)
        return [tf.cast(seen.values[name], tf.float32) for name in names]

    def _recorded_run(self, taken: Any, seen: "_RunRecord") -> Any:
        seen.name(taken, INPUT)
        with _recording(self._layers, seen):
            answer = self._model(taken, training=False)
        seen.end(answer)
        return answer


class _RunRecord:
    """The record of one run: the values by name, and the nodes between them."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.nodes: list[Node] = []
        self.last = INPUT
        self._names: dict[int, str] = {}
        self._runs: dict[str, int] = {}

    def name(self, tensor: Any, name: str) -> None:
        self.values[name] = tensor  # kept alive, so that no other tensor gets its id
        self._names[id(tensor)] = name
        self.last = name

    def layer(self, path: str, layer: Any, taken: Sequence[Any], said: Any, before: Any) -> None:
        """Records a layer; ``before`` is the input of its activation, if it has one that is not linear."""
        self._runs[path] = self._runs.get(path, 0) + 1
        name = path if self._runs[path] == 1 else f"{path}#{self._runs[path]}"
        inputs = tuple(self._known(tensor, name) for tensor in taken)
        weighted = any(len(weight.shape) >= 2 for weight in layer.weights)
        operation = _operation(layer, weighted)
        if before is None or isinstance(layer, keras.layers.Activation):
            self.nodes.append(Node(operation, inputs, name, weighted))
        else:
            self.nodes.append(Node(operation, inputs, BEFORE.format(name), weighted))
            self.nodes.append(Node(_closing(layer.activation), (BEFORE.format(name),), name))
            self.name(before, BEFORE.format(name))
        self.name(said, name)

    def end(self, answer: Any) -> None:
        """Records the model's answer, which may have been cast after its last layer."""
        self.last = self._known(answer, "the model")

    def _known(self, tensor: Any, taker: str) -> str:
        """The value's name; one that no layer gave (such as a cast) gets a new name, as if from anything before."""
        if id(tensor) not in self._names:
            name = f"input of {taker}"
            self.nodes.append(Node("other", tuple(dict.fromkeys(self._names.values())), name))
            self.name(tensor, name)
        return self._names[id(tensor)]


@contextmanager
def _recording(layers: Sequence[tuple[str, Any]], seen: _RunRecord) -> Iterator[None]:
    """Records every layer's call, and restores the calls at the end."""
    try:
        for path, layer in layers:
            _listen(path, layer, seen)
        yield
    finally:
        for _, layer in layers:
            vars(layer).pop("call", None)
            if hasattr(layer, "_testimate_activation"):
                object.__setattr__(layer, "activation", layer._testimate_activation)
                object.__delattr__(layer, "_testimate_activation")


def _listen(path: str, layer: Any, seen: _RunRecord) -> None:
    original = layer.call
    before: list[Any] = []

    def call(*taken: Any, **named: Any) -> Any:
        before.clear()
        if "training" in named:
            named["training"] = False  # a model may set a layer to act as in training
        said = original(*taken, **named)
        some = [value for name, value in named.items() if not name.endswith("mask")]
        tensors = [value for value in keras.tree.flatten([*taken, *some]) if tf.is_tensor(value)]
        answers = [value for value in keras.tree.flatten(said) if tf.is_tensor(value)]
        if tensors and answers:
            seen.layer(path, layer, tensors, answers[0], before[-1] if before else None)
        return said

    object.__setattr__(layer, "call", call)
    activation = vars(layer).get("activation")
    if callable(activation) and activation is not keras.activations.linear and not hasattr(layer, "cell"):

        def activate(values: Any) -> Any:
            before.append(values)
            return activation(values)

        activate.__name__ = getattr(activation, "__name__", "activation")
        object.__setattr__(layer, "_testimate_activation", activation)
        object.__setattr__(layer, "activation", activate)


def _named_layers(model: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Every layer that is not a model of layers itself, by its path, once."""
    for layer in model.layers:
        if isinstance(layer, keras.layers.InputLayer):
            continue
        if isinstance(layer, keras.Model):
            yield from _named_layers(layer, f"{place}{layer.name}/")
        else:
            yield f"{place}{layer.name}", layer


def _numpy_type(kind: str, tokens: bool) -> str:
    """numpy's name of what the model takes; token ids are whole, even if Keras takes them as floats."""
    if tokens and kind.startswith(("float", "bfloat")):
        return "int32"
    return "float32" if kind == "bfloat16" else kind


def _operation(layer: Any, weighted: bool) -> Operation:
    if isinstance(layer, DENSE):
        return "dense"
    if isinstance(layer, keras.layers.Softmax):
        return "softmax"
    if isinstance(layer, keras.layers.Activation):
        return _closing(layer.activation)
    if isinstance(layer, SCALING):
        return "scaling"
    if isinstance(layer, PASSING):
        return "pass"
    return "kernel" if weighted else "other"


def _closing(activation: Any) -> Operation:
    return CLOSING.get(getattr(activation, "__name__", ""), "other")


WITH_KERNELS = ("Dense", "Embedding", "LSTM", "GRU", "SimpleRNN", "Conv", "Separable", "Depthwise")
"""Beginnings of names of layers whose first weight has the input's width."""


def build(config: dict[str, Any], weights: h5py.File, *, safe: bool) -> Any:
    """The model of that description with the weights in the file."""
    with saving_options.keras_option_scope(use_legacy_config=True), SafeModeScope(safe):
        model = saving_utils.model_from_config(_copy(config))
        legacy_h5_format.load_weights_from_hdf5_group(weights["model_weights"], model)
        return model


def sketch(config: dict[str, Any], *, safe: bool) -> Any:
    """The model of that description, whose weights have shapes but no memory."""
    with saving_options.keras_option_scope(use_legacy_config=True), SafeModeScope(safe), without_memory():
        return saving_utils.model_from_config(_copy(config))


@contextmanager
def without_memory() -> Iterator[None]:
    """Models built inside this block get no memory for their weights, now or later."""
    try:
        with keras.StatelessScope(initialize_variables=False):
            yield
    finally:
        # Keras would allocate them at the end of the next such scope
        global_state.set_global_attribute("uninitialized_variables", [])


def _copy(config: dict[str, Any]) -> dict[str, Any]:
    """A copy of the description, because Keras changes what it reads."""
    copied: dict[str, Any] = json.loads(json.dumps(config))
    return copied


def with_input_layer(config: dict[str, Any], file: h5py.File) -> dict[str, Any]:
    """The description of a Sequential model with an input layer, which Keras 3 needs and Keras 2 often left out.

    Its shape is in the first layer or beside the layers, or follows from the weights: the first kernel gives the number
    of channels or columns, and the side of a picture is the first usual one that gives every weight its shape in the
    file. Raises BadInput where none does.
    """
    if config.get("class_name") != "Sequential":
        return config
    inner = config["config"]
    layers = inner if isinstance(inner, list) else inner.get("layers", [])  # a list up to Keras 2.2.2
    if not layers or not all(isinstance(layer, dict) and isinstance(layer.get("config"), dict) for layer in layers):
        raise BadInput("This Keras model describes no layers. Expected a complete model. Save it with model.save().")
    if layers[0]["class_name"] == "InputLayer":
        return {**config, "config": {"name": "sequential", "layers": layers}}
    said = _input_shape(layers[0])
    if said is None and isinstance(inner, dict):
        said = inner.get("build_input_shape")
    if said is not None:
        return _with_shape(config, layers, said[1:])
    saved = [tuple(array.shape) for array in _arrays(file["model_weights"])]
    for shape in _possible_shapes(layers, saved):
        whole = _with_shape(config, layers, shape)
        try:
            model = sketch(whole, safe=True)
        except (ValueError, TypeError):  # this shape does not go through the layers
            continue
        if [tuple(variable.shape) for layer in model.layers for variable in layer.weights] == saved:
            return whole
    raise BadInput(
        "This Keras model does not say what shape its inputs have, and none of the usual ones fits its weights. Expected a "
        "model that was built with an input shape. Call model.build(...) before saving, or export it to ONNX."
    )


def _input_shape(layer: Any) -> Any:
    """The shape that a layer says it takes, or the first layer inside it does; None where neither says so."""
    for _ in range(MAX_DEPTH):
        if not isinstance(layer, dict) or not isinstance(layer.get("config"), dict):
            return None
        said, inside = layer["config"].get("batch_input_shape"), layer["config"].get("layers")
        if said is not None or not inside or not isinstance(inside, list):
            return said
        layer = inside[0]
    return None


def in_words_of_keras_3(config: dict[str, Any]) -> dict[str, Any]:
    """The description without what Keras 2 wrote and Keras 3 refuses, as in Teachable Machine's files.

    DepthwiseConv2D has no groups besides its channels, a recurrent layer has its time after the batch, and an inner model with
    one input or output names it by itself.
    """
    changed = _copy(config)
    waiting: list[Any] = [changed["config"]]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            _mend(value.get("class_name"), value.get("config"))
            waiting += value.values()
    return changed


def _mend(kind: Any, config: Any) -> None:
    """Changes the description of one layer as ``in_words_of_keras_3`` says."""
    if not isinstance(config, dict):
        return
    if kind == "DepthwiseConv2D" and config.get("groups") == 1:
        del config["groups"]
    if config.get("time_major") is False:
        del config["time_major"]
    for ends in ("input_layers", "output_layers"):
        only = config.get(ends)
        if isinstance(only, list) and len(only) == 1 and isinstance(only[0], list):
            config[ends] = only[0]


def _with_shape(config: dict[str, Any], layers: list[dict[str, Any]], shape: Sequence[int | None]) -> dict[str, Any]:
    taken = {"name": "taken", "batch_input_shape": [None, *shape], "dtype": "float32"}
    plain = {name: value for name, value in layers[0]["config"].items() if name != "batch_input_shape"}
    first = {**layers[0], "config": plain}
    whole = [{"class_name": "InputLayer", "config": taken}, first, *layers[1:]]
    return {**config, "config": {"name": "sequential", "layers": whole}}


def with_old_sigmoids(model: Any) -> None:
    """Gives layers Keras 2's hard sigmoid, clip(0.2 x + 0.5, 0, 1), in place of Keras 3's relu6(x + 3) / 6."""
    for layer in model._flatten_layers():  # recurrent layers keep theirs in a cell
        for name in ("activation", "recurrent_activation"):
            if name in vars(layer) and getattr(layer, name) is keras.activations.hard_sigmoid:
                setattr(layer, name, hard_sigmoid)


def hard_sigmoid(values: Any) -> Any:
    """Keras 2's hard sigmoid, 0.2 x + 0.5 within 0 and 1; that of Keras 3 has the slope 1/6."""
    return keras.ops.clip(0.2 * values + 0.5, 0.0, 1.0)


def _arrays(group: h5py.Group) -> Iterator[h5py.Dataset]:
    """The weights in the order of the layers."""
    for layer in group.attrs["layer_names"]:
        part = group[layer]
        for name in part.attrs["weight_names"]:
            yield part[name]


def _possible_shapes(layers: list[dict[str, Any]], saved: list[tuple[int, ...]]) -> Iterator[tuple[int | None, ...]]:
    """Shapes of one input that the first layer with weights could take."""
    kinds = [str(layer["class_name"]) for layer in layers]
    name = next((kind for kind in kinds if kind.startswith(WITH_KERNELS)), "")
    kernel = next((shape for shape in saved if len(shape) >= 2), ())
    if not kernel:
        return
    if name == "Dense":
        yield kernel[:1]
    elif name == "Embedding":
        yield (None,)
        yield from ((size,) for size in SIZES)
    elif name in ("LSTM", "GRU", "SimpleRNN"):
        yield (None, kernel[0])
    elif name:
        colors = kernel[-2]
        sides = len(kernel) - 2
        channels_first = any(layer["config"].get("data_format") == "channels_first" for layer in layers)
        for size in (None, *SIZES):
            axes = (size,) * sides
            yield (colors, *axes) if channels_first else (*axes, colors)
