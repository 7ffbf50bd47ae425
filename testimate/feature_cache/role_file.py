"""One role's values on disk: an .npy file that has its final name only when every row of it is there.

Which files of the cache some process has mapped, so that nobody removes them while they are in use.
"""

import hashlib
import io
import os
from io import BufferedReader
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.files import move
from testimate.core.plug_ins import optional_module

fcntl = optional_module("fcntl")
"""Its shared locks let several processes use one file; a lock goes with the last handle, also of a killed process."""


def mark_used(file: BufferedReader) -> None:
    """Marks an open file as used for as long as a handle of it, or a mapping, stays open.

    Where there is no ``fcntl``, as on Windows, the system itself keeps an open file from being removed.
    """
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_SH)


def is_used(path: Path) -> bool:
    """Whether some process, this one too, uses the file; FileNotFoundError where there is none."""
    if fcntl is None:
        try:
            path.rename(path)  # refused by Windows for a file that is open
        except PermissionError:
            return True
        return False
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


Values = NDArray[np.float32]

PIECE = 1 << 20
"""Bytes read at a time."""


# Why not zarr or Parquet: decision 125.
class RoleFile:
    """The (size, width) values of one role in a folder; ``<role>.npy`` once whole, before that ``.partial``."""

    def __init__(self, folder: Path, role: str, size: int, width: int, dtype: str = "<f4") -> None:
        self._whole = folder / f"{role}.npy"
        self._partial = folder / f"{role}.npy.partial"
        self.width, self._shape, self._dtype = width, (size, width), dtype
        header = io.BytesIO()
        described = {"descr": dtype, "fortran_order": False, "shape": self._shape}
        np.lib.format.write_array_header_1_0(header, described)
        self._header = header.getvalue()
        self.row_bytes = width * int(dtype[-1])
        self._bytes = len(self._header) + size * self.row_bytes

    def read(self) -> NDArray[Any] | None:
        """The whole array, read by page as it is used and never writable; None where it is not there or not of its size.

        As long as it is held, the file is marked as used: the mapping keeps the handle that holds the mark.
        """
        try:
            with self._whole.open("rb") as file:
                mark_used(file)
                if not self._is_sound(file):
                    return None
                return np.memmap(file, dtype=self._dtype, mode="r", offset=len(self._header), shape=self._shape)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def digest(self, rows: range) -> str | None:
        """Digest of these rows as they lie on disk, finished or not; None where there is no file of the right size."""
        for path in (self._whole, self._partial):
            try:
                with path.open("rb") as file:
                    if self._is_sound(file):
                        return self._digest_in(file, rows)
            except (FileNotFoundError, NotADirectoryError):
                continue
        return None

    def reopen(self) -> None:
        """Makes the file writable again, keeping the rows it has where it has the right size."""
        if self._whole.exists():
            move(self._whole, self._partial)
        if not self._lies_sound(self._partial):
            with self._partial.open("wb") as file:
                file.write(self._header)
                file.truncate(self._bytes)
                os.fsync(file.fileno())

    def writing(self, rows: range) -> "RangeWriter":
        """What puts these rows on disk, from the first to the last."""
        return RangeWriter(self._partial, self._place(rows), _begun(len(rows) * self.row_bytes), self._dtype)

    def is_whole(self) -> bool:
        """Whether the file has its final name, size and header."""
        return self._lies_sound(self._whole)

    def is_partial(self) -> bool:
        """Whether the file waits for its final name."""
        return self._partial.exists()

    def finish(self) -> None:
        """Gives the file its final name, once every row is on disk; called when all of them are written."""
        self.flush()
        move(self._partial, self._whole)

    def flush(self) -> None:
        """Returns when all that was written so far is on disk."""
        with self._partial.open("rb") as file:
            os.fsync(file.fileno())

    def _place(self, rows: range) -> int:
        return len(self._header) + rows.start * self.row_bytes

    def _digest_in(self, file: io.BufferedReader, rows: range) -> str:
        left = len(rows) * self.row_bytes
        digest = _begun(left)
        file.seek(self._place(rows))
        while piece := file.read(min(left, PIECE)):
            digest.update(piece)
            left -= len(piece)
        return _ended(digest)

    def _lies_sound(self, path: Path) -> bool:
        try:
            with path.open("rb") as file:
                return self._is_sound(file)
        except (FileNotFoundError, NotADirectoryError):
            return False

    def _is_sound(self, file: io.BufferedReader) -> bool:
        """Whether the file has the size and header it must have."""
        return os.fstat(file.fileno()).st_size == self._bytes and file.read(len(self._header)) == self._header


class RangeWriter:
    """Puts one row range into a file piece by piece; through the file, since a full disk kills a mapping's writer."""

    def __init__(self, path: Path, place: int, digest: "hashlib._Hash", dtype: str) -> None:
        self._digest, self._dtype = digest, dtype
        self._file = path.open("r+b", buffering=0)
        self._file.seek(place)

    def __enter__(self) -> "RangeWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def add(self, values: NDArray[Any]) -> None:
        """The next rows of the range."""
        content = np.ascontiguousarray(values, dtype=self._dtype).data.cast("B")
        self._digest.update(content)
        while content:
            content = content[self._file.write(content) :]

    def finish(self) -> str:
        """The digest of what was added.

        It may not be on disk yet: a killed process loses nothing of it, and what a power cut takes is found by the digest
        before the run goes on. Flushing each range would cost some models as much as running them.
        """
        return _ended(self._digest)


def _begun(count: int) -> "hashlib._Hash":
    """A digest over that many bytes to come, that gives what ``core.fingerprint.of_bytes`` says about them at once."""
    digest = hashlib.sha256()
    digest.update(count.to_bytes(8, "little"))
    return digest


def _ended(digest: "hashlib._Hash") -> str:
    return digest.hexdigest()[:32]
