"""All labels of one database copied into another, whatever kinds the two are, and compared afterwards."""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select, text

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.words import spaced
from testimate.labels.foreign_labels import foreign_rows
from testimate.labels.sql_store import SqlStore
from testimate.labels.tables import LOGIN_TRIES, LOGINS, METADATA, TURNS

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
                    f"The database to copy to holds {spaced(held)} rows of {table.name} already; expected an empty one. Make a "
                    "new database."
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
