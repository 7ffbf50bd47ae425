import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import softmax

from testimate.auxiliary.softmax import are_probabilities, outputs_to_probabilities
from testimate.core.errors import BadInput

LOGITS = np.random.default_rng(0).normal(scale=5, size=(200, 7))


def test_logits_become_scipys_softmax():
    np.testing.assert_allclose(outputs_to_probabilities(LOGITS), softmax(LOGITS, axis=1), rtol=1e-13)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_softmax_is_never_applied_twice(kind):
    once = softmax(LOGITS, axis=1).astype(kind)
    assert are_probabilities(once)
    np.testing.assert_allclose(outputs_to_probabilities(once), once.astype(float), atol=1e-3)
    np.testing.assert_allclose(outputs_to_probabilities(once).sum(axis=1), 1, rtol=1e-12)


def test_one_row_that_is_no_distribution_makes_all_of_them_logits():
    outputs = np.array([[0.25, 0.75], [0.5, 0.5], [0.2, 0.1]])
    assert not are_probabilities(outputs)
    np.testing.assert_allclose(outputs_to_probabilities(outputs), softmax(outputs, axis=1))
    assert not are_probabilities(np.array([[1.5, -0.5]]))


def test_probabilities_rounded_in_a_table_are_still_probabilities():
    rounded = np.array([[0.333, 0.333, 0.333], [0.7, 0.2, 0.1]])
    np.testing.assert_allclose(outputs_to_probabilities(rounded)[0], 1 / 3)


@pytest.mark.parametrize("outputs", [[[0.3], [0.9]], [0.3, 0.7], [[np.nan, 1.0]], [[np.inf, 1.0]], np.zeros((0, 3))])
def test_outputs_that_are_no_classes_are_refused(outputs):
    with pytest.raises(BadInput):
        outputs_to_probabilities(outputs)


@example(np.full((1, 5), 1.7e308))
@example(np.array([[1.7e308, 1.7e308, -1.7e308, -1.7e308]]))
@settings(deadline=None)
@given(arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(2, 6)), elements=st.floats(-1.7e308, 1.7e308)))
def test_every_finite_output_gives_finite_probabilities(outputs):
    probabilities = outputs_to_probabilities(outputs)
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-9)
    assert (probabilities >= 0).all()
