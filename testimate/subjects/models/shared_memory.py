"""Memory that this program and a model's process both see, so that batches need not be squeezed through a pipe."""

import fcntl
import mmap
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOM = 256_000_000
"""Bytes for each direction; memory is only taken for what was ever used of them. Larger messages go through the pipe."""

ALIGNED = 64
"""Arrays begin at multiples of that many bytes, as vectors of processors like them."""


class SharedMemory:
    """Two parts of one nameless file in memory: one for questions, one for answers.

    The file is sealed: neither end can change its size, which would end the other one the next time it looks. What lies
    in it may be changed by the other end at any time, so whoever reads an answer takes a copy first.
    """

    def __init__(self, handle: int) -> None:
        self.handle = handle
        whole = memoryview(mmap.mmap(handle, 2 * ROOM))
        self.questions, self.answers = Part(whole[:ROOM]), Part(whole[ROOM:])

    @classmethod
    def made(cls) -> "SharedMemory | None":
        """New memory; None where the system has none that can be sealed, which only Linux does."""
        if sys.platform != "linux":
            return None
        try:
            handle = os.memfd_create("testimate", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        except OSError:
            return None
        try:
            os.ftruncate(handle, 2 * ROOM)
            fcntl.fcntl(handle, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
            return cls(handle)
        except OSError:
            os.close(handle)
            return None


class Part:
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
