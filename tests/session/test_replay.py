"""A session is its record and its history: rebuilt anywhere, refused where the history does not fit."""

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from testimate.core.errors import NotEnoughLabels, ReplayMismatch
from testimate.labels import SqlStore
from testimate.selectors import SELECTORS
from testimate.session.admission import Admission


def work(session, say, inputs, rng, steps) -> None:
    """A tester at work: mostly answers, sometimes not what is expected."""
    for _ in range(steps):
        upcoming = session.upcoming(6)
        if not upcoming:
            return
        row = int(rng.choice([draw.row for draw in upcoming]))
        known = list(session.answers()) or [row]
        match rng.integers(12):
            case 0:
                events = [say(row)]
            case 1:
                events = [say(row, kind="skip")]
            case 2:
                events = [say(int(rng.choice(known)), kind="undo")]
            case 3:
                events = [say(int(rng.choice(known)), int(rng.integers(4)))]
            case 4:
                events = [say(int(rng.integers(300)), 1, stream="exploration")]
            case _:
                events = [say(row, int(inputs.truth[row])), say(row, kind="flag", detail={"note": "see"})]
        assert not session.record(events).refused


def outlook(session) -> list[object]:
    """Everything a session says about itself."""
    try:
        estimate: object = session.estimate()
    except NotEnoughLabels as error:
        estimate = str(error)
    counts = (session.planned, session.labeled, session.skipped, session.remaining, session.waiting, session.finished)
    return [
        session.draws,
        session.upcoming(1000),
        session.verdicts(),
        session.recent(1000),
        session.answers(),
        counts,
        estimate,
    ]


@pytest.mark.parametrize("technique", list(SELECTORS))
def test_a_reopened_session_is_the_same_to_the_last_digit(technique, open_session, say, inputs, store, tmp_path):
    session = open_session(technique, budget=60)
    rng = np.random.default_rng(8)
    for _ in range(2):
        work(session, say, inputs, rng, 40)
        assert outlook(open_session(technique, budget=60, on=SqlStore(store._url))) == outlook(session)
    while session.upcoming(1):
        session.record([say(draw.row, int(inputs.truth[draw.row])) for draw in session.upcoming(3)])
    assert session.finished
    assert outlook(open_session(technique, budget=60)) == outlook(session)
    assert session.labeled > 40


@pytest.mark.parametrize("technique", ["srs", "ssoa-r-p"])
def test_two_processes_that_label_the_same_session_see_each_others_votes(technique, open_session, say, inputs):
    here, there = open_session(technique, budget=60), open_session(technique, budget=60)
    turns = np.random.default_rng(2)
    while here.upcoming(1):
        session = here if turns.integers(2) else there
        row = session.upcoming(1)[0].row  # what the other one did since is not known here yet
        answer = int(inputs.truth[row]) if session is here else 0
        assert not session.record([say(row, answer)]).refused
        here.refresh()
    there.refresh()
    assert here.finished
    assert outlook(here) == outlook(there) == outlook(open_session(technique, budget=60))


def test_the_second_phase_waits_for_the_first_and_takes_its_first_votes_whatever_is_changed_later(
    open_session, say, inputs
):
    session = open_session("ssoa-r-p", budget=60)
    first_phase = [draw.row for draw in session.draws]
    assert session.waiting
    assert len(first_phase) < 60 == session.planned
    session.record([say(first_phase[0], kind="skip")])
    session.record([say(row, int(inputs.truth[row])) for row in first_phase[1:]])
    assert session.waiting
    assert [draw.row for draw in session.upcoming(5)] == first_phase[:1]  # the skipped one is all that is left
    session.record([say(first_phase[0])])
    assert not session.waiting
    drawn = session.draws
    session.record([say(row, (int(inputs.truth[row]) + 1) % 4) for row in first_phase])
    assert session.draws == drawn
    assert open_session("ssoa-r-p", budget=60).draws == drawn


def tamper(path: Path, change: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(change)
    connection.close()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE events SET row = (row + 1) % 300 WHERE sequence = 2", "as draw 1, where there is row"),
        ("""UPDATE events SET detail = '{"position": 9}' WHERE sequence = 3""", "as draw 9, where there is row"),
        (
            """UPDATE events SET detail = '{"position": 900}' WHERE sequence = 3""",
            "as draw 900, where there is no draw",
        ),
        ("""UPDATE events SET detail = '{}', row = 299 WHERE sequence = 3""", "as draw None, where there is no draw"),
        ("UPDATE events SET answer = '17' WHERE sequence = 2", "does not fit the task"),
    ],
)
def test_a_history_that_does_not_fit_the_draws_is_refused_and_both_are_named(open_session, say, tmp_path, change, says):
    session = open_session(budget=20)
    assert 299 not in [draw.row for draw in session.draws]
    session.record([say(draw.row, 1) for draw in session.upcoming(5)])
    tamper(tmp_path / "labels.sqlite", change)
    with pytest.raises(ReplayMismatch, match=says):
        open_session(budget=20)


def test_the_history_of_another_seed_is_refused(open_session, say, store):
    session = open_session(budget=20, seed=3)
    session.record([say(session.draws[0].row, 1)])
    with pytest.raises(ReplayMismatch, match=f"row {session.draws[0].row} as draw 0"):
        open_session(budget=20, seed=4)


def test_what_another_process_stored_is_checked_as_it_is_read_and_what_this_one_stored_is_not_checked_again(
    open_session, say, tmp_path, monkeypatch
):
    here, there = open_session(budget=20), open_session(budget=20)
    looked_at, check = [], Admission.check_replayed
    monkeypatch.setattr(Admission, "check_replayed", lambda self, event: looked_at.append(event) or check(self, event))
    here.record([say(draw.row, 1) for draw in here.upcoming(3)])
    assert looked_at == []
    there.refresh()
    assert [event.id for event in looked_at] == [event.id for event in here.history()]
    here.record([say(here.upcoming(1)[0].row, 1)])
    tamper(tmp_path / "labels.sqlite", "UPDATE events SET answer = '17' WHERE sequence = 4")
    before = there.verdicts()
    for _ in range(2):  # the second look does not pass over it
        with pytest.raises(ReplayMismatch, match="does not fit the task"):
            there.refresh()
    assert there.verdicts() == before
