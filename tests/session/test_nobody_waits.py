"""A team simulated with a pace, pauses, logouts and mistakes: nobody waits, nothing is asked too often, all is labeled."""

import numpy as np
import pytest

from research.methods.labeling_team import Clock, Habits, label_by_team, team_session
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.planning.build import build
from testimate.session.next_inputs import HAND, HAND_KEPT_OPEN, IDLE_SECONDS, StillOpen
from testimate.session.session import Session
from testimate.tasks.classification import Classification
from tests.each import each

DEFAULTS = ("rra", "rrs", "severity-first")
"""What the advice takes for the objectives, where everything is at hand."""


@pytest.fixture(scope="module")
def population():
    rng = np.random.default_rng(1)
    confidence = 1 - rng.beta(0.5, 2.0, 2000)
    predictions = rng.integers(4, size=2000)
    truth = np.where(rng.random(2000) > confidence, (predictions + 1) % 4, predictions)
    task = Classification(("a", "b", "c", "d"))
    scores = dict.fromkeys(("confidence", "dsa", "lsa"), 1 - confidence)
    return Inputs(
        fingerprint="f" * 32,
        task=task,
        predictions=predictions,
        confidence=confidence,
        scores=scores,
        truth=truth,
        losses=task.losses(predictions, truth),
    )


def labeled(population, technique, team, votes, seed=0, habits=None):
    clock = Clock()
    session = team_session(population, Request(technique, 400, seed), votes, clock)
    return session, label_by_team(session, clock, team, seed=seed, habits=habits)


def hold_true(session, waits, votes):
    assert session.finished
    assert waits.share < 0.02
    assert waits.share_without < 0.02, "from an answer to the next input, whatever the page said meanwhile"
    assert (waits.too_many, waits.answers) == (0, 400 * votes)


@each(("technique", "team", "votes"), [("rra", 10, 2), ("rra", 20, 1), ("severity-first", 5, 1)])
def test_a_team_is_asked_for_each_answer_once_and_waits_for_nothing(population, technique, team, votes):
    session, waits = labeled(population, technique, team, votes)
    hold_true(session, waits, votes)
    assert (waits.disputes > 10) is (votes == 2)


@pytest.mark.slow
@pytest.mark.parametrize("technique", DEFAULTS)
@pytest.mark.parametrize("team", [2, 5, 10, 20])
@pytest.mark.parametrize("votes", [1, 2])
def test_so_it_is_for_every_default_technique_and_size_of_the_team(population, technique, team, votes):
    for seed in range(5):
        session, waits = labeled(population, technique, team, votes, seed)
        hold_true(session, waits, votes)


def test_a_technique_that_takes_a_label_at_a_time_keeps_a_team_at_work_and_one_person_draws_as_before(population):
    session, waits = labeled(population, "gbs", 10, 2)
    assert session.finished
    assert waits.share_without < 0.02  # 6.27 while each draw waited for the label before it
    alone = team_session(population, Request("gbs", 60, 0), None, Clock())
    before = team_session(population, Request("gbs", 60, 0), None, Clock(), resolved={"draws_ahead": False})
    for one in (alone, before):
        for number in range(20):
            [draw] = one.upcoming(1)
            event = Event(f"e{number}", "answer", draw.row, "tester", "2026-01-01T00:00:00Z", answer=1)
            assert not one.record([event]).refused
    assert alone.draws == before.draws


def test_without_the_setting_a_team_of_an_earlier_session_waits_and_replays_as_it_was(population):
    clock, request = Clock(), Request("rra", 400, 0)
    before = team_session(population, request, 2, clock, resolved={HAND_KEPT_OPEN: None})
    before.record([])  # a session that knows nothing of hands
    rows = [draw.row for draw in before.draws]
    say_twice(before, rows[:30], disputed=rows[5])
    assert len(before.draws) == 40  # the round of the dispute is open, and so is every later one
    now = team_session(population, request, 2, clock)
    say_twice(now, rows[:30], disputed=rows[5])
    assert len(now.draws) > 60


def say_twice(session, rows, disputed):
    for row in rows:
        for name, answer in (("Ann", 1), ("Bob", 2 if row == disputed else 1)):
            event = Event(f"{row} {name}", "answer", row, name, "2026-01-01T00:00:00Z", answer=answer)
            assert not session.record([event]).refused


def test_a_replay_draws_the_same_rounds_again_and_the_plan_goes_on(population):
    session, _ = labeled(population, "rra", 10, 2, seed=3)
    record, store = session.session_record, session._history._store
    again = Session(record, population, build(population, record.request, record.resolved), store, session.show)
    assert again.draws == session.draws
    assert again.estimate() == session.estimate()
    session.extend(100, "lead")
    assert session.draws[:400] == again.draws
    assert session.planned == 500


def test_who_leaves_keeps_nothing_and_who_pauses_only_what_is_in_view(population):
    clock = Clock()
    session = team_session(population, Request("rrs", 12, 0), 1, clock)
    first = [draw.row for draw in session.upcoming(HAND, "Ann")]
    session.upcoming(HAND, "Bob")
    session.give_back("Bob")
    assert len(session.upcoming(HAND, "Cid")) == 4  # Bob's
    clock.now += IDLE_SECONDS + 1
    assert [draw.row for draw in session.upcoming(HAND, "Ann")] == first[:1]
    taken = {draw.row for name in ("Dan", "Eve") for draw in session.upcoming(HAND, name)}
    assert taken == set(first[1:])


def test_what_is_left_is_counted_as_it_is(population):
    clock = Clock()
    session = team_session(population, Request("rrs", 4, 0), 1, clock)
    rows = [draw.row for draw in session.upcoming(HAND, "Ann")]
    taken = [draw.row for draw in session.upcoming(HAND, "Bob")]
    assert taken == rows[3:]
    assert [draw.row for draw in session.upcoming(HAND, "Cid")] == rows[2:3]
    assert session.upcoming(HAND, "Dan") == ()  # Ann keeps the one in view and the next
    assert session.still_open("Dan") == StillOpen(disputes=0, held=4, holders=3, answered=0, to_draw=0)
    assert session.still_open("Dan").over


def test_pauses_and_logouts_are_what_the_habits_say(population):
    """The simulation itself: without pauses, logouts and mistakes the time labeled is that of the answers alone."""
    calm = Habits(pause=0.0, logout=0.0, mistake=0.0, apart=1.0)
    session, waits = labeled(population, "rrs", 5, 1, habits=calm)
    assert waits.labeled / 400 == pytest.approx(5.0 * np.exp(0.4**2 / 2), rel=0.1)  # the mean of a lognormal
    assert session.estimate().labeled == 400
