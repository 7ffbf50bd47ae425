"""Files made by hand to do harm, and what becomes of them: read, refused with a sentence, or an error that ends the test."""

import os
import struct
import tracemalloc
import zlib
from pathlib import Path

import pytest

from testimate.core.errors import BadInput
from testimate.datasets.open import open_dataset_file


class Marks:
    """Leaves a mark where it is unpickled."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self):
        return os.mkdir, (str(self.place),)


def look_through(path: Path) -> None:
    dataset = open_dataset_file(path).dataset
    for row in range(len(dataset)):
        dataset.show(row)


def outcome(path: Path) -> str:
    """Whether the file is refused or read; any other error ends the test."""
    try:
        look_through(path)
    except BadInput:
        return "refused"
    return "read"


def refusal(path: Path) -> str:
    """The sentence; it has its three parts."""
    with pytest.raises(BadInput) as refused:
        look_through(path)
    sentence = str(refused.value)
    assert "Expected" in sentence or "Save it" in sentence
    assert sentence.endswith(".")
    return sentence


def written(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def npy(descr: str, shape: str, data: bytes = b"", *, order: str = "False") -> bytes:
    header = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}}}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def png_claiming(width: int, height: int) -> bytes:
    """A PNG of a few bytes whose header claims a size (PNG specification, third edition, 11.2.1)."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")


def peak_of(act) -> int:
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
