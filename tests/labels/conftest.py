"""A store on an empty database of each kind that labels may lie in."""

from collections.abc import Callable, Iterator

import pytest

from testimate.labels import SqlStore, database, sql_store


@pytest.fixture(autouse=True)
def every_database_is_made_step_by_step(
    the_tables_of_one_empty_database_are_those_of_all: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a user's is; other tests have the tables of one that was."""
    monkeypatch.setattr(sql_store, "bring_up_to_date", database.bring_up_to_date)


@pytest.fixture
def open_store(database: str) -> Iterator[Callable[[], SqlStore]]:
    """Opens a store on the database, as another process would; closed in the end."""
    opened: list[SqlStore] = []

    def another() -> SqlStore:
        opened.append(SqlStore(database))
        return opened[-1]

    yield another
    for store in opened:
        store.close()
