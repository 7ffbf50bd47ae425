"""What becomes of what a tester says, and what is known by then."""

import math
import threading
from dataclasses import replace

import numpy as np
import pytest

from testimate.core.draw import Verdict
from testimate.core.errors import BadInput, NotEnoughLabels, StoreUnavailable, SubjectChanged
from testimate.core.inputs import Inputs
from testimate.session.session import Session
from testimate.session.votes import LabeledInput
from testimate.tasks.classification import MultiLabel
from testimate.tasks.regression import Regression
from tests.session.labeling import label_all, rows


def test_cannot_tell_counts_as_skipped_and_the_bounds_count_it_wrong_and_right(open_session, say, inputs):
    session = open_session(budget=20)
    draws = session.upcoming(20)
    session.record(
        [say(draw.row) if place < 3 else say(draw.row, int(inputs.truth[draw.row])) for place, draw in enumerate(draws)]
    )
    failed = sum(float(inputs.losses[draw.row]) for draw in draws[3:])
    estimate = session.estimate()
    assert (estimate.labeled, estimate.skipped) == (17, 3)
    assert estimate.accuracy == pytest.approx(1 - failed / 17)
    assert estimate.skipped_low == pytest.approx(1 - (failed + 3) / 20)
    assert estimate.skipped_high == pytest.approx(1 - failed / 20)
    assert session.finished
    assert session.remaining == 0


def test_a_changed_mind_counts_as_it_stands_now(open_session, say, inputs):
    session = open_session(budget=10)
    label_all(session, say, inputs.predictions)
    assert session.estimate().accuracy == 1
    row = session.draws[4].row
    session.record([say(row, (int(inputs.predictions[row]) + 1) % 4)])
    assert session.estimate().accuracy == pytest.approx(0.9)
    assert session.verdicts()[4] == Verdict(session.draws[4], 1.0)
    assert session.recent(1) == (LabeledInput(row, (int(inputs.predictions[row]) + 1) % 4, 1.0, None),)


def test_verdicts_end_at_the_last_draw_reached_and_hold_a_place_for_those_passed_over(open_session, say):
    session = open_session()
    first = rows(session, 5)
    session.record([say(first[1], 0), say(first[3], 0)])
    assert [verdict.draw for verdict in session.verdicts()] == list(session.draws[:4])
    assert [verdict.loss is None for verdict in session.verdicts()] == [True, False, True, False]
    session.record([say(first[3], kind="undo")])
    assert len(session.verdicts()) == 2


def test_an_input_drawn_twice_is_asked_once_and_counts_twice(open_session, say, inputs):
    session = open_session("sups", budget=120)
    drawn = [draw.row for draw in session.draws]
    assert len(set(drawn)) < 120  # or this test shows nothing
    assert rows(session, 1000) == list(dict.fromkeys(drawn))
    assert session.remaining == len(set(drawn))
    label_all(session, say, inputs.truth)
    assert session.labeled == session.planned == 120
    assert [verdict.loss for verdict in session.verdicts()] == [inputs.losses[row] for row in drawn]
    chances = np.array([draw.probability for draw in session.draws])
    hansen_hurwitz = (inputs.losses[drawn] / (300 * chances)).mean()
    assert session.estimate().accuracy == pytest.approx(1 - hansen_hurwitz)


def test_repeats_of_an_input_not_reached_yet_are_absent(open_session, say):
    session = open_session("sups", budget=120)
    drawn = [draw.row for draw in session.draws]
    position = next(place for place, row in enumerate(drawn) if row in drawn[:place])
    first = drawn.index(drawn[position])
    session.record([say(row, 0) for row in dict.fromkeys(drawn[: first + 1])])
    assert len(session.verdicts()) == first + 1
    session.record([say(row, 0) for row in dict.fromkeys(drawn[:position])])
    assert len(session.verdicts()) > position  # the repeat right after is settled by the earlier vote


def test_what_is_explored_never_enters_the_estimate(open_session, say, inputs):
    session = open_session(budget=10)
    label_all(session, say, inputs.truth)
    before = session.estimate()
    outside = [row for row in range(300) if row not in session.answers()][:5]
    drawn = session.draws[0].row
    wrong = (int(inputs.truth[drawn]) + 1) % 4
    session.record([say(row, 1, stream="exploration") for row in outside])
    session.record([say(drawn, wrong, stream="exploration"), say(outside[0], kind="undo", stream="exploration")])
    assert session.explored() == {**dict.fromkeys(outside[1:], 1), drawn: wrong}
    assert session.estimate() == before
    assert session.answers()[drawn] == inputs.truth[drawn]
    assert not set(outside) & set(session.answers())


def test_a_store_that_fails_leaves_the_session_as_it_was_and_the_same_events_may_be_sent_again(
    open_session, say, store
):
    session = open_session()
    event = say(rows(session)[0], 1)
    before = rows(session)
    real = store.add

    def full(*_):
        raise StoreUnavailable("The disk is full.")

    store.add = full
    with pytest.raises(StoreUnavailable):
        session.record([event])
    assert rows(session) == before
    assert session.verdicts() == ()
    store.add = real
    assert session.record([event]).acknowledged == (event.id,)
    assert session.labeled == 1


def test_there_is_no_estimate_before_the_first_label(open_session, say):
    session = open_session()
    with pytest.raises(NotEnoughLabels):
        session.estimate()
    session.record([say(rows(session)[0])])
    with pytest.raises(NotEnoughLabels):
        session.estimate()


def test_other_inputs_than_the_session_was_planned_for_are_refused(open_session, inputs, store):
    session = open_session()
    changed = replace(inputs, fingerprint="e" * 32)
    with pytest.raises(SubjectChanged, match="The set changed since this session was planned"):
        Session(session.session_record, changed, session.selector, store, session.show)


def test_recent_lists_the_last_votes_newest_first(open_session, say):
    session = open_session()
    first = rows(session, 3)
    session.record([say(first[0], 1, seconds=2.5), say(first[1]), say(first[2], 0), say(first[0], 3)])
    assert [vote.row for vote in session.recent(10)] == [first[0], first[2], first[1]]
    assert session.recent(3)[2] == LabeledInput(first[1], None, None, None)
    session.record([say(first[0], kind="undo")])
    assert session.recent(1)[0].answer == 1
    assert session.recent(0) == ()


def test_a_vote_that_stands_again_keeps_its_place_among_the_recent_ones(open_session, say):
    session = open_session()
    first = rows(session, 2)
    session.record([say(first[0], 1), say(first[0], 2, tester="Bob"), say(first[1], 1)])
    session.record([say(first[0], kind="undo", tester="Bob")])
    assert [(vote.row, vote.answer) for vote in session.recent(2)] == [(first[1], 1), (first[0], 1)]


def test_a_regression_is_labeled_with_numbers_and_judged_by_its_tolerance(open_session, say):
    angles = Inputs("a" * 32, Regression(tolerance=0.5, unit="degrees"), predictions=np.linspace(-1, 1, 50))
    session = open_session(budget=5, of=angles)
    draws = session.upcoming(5)
    errors = (0.25, 0.5, 0.75, 0.1, 2.0)  # three of them within half a degree
    session.record(
        [say(draw.row, float(angles.predictions[draw.row]) + off) for draw, off in zip(draws, errors, strict=True)]
    )
    assert [verdict.loss for verdict in session.verdicts()] == pytest.approx([off**2 for off in errors])
    assert session.estimate().accuracy == pytest.approx(3 / 5)
    with pytest.raises(BadInput):
        session.check(say(draws[0].row, math.nan))
    for huge in (1e200, 10**400):
        with pytest.raises(BadInput):
            session.check(say(draws[0].row, huge))


def test_a_multi_label_answer_is_the_list_of_classes_present(open_session, say, store):
    predictions = np.array([[1, 0, 1]] * 20)
    several = Inputs("b" * 32, MultiLabel(("cat", "dog", "cow")), predictions=predictions)
    session = open_session(budget=3, of=several)
    draws = session.upcoming(3)
    session.record([say(draws[0].row, (2, 0)), say(draws[1].row, [0]), say(draws[2].row, [])])
    assert [verdict.loss for verdict in session.verdicts()] == [0.0, 1.0, 1.0]
    assert [event.answer for event in store.history("s")] == [[0, 2], [0], []]
    assert open_session(budget=3, of=several).verdicts() == session.verdicts()


def test_many_tabs_of_one_session_lose_nothing_and_agree(open_session, say, inputs, store):
    session = open_session(budget=120)
    failures: list[BaseException] = []
    events = {tab: [] for tab in range(6)}
    for place, draw in enumerate(session.upcoming(120)):
        events[place % 6].append(say(draw.row, int(inputs.truth[draw.row]), tester=f"tab {place % 6}"))

    def tab(number: int) -> None:
        try:
            for event in events[number]:
                session.upcoming(16)
                assert session.record([event]).acknowledged == (event.id,)
                session.verdicts()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=tab, args=(number,)) for number in events]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert session.finished
    assert [verdict.loss for verdict in session.verdicts()] == [inputs.losses[draw.row] for draw in session.draws]
    assert len(store.history("s")) == 120
