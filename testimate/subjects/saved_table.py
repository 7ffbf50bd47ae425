"""A Hugging Face dataset with a network's predictions as a table: written by save_to_disk, or a folder of Parquet files."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.subjects.arrow import pa
from testimate.subjects.cells import Cells, listed_classes
from testimate.subjects.datasets.array_roles import SPLITS
from testimate.subjects.datasets.arrow_stream import ArrowColumn
from testimate.subjects.datasets.folder_files import FolderFiles
from testimate.subjects.datasets.saved_dataset import ALL, ONE, elsewhere, read_saved, saved_splits
from testimate.subjects.datasets.splits import operational_split
from testimate.subjects.parquet_columns import ParquetPart, is_text, opened_part, readable
from testimate.subjects.parquet_file import cells_of_parts, holds_files, listed_of
from testimate.subjects.table_file import digest_of

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""The name of a folder whose key is empty."""


def read_table_folder(folder: Path) -> tuple[Cells, str]:
    """The columns of the operational split as a table, pictures and sounds unread, and the fingerprint of its files.

    The operational split is test, else validation, else the only one. BadInput where the folder is not such a dataset,
    or is damaged.
    """
    if any((folder / name).is_file() for name in (ONE, ALL)):
        return _saved_to_disk(folder)
    files = FolderFiles(folder)
    if not any(_is_parquet(name) for name in files.names):
        raise BadInput(
            f"{str(folder)!r:.200} is a folder; expected a table, or a dataset as save_to_disk writes it, or Parquet "
            "files. Name the table in it."
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


def _is_parquet(name: str) -> bool:
    return name.lower().endswith((".parquet", ".pq"))


def _split_of(name: str) -> str:
    """The split in a file's name or folder, as on the Hugging Face hub; else "".

    >>> [_split_of(name) for name in ("data/test-00000-of-00002.parquet", "train/0000.parquet", "films.parquet")]
    ['test', 'train', '']
    """
    *folders, own = name.split("/")
    words = [own.rsplit(".", 1)[0].split("-")[0], *(one for one in reversed(folders) if "=" not in one)]
    return next((SPLITS[word.casefold()] for word in words if word.casefold() in SPLITS), "")


def partition_keys(name: str) -> dict[str, str]:
    """The values that folders in a file's path give for all its rows, in the layout of Hive, Spark and Polars.

    >>> partition_keys("day=3/site=north%20sea/0.parquet"), partition_keys("data/0.parquet")
    ({'day': '3', 'site': 'north sea'}, {})
    """
    pairs = [folder.partition("=") for folder in name.split("/")[:-1] if folder.partition("=")[0] and "=" in folder]
    return {unquote(key).strip(): _filled(unquote(value)) for key, _, value in pairs}


def _filled(value: str) -> str:
    return "" if value == NO_VALUE else value


def _of_parquet_files(folder: Path, files: FolderFiles) -> tuple[Cells, str]:
    """All files of the operational split as one table, in order of their names; each key in their folders is a column."""
    names = [name for name in files.names if _is_parquet(name)]
    split = operational_split({_split_of(name) for name in names}, None)
    chosen = [name for name in names if _split_of(name) == split]
    places = sorted({"/".join(part for part in name.split("/")[:-1] if "=" not in part) for name in chosen})
    if len(places) > 1:
        raise BadInput(
            f"{folder.name!r:.100} holds tables in several folders, {', '.join(map(repr, places))!s:.200}; expected one. Name "
            "the folder that is meant."
        )
    digests = [digest_of(folder / name) for name in chosen]
    with readable():
        parts = [opened_part(folder / name, partition_keys(name)) for name in chosen]
        for name, part in zip(chosen, parts, strict=True):
            _check_alike(name, part, chosen[0], parts[0])
        cells = cells_of_parts(parts)
    keyed = [repr(sorted(part.keys.items())) for part in parts if part.keys]
    return cells, fingerprint.of_bytes(*(one.encode() for one in (*digests, *keyed)))


def _check_alike(name: str, part: ParquetPart, first_name: str, first: ParquetPart) -> None:
    """BadInput where a file has other columns than the first."""
    own, others = part.file.schema_arrow, first.file.schema_arrow
    apart = {*own.names, *part.keys} ^ {*others.names, *first.keys}
    if apart or own.names != others.names:
        which = f", such as {min(apart)!r:.60}" if apart else " in another order"
        raise BadInput(
            f"{name!r:.100} has different columns or classes from {first_name!r:.100}{which}; expected the same in "
            "every file. Export them again, or take the file out of the folder."
        )
    for one, other in zip(own, others, strict=True):
        if one.type != other.type and not (is_text(one.type) and is_text(other.type)):
            raise BadInput(
                f"{name!r:.100} holds {_kind(one.type)} in {one.name!r:.60}, and {first_name!r:.100} {_kind(other.type)}; "
                "expected one kind of values in a column. Export them again."
            )
    if listed_of(own) != listed_of(others):
        raise BadInput(
            f"{name!r:.100} lists different classes from {first_name!r:.100}; expected the same in every file. Export "
            "them again."
        )


def _kind(kind: object) -> str:
    """The kind of a column's content, for people."""
    return "words" if is_text(kind) else f"{kind!s:.40}"
