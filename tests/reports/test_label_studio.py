"""Votes go to Label Studio's format and come back as they were."""

import json

import pytest

from testimate.core.errors import BadInput
from testimate.reports.exports import label_studio_json, votes_from_label_studio
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import Regression
from tests.each import each

LETTERS = Classification(("a", "b", "c", "d"))


def test_votes_come_back_as_they_went(open_session, say):
    session = open_session("srs", 20, votes_per_input=2)
    rows = [draw.row for draw in session.draws[:3]]
    session.record([say(rows[0], 1, seconds=2.5), say(rows[0], 2, tester="Bob"), say(rows[1]), say(rows[2], 3)])
    session.record([say(rows[2], kind="undo")])
    found = votes_from_label_studio(label_studio_json(session), LETTERS)
    said = {(vote.row, vote.tester, vote.kind, vote.answer, vote.seconds) for vote in found}
    assert said == {
        (rows[0], "Ann", "answer", 1, 2.5),
        (rows[0], "Bob", "answer", 2, None),
        (rows[1], "Ann", "cannot tell", None, None),
    }
    again = open_session("srs", 20, id="other", votes_per_input=2)
    again.record(found)
    assert again.votes() == {row: votes for row, votes in session.votes().items() if votes}


def test_tasks_name_the_input_the_text_and_what_the_model_says(open_session, inputs, say):
    session = open_session("srs", 20)
    row = session.draws[0].row
    session.record([say(row, 1)])
    [task] = json.loads(label_studio_json(session))
    assert task["data"] == {"row": row, "subject": "The set", "text": f"input {row}"}
    [prediction] = task["predictions"]
    assert prediction["result"][0]["value"] == {"choices": ["abcd"[inputs.predictions[row]]]}
    assert prediction["score"] == pytest.approx(inputs.confidence[row])


def task_of(value, **fields):
    annotation = {"id": 7, "completed_by": 3, "result": [{"type": "choices", "value": value}], **fields}
    return json.dumps([{"id": 12, "data": {"row": 4}, "annotations": [annotation]}])


def test_an_annotation_made_there_is_a_vote_under_a_lasting_id():
    [vote] = votes_from_label_studio(task_of({"choices": ["c"]}), LETTERS)
    assert (vote.id, vote.row, vote.tester, vote.answer) == ("label-studio-12-0", 4, "3", 2)
    [several] = votes_from_label_studio(task_of({"choices": ["c", "a"]}), MultiLabel(LETTERS.classes))
    assert several.answer == [2, 0]
    [number] = votes_from_label_studio(task_of({"number": -0.5}), Regression(tolerance=1))
    assert number.answer == -0.5
    [typed] = votes_from_label_studio(task_of({"number": "−12 500,75"}), Regression(tolerance=1))
    assert typed.answer == -12500.75
    [skipped] = votes_from_label_studio(task_of({"choices": ["c"]}, was_cancelled=True), LETTERS)
    assert (skipped.kind, skipped.answer) == ("cannot tell", None)


@each(
    ("text", "sentence"),
    [
        ("nonsense", "not JSON"),
        ("{}", "not a list of tasks"),
        ('[{"annotations": []}]', "Task 0"),
        ("[3]", "Task 0"),
        (task_of({"choices": ["?"]}), "class '?'"),
        (task_of({}), "Task 0"),
    ],
)
def test_what_is_no_export_is_refused_in_a_sentence(text, sentence):
    with pytest.raises(BadInput, match=sentence):
        votes_from_label_studio(text, LETTERS)


@each(
    "text",
    [
        task_of({"number": "abc"}),
        task_of({"number": 10**400}),
        task_of({"number": "450,000"}),  # two numbers, in Rome and in London
        task_of({"number": "0x10"}),
        task_of({"number": "Infinity"}),
        task_of({"number": True}),
        task_of({"number": 1}, lead_time=10**400),
    ],
)
def test_a_number_that_is_none_is_refused_in_a_sentence(text):
    with pytest.raises(BadInput, match="Expected a number"):
        votes_from_label_studio(text, Regression(tolerance=1))
