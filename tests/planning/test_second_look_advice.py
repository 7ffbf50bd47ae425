"""How many answers to look at again: by the formula written again, and as the measured campaigns found it."""

import numpy as np
import pytest

from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.known_inputs import inputs_of_table
from testimate.planning.second_look import second_look_advice
from testimate.tasks.classification import Classification
from tests.each import each


def sure_of_all(confidence, size=4000):
    return Inputs(
        "f" * 32,
        Classification(("a", "b")),
        np.zeros(size, dtype=int),
        confidence=np.full(size, confidence),
        scores={"confidence": np.full(size, 1 - confidence)},
    )


def test_wrong_answers_cost_what_the_error_rate_says():
    # an input of confidence 1 - c fails with the chance expit(0.6 + 0.6 logit(c)); 2 in 100 answers are turned round
    failing = 1 / (1 + np.exp(-(0.6 + 0.6 * np.log(0.1 / 0.9))))
    advice = second_look_advice(sure_of_all(0.9), Request("srs", 200, 1))
    assert advice.bias == pytest.approx(0.02 * (1 - 2 * failing))
    assert advice.plain > abs(advice.bias)


def test_the_expected_error_with_second_looks_is_that_of_a_simulation():
    """Where all inputs are alike: labels drawn, turned round by chance, looked at by their chances, corrected."""
    inputs, budget = sure_of_all(0.99), 400
    advice = second_look_advice(inputs, Request("srs", budget, 1))
    labels, count = budget - advice.count, advice.count
    assert count > 0
    rng = np.random.default_rng(3)
    failing = 1 / (1 + np.exp(-(0.6 + 0.6 * np.log(0.01 / 0.99))))
    shown = 0.01  # the forecast takes the confidence for the chance of failing
    wrong = {1: 0.02 * (1 - failing) / (0.02 * (1 - failing) + 0.98 * failing)}
    wrong[0] = 0.02 * failing / (0.02 * failing + 0.98 * (1 - failing))
    errors = []
    for _ in range(4000):
        right = rng.random(labels) < failing
        said = right ^ (rng.random(labels) < 0.02)
        spread = np.sqrt(np.where(said, wrong[1], wrong[0]))
        chances = np.minimum(count / labels * (0.7 * spread / spread.mean() + 0.3), 1)
        looked = rng.random(labels) < chances
        corrected = said + looked * (right.astype(float) - said) / chances
        errors.append(corrected.mean() - right.mean())
    expected = np.sqrt(advice.corrected**2 - (advice.plain**2 - advice.bias**2) * budget / labels)
    assert shown < failing
    assert expected == pytest.approx(np.std(errors), rel=0.1)


@each("name, technique, wanted", [("CN12_CIFAR10.csv.gz", "rrs", True), ("modelD_final.csv.gz", "rrs", False)])
def test_a_second_look_is_advised_where_the_campaigns_of_decision_63_found_a_gain(name, technique, wanted, real_data):
    folder = "deepest" if "CN12" in name else "deepsample"
    advice = second_look_advice(inputs_of_table(real_data / folder / name), Request(technique, 200, 1))
    assert (advice.count > 0) == wanted
    assert ("gains more than as many further labels" in advice.words()) == wanted


def test_where_nothing_is_forecast_nothing_is_advised():
    bare = Inputs("f" * 32, Classification(("a", "b")), np.zeros(50, dtype=int))
    assert second_look_advice(bare, Request("srs", 20, 1)) is None
    assert second_look_advice(sure_of_all(0.9), Request("deepgini", 20, 1)) is None
