import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from testimate.core.errors import BadInput
from testimate.core.subject import Pane, Shown
from testimate.core.words import commas
from testimate.session.admission import check_event
from testimate.tasks.boxes import Boxes
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import Regression
from testimate.tasks.verdict import Judgment
from testimate.ui.components.labeling_surface.browser_events import MOST_EVENTS, clock_words, read_message
from testimate.ui.components.labeling_surface.view import (
    Past,
    QueuedInput,
    SurfaceView,
    failed_as_shown,
    shown_to_json,
    usual_numbers,
    view_to_json,
)
from tests.each import each

NOW = datetime(2026, 5, 1, 10, 0, 5, tzinfo=UTC)
VIEW = SurfaceView("s1", "ada", Classification(("cat", "dog")))


def event(**fields: Any) -> dict[str, Any]:
    return {
        "id": "11111111-2222",
        "kind": "answer",
        "row": 7,
        "position": 3,
        "at": "2026-05-01T10:00:00.000Z",
        "answer": 1,
        "seconds": 1.5,
        **fields,
    }


def message(*events: object, **fields: Any) -> dict[str, Any]:
    return {"session": "s1", "tester": "ada", "events": list(events), "held": [], **fields}


def taken(sent: object, view: SurfaceView) -> tuple[list[Any], dict[str, str]]:
    """What a session of 100 inputs takes of a message, and by id what is refused on the way."""
    read = read_message(sent, view, NOW)
    events, refused = [], dict(read.refused)
    for one in read.events:
        try:
            events.append(check_event(one, view.task, 100))
        except BadInput as error:
            refused[one.id] = str(error)
    return events, refused


def test_a_sound_event_arrives_with_the_views_tester_and_the_position_of_its_draw():
    read = read_message(message(event(), held=[7, 8]), VIEW, NOW)
    [parsed] = read.events
    assert (parsed.id, parsed.kind, parsed.row, parsed.answer, parsed.seconds) == ("11111111-2222", "answer", 7, 1, 1.5)
    assert (parsed.tester, parsed.stream) == ("ada", "selection")
    assert parsed.detail == {"position": 3, "prediction_shown": False}
    assert read.held == {7, 8}
    assert read.refused == {}


@each(
    "forged",
    [
        {"kind": "delete"},
        {"kind": ["answer"]},
        {"row": -1},
        {"row": 7.0},
        {"row": True},
        {"row": "7"},
        {"row": 10**400},
        {"row": None},
        {"position": None},
        {"position": -2},
        {"at": "yesterday"},
        {"at": "2026-05-01T10:00:00"},
        {"at": "2026-05-01T10:00:00+02:00"},
        {"at": 5},
        {"answer": 2},
        {"answer": -1},
        {"answer": True},
        {"answer": "1\u202e"},
        {"answer": [1]},
        {"answer": None},
        {"answer": {"a": 1}},
        {"answer": float("nan")},
        {"answer": 10**400},
        {"seconds": -1},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"seconds": "3"},
        {"seconds": True},
        {"seconds": 10**400},
        {"note": "a note on an answer"},
        {"tester": "bob"},
        {"stream": "exploration"},
        {"detail": {"prediction_shown": True}},
        {"kind": "undo", "answer": 1},
        {"kind": "flag", "answer": None, "note": None},
        {"kind": "flag", "answer": None, "note": "x" * 2001},
        {"kind": "flag", "answer": None, "note": 3},
    ],
)
def test_a_forged_field_is_refused_with_a_sentence_and_the_rest_goes_on(forged):
    events, refused = taken(message(event(**forged), event(id="99999999-8888")), VIEW)
    assert [one.id for one in events] == ["99999999-8888"]
    assert list(refused) == ["11111111-2222"]
    assert refused["11111111-2222"].endswith(".")


@each("id", [None, 5, "x" * 201])
def test_an_event_by_whose_id_nothing_can_be_said_is_dropped_as_the_browser_drops_it(id):
    read = read_message(message(event(id=id), "nonsense", None, 3), VIEW)
    assert (read.events, read.refused) == ((), {})


@each("id", ["", "short", "x" * 65, "<script>alert", "a b c d e f g"])
def test_an_event_whose_id_cannot_be_stored_is_refused_so_that_the_browser_forgets_it(id):
    read = read_message(message(event(id=id)), VIEW)
    assert read.events == ()
    assert "8 to 64 letters" in read.refused[id]


@each(
    ("claimed", "stored"),
    [
        ("2026-05-02T09:59:59.000Z", "2026-05-02T09:59:59.000Z"),
        ("2026-04-30T10:00:06.000Z", "2026-04-30T10:00:06.000Z"),
        ("2126-05-01T10:00:00.000Z", "2026-05-01T10:00:05.000Z"),
        ("1970-01-01T00:00:00.000Z", "2026-04-30T10:00:05.000Z"),
        ("0001-01-01T00:00:00+00:00", "2026-04-30T10:00:05.000Z"),
    ],
)
def test_a_browsers_clock_is_held_to_the_servers_within_a_day_and_what_it_claimed_is_kept(claimed, stored):
    [parsed] = read_message(message(event(at=claimed)), VIEW, NOW).events
    assert parsed.at == stored
    assert parsed.detail.get("claimed_at") == (None if claimed == stored else claimed)
    assert check_event(parsed, VIEW.task, 100).at == stored


@each(
    ("browser", "claimed", "stored", "words"),
    [
        ("2026-05-01T11:00:05.000Z", "2026-05-01T10:59:35.000Z", "2026-05-01T09:59:35.000Z", "60 minutes ahead"),
        ("2026-05-01T09:00:05.000Z", "2026-05-01T08:30:00.000Z", "2026-05-01T09:30:00.000Z", "60 minutes behind"),
        ("2026-05-01T10:01:05.000Z", "2026-05-01T10:00:00.000Z", "2026-05-01T10:00:00.000Z", ""),
        ("nonsense", "2026-05-01T10:00:00.000Z", "2026-05-01T10:00:00.000Z", ""),
    ],
)
def test_a_clock_an_hour_off_is_told_and_its_times_are_set_right(browser, claimed, stored, words):
    read = read_message(message(event(at=claimed), now=browser), VIEW, NOW)
    assert [one.at for one in read.events] == [stored]
    assert read.events[0].detail.get("claimed_at") == (None if claimed == stored else claimed)
    said = clock_words(read.clock_ahead)
    assert words in said
    assert bool(words) is bool(said)


def test_one_message_votes_twenty_times_on_an_input_at_most_and_the_rest_stays_in_the_browser():
    sent = [event(id=f"row-{row}-event-{number}", row=row) for number in range(100) for row in (7, 8)]
    read = read_message(message(*sent), VIEW, NOW)
    assert [one.id for one in read.events] == [one["id"] for one in sent[:40]]
    assert read.refused == {}, "a refused event would be dropped by the browser"


@each("other", [None, 3, [], {}, message(session="s2"), message(tester="bob")])
def test_a_message_for_another_session_or_tester_is_not_ours(other):
    assert read_message(other, VIEW) is None


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "task", [Classification(("cat", "dog")), MultiLabel(("cat", "dog")), Regression(tolerance=0.1)]
)
@given(field=st.sampled_from([*sorted(event()), "note", "other"]), value=_json, events=_json, held=_json)
def test_nothing_a_browser_can_send_raises(task, field, value, events, held):
    view = SurfaceView("s1", "ada", task)
    taken(message(event(**{field: value})), view)
    taken(message(held=held) | {"events": events}, view)


def test_answers_are_checked_by_the_task():
    several = SurfaceView("s1", "ada", MultiLabel(("cat", "dog")))
    number = SurfaceView("s1", "ada", Regression(tolerance=0.1))
    assert taken(message(event(answer=[1])), several)[0][0].answer == [1]
    assert taken(message(event(answer=[])), several)[0][0].answer == []
    assert taken(message(event(answer=[1, 1])), several)[0] == []
    assert taken(message(event(answer=-0.25)), number)[0][0].answer == -0.25
    assert taken(message(event(answer=[1.0])), number)[0] == []


def test_a_number_is_far_beyond_the_range_of_the_predictions_or_below_half_the_smallest_of_one_sign():
    assert usual_numbers([75_000.0, 3_000_000.0, float("nan")]) == (37_500.0, 3_292_500.0)
    assert usual_numbers([-10.0, -2.0]) == pytest.approx((-10.8, -1.2))
    assert usual_numbers([-1.0, 0.0, 1.0]) == (-1.2, 1.2)
    assert usual_numbers([]) is None
    assert usual_numbers([float("inf")]) is None
    shown = view_to_json(SurfaceView("s", "t", Regression(tolerance=0.1), usual=(-1.2, 1.2)), refused={})
    assert shown["task"]["usual"] == (-1.2, 1.2)


def test_a_flag_carries_its_note_and_a_shown_prediction_is_logged_by_the_server():
    view = SurfaceView("s1", "ada", VIEW.task, predictions_shown=True)
    flag = event(kind="flag", note="two digits", answer=None)
    [parsed] = read_message(message(flag), view, NOW).events
    assert parsed.detail == {"position": 3, "prediction_shown": True, "note": "two digits"}


def test_a_flood_is_cut_and_what_is_cut_is_neither_taken_nor_refused():
    flood = [event(id=f"flood-{place:06}", row=place) for place in range(MOST_EVENTS + 50)]
    read = read_message(message(*flood), VIEW)
    assert len(read.events) == MOST_EVENTS
    assert read.refused == {}


def shown_view(**fields: Any) -> SurfaceView:
    queue = (QueuedInput(5, 0, Shown("text", text="five"), "why", "dog"), QueuedInput(6, 1, Shown("image", image=b"p")))
    past = (Past(4, 9, 0, "cat", True, Shown("tabular", cells=(("a", "1"),))),)
    return SurfaceView("s1", "ada", VIEW.task, queue, past, **fields)


def test_a_hidden_prediction_never_leaves_the_server():
    assert "dog" not in json.dumps(view_to_json(shown_view(), refused={})["queue"])
    assert view_to_json(shown_view(predictions_shown=True), refused={})["queue"][0]["prediction"] == "dog"


def test_content_the_browser_holds_is_not_sent_again():
    data = view_to_json(shown_view(), held={5, 4}, refused={})
    assert [item["shown"] for item in data["queue"]] == [None, {"image": "cA=="}]
    assert data["history"][0]["shown"] is None
    assert view_to_json(shown_view(), refused={})["history"][0]["shown"] == {"cells": [["a", "1"]]}


def test_only_events_the_browser_asked_for_are_acknowledged_or_refused():
    view = shown_view(acknowledged={"one", "two"}, refused={"three": "No.", "four": "No."})
    data = view_to_json(view, asked=["two", "three", "five", "six"], refused={"five": "Forged."})
    assert data["acknowledged"] == ["two"]
    assert data["refused"] == {"three": "No.", "five": "Forged."}


def test_an_input_nobody_can_see_is_refused_by_name():
    with pytest.raises(BadInput, match="Input 3 is of the kind audio"):
        view_to_json(SurfaceView("s", "t", VIEW.task, (QueuedInput(3, 0, Shown("audio")),)), refused={})


def test_a_sound_goes_to_the_browser_and_keeps_the_key_that_plays_it():
    many = Classification(tuple(f"kind {place}" for place in range(31)))
    heard = SurfaceView("s", "t", many, (QueuedInput(3, 0, Shown("audio", audio=b"p")),))
    silent = SurfaceView("s", "t", many, (QueuedInput(3, 0, Shown("text", text="p")),))
    sent = view_to_json(heard, refused={})["queue"][0]["shown"]
    assert sent == {"audio": "cA==", "spectrogram": None, "title": None}  # what is no sound cannot be drawn
    assert "p" not in view_to_json(heard, refused={})["task"]["keys"]
    assert "p" in view_to_json(silent, refused={})["task"]["keys"]


@each(
    ("task", "right", "wrong"),
    [
        (Classification(("cat", "dog")), "the model was right", "the model was wrong"),
        (Judgment(), "the output was right", "the output was not right"),
        (Judgment("1-5"), "the output counts as right", "the output counts as not right"),
        (Boxes(("ship",)), "the detector made no error", "the detector made an error"),
    ],
)
def test_what_is_said_about_an_answer_names_what_was_judged(task, right, wrong):
    said = view_to_json(SurfaceView("s", "ada", task), refused={})["task"]["outcomes"]
    assert said == [right, wrong]


def test_of_two_systems_no_answer_says_whether_it_failed_which_would_give_the_sides_away():
    assert [failed_as_shown(Judgment("sides"), loss) for loss in (0.0, 0.5, 1.0)] == [None, None, None]
    assert [failed_as_shown(Judgment(), loss) for loss in (0.0, 0.5, 1.0, None)] == [False, True, True, None]


@each("shape", ["text", "cells", "panes"])
def test_a_long_text_reaches_the_browser_as_its_beginning_and_says_so(shape):
    long = "x" * 412_345
    part = Shown("text", text=long)
    shown = {
        "text": part,
        "cells": Shown("tabular", cells=(("note", long),)),
        "panes": Shown("text", text=long, panes=(Pane("Output", part),)),
    }[shape]
    sent = json.dumps(shown_to_json(0, shown), ensure_ascii=False)
    assert 131_072 < len(sent) < 132_000
    assert f"Shown: the first {commas(131_072)} of {commas(412_345)} characters." in sent


def test_a_text_of_as_many_characters_as_a_browser_is_sent_is_shown_whole():
    assert shown_to_json(0, Shown("text", text="x" * 131_072)) == {"text": "x" * 131_072}
