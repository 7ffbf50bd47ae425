"""Opens Keras files: they are checked first, and Keras is imported only for one that is accepted."""

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import h5py

from testimate.core.errors import BadInput
from testimate.core.files import read_member
from testimate.models.keras_check import check_config, check_hdf5, read_hdf5_config, read_keras_archive

if TYPE_CHECKING:
    from testimate.models.keras import KerasGraph

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
    from testimate.models.keras import graph_of_archive  # TensorFlow takes seconds to start

    return graph_of_archive(content, config, safe=not trust, mixed=mixed)


def open_keras_hdf5(content: bytes, *, trust: bool, mixed: bool = False) -> "KerasGraph":
    """The model in a legacy HDF5 file of Keras 2.2 and later; BadInput where it is refused or damaged."""
    with _hdf5(content) as file:
        check_hdf5(file, left_out=OPTIMIZER)
        config = read_hdf5_config(file)
        if not trust:
            check_config(config)
        from testimate.models.keras import graph_of_hdf5

        return graph_of_hdf5(file, config, safe=not trust, mixed=mixed)


@contextmanager
def _hdf5(content: bytes) -> Iterator[h5py.File]:
    try:
        file = h5py.File(io.BytesIO(content), "r")
    except (OSError, RuntimeError) as error:
        raise BadInput(
            f"The HDF5 part of this Keras file is damaged ({error!s:.100}). Expected a complete one. Save it again."
        ) from error
    with file:
        yield file
