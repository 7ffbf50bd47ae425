"""Failure codes in a session: given, renamed, merged, split, refused, replayed, and in the files that a session makes."""

import pytest

from testimate.core.errors import BadInput
from testimate.planning.build import build
from testimate.planning.estimate import estimate_plan
from testimate.planning.votes import Votes
from testimate.reports.exports import faults_csv, labels_csv
from testimate.reports.failure_codes import session_codes
from testimate.reports.report import report_html
from testimate.reports.votes_import import add_votes, votes_from_csv
from testimate.session.session import Session, plan_of
from tests.session.labeling import label_all


@pytest.fixture
def labeled(open_session, inputs, say):
    """A session with 120 labels, and the rows of its faults in drawing order."""
    session = open_session("rrs", 120)
    label_all(session, say, inputs.truth)
    faults = [one.draw.row for one in session.verdicts() if one.loss]
    assert len(faults) > 8
    return session, faults


def reopened(session, inputs, store):
    record = session.session_record
    return Session(record, inputs, build(inputs, record.request, record.resolved), store, session.show)


def test_codes_change_no_draw_and_no_estimate_and_are_replayed(labeled, inputs, store):
    session, faults = labeled
    draws, estimate = session.draws, session.estimate()
    session.give_codes(faults[0], ["blur", "dark"], "Ann")
    session.give_codes(faults[1], ["Blur"], "Ann")
    session.give_codes(faults[0], ["blur"], "Ann")
    again = reopened(session, inputs, store)
    for one in (session, again):
        assert one.codes() == {faults[0]: ("blur",), faults[1]: ("blur",)}
        assert (one.draws, one.estimate()) == (draws, estimate)
    session.give_codes(faults[1], [], "Ann")
    assert session.codes() == {faults[0]: ("blur",)}


def test_merged_codes_are_their_union_and_can_be_split_again(labeled):
    session, faults = labeled
    session.give_codes(faults[0], ["fog", "haze"], "Ann")
    session.give_codes(faults[1], ["haze"], "Ann")
    session.rename_code("fog", "unclear", "Ann")
    session.rename_code("HAZE", "unclear", "Ann")
    session.give_codes(faults[2], ["fog"], "Ann")
    assert session.codes() == dict.fromkeys(faults[:3], ("unclear",))
    assert session.merged_codes() == {"unclear": ("fog", "haze")}
    session.rename_code("unclear", "", "Ann")
    assert session.codes() == {faults[0]: ("fog", "haze"), faults[1]: ("haze",), faults[2]: ("fog",)}
    assert session.merged_codes() == {}


def test_what_is_right_or_open_has_no_code_and_names_follow_the_rules(labeled, open_session):
    session, faults = labeled
    right = next(one.draw.row for one in session.verdicts() if one.loss == 0)
    fresh = open_session("srs", 20, id="fresh")
    for given, row in ((session, right), (fresh, fresh.draws[0].row)):
        with pytest.raises(BadInput, match="is not a failure"):
            given.give_codes(row, ["blur"], "Ann")
    for names in (["x" * 61], ["a\u202eb"], ["one;two"], [7]):
        with pytest.raises(BadInput):
            session.give_codes(faults[0], names, "Ann")
    with pytest.raises(BadInput, match="no failure code 'fog' now"):
        session.rename_code("fog", "haze", "Ann")
    assert session.codes() == {}


def test_codes_are_said_by_leads_alone(labeled, say):
    session, faults = labeled
    event = say(faults[0], kind="codes", detail={"codes": ["blur"]})
    assert "Only a lead" in session.record([event]).refused[event.id]
    assert session.record([event], lead=True).acknowledged == (event.id,)


def test_a_code_may_come_in_one_message_with_the_answer_it_is_of(open_session, inputs, say):
    session = open_session("srs", 20, id="fresh")
    row = session.draws[0].row
    wrong = int(inputs.predictions[row] == 0)
    events = [
        say(row, wrong),
        say(row, kind="codes", detail={"codes": ["blur"]}),
        say(row, kind="undo"),
        say(row, kind="codes", detail={"codes": ["dark"]}),
    ]
    recorded = session.record(events, lead=True)
    assert recorded.acknowledged == tuple(event.id for event in events[:3])
    assert "is not a failure" in recorded.refused[events[3].id]
    assert session.codes() == {}
    session.record([say(row, wrong)], lead=True)
    assert session.codes() == {row: ("blur",)}


def test_a_tester_says_why_of_inputs_that_nobody_else_answers(open_session, inputs, say):
    for votes, takes in ((1, True), (2, False)):
        session = open_session("srs", 20, id=f"team{votes}", votes_per_input=votes)
        [draw] = session.upcoming(1, "Ann")
        answer = say(draw.row, int(inputs.predictions[draw.row] == 0), tester="Ann")
        event = say(draw.row, kind="codes", tester="Ann", detail={"codes": ["blur"]})
        other = say(draw.row, kind="codes", tester="Bob", detail={"codes": ["dark"]})
        recorded = session.record([answer, event, other])
        assert (event.id in recorded.acknowledged) is takes
        assert "Only a lead" in recorded.refused[other.id]
        assert session.codes() == ({draw.row: ("blur",)} if takes else {})


def test_an_input_whose_answer_is_known_takes_codes_and_counts_none(open_session, inputs, say):
    session = open_session("srs", 20, id="known", known_answers=((299, 0),))
    assert session.is_slipped_in(299)
    event = say(299, kind="codes", detail={"codes": ["blur"]})
    assert session.record([event], lead=True).acknowledged == (event.id,)
    assert (session.codes(), session.codes_given()) == ({}, {299: ("blur",)})


def test_an_answer_that_turns_out_right_leaves_its_codes_uncounted(labeled, inputs, say):
    session, faults = labeled
    session.give_codes(faults[0], ["blur"], "Ann")
    session.record([say(faults[0], int(inputs.predictions[faults[0]]))])
    assert session.codes() == {}
    session.record([say(faults[0], int(inputs.truth[faults[0]]))])
    assert session.codes() == {faults[0]: ("blur",)}


def test_two_leads_at_once_edit_one_codebook(labeled, inputs, store):
    session, faults = labeled
    session.give_codes(faults[0], ["fog"], "Ann")
    other = reopened(session, inputs, store)
    session.rename_code("fog", "haze", "Ann")
    with pytest.raises(BadInput, match="no failure code 'fog' now"):
        other.rename_code("fog", "mist", "Bob")
    other.give_codes(faults[1], ["fog"], "Bob")
    session.give_codes(faults[1], ["dark"], "Ann")
    other.refresh()
    assert session.codes() == other.codes() == {faults[0]: ("haze",), faults[1]: ("dark",)}


def test_files_of_a_session_with_codes_give_the_same_shares_at_the_terminal(labeled, inputs, tmp_path):
    session, faults = labeled
    assert "codes" not in labels_csv(session).splitlines()[0] + faults_csv(session).splitlines()[0]
    session.give_codes(faults[0], ["=cmd()", "dark"], "Ann")
    session.give_codes(faults[1], ["dark"], "Ann")
    (tmp_path / "votes.csv").write_text(labels_csv(session))
    votes = Votes.read(tmp_path / "votes.csv")
    found = estimate_plan(plan_of(session), votes, inputs, tell=print).codes()
    assert found == session_codes(session)
    assert [(one.code, len(one.rows)) for one in found.codes][:2] == [("dark", 2), ("=cmd()", 1)]
    assert "'=cmd();dark" in faults_csv(session)


def test_codes_are_read_back_with_the_votes_that_an_export_has(labeled, open_session):
    session, faults = labeled
    session.give_codes(faults[0], ["=cmd()", "dark"], "Ann")
    session.give_codes(faults[1], ["Dark"], "Ann")
    votes = votes_from_csv(labels_csv(session).encode(), session.inputs.task)
    again = open_session("rrs", 120, id="again")
    assert add_votes(again, votes) == 120
    assert again.codes() == session.codes()
    assert add_votes(again, votes) == 0
    assert session_codes(again) == session_codes(session)


def test_codes_that_cannot_be_are_refused_with_their_line_and_nothing_is_imported(labeled, open_session, inputs):
    session, faults = labeled
    right = next(one.draw.row for one in session.verdicts() if one.loss == 0)
    fresh = open_session("rrs", 120, id="fresh")
    task = inputs.task
    lines = "row,answer,codes\n{row},{answer},{codes}\n"
    fault = {"row": faults[0], "answer": task.classes[inputs.truth[faults[0]]]}
    for said, why in (
        (fault | {"codes": "x" * 61}, "Line 2 of the votes"),
        (fault | {"codes": ";".join(map(str, range(100)))}, "100 failure codes"),
        ({"row": right, "answer": task.classes[inputs.truth[right]], "codes": "blur"}, "is not a failure"),
    ):
        with pytest.raises(BadInput, match=why):
            add_votes(fresh, votes_from_csv(lines.format(**said).encode(), task))
    assert fresh.history() == ()
    twice = f"row,answer,codes\n{fault['row']},{fault['answer']},blur\n{fault['row']},{fault['answer']},dark;Blur\n"
    assert add_votes(fresh, votes_from_csv(twice.encode(), task)) == 1
    assert fresh.codes() == {faults[0]: ("blur", "dark")}


def test_the_report_says_why_it_failed_once_a_failure_has_a_code(labeled):
    session, faults = labeled
    assert "Why it failed" not in report_html(session)
    session.give_codes(faults[0], ["<b>blur"], "Ann")
    page = report_html(session)
    assert "Why it failed" in page
    assert "&lt;b&gt;blur" in page
    assert "Any single code not seen so far" in page


def test_chosen_inputs_have_counts_of_codes_and_no_share(open_session, inputs, say):
    session = open_session("severity-first", 60)
    label_all(session, say, inputs.truth)
    fault = next(one.draw.row for one in session.verdicts() if one.loss)
    session.give_codes(fault, ["blur"], "Ann")
    found = session_codes(session)
    assert {one.code: (len(one.rows), one.share.value) for one in found.codes}["blur"] == (1, None)
    assert "No intervals" in report_html(session)
