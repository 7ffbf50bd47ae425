"""One role's values on disk: an .npy file that has its final name only when every row of it is there."""

import io
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.feature_cache.storing import flush, move

Values = NDArray[np.float32]


class RoleFile:
    """The (size, width) float32 values of one role in a folder; ``<role>.npy`` once whole, before that ``.partial``."""

    def __init__(self, folder: Path, role: str, size: int, width: int) -> None:
        self._whole = folder / f"{role}.npy"
        self._partial = folder / f"{role}.npy.partial"
        self._shape = (size, width)
        header = io.BytesIO()
        described = {"descr": "<f4", "fortran_order": False, "shape": self._shape}
        np.lib.format.write_array_header_1_0(header, described)
        self._header = header.getvalue()
        self._bytes = len(self._header) + size * width * 4

    def read(self) -> Values | None:
        """The whole array, read by page as it is used and never writable; None where it is not there or not of its size."""
        return self._mapped(self._whole)

    def digest(self, rows: range) -> str | None:
        """Digest of these rows as they lie on disk, finished or not; None where there is no file of the right size."""
        values = self._mapped(self._whole)
        values = self._mapped(self._partial) if values is None else values
        return None if values is None else digest_of(values[rows.start : rows.stop])

    def reopen(self) -> None:
        """Makes the file writable again, keeping the rows it has where it has the right size."""
        if self._whole.exists():
            move(self._whole, self._partial)
        if self._mapped(self._partial) is None:
            with self._partial.open("wb") as file:
                file.write(self._header)
                file.truncate(self._bytes)
                flush(file.fileno())

    def write(self, rows: range, values: Values) -> str:
        """Puts these rows on disk and returns their digest; through the file, since a full disk kills a mapping's writer."""
        place = len(self._header) + rows.start * self._shape[1] * 4
        content = memoryview(np.ascontiguousarray(values, dtype="<f4").tobytes())
        with self._partial.open("r+b", buffering=0) as file:
            while content:
                written = os.pwrite(file.fileno(), content, place)
                place, content = place + written, content[written:]
            flush(file.fileno())
        return digest_of(values)

    def finish(self) -> None:
        """Gives the file its final name; called when every row is on disk."""
        move(self._partial, self._whole)

    def _mapped(self, path: Path) -> Values | None:
        try:
            with path.open("rb") as file:
                if os.fstat(file.fileno()).st_size != self._bytes or file.read(len(self._header)) != self._header:
                    return None
            values: Values = np.load(path, mmap_mode="r", allow_pickle=False)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return values


def digest_of(values: Values) -> str:
    """Digest of some rows' values, the same on every machine."""
    return fingerprint.of_bytes(np.ascontiguousarray(values, dtype="<f4").tobytes())
