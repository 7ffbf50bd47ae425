"""The files of a dataset as its rows, none of which may change or be asked for by a wrong number."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput, SubjectChanged
from testimate.core.progress import Progress
from testimate.core.words import commas

Seen = TypeVar("Seen")

NAMED = 8
"""Most unreadable files that a sentence names."""


class Files(Protocol):
    """A folder or an archive: names with "/" between folders, sorted, and the bytes of each."""

    names: tuple[str, ...]
    sizes: dict[str, int]

    def read(self, name: str) -> bytes:
        """The file's bytes, within the limits."""
        ...


class Contents(Protocol):
    """The encoded pictures or sounds of a dataset, row for row."""

    fingerprint: str

    def __len__(self) -> int: ...

    def name(self, row: int) -> str:
        """The name of the row in a sentence."""
        ...

    def read(self, row: int) -> bytes:
        """The row's bytes."""
        ...

    def digests(self) -> Iterator[bytes]:
        """A digest of each row's bytes."""
        ...


class FileRows:
    """Some files in the order given, with the digest each had when they were opened."""

    def __init__(self, files: Files, names: Sequence[str], digests: Sequence[bytes]) -> None:
        self._files, self._names, self._digests = files, tuple(names), tuple(digests)
        self.fingerprint = fingerprint.of_bytes("\0".join(names).encode(), b"".join(digests))

    def __len__(self) -> int:
        return len(self._names)

    def name(self, row: int) -> str:
        """The file's name."""
        return self._names[row]

    def digests(self) -> Iterator[bytes]:
        """The digest of each file as it was opened."""
        return iter(self._digests)

    def read(self, row: int) -> bytes:
        """The file's bytes; SubjectChanged where they have changed."""
        name = self._names[row]
        content = self._files.read(name)
        if _digest(content) != self._digests[row]:
            raise SubjectChanged(
                f"{name!r:.100} was changed after the dataset was opened. Expected the file as it was. Open the dataset "
                "again."
            )
        return content


class UnreadableFiles(BadInput):
    """Some files cannot be read; ``reasons`` : (name, sentence) of each, untrusted text. They may be left out."""

    def __init__(self, reasons: Sequence[tuple[str, str]], count: int) -> None:
        self.reasons = tuple(reasons)
        shown = ", ".join(name for name, _ in self.reasons[:NAMED])
        more = "" if len(self.reasons) <= NAMED else f" and {commas(len(self.reasons) - NAMED)} more"
        super().__init__(
            f"{commas(len(self.reasons))} of {commas(count)} files cannot be read ({shown:.300}{more}). Expected "
            "complete files. Repair them, or leave them out: with the button under Project, or with "
            f"--leave-out-unreadable. The first: {self.reasons[0][1]}"
        )


class OpenedFiles(Generic[Seen]):
    """The rows made of some files, and what was noted about each on its first reading.

    ``unreadable`` : (name, sentence) of the files that were left out. Raises UnreadableFiles if there are some and they
        may not be left out, BadInput if no file can be read.
    """

    def __init__(
        self,
        files: Files,
        names: Sequence[str],
        look: Callable[[bytes, str], Seen],
        progress: Progress,
        *,
        leave_out: bool = False,
    ) -> None:
        kept: list[str] = []
        self.unreadable: list[tuple[str, str]] = []
        digests: list[bytes] = []
        self.seen: list[Seen] = []
        for done, name in enumerate(names):
            if done % 100 == 0:
                progress(done, len(names), "reading the dataset")
            try:
                content = files.read(name)
                seen = look(content, name)
            except BadInput as error:
                self.unreadable.append((name, str(error)))
                continue
            digests.append(_digest(content))
            self.seen.append(seen)
            kept.append(name)
        progress(len(names), len(names), "reading the dataset")
        if self.unreadable and not kept:
            raise BadInput(f"None of the {commas(len(names))} files can be read. The first: {self.unreadable[0][1]}")
        if self.unreadable and not leave_out:
            raise UnreadableFiles(self.unreadable, len(names))
        self.names = tuple(kept)
        self.rows = FileRows(files, kept, digests)


class ContentList:
    """Encoded pictures or sounds that something else holds: ``cell`` gives the bytes of a row."""

    def __init__(self, size: int, cell: Callable[[int], Any], digest: str) -> None:
        self._size, self._cell, self.fingerprint = size, cell, digest

    def __len__(self) -> int:
        return self._size

    def name(self, row: int) -> str:
        """The row's number."""
        return f"row {row}"

    def read(self, row: int) -> bytes:
        """The row's bytes."""
        return bytes(self._cell(row))

    def digests(self) -> Iterator[bytes]:
        """A digest of each row's bytes."""
        return (_digest(self.read(row)) for row in range(len(self)))


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()[:16]


def checked_rows(rows: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    """The rows as an (n,) array; BadInput where one is not from 0 to ``size`` - 1."""
    asked = np.asarray(rows, dtype=np.intp)
    bad = asked[(asked < 0) | (asked >= size)]
    if bad.size:
        raise BadInput(f"There is no row {bad[0]}. Expected one from 0 to {size - 1}. Choose another.")
    return asked


def checked_row(row: int, size: int) -> int:
    """The row; BadInput where it is not from 0 to ``size`` - 1."""
    return int(checked_rows(np.array([row]), size)[0])
