"""Simple descriptions of a dataset's inputs as a project keeps them: looked at once, then read from a file."""

import io
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from testimate.core.files import replace_file
from testimate.core.progress import Progress, silent
from testimate.core.subject import Dataset

Description = Mapping[str, NDArray[np.float64] | Sequence[str]]


def kept_descriptions(folder: Path, name: str, dataset: Dataset, progress: Progress = silent) -> Description:
    """Those in the folder's file of that name, made where it is not there or damaged; a folder that is full keeps none."""
    found = _read(folder / f"{name}.npz", len(dataset))
    if found is not None:
        return found
    from testimate.subjects.simple_descriptions import simple_descriptions

    made = simple_descriptions(dataset, progress)
    held = io.BytesIO()
    # a name in front, so that none is taken for an argument of numpy's
    np.savez_compressed(held, **{f"of {column}": np.asarray(values) for column, values in made.items()})  # type: ignore[arg-type] # allow_pickle is never among them
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(folder / f"{name}.npz", held.getvalue())
    return made


def has_descriptions(folder: Path, name: str) -> bool:
    """Whether they were made before."""
    return (folder / f"{name}.npz").exists()


def _read(path: Path, size: int) -> Description | None:
    try:
        with np.load(path, allow_pickle=False) as held:
            found = {column.removeprefix("of "): held[column] for column in held.files}
    except (OSError, ValueError, EOFError):
        return None
    if any(values.shape != (size,) for values in found.values()):
        return None
    return {
        column: values if values.dtype.kind == "f" else [str(one) for one in values.tolist()]
        for column, values in found.items()
    }
