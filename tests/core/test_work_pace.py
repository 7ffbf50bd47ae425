"""What a part of long work will take is told by its own steps, and by nothing that was before them."""

import pytest

from testimate.core.progress import LONG, LOOKED, WorkPace


class Machine:
    """A clock that a test sets."""

    seconds = 0.0

    def pace(self) -> WorkPace:
        return WorkPace(lambda: self.seconds)


@pytest.fixture
def machine() -> Machine:
    return Machine()


def test_seconds_grow_in_proportion_to_the_steps_of_this_part_alone(machine):
    pace = machine.pace()
    pace.step(0, 2, "opening")
    machine.seconds = 50.0
    pace.step(100, 500, "comparing")  # 100 were done by an earlier run
    machine.seconds = 54.0
    pace.step(140, 500, "comparing")
    ahead = pace.ahead()
    assert ahead is not None
    assert ahead.seconds == pytest.approx(40)
    assert ahead.left == pytest.approx(36)


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
