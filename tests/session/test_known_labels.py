"""Inputs whose label was known before a session: drawn as all others, asked of nobody, and counted as they are."""

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.session.session import headline, plan_of
from tests.each import each

KNOWN = np.random.default_rng(9).random(300) < 0.4


@pytest.fixture
def helped(inputs, open_session):
    """Opens a session of which two fifths of the inputs are known before."""

    def opened(technique="rra", budget=60, id="helped", known=KNOWN, **settings):
        labels = [(row, int(inputs.truth[row])) for row in np.flatnonzero(known).tolist()]
        return open_session(technique, budget, id=id, known_labels=labels, **settings)

    return opened


@pytest.fixture
def label(inputs, say):
    """Answers all that a session asks, each tester in turn, and says what was asked."""

    def labeled(session, *testers):
        asked = []
        while coming := {name: draws for name in testers or ("Ann",) if (draws := session.upcoming(3, name))}:
            for name, draws in coming.items():
                asked += [draw.row for draw in draws]
                session.record([say(draw.row, int(inputs.truth[draw.row]), tester=name) for draw in draws])
        return asked

    return labeled


@each("technique", ["rra", "rrs", "srs", "sups"])
def test_a_session_is_as_if_known_inputs_had_been_answered_and_asks_for_none(technique, helped, label, open_session):
    plain, session = open_session(technique, 60, id=f"plain-{technique}"), helped(technique, id=f"helped-{technique}")
    label(plain)
    asked = label(session)
    assert session.draws == plain.draws
    assert session.verdicts() == plain.verdicts()
    assert session.estimate() == plain.estimate()
    assert session.answers() == plain.answers()
    assert not KNOWN[asked].any()
    assert session.finished
    assert headline(session, session.estimate()) == headline(plain, plain.estimate())
    drawn = {draw.row for draw in session.draws}
    found = session.known_counts()
    assert found.used == sum(KNOWN[draw.row] for draw in session.draws) > 10
    assert found.beside == KNOWN.sum() - KNOWN[list(drawn)].sum()
    assert session.counts().answered == 60


def test_a_session_with_known_labels_stands_on_disk_as_it_was(helped, label):
    session = helped()
    asked = label(session)
    again = helped()
    assert (again.draws, again.verdicts(), again.known_counts()) == (
        session.draws,
        session.verdicts(),
        session.known_counts(),
    )
    assert {one.row for one in again.recent(100, "Ann")} == set(asked)
    assert len(plan_of(again).known) == again.known_counts().used


def test_a_team_is_not_asked_for_known_inputs_either(helped, label):
    session = helped("rrs", 40, votes_per_input=2)
    asked = label(session, "Ann", "Bob")
    assert session.finished
    assert not KNOWN[asked].any()
    assert len(asked) == 2 * len(set(asked)) == 2 * (40 - session.known_counts().used)
    assert session.votes_left() == 0


def test_an_answer_that_contradicts_a_known_label_counts_and_both_stay(helped, say, inputs):
    session = helped("srs")
    row = next(draw.row for draw in session.draws if KNOWN[draw.row])
    other = (int(inputs.truth[row]) + 1) % 4
    session.record([say(row, other)])
    assert session.answers()[row] == other
    assert session.known_counts().disputed == (row,)
    assert "Vote and known label differ in 1 row" in session.known_counts().sentences()[-1]
    assert dict(session.session_record.known_labels)[row] == inputs.truth[row]
    session.record([say(row, kind="undo")])
    assert session.answers()[row] == inputs.truth[row]
    assert session.known_counts().disputed == ()


@each("technique", ["rra", "srs"])
def test_a_plan_that_goes_on_knows_the_later_inputs_too(technique, helped, label):
    session = helped(technique, 40, id=f"on-{technique}")
    label(session)
    session.extend(20, "Ann")
    asked = label(session)
    assert session.finished
    assert session.planned == 60
    assert not KNOWN[asked].any()


def test_a_known_label_of_no_input_is_refused_by_its_row(open_session):
    with pytest.raises(BadInput, match=r"row 1000000. Expected rows 0 to 299, each once"):
        open_session("srs", 20, id="beyond", known_labels=[(10**6, 0)])
