"""Memory that this program and a model's process both see, so that batches need not be squeezed through a pipe."""

import mmap
import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.optional_module import optional_module

fcntl = optional_module("fcntl")

ROOM = 256_000_000
"""Bytes for each direction; memory is only taken for what was ever used of them. Larger messages go through the pipe."""

ALIGNED = 64
"""Arrays begin at multiples of that many bytes, as vectors of processors like them."""


class SharedMemory:
    """Two parts of one piece of memory: one for questions, one for answers.

    Neither end can change its size, which would end the other one the next time it looks. What lies in it may be changed by
    the other end at any time, so whoever reads an answer takes a copy first.

    ``place`` : where the other process finds it: a handle that it inherits or, on Windows, a name nobody can guess.
    """

    def __init__(self, place: int | str) -> None:
        self.place = place
        whole = memoryview(_mapped(place))
        self.questions, self.answers = MessageRoom(whole[:ROOM]), MessageRoom(whole[ROOM:])

    @classmethod
    def made(cls) -> "SharedMemory | None":
        """New memory; None where the system has none whose size is sure to stay as it is."""
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
        """What the other process has to inherit."""
        return (self.place,) if isinstance(self.place, int) else ()

    def let_go(self) -> None:
        """Gives the handle back; the memory goes when nobody looks at it any more."""
        for handle in self.handles:
            os.close(handle)


def _new_place() -> int | str | None:
    if sys.platform == "win32":  # a section keeps the size it was made with
        return f"testimate-{secrets.token_hex(16)}"
    return _sealed() if sys.platform == "linux" else _sized_once() if sys.platform == "darwin" else None


def _mapped(place: int | str) -> mmap.mmap:
    if sys.platform == "win32":
        return mmap.mmap(-1, 2 * ROOM, tagname=str(place))  # made by who asks first
    return mmap.mmap(int(place), 2 * ROOM)


def _sealed() -> int | None:
    """A nameless file in memory that Linux keeps at its size; None from a Python that lacks the call."""
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
    """Memory that macOS gives a size once and never again (xnu, bsd/kern/posix_shm.c, pshm_truncate); its name goes at once."""
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
        """Lays the arrays down and says where; None where they do not fit."""
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
        """The array that lies there, not copied; ValueError where no array of numbers does."""
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
