"""Faults that a plan is expected to find: as networks fail that are as far from their confidence as those measured."""

from dataclasses import replace

import numpy as np
import pytest

from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.metrics.severity import HIGH_FROM
from testimate.planning.expected_faults import AT_ITS_WORD, FURTHER, expected_faults
from testimate.planning.expected_range import AT_FAULTS, OFF_FAULTS, SLOPE
from testimate.tasks.classification import Classification
from testimate.tasks.regression import Regression

SIZE = 2_000
SURE = np.random.default_rng(1).uniform(0.5, 1.0, SIZE)


def inputs_of(confidence: np.ndarray | None) -> Inputs:
    scores = {} if confidence is None else {"confidence": 1 - confidence}
    return Inputs("made", Classification(("a", "b")), np.zeros(SIZE, dtype=np.int64), confidence, scores=scores)


@pytest.mark.parametrize("severe", [False, True])
def test_all_inputs_labeled_show_the_faults_that_the_chances_of_the_lines_sum_up_to(severe):
    counted = (HIGH_FROM if severe else 0) <= SURE
    said = np.log((1 - SURE) / SURE)
    faults = ((1 - SURE) * said).sum() / (1 - SURE).sum()
    rng = np.random.default_rng(2)
    level = rng.normal(AT_FAULTS[0] + AT_FAULTS[1] * faults, OFF_FAULTS, 4000)
    slope = rng.normal(*SLOPE, 4000).clip(0) / said.std()
    sums = [(1 / (1 + np.exp(-at - by * (said[counted] - faults)))).sum() for at, by in zip(level, slope, strict=True)]
    low, middle, high = np.quantile(sums, [0.05, 0.5, 0.95]) * [1 / FURTHER, 1, FURTHER]
    if not severe:
        middle = middle ** (1 - AT_ITS_WORD) * (1 - SURE).sum() ** AT_ITS_WORD
    found = expected_faults(inputs_of(SURE), Request("srs", SIZE, 1), severe=severe)
    assert low < found.low <= found.middle <= found.high < high
    assert found.middle == pytest.approx(middle, rel=0.25)
    assert found.low < np.quantile(sums, 0.2) < np.quantile(sums, 0.8) < found.high


def test_a_list_by_falling_doubt_shows_faults_of_the_most_doubtful_inputs_alone():
    doubtful = np.sort(1 - SURE)[-200:]
    found = expected_faults(inputs_of(SURE), Request("confidence", 200, 1))
    assert found.low < doubtful.sum() < found.high
    none = expected_faults(inputs_of(SURE), Request("confidence", 200, 1), severe=True)
    assert none == (0, 0, 0)  # the doubtful ones are no severe faults


def test_the_range_of_faults_holds_what_an_overconfident_network_shows():
    sure = np.random.default_rng(3).beta(8, 0.6, SIZE).clip(0.3, 0.999)
    odds = np.log((1 - sure) / sure)
    fails = np.random.default_rng(4).random(SIZE) < 1 / (1 + np.exp(-1.0 - 0.8 * odds))
    came = int(fails[np.argsort(sure)[:200]].sum())
    assert came > 1.5 * np.sort(1 - sure)[-200:].sum()  # what its confidence says
    found = expected_faults(inputs_of(sure), Request("confidence", 200, 1))
    assert found.low <= came <= found.high


def test_labels_known_before_say_how_far_the_confidence_is_off():
    inputs = inputs_of(SURE)
    doubtful, request = [str(row) for row in np.argsort(SURE)[:40]], Request("srs", 200, 1)
    wrong, right = (
        expected_faults(replace(inputs, known={int(row): name for row in doubtful}), request) for name in ("b", "a")
    )
    assert right.high < wrong.middle


def test_without_a_confidence_there_is_no_forecast_of_faults():
    assert expected_faults(inputs_of(None), Request("srs", 100, 1)) is None
    numbers = Inputs("made", Regression(tolerance=0.1), np.zeros(SIZE))
    assert expected_faults(numbers, Request("srs", 100, 1)) is None
