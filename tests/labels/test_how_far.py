"""How far each session is, in one query: the same as counting its events one after another."""

import random

from testimate.core.selector import Request
from testimate.core.session_record import Event, SessionRecord


def test_answers_that_stand_are_counted_by_input_as_a_walk_over_the_events_counts_them(open_store):
    store, draw = open_store(), random.Random(3)
    for name in ("a", "b", "empty"):
        store.create(SessionRecord(name, "k", "n", "f", Request("srs", 10, 1), "2024-05-01T10:00:00+00:00"))
    expected = {}
    for name in ("a", "b"):
        events = [
            Event(
                f"{name}{place}",
                draw.choice(("answer", "answer", "cannot tell", "undo", "skip", "flag")),
                draw.randrange(12),
                draw.choice(("Ann", "Bo")),
                f"2026-01-01T00:{place:02}:00+00:00",
                1,
                stream=draw.choice(("selection", "selection", "exploration")),
            )
            for place in range(60)
        ]
        store.add(name, events)
        said = {}
        for event in events:
            if event.stream == "selection" and event.kind in ("answer", "cannot tell", "undo"):
                said[event.row, event.tester] = event
        standing = [event for event in said.values() if event.kind != "undo"]
        expected[name] = (len({event.row for event in standing}), max(event.at for event in standing))
    assert {name: (one.answered, one.last) for name, one in store.how_far().items()} == expected
