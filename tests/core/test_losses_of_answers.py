"""An answer as events store it, its loss by the one way there is, and shapes that are refused instead of broadcast."""

import itertools

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import Regression
from tests.each import each

KINDS = ("ant", "bee", "cat", "dog")
SUBSETS = [list(places) for size in range(5) for places in itertools.combinations(range(4), size)]


def inputs_of(task, predictions) -> Inputs:
    return Inputs("f" * 32, task, np.asarray(predictions))


def test_every_set_of_four_classes_is_right_for_itself_alone():
    predicted = [[int(place in places) for place in range(4)] for places in SUBSETS]
    inputs = inputs_of(MultiLabel(KINDS), predicted)
    for row, answer in itertools.product(range(16), SUBSETS):
        assert inputs.loss(row, answer) == float(SUBSETS[row] != answer)


@each("top_k", [1, 2, 3])
def test_a_class_is_right_where_it_is_among_the_first_k(top_k):
    orders = list(itertools.permutations(range(4)))
    inputs = inputs_of(Classification(KINDS, top_k=top_k), [order[:top_k] for order in orders])
    for row, answer in itertools.product(range(24), range(4)):
        assert inputs.loss(row, answer) == float(answer not in orders[row][:top_k])


def test_a_number_costs_its_squared_error_and_one_too_far_off_is_infinite():
    inputs = inputs_of(Regression(tolerance=1.0, scale=2.0), [1.0, -3.0])
    assert inputs.losses_of({1: 1.0, 0: 1}).tolist() == [4.0, 0.0]
    assert inputs.loss(0, 1e300) == np.inf


def test_no_answers_have_no_losses():
    assert inputs_of(MultiLabel(KINDS), np.zeros((3, 4))).losses_of({}).shape == (0,)


@each(
    ("task", "predictions", "answers"),
    [
        (MultiLabel(KINDS), [[0, 0, 0, 1]], [[3]]),  # places in the place of zeros and ones
        (MultiLabel(KINDS), [[0, 1, 0, 1], [0, 0, 0, 0]], [[1, 3], []]),
        (MultiLabel(KINDS), [[0, 1, 0, 1]], [0, 1, 0, 1]),
        (MultiLabel(KINDS), [[0, 1, 0]], [[0, 1, 0]]),
        (Classification(KINDS), [0, 1, 2], [1]),
        (Classification(KINDS), [0, 1], [[0, 1], [1, 0]]),
        (Classification(KINDS), [0, 1], 1),
        (Classification(KINDS, top_k=2), [0, 1], [0, 1]),
        (Regression(1.0), [0.5, 1.5], [1.0]),
        (Regression(1.0), [[0.5], [1.5]], [0.5, 1.5]),
        (Regression(1.0), [0.5], ["tall"]),
    ],
)
def test_shapes_that_are_not_the_tasks_are_refused_and_never_broadcast(task, predictions, answers):
    with pytest.raises(BadInput):
        task.losses(predictions, answers)


@each(
    ("task", "answer"),
    [(MultiLabel(KINDS), 3), (MultiLabel(KINDS), [4]), (Classification(KINDS), [3]), (Regression(1.0), [0.5])],
)
def test_an_answer_of_another_task_has_no_loss(task, answer):
    predictions = np.zeros((1, 4)) if isinstance(task, MultiLabel) else np.zeros(1)
    with pytest.raises(BadInput, match="The answer"):
        inputs_of(task, predictions).loss(0, answer)
