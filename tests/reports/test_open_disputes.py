"""A result with open disputes gives both ends, each the mean over all labels with the disputed ones so."""

import pytest

from testimate.reports.people import disputed_draws, disputed_words
from testimate.reports.words import skipped_words


@pytest.fixture
def half_disputed(open_session, inputs, say):
    session = open_session("srs", 40, votes_per_input=2)
    rows = [draw.row for draw in session.draws]
    for number, row in enumerate(rows):
        right = int(inputs.predictions[row])
        second = (right + 1) % 4 if number < 4 else right
        session.record([say(row, right), say(row, second, tester="Bob")])
    return session


def test_both_ends_are_the_shares_with_the_disputed_ones_wrong_and_right(half_disputed):
    words = disputed_words(half_disputed, half_disputed.estimate())
    assert words == "90.0% if all 4 disputed inputs are wrong, 100.0% if right"  # 36 of 40, 40 of 40


def test_what_else_has_no_answer_is_told_together_with_the_disputed_ones_and_never_twice(half_disputed, say):
    session, measure = half_disputed, half_disputed.inputs.task.measure
    assert disputed_draws(session) == 4
    assert skipped_words(session.estimate(), measure, disputed_draws(session)).count("if all") == 0
    settled = next(draw.row for draw in session.draws if draw.row not in session.disputed())
    for name in ("Ann", "Bob"):
        session.record([say(settled, tester=name)])
    words = skipped_words(session.estimate(), measure, disputed_draws(session)).replace("\u202f", " ")
    assert "With the 4 disputed ones and 1 other, 5 inputs have no answer yet" in words
    assert "100.0% if all were right, 87.5% if all were wrong" in words  # 35 of 40
    assert disputed_words(session, session.estimate()).startswith("89.7")  # 35 of the 39 that can be told


def test_once_a_lead_has_settled_all_there_is_nothing_to_add(half_disputed, inputs, say):
    first, *others = half_disputed.disputed()
    for row in others:
        said = say(row, int(inputs.predictions[row]), tester="Lea", kind="adjudication")
        half_disputed.record([said], lead=True)
    words = disputed_words(half_disputed, half_disputed.estimate())
    assert words == "97.5% if the disputed input is wrong, 100.0% if right"
    said = say(first, 3, tester="Lea", kind="adjudication")
    half_disputed.record([said], lead=True)
    assert disputed_words(half_disputed, half_disputed.estimate()) == ""
