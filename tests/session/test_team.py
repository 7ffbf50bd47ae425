"""Several testers on one session: each input to k of them, never the same turn twice, majority, dispute, adjudication."""

import random
from collections import Counter

import pytest

from testimate.core.errors import ReplayMismatch
from testimate.session.next_inputs import TURN_SECONDS
from testimate.session.session import Session
from testimate.session.votes import Ballot
from testimate.tasks.classification import MultiLabel
from testimate.tasks.regression import Regression
from tests.each import each


def rows_of(session, tester, count=8):
    return [draw.row for draw in session.upcoming(count, tester)]


def test_no_two_testers_hold_the_same_turn(open_session):
    session = open_session("rrs", 60, votes_per_input=1)
    hands = [rows_of(session, name) for name in ("Ann", "Bob", "Cid")]
    assert [len(hand) for hand in hands] == [8, 8, 8]
    assert len({row for hand in hands for row in hand}) == 24
    assert sorted(row for hand in hands for row in hand) == sorted(draw.row for draw in session.draws[:24])


@pytest.mark.parametrize(("needed", "team"), [(1, 3), (2, 3), (3, 4), (2, 2)])
def test_every_input_is_answered_by_as_many_testers_as_asked_and_by_none_twice(open_session, inputs, say, needed, team):
    session = open_session("rrs", 40, votes_per_input=needed)
    names, chance = [f"tester {number}" for number in range(team)], random.Random(5)
    while not session.finished:
        name = chance.choice(names)
        if hand := rows_of(session, name, 4):
            session.record([say(hand[0], int(inputs.truth[hand[0]]), tester=name)])
    votes = session.votes()
    assert set(votes) == {draw.row for draw in session.draws}
    assert {len(given) for given in votes.values()} == {needed}
    assert session.labeled == 40
    assert max(Counter(name for given in votes.values() for name in given).values()) <= 40


def test_turns_hold_in_another_process_and_after_a_restart(open_session):
    first, second = open_session("rrs", 60, votes_per_input=1), open_session("rrs", 60, votes_per_input=1)
    ann = rows_of(first, "Ann")
    assert not set(ann) & set(rows_of(second, "Bob"))
    assert rows_of(open_session("rrs", 60, votes_per_input=1), "Ann") == ann


def test_the_turns_of_a_tester_who_left_go_to_others_after_a_while(store, inputs, open_session):
    opened = open_session("rrs", 60, votes_per_input=1)
    now = [1000.0]
    session = Session(opened.session_record, inputs, _again(inputs, opened), store, opened.show, clock=lambda: now[0])
    left = rows_of(session, "Ann")
    assert not set(left) & set(rows_of(session, "Bob"))
    now[0] += TURN_SECONDS + 1
    assert rows_of(session, "Cid") == left


def test_a_clock_set_back_by_hours_keeps_no_input_from_a_new_tester(store, inputs, open_session):
    opened = open_session("rrs", 20, votes_per_input=1)
    now = [1e9]

    def at_work():
        return Session(opened.session_record, inputs, _again(inputs, opened), store, opened.show, clock=lambda: now[0])

    session, names = at_work(), iter(f"tester {number}" for number in range(100))
    while rows_of(session, next(names)):
        pass  # until every input is somebody's turn
    now[0] -= 7200
    for again in (session, at_work()):  # the process that gave the turns, and one that was started since
        assert rows_of(again, next(names))


def _again(inputs, session):
    from testimate.planning.build import build

    return build(inputs, session.session_record.request)


def test_a_majority_settles_and_a_tie_is_disputed_until_a_lead_speaks(open_session, say):
    session = open_session("rrs", 40, votes_per_input=3)
    row = rows_of(session, "Ann")[0]
    session.record([say(row, 1), say(row, 2, tester="Bob")])
    assert row not in session.answers()
    assert session.disputed() == ()
    assert session.pending() == 1
    session.record([say(row, 1, tester="Cid")])
    assert session.answers() == {row: 1}
    assert session.pending() == 0

    other = rows_of(session, "Ann")[0]
    session.record([say(other, place, tester=name) for place, name in enumerate(("Ann", "Bob", "Cid"))])
    assert session.disputed() == (other,)
    assert other not in session.answers()
    assert other not in rows_of(session, "Dan", 40)
    word = say(other, 3, tester="Lea", kind="adjudication")
    assert "lead" in session.record([word]).refused[word.id]
    session.record([word], lead=True)
    assert session.answers()[other] == 3
    assert session.disputed() == ()
    assert session.adjudicated() == {other: "Lea"}
    session.record([say(other, kind="undo", tester="Lea")], lead=True)
    assert session.disputed() == (other,)


def test_a_disputed_input_bounds_the_estimate_instead_of_entering_it(open_session, inputs, say):
    session = open_session("rrs", 40, votes_per_input=2)
    rows = [draw.row for draw in session.draws]
    for row in rows:
        right = int(inputs.predictions[row])
        answers = (right, (right + 1) % 4) if row == rows[5] else (right, right)
        session.record([say(row, answer, tester=name) for answer, name in zip(answers, ("Ann", "Bob"), strict=True)])
    estimate = session.estimate()
    assert (estimate.labeled, estimate.skipped) == (39, 1)
    assert estimate.skipped_low is not None
    assert estimate.skipped_low < estimate.skipped_high


def test_a_tester_sees_only_what_this_tester_said(open_session, say):
    session = open_session("rrs", 40, votes_per_input=2)
    row = rows_of(session, "Ann")[0]
    session.record([say(row, 1), say(row, 2, tester="Bob")])
    assert [(vote.row, vote.answer) for vote in session.recent(5, "Ann")] == [(row, 1)]
    assert [(vote.row, vote.answer) for vote in session.recent(5, "Bob")] == [(row, 2)]
    assert session.recent(5, "Cid") == ()


def test_what_is_taken_back_comes_first_and_what_is_put_off_last_for_that_tester_alone(open_session, say):
    session = open_session("rrs", 12, votes_per_input=2)
    order = rows_of(session, "Ann", 12)
    assert rows_of(session, "Bob", 12) == order
    session.record([say(order[0], kind="skip"), say(order[1], 1), say(order[2], 1), say(order[1], kind="undo")])
    assert rows_of(session, "Ann", 12) == [order[1], *order[3:], order[0]]
    assert rows_of(session, "Bob", 12) == order


def test_a_vote_that_comes_after_the_input_was_settled_is_kept_and_counts(open_session, say):
    session = open_session("rrs", 12, votes_per_input=1)
    row = rows_of(session, "Ann")[0]
    late = say(row, 2, tester="Bob")
    session.record([say(row, 1)])
    assert session.answers() == {row: 1}
    assert session.record([late]).acknowledged == (late.id,)
    assert session.disputed() == (row,)


@pytest.mark.parametrize("technique", ["rrs", "rra", "gbs"])
def test_the_same_history_gives_the_same_session_again(open_session, inputs, say, technique):
    session = open_session(technique, 40, votes_per_input=2)
    chance = random.Random(3)
    for _ in range(150):
        name = chance.choice(("Ann", "Bob", "Cid"))
        if hand := rows_of(session, name, 4):
            answer = int(inputs.truth[hand[0]]) if chance.random() < 0.8 else 0
            session.record([say(hand[0], answer, tester=name)])
        session.record([say(row, 1, kind="adjudication", tester="Lea") for row in session.disputed()], lead=True)
    again = open_session(technique, 40, votes_per_input=2)
    assert again.verdicts() == session.verdicts()
    assert len(session.verdicts()) > 20
    assert again.votes() == session.votes()
    assert again.disputed() == session.disputed()
    assert again.recent(50, "Bob") == session.recent(50, "Bob")


def test_one_person_alone_settles_by_the_latest_vote_and_adjudicates_nothing(open_session, say):
    session = open_session("rrs", 12)
    row = session.upcoming(1)[0].row
    session.record([say(row, 1), say(row, 2, tester="Bob")])
    assert session.answers() == {row: 2}
    assert session.disputed() == ()
    assert session.pending() == 0
    word = say(row, 3, kind="adjudication")
    assert "this session is labeled by one person" in session.record([word], lead=True).refused[word.id]


def ballot(say, *answers):
    made = Ballot()
    for number, answer in enumerate(answers):
        made.add(say(0, answer, tester=f"tester {number}"))
    return made


@each(
    ("answers", "settled"),
    [
        ((1.0, 1.2, 5.0), 1.1),  # the median of the two within 0.5 of each other
        ((1.0, 1.4, 1.8), None),  # 1.0 and 1.8 lie apart, two of three agree: 1.2
        ((1.0, 2.0, 3.0), "disputed"),
        ((None, None, 2.0), "cannot tell"),
    ],
)
def test_numbers_agree_within_the_tolerance_and_their_median_is_taken(say, answers, settled):
    made, task = ballot(say, *answers), Regression(tolerance=0.5)
    outcome = made.settled(task, 3)
    if settled == "disputed":
        assert outcome is None
        assert made.disputed(task, 3)
    elif settled == "cannot tell":
        assert outcome is not None
        assert outcome.answer is None
    else:
        assert outcome is not None
        assert outcome.answer == pytest.approx(1.2 if settled is None else settled)


def test_sets_of_classes_agree_only_when_all_of_them_do(say):
    task = MultiLabel(("a", "b", "c"))
    agreeing, differing = ballot(say, [0, 2], [2, 0], [1]), ballot(say, [0, 2], [0], [1])
    settled = agreeing.settled(task, 3)
    assert settled is not None
    assert settled.answer == [0, 2]
    assert differing.settled(task, 3) is None
    assert differing.disputed(task, 3)


def test_a_stored_adjudication_that_is_no_answer_of_the_task_is_refused_on_replay(open_session, store, say):
    session = open_session("rrs", 12, votes_per_input=2)
    store.add("s", [say(session.draws[0].row, 99, kind="adjudication")])
    with pytest.raises(ReplayMismatch, match="does not fit the task"):
        open_session("rrs", 12, votes_per_input=2)
