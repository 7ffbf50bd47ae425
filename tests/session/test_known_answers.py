"""Inputs whose answers are known, slipped in among the plan's: they tell how often testers err and nothing else."""

import pytest

from testimate.core.errors import BadInput, UnknownRow
from testimate.reports.people import known_answer_words
from testimate.session.draws import EVERY, checked_known_answers
from tests.each import each

KNOWN = 12


@pytest.fixture
def slipped(inputs, open_session):
    """Opens a session with 12 known answers among those no plan of 100 labels by seed 3 draws; the plain one beside it."""

    def opened(technique="rra", budget=100, **settings):
        plain = open_session(technique, budget, id=f"plain-{technique}", **settings)
        label(plain, inputs.truth)
        drawn = {draw.row for draw in plain.draws}
        rows = [row for row in range(len(inputs)) if row not in drawn][:KNOWN]
        known = [(row, int(inputs.truth[row])) for row in rows]
        return plain, open_session(technique, budget, id=f"known-{technique}", known_answers=known, **settings), rows

    def label(session, answers):
        order = []
        while coming := session.upcoming(8, "Ann"):
            order += [draw.row for draw in coming[:3]]
            session.record([opened.say(row, int(answers[row])) for row in order[-len(coming[:3]) :]])
        return order

    opened.label = label
    return opened


@each("technique", ["rra", "rrs"])
def test_they_come_between_the_plans_inputs_and_change_neither_draws_nor_estimate(technique, slipped, say, inputs):
    slipped.say = say
    plain, session, known = slipped(technique)
    answers = inputs.truth.copy()
    answers[known[:3]] = (answers[known[:3]] + 1) % 4  # the tester errs three times
    order = slipped.label(session, answers)
    places = [order.index(row) for row in known if row in order]
    due = [place - earlier for earlier, place in enumerate(sorted(places))]  # answers to the plan before each
    assert [place // EVERY for place in due] == list(range(len(due)))
    assert len(due) == 100 // EVERY
    assert session.draws == plain.draws
    assert session.verdicts() == plain.verdicts()
    assert session.estimate() == plain.estimate()
    assert session.finished
    (given,) = session.known_answers_given()
    asked = set(known) & set(order)
    assert (given.answered, given.right) == (len(asked), len(asked - set(known[:3])))
    assert known_answer_words(session)[0].startswith(f"Ann answered {given.right} of {given.answered} known answers")


def test_one_is_taken_back_and_put_among_the_last_ones_as_any_other_input(slipped, say, inputs, open_session):
    slipped.say = say
    _, session, known = slipped("srs", 40)
    while (row := session.upcoming(1, "Ann")[0].row) not in known:
        session.record([say(row, int(inputs.truth[row]))])
    session.record([say(row, 0)])
    assert session.recent(1, "Ann")[0].row == row
    assert [event.stream for event in session.history()][-1] == "known answer"
    before = session.upcoming(8, "Ann")
    session.record([say(row, kind="undo")])
    assert session.upcoming(8, "Ann")[0].row == row
    session.record([say(row, kind="skip")])  # an input passed over is not asked again
    assert session.upcoming(8, "Ann") == before
    assert open_session("srs", 40, id="known-srs").upcoming(8, "Ann") == before  # as it stands on disk


def test_each_tester_of_a_team_gets_them_in_an_order_of_their_own(slipped, say, inputs):
    slipped.say = say
    _, session, known = slipped("srs", 100, votes_per_input=2)
    orders = {}
    for name in ("Ann", "Bob"):
        orders[name] = []
        while coming := session.upcoming(8, name):
            row = coming[0].row
            orders[name] += [row] if row in known else []
            session.record([say(row, int(inputs.truth[row]), tester=name)])
    assert len(orders["Ann"]) == len(orders["Bob"]) == 100 // EVERY
    assert orders["Ann"] != orders["Bob"]
    assert [(given.tester, given.right) for given in session.known_answers_given()] == [("Ann", 10), ("Bob", 10)]


def test_what_was_not_slipped_in_is_no_known_answer(slipped, say, inputs):
    slipped.say = say
    _, session, known = slipped("srs", 40)
    strange = next(row for row in range(300) if row not in known)
    with pytest.raises(UnknownRow, match="was not slipped into"):
        session.check(say(strange, 1, stream="known answer"))
    for pairs, words in (([(300, 0)], "row 300"), ([(1, 0), (1, 2)], "row 1 twice"), ([(1, 9)], "9")):
        with pytest.raises(BadInput, match=words):
            checked_known_answers(inputs, pairs)
