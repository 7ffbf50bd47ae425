"""Labels given in a notebook: what the surface sends becomes votes, and what goes wrong is a sentence."""

import sys
from itertools import count

import numpy as np
import pandas as pd
import pytest

from testimate import Votes, estimate, label, open_subject, select
from testimate.core.errors import BadInput, SubjectChanged
from testimate.ui.notebook.labeling_widget import PlanLabels

NUMBERS = count()
FRAME = pd.DataFrame(
    {
        "prediction": ["cat", "dog"] * 60,
        "confidence": np.linspace(0.5, 1, 120),
        "text": [f"animal {n}" for n in range(120)],
    }
)


@pytest.fixture(scope="module")
def subject():
    return open_subject(FRAME, name="animals")


@pytest.fixture(scope="module")
def plan(subject):
    return select(subject, budget=30, seed=2)


def sent(widget, kind, row, **more):
    """What the surface sends of one act, with the widget's answer; the event's id."""
    id = f"event-{next(NUMBERS):08}"
    at = pd.Timestamp.now("UTC").isoformat()
    deliver(widget, {"id": id, "kind": kind, "row": row, "position": 0, "at": at, "seconds": 1.0, **more})
    return id


def deliver(widget, event):
    view = widget.view
    message = {"session": view["session"], "tester": view["tester"], "events": [event], "held": []}
    widget._handle_custom_msg({"name": "events", "message": message}, [])


def asked(widget):
    return [item["row"] for item in widget.view["queue"]]


def test_labels_given_in_the_notebook_estimate_what_the_same_answers_do(subject, plan):
    widget = label(plan, subject)
    assert asked(widget) == list(plan.rows[:16])
    assert widget.view["queue"][0]["shown"] == {"text": f"animal {plan.rows[0]}"}
    assert widget.view["queue"][0]["prediction"] is None
    for row in plan.rows:
        done = sent(widget, "answer", row, answer=row % 3 == 0)  # not the place of a class, but true or false
        assert done in widget.view["refused"]
        sent(widget, "answer", row, answer=int(row % 3 == 0))
    assert widget.view["finished"]
    answers = {row: ("cat", "dog")[row % 3 == 0] for row in plan.rows}
    assert widget.votes == Votes.of(answers)
    assert estimate(plan, widget.votes, subject=subject).estimate == estimate(plan, answers, subject=subject).estimate
    assert repr(widget) == "Which of these is it? 30 of 30 are labeled."


def test_undo_skip_cannot_tell_and_notes_do_what_they_do_in_the_app(subject, plan):
    widget = label(plan, subject)
    first, second, third = plan.rows[:3]
    sent(widget, "skip", first)
    assert asked(widget)[0] == second
    sent(widget, "cannot tell", second)
    sent(widget, "answer", third, answer=0)
    sent(widget, "answer", third, answer=1)
    assert widget.votes.cells == {second: "", third: "dog"}
    assert [past["label"] for past in widget.view["history"]] == ["can't tell", "dog"]
    sent(widget, "undo", third)
    assert widget.votes.cells == {second: "", third: "cat"}
    sent(widget, "undo", third)
    assert asked(widget)[0] == third
    sent(widget, "flag", third, note="blurred")
    assert widget.notes == {third: ["blurred"]}
    for row in plan.rows[2:]:
        sent(widget, "answer", row, answer=0)
    assert asked(widget) == [first]  # what was skipped comes last


def test_labels_are_kept_in_a_file_and_go_on_from_there(subject, plan, tmp_path):
    file = tmp_path / "kept" / "votes.csv"
    widget = label(plan, subject, votes=file)
    row = plan.rows[0]
    lost = sent(widget, "answer", row, answer=1)  # its folder is not there
    assert "could not be written" in widget.view["offline_error"]
    assert lost not in widget.view["acknowledged"]
    file.parent.mkdir()
    again = {
        "id": lost,
        "kind": "answer",
        "row": row,
        "position": 0,
        "at": pd.Timestamp.now("UTC").isoformat(),
        "answer": 1,
    }
    deliver(widget, again)
    assert widget.view["offline_error"] == ""
    assert lost in widget.view["acknowledged"]
    sent(widget, "cannot tell", plan.rows[1])
    assert label(plan, subject, votes=file).votes == Votes.read(file) == widget.votes
    assert asked(label(plan, subject, votes=file))[0] == plan.rows[2]


def test_what_does_not_belong_together_is_a_sentence(subject, plan, tmp_path, monkeypatch):
    widget = label(plan, subject)
    stranger = next(row for row in range(120) if row not in plan.rows)
    refused = sent(widget, "answer", stranger, answer=0)
    assert "was not drawn by the plan" in widget.view["refused"][refused]
    with pytest.raises(SubjectChanged):
        label(plan, open_subject(FRAME[["prediction", "confidence"]]))
    (tmp_path / "v.csv").write_text(f"row,failed\n{plan.rows[0]},1\n")
    with pytest.raises(BadInput, match=r"contains 'failed'. Expected labels"):
        label(plan, subject, votes=tmp_path / "v.csv")
    (tmp_path / "w.csv").write_text(f"row,label\n{plan.rows[0]},owl\n")
    with pytest.raises(BadInput, match=r"is labeled 'owl'\. Expected one of cat, dog"):
        label(plan, subject, votes=tmp_path / "w.csv")
    with pytest.raises(BadInput, match="says nothing about its inputs until it has run"):
        PlanLabels(plan, open_subject("glyphs"))
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(BadInput, match=r"testimate\[notebook\].*label in the app"):
        label(plan, subject)


def test_numbers_and_sets_come_back_as_votes_of_their_kind():
    numbers = open_subject({"prediction": np.linspace(0, 9, 40)}, tolerance=0.5)
    plan = select(numbers, budget=5, seed=1, technique="srs")
    widget = label(plan, numbers)
    sent(widget, "answer", plan.rows[0], answer=2.5)
    assert {row: float(cell) for row, cell in widget.votes.cells.items()} == {plan.rows[0]: 2.5}
    sets = open_subject({"prediction": ["cat;dog", "none"] * 20}, task="multi-label")
    plan = select(sets, budget=5, seed=1, technique="srs")
    widget = label(plan, sets)
    sent(widget, "answer", plan.rows[0], answer=[1, 0])
    sent(widget, "answer", plan.rows[1], answer=[])
    assert widget.votes.cells == {plan.rows[0]: "cat;dog", plan.rows[1]: "none"}


def test_of_two_systems_the_strip_does_not_say_which_of_them_an_answer_favors():
    pairs = open_subject(
        pd.DataFrame({"input": [f"q{n}" for n in range(60)], "output_a": ["ant"] * 60, "output_b": ["bee"] * 60}),
        name="pairs",
    )
    plan = select(pairs, budget=20, seed=2, technique="srs")
    widget = label(plan, pairs)
    for row in plan.rows[:6]:
        sent(widget, "answer", row, answer=0)
    assert [past["failed"] for past in widget.view["history"]] == [None] * 6
    sides = pairs.inputs.predictions[list(plan.rows[:6])]
    assert {*sides.tolist()} == {0, 2}  # it would have said so: A stood on either side
