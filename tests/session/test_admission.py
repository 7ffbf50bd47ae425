"""Which events are stored, and what is refused with a sentence."""

import math
from dataclasses import replace

import pytest

from testimate.core.errors import BadInput, UnknownRow
from tests.each import each
from tests.session.labeling import rows


def test_an_answer_nobody_asked_for_is_refused_and_holds_up_no_other(open_session, say):
    session = open_session(budget=10)
    strange = next(row for row in range(300) if row not in [draw.row for draw in session.draws])
    good, bad = say(rows(session)[0], 1), say(strange, 1)
    recorded = session.record([bad, good])
    assert recorded.acknowledged == (good.id,)
    assert list(recorded.refused) == [bad.id]
    assert f"Row {strange} " in recorded.refused[bad.id]
    with pytest.raises(UnknownRow, match=f"Row {strange} "):
        session.check(bad)
    with pytest.raises(UnknownRow):
        session.draw_of(strange)
    assert [event.id for event in session.history()] == [good.id]


def test_the_same_event_again_is_acknowledged_and_changes_nothing(open_session, say, store):
    session = open_session()
    event = say(rows(session)[0], 1)
    session.record([event])
    before = session.verdicts()
    assert session.record([event, replace(event, answer=2), event]).acknowledged == (event.id,)
    assert session.verdicts() == before
    assert len(store.history("s")) == 1
    fresh = say(rows(session)[0], 1)
    recorded = session.record([fresh, replace(fresh, answer=99)])  # refused by its answer, but its id is stored
    assert (recorded.acknowledged, recorded.refused) == ((fresh.id,), {})


WRONG = {
    "kind": {"kind": "guess"},
    "stream": {"stream": "elsewhere"},
    "class": {"answer": 4},
    "no answer": {"kind": "answer", "answer": None},
    "an answer to a skip": {"kind": "skip", "answer": 1},
    "time": {"seconds": -1.0},
    "endless": {"seconds": math.inf},
    "not a time": {"seconds": "long"},
    "no id": {"id": ""},
    "long id": {"id": "x" * 65},
    "id of a number": {"id": 7},
    "no tester": {"tester": ""},
    "long tester": {"tester": "x" * 101},
    "tester with a NUL": {"tester": "An\x00n"},
    "half a letter": {"tester": "\ud800"},
    "row": {"row": 300},
    "row below": {"row": -1},
    "row of text": {"row": "1"},
    "row of truth": {"row": True},
    "long note": {"detail": {"note": "x" * 10_001}},
    "note of a number": {"detail": {"note": 5}},
    "long facts": {"detail": {"facts": "x" * 10_001}},
    "facts of a set": {"detail": {"facts": {1, 2}}},
    "facts of nan": {"detail": {"facts": math.nan}},
    "no detail": {"detail": "text"},
}


@each("fields", WRONG.values())
@each("stream", ["selection", "exploration"])
def test_what_a_tester_could_not_have_said_is_refused_with_a_sentence(open_session, say, fields, stream):
    session = open_session()
    row = rows(session)[0]
    event = replace(say(row, 1, stream=stream), **fields)
    recorded = session.record([event])
    assert recorded.acknowledged == ()
    assert list(recorded.refused) == [str(event.id)]
    assert len(recorded.refused[str(event.id)]) > 30
    with pytest.raises(BadInput):
        session.check(event)
    assert session.history() == ()


def test_the_longest_note_with_any_letters_is_kept_as_it_is(open_session, say):
    session = open_session()
    note = ("\n\t<script>\u200f'\"👍" * 2_000)[:10_000]
    event = say(rows(session)[0], kind="flag", answer=None, detail={"note": note})
    session.record([event])
    session.record([say(rows(session)[0], kind="flag", detail={"note": ""})])
    assert [flag.detail["note"] for flag in open_session().history()] == [note, ""]
    assert session.verdicts() == ()


@pytest.mark.parametrize("show_prediction", [False, True])
def test_each_event_is_stored_with_the_place_of_its_draw_and_whether_the_prediction_was_shown(
    open_session, say, store, show_prediction
):
    session = open_session(show_prediction=show_prediction)
    row = session.draws[3].row
    session.record(
        [say(row, 1, detail={"position": 77, "note": "hm"}), say(5, 1, stream="exploration", detail={"position": 3})]
    )
    assert [event.detail for event in store.history("s")] == [
        {"position": 3, "note": "hm", "prediction_shown": show_prediction},
        {"prediction_shown": show_prediction},
    ]


def test_what_the_database_cannot_hold_is_refused_and_holds_up_no_other(open_session, say, store, monkeypatch):
    session = open_session()
    rows = [draw.row for draw in session.draws[:3]]
    real = store.add

    def add(id, events):  # as a database refuses what it cannot write
        if any("unwritable" in str(event.detail.get("note")) for event in events):
            raise BadInput("This cannot be stored. Expected plain text.")
        return real(id, events)

    monkeypatch.setattr(store, "add", add)
    events = [say(row, 1, detail={"note": "unwritable"} if row == rows[1] else {}) for row in rows]
    recorded = session.record(events)
    assert recorded.acknowledged == (events[0].id, events[2].id)
    assert recorded.refused == {events[1].id: "This cannot be stored. Expected plain text."}
    assert set(session.answers()) == {rows[0], rows[2]}
