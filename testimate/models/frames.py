"""Arrays and small records over a pipe, as JSON and .npy, never as pickles; claimed sizes are checked before reading.

If both ends share memory, arrays that fit are put there, and only their type, shape and place go over the pipe.

Memory that this program and a model's process share, so that batches need not go through a pipe.
"""

import json
import math
import mmap
import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Annotated, Any

import numpy as np
from msgspec import Meta
from numpy.lib import format as npy
from numpy.typing import NDArray

from testimate.core.plug_ins import optional_module
from testimate.core.stored_record import From0, read_record
from testimate.core.words import commas
from testimate.models.bounds import MAX_AXES, MAX_HEAD_BYTES, MAX_MESSAGE_BYTES

fcntl = optional_module("fcntl")

ROOM = 256_000_000
"""Bytes for each direction; only the part in use takes memory. Larger messages go through the pipe."""

ALIGNED = 64
"""Arrays begin at multiples of this many bytes, for fast vector instructions."""


class SharedMemory:
    """One block of memory in two parts: one for questions, one for answers.

    Neither end can change its size, which would crash the other on its next access. The other end may change the
    content at any time, so an answer is copied before it is checked.

    ``place`` : where the other process finds it: a handle that it inherits or, on Windows, an unguessable name.
    """

    def __init__(self, place: int | str) -> None:
        self.place = place
        whole = memoryview(_mapped(place))
        self.questions, self.answers = MessageRoom(whole[:ROOM]), MessageRoom(whole[ROOM:])

    @classmethod
    def made(cls) -> "SharedMemory | None":
        """New memory; None if the system has none of fixed size."""
        try:
            place = _new_place()
        except OSError:
            return None
        try:
            return None if place is None else cls(place)
        except OSError:
            if isinstance(place, int):
                os.close(place)
            return None

    @property
    def handles(self) -> tuple[int, ...]:
        """The handles that the other process has to inherit."""
        return (self.place,) if isinstance(self.place, int) else ()

    def let_go(self) -> None:
        """Releases the handle; the memory is freed when its last user has released it."""
        for handle in self.handles:
            os.close(handle)


def _new_place() -> int | str | None:
    if sys.platform == "win32":  # a section keeps the size it was made with
        return f"testimate-{secrets.token_hex(16)}"
    return _sealed() if sys.platform == "linux" else _sized_once() if sys.platform == "darwin" else None


def _mapped(place: int | str) -> mmap.mmap:
    if sys.platform == "win32":
        return mmap.mmap(-1, 2 * ROOM, tagname=str(place))  # created by the first to ask
    return mmap.mmap(int(place), 2 * ROOM)


def _sealed() -> int | None:
    """An unnamed file in memory whose size Linux seals; None if this Python lacks the call."""
    create = getattr(os, "memfd_create", None)
    if create is None or fcntl is None:
        return None
    handle: int = create("testimate", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(handle, 2 * ROOM)
        fcntl.fcntl(handle, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    except OSError:
        os.close(handle)
        raise
    return handle


def _sized_once() -> int:
    """Memory whose size macOS sets only once (xnu, bsd/kern/posix_shm.c, pshm_truncate); its name is removed at once."""
    from multiprocessing.shared_memory import SharedMemory as NamedMemory  # not in every worker

    made = NamedMemory(create=True, size=2 * ROOM)
    try:
        return os.dup(made._fd)  # type: ignore[attr-defined]  # the only way to its handle; its test watches it
    finally:
        made.unlink()
        made.close()


@dataclass(frozen=True)
class ArrayPlace:
    """Where the bytes of an array begin in a room, numpy's name of their type, and its shape."""

    type: str
    shape: Annotated[tuple[From0, ...], Meta(max_length=MAX_AXES)]
    place: From0


class MessageRoom:
    """Room for the arrays of one message at a time."""

    def __init__(self, room: memoryview) -> None:
        self._room = np.frombuffer(room, dtype=np.uint8)

    def put(self, arrays: Sequence[NDArray[Any]]) -> "list[dict[str, Any]] | None":
        """Stores the arrays and returns their places; None if they do not fit."""
        places = [0]
        for array in arrays:
            places.append(places[-1] + -(-array.nbytes // ALIGNED) * ALIGNED)
        if places[-1] > len(self._room):
            return None
        for place, array in zip(places, arrays, strict=False):
            np.copyto(self._room[place : place + array.nbytes].view(array.dtype).reshape(array.shape), array)
        described = [{"type": array.dtype.str, "shape": array.shape} for array in arrays]
        return [{"place": place, **said} for place, said in zip(places, described, strict=False)]

    def look(self, said: Mapping[str, Any]) -> NDArray[Any]:
        """The array at that place, not copied; ValueError where there is no array of numbers."""
        one = read_record(ArrayPlace, said)
        kind = np.dtype(one.type)
        end = one.place + math.prod(one.shape) * kind.itemsize
        if kind.kind not in "fiub" or one.place % ALIGNED or end > len(self._room):
            raise ValueError("an array outside the memory, or of no numbers")
        return self._room[one.place : end].view(kind).reshape(one.shape)


BEGIN = b"\x93TESTIMATE"
"""The mark with which every record begins, before its length."""

MAX_ARRAYS = 1_000


class BrokenFrame(Exception):
    """What came over the pipe is not a message, or the other end has gone."""


@dataclass(frozen=True)
class _Sent:
    """A message as it was sent: how many arrays follow, or where they lie in the room."""

    arrays: Annotated[int, Meta(ge=0, le=MAX_ARRAYS)]
    head: dict[str, Any]
    placed: list[dict[str, Any]] | None


@dataclass(frozen=True, eq=False)
class Message:
    """A record and its arrays."""

    head: Mapping[str, Any]
    arrays: Sequence[NDArray[Any]] = ()


def send(message: Message, pipe: IO[bytes], room: MessageRoom | None = None) -> None:
    """Writes the message whole; its arrays go into ``room`` if there is one and they fit."""
    placed = room.put(message.arrays) if room is not None and message.arrays else None
    head = json.dumps({"arrays": len(message.arrays), "head": message.head, "placed": placed}).encode()
    pipe.write(BEGIN + len(head).to_bytes(8, "little") + head)
    for array in message.arrays if placed is None else ():
        _write(array, pipe)
    pipe.flush()


def receive(
    pipe: IO[bytes], room: MessageRoom | None = None, *, copied: bool = True, most: int = MAX_MESSAGE_BYTES
) -> Message:
    """Reads one message; BrokenFrame where there is none, or its arrays have more than ``most`` bytes in total.

    ``copied`` : whether to copy arrays out of the ``room``; otherwise the next message sent there overwrites them.
    """
    try:
        begin = _exactly(pipe, len(BEGIN) + 8)
        length = int.from_bytes(begin[len(BEGIN) :], "little")
        if not begin.startswith(BEGIN) or length > MAX_HEAD_BYTES:
            raise BrokenFrame("no record, or one that is too long")
        sent = read_record(_Sent, json.loads(_exactly(pipe, length)))
        if sent.placed is None:
            arrays: list[NDArray[Any]] = []
            for _ in range(sent.arrays):
                arrays.append(_read(pipe, most))
                most -= arrays[-1].nbytes
            return Message(sent.head, arrays)
        if room is None or len(sent.placed) != sent.arrays:
            raise BrokenFrame("arrays in a memory that is not shared")
        seen = [room.look(place) for place in sent.placed]
        if sum(array.nbytes for array in seen) > most:
            raise BrokenFrame("arrays larger than what was asked for")
        return Message(sent.head, [array.copy() for array in seen] if copied else seen)
    except (ValueError, TypeError, KeyError, OverflowError, EOFError, RecursionError, MemoryError) as error:
        raise BrokenFrame(f"{type(error).__name__}: {error!s:.200}") from error


def packed(values: NDArray[Any]) -> list[NDArray[Any]]:
    """Numbers unchanged; texts (n,) as their joined UTF-8 bytes and the number of bytes of each.

    >>> [array.tolist() for array in packed(np.array(["a", "bc"]))]
    [[97, 98, 99], [1, 2]]
    """
    if values.dtype.kind != "U":
        return [values]
    texts = [str(text).encode("utf-8", "replace") for text in values]
    return [np.frombuffer(b"".join(texts), dtype=np.uint8), np.array([len(text) for text in texts], dtype=np.int64)]


def unpacked(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The inverse of ``packed``."""
    if len(arrays) == 1:
        return arrays[0]
    content, ends = arrays[0].tobytes(), np.cumsum(arrays[1])
    starts = ends - arrays[1]
    return np.array([content[start:end].decode() for start, end in zip(starts, ends, strict=True)], dtype=np.str_)


def _exactly(pipe: IO[bytes], count: int) -> bytes:
    content = pipe.read(count)
    if len(content) < count:
        raise BrokenFrame("the end in the middle of a record")
    return content


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
        raise BrokenFrame(f"an array of {commas(count * kind.itemsize)} bytes")
    array = np.empty(count, dtype=kind)
    content = array.view(np.uint8).data
    done = 0
    while done < len(content):
        read = pipe.readinto(content[done:])  # type: ignore[attr-defined]  # typeshed's IO lacks it; BufferedReader has it
        if not read:
            raise BrokenFrame("the end in the middle of an array")
        done += read
    return array.reshape(shape)
