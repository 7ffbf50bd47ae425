"""Classification and several labels: losses against scikit-learn's, and the answers a tester can give."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, top_k_accuracy_score

from testimate.core.errors import BadInput
from testimate.tasks.classification import Classification, MultiLabel
from tests.each import each
from tests.sentences import three_parts

RNG = np.random.default_rng(11)


@each("top_k", [1, 2, 3])
def test_one_minus_the_mean_loss_is_scikit_learns_top_k_accuracy(top_k):
    chances, truth = RNG.random((500, 5)), RNG.integers(5, size=500)
    predicted = np.argsort(-chances, axis=1)[:, :top_k]
    losses = Classification(tuple("abcde"), top_k=top_k).losses(predicted, truth)
    expected = top_k_accuracy_score(truth, chances, k=top_k, labels=range(5))
    assert 1 - losses.mean() == pytest.approx(expected)


def test_of_several_labels_one_minus_the_mean_loss_is_scikit_learns_subset_accuracy():
    predicted, truth = (RNG.random((2, 400, 3)) < 0.5).astype(int)
    task = MultiLabel(("a", "b", "c"))
    losses = task.losses(predicted, truth)
    assert 1 - losses.mean() == pytest.approx(accuracy_score(truth, predicted))
    np.testing.assert_array_equal(task.failed(losses), (predicted != truth).any(axis=1))


def test_an_answer_is_a_place_among_the_classes_and_nothing_else():
    task = Classification(("a", "b", "c"))
    assert [task.check_answer(place) for place in (0, 2, np.int64(1))] == [0, 2, 1]
    for wrong in (-1, 3, 1.0, True, None, [1]):
        with pytest.raises(BadInput) as refused:
            task.check_answer(wrong)
        assert three_parts(str(refused.value))


def test_an_answer_of_several_labels_is_a_set_of_places_once_each():
    task = MultiLabel(("a", "b", "c"))
    assert task.check_answer([2, 0]) == (1, 0, 1, 0)
    assert task.check_answer([]) == (0, 0, 0, 0)
    for wrong in ("ab", 1, [0, 0], [3], [-1], [0.5], None):
        with pytest.raises(BadInput) as refused:
            task.check_answer(wrong)
        assert three_parts(str(refused.value))


@each(
    ("classes", "top_k", "words"),
    [
        ((), 1, "at least one class"),
        (("a", "a"), 1, "same name"),
        (("a",), 2, "top_k is 2"),
        (("a",), 0, "top_k is 0"),
    ],
)
def test_classes_that_cannot_be_told_apart_or_counted_are_refused(classes, top_k, words):
    with pytest.raises(BadInput, match=words):
        Classification(classes, top_k=top_k)


def test_too_few_predicted_classes_for_top_k_are_refused():
    with pytest.raises(BadInput, match=r"shape \(2, 1\)\. Expected \(2, 2\)"):
        Classification(("a", "b"), top_k=2).losses([0, 1], [0, 1])
