"""Arrays that stay on disk: mapped in place, or unpacked into an unnamed file and mapped there."""

import hashlib
import shutil
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.words import spaced
from testimate.subjects.datasets.array_header import ArrayHeader
from testimate.subjects.datasets.watched_file import WatchedFile

PIECE = 1 << 20
SPARE_BYTES = 100_000_000
"""Bytes to leave free on the disk that arrays are unpacked to."""


@dataclass(frozen=True, eq=False)
class StoredArray:
    """An array (N, ...) that is mapped from a file and read page by page as it is used, or is in memory.

    In another process or on another machine a mapped one is mapped again, so that its numbers need not be sent.

    Attributes
    ----------
    name : for sentences. values : read-only if they are mapped. fingerprint : of kind, shape and every byte. file : the
        one the values are mapped from, if others can change it, and ``place`` where they are in it.
    """

    name: str
    values: NDArray[Any]
    fingerprint: str
    file: WatchedFile | None = None
    place: "PlaceInFile | None" = None

    def __reduce__(self) -> tuple[Any, ...]:
        if self.file is None or self.place is None:
            return StoredArray, (self.name, self.values, self.fingerprint, self.file)
        return _mapped_again, (self.name, self.fingerprint, self.file, self.place)

    def rows(self, rows: Any) -> NDArray[Any]:
        """The values of some rows; SubjectChanged where the file has changed."""
        if self.file is not None:
            self.file.check()
        taken: NDArray[Any] = self.values[rows]
        return taken


@dataclass(frozen=True)
class PlaceInFile:
    """Where an array lies in a file: its header, and the byte at which its numbers begin."""

    path: Path
    header: ArrayHeader
    offset: int


def _mapped_again(name: str, fingerprint: str, file: WatchedFile, place: PlaceInFile) -> StoredArray:
    """The array in another process; SubjectChanged where the file is not there or is another one."""
    file.check()
    with place.path.open("rb") as opened:
        return StoredArray(name, _mapped(opened, place.header, place.offset), fingerprint, file, place)


def mapped_in_place(path: Path, name: str, header: ArrayHeader, offset: int) -> StoredArray:
    """The array whose numbers begin at ``offset`` in the file; read once for its fingerprint."""
    digest, watched = _digest_of(header), WatchedFile(path)
    with path.open("rb") as file:
        file.seek(offset)
        left = header.bytes
        while left and (piece := file.read(min(PIECE, left))):
            digest.update(piece)
            left -= len(piece)
        if left:
            raise _cut_off(name, left)
        place = PlaceInFile(path, header, offset)
        return StoredArray(name, _mapped(file, header, offset), digest.hexdigest()[:32], watched, place)


def unfolded(stream: IO[bytes], name: str, header: ArrayHeader) -> StoredArray:
    """The array whose numbers the stream gives, counted as they unpack into an unnamed file.

    Raises
    ------
    BadInput : the stream holds fewer or more bytes than the header says, or is damaged.
    StoreUnavailable : the disk is full.
    """
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if header.bytes + SPARE_BYTES > free:
        raise StoreUnavailable(
            f"{name!r:.100} unpacks to {spaced(header.bytes)} bytes and {tempfile.gettempdir()} has {spaced(free)} free; "
            "expected room for it. Free space, or set TMPDIR to a larger disk."
        )
    digest = _digest_of(header)
    with tempfile.TemporaryFile() as file:
        left = header.bytes
        while left and (piece := _piece(stream, min(PIECE, left), name)):
            digest.update(piece)
            _write(file, piece)
            left -= len(piece)
        if left:
            raise _cut_off(name, left)
        if _piece(stream, 1, name):
            raise BadInput(f"{name!r:.100} holds more than its header says; expected an array as saved. Save it again.")
        _write(file, b"")
        return StoredArray(name, _mapped(file, header, 0), digest.hexdigest()[:32])


def _piece(stream: IO[bytes], most: int, name: str) -> bytes:
    try:
        return stream.read(most)
    except (zlib.error, EOFError, OSError) as error:  # gzip.BadGzipFile is an OSError
        raise BadInput(
            f"{name!r:.100} is damaged or cut off ({error!s:.80}); expected a complete file. Copy or download it again."
        ) from error


def _write(file: IO[bytes], piece: bytes) -> None:
    try:
        file.write(piece)
        if not piece:
            file.flush()
    except OSError as error:
        raise StoreUnavailable(
            f"The dataset could not be unpacked into {tempfile.gettempdir()} ({error.strerror}); expected a disk with "
            "room. Free space, or set TMPDIR to a larger disk."
        ) from error


def _digest_of(header: ArrayHeader) -> Any:
    return hashlib.sha256(f"{header.dtype.str} {header.shape} {header.fortran} ".encode())


def _mapped(file: IO[bytes], header: ArrayHeader, offset: int) -> NDArray[Any]:
    order: Any = "F" if header.fortran else "C"
    values = np.memmap(file, dtype=header.dtype, mode="r", offset=offset, shape=header.shape, order=order)
    return np.asarray(values)


def _cut_off(name: str, missing: int) -> BadInput:
    return BadInput(
        f"{name!r:.100} ends {spaced(missing)} bytes before its header says; expected a complete file. Copy or download it "
        "again."
    )
