"""Majority, SDS, trust and stability against slow words of their definitions, and every bad input of several models."""

from collections import Counter

import numpy as np
import pytest

from testimate.comparison.overview import laf_stability, majority_stability, trust_in
from testimate.comparison.predictions import Predictions, predictions_of
from testimate.comparison.ranking import discriminating_rows, discrimination, labeling_free, majority_agreement
from tests.each import each


def simulated(accuracies, n=600, classes=5, seed=0):
    """Predictions of models that err independently with these accuracies, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(classes, size=n)
    wrong = (truth[:, None] + rng.integers(1, classes, size=(n, len(accuracies)))) % classes
    labels = np.where(rng.random((n, len(accuracies))) < accuracies, truth[:, None], wrong)
    return Predictions(
        tuple(f"model {m}" for m in range(len(accuracies))), labels, tuple(map(str, range(classes)))
    ), truth


def slow_majority(labels):
    return [min(Counter(row).items(), key=lambda one: (-one[1], one[0]))[0] for row in labels.tolist()]


@each("seed", range(3))
def test_majority_agreement_is_the_share_of_inputs_with_the_most_frequent_class(seed):
    predictions, _ = simulated([0.8, 0.6, 0.5, 0.4], n=80, seed=seed)
    majority = np.array(slow_majority(predictions.labels))
    expected = (predictions.labels == majority[:, None]).mean(axis=0)
    np.testing.assert_allclose(majority_agreement(predictions), expected)


def test_discrimination_is_the_top_groups_agreement_minus_the_bottom_groups():
    predictions, _ = simulated(np.linspace(0.3, 0.9, 11), n=90, seed=4)
    majority = np.array(slow_majority(predictions.labels))
    together = predictions.labels == majority[:, None]
    order = sorted(range(11), key=lambda model: -together[:, model].mean())
    expected = together[:, order[:3]].mean(axis=1) - together[:, order[-3:]].mean(axis=1)  # 27% of 11 is 3
    np.testing.assert_allclose(discrimination(predictions), expected)


def test_sds_draws_at_random_from_the_most_discriminating_quarter():
    predictions, _ = simulated(np.linspace(0.3, 0.9, 11), n=200, seed=5)
    found = discrimination(predictions)
    least = np.sort(found)[-50]
    draws = [discriminating_rows(predictions, 20, seed) for seed in range(40)]
    assert all((found[rows] >= least).all() and len(set(rows.tolist())) == 20 for rows in draws)
    certain = np.flatnonzero(found > least)  # always in the quarter: 20 of 50 draws each time
    share = np.mean([np.isin(certain, rows).mean() for rows in draws])
    assert abs(share - 20 / 50) < 4 * np.sqrt(0.24 / (40 * 20))
    assert sorted(discriminating_rows(predictions, 200, 1).tolist()) == list(range(200))


def test_quality_and_diversity_are_estimated_close_to_the_truth():
    accuracies = np.linspace(0.25, 0.95, 8)
    predictions, truth = simulated(accuracies, n=1500, seed=6)
    true = (predictions.labels == truth[:, None]).mean(axis=0)
    trust = trust_in(predictions, labeling_free(predictions))
    assert trust.quality == pytest.approx(true.mean(), abs=0.03)
    assert trust.diversity == pytest.approx(true.std(), abs=0.03)
    assert trust.good
    assert trust.warnings == ()


@each(
    ("accuracies", "sentence"),
    [([0.7] * 6, "too little"), ([0.75, 0.7, 0.65, 0.6, 0.7], "mixed below"), ([0.2, 0.2, 0.5, 0.9], "At 50%")],
)
def test_the_papers_warning_signs_are_said(accuracies, sentence):
    predictions, _ = simulated(accuracies, n=1500, seed=7)
    trust = trust_in(predictions, labeling_free(predictions))
    assert any(sentence in warning for warning in trust.warnings)
    assert not trust.good


def test_two_models_identical_models_and_a_model_of_one_class_are_pointed_out():
    two = predictions_of({"a": ["cat", "dog", "cat"], "b": ["cat", "cat", "owl"]})
    assert "two models" in trust_in(two, labeling_free(two)).warnings[0]
    column = ["cat", "dog", "owl", "cat"]
    same = predictions_of({"a": column, "b": column, "c": ["dog", "dog", "dog", "dog"]})
    warnings = " ".join(trust_in(same, labeling_free(same)).warnings)
    assert "'a' and 'b' predict the same" in warnings
    assert "'c' predicts 'dog' for every input" in warnings


def test_without_any_disagreement_all_models_are_tied_and_it_says_so():
    same = predictions_of({"a": [1, 2, 3], "b": [1, 2, 3], "c": [1, 2, 3]})
    found = labeling_free(same)
    trust = trust_in(same, found)
    assert "no label tells them apart" in trust.warnings[0]
    assert majority_agreement(same).tolist() == [1, 1, 1]
    assert discrimination(same).tolist() == [0, 0, 0]
    stable = laf_stability(same, found, seed=1, resamples=3)
    assert stable.agreement is None
    assert stable.not_told_apart.all()


def test_a_class_that_only_one_model_knows_is_a_class_like_any_other():
    predictions = predictions_of({"a": ["x", "y", "z"], "b": ["x", "y", "x"], "c": ["x", "x", "x"]})
    assert predictions.classes == ("x", "y", "z")
    assert np.isfinite(labeling_free(predictions).ability).all()


def test_the_majoritys_scores_spread_over_resamples_as_proportions_do():
    predictions, _ = simulated([0.9, 0.8, 0.7, 0.6], n=900, seed=8)
    stable = majority_stability(predictions, seed=1, resamples=2000)
    expected = np.sqrt(stable.score * (1 - stable.score) / 900)  # binomial: a resample draws N inputs again
    np.testing.assert_allclose((stable.high - stable.low) / (2 * 1.96), expected, rtol=0.1)
    np.testing.assert_allclose((stable.high + stable.low) / 2, stable.score, atol=0.004)


def test_models_far_apart_keep_their_ranks_and_close_ones_do_not():
    predictions, _ = simulated([0.9, 0.89, 0.6, 0.3], n=500, seed=9)
    for stable in (
        majority_stability(predictions, seed=1),
        laf_stability(predictions, labeling_free(predictions), seed=1, resamples=20),
    ):
        assert stable.not_told_apart.tolist() == [True, True, False, False]
        assert stable.worst_rank[:2].max() == 2
        assert stable.best_rank[3] == stable.worst_rank[3] == 4
        assert 0.8 < stable.agreement <= 1
        assert stable.first[:2].sum() == pytest.approx(1, abs=0.2)
