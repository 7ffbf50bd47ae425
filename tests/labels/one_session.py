"""A session to keep in a store, and votes on it."""

from testimate.core.selector import Request
from testimate.core.session_record import Event, SessionRecord

RECORD = SessionRecord(
    id="a1",
    subject="digits",
    subject_name="Digits, a <b>small</b> network",
    fingerprint="f" * 32,
    request=Request("ssrs", 200, 7, auxiliary="dsa", variant="as published", options={"strata": 5, "share": 0.05}),
    created="2024-05-01T10:00:00+00:00",
    show_prediction=True,
    level=0.9,
    half_width=0.03,
)


def vote(id: str, row: int = 0, **fields) -> Event:
    return Event(**{"id": id, "kind": "answer", "row": row, "tester": "Ann", "at": "now", "answer": 3, **fields})
