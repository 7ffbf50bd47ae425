"""A store on an empty database of each kind that labels may lie in."""

from collections.abc import Callable, Iterator

import pytest

from testimate.labels import SqlStore


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
