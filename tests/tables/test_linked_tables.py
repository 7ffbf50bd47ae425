"""Tables of a database that hold parts of the same rows are read as one where their keys show it, and asked about elsewhere."""

import sqlite3
from contextlib import closing

import pytest

from testimate.core.errors import BadInput
from testimate.tables.files import read_cells

ITEMS = "CREATE TABLE items (id INTEGER PRIMARY KEY, file TEXT)"
SAID = "CREATE TABLE said (id INTEGER PRIMARY KEY, item INTEGER REFERENCES items, label TEXT, score REAL)"
SEEN = "CREATE TABLE seen (id INTEGER PRIMARY KEY, item INTEGER REFERENCES items (id), label TEXT)"


def database(*statements: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as made:
        for statement in statements:
            made.execute(statement)
        made.commit()
        return made.serialize()


def rows_of(table: str, *columns: str, count: int = 30) -> str:
    """What fills a table: each column an expression of n from 1."""
    numbers = f"WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < {count})"
    return f"INSERT INTO {table} {numbers} SELECT {', '.join(columns)} FROM more"


FILLED = (
    *(ITEMS, SAID, SEEN, rows_of("items", "n", "n || '.png'")),
    rows_of("said", "n", "31 - n", "CASE n % 2 WHEN 0 THEN 'cat' ELSE 'owl' END", "n / 64.0"),
)


def test_tables_that_declare_whose_rows_they_are_about_are_read_as_one():
    cells = read_cells(database(*FILLED, rows_of("seen", "n", "2 * n", "'cat'", count=15)), "t.db")
    assert cells.notes == ("The tables 'items', 'said', 'seen' are read as one, by 'item'.",)
    assert [*cells.columns] == ["items.id", "file", "said.id", "said.label", "score", "seen.id", "seen.label"]
    assert cells.columns["file"].to_pylist()[:2] == ["1.png", "2.png"]
    assert cells.columns["said.id"].to_pylist()[:2] == [30, 29]
    assert cells.columns["score"].to_pylist()[:2] == [30 / 64, 29 / 64]
    assert cells.columns["seen.label"].to_pylist()[:3] == [None, "cat", None]


def test_tables_with_a_key_of_one_name_are_read_as_one_and_one_that_has_it_twice_is_not():
    said = ("CREATE TABLE said (doc TEXT, prediction TEXT)", rows_of("said", "'d' || n", "'cat'"))
    texts = ("CREATE TABLE texts (doc TEXT, body TEXT)", rows_of("texts", "'d' || (31 - n)", "'No. ' || (31 - n)"))
    cells = read_cells(database(*said, *texts), "t.db")
    assert [*cells.columns] == ["doc", "prediction", "body"]
    assert cells.columns["body"].to_pylist()[:2] == ["No. 1", "No. 2"]
    for other in ("INSERT INTO texts VALUES ('d7', 'again')", "UPDATE texts SET doc = 'e7' WHERE doc = 'd7'"):
        with pytest.raises(BadInput, match=r"FROM said JOIN texts USING \(doc\)' > joined.csv"):
            read_cells(database(*said, *texts, other), "t.db")


def test_numbers_of_a_table_s_own_rows_and_measured_ones_link_no_tables():
    for key in ("id", "score"):
        one = f"CREATE TABLE a AS SELECT {'id' if key == 'id' else 'score'}, label FROM said"
        two = f"CREATE TABLE b AS SELECT {key}, label AS other FROM said"
        with pytest.raises(BadInput, match=f"2 tables, 'a', 'b'.*If rows of one '{key}' belong together"):
            read_cells(database(*FILLED, one, two, "DROP TABLE seen", "DROP TABLE said", "DROP TABLE items"), "t.db")
