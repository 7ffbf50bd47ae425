"""Content fingerprints: the same content gives the same name on every machine."""

import hashlib
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def of_bytes(*parts: bytes) -> str:
    """32 hex digits of SHA-256 over the parts, each with its length, so that their borders count."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()[:32]


def of_content(path: Path) -> str:
    """The fingerprint by ``of_bytes`` of a file's content, read in pieces: the memory does not grow with the file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        digest.update(os.fstat(file.fileno()).st_size.to_bytes(8, "little"))
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()[:32]


def of_array(array: NDArray[np.generic]) -> str:
    """Fingerprint of dtype, shape and every value."""
    array = np.ascontiguousarray(array)
    header = f"{array.dtype.newbyteorder('<').str} {array.shape}".encode()
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return of_bytes(header, little.tobytes())


def of_file(path: Path) -> str:
    """Fingerprint of a file's bytes, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()[:32]
