"""A dataset of pictures as it looks under a shift.

Pictures in a NumPy file, written again under a shift; everything else in the file, such as labels, stays.
"""

import io
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.files import whole_file
from testimate.core.plug_ins import check_extra
from testimate.core.progress import Progress, silent
from testimate.core.subject import Dataset, Modality, Shown
from testimate.subjects.shifts import ATTACKS, SHIFTS, shifted, shifted_one


class ShiftedPictures:
    """Shows each picture of a dataset under a shift; it makes no batches for a model."""

    modality: Modality = "image"

    def __init__(self, dataset: Dataset, shift: str, severity: int, seed: int) -> None:
        if dataset.modality != "image":
            raise BadInput(
                f"The inputs are of the kind {dataset.modality}. Expected pictures, which alone can be shifted. Choose some."
            )
        self._dataset, self._shift, self._severity, self._seed = dataset, shift, severity, seed
        self.fingerprint = fingerprint.of_bytes(dataset.fingerprint.encode(), f"{shift} {severity} {seed}".encode())

    def __len__(self) -> int:
        return len(self._dataset)

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Always BadInput: these pictures are only for people."""
        raise BadInput(
            f"{len(rows)} shifted inputs were asked for as a model takes them. Expected a look at them alone. Use show."
        )

    def show(self, row: int) -> Shown:
        """The shifted picture as PNG."""
        with Image.open(io.BytesIO(self._dataset.show(row).image or b""), formats=["PNG"]) as opened:
            picture = np.asarray(opened.convert("L" if opened.mode in ("1", "L") else "RGB"))
        file = io.BytesIO()
        moved = shifted_one(picture, self._shift, self._severity, seed=self._seed, row=row)
        Image.fromarray(moved).save(file, "PNG")
        return Shown(modality="image", image=file.getvalue())


UNREADABLE = (
    OSError,
    ValueError,
    EOFError,
    KeyError,
    zipfile.BadZipFile,
    zlib.error,
    RuntimeError,
)
"""Errors of NumPy and of the zip inside an .npz for files that are truncated, damaged or encrypted."""


def shift_file(
    source: Path,
    target: Path,
    shift: str,
    severity: int,
    *,
    seed: int,
    array: str | None = None,
    weights: Path | None = None,
    architecture: str | None = None,
    progress: Progress = silent,
) -> int:
    """Writes the shifted pictures of ``source`` to ``target``, whole or not at all; returns how many there are.

    Raises BadInput where a file is not NumPy's, holds no pictures, or holds several arrays of them and none is named.
    """
    if source.suffix not in (".npy", ".npz") or target.suffix != source.suffix:
        raise BadInput(
            f"The files are {source.name!r:.100} and {target.name!r:.100}. Expected two that end in .npy, or two in .npz. "
            "Save the pictures with numpy.save or numpy.savez."
        )
    if shift not in (*SHIFTS, *ATTACKS):
        known = ", ".join((*SHIFTS, *ATTACKS))
        raise BadInput(f"There is no shift {shift!r:.60}. Expected one of {known}. Choose one of these.")
    arrays = _read(source)
    name = _named(arrays, array)
    if shift in ATTACKS:
        if weights is None:
            raise BadInput(f"{shift} moves inputs against a network. Expected its weights. Name them with --model.")
        check_extra(["torch"], "An attack follows the gradients of the model and")
        from testimate.subjects.shifts.attacks import attacked  # PyTorch, only where it is needed

        arrays[name] = attacked(arrays[name], shift, severity, weights, architecture=architecture, progress=progress)
    else:
        arrays[name] = shifted(arrays[name], shift, severity, seed=seed, progress=progress)
    with whole_file(target) as file:
        if target.suffix == ".npy":
            np.save(file, arrays[name], allow_pickle=False)
        else:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]  # its stub takes the names for its own options
    return len(arrays[name])


def _read(source: Path) -> dict[str, NDArray[Any]]:
    try:
        with source.open("rb") as file:
            loaded: Any = np.load(file, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                return {"pictures": loaded}
            found = {name: loaded[name] for name in loaded.files}
    except FileNotFoundError:
        raise BadInput(f"There is no file {source}. Expected pictures as .npy or .npz. Check the path.") from None
    except UNREADABLE as error:
        raise BadInput(f"{source} is not a readable NumPy file ({error}). Save it with numpy.save.") from None
    strange = next((name for name, values in found.items() if not isinstance(values, np.ndarray)), None)
    if strange is not None:
        raise BadInput(f"In {source} {strange!r:.60} is not an array. Expected arrays alone. Save it with numpy.savez.")
    return found


def _named(arrays: dict[str, NDArray[Any]], array: str | None) -> str:
    """The array that holds the pictures."""
    if array is not None and array not in arrays:
        raise BadInput(f"There is no array {array!r:.60}. Expected one of {', '.join(arrays):.200}. Name one of these.")
    pictures = [name for name, values in arrays.items() if values.ndim in (3, 4)] if array is None else [array]
    if not pictures:
        shapes = ", ".join(f"{name} {values.shape}" for name, values in arrays.items())
        raise BadInput(
            f"No array looks like pictures: {shapes:.200}. Expected one of the shape (N, height, width) or (N, height, width, "
            "1 or 3). Reshape it."
        )
    if len(pictures) > 1:
        raise BadInput(
            f"{len(pictures)} arrays look like pictures: {', '.join(pictures):.200}. Expected one. Name it with --array."
        )
    return pictures[0]
