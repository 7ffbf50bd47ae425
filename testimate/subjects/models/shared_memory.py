"""Memory that this program and a model's process share, so that batches need not go through a pipe."""

import mmap
import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.plug_ins import optional_module
from testimate.subjects.models.bounds import MAX_AXES

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
        if len(said["shape"]) > MAX_AXES:
            raise ValueError(f"an array of {len(said['shape'])} axes")
        kind, shape, place = np.dtype(str(said["type"])), [int(size) for size in said["shape"]], int(said["place"])
        count = 1
        for size in shape:
            count *= size
        end = place + count * kind.itemsize
        if (
            kind.kind not in "fiub"
            or place < 0
            or place % ALIGNED
            or any(s < 0 for s in shape)
            or end > len(self._room)
        ):
            raise ValueError("an array outside the memory, or of no numbers")
        return self._room[place:end].view(kind).reshape(shape)
