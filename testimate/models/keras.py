"""Opens Keras files: they are checked, then measured, and only then built with their weights."""

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import h5py

from testimate.core.errors import BadInput
from testimate.core.files import read_member
from testimate.core.words import spaced
from testimate.models.bounds import MAX_PARAMETERS
from testimate.models.keras_check import check_config, check_hdf5, read_hdf5_config, read_keras_archive

if TYPE_CHECKING:
    from testimate.models.keras_graph import KerasGraph

OPTIMIZER = "optimizer_weights"
"""The group of a legacy file that only training needs."""

COMPILED = {"compile_config": None}
"""Optimizer, loss and metrics of an archive, which only training needs; Keras omits them, too, with compile=False."""


def open_keras(content: bytes, *, trust: bool, mixed: bool = False) -> "KerasGraph":
    """The model in a Keras 3 archive; BadInput where it is refused or damaged."""
    config = read_keras_archive(content) | COMPILED
    if not trust:
        check_config(config)
    with zipfile.ZipFile(io.BytesIO(content)) as archive, _hdf5(read_member(archive, "model.weights.h5")) as file:
        check_hdf5(file)
    import keras  # imported only once the file is accepted: TensorFlow takes seconds to start
    from keras.src.saving import saving_lib  # what keras.saving.load_model calls for an archive; takes bytes

    from testimate.models.keras_graph import KerasGraph, without_memory
    from testimate.models.saved_model import settle_device

    device = settle_device(mixed=mixed)
    with _reading():
        with without_memory():
            _check_parameters(keras.saving.deserialize_keras_object(config, safe_mode=not trust))
        return KerasGraph(saving_lib.load_model(io.BytesIO(content), compile=False, safe_mode=not trust), device)


def open_keras_hdf5(content: bytes, *, trust: bool, mixed: bool = False) -> "KerasGraph":
    """The model in a legacy HDF5 file of Keras 2.2 and later; BadInput where it is refused or damaged."""
    with _hdf5(content) as file:
        check_hdf5(file, left_out=OPTIMIZER)
        config = read_hdf5_config(file)
        if not trust:
            check_config(config)
        version = file.attrs.get("keras_version", b"")
        from testimate.models.keras_graph import KerasGraph, build, sketch, with_input_layer, with_old_sigmoids
        from testimate.models.saved_model import settle_device

        device = settle_device(mixed=mixed)
        with _reading():
            config = with_input_layer(config, file)
            _check_parameters(sketch(config, safe=not trust))
            model = build(config, file, safe=not trust)
        if (version if isinstance(version, bytes) else str(version).encode()).startswith(b"2"):
            with_old_sigmoids(model)
        return KerasGraph(model, device)


@contextmanager
def _hdf5(content: bytes) -> Iterator[h5py.File]:
    try:
        file = h5py.File(io.BytesIO(content), "r")
    except (OSError, RuntimeError) as error:
        raise BadInput(
            f"The HDF5 part of this Keras file is damaged ({error!s:.100}); expected a complete one. Save it again."
        ) from error
    with file:
        yield file


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
            f"Keras cannot read this model ({type(error).__name__}: {first:.200}); expected a complete file of Keras 2.2 or "
            "later with layers of its own. Save it again with model.save(), or export it to ONNX."
        ) from error


def _check_parameters(model: Any) -> None:
    """BadInput where the model, built without memory for its weights, would need too much."""
    count = sum(_product(variable.shape) for variable in model.variables)
    if count > MAX_PARAMETERS:
        raise BadInput(
            f"This Keras model claims {spaced(count)} weights; expected at most {spaced(MAX_PARAMETERS)}. Use a prediction "
            "table for a model of that size."
        )


def _product(shape: Any) -> int:
    count = 1
    for size in shape:
        count *= int(size)
    return count
