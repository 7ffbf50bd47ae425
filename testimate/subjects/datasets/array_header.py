"""The header of a NumPy file, checked before a single number is read."""

import io
import math
import tokenize
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from testimate.core.errors import BadInput
from testimate.subjects.datasets import limits

MAGIC = b"\x93NUMPY"
MAX_HEADER_BYTES = 10_000
"""Most bytes of a header; numpy itself would allocate the 4 GB that one can claim."""

LENGTH_BYTES = {(1, 0): 2, (2, 0): 4}
"""Bytes of the number that says how long the header is, by version (numpy.lib.format, "Format Version")."""

UNREADABLE = (
    *(ValueError, KeyError, SyntaxError, TypeError, MemoryError, RecursionError, OverflowError),
    tokenize.TokenError,
)
"""What numpy raises for an invalid header."""

HEADER_READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


@dataclass(frozen=True)
class ArrayHeader:
    """Kind of number, shape and order of an array in a file."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool = False

    @property
    def bytes(self) -> int:
        """Bytes of all its numbers."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_header(stream: IO[bytes], name: str) -> ArrayHeader:
    """Reads the header of an .npy stream and leaves it at the first number.

    Raises
    ------
    BadInput : not an .npy, Python objects, fields or times instead of numbers or words, empty, or above the limits.
    """
    try:
        version = npy.read_magic(stream)
        read, width = HEADER_READERS[version], LENGTH_BYTES[version]
        length = stream.read(width)
        if len(length) < width or int.from_bytes(length, "little") > MAX_HEADER_BYTES:
            raise ValueError("the header is too long")
        header_only = io.BytesIO(length + stream.read(int.from_bytes(length, "little")))
        shape, fortran, dtype = read(header_only, max_header_size=MAX_HEADER_BYTES)
    except UNREADABLE as error:
        raise BadInput(
            f"{name!r:.100} has no readable header of a NumPy array ({type(error).__name__}); expected an array "
            "saved by numpy.save or numpy.savez. Save it again."
        ) from error
    if dtype.hasobject:
        raise BadInput(
            f"{name!r:.100} holds Python objects, and reading them can run any program on this computer; expected "
            "numbers or words. Convert it (array.astype(float) or astype(str)) and save it again."
        )
    if dtype.kind not in "buifUS" or dtype.subdtype is not None or not dtype.itemsize:
        raise BadInput(f"{name!r:.100} holds {dtype!s:.60}; expected numbers or words. Convert it and save it again.")
    header = ArrayHeader(dtype, tuple(int(side) for side in shape), bool(fortran))
    check_header(header, name)
    return header


def check_header(header: ArrayHeader, name: str) -> None:
    """BadInput where the array is empty, has a negative side, or claims more than the limits."""
    if header.bytes > limits.MAX_UNFOLDED_BYTES:
        raise limits.too_large(f"bytes in {name!r:.60}", header.bytes, limits.MAX_UNFOLDED_BYTES)
    if any(side < 1 for side in header.shape):
        raise BadInput(f"{name!r:.100} has shape {header.shape}; expected an array that is not empty. Export it again.")
