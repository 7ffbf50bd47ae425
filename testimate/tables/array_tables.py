"""Predictions in the arrays of an .npz, one value for each row: numbers and words only, no Python objects."""

import io
import math
import re
import tokenize
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from shlex import quote
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.words import commas
from testimate.tables import limits
from testimate.tables.archives import bytes_of_members
from testimate.tables.cells import Cells, pa
from testimate.tables.column_names import CHANCES, SPLITS, TEST, VALIDATION, is_predicted, words_of
from testimate.tables.json_tables import checked_cells

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
UNREADABLE = (
    ValueError,
    KeyError,
    TypeError,
    SyntaxError,
    RecursionError,
    OverflowError,
    MemoryError,
    tokenize.TokenError,
)
"""What reads the header of an array, by its version, and what numpy raises where it is none."""


def is_arrays(members: list[zipfile.ZipInfo]) -> bool:
    """Return whether a zip of these files is an .npz."""
    return len(members) > 1 and all(one.filename.endswith(".npy") for one in members)


def cells_of_arrays(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], name: str) -> Cells:
    """Return the arrays of a prediction and of what has one value beside each as columns, and (N, C) chances as C of them.

    BadInput where none is called a prediction, as in the data of a model.
    """
    contents = zip(members, bytes_of_members(archive, members), strict=True)
    read = {one.filename.removesuffix(".npy"): content for one, content in contents}
    arrays = {called: one for called, content in read.items() if (one := _array(content, called)) is not None}
    flat = {called: one.reshape(len(one)) for called, one in arrays.items() if one.ndim and one.size == len(one)}
    predicted = [called for called in flat if is_predicted(called)]
    if not predicted:
        raise BadInput(
            f"{name!r:.200} has the arrays {', '.join(map(repr, read))!s:.160}, and none is called a prediction. Expected one "
            f"such as y_pred, with a value for each input. Inputs of a model: testimate features MODEL {quote(name):.100} "
            "--out table.parquet."
        )
    split = _operational(predicted, {called: len(flat[called]) for called in predicted})
    size = len(next(flat[called] for called in predicted if _split(called) in ("", split)))
    own = {called: one for called, one in arrays.items() if _split(called) in ("", split)}
    columns = {called: one for called, one in flat.items() if called in own and len(one) == size}
    chances = [called for called, one in own.items() if _are_chances(called, one, size)]
    if len(chances) == 1:
        columns |= {f"p_{place}": arrays[chances[0]][:, place] for place in range(arrays[chances[0]].shape[1])}
    limits.check_text_shape(size, len(columns))
    cells = checked_cells(_in_arrow(columns), size, "NumPy arrays")
    left_out = tuple(called for called in read if called not in arrays)
    others = [called for called in arrays if called not in columns and called not in chances[:1]]
    what = f"the {split} set" if split else f"the {commas(size)} rows"
    notes = (
        [f"Of the arrays, those of {what} are read. Not read: {', '.join(map(repr, others))!s:.300}."] if others else []
    )
    return replace(cells, left_out=(*cells.left_out, *left_out), notes=(*cells.notes, *notes))


def _split(name: str) -> str:
    """The split that the name of an array says, "" where it says none."""
    return next((SPLITS[word] for word in re.split("[^a-z0-9]+", name.casefold()) if word in SPLITS), "")


def _operational(predicted: Sequence[str], sizes: Mapping[str, int]) -> str:
    """The split whose predictions are read: the test set's, else the validation set's; "" where none is named.

    BadInput where several arrays of predictions are of other rows, and no name says which are those to test.
    """
    splits = [_split(called) for called in predicted]
    found = next((one for one in (TEST, VALIDATION) if one in splits), splits[0])
    own = {sizes[called] for called in predicted if _split(called) in ("", found)}
    if len(own) == 1 and (found in (TEST, VALIDATION) or len({*splits}) == 1):
        return found
    said = ", ".join(f"{called!r:.60} {commas(size)}" for called, size in sizes.items())
    raise BadInput(
        f"The arrays of predictions have values for other inputs: {said:.300}. Expected those of one set. Save it alone, with "
        "its labels: numpy.savez('test.npz', y_pred=..., y_true=...)."
    )


def _array(content: bytes, name: str) -> NDArray[Any] | None:
    """The numbers or words of an .npy; None of one that holds anything else or is damaged, unless it is called a prediction."""
    try:
        return _numbers_or_words(content)
    except UNREADABLE as error:
        if is_predicted(name):
            raise BadInput(
                f"The array {name!r:.100} cannot be read ({error!s:.100}). Expected numbers or words, without Python objects. "
                "Convert it, such as with astype(str), and save it again."
            ) from None
        return None


def _numbers_or_words(content: bytes) -> NDArray[Any]:
    """The array; one of ``UNREADABLE`` where its header is damaged or claims another size than its content has."""
    stream = io.BytesIO(content)
    shape, fortran, dtype = HEADERS[npy.read_magic(stream)](stream, max_header_size=10_000)
    count, held = math.prod(shape), len(content) - stream.tell()
    if dtype.kind not in "buifU" or dtype.hasobject or count * dtype.itemsize != held:
        raise ValueError(f"{dtype!s:.60} of shape {shape!s:.60} in {held} bytes")
    array = np.frombuffer(content, dtype, count, stream.tell())
    return array.reshape(shape, order="F" if fortran else "C")


def _are_chances(name: str, array: NDArray[Any], size: int) -> bool:
    """Whether an array is called chances and has those of several classes for each row, which sum to 1."""
    if array.ndim != 2 or len(array) != size or array.shape[1] < 2 or array.dtype.kind != "f":
        return False
    return bool(CHANCES & words_of(name)) and bool((np.abs(array.sum(axis=1) - 1) < 1e-3).all() and (array >= 0).all())


def _in_arrow(columns: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    made = {name: pa.array(array.tolist() if array.dtype.kind == "U" else array) for name, array in columns.items()}
    words = {name: one.cast(pa.large_string()) if pa.types.is_string(one.type) else one for name, one in made.items()}
    return {name: pa.chunked_array([one]) for name, one in words.items()}
