"""A kind of task that the product has never heard of: one class, from plan and votes to estimate, people and tools."""

import json
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.core.task import CellAnswers, Task
from testimate.planning.estimate import estimate_plan
from testimate.planning.label_exchange import FORMATS, LabelTask, label_studio_results
from testimate.planning.needs import possible
from testimate.planning.plan import make_plan
from testimate.planning.votes import Votes
from testimate.project.project import Project
from testimate.reports.report import report_html
from testimate.reports.words import severe_words, severity_bands
from testimate.selectors import SELECTORS
from testimate.session.votes import Ballot
from testimate.subjects.prediction_table import read_table
from testimate.tasks import TASKS
from testimate.ui.components.labeling_surface.view import task_to_json

ORDERS = tuple(permutations("abc"))


@dataclass(frozen=True)
class Ranking(Task):
    """The order of three outputs, best first, as places of them: right where it is the model's own order."""

    classes: tuple[str, ...] = field(default=("a", "b", "c"))
    kind: ClassVar[Any] = "ranking"
    separator: ClassVar[str] = ">"
    choices: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def of_cells(cls, predictions, truth, check_count):
        check_count(3)
        said, true = (
            None if cells is None else np.array([cls().check_answer(cls().places_named(names)) for names in cells])
            for cells in (predictions, truth)
        )
        return CellAnswers(cls(), said, true)

    def losses(self, predictions: ArrayLike, answers: ArrayLike) -> NDArray[np.float64]:
        return (np.asarray(predictions) != np.asarray(answers)).any(axis=1).astype(np.float64)

    def check_answer(self, answer: Any) -> list[int]:
        if sorted(answer) != [0, 1, 2]:
            raise BadInput(f"The order is {answer!r}. Expected each output once. Order them again.")
        return list(answer)

    def answer_text(self, answer: Any, *, in_full: bool = False) -> str:
        del in_full  # names are always in full
        return "" if answer is None else " > ".join(self.classes[place] for place in answer)

    def prediction_text(self, prediction: ArrayLike, *, in_full: bool = False) -> str:
        return self.answer_text(np.asarray(prediction).tolist(), in_full=in_full)

    def written_answer(self, text: str, line: int) -> list[int]:
        del line  # the names themselves say which
        return self.check_answer([self.class_named(name.strip()) for name in text.split(">")])

    def typed_answer(self, cell: str, row: int) -> list[int]:
        return self.written_answer(cell, row)

    def comparable(self, answer: Any) -> Any:
        return None if answer is None else tuple(answer)  # another order is another answer


def rankings() -> Inputs:
    predictions = np.array([[0, 1, 2]] * 60 + [[2, 1, 0]] * 40)
    return Inputs("f" * 32, Ranking(), predictions, scores={"confidence": np.linspace(0, 1, 100)})


def test_techniques_for_what_is_right_or_wrong_serve_a_kind_never_seen_before():
    served = {
        name for name in ("srs", "rra", "confidence", "severity-first") if not possible(rankings(), SELECTORS[name])
    }
    assert served == {"srs", "rra", "confidence"}  # the last needs a confidence of its own
    assert make_plan(rankings(), Request("rra", 40, seed=1)).rows
    with pytest.raises(BadInput, match="deepgini is for classification and this is a ranking task"):
        make_plan(rankings(), Request("deepgini", 40, seed=1))


def test_a_kind_never_seen_before_goes_from_a_plan_and_its_votes_to_an_estimate():
    inputs = rankings()
    plan = make_plan(inputs, Request("srs", 100, seed=1))
    votes = dict.fromkeys(plan.rows, "a > b > c")
    found = estimate_plan(plan, Votes.of(votes), inputs, tell=print)
    assert found.estimate.accuracy == pytest.approx(0.6)  # all inputs are labeled: 60 of 100 are in this order
    assert plan.task == "ranking"


def test_testers_of_a_kind_never_seen_before_agree_by_what_the_kind_calls_the_same():
    ballot = Ballot()
    for number, answer in enumerate(([2, 1, 0], [0, 1, 2], [0, 1, 2])):
        ballot.add(Event(str(number), "answer", 0, f"tester {number}", "2026-01-01T00:00:00+00:00", answer=answer))
    settled = ballot.settled(Ranking(), 3)
    assert settled is not None
    assert settled.answer == [0, 1, 2]


def test_surface_words_and_tools_take_a_kind_never_seen_before():
    task = Ranking()
    assert task_to_json(task)["kind"] == "ranking"
    assert label_studio_results(task, ["a > b > c"])[0]["type"] == "textarea"
    assert severe_words(task)
    assert set(severity_bands(task)) == {"high", "moderate", "low"}


def test_a_table_is_read_by_a_kind_never_seen_before_and_no_other_name_is_taken(monkeypatch):
    monkeypatch.setattr("testimate.tasks.boxes.Ranking", Ranking, raising=False)
    monkeypatch.setitem(TASKS._places, "ranking", "boxes:Ranking")
    table = b"prediction,label\na > b > c,a > b > c\nc > b > a,b > c > a\n"
    subject = read_table(table, name="orders.csv", task="ranking")
    assert subject.task.kind == "ranking"
    assert subject.truth.tolist() == [[0, 1, 2], [1, 2, 0]]
    assert subject.inputs.losses.tolist() == [0, 1]
    assert read_table(table, name="orders.csv").readable_as == ("classification", "ranking")
    with pytest.raises(
        BadInput, match=r"There is no kind of task 'order'. Expected one of classification, .*, ranking"
    ):
        read_table(table, name="orders.csv", task="order")


def test_a_session_of_a_kind_never_seen_before_is_stored_reopened_and_reported(monkeypatch, tmp_path):
    monkeypatch.setattr("testimate.tasks.boxes.Ranking", Ranking, raising=False)
    monkeypatch.setitem(TASKS._places, "ranking", "boxes:Ranking")
    table = b"prediction\na > b > c\nc > b > a\nb > a > c\n"
    key = Project(tmp_path).add_table("orders.csv", table, task="ranking").key
    session = Project(tmp_path).start_session(key, Request("srs", 3, seed=1))
    for draw in session.upcoming(3):
        answer = Event(f"event-{draw.row:04}", "answer", draw.row, "Ann", "2026-11-20T10:00:00+00:00", answer=[0, 1, 2])
        assert session.record([answer]).acknowledged
    page = report_html(Project(tmp_path).session(session.session_record.id))
    assert "From 3 labels: 2 wrong" in page
    assert "c &gt; b &gt; a" in page  # what the network said of one of them


def test_labeling_tools_get_a_field_for_answers_that_name_no_class_or_say_what_they_lack():
    plan, tasks = make_plan(rankings(), Request("srs", 4, seed=1)), [LabelTask("k-0", 0, "", "three outputs")]
    made = FORMATS["label-studio"].write(plan, tasks, Ranking(), "")
    assert "<TextArea" in made[".xml"]
    answered = [{"data": {"key": "k-0"}, "annotations": [{"result": label_studio_results(Ranking(), ["b > a > c"])}]}]
    [label] = FORMATS["label-studio"].read(plan, json.dumps(answered).encode(), Ranking(), print)
    assert label.answer == "b > a > c"
    for tool in ("cvat", "fiftyone"):
        with pytest.raises(BadInput, match=r"Answers of the kind ranking are texts, and .* contains classes alone"):
            FORMATS[tool].write(plan, tasks, Ranking(), "")
