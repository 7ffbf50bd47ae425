"""A folder of Parquet files as one table: the splits by the names of the files, and the keys in the names of their folders."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.tables.cells import Cells
from testimate.tables.column_names import SPLITS
from testimate.tables.files import digest_of
from testimate.tables.parquet import ParquetPart, cells_of_parts, is_text, listed_of, opened_part, readable

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""The name of a folder whose key is empty."""


def is_parquet_file(name: str) -> bool:
    """Whether the name of a file ends like that of a Parquet file."""
    return name.lower().endswith((".parquet", ".pq"))


def split_of_file(name: str) -> str:
    """The split in a file's name or folder, as on the Hugging Face hub; else "".

    >>> [split_of_file(name) for name in ("data/test-00000-of-00002.parquet", "train/0000.parquet", "films.parquet")]
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


def parquet_splits(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The Parquet files of each split, by its name, which is "" where the files name none.

    >>> parquet_splits(["data/test-0.parquet", "data/train-0.parquet", "README.md"])["test"]
    ('data/test-0.parquet',)
    """
    files = [name for name in names if is_parquet_file(name)]
    splits = dict.fromkeys(map(split_of_file, files))
    return {split: tuple(name for name in files if split_of_file(name) == split) for split in splits}


def one_table(folder: Path, chosen: Sequence[str]) -> tuple[Cells, str]:
    """Files of a folder as one table in this order, each key in their folders a column, and the fingerprint of them all."""
    places = sorted({"/".join(part for part in name.split("/")[:-1] if "=" not in part) for name in chosen})
    if len(places) > 1:
        raise BadInput(
            f"{folder.name!r:.100} contains tables in several folders, {', '.join(map(repr, places))!s:.200}. Expected one. "
            "Name the folder that is meant."
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
            f"{name!r:.100} has different columns or classes from {first_name!r:.100}{which}. Expected the same in "
            "every file. Export them again, or take the file out of the folder."
        )
    for one, other in zip(own, others, strict=True):
        if one.type != other.type and not (is_text(one.type) and is_text(other.type)):
            raise BadInput(
                f"{name!r:.100} contains {_kind(one.type)} in {one.name!r:.60}, and {first_name!r:.100} {_kind(other.type)}. "
                "Expected one kind of values in a column. Export them again."
            )
    if listed_of(own) != listed_of(others):
        raise BadInput(
            f"{name!r:.100} lists different classes from {first_name!r:.100}. Expected the same in every file. Export "
            "them again."
        )


def _kind(kind: object) -> str:
    """The kind of a column's content, for people."""
    return "words" if is_text(kind) else f"{kind!s:.40}"
