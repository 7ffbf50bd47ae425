"""Every kind of task answers for itself: what it writes it reads back, and what it says of its answers holds."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.task import Task
from testimate.tasks import TASKS
from testimate.tasks.boxes import Boxes
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import Regression
from testimate.tasks.verdict import Judgment
from tests.each import each
from tests.sentences import three_parts

PETS = ("cat", "dog", "owl")
KINDS = tuple(TASKS)

# Of each kind a task, three predictions, and an answer that each of them passes and one that it fails.
EXAMPLES: Mapping[str, tuple[Task, Any, tuple[Any, ...], tuple[Any, ...]]] = {
    "classification": (Classification(PETS), np.array([0, 1, 2]), (0, 1, 2), (1, 2, 0)),
    "multi-label": (
        MultiLabel(PETS),
        np.array([[1, 0, 0], [0, 1, 1], [0, 0, 0]]),
        ([0], [1, 2], []),
        ([], [1], [0, 2]),
    ),
    "regression": (Regression(0.5, "m"), np.array([1.0, -2.0, 1e3]), (1.25, -2.0, 1000.5), (2.0, 2.0, 1001.0)),
    "verdict": (Judgment("1-5"), np.array([4, 4, 4]), (4, 3, 4), (0, 1, 2)),
    "boxes": (Boxes(PETS), np.array([[0, 1], [2, -1], [-1, -1]]), ([], [], []), ([-2, 1], [0], [-1, -1])),
}


def example(kind: str) -> tuple[Inputs, tuple[Any, ...], tuple[Any, ...]]:
    task, predictions, right, wrong = EXAMPLES[kind]
    return Inputs("f" * 32, task, predictions), right, wrong


def test_the_table_holds_each_kind_under_its_own_name():
    assert set(TASKS) == set(EXAMPLES)
    assert all(TASKS[kind].kind == kind and issubclass(TASKS[kind], Task) for kind in KINDS)
    assert all(type(EXAMPLES[kind][0]) is TASKS[kind] for kind in KINDS)


@each("kind", KINDS)
def test_losses_tell_passes_from_failures_and_stay_within_their_bound(kind):
    inputs, right, wrong = example(kind)
    passing, failing = (inputs.losses_of(dict(enumerate(answers))) for answers in (right, wrong))
    assert not inputs.task.failed(passing).any()
    assert inputs.task.failed(failing).all()
    assert inputs.task.loss_bound is None or max(passing.max(), failing.max()) <= inputs.task.loss_bound
    assert max(inputs.task.outcomes(failing)) <= (inputs.task.outcome_bound or np.inf)


@each("kind", KINDS)
def test_an_answer_comes_back_from_an_export_a_votes_file_and_a_labeling_tool(kind):
    inputs, right, wrong = example(kind)
    task = inputs.task
    for answer in (*right, *wrong):
        names = json.loads(json.dumps(task.answer_names(answer)))
        assert task.answer_named(names) == answer
        assert task.written_answer(task.answer_text(answer, in_full=True), 2) == answer
        typed = (";".join(names) or "none") if task.several else task.answer_text(answer, in_full=True)
        assert task.typed_answer(typed, 0) == answer


@each("kind", KINDS)
def test_what_is_no_answer_is_refused_in_three_parts_wherever_it_stands(kind):
    task = EXAMPLES[kind][0]
    for read in (
        lambda: task.typed_answer("unicorn", 3),
        lambda: task.written_answer("?" if task.outside else "unicorn", 3),
    ):
        with pytest.raises(BadInput) as refused:
            read()
        assert three_parts(str(refused.value))
    with pytest.raises(BadInput):
        task.answer_named(["?" if task.outside else "unicorn"])


@each("kind", KINDS)
def test_of_three_testers_the_two_who_agree_settle_the_answer(kind):
    task, _, right, wrong = EXAMPLES[kind]
    answers = [wrong[0], right[0], right[0]]
    assert task.agreeing(answers) == [1, 2]
    assert task.settled([right[0], right[0]]) == right[0]
    assert task.agreeing([None, right[0], None]) == [0, 2]
    assert task.settled([None, None]) is None
    assert task.same_answer(right[0], right[0])
    assert not task.same_answer(right[0], wrong[0])


@each("kind", KINDS)
def test_an_answer_takes_one_form_and_names_what_its_form_needs(kind):
    task = EXAMPLES[kind][0]
    assert task.numeric + task.one_choice + task.several + task.boxed <= 1
    assert task.one_choice or not (task.one_class or task.graded or task.compares)
    assert bool(task.choices) == (task.one_choice or task.several)
    assert bool(task.objects) >= task.boxed
    assert bool(task.no_class) == task.several
    assert (task.numbers_to_json() is not None) == task.numeric
    assert bool(task.grades) == task.graded


@each("kind", KINDS)
def test_the_answers_that_a_key_or_a_swipe_gives_can_be_given(kind):
    task = EXAMPLES[kind][0]
    for two in (task.accepts, task.swipes):
        assert two is None or [task.check_answer(place) for place in two] == list(two)
