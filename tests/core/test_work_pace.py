"""What a part of long work will take is told by its own steps, and by nothing that was before them."""

import pytest

from testimate.core.work_pace import LONG, LOOKED, WorkPace, held_bytes


class Machine:
    """Clock and memory that a test sets."""

    seconds, held = 0.0, 0

    def pace(self) -> WorkPace:
        return WorkPace(lambda: self.seconds, lambda: self.held)


@pytest.fixture
def machine() -> Machine:
    return Machine()


def test_seconds_and_memory_grow_in_proportion_to_the_steps_of_this_part_alone(machine):
    pace = machine.pace()
    pace.step(0, 2, "opening")
    machine.seconds, machine.held = 50.0, 900_000_000
    pace.step(100, 500, "comparing")  # 100 were done by an earlier run
    machine.seconds, machine.held = 54.0, 980_000_000
    pace.step(140, 500, "comparing")
    ahead = pace.ahead()
    assert ahead is not None
    assert ahead.seconds == pytest.approx(40)
    assert ahead.left == pytest.approx(36)
    assert ahead.megabytes == pytest.approx(800)
    assert ahead.words() == "about 40 s in all, 800 MB of memory"


def test_it_is_told_once_and_not_before_there_is_a_pace(machine):
    pace = machine.pace()
    pace.step(0, 1_000, "comparing")
    machine.seconds = LOOKED / 2
    pace.step(5, 1_000, "comparing")
    assert pace.forecast() is None
    machine.seconds = LOOKED
    pace.step(10, 1_000, "comparing")
    first = pace.forecast()
    assert first is not None
    assert first.seconds == pytest.approx(100 * LOOKED)
    assert pace.forecast() is None
    pace.step(0, 1_000, "comparing")  # the same once more
    machine.seconds += 2 * LOOKED
    pace.step(20, 1_000, "comparing")
    assert pace.forecast() is not None


def test_short_work_and_work_that_says_no_steps_tell_nothing(machine):
    pace = machine.pace()
    pace.step(0, 10, "short")
    machine.seconds = LOOKED
    pace.step(10 * LOOKED // LONG + 5, 10, "short")
    assert pace.forecast() is None
    pace.step(0, 0, "reading")
    machine.seconds += 60
    pace.step(0, 0, "reading")
    assert pace.ahead() is None


def test_where_the_system_does_not_tell_its_memory_the_time_is_told_alone(tmp_path):
    assert held_bytes(tmp_path / "no such file") is None
    clock = iter([0.0, 0.0, 60.0, 60.0])
    pace = WorkPace(lambda: next(clock), lambda: None)
    pace.step(0, 4, "running")
    pace.step(1, 4, "running")
    ahead = pace.ahead()
    assert ahead is not None
    assert ahead.words() == "about 4 min in all"


def test_this_process_holds_what_it_made():
    before = held_bytes()
    if before is None:
        pytest.skip("This system does not say what a process holds.")
    kept = bytearray(b"x" * 50_000_000)
    now = held_bytes()
    assert now is not None
    assert now - before > 40_000_000
    assert len(kept) == 50_000_000
