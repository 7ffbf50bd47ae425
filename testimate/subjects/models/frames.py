"""Arrays and small records over a pipe, as .npy and JSON, never as pickles; what is claimed is checked before it is read."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from testimate.subjects.models.bounds import MAX_ARRAY_BYTES

MAX_HEAD_BYTES = 64_000_000
"""Of the record: it lists every layer's name."""

MAX_ARRAYS = 1_000


class BrokenFrame(Exception):
    """What came over the pipe is no message, or the other end is gone."""


@dataclass(frozen=True, eq=False)
class Message:
    """A record and the arrays that go with it."""

    head: Mapping[str, Any]
    arrays: Sequence[NDArray[Any]] = ()


def send(message: Message, pipe: IO[bytes]) -> None:
    """Writes the message whole."""
    head = json.dumps({"arrays": len(message.arrays), "head": message.head}).encode()
    _write(np.frombuffer(head, dtype=np.uint8), pipe)
    for array in message.arrays:
        _write(array, pipe)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Message:
    """Reads one message; BrokenFrame where there is none."""
    try:
        text = _read(pipe, MAX_HEAD_BYTES).tobytes()
        said = json.loads(text)
        count, head = said["arrays"], said["head"]
        if not isinstance(head, dict) or not isinstance(count, int) or not 0 <= count <= MAX_ARRAYS:
            raise BrokenFrame("a record of another form")
        return Message(head, [_read(pipe, MAX_ARRAY_BYTES) for _ in range(count)])
    except (ValueError, TypeError, KeyError, EOFError, RecursionError, MemoryError) as error:
        raise BrokenFrame(f"{type(error).__name__}: {error!s:.200}") from error


def _write(array: NDArray[Any], pipe: IO[bytes]) -> None:
    array = np.ascontiguousarray(array)
    npy.write_array_header_1_0(pipe, npy.header_data_from_array_1_0(array))
    pipe.write(array.reshape(-1).view(np.uint8).data)


def _read(pipe: IO[bytes], most: int) -> NDArray[Any]:
    if npy.read_magic(pipe) != (1, 0):
        raise BrokenFrame("an array of another version")
    shape, by_column, kind = npy.read_array_header_1_0(pipe)
    if by_column or kind.kind not in "fiub" or any(size < 0 for size in shape):
        raise BrokenFrame("an array of another form")
    count = 1
    for size in shape:
        count *= size
    if count * kind.itemsize > most:
        raise BrokenFrame(f"an array of {count * kind.itemsize:,} bytes")
    array = np.empty(count, dtype=kind)
    content = array.view(np.uint8).data
    done = 0
    while done < len(content):
        read = pipe.readinto(content[done:])  # type: ignore[attr-defined]  # typeshed's IO lacks it; BufferedReader has it
        if not read:
            raise BrokenFrame("the end in the middle of an array")
        done += read
    return array.reshape(shape)
