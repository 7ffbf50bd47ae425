"""A kind of task that the product has never heard of: one class, from plan and votes to estimate, people and tools."""

from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.core.task import Task
from testimate.planning.estimate import estimate_plan
from testimate.planning.label_exchange import label_studio_result
from testimate.planning.plan import make_plan
from testimate.reports.words import severe_words, severity_bands
from testimate.selectors import SELECTORS
from testimate.session.votes import Ballot
from testimate.ui.components.labeling_surface.view import task_to_json

ORDERS = tuple(permutations("abc"))


@dataclass(frozen=True)
class Ranking(Task):
    """The order of three outputs, best first, as places of them: right where it is the model's own order."""

    classes: tuple[str, ...] = field(default=("a", "b", "c"))
    kind: ClassVar[Any] = "ranking"
    choices: ClassVar[tuple[str, ...]] = ()

    def losses(self, predictions: ArrayLike, answers: ArrayLike) -> NDArray[np.float64]:
        return (np.asarray(predictions) != np.asarray(answers)).any(axis=1).astype(np.float64)

    def check_answer(self, answer: Any) -> list[int]:
        if sorted(answer) != [0, 1, 2]:
            raise BadInput(f"The order is {answer!r}; expected each output once. Order them again.")
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


def test_a_kind_never_seen_before_goes_from_a_plan_and_its_votes_to_an_estimate(monkeypatch):
    claims = SELECTORS["srs"].claims  # as if the kind had its line in TaskKind
    monkeypatch.setattr(SELECTORS["srs"], "claims", replace(claims, tasks=(*claims.tasks, "ranking")))
    inputs = rankings()
    plan = make_plan(inputs, Request("srs", 100, seed=1))
    votes = dict.fromkeys(plan.rows, "a > b > c")
    found = estimate_plan(plan, "label", votes, inputs, tell=print)
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
    assert label_studio_result(task, ["a > b > c"])["type"] == "textarea"
    assert severe_words(task)
    assert set(severity_bands(task)) == {"high", "moderate", "low"}
