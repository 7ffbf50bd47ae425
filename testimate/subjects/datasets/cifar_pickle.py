"""Reads the pickles CIFAR comes in without running anything they name: stand-ins only store their arguments."""

import io
import math
import pickle
import pickletools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput

OPCODES = frozenset(
    (
        *("PROTO", "FRAME", "STOP", "MARK", "NONE", "NEWTRUE", "NEWFALSE", "BININT", "BININT1", "BININT2", "LONG1"),
        *("BINSTRING", "SHORT_BINSTRING", "BINBYTES", "SHORT_BINBYTES", "BINUNICODE", "SHORT_BINUNICODE"),
        *("EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3"),
        *("APPEND", "APPENDS", "SETITEM", "SETITEMS", "GLOBAL", "STACK_GLOBAL", "REDUCE", "BUILD"),
        *("PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE", "GET", "BINGET", "LONG_BINGET"),
    )
)
"""The instructions that write a dictionary of arrays, lists and strings; all others are refused."""


class _Array:
    """The stand-in for an array: its shape, kind and bytes as the pickle gives them."""

    state: tuple[Any, ...] = ()

    def __setstate__(self, state: object) -> None:
        self.state = state if isinstance(state, tuple) else ()


class _Kind:
    """The stand-in for a kind of number."""

    def __init__(self, name: object = "", *_flags: object) -> None:
        self.name = name.decode("latin-1") if isinstance(name, bytes) else name

    def __setstate__(self, _state: object) -> None:
        pass  # byte order: there are only single bytes here


def _array(*_arguments: object) -> _Array:
    return _Array()


def _encoded(text: object, _coding: object = "") -> bytes:
    return text.encode("latin-1") if isinstance(text, str) else b""


ADMITTED: Mapping[tuple[str, str], object] = {
    ("numpy.core.multiarray", "_reconstruct"): _array,
    ("numpy._core.multiarray", "_reconstruct"): _array,
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Kind,
    ("_codecs", "encode"): _encoded,
}
"""The only names a pickle may call, and the stand-ins that are called for them."""


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in ADMITTED:
            raise _refused(f"names {module}.{name}"[:100])
        return ADMITTED[module, name]


def read_cifar_pickle(content: bytes) -> Mapping[str, Any]:
    """The dictionary of a CIFAR batch: "data" as (n, 3072) uint8, other values as the pickle has them.

    Every instruction is checked before the first one runs. BadInput where the pickle asks for anything that CIFAR does
    not need, or is damaged.
    """
    try:
        for instruction, argument, _place in pickletools.genops(content):
            if instruction.name not in OPCODES:
                raise _refused(f"has the instruction {instruction.name}")
            if "PUT" in instruction.name and isinstance(argument, int) and argument > len(content):
                raise _refused("claims more objects than it has bytes")
        read = _Reader(io.BytesIO(content), encoding="bytes").load()
    except BadInput:
        raise
    except Exception as error:  # a hostile pickle can make the reader raise anything
        raise _refused(f"is damaged ({type(error).__name__})") from error
    if not isinstance(read, dict):
        raise _refused("holds no dictionary")
    named = {key.decode("latin-1") if isinstance(key, bytes) else key: value for key, value in read.items()}
    return {str(key): _pixels(value) if isinstance(value, _Array) else value for key, value in named.items()}


def _pixels(array: _Array) -> NDArray[np.uint8]:
    """The bytes of a stand-in, (n, width); BadInput where they do not fit its shape."""
    if len(array.state) != 5:
        raise _refused("holds an invalid array")
    _version, shape, kind, fortran, data = array.state
    whole = isinstance(shape, tuple) and len(shape) == 2 and all(type(side) is int and side > 0 for side in shape)
    if not (whole and isinstance(kind, _Kind) and kind.name in ("u1", "|u1") and isinstance(data, bytes)):
        raise _refused("holds an array of something other than pixels")
    if math.prod(shape) != len(data):
        raise _refused("holds an array whose bytes do not fit its shape")
    return np.frombuffer(data, np.uint8).reshape(shape, order="F" if fortran else "C")


def _refused(what: str) -> BadInput:
    return BadInput(
        f"This file {what}, which a CIFAR batch never does, so it was not read; expected a file from the archive that "
        "CIFAR's authors publish. Download it again, and do not open this one in other programs."
    )
