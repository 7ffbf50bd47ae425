"""What Keras 3 does not handle in files of Keras 2: a missing input layer, configs that are lists, the old hard sigmoid."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import h5py
import keras
from keras.src.backend.common import global_state
from keras.src.legacy.saving import legacy_h5_format, saving_options, saving_utils  # load_model takes only paths
from keras.src.saving.serialization_lib import SafeModeScope

from testimate.core.errors import BadInput
from testimate.subjects.models.graph_model import SIZES

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
        raise BadInput("This Keras model describes no layers; expected a complete model. Save it with model.save().")
    if layers[0]["class_name"] == "InputLayer":
        return {**config, "config": {"name": "sequential", "layers": layers}}
    said = layers[0]["config"].get("batch_input_shape")
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
        "This Keras model does not say what shape its inputs have, and none of the usual ones fits its weights; expected a "
        "model that was built with an input shape. Call model.build(...) before saving, or export it to ONNX."
    )


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
        colours = kernel[-2]
        sides = len(kernel) - 2
        channels_first = any(layer["config"].get("data_format") == "channels_first" for layer in layers)
        for size in (None, *SIZES):
            axes = (size,) * sides
            yield (colours, *axes) if channels_first else (*axes, colours)
