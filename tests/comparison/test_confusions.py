"""Dawid and Skene's ranking finds the accuracies of models that err in ways of their own, equal predictions taken as one."""

import numpy as np
import pytest

from research.studies.label_free import dawid_skene
from testimate.comparison.predictions import Predictions
from testimate.comparison.ranking import dawid_skene_accuracy, rank


@pytest.fixture(scope="module")
def said():
    """What six models say of 2,000 inputs of four classes, (N, M), the last one with two classes swapped; and the truth."""
    rng = np.random.default_rng(7)
    truth = rng.integers(4, size=2000)
    right = rng.random((2000, 5)) < [0.95, 0.85, 0.75, 0.65, 0.55]
    erring = np.where(right, truth[:, None], (truth[:, None] + rng.integers(1, 4, size=(2000, 5))) % 4)
    return np.column_stack([erring, np.array([1, 0, 2, 3])[truth]]), truth


def test_it_finds_the_accuracies_and_those_of_the_plain_algorithm_on_all_inputs(said):
    labels, truth = said
    found = dawid_skene_accuracy(Predictions(tuple("abcdef"), labels, tuple("0123")))
    assert found == pytest.approx((labels == truth[:, None]).mean(axis=0), abs=0.03)
    assert found == pytest.approx(dawid_skene(np.eye(4)[labels.T]), abs=1e-4)


def test_classes_that_no_model_predicts_change_nothing(said):
    labels, _ = said
    few = dawid_skene_accuracy(Predictions(tuple("abcdef"), labels, tuple("0123")))
    many = dawid_skene_accuracy(Predictions(tuple("abcdef"), 2 * labels, tuple("abcdefghij")))
    assert (few == many).all()


def test_models_that_always_agree_are_all_right():
    same = np.tile(np.arange(500)[:, None] % 5, 3)
    assert dawid_skene_accuracy(Predictions(tuple("abc"), same, tuple("01234"))) == pytest.approx([1, 1, 1], abs=1e-3)


def test_rank_takes_it_by_its_name_and_needs_no_label(said):
    labels, truth = said
    predictions = Predictions(tuple("abcdef"), labels, tuple("0123"))
    found = rank(predictions, "dawid-skene", truth=truth)
    assert [found.models[place] for place in found.order[:5]] == list("abcde")
    assert found.rows.size == 0
    assert found.agreement.spearman > 0.9
