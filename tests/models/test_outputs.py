"""What outputs mean and what probabilities come of them, against closed forms."""

import numpy as np
import pytest
from scipy.special import expit, log_softmax, softmax

from testimate.core.errors import BadInput
from testimate.models.facts import check_output_kind, judge_output, to_probabilities, two_sided
from tests.each import each

LOGITS = np.random.default_rng(2).normal(size=(5, 4)).astype(np.float32)


@each(
    ("output", "kind", "probabilities"),
    [
        (LOGITS, "logits", softmax(LOGITS, axis=1)),
        (softmax(LOGITS, axis=1), "probabilities", softmax(LOGITS, axis=1)),
        (log_softmax(LOGITS, axis=1), "log-probabilities", softmax(LOGITS, axis=1)),
        (expit(LOGITS), "several probabilities", expit(LOGITS)),
        (expit(LOGITS[:, :1]), "one probability", np.hstack([1 - expit(LOGITS[:, :1]), expit(LOGITS[:, :1])])),
    ],
)
def test_outputs_are_recognized_by_their_values_and_softmax_is_applied_only_to_logits(output, kind, probabilities):
    logits = LOGITS[:, : output.shape[1]]
    assert judge_output(output, logits=logits) == kind
    np.testing.assert_allclose(to_probabilities(output, kind), probabilities, rtol=1e-5)


def test_a_closing_sigmoid_says_several_labels_even_where_the_rows_happen_to_sum_to_one():
    assert judge_output(np.full((3, 2), 0.5, dtype=np.float32), closing="sigmoid") == "several probabilities"


def test_values_between_0_and_1_are_several_labels_unless_the_dense_layer_gave_them():
    low = np.array([[0.2, 0.9, 0.3], [0.1, 0.1, 0.4]], dtype=np.float32)
    assert judge_output(low, logits=low * 5) == "several probabilities"
    assert judge_output(low, logits=low) == "logits"


def test_a_single_column_that_is_not_a_sigmoid_is_a_number():
    assert judge_output(LOGITS[:, :1], logits=LOGITS[:, :1]) == "numbers"
    with pytest.raises(BadInput, match="not a probability"):
        to_probabilities(LOGITS[:, :1], "numbers")


def test_softmax_over_a_single_column_is_refused_because_it_always_says_one():
    with pytest.raises(BadInput, match="always says 1"):
        judge_output(np.ones((3, 1), dtype=np.float32), closing="softmax")


def test_a_single_logit_as_two_has_its_sigmoid_as_softmax_and_survives_large_numbers():
    logit = np.array([[-1e4], [-2.0], [0.0], [1e4]], dtype=np.float32)
    expected = to_probabilities(logit, "one logit")
    np.testing.assert_allclose(softmax(two_sided(logit), axis=1), expected, atol=1e-7)
    np.testing.assert_allclose(expected[:, 1], expit(logit[:, 0]), atol=1e-7)


@each(("kind", "width"), [("one probability", 3), ("logits", 1), ("votes", 3)])
def test_a_kind_that_does_not_go_with_the_width_is_refused(kind, width):
    with pytest.raises(BadInput, match="cannot be"):
        check_output_kind(kind, width)


def test_a_probability_that_rounding_puts_below_zero_is_zero_and_others_stay_as_they_are():
    said = np.array([[-2.4e-8, 1.0], [0.25, 0.75]], dtype=np.float32)
    assert to_probabilities(said, "probabilities").tolist() == [[0.0, 1.0], [0.25, 0.75]]
    assert judge_output(said) == "probabilities"
    wrong = np.array([[-0.25, 1.25]], dtype=np.float32)
    assert judge_output(wrong) == "logits"
    assert to_probabilities(wrong, "probabilities") is wrong
