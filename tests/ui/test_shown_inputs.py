"""The pictures of the inputs that wait: each is drawn once."""

from types import SimpleNamespace

from testimate.core.session_record import Tester
from testimate.core.subject import Shown
from testimate.ui.label import labeling


class Drawing:
    """A session that counts how often the picture of a row is drawn."""

    session_record = SimpleNamespace(id="one")

    def __init__(self):
        self.drawn = []

    def show(self, row):
        self.drawn.append(row)
        return Shown("text", text=f"input {row}")


def test_an_input_that_waits_is_drawn_once_and_forgotten_once_it_has_left(monkeypatch):
    monkeypatch.setattr(labeling.st, "session_state", {})
    session, who = Drawing(), Tester("Ada", "lead")
    for rows in ([1, 2, 3], [2, 3, 4], [2, 3, 4], [1]):
        assert {row: one.text for row, one in labeling.shown_inputs(session, who, rows).items()} == {
            row: f"input {row}" for row in rows
        }
    assert session.drawn == [1, 2, 3, 4, 1]


def test_a_session_that_was_opened_anew_is_drawn_anew(monkeypatch):
    monkeypatch.setattr(labeling.st, "session_state", {})
    before, after = Drawing(), Drawing()
    for session in (before, after):
        labeling.shown_inputs(session, Tester("Ada", "lead"), [1])
    assert (before.drawn, after.drawn) == ([1], [1])
