"""Labels put back from an older copy under a running server: what is shown is what is stored, and what is said now counts."""

import shutil
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import delete, select

from testimate.core.errors import StoreUnavailable
from testimate.labels import SqlStore
from testimate.labels.database import EVENTS
from tests.session.test_replay import outlook


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labels.sqlite"


def copied(path: Path, name: str) -> Path:
    """A copy of the database, as a backup makes it."""
    copy = path.with_name(name)
    with sqlite3.connect(path) as source, sqlite3.connect(copy) as target:
        source.backup(target)
    source.close()
    target.close()
    return copy


def put_back(copy: Path, path: Path) -> None:
    for file in path.parent.glob("labels.sqlite*"):
        file.unlink()
    shutil.copy(copy, path)


def answer_next(session, say, inputs, count: int) -> None:
    for _ in range(count):
        row = session.upcoming(1)[0].row
        assert session.record([say(row, int(inputs.truth[row]))]).acknowledged


@pytest.mark.parametrize("technique", ["srs", "ssoa-r-p"])
def test_the_session_becomes_what_the_copy_holds_and_goes_on_from_there(technique, open_session, say, inputs, path):
    session = open_session(technique, budget=60)
    answer_next(session, say, inputs, 5)
    copy = copied(path, "copy")
    answer_next(session, say, inputs, 45)
    put_back(copy, path)
    session.refresh()
    assert session.labeled == 5
    assert outlook(session) == outlook(open_session(technique, budget=60))
    answer_next(session, say, inputs, 7)
    assert session.labeled == 12
    assert outlook(session) == outlook(open_session(technique, budget=60))


def test_an_answer_to_what_the_older_history_has_not_drawn_yet_is_refused_and_spoils_nothing(
    open_session, say, inputs, path
):
    session = open_session("ssoa-r-p", budget=60)
    answer_next(session, say, inputs, 5)
    copy, first_phase = copied(path, "copy"), {draw.row for draw in session.draws}
    while session.waiting:
        answer_next(session, say, inputs, 1)
    second = next(draw.row for draw in session.draws if draw.row not in first_phase)
    put_back(copy, path)
    late = say(second, 1)
    assert "not drawn" in session.record([late]).refused[late.id]
    assert outlook(session) == outlook(open_session("ssoa-r-p", budget=60))


def test_an_event_that_was_stored_before_and_is_not_in_the_copy_is_stored_when_it_comes_again(
    open_session, say, inputs, path, store
):
    session = open_session()
    answer_next(session, say, inputs, 1)
    copy, event = copied(path, "copy"), say(session.upcoming(1)[0].row, 1)
    session.record([event])
    put_back(copy, path)
    assert session.record([event]).acknowledged == (event.id,)
    assert event.id in [stored.id for stored in store.history("s")]


def test_a_copy_that_another_process_labeled_on_is_seen_though_it_is_longer(open_session, say, inputs, database):
    store = SqlStore(database)
    session = open_session(on=store)
    answer_next(session, say, inputs, 10)
    kept = [event.id for event in session.history()[:4]]
    with store.transaction(writes=True) as connection:
        connection.execute(delete(EVENTS).where(EVENTS.c.id.not_in(kept)))
    other = open_session(on=store)
    answer_next(other, say, inputs, 12)
    session.refresh()
    assert session.history() == other.history()
    assert outlook(session) == outlook(other)
    store.close()


@pytest.mark.parametrize("labeled", [0, 3])
@pytest.mark.parametrize("team", [None, 2])
def test_a_copy_without_the_session_takes_no_label_and_says_so_until_the_right_one_is_back(
    open_session, say, inputs, path, store, labeled, team
):
    empty = copied(path, "empty")
    session = open_session(votes_per_input=team)
    answer_next(session, say, inputs, labeled)
    right, event = copied(path, "right"), say(session.upcoming(1)[0].row, 1)
    put_back(empty, path)
    with pytest.raises(
        StoreUnavailable,
        match=r"no (?:longer has )?session .* Restore the database it was started in, then continue labeling",
    ):
        session.record([event])
    if team:
        with pytest.raises(StoreUnavailable, match="no session"):
            session.upcoming(3, "Bob")
    assert len(session.history()) == labeled
    put_back(right, path)
    assert session.record([event]).acknowledged == (event.id,)
    with store.transaction() as connection:
        assert len(connection.scalars(select(EVENTS.c.id)).all()) == labeled + 1
