"""A table of an SQLite database of unknown origin: values only, read from memory, within a bound of steps."""

import sqlite3
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.words import commas, is_or_are
from testimate.tables import limits
from testimate.tables.cells import Cells
from testimate.tables.column_names import is_predicted
from testimate.tables.json_tables import cells_of_records
from testimate.tables.linked_tables import foreign_keys, linked, quoted, shared_columns

STEPS_AT_A_TIME, MOST_STEPS = 100_000, 2_000_000_000
"""Instructions of SQLite between two looks, and in all: a view may join a table with itself forever."""

MOST_TABLES = 1_000

BROKEN_VIEW = ("circularly defined", "no such table: main.")
"""Parts of SQLite's messages about a view of itself, and of one whose table is gone."""

ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
"""What the file may make SQLite do: read, also within views. No writing, no other file, no extension, no PRAGMA."""

LISTED = "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"


def cells_of_database(content: bytes, name: str) -> Cells:
    """Return the columns of the only table with rows; BadInput as ``rows_of_database``."""
    rows, tables, of_bytes, notes = rows_of_database(content, name)
    cells = cells_of_records(rows, f"SQLite, {tables}")
    left_out = (*cells.left_out, *(one for one in of_bytes if one not in cells.columns))
    return replace(cells, left_out=left_out, notes=(*cells.notes, *notes))


def rows_of_database(
    content: bytes, name: str
) -> tuple[Iterator[Mapping[str, Any]], str, tuple[str, ...], tuple[str, ...]]:
    """Return the rows of the only large table, of several that are linked row by row, or of the only view where there is no
    table; which these are, which columns have bytes in them, and sentences on them and on small tables.

    BadInput where the file is damaged, holds several tables, or a view takes too many steps.
    """
    with closing(sqlite3.connect(":memory:")) as database, _reading(name):
        _check_whole(content)
        database.deserialize(content)
        declared = foreign_keys(database)
        _confine(database)
        found, others = _chosen(database, name)
        joined = None if len(found) == 1 else linked(database, found, declared)
        if joined is None and len(found) > 1:
            raise _several(found, name, shared_columns(database, found))
        chosen = found[0]
        selected = f"SELECT * FROM {quoted(chosen)}" if joined is None else joined.select
        count = database.execute(
            f"SELECT count(*) FROM (SELECT 1 FROM ({selected}) LIMIT ?)", (limits.MAX_TEXT_ROWS + 1,)
        )
        cursor = database.execute(selected)
        names = [one[0] for one in cursor.description]
        _check_shape(count.fetchone()[0], len(names), name, chosen)
        of_bytes: dict[str, None] = {}
        rows = [{name: _plain(name, value, of_bytes) for name, value in zip(names, row, strict=True)} for row in cursor]
    if joined is not None:
        return iter(rows), joined.words, tuple(of_bytes), (joined.note,)
    return iter(rows), f"table {chosen!r:.60}", tuple(of_bytes), _on_others(chosen, others, name)


def _check_shape(rows: int, columns: int, name: str, chosen: str) -> None:
    """BadInput where a table, or a view that never ends, has more rows than are held as text."""
    if rows > limits.MAX_TEXT_ROWS:
        raise BadInput(
            f"{chosen!r:.60} in the SQLite database {name!r:.200} has more than {commas(limits.MAX_TEXT_ROWS)} rows. Expected "
            f"at most that many, and a view that ends. Export the rows that are meant as Parquet."
        )
    limits.check_text_shape(rows, columns)


def _check_whole(content: bytes) -> None:
    """sqlite3.DatabaseError where the file has fewer pages than its header says (sqlite.org/fileformat2.html, 1.3)."""
    header = content[:100].ljust(100, b"\0")
    (size,), (pages,) = struct.unpack_from(">H", header, 16), struct.unpack_from(">I", header, 28)
    if len(content) < pages * (1 << 16 if size == 1 else size):
        raise sqlite3.DatabaseError("its end is missing")


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Turns the errors of SQLite into BadInput."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if isinstance(error, sqlite3.OperationalError) and "interrupted" in str(error):
            raise BadInput(
                f"A view in {name!r:.200} takes more than {commas(MOST_STEPS)} steps. Expected a table of values. Make one in "
                "sqlite3: CREATE TABLE answers AS SELECT ... and drop the view."
            ) from None
        if any(sign in str(error) for sign in BROKEN_VIEW):
            raise BadInput(
                f"{name!r:.200} is an SQLite database whose view cannot be read ({error!s:.100}). Expected a table of values. "
                "Make one in sqlite3: CREATE TABLE answers AS SELECT ... and drop the view."
            ) from None
        raise BadInput(
            f"{name!r:.200} is an SQLite database that cannot be read ({error!s:.100}). Expected a complete one. Copy it "
            "again, or export its table as CSV."
        ) from None


def _confine(database: sqlite3.Connection) -> None:
    """Lets the file only be read, for a bounded number of steps."""
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    database.execute("PRAGMA query_only = ON")
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.MAX_CELL_LENGTH * 4)
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += STEPS_AT_A_TIME
        return int(steps > MOST_STEPS)

    database.set_progress_handler(count, STEPS_AT_A_TIME)
    database.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in ALLOWED else sqlite3.SQLITE_DENY)


FEWEST_OF_LARGEST = 10
"""How many times as many rows as another table the largest one has to have for the other to be about it, such as a list."""


def _chosen(database: sqlite3.Connection, name: str) -> tuple[list[str], list[str]]:
    """The tables that have rows and not far fewer than the largest, the only view where none has, and the other tables."""
    listed = database.execute(LISTED).fetchmany(MOST_TABLES)
    counts = {one: _count(database, one) for one, kind in listed if kind == "table"}
    large = [one for one, count in counts.items() if FEWEST_OF_LARGEST * count > max(counts.values())]
    saying = [one for one, count in counts.items() if count and _has_predictions(database, one)]
    tables = [one for one in counts if one in large or (one in saying and not {*large} & {*saying})]
    views = [one for one, kind in listed if kind == "view"]
    found = tables or [one for one in views if _is_readable(database, one)] or views[:1]
    if not found:
        raise BadInput(f"{name!r:.200} is an SQLite database without rows. Expected a table of answers. Fill one.")
    return [str(one) for one in found], [one for one, count in counts.items() if count and one not in found]


def _several(found: list[str], name: str, shared: Sequence[str]) -> BadInput:
    said = f"{name!r:.200} is an SQLite database with {len(found)} tables, {', '.join(map(repr, found))!s:.160}. Expected one."
    if not shared:
        return BadInput(f"{said} {_exported(name, found[0])} for the one that is meant.")
    others = "".join(f" JOIN {table:.60} USING ({shared[0]:.60})" for table in found[1:])
    return BadInput(
        f"{said} If rows of one {shared[0]!r:.60} belong together, run sqlite3 -header -csv {name:.100} 'SELECT * FROM "
        f"{found[0]:.60}{others:.300}' > joined.csv."
    )


def _exported(name: str, table: str) -> str:
    return f"Run sqlite3 -header -csv {name:.100} 'SELECT * FROM {table:.60}' > {table:.60}.csv"


def _on_others(chosen: str, others: list[str], name: str) -> tuple[str, ...]:
    """The sentence on small tables that are not read; none without any."""
    unread = ", ".join(map(repr, others))
    said = f"The table {chosen!r:.60} is read, and {unread:.160} {is_or_are(len(others))} not."
    return (f"{said} {_exported(name, others[0])} to read another.",) if others else ()


def _count(database: sqlite3.Connection, table: str) -> int:
    """How many rows a table has, counted as far as they are held; 0 of one whose module may not run."""
    if not _has_rows(database, table):
        return 0
    rows = database.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM {quoted(table)} LIMIT ?)", (limits.MAX_TEXT_ROWS + 1,)
    )
    return int(rows.fetchone()[0])


def _has_predictions(database: sqlite3.Connection, table: str) -> bool:
    """Whether a column of a table is called as predictions are."""
    cursor = database.execute(f"SELECT * FROM {quoted(table)} LIMIT 0")
    return any(is_predicted(one[0]) for one in cursor.description)


def _has_rows(database: sqlite3.Connection, table: str) -> bool:
    try:
        return database.execute(f"SELECT 1 FROM {quoted(table)} LIMIT 1").fetchone() is not None
    except sqlite3.DatabaseError as error:
        if "prohibited" in str(error) or "no such module" in str(error) or "not authorized" in str(error):
            return False  # a virtual table of a module that may not run
        raise


def _is_readable(database: sqlite3.Connection, view: str) -> bool:
    """Whether a view names tables that exist, and not itself."""
    try:
        database.execute(f"EXPLAIN SELECT 1 FROM {quoted(view)}")
    except sqlite3.OperationalError as error:
        return not any(sign in str(error) for sign in BROKEN_VIEW)
    return True


def _plain(name: str, value: Any, of_bytes: dict[str, None]) -> Any:
    """A value as JSON has it; bytes are none, and their column is noted."""
    if isinstance(value, bytes):
        of_bytes[name] = None
        return None
    return value
