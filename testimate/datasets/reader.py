"""A kind of dataset as a reader: how a file or folder of it is recognized, and how it is opened."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from testimate.core.errors import BadInput
from testimate.core.progress import Progress
from testimate.datasets.dataset import OpenedDataset
from testimate.datasets.folders import FolderFiles
from testimate.datasets.preprocessing import Preprocessing


@dataclass(frozen=True)
class Asked:
    """The caller's settings for the dataset: see ``open_dataset_file``."""

    split: str | None
    preprocessing: Preprocessing
    label: str | None
    progress: Progress
    leave_out: bool
    labels_above: bool


@dataclass(frozen=True)
class FileToRead:
    """A file and its first 512 bytes, unpacked if it is packed by gzip."""

    path: Path
    start: bytes
    asked: Asked

    @property
    def name(self) -> str:
        """Return the file's name for a sentence."""
        return f"{self.path.name!r:.100}"


@dataclass(frozen=True)
class FolderToRead:
    """A folder and the files in it."""

    path: Path
    files: FolderFiles
    asked: Asked

    @cached_property
    def here(self) -> dict[str, int]:
        """Return the bytes of each file that lies in the folder itself, by name."""
        return {name: size for name, size in self.files.sizes.items() if "/" not in name}


class FileReader(NamedTuple):
    """One kind of file."""

    knows: Callable[[FileToRead], bool]
    open: Callable[[FileToRead], OpenedDataset]


class FolderReader(NamedTuple):
    """One kind of folder."""

    knows: Callable[[FolderToRead], bool]
    open: Callable[[FolderToRead], OpenedDataset]


def refused(knows: Callable[[FileToRead], bool], sentence: str) -> FileReader:
    """Return the reader of a kind that is not read: the sentence follows the file's name."""

    def refuse(file: FileToRead) -> OpenedDataset:
        raise BadInput(f"{file.name} {sentence}")

    return FileReader(knows, refuse)
