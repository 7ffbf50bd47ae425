"""Answers that are none of the classes in a session: stored, taken back, corrected, disputed, replayed and exported."""

from testimate.planning.build import build
from testimate.planning.labels_outside import with_answers_outside
from testimate.reports.exports import label_studio_json, labels_csv, labels_table, votes_from_label_studio
from testimate.reports.people import votes_csv
from testimate.reports.report import report_html
from testimate.reports.votes_import import add_votes, votes_from_csv
from testimate.session.session import Session
from tests.session.labeling import rows


def answered(open_session, inputs, say, outside=("fox", "", "owl", "fox"), budget=40):
    """A session in which the first inputs are none of the classes and all others what they truly are."""
    session = open_session("srs", budget)
    for place, row in enumerate(draw.row for draw in session.draws):
        session.record([say(row, outside[place] if place < len(outside) else int(inputs.truth[row]))])
    return session


def test_none_of_these_is_a_fault_in_the_estimate_and_in_its_severity(open_session, inputs, say):
    session = answered(open_session, inputs, say)
    drawn = [draw.row for draw in session.draws]
    right = (inputs.predictions[drawn[4:]] == inputs.truth[drawn[4:]]).sum()
    assert session.estimate().accuracy == right / 40
    assert [verdict.loss for verdict in session.verdicts()[:4]] == [1.0] * 4


def test_it_is_taken_back_and_corrected_as_any_answer(open_session, say):
    session = open_session("srs", 20)
    first, second, *_ = rows(session)
    session.record([say(first, "fox"), say(second, "")])
    session.record([say(first, kind="undo")])
    assert session.answers() == {second: ""}
    session.record([say(second, " Gray  fox"), say(first, 1)])
    assert session.answers() == {second: "Gray fox", first: 1}
    assert session.inputs.loss(second, "Gray fox") == 1.0


def test_a_name_equal_to_a_class_is_stored_as_that_class(open_session, say):
    session = open_session("srs", 20)
    [row, *_] = rows(session)
    name = session.inputs.task.classes[1]
    session.record([say(row, f" {name.upper()} ")])
    assert session.answers() == {row: 1}


def test_two_of_three_testers_settle_it_whatever_they_call_it_and_a_lead_decides_a_dispute(open_session, say):
    session = open_session("srs", 20, votes_per_input=3)
    row = session.draws[0].row
    session.record([say(row, answer, tester=name) for name, answer in (("Ann", "fox"), ("Bob", 0), ("Cid", ""))])
    assert session.disputed() == ()
    assert session.answers() == {row: "fox"}
    other = session.draws[1].row
    session.record([say(other, answer, tester=name) for name, answer in (("Ann", "owl"), ("Bob", 0), ("Cid", 1))])
    assert session.disputed() == (other,)
    session.record([say(other, "owl", kind="adjudication", tester="Lea")], lead=True)
    assert session.answers() == {row: "fox", other: "owl"}


def test_a_session_with_names_is_replayed_to_the_same_estimate(open_session, inputs, say, store):
    session = answered(open_session, inputs, say, [f"animal {number}" for number in range(30)])
    record = session.session_record
    again = Session(record, inputs, build(inputs, record.request, record.resolved), store, session.show)
    assert again.answers() == session.answers()
    assert again.estimate() == session.estimate()


def test_votes_come_back_from_tables_and_label_studio(open_session, inputs, say):
    session = answered(open_session, inputs, say)
    task = inputs.task
    table = {record["row"]: record["answer"] for record in labels_table(session)}
    assert [table[draw.row] for draw in session.draws[:4]] == ["fox", "none of these", "owl", "fox"]
    exports = (
        votes_from_csv(labels_csv(session).encode(), task),
        votes_from_csv(votes_csv(session).encode(), task),
        votes_from_label_studio(label_studio_json(session), task),
    )
    for votes in exports:
        said: list[str] = []
        answers = with_answers_outside([vote.answer for vote in votes], task, {}, "votes", said.append)
        assert dict(zip([vote.row for vote in votes], answers, strict=True)) == session.answers()
        assert said[0].startswith("4 of 40 labels are no class of this network and count as wrong: fox 2")
    again = open_session("srs", 40, id="again")
    add_votes(again, exports[0])
    assert again.estimate() == session.estimate()


def test_the_report_names_what_is_none_of_the_classes(open_session, inputs, say):
    page = report_html(answered(open_session, inputs, say))
    assert "none of these: fox" in page
