"""Long work without a terminal says how far it is, and what is kept where it is stopped."""

import pytest

from testimate.cli.output import ProgressLines, ShownProgress
from testimate.core.progress import Progress


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def interrupted(progress: Progress) -> None:
    progress(1, 2)
    raise KeyboardInterrupt


def test_a_long_step_says_what_it_takes_and_then_a_line_comes_every_ten_seconds_with_what_is_left():
    clock, lines = Clock(), list[str]()
    progress = ProgressLines(clock, lines.append)
    for second in range(26):
        clock.now = second
        progress(20_000 + 1_000 * second, 100_000, "running the model")
    assert lines == [
        "running the model: about 80 s in all",
        "running the model: 31,000 of 100,000, about 69 s left",
        "running the model: 41,000 of 100,000, about 59 s left",
    ]


def test_what_was_done_before_is_not_counted_as_speed_and_another_step_begins_anew():
    clock, lines = Clock(), list[str]()
    progress = ProgressLines(clock, lines.append)
    progress(90, 100, "one")
    clock.now = 10
    progress(95, 100, "one")  # five in ten seconds
    clock.now = 20
    progress(0, 4)
    clock.now = 30
    progress(1, 4)
    assert lines == ["one: about 20 s in all", "working: 0 of 4", "working: about 40 s in all"]


def test_a_quicker_way_is_named_where_a_step_takes_more_than_a_minute_and_only_there():
    clock, lines = Clock(), list[str]()
    progress = ProgressLines(clock, lines.append, quicker={"comparing": "Too long? Take fewer."})
    for what, steps in (("comparing", 30), ("comparing", 90), ("drawing", 90)):
        progress(0, steps, what)
        clock.now += 1
        progress(1, steps, what)
        clock.now += 1
    assert lines == [
        "comparing: about 30 s in all",
        "comparing: about 2 min in all. Too long? Take fewer.",
        "drawing: about 2 min in all",
    ]


def test_quick_work_writes_no_line_and_a_stop_says_what_is_kept(capsys):
    with pytest.raises(KeyboardInterrupt), ShownProgress(False, "Rows are kept.") as progress:
        interrupted(progress)
    assert capsys.readouterr().err == "Stopped. Rows are kept.\n"
    with pytest.raises(KeyboardInterrupt), ShownProgress(True) as progress:
        interrupted(progress)
    assert capsys.readouterr().err == "Stopped. No partial file was left behind.\n"
