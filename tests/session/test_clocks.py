"""Clocks that jump: a laptop that sleeps and wakes, is set back, or travels while somebody labels."""

import pytest

from testimate.reports.live import live

ALWAYS_AWAKE = [f"2026-11-20T10:00:{number:02}.000Z" for number in range(12)]
JUMPS = {
    "set back a day": [*ALWAYS_AWAKE[:6], *(f"2026-11-19T09:00:{number:02}.000Z" for number in range(6))],
    "nine hours asleep": [*ALWAYS_AWAKE[:6], *(f"2026-11-20T19:00:{number:02}.000Z" for number in range(6))],
    "another time zone": [*ALWAYS_AWAKE[:6], *(f"2026-11-20T23:30:{number:02}.000+13:45" for number in range(6))],
    "the hour that comes twice": [f"2026-10-25T02:{59 - number:02}:00+0{2 - number // 6}:00" for number in range(12)],
}


def labeled(session, say, times: list[str], slept: int | None):
    """Twelve answers at these times, of which the seventh replaces the sixth; one lasted as long as the sleep."""
    for number, at in enumerate(times):
        if number == 6:
            row = session.history()[-1].row
            answer = (session.answers()[row] + 1) % 4
        else:
            [draw] = session.upcoming(1)
            row, answer = draw.row, int(session.inputs.truth[draw.row])
        seconds = 32_400.0 if number == slept else 3.0
        assert session.record([say(row, answer, at=at, seconds=seconds)]).acknowledged
    return session


@pytest.mark.parametrize("jump", JUMPS)
def test_answers_count_in_the_order_they_came_whatever_the_clocks_say(open_session, say, jump):
    even = labeled(open_session(id="even"), say, ALWAYS_AWAKE, None)
    odd = labeled(open_session(id="odd"), say, JUMPS[jump], 6)
    assert odd.answers() == even.answers()
    assert odd.estimate() == even.estimate()
    again = open_session(id="odd")  # replayed from what is stored
    assert again.answers() == odd.answers()
    assert [event.at for event in again.history()] == JUMPS[jump]


def test_one_answer_that_took_the_night_leaves_the_pace_of_the_others_as_it_was(open_session, say):
    session = labeled(open_session(), say, JUMPS["nine hours asleep"], 6)
    assert live(session).per_minute == 20
