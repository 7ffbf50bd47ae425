"""Faults that a plan is expected to find: as many as the confidences of the inputs it labels say, with a range."""

import numpy as np
import pytest

from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.metrics.severity import HIGH_FROM
from testimate.planning.expected_faults import expected_faults
from testimate.tasks.classification import Classification
from testimate.tasks.regression import Regression

SIZE = 2_000
SURE = np.random.default_rng(1).uniform(0.5, 1.0, SIZE)


def inputs_of(confidence: np.ndarray | None) -> Inputs:
    scores = {} if confidence is None else {"confidence": 1 - confidence}
    return Inputs("made", Classification(("a", "b")), np.zeros(SIZE, dtype=np.int64), confidence, scores=scores)


@pytest.mark.parametrize("severe", [False, True])
def test_all_inputs_labeled_show_the_faults_that_their_confidences_sum_up_to(severe):
    counted = (HIGH_FROM if severe else 0) <= SURE
    expected = (1 - SURE)[counted].sum()
    spread = np.sqrt((SURE * (1 - SURE))[counted].sum())
    found = expected_faults(inputs_of(SURE), Request("srs", SIZE, 1), severe=severe)
    assert found.low <= found.middle <= found.high
    assert abs(found.middle - expected) < 2 * spread
    assert 0 < found.high - found.low < 4 * spread


def test_a_list_by_falling_doubt_shows_the_faults_of_the_most_doubtful_inputs():
    doubtful = np.sort(1 - SURE)[-200:]
    found = expected_faults(inputs_of(SURE), Request("confidence", 200, 1))
    assert abs(found.middle - doubtful.sum()) < 2 * np.sqrt((doubtful * (1 - doubtful)).sum())
    none = expected_faults(inputs_of(SURE), Request("confidence", 200, 1), severe=True)
    assert none == (0, 0, 0)  # the doubtful ones are no severe faults


def test_without_a_confidence_there_is_no_forecast_of_faults():
    assert expected_faults(inputs_of(None), Request("srs", 100, 1)) is None
    numbers = Inputs("made", Regression(tolerance=0.1), np.zeros(SIZE))
    assert expected_faults(numbers, Request("srs", 100, 1)) is None
