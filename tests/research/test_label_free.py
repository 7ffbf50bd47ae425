"""Rankings without a label: they find the accuracies of a simulation, and the line that agreements lie on."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from research.studies.label_free import agreement_on_the_line, dawid_skene, mean_confidence, one_coin, soft_votes

ACCURACIES = np.array([0.95, 0.9, 0.8, 0.7, 0.6, 0.5])


@pytest.fixture(scope="module")
def said():
    """What six models of known accuracy, who err independently, say of 3,000 inputs of four classes; and the truth."""
    rng = np.random.default_rng(3)
    truth = rng.integers(4, size=3000)
    wrong = (truth + rng.integers(1, 4, size=(6, 3000))) % 4
    return np.where(rng.random((6, 3000)) < ACCURACIES[:, None], truth, wrong), truth


@pytest.mark.parametrize("ranking", [dawid_skene, one_coin])
def test_votes_tell_the_accuracies_of_models_that_err_independently(said, ranking):
    labels, truth = said
    found = ranking(np.eye(4)[labels])
    assert found == pytest.approx((labels == truth).mean(axis=1), abs=0.02)


def test_confusion_finds_a_model_that_swaps_two_classes_and_is_right_otherwise(said):
    labels, truth = said
    swapped = np.vstack([labels, np.array([1, 0, 2, 3])[truth]])
    found = dawid_skene(np.eye(4)[swapped])
    assert found[-1] == pytest.approx((swapped[-1] == truth).mean(), abs=0.02)


def test_soft_votes_and_confidence_by_hand():
    chances = np.array([[[0.9, 0.1], [0.4, 0.6]], [[0.3, 0.7], [0.2, 0.8]]])
    assert soft_votes(chances) == pytest.approx([(0.6 + 0.7) / 2, (0.4 + 0.7) / 2])
    assert mean_confidence(chances) == pytest.approx([0.75, 0.75])


def test_agreement_on_the_line_finds_accuracies_that_fell_along_the_line(said):
    before, truth = said
    rng = np.random.default_rng(4)
    fewer = ACCURACIES - 0.15  # of the same models on shifted inputs
    wrong = (truth + rng.integers(1, 4, size=(6, 3000))) % 4
    now = np.where(rng.random((6, 3000)) < fewer[:, None], truth, wrong)
    found = agreement_on_the_line(now, before, (before == truth).mean(axis=1))
    assert spearmanr(found, fewer).statistic == pytest.approx(1)
