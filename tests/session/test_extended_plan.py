"""A plan that goes on beyond its end: every label kept, the draws so far the same, and replayed from what is stored."""

import pytest

from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.planning.build import resolve
from testimate.reports.live import live
from tests.session.labeling import label_all, rows

GO_ON = {"srs", "css", "rrs", "rra", "sups", "2-ups", "deepest", "gbs"}
"""Techniques whose larger plans begin with the draws of a smaller one, by their docstrings and the studies."""

SHARE_OUT = {"rhc-s", "ssoa-r-p"}
"""Techniques whose draws depend on the size of the plan."""


@pytest.mark.parametrize("technique", sorted(GO_ON | SHARE_OUT))
def test_a_plan_goes_on_with_its_draws_or_says_why_not_and_an_extended_one_is_the_larger_plan(
    open_session, say, inputs, technique
):
    session = open_session(technique, 40)
    label_all(session, say, inputs.truth)
    before, answers = [draw.row for draw in session.draws], session.answers()
    why = session.why_not_extended(50)
    if technique in SHARE_OUT:
        assert why.endswith("Plan a new session.")
        with pytest.raises(BadInput, match="Plan a new session"):
            session.extend(50, "Ann")
        assert session.finished
        return
    assert why == ""
    session.extend(50, "Ann")
    assert [draw.row for draw in session.draws[:40]] == before
    assert session.answers() == answers
    assert session.planned == 90
    label_all(session, say, inputs.truth)
    again = open_session(technique, 40)
    assert again.draws == session.draws
    assert again.extensions == ((40, 90),)
    aiming = {**resolve(inputs, Request(technique, 90, 3)), "aimed_at": session.session_record.resolved["aimed_at"]}
    whole = open_session(technique, 90, id="planned-at-once", resolved=aiming)
    label_all(whole, say, inputs.truth)
    assert session.estimate() == whole.estimate()
    assert live(again).estimate == live(whole).estimate


@pytest.mark.parametrize("technique", ["srs", "rrs", "rra", "sups"])
def test_a_plan_that_goes_on_aims_at_the_number_it_began_with_which_was_known_before_its_labels(
    open_session, say, inputs, technique
):
    resolved = resolve(inputs, Request(technique, 40, 7))
    assert resolved["aimed_at"] == 40
    session = open_session(technique, 40, resolved=resolved)
    label_all(session, say, inputs.truth)
    session.extend(25, "Ann")
    assert (session.planned, session.selector.design.aimed_at) == (65, 40)
    assert open_session(technique, 40, resolved=resolved).selector.design.aimed_at == 40


def test_an_extension_survives_a_skip_an_undo_and_a_cannot_tell_before_it(open_session, say, inputs):
    session = open_session("rra", 40)
    first, second, third, *_ = rows(session)
    session.record([say(first), say(second, kind="skip"), say(third, 1), say(third, kind="undo")])
    label_all(session, say, inputs.truth)
    session.extend(25, "Ann")
    label_all(session, say, inputs.truth)
    again = open_session("rra", 40)
    assert again.finished
    assert again.verdicts() == session.verdicts()
    assert len(again.draws) == 65


def test_two_leads_who_extend_at_once_extend_once_and_a_tester_never(open_session, say, inputs):
    session = open_session("srs", 40)
    label_all(session, say, inputs.truth)
    event = say(0, kind="extend", detail={"budget": 90})
    other = say(0, kind="extend", detail={"budget": 90})
    assert "Only a lead" in session.record([event]).refused[event.id]
    session.record([event, other], lead=True)  # both are checked before either counts
    assert session.planned == 90
    third = say(0, kind="extend", detail={"budget": 90})
    assert "Expected a number between" in session.record([third], lead=True).refused[third.id]
    assert open_session("srs", 40).extensions == ((40, 90),)


@pytest.mark.parametrize("budget", [40, 10, 301, "90", 90.0, True, None, 10**400])
def test_a_plan_goes_on_to_a_whole_number_of_draws_up_to_all_inputs(open_session, say, budget):
    session = open_session("srs", 40)
    event = say(0, kind="extend", detail={} if budget is None else {"budget": budget})
    assert event.id in session.record([event], lead=True).refused
    assert session.planned == 40


def test_a_plan_of_all_inputs_says_that_there_is_nothing_to_extend(open_session, inputs):
    session = open_session("srs", 300)
    assert "nothing to extend" in session.why_not_extended(1)
    with pytest.raises(BadInput, match="nothing to extend"):
        session.extend(1, "Ann")
