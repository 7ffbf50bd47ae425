"""All labels of one database copied into another, whatever kinds the two are, and compared afterwards.

Labels in an SQLite file that somebody else made: its tables are compared with ours, and every value with its type.
"""

import hashlib
import json
import math
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import JSON, Column, Connection, Float, String, Table, create_engine, func, insert, select, text

from testimate.core.bounded_json import check_values, read_json
from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.visible_text import STORABLE
from testimate.core.words import commas
from testimate.labels.database import LOGIN_TRIES, LOGINS, METADATA, TURNS, bring_up_to_date, harden
from testimate.labels.sql_store import SqlStore

LONGEST = 100_000_000
"""Bytes of a value, and of a row; a selection of ten million inputs is below."""

MOST_VALUES = 12_000_000
"""Values in one JSON text; a selection of ten million inputs is below."""

OF_ROW = {"events": 40, "sessions": 2_000}
"""Values in the JSON of a row on average: events of a session, and all sessions, are read at once."""

_WHOLE = 2**53
"""Whole numbers are below it; SQLite's largest as a sequence number would leave no number for the next row."""

_ODD = re.compile(r"\b(check|collate|generated|default|conflict|rowid|strict|virtual|deferrable|temp)\b", re.IGNORECASE)
"""Words of SQL that change what a table takes or returns; none of ours is made with them."""


class UnsoundLabels(ValueError):
    """A database is not as Testimate makes it; the message is the end of a sentence, after a colon."""


@contextmanager
def foreign_file(path: Path) -> Iterator[sqlite3.Connection]:
    """The database in a file, opened to be read: nothing in it runs, and no file beside it is opened or made.

    UnsoundLabels if SQLite cannot read it.
    """
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    with _reading(), closing(sqlite3.connect(address, uri=True)) as connection:
        harden(connection)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        yield connection


@contextmanager
def _reading() -> Iterator[None]:
    """Turns what SQLite says about a damaged file into UnsoundLabels; what it quotes of the file may not even be text."""
    try:
        yield
    except (sqlite3.Error, UnicodeError) as error:
        raise UnsoundLabels(f"the database is damaged ({error!s:.200})") from None


def check_tables(connection: sqlite3.Connection, version: str) -> None:
    """UnsoundLabels if the tables are not those of that version, whole, and complete.

    There is no trigger, view, table or index that this version does not make, nor a column made in another way. No page is
    damaged, and no row belongs to a session that is gone.
    """
    with _reading():
        _compare(_made(connection), _expected(version))
        found = [row[0] for row in connection.execute("SELECT version_num FROM alembic_version LIMIT 2")]
        if found != [version]:
            raise UnsoundLabels(f"their version is {found!r:.60}, expected {version}")
        damage = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if damage != "ok":
            raise UnsoundLabels(f"the database is damaged ({damage!s:.200})")
        (lost,) = connection.execute("SELECT count(*) FROM pragma_foreign_key_check").fetchone()
        if lost:
            raise UnsoundLabels(f"{lost} rows belong to sessions that are gone")


def foreign_rows(connection: sqlite3.Connection, table: Table) -> Iterator[dict[str, Any]]:
    """The rows of a table in the order of its key, one at a time; none if the version of the file lacks the table.

    UnsoundLabels names the first value that is not of its column's type.
    """
    if not _is_there(connection, table):
        return
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    order = ", ".join(f'"{column.name}"' for column in table.primary_key.columns)
    spent = 0
    readers = [(column.name, _reader(column), bool(column.nullable)) for column in table.columns]
    for number, values in enumerate(connection.execute(f'SELECT {names} FROM "{table.name}" ORDER BY {order}')):
        row = {}
        for (name, read, nullable), value in zip(readers, values, strict=True):
            try:
                row[name] = None if value is None and nullable else read(value)
            except (ValueError, TypeError) as error:
                raise UnsoundLabels(f"{name} in row {number} of {table.name} is wrong ({error!s:.80})") from None
        if table.name in OF_ROW:
            spent += sum(check_values(text, MOST_VALUES) for text in values if isinstance(text, str))
            if spent > MOST_VALUES + OF_ROW[table.name] * number:
                raise UnsoundLabels(f"{number + 1} rows of {table.name} have {spent} values in all")
        yield row


def row_counts(connection: sqlite3.Connection, tables: Iterable[Table]) -> dict[str, int]:
    """How many rows there are of each table, by its name."""
    return {
        table.name: connection.execute(f'SELECT count(*) FROM "{table.name}"').fetchone()[0]
        if _is_there(connection, table)
        else 0
        for table in tables
    }


def _is_there(connection: sqlite3.Connection, table: Table) -> bool:
    query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
    return bool(connection.execute(query, (table.name,)).fetchone()[0])


def check_rows(connection: sqlite3.Connection) -> None:
    """Reads every row of every table; raises as ``foreign_rows``."""
    with _reading():
        for table in METADATA.sorted_tables:
            for _ in foreign_rows(connection, table):
                pass


def _text(value: Any) -> str:
    if not isinstance(value, str) or not re.match(STORABLE, value):
        raise ValueError(f"found {value!r:.40}, expected text")
    return value


def _whole_number(value: Any) -> int:
    if not isinstance(value, int) or not -_WHOLE < value < _WHOLE:
        raise ValueError(f"found {value!r:.40}, expected a whole number")
    return value


def _number(value: Any) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"found {value!r:.40}, expected a number")
    return float(value)


def _json(value: Any) -> Any:
    """The value of a JSON text; SQLite makes a number of one that is a number alone."""
    if isinstance(value, int | float) and math.isfinite(value):
        return value
    return read_json(_text(value), MOST_VALUES, finite=True)


def _reader(column: Column[Any]) -> Callable[[Any], Any]:
    if isinstance(column.type, JSON):
        return _json
    if isinstance(column.type, Float):
        return _number
    return _text if isinstance(column.type, String) else _whole_number


Made = dict[tuple[str, str], Any]
"""How each table and index is made, by its type and name."""


def _compare(found: Made, expected: Made) -> None:
    for kind, name in found:
        if (kind, name) not in expected:
            raise UnsoundLabels(f"they have the {kind} {name!r:.60}, which Testimate does not make")
    for kind, name in expected:
        if (kind, name) not in found:
            raise UnsoundLabels(f"they lack the {kind} {name!r}")
        if found[kind, name] != expected[kind, name]:
            raise UnsoundLabels(f"the {kind} {name!r} is not made as Testimate makes it")


@cache
def _expected(version: str) -> Made:
    """How the released steps up to a version make the tables."""
    engine = create_engine("sqlite://")
    with engine.connect() as connection, connection.begin():
        bring_up_to_date(connection, "a new database", version)
        made = _made(connection.connection.driver_connection)
    engine.dispose()
    return made


def _made(connection: Any) -> Made:
    """How the tables and indexes of a database are made; of what is neither, only that it is there.

    Indexes are compared with their table; those of constraints have names that SQLite chose.
    """
    made: Made = {}
    listed = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    for kind, name, table, sql in listed:
        if kind == "table":
            made[kind, name] = _made_with(str(sql)) and (*_columns(connection, name), _indexes(connection, name))
        elif kind != "index" or sql is not None:
            made[str(kind), str(name)] = table
    return made


def _made_with(sql: str) -> bool:
    return re.match(r"CREATE TABLE\b", sql, re.IGNORECASE) is not None and _ODD.search(sql) is None


def _columns(connection: Any, table: str) -> tuple[Any, ...]:
    """Of each column its name, type, whether it may be empty, default, place in the key, and whether it is computed.

    Then what each refers to in another table.
    """
    columns = [row[1:] for row in connection.execute("SELECT * FROM pragma_table_xinfo(?)", (table,))]
    keys = [row[2:] for row in connection.execute("SELECT * FROM pragma_foreign_key_list(?)", (table,))]
    return tuple(columns), tuple(sorted(keys))


def _indexes(connection: Any, table: str) -> frozenset[Any]:
    """Origin, whether unique, whether partial, and the columns, of each index of a table."""
    found = connection.execute('SELECT name, origin, "unique", partial FROM pragma_index_list(?)', (table,)).fetchall()
    columns = 'SELECT name, "desc", coll, key FROM pragma_index_xinfo(?)'
    return frozenset((*facts, tuple(connection.execute(columns, (name,)).fetchall())) for name, *facts in found)


OF_THE_MOMENT = (TURNS, LOGINS, LOGIN_TRIES)
"""Who is logged in where, and who has which input on the screen: meaningless in another place."""

COPIED = tuple(table for table in METADATA.sorted_tables if table not in OF_THE_MOMENT)
"""The tables that are copied, those first that others refer to."""

_COPIED_AT_ONCE = 1_000
_MOST_HELD = 16_000_000  # bytes of rows that are not written yet


def copy_tables(source: SqlStore, target: SqlStore) -> dict[str, int]:
    """Copies every row as it was at one moment, all or none; how many there are of each table, by its name.

    Labels may be given meanwhile: those that come later are not copied. Raises as ``copy_rows``.
    """
    with source.transaction(at_one_moment=True) as read:
        return copy_rows(read, target)


def copy_rows(read: Connection, target: SqlStore) -> dict[str, int]:
    """As ``copy_tables``, in a transaction of the source that is under way; it is on disk when this returns.

    Raises BadInput where the target holds anything already, StoreUnavailable where the copy differs from what was read; the
    target is as it was then.
    """
    return _write_tables(lambda table: _rows(read, table), target)


def copy_foreign_rows(read: sqlite3.Connection, target: SqlStore) -> dict[str, int]:
    """As ``copy_rows``, of an open ``foreign_file``; raises UnsoundLabels too, at the first value that is wrong."""
    return _write_tables(lambda table: foreign_rows(read, table), target)


def _write_tables(rows_of: Callable[[Table], Iterator[dict[str, Any]]], target: SqlStore) -> dict[str, int]:
    counts: dict[str, int] = {}
    with target.transaction(writes=True) as write:
        if write.dialect.name == "postgresql":  # of two who copy at once, the second is refused
            write.execute(text("SET LOCAL lock_timeout = '10s'"))
            write.execute(text("LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE"))
        for table in COPIED:
            if held := write.scalar(select(func.count()).select_from(table)):
                raise BadInput(
                    f"The database to copy to contains {commas(held)} rows of {table.name} already. Expected an empty one. "
                    "Make a new database."
                )
        for table in COPIED:
            counts[table.name] = _copied(rows_of(table), write, table)
    return counts


def _copied(found: Iterator[dict[str, Any]], write: Connection, table: Table) -> int:
    digest, count, held = hashlib.sha256(), 0, 0
    rows: list[dict[str, Any]] = []

    def hand_over() -> None:
        if rows:
            write.execute(insert(table), rows)
            rows.clear()

    for row in found:
        canonical = _canonical(row)
        digest.update(canonical)
        rows.append(row)
        count += 1
        held += len(canonical)
        if len(rows) == _COPIED_AT_ONCE or held > _MOST_HELD:
            hand_over()
            held = 0
    hand_over()
    if digest_of(write, table) != digest.hexdigest():
        raise StoreUnavailable(
            f"The copy of {table.name} differs from what was read; nothing was copied. Try again, or look at the disks."
        )
    _go_on_numbering(write, table)
    return count


def digest_of(connection: Connection, table: Table) -> str:
    """SHA-256 of all rows of a table in the order of its key, the same whatever database holds them."""
    digest = hashlib.sha256()
    for row in _rows(connection, table):
        digest.update(_canonical(row))
    return digest.hexdigest()


def _rows(connection: Connection, table: Table) -> Iterator[dict[str, Any]]:
    ordered = select(table).order_by(*table.primary_key.columns).execution_options(yield_per=_COPIED_AT_ONCE)
    with connection.execute(ordered) as found:
        for row in found.mappings():
            yield dict(row)


def _canonical(row: dict[str, Any]) -> bytes:
    return json.dumps(row, sort_keys=True, ensure_ascii=True).encode() + b"\n"


def _go_on_numbering(connection: Connection, table: Table) -> None:
    """PostgreSQL numbers the next row after the last one copied; SQLite does so by itself."""
    if connection.dialect.name == "postgresql" and "sequence" in table.c:
        connection.execute(
            text(
                f"SELECT setval(pg_get_serial_sequence('{table.name}', 'sequence'), max(sequence)) FROM {table.name} "
                "HAVING max(sequence) IS NOT NULL"
            )
        )
