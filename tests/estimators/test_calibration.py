"""What labels say about a confidence: against scikit-learn, a census, and how often the intervals hold."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, roc_auc_score

from testimate.core.design import Purposive, SimpleRandom, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.estimators.calibration import calibration


def made(size, seed=54):
    """Confidences that are too sure, and which inputs are right."""
    rng = np.random.default_rng(seed)
    chance = rng.beta(6, 2, size)
    return np.round(np.sqrt(chance), 2), (rng.random(size) < chance).astype(float)


def test_a_random_sample_gives_scikit_learns_auroc_and_brier_score(verdicts_of):
    sure, right = made(300)
    found = calibration(SimpleRandom((300,), 200), verdicts_of(1 - right[:200]), sure)
    assert found.auroc.value == pytest.approx(roc_auc_score(right[:200], sure[:200]))
    assert found.brier.value == pytest.approx(brier_score_loss(right[:200], sure[:200]))
    assert found.excess.value == pytest.approx(sure.mean() - right[:200].mean())


def test_weights_are_those_of_scikit_learn(verdicts_of):
    sure, right = made(240)
    strata = np.repeat([0, 1], [60, 180])
    rows = np.r_[np.arange(40), np.arange(60, 120)]
    verdicts = [Verdict(Draw(int(row), None, int(strata[row])), float(1 - right[row])) for row in rows]
    found = calibration(Stratified((60, 180), 100), verdicts, sure)
    each = np.where(strata[rows] == 0, 60 / 40, 180 / 60)
    assert found.auroc.value == pytest.approx(roc_auc_score(right[rows], sure[rows], sample_weight=each))
    assert found.brier.value == pytest.approx(brier_score_loss(right[rows], sure[rows], sample_weight=each))


def test_a_census_knows_all_three(verdicts_of):
    sure, right = made(200)
    found = calibration(SimpleRandom((200,), 200), verdicts_of(1 - right), sure)
    assert found.excess.low == found.excess.high == pytest.approx(sure.mean() - right.mean())
    assert found.auroc.value == pytest.approx(roc_auc_score(right, sure))


def test_intervals_of_a_confidence_hold_as_often_as_they_say():
    sure, right = made(5000)
    truth = sure.mean() - right.mean(), roc_auc_score(right, sure), brier_score_loss(right, sure)
    strata = (np.argsort(np.argsort(sure)) * 4) // 5000
    design, rng, held = Stratified((1250,) * 4, 200), np.random.default_rng(1), []
    for _ in range(300):
        rows = np.concatenate([rng.choice(np.flatnonzero(strata == one), 50, replace=False) for one in range(4)])
        verdicts = [Verdict(Draw(int(row), None, int(strata[row])), float(1 - right[row])) for row in rows]
        found = calibration(design, verdicts, sure)
        parts = (found.excess, found.auroc, found.brier)
        held.append([one.low <= exact <= one.high for one, exact in zip(parts, truth, strict=True)])
    assert all(0.92 <= share <= 0.99 for share in np.mean(held, axis=0)), np.mean(held, axis=0)


def test_few_wrong_answers_or_a_chosen_sample_give_no_auroc(verdicts_of):
    sure, _ = made(100)
    few = calibration(SimpleRandom((100,), 40), verdicts_of([0] * 38 + [1] * 2), sure)
    assert few.auroc.value is None
    assert few.auroc.why == "too few wrong answers: 2 of at least 5"
    chosen = calibration(Purposive((100,), 40), verdicts_of([0, 1] * 20), sure)
    assert chosen.excess.value is chosen.brier.value is None
