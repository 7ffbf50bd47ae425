"""Chats that stand in the cells of a table as JSON, opened: the last turn, and the turns before it."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from testimate.tables.cells import Array, Cells, pa, pc
from testimate.tables.parquet import MAX_NESTED_BYTES, ParquetColumns, is_text
from testimate.tables.records import columns_of_nested, columns_of_values, first_is_chat, parted

SAYS_WHAT_IS_WHAT = frozenset({"prediction", "sut", "outcome", "output", "output_a"})
"""Names of columns by which a file was a table of predictions or outputs before chats in its cells were opened."""


def with_chats(cells: Cells) -> Cells:
    """Return a CSV with the two parts of each chat that stands in its cells as JSON, unless its names say what is judged."""
    if cells.written is None or say_what_is_judged(cells.columns):
        return cells
    columns: dict[str, Array] = {}
    for name, column in cells.columns.items():
        columns |= columns_of_nested(name, column) if first_is_chat(column) else {name: column}
    return replace(cells, columns=parted(columns)[0])


def say_what_is_judged(columns: Iterable[str]) -> bool:
    """Return whether names of columns say what is a prediction or an output, so that no chat is opened."""
    names = {name.casefold() for name in columns}
    return bool(names & SAYS_WHAT_IS_WHAT) or any(name.startswith("p_") for name in names)


def with_chats_in_parquet(cells: Cells) -> Cells:
    """Return a Parquet table with the two parts of each chat that stands in its cells as JSON, as a CSV is read."""
    columns = cells.columns
    if not isinstance(columns, ParquetColumns) or say_what_is_judged(columns):
        return cells
    opened: dict[str, dict[str, Array]] = {}
    for name in columns:
        if is_text(columns.kind(name)) and first_is_chat(next(columns.pieces(name))):
            texts = _texts_within(columns, name, MAX_NESTED_BYTES)
            opened |= {name: columns_of_values(name, texts)} if texts is not None else {}
    made, _ = parted({path: column for parts in opened.values() for path, column in parts.items()})
    return replace(cells, columns=columns.opened([*opened], made)) if opened else cells


def _texts_within(columns: ParquetColumns, name: str, most: int) -> list[Any] | None:
    """The texts of a column; None where they have more bytes than ``most``."""
    texts: list[Any] = []
    total = 0
    for piece in columns.pieces(name):
        total += pc.sum(pc.binary_length(piece.cast(pa.large_string()))).as_py() or 0
        if total > most:
            return None
        texts += piece.to_pylist()
    return texts
