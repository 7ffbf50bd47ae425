"""A Hugging Face dataset with a network's predictions as a table: what save_to_disk left, or a folder of Parquet files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.subjects import limits
from testimate.subjects.arrow import pa
from testimate.subjects.cells import Cells, Embedded, listed_classes
from testimate.subjects.datasets.array_roles import SPLITS
from testimate.subjects.datasets.arrow_stream import ArrowColumn
from testimate.subjects.datasets.folder_files import FolderFiles
from testimate.subjects.datasets.saved_dataset import ALL, ONE, elsewhere, read_saved, saved_splits
from testimate.subjects.datasets.splits import operational_split
from testimate.subjects.parquet_file import holds_files, read_parquet
from testimate.subjects.table_file import file_bytes


def read_table_folder(folder: Path) -> tuple[Cells, str]:
    """The columns of the operational split as a table, pictures and sounds unread, and the fingerprint of its files.

    The operational split is test, else validation, else the only one. BadInput where the folder holds no such dataset, or a
    damaged one.
    """
    if any((folder / name).is_file() for name in (ONE, ALL)):
        return _saved_to_disk(folder)
    files = FolderFiles(folder)
    if not any(_is_parquet(name) for name in files.names):
        raise BadInput(
            f"{str(folder)!r:.200} is a folder; expected a table, or a dataset as save_to_disk leaves it, or Parquet files. "
            "Name the table in it."
        )
    return _of_parquet_files(folder, files)


def _saved_to_disk(folder: Path) -> tuple[Cells, str]:
    places = {"": folder} if (folder / ONE).exists() else saved_splits(folder)
    saved = read_saved(places[operational_split(places, None)], folder.name)
    plain = {name: column.joined() for name, column in saved.columns.items() if not holds_files(column.kind)}
    embedded = {name: _SavedFiles(name, column) for name, column in saved.columns.items() if holds_files(column.kind)}
    return Cells(plain, saved.size, embedded=embedded, class_names=listed_classes(saved.features)), saved.digest


@dataclass(frozen=True, eq=False)
class _SavedFiles:
    """A column of pictures or sounds, each mapped from disk as it is asked for."""

    called: str
    column: ArrowColumn

    def read(self, row: int) -> bytes:
        """The bytes of a row; BadInput where it names a file elsewhere."""
        cell = self.column.cell(row)
        content = cell.get("bytes") if isinstance(cell, dict) else cell
        if content is None:
            raise elsewhere(self.called, row)
        return bytes(content)

    def name(self, row: int) -> str:
        """What the file was called; empty where it is not said."""
        cell = self.column.cell(row) if pa.types.is_struct(self.column.kind) else None
        path = cell.get("path") if isinstance(cell, dict) else None
        return path if isinstance(path, str) else ""


def _is_parquet(name: str) -> bool:
    return name.lower().endswith((".parquet", ".pq"))


def _split_of(name: str) -> str:
    """The split that a file's name or folder says, as the hub lays datasets out; else "".

    >>> [_split_of(name) for name in ("data/test-00000-of-00002.parquet", "train/0000.parquet", "films.parquet")]
    ['test', 'train', '']
    """
    *folders, own = name.split("/")
    words = [own.rsplit(".", 1)[0].split("-")[0], *reversed(folders)]
    return next((SPLITS[word.casefold()] for word in words if word.casefold() in SPLITS), "")


def _of_parquet_files(folder: Path, files: FolderFiles) -> tuple[Cells, str]:
    """All files of the operational split, one after the other in order of their names."""
    names = [name for name in files.names if _is_parquet(name)]
    split = operational_split({_split_of(name) for name in names}, None)
    chosen = [name for name in names if _split_of(name) == split]
    if len(places := sorted({name.rpartition("/")[0] for name in chosen})) > 1:
        raise BadInput(
            f"{folder.name!r:.100} holds tables in several folders, {', '.join(map(repr, places))!s:.200}; expected one. Name "
            "the folder that is meant."
        )
    size = sum(files.sizes[name] for name in chosen)
    if size > limits.MAX_FILE_BYTES:
        raise limits.too_large("bytes", size, limits.MAX_FILE_BYTES)
    contents = [file_bytes(folder / name) for name in chosen]
    parts = [read_parquet(content) for content in contents]
    first = parts[0]
    for name, part in zip(chosen, parts, strict=True):
        if part.names != first.names or part.class_names != first.class_names:
            raise BadInput(
                f"{name!r:.100} has other columns or classes than {chosen[0]!r:.100}; expected the same in every file. Export "
                "them again."
            )
    limits.check_shape(sum(part.size for part in parts), len(first.names))
    try:
        columns = {
            name: pa.chunked_array([chunk for part in parts for chunk in part.columns[name].chunks])
            for name in first.columns
        }
    except (pa.ArrowException, TypeError) as error:
        raise BadInput(
            f"The Parquet files in {folder.name!r:.100} hold different kinds of values in one column ({error!s:.100}); "
            "expected one kind. Export them again."
        ) from error
    embedded = {name: _FilesInParts([part.embedded[name] for part in parts], parts) for name in first.embedded}
    cells = Cells(columns, sum(part.size for part in parts), first.left_out, embedded, first.class_names)
    return cells, fingerprint.of_bytes(*(fingerprint.of_bytes(content).encode() for content in contents))


class _FilesInParts:
    """A column of pictures or sounds that goes on from file to file."""

    def __init__(self, columns: Sequence[Embedded], parts: Sequence[Cells]) -> None:
        self._columns = columns
        self._ends: Any = np.cumsum([part.size for part in parts])

    def _place(self, row: int) -> tuple[Embedded, int]:
        part = int(np.searchsorted(self._ends, row, side="right"))
        return self._columns[part], row - (int(self._ends[part - 1]) if part else 0)

    def read(self, row: int) -> bytes:
        """The bytes of a row; BadInput where there are none."""
        column, inside = self._place(row)
        return column.read(inside)

    def name(self, row: int) -> str:
        """What the file was called; empty where it is not said."""
        column, inside = self._place(row)
        return column.name(inside)
