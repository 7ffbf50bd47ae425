"""MNIST's IDX files, packed by gzip or not: big-endian arrays behind a header of a few bytes."""

import gzip
import struct
import zlib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from testimate.core.errors import BadInput
from testimate.core.words import spaced
from testimate.subjects.datasets.array_files import ArrayMember
from testimate.subjects.datasets.array_header import ArrayHeader, check_header
from testimate.subjects.datasets.folder_files import FolderFiles
from testimate.subjects.datasets.stored_array import StoredArray, mapped_in_place, unfolded

KINDS = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
"""Kinds of numbers by the third byte of the file (LeCun, Cortes and Burges, "The MNIST database", file formats)."""

GZIP = b"\x1f\x8b"


def is_idx(start: bytes) -> bool:
    """Whether a file with this beginning is IDX: two zeros, the kind of number, 1 to 4 dimensions."""
    return len(start) >= 4 and start[:2] == b"\0\0" and start[2] in KINDS and 1 <= start[3] <= 4


def idx_members(path: Path) -> Mapping[str, ArrayMember]:
    """The arrays of a folder of IDX files, or of one file with the labels beside it, by name.

    An images file finds its labels by its name: train-images-idx3-ubyte.gz and train-labels-idx1-ubyte.gz. BadInput where
    a file is damaged or its size is not what its header says.
    """
    if path.is_dir():
        paths = [path / name for name in FolderFiles(path).names if "/" not in name and "idx" in name]
    else:
        labels = path.with_name(path.name.replace("images", "labels").replace("idx3", "idx1").replace("idx4", "idx1"))
        paths = [path, labels] if labels != path and labels.is_file() else [path]
    members = (_idx_member(one) for one in paths)
    return {member.name: member for member in members}


def _idx_member(path: Path) -> ArrayMember:
    name = path.name.split("-idx")[0].split(".")[0]
    packed = _is_packed(path)
    try:
        with _opened(path, packed) as stream:
            header = _header(stream, path.name)
            offset = stream.tell()
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(
            f"{path.name!r:.100} is damaged or cut off ({error!s:.80}); expected a complete file. Download it again."
        ) from error
    if packed:
        return ArrayMember(name, header, partial(_unpacked_idx, path, name, header))
    held = path.stat().st_size - offset
    if held != header.bytes:
        raise BadInput(
            f"{path.name!r:.100} claims {spaced(header.bytes)} bytes of numbers and holds {spaced(held)}; expected a complete "
            "file. Download it again."
        )
    return ArrayMember(name, header, partial(mapped_in_place, path, name, header, offset))


def _unpacked_idx(path: Path, name: str, header: ArrayHeader) -> StoredArray:
    with _opened(path, packed=True) as stream:
        _header(stream, path.name)
        return unfolded(stream, name, header)


def _header(stream: IO[bytes], name: str) -> ArrayHeader:
    start = stream.read(4)
    sides = stream.read(4 * start[3]) if is_idx(start) else b""
    if not sides or len(sides) != 4 * start[3]:
        raise BadInput(f"{name!r:.100} is not an IDX file; expected one like MNIST's. Download it again.")
    header = ArrayHeader(np.dtype(KINDS[start[2]]), struct.unpack(f">{start[3]}I", sides))
    check_header(header, name)
    return header


def _is_packed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == GZIP


def _opened(path: Path, packed: bool) -> Any:
    """A stream of bytes to be closed by ``with``."""
    return gzip.open(path) if packed else path.open("rb")
