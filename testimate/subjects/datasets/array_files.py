"""The named arrays of an .npz, an .npy or a folder of .npy files; their sizes are added up before any is read."""

import struct
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from testimate.core.errors import BadInput
from testimate.core.words import spaced
from testimate.subjects.datasets import limits
from testimate.subjects.datasets.array_header import ArrayHeader, read_header
from testimate.subjects.datasets.folder_files import FolderFiles
from testimate.subjects.datasets.stored_array import StoredArray, mapped_in_place, unfolded
from testimate.subjects.datasets.zip_files import ZipFiles, reading_zip


@dataclass(frozen=True)
class ArrayMember:
    """An array known by its header; ``open`` maps it, and unpacks it first if it is packed."""

    name: str
    header: ArrayHeader
    open: Callable[[], StoredArray]


def array_members(path: Path) -> Mapping[str, ArrayMember]:
    """The arrays by name, without their ending .npy; none of them is read yet.

    Raises
    ------
    BadInput : a damaged file, something that is not an array or holds Python objects, sizes that contradict each other,
        or more bytes in all than ``limits.MAX_UNFOLDED_BYTES``.
    """
    if path.is_dir():
        found = [_npy(path / name) for name in FolderFiles(path).names if "/" not in name and name.endswith(".npy")]
    elif zipfile.is_zipfile(path):
        files = ZipFiles(path)
        found = [_member(path, files, name) for name in files.names if name.endswith(".npy")]
    else:
        found = [_npy(path)]
    total = sum(member.header.bytes for member in found)
    if total > limits.MAX_UNFOLDED_BYTES:
        raise limits.too_large("bytes in its arrays", total, limits.MAX_UNFOLDED_BYTES)
    return {member.name: member for member in found}


def _npy(path: Path) -> ArrayMember:
    with path.open("rb") as stream:
        header = read_header(stream, path.name)
        offset = stream.tell()
    _check_size(path.name, header, path.stat().st_size - offset)
    return ArrayMember(path.stem, header, partial(mapped_in_place, path, path.stem, header, offset))


def _member(path: Path, files: ZipFiles, name: str) -> ArrayMember:
    with reading_zip(path.name), files.open(name) as stream:
        header = read_header(stream, name)
        offset = stream.tell()
    _check_size(name, header, files.sizes[name] - offset)
    short = name.removesuffix(".npy")
    if files.members[name].compress_type == zipfile.ZIP_STORED:
        return ArrayMember(short, header, partial(_in_place, path, files, name, header, offset))
    return ArrayMember(short, header, partial(_unpacked, path, files, name, header))


def _in_place(path: Path, files: ZipFiles, name: str, header: ArrayHeader, offset: int) -> StoredArray:
    """A member that is not packed, mapped inside the zip; it begins after its local header (APPNOTE.TXT, 4.3.7)."""
    place = files.members[name].header_offset
    with reading_zip(path.name), path.open("rb") as file:
        file.seek(place)
        start = file.read(30)
        letters, extra = struct.unpack_from("<HH", start, 26)
    if not start.startswith(b"PK\x03\x04"):
        raise BadInput(f"{path.name!r:.100} is damaged at {name!r:.60}; expected a complete file. Copy it again.")
    return mapped_in_place(path, name, header, place + 30 + letters + extra + offset)


def _unpacked(path: Path, files: ZipFiles, name: str, header: ArrayHeader) -> StoredArray:
    with reading_zip(path.name), files.open(name) as stream:
        read_header(stream, name)
        return unfolded(stream, name, header)


def _check_size(name: str, header: ArrayHeader, held: int) -> None:
    if held != header.bytes:
        raise BadInput(
            f"{name!r:.100} claims {spaced(header.bytes)} bytes of numbers and holds {spaced(held)}; expected a complete "
            "array. Save it again."
        )
