"""Turns CIFAR, including the pickled form, into an .npz that holds no code; only for the terminal."""

from pathlib import Path
from typing import Any

import numpy as np

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.files import replacing
from testimate.core.progress import Progress, silent
from testimate.subjects.datasets.cifar import Cifar, read_cifar


def convert_cifar(source: Path, out: Path, *, progress: Progress = silent) -> Cifar:
    """Writes CIFAR in either form, a folder or a .tar.gz, as arrays that hold no code; returns what was written.

    The .npz has x_train and x_test (n, 32, 32, 3) uint8, y_train and y_test (n,), and class_names; it is written whole or
    not at all, and equal files give equal bytes. The form for Python is a pickle; nothing that it names is run.

    Raises
    ------
    BadInput : not CIFAR, a pickle that asks for more than CIFAR needs, or ``out`` does not end in .npz.
    StoreUnavailable : the file could not be written.
    """
    if out.suffix != ".npz":
        raise BadInput(f"The file to write is {out.name!r:.100}; expected a name that ends in .npz. Change it.")
    read = read_cifar(source, pickles=True, progress=progress)
    arrays: dict[str, Any] = {"class_names": np.array(read.classes)} if read.classes else {}
    for name, split in (("train", read.training), ("test", read.test)):
        if split is not None:
            arrays |= {f"x_{name}": split.images, f"y_{name}": split.labels.astype(np.uint8)}
    try:
        with replacing(out) as file:
            np.savez(file, **arrays)
    except OSError as error:
        raise StoreUnavailable(
            f"{out.name!r:.100} could not be written ({error.strerror}); expected a folder that can be written and has "
            "room. Free space or choose another."
        ) from error
    return read
