"""Judged boxes in a session: stored, replayed, carried in bundles and votes, and settled in a team."""

import json

import pytest

from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.project.bundle import import_bundle, write_bundle
from testimate.project.kept_labels import available_known_answers, chosen_known_answers
from testimate.project.project import Project
from testimate.reports.exports import label_studio_json, labels_table, votes_from_label_studio
from testimate.reports.live import session_boxes
from testimate.reports.people import votes_csv
from testimate.reports.report import report_html
from testimate.reports.votes_import import votes_from_csv

TIME = "2026-11-25T06:00:00+00:00"
ROWS = 40
TABLE = json.dumps(
    {
        "images": [{"id": row, "file_name": f"{row}.png", "width": 10, "height": 10} for row in range(ROWS)],
        "categories": [{"id": 1, "name": "<b>ship</b>"}, {"id": 2, "name": "buoy"}],
        "annotations": [
            {"image_id": row, "category_id": 1 + place, "bbox": [5 * place, 1, 4, 4], "score": 0.5 + row / 100}
            for row in range(ROWS)
            for place in range(row % 3)
        ],
    }
).encode()


def judged(row, answer, tester="tester"):
    return Event(f"event-{row}-{tester}", "answer", row, tester, TIME, answer=answer)


def answer_to(row):
    return [-1] if row % 3 == 0 else [0] if row % 5 == 0 else []


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


@pytest.fixture
def session(project):
    key = project.add_table("found.json", TABLE).key
    made = project.start_session(key, Request("rrs", 30, 1))
    made.record([judged(draw.row, answer_to(draw.row)) for draw in made.draws])
    return made


def test_answers_are_stored_as_lists_and_stand_again_after_the_project_is_opened_anew(session, tmp_path):
    again = Project(tmp_path).session(session.session_record.id)
    assert again.answers() == {draw.row: answer_to(draw.row) for draw in session.draws}
    assert again.estimate() == session.estimate()
    assert session_boxes(again) == session_boxes(session)
    assert session_boxes(again).scores.classes[0].precision.labeled == sum(draw.row % 3 > 0 for draw in session.draws)


def test_an_answer_about_a_box_that_is_not_there_is_refused_and_nothing_else_is_lost(project):
    key = project.add_table("found.json", TABLE).key
    made = project.start_session(key, Request("srs", 10, 1))
    first, second = (draw.row for draw in made.draws[:2])
    said = made.record([judged(first, [7]), judged(second, [-2])])
    assert "box 8 is wrong" in said.refused[f"event-{first}-tester"]
    assert made.answers() == {second: [-2]}


def test_bundles_votes_and_label_studio_carry_what_was_said(session, tmp_path):
    task, answers = session.inputs.task, session.answers()
    other = Project(tmp_path / "other")
    other.add_table("found.json", TABLE)
    assert import_bundle(other, write_bundle(session)).answers() == answers
    votes = votes_from_csv(votes_csv(session).encode(), task)
    assert {one.row: one.answer for one in votes} == answers
    exported = votes_from_label_studio(label_studio_json(session), task)
    assert {one.row: one.answer for one in exported} == answers
    words = {record["row"]: record["answer"] for record in labels_table(session)}
    assert words[next(row for row in answers if row % 3 == 0)] == "missed <b>ship</b> 1"


def test_two_testers_agree_where_they_say_the_same_in_any_order_and_a_lead_settles_the_rest(project):
    key = project.add_table("found.json", TABLE).key
    made = project.start_session(key, Request("srs", 10, 1), votes_per_input=2)
    row, other = [draw.row for draw in made.draws if draw.row % 3 == 2][:2]
    made.record(
        [judged(row, [-1, 0], "Ann"), judged(row, [0, -1], "Ben"), judged(other, [1], "Ann"), judged(other, [], "Ben")]
    )
    assert made.answers() == {row: [-1, 0]}
    assert made.disputed() == (other,)
    word = Event("word", "adjudication", other, "Lea", TIME, answer=[1])
    made.record([word], lead=True)
    assert made.answers()[other] == [1]


def test_known_answers_are_slipped_in_and_show_who_does_not_look(project):
    subject = project.subject("harbour")
    known = available_known_answers(project, "harbour", subject.inputs)
    assert known[4] == subject.inputs.truth[4] == [0]
    some = chosen_known_answers(known, 30, seed=1)
    made = project.start_session("harbour", Request("srs", 40, 1), known_answers=some)
    wrong = 0
    while draws := made.upcoming(1, "tester"):
        [draw] = draws
        wrong += made.is_slipped_in(draw.row) and known[draw.row] != []
        made.record([judged(draw.row, [])])
    [given] = made.known_answers_given()
    assert (given.answered >= 3, given.answered - given.right) == (True, wrong)


def test_the_report_has_the_table_of_the_classes_whose_names_are_text(session):
    page = report_html(session)
    assert "Precision and recall</h2>" in page
    assert "&lt;b&gt;ship&lt;/b&gt;" in page
    assert "<b>ship</b>" not in page


def test_a_project_reads_the_boxes_with_the_score_they_had(project, tmp_path):
    from testimate.subjects.table_choices import TableChoices

    key = project.add_table("found.json", TABLE, choices=TableChoices(least_score=0.7)).key
    project.start_session(key, Request("srs", 5, 1))
    assert (
        Project(tmp_path).subject(key).inputs.predictions.tolist() == project.subject(key).inputs.predictions.tolist()
    )
    assert (project.subject(key).inputs.predictions[:20] == -1).all()
    with pytest.raises(BadInput, match="Expected 0 to 1"):
        project.add_table("found.json", TABLE, choices=TableChoices(least_score=7.0))
