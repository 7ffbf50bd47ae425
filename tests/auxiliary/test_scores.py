import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import entr, expit, log_expit, softmax
from scipy.stats import entropy as shannon

from testimate.auxiliary import AUXILIARY, scores_of_outputs
from testimate.auxiliary import softmax as outputs
from testimate.auxiliary.softmax import confidence, entropy, gini, margin
from testimate.core.errors import BadInput
from tests.each import each

LOGITS = np.random.default_rng(0).normal(scale=3, size=(500, 10))
PROBABILITIES = softmax(LOGITS, axis=1)
SORTED = np.sort(PROBABILITIES, axis=1)
TEXTBOOK = {
    "confidence": 1 - SORTED[:, -1],
    "margin": 1 - (SORTED[:, -1] - SORTED[:, -2]),
    "entropy": shannon(PROBABILITIES, axis=1) / np.log(10),
    "gini": 1 - (PROBABILITIES**2).sum(axis=1),
}
# Two classes whose logits differ by gap: p = expit(-gap) is the smaller probability, and all four have closed forms.
GAPS = np.array([0.0, 1e-8, 0.5, 3.0, 20.0, 40.0, 100.0, 300.0, 700.0])
TWO_CLASSES = {
    "confidence": expit(-GAPS),
    "margin": 2 * expit(-GAPS),
    "entropy": (entr(expit(-GAPS)) - expit(GAPS) * log_expit(GAPS)) / np.log(2),
    "gini": 2 * expit(-GAPS) * expit(GAPS),
}


@each("name", AUXILIARY)
@each("logits", [None, LOGITS])
def test_each_score_is_its_textbook_formula(name, logits):
    np.testing.assert_allclose(AUXILIARY[name](PROBABILITIES, logits), TEXTBOOK[name], rtol=1e-9, atol=1e-14)


@each("name", AUXILIARY)
def test_no_score_vanishes_on_very_sure_predictions(name):
    logits = np.column_stack([GAPS, np.zeros_like(GAPS)])
    found = AUXILIARY[name](softmax(logits, axis=1), logits)
    np.testing.assert_allclose(found, TWO_CLASSES[name], rtol=1e-12)
    assert (found > 0).all()
    assert (np.diff(found) <= 0).all()


@each("name", AUXILIARY)
def test_float32_softmax_alone_keeps_what_its_largest_entry_has_lost(name):
    gaps = np.array([20.0, 40.0, 80.0], dtype=np.float32)
    probabilities = softmax(np.column_stack([gaps, np.zeros_like(gaps)]), axis=1)
    assert (probabilities[:, 0] == 1).all()
    expected = AUXILIARY[name](np.zeros((3, 2)), np.column_stack([gaps, np.zeros_like(gaps)]))
    np.testing.assert_allclose(AUXILIARY[name](probabilities), expected, rtol=1e-5)


@each("classes", [2, 3, 10, 1000])
def test_the_least_sure_prediction_has_the_largest_score_there_can_be(classes):
    scores = scores_of_outputs(np.full((1, classes), 1 / classes))
    expected = {"confidence": 1 - 1 / classes, "margin": 1.0, "entropy": 1.0, "gini": 1 - 1 / classes}
    for name, score in scores.items():
        assert score[0] == pytest.approx(expected[name], rel=1e-12)
        assert score[0] <= 1
    sure = scores_of_outputs(np.eye(classes)[:1])
    assert all(score[0] == 0 for score in sure.values())


def test_entropy_never_passes_1_by_rounding():
    rng = np.random.default_rng(0)
    for classes in range(2, 40):
        logits = 1e-9 * rng.normal(size=(200, classes))
        assert entropy(softmax(logits, axis=1), logits).max() <= 1


def test_a_shift_of_the_logits_and_the_order_of_the_classes_change_nothing():
    plain = scores_of_outputs(PROBABILITIES, LOGITS)
    changed = scores_of_outputs(PROBABILITIES[:, ::-1], LOGITS[:, ::-1] + 500)
    for name in AUXILIARY:
        np.testing.assert_allclose(changed[name], plain[name], rtol=1e-10)


def test_large_sets_are_scored_block_by_block_with_the_same_result(monkeypatch):
    whole = scores_of_outputs(PROBABILITIES, LOGITS)
    monkeypatch.setattr(outputs, "_BLOCK", 37)
    for name, score in scores_of_outputs(PROBABILITIES, LOGITS).items():
        np.testing.assert_array_equal(score, whole[name])


@example(np.array([[1.7e308, 1.7e308, -1.7e308, -1.7e308]]))
@given(arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(2, 6)), elements=st.floats(-1.7e308, 1.7e308)))
def test_every_score_of_finite_logits_is_finite_and_from_0_to_1(logits):
    scores = scores_of_outputs(np.zeros_like(logits), logits)
    for score in scores.values():
        assert score.shape == (len(logits),)
        assert np.isfinite(score).all()
        assert ((score >= 0) & (score <= 1)).all()


@given(arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(2, 6)), elements=st.floats(0, 1)))
def test_every_score_of_probabilities_is_finite_and_from_0_to_1(weights):
    weights[:, 0] += 1e-3
    scores = scores_of_outputs(weights / weights.sum(axis=1, keepdims=True))
    for score in scores.values():
        assert np.isfinite(score).all()
        assert ((score >= 0) & (score <= 1)).all()


@each(
    ("probabilities", "logits"),
    [
        ([[0.2, 0.2]], None),
        ([[1.5, -0.5]], None),
        ([[1.0]], None),
        ([[np.nan, 1.0]], None),
        ([[0.5, 0.5]], [[0.0, np.inf]]),
        ([[0.5, 0.5]], [[0.0, 0.0, 0.0]]),
    ],
)
def test_what_are_no_outputs_of_a_classifier_is_refused(probabilities, logits):
    with pytest.raises(BadInput):
        scores_of_outputs(probabilities, logits)


def test_the_first_bad_row_is_named():
    with pytest.raises(BadInput, match="row 2"):
        confidence([[0.5, 0.5], [0.9, 0.1], [0.7, 0.7], [1.0, 1.0]])


def test_the_names_are_those_of_the_functions_and_naming_them_imports_nothing():
    assert dict(AUXILIARY) == {"confidence": confidence, "margin": margin, "entropy": entropy, "gini": gini}
    assert "lsa" not in AUXILIARY
    with pytest.raises(KeyError):
        AUXILIARY["lsa"]
    script = (
        "import sys; from testimate.auxiliary import AUXILIARY; list(AUXILIARY); "
        "print([m for m in sys.modules if m.startswith('testimate.auxiliary.')])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
