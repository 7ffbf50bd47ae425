"""A Hugging Face dataset with a network's predictions as a table: written by save_to_disk, or a folder of Parquet files."""

from dataclasses import dataclass
from pathlib import Path

from testimate.core.errors import BadInput
from testimate.datasets.array_files import operational_split
from testimate.datasets.folders import FolderFiles
from testimate.datasets.parquet_folders import is_parquet_file, one_table, parquet_splits
from testimate.datasets.saved import ALL, ONE, ArrowColumn, elsewhere, read_saved, saved_splits
from testimate.tables.cells import Cells, listed_classes, pa
from testimate.tables.parquet import holds_files


def read_table_folder(folder: Path) -> tuple[Cells, str]:
    """The columns of the operational split as a table, pictures and sounds unread, and the fingerprint of its files.

    The operational split is test, else validation, else the only one. BadInput where the folder is not such a dataset,
    or is damaged.
    """
    if any((folder / name).is_file() for name in (ONE, ALL)):
        return _saved_to_disk(folder)
    files = FolderFiles(folder)
    if not any(is_parquet_file(name) for name in files.names):
        raise BadInput(
            f"{str(folder)!r:.200} is a folder. Expected a table, or a dataset as save_to_disk writes it, or Parquet "
            "files. Name the table in it."
        )
    splits = parquet_splits(files.names)
    return one_table(folder, splits[operational_split(splits, None)])


def _saved_to_disk(folder: Path) -> tuple[Cells, str]:
    places = {"": folder} if (folder / ONE).exists() else saved_splits(folder)
    saved = read_saved(places[operational_split(places, None)], folder.name)
    plain = {name: column.joined() for name, column in saved.columns.items() if not holds_files(column.kind)}
    embedded = {name: _SavedFiles(name, column) for name, column in saved.columns.items() if holds_files(column.kind)}
    return Cells(
        plain, saved.size, embedded=embedded, class_names=listed_classes(saved.features), format="saved dataset"
    ), saved.digest


@dataclass(frozen=True, eq=False)
class _SavedFiles:
    """A column of pictures or sounds, each mapped from disk on demand."""

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
        """The name of the row's file; empty if it is not given."""
        cell = self.column.cell(row) if pa.types.is_struct(self.column.kind) else None
        path = cell.get("path") if isinstance(cell, dict) else None
        return path if isinstance(path, str) else ""
