"""What an order must be before it can be judged."""

import numpy as np
import pytest

from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.metrics import apfd, atrc, fdro, order_metrics, rauc, sfdr, wfdr
from tests.each import each
from tests.sampling import rotating

METRICS = [fdro, rauc, atrc, wfdr, apfd]


@each("metric", METRICS)
def test_a_set_without_faults_has_no_metric(metric):
    with pytest.raises(NotEnoughLabels, match="no fault"):
        metric([0, 0, 0])


CONTRADICTIONS = [
    ([], {}, "shape"),
    ([[1, 0]], {}, "shape"),
    ([1, 2], {}, r"failed\[1\] is 2"),
    ([1.0, float("nan")], {}, r"failed\[1\] is"),
    (["Pass", "Fail"], {}, r"failed\[0\]"),
    ([1, None], {}, r"failed\[1\]"),
    ([1, 0, 1], {"size": 2}, "size is 2"),
    ([1, 0, 1], {"size": 9}, "cannot be counted"),
    ([1, 0, 1], {"size": 9, "faults": 1}, "1 faults were given"),
    ([1, 0, 1], {"size": 9, "faults": 9}, "leaves room for 6 more"),
    ([1, 0, 1], {"size": 9, "faults": 2.0}, "whole number"),
    ([1, 0, 1], {"size": 9, "faults": True}, "whole number"),
    ([1, 0, 1], {"size": 9, "faults": 5}, "first 3 inputs"),
]


@each(("order", "metric"), rotating(CONTRADICTIONS, list(METRICS)))
def test_an_order_that_contradicts_itself_is_refused(order, metric):
    failed, known, sentence = order
    with pytest.raises(BadInput, match=sentence):
        metric(failed, **known)


@each("metric", [fdro, rauc, atrc, wfdr])
@each("budget", [0, -1, 5])
def test_a_budget_outside_the_set_is_refused(metric, budget):
    with pytest.raises(BadInput, match="budget is"):
        metric([1, 0, 1, 0], budget=budget)


def test_wfdr_has_no_value_where_everything_is_a_fault():
    with pytest.raises(NotEnoughLabels, match="All 3 inputs are faults"):
        wfdr([1, 1, 1])


def test_apfd_and_sfdr_need_every_fault():
    with pytest.raises(NotEnoughLabels, match="2 of 3 faults"):
        apfd([1, 0, 1], size=9, faults=3)
    with pytest.raises(NotEnoughLabels, match="2 of 3 faults"):
        sfdr([1, 0, 1], [0.9, 0.9, 0.9], size=9, faults=3)


@each("gamma", [0.0, 1.0, -0.5, float("nan")])
def test_gamma_lies_strictly_between_0_and_1(gamma):
    with pytest.raises(BadInput, match="gamma is"):
        sfdr([1, 0], [0.9, 0.8], gamma=gamma)


@each("probability", [-0.01, 1.01, float("nan"), 99.0])
def test_a_probability_outside_0_to_1_is_refused(probability):
    with pytest.raises(BadInput, match=r"probability\[1\] is"):
        sfdr([1, 0], [0.9, probability])


def test_outcomes_and_probabilities_must_be_as_many():
    with pytest.raises(BadInput, match="2 outcomes and 1 probabilities"):
        sfdr([1, 0], [0.9])


def test_probabilities_of_all_faults_must_hold_those_of_the_order():
    with pytest.raises(BadInput, match="do not hold"):
        sfdr([1, 0], [0.9, 0.3], size=5, all_faults=[0.2, 0.2])


def test_all_metrics_at_once_are_those_one_by_one():
    failed = [1, 0, 1, 1, 0, 0, 0, 1]
    probability = [0.9, 0.3, 0.55, 0.2, 0.8, 0.8, 0.8, 0.79]
    metrics = order_metrics(failed, probability, gamma=0.25)
    assert metrics.to_json() == {
        "faults": 4,
        "size": 8,
        "fdro": fdro(failed),
        "apfd": apfd(failed),
        "rauc": rauc(failed),
        "atrc": atrc(failed),
        "wfdr": wfdr(failed),
        "sfdr": sfdr(failed, probability, gamma=0.25),
        "severity": {"low": 1, "moderate": 2, "high": 1},
        "fdro_by_severity": {"low": 1.0, "moderate": 0.5, "high": 1.0},
    }
    assert metrics.why == ()


def test_the_first_inputs_of_an_order_give_what_they_can_and_say_why_not_the_rest():
    metrics = order_metrics([1, 0, 1], np.array([0.9, 0.3, 0.5]), size=50, faults=3)
    assert metrics.fdro == pytest.approx(2 / 3)
    assert metrics.wfdr == wfdr([1, 0, 1], size=50, faults=3)
    assert (metrics.apfd, metrics.sfdr) == (None, None)
    assert [name for name, _ in metrics.why] == ["apfd", "sfdr", "fdro_by_severity"]


def test_the_first_inputs_are_enough_where_they_hold_every_fault():
    failed, probability = [1, 0, 1, 1], [0.9, 0.3, 0.5, 0.6]
    first = order_metrics(failed, probability, size=50, faults=3)
    whole = order_metrics(failed + [0] * 46, probability + [0.5] * 46)
    assert first == whole
