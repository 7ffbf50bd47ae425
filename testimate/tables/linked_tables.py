"""Tables of a database that hold parts of the same rows, linked by a key that each has once: read as one."""

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MOST_LINKED = 8
"""Tables that are read as one."""

OWN_KEYS = frozenset({"id", "rowid", "oid", "pk", "key", "index"})
"""Names of columns that number the rows of their own table, and link nothing by being called alike."""

ForeignKeys = Mapping[tuple[str, str], tuple[str, str]]
"""The table and column that a column of a table is declared to name, by that table and column."""


@dataclass(frozen=True)
class Linked:
    """What selects the rows of several tables as one, what they are for people, and a sentence on how they were linked."""

    select: str
    words: str
    note: str


def quoted(name: str) -> str:
    """Return a name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def foreign_keys(database: sqlite3.Connection) -> ForeignKeys:
    """Return the links that the tables of a database declare; of those to a whole key that its first column."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    tables = [
        one for (one,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchmany(1_000)
    ]
    for table in tables:
        for row in database.execute(f"PRAGMA foreign_key_list({quoted(table)})").fetchmany(MOST_LINKED):
            target, column, key = row[2], row[3], row[4]
            if target in tables and row[1] == 0:
                found[table, column] = target, key or _first_key(database, target)
    return found


def _first_key(database: sqlite3.Connection, table: str) -> str:
    """The first column of a table's primary key; "" without one."""
    columns = database.execute(f"PRAGMA table_info({quoted(table)})").fetchmany(1_000)
    return next((str(one[1]) for one in columns if one[5] == 1), "")


def linked(database: sqlite3.Connection, tables: Sequence[str], declared: ForeignKeys) -> Linked | None:
    """Return how all of these tables are one: each has a row at most for every row of the largest, by a key that both have.

    A key is a column that a foreign key names, or one that is called alike in both and does not number its own table. None
    where a table is linked to no other one, has several rows for a key, or rows that the largest lacks.
    """
    if len(tables) > MOST_LINKED:
        return None
    columns = {one: _columns(database, one) for one in tables}
    sizes = {one: _count(database, f"SELECT 1 FROM {quoted(one)}") for one in tables}
    first = max(tables, key=lambda one: sizes[one])
    joined, clauses, used = [first], [f"FROM {quoted(first)}"], dict[str, str]()
    while len(joined) < len(tables):
        found = next(
            (
                (table, there, column, key)
                for table in tables
                if table not in joined
                for there in joined
                for column, key in _links(table, columns[table], there, columns[there], declared)
                if _is_once(database, table, key, there, column)
            ),
            None,
        )
        if found is None:
            return None
        table, there, column, key = found
        clauses.append(f"LEFT JOIN {quoted(table)} ON {quoted(table)}.{quoted(key)} = {quoted(there)}.{quoted(column)}")
        joined.append(table)
        used[table] = key
    rest = [(table, name) for table in tables for name in columns[table] if name != used.get(table)]
    often = Counter(name.casefold() for _, name in rest)
    named = [(table, name, name if often[name.casefold()] == 1 else f"{table}.{name}") for table, name in rest]
    selected = ", ".join(f"{quoted(table)}.{quoted(name)} AS {quoted(called)}" for table, name, called in named)
    them, keys = ", ".join(map(repr, tables)), ", ".join(map(repr, dict.fromkeys(used.values())))
    return Linked(
        f"SELECT {selected} {' '.join(clauses)}",
        f"tables {them:.160}",
        f"The tables {them:.160} are read as one, by {keys:.120}.",
    )


def shared_columns(database: sqlite3.Connection, tables: Sequence[str]) -> list[str]:
    """Return the columns that all of these tables have."""
    first, *others = (_columns(database, one) for one in tables)
    return [name for name in first if all(name in one for one in others)]


def _columns(database: sqlite3.Connection, table: str) -> list[str]:
    return [str(one[0]) for one in database.execute(f"SELECT * FROM {quoted(table)} LIMIT 0").description]


def _links(
    table: str, own: Sequence[str], there: str, others: Sequence[str], declared: ForeignKeys
) -> list[tuple[str, str]]:
    """The columns of ``there``, with those of ``table`` that may hold the same keys: declared, or called alike."""
    found = [
        (column, name)
        for name in own
        if declared.get((table, name), ("", ""))[0] == there
        for column in [declared[table, name][1]]
    ]
    found += [(name, declared[there, name][1]) for name in others if declared.get((there, name), ("", ""))[0] == table]
    alike = [name for name in own if name in others and name.casefold() not in OWN_KEYS]
    return [
        (column, key) for column, key in (*found, *((name, name) for name in alike)) if column in others and key in own
    ]


def _is_once(database: sqlite3.Connection, table: str, key: str, there: str, column: str) -> bool:
    """Whether each row of ``table`` has a key of its own that is in ``there``, which has each once, too.

    A number with decimals is no key.
    """
    for one, name in ((table, quoted(key)), (there, quoted(column))):
        rows, filled, different, measured = database.execute(
            f"SELECT count(*), count({name}), count(DISTINCT {name}), max(typeof({name}) = 'real') FROM {quoted(one)}"
        ).fetchone()
        if not rows == filled == different or measured:
            return False
    keys = f"SELECT {quoted(column)} FROM {quoted(there)}"
    return not database.execute(f"SELECT 1 FROM {quoted(table)} WHERE {quoted(key)} NOT IN ({keys}) LIMIT 1").fetchall()


def _count(database: sqlite3.Connection, select: str) -> int:
    return int(database.execute(f"SELECT count(*) FROM ({select})").fetchone()[0])
