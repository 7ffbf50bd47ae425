"""Orders judged by the known truth: the numbers are those of the metrics, the curves count what they name."""

from dataclasses import replace

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.metrics import order_metrics
from testimate.studies.claims import cannot_be_judged, judged_order, possible_orders
from testimate.tasks.regression import Regression


def test_an_order_by_confidence_is_judged_as_sorting_by_hand_is(inputs):
    found = judged_order(inputs, "confidence", seed=1)
    rows = np.argsort(inputs.confidence, kind="stable")
    failed, confidence = inputs.losses[rows].astype(bool), inputs.confidence[rows]
    assert found.metrics == order_metrics(failed, confidence)
    assert found.found.tolist() == np.cumsum(failed).tolist()
    assert found.severe.tolist() == np.cumsum(failed & (confidence >= 0.8)).tolist()
    assert found.severe[-1] == found.metrics.severity.high


def test_any_order_finds_every_fault_in_the_end(inputs):
    for name in possible_orders(inputs):
        found = judged_order(inputs, name, seed=1)
        assert len(found.found) == len(inputs)
        assert found.found[-1] == inputs.losses.sum()


def test_what_cannot_be_judged_says_why(inputs):
    assert cannot_be_judged(inputs) == ""
    assert "no confidence" in cannot_be_judged(replace(inputs, confidence=None))
    assert "no confidence" in cannot_be_judged(replace(inputs, task=Regression(tolerance=1.0)))
    assert "Not one of these inputs fails" in cannot_be_judged(replace(inputs, losses=np.zeros(len(inputs))))
    with pytest.raises(BadInput, match="no confidence"):
        judged_order(replace(inputs, confidence=None), "srs", seed=1)
