"""Running metrics: exact at the end, honest on the way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.metrics import live_metrics, sfdr, wfdr
from tests.each import each

orders = st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=2, max_size=30).filter(
    lambda order: any(failed for failed, _ in order)
)


@given(orders, st.floats(0, 1), st.lists(st.floats(0, 9), min_size=11, max_size=11))
def test_they_are_the_exact_ones_once_everything_is_labeled_whatever_was_estimated(order, rate, expected):
    failed, probability = [f for f, _ in order], [p for _, p in order]
    size = len(order)
    live = live_metrics(failed, probability, size=size, failure_rate=rate, expected=expected)
    assert live.faults == sum(failed)
    assert not live.estimated
    assert live.sfdr == pytest.approx(sfdr(failed, probability))
    assert live.wfdr is None if all(failed) else live.wfdr == wfdr(failed)


@given(orders, st.integers(0, 40), st.floats(0.01, 1))
def test_they_lie_between_0_and_1_on_the_way(order, unlabeled, rate):
    size = len(order) + unlabeled
    live = live_metrics([f for f, _ in order], [p for _, p in order], size=size, failure_rate=rate)
    assert 0 <= live.sfdr <= 1 + 1e-12
    assert (live.wfdr is None) == (live.faults == size)  # with nothing but faults no order is worse than another
    assert live.wfdr is None or 0 <= live.wfdr <= 1
    assert live.found <= live.faults <= live.found + unlabeled
    assert live.estimated == (unlabeled > 0)


def test_the_number_of_faults_is_the_estimate_but_never_below_what_was_found():
    known = {"failed": [1, 1, 1, 0], "probability": [0.9, 0.8, 0.7, 0.6], "size": 100}
    assert live_metrics(**known, failure_rate=0.25).faults == 25
    assert live_metrics(**known, failure_rate=0.255).faults == 26
    assert live_metrics(**known, failure_rate=0.01).faults == 3
    assert live_metrics(**known, failure_rate=1.0).faults == 99  # one of the labeled is correct


def test_both_sums_stop_at_the_labels_given():
    live = live_metrics([1, 0, 1], [0.95, 0.2, 0.95], size=20, failure_rate=0.25)
    weights = [1 - 5 / 20, 1 - 4 / 19, 1 - 4 / 18]  # m = 5
    ideal = [15 / 20, 15 / 19, 15 / 18]
    assert live.wfdr == pytest.approx((weights[0] + weights[2]) / sum(ideal))
    assert live.sfdr == pytest.approx((1 + 0.5 * 1 / 2 + 2 / 3) / 3)  # all five faults are thought to be of level 10


def test_an_order_that_shows_the_mild_faults_first_does_not_look_perfect():
    mild_first = [0.15, 0.25, 0.35]
    expected = np.zeros(11)
    expected[10] = 7
    metrics = live_metrics([1] * 3, mild_first, size=100, failure_rate=0.1, expected=expected)
    assert metrics.sfdr == 0  # the ideal list begins with seven faults of level 10
    assert metrics.wfdr == pytest.approx(1)


def test_expected_faults_are_the_severe_ones_still_hidden():
    # m = 4, two found of level 10 and 3, two expected of level 9: A = 10, 9, 9, 3.
    expected = [0] * 9 + [1, 0]
    live = live_metrics([1, 1], [0.95, 0.25], size=40, failure_rate=0.1, expected=expected)
    assert live.sfdr == pytest.approx((1 + 1 / 2) / 2)


def test_design_weights_say_of_which_level_the_hidden_faults_are():
    # The severe fault stands for itself alone, the mild one for 9 inputs: all hidden faults are mild, A = 10, 2, 2, ...
    by_weight = live_metrics([1, 1], [0.95, 0.15], size=20, failure_rate=0.5, weights=[1, 9])
    assert by_weight.sfdr == pytest.approx(1)
    # The other way round all hidden faults are severe, A = 10, 10, ...
    assert live_metrics([1, 1], [0.95, 0.15], size=20, failure_rate=0.5, weights=[9, 1]).sfdr == pytest.approx(0.75)


def test_an_input_that_stands_for_none_tells_nothing_of_the_hidden_ones():
    exploit = live_metrics([1, 1], [0.95, 0.15], size=20, failure_rate=0.5, weights=[0, 10])
    assert exploit.sfdr == pytest.approx(1)


def test_a_random_sample_comes_close_to_the_exact_sfdr_of_its_order():
    rng = np.random.default_rng(11)
    size, labeled = 4000, 1500
    probability = rng.beta(5, 1, size)
    failed = rng.random(size) < 0.3 * (1.2 - probability)
    gaps = []
    for _ in range(20):
        order = rng.permutation(size)
        rate = failed[order[:labeled]].mean()
        live = live_metrics(failed[order[:labeled]], probability[order[:labeled]], size=size, failure_rate=rate)
        truth = sfdr(failed[order], probability[order], budget=live.labeled)
        gaps.append(live.sfdr - truth)
    assert abs(np.mean(gaps)) < 0.01


def test_before_any_fault_is_found_or_expected_there_is_no_number():
    with pytest.raises(NotEnoughLabels, match="No fault is known after 2 labels"):
        live_metrics([0, 0], [0.9, 0.9], size=100, failure_rate=0.0)


def test_expected_faults_without_any_found_are_a_score_of_0():
    live = live_metrics([0, 0], [0.9, 0.9], size=100, failure_rate=0.02)
    assert (live.wfdr, live.sfdr, live.faults) == (0, 0, 2)


@each(
    ("change", "sentence"),
    [
        ({"size": 1}, "2 labels and 1 inputs"),
        ({"failure_rate": 1.5}, "failure rate is 1.5"),
        ({"failure_rate": float("nan")}, "failure rate is nan"),
        ({"weights": [1, 1], "expected": [0] * 11}, "Both"),
        ({"weights": [1]}, "weights are 1 numbers"),
        ({"weights": [1, -1]}, "none below 0"),
        ({"expected": [1] * 10}, "Expected 11"),
        ({"probability": [0.5]}, "2 outcomes and 1"),
        ({"failed": [1, None]}, r"failed\[1\]"),
    ],
)
def test_what_contradicts_itself_is_refused(change, sentence):
    known = {"failed": [1, 0], "probability": [0.9, 0.2], "size": 9, "failure_rate": 0.3}
    with pytest.raises(BadInput, match=sentence):
        live_metrics(**(known | change))


def test_json_says_that_the_figures_are_estimated():
    record = live_metrics([1, 0], [0.9, 0.2], size=9, failure_rate=0.3).to_json()
    assert record["estimated"] is True
    assert record["severity"] == {"low": 0, "moderate": 0, "high": 1}
