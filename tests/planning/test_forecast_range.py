"""The range of a forecast holds nine of ten further ratios where their law is known, and is as wide as that law needs."""

from dataclasses import replace

import numpy as np
import pytest

from research.studies.plan_range import Network, held, taken_from
from testimate.core.inputs import OtherModel
from testimate.core.selector import Request
from testimate.planning.forecast import (
    AS_EXPECTED,
    FOUND,
    expected_always_half_widths,
    expected_half_widths,
    found_over_expected,
)
from testimate.planning.needs import COMBINED
from testimate.planning.other_models import expected_saving, with_others
from testimate.ui.plan.expected_width import half_widths
from tests.planning.test_other_models import TESTED


def test_it_holds_a_further_ratio_of_the_same_law_nine_times_in_ten():
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(2000):
        *seen, further = np.exp(rng.normal(0.2, 0.4, 13))
        law = taken_from(seen)
        inside += law.low <= further <= law.high
    assert inside / 2000 == pytest.approx(0.9, abs=3 * np.sqrt(0.9 * 0.1 / 2000))


def test_the_middle_is_as_often_below_as_above_and_one_broken_network_does_not_move_it():
    law = taken_from([0.8, 0.9, 1.0, 1.1, 6.4])
    assert (law.low < 0.8, law.middle, law.high > 2) == (True, 1.0, True)


def test_networks_of_the_same_data_are_held_out_together():
    data = ["one", "one", "two", "two", "two", "three"]
    chosen = [Network(str(place), name, lambda: TESTED) for place, name in enumerate(data)]
    ratios = dict(zip("012345", [9.0, 9.1, 1.0, 1.1, 0.9, 1.05], strict=True))
    missed, _ = held(chosen, ratios, ratios)
    assert missed == ["0", "1"]  # each alone would be held by the other one


def test_what_was_measured_lies_in_order_and_nothing_else_has_a_range():
    assert {name for name, _, _ in FOUND} == {"rra", "rrs", "srs"}
    assert len(FOUND) == 10
    assert all(0 < one.low < one.middle < one.high for one in FOUND.values())
    assert found_over_expected("sups", stop_safe=True, helped=False) == AS_EXPECTED


def test_with_other_models_the_lines_of_all_techniques_rest_on_the_same_belief():
    other = OtherModel("other", np.roll(TESTED.predictions, 1), None)
    inputs = with_others(TESTED, [other])
    chosen = Request("rra", 4, 1, COMBINED)
    shown = half_widths(inputs, [len(inputs) // 2], "srs", chosen, stop_safe=True)
    of_both = expected_always_half_widths(
        inputs, [len(inputs) // 2], techniques=("srs",), chosen=Request("srs", 1, 0, COMBINED)
    )["srs"]
    assert shown == pytest.approx(of_both * found_over_expected("srs", stop_safe=True, helped=True).middle)


def test_the_forecast_of_adaptive_rounds_with_others_is_the_one_without_them_less_what_they_save():
    rng, size = np.random.default_rng(2), 500
    sure = rng.uniform(0.5, 1, size)
    said = rng.integers(0, 3, size)
    alone = replace(TESTED, predictions=said, confidence=sure, scores={"confidence": 1 - sure}, truth=None, losses=None)
    other = OtherModel("other", np.where(rng.random(size) < 0.9, said, (said + 1) % 3), rng.uniform(0.7, 1, size))
    helped, budgets = with_others(alone, [other]), [60, 200]
    for stop_safe, forecast in ((True, expected_always_half_widths), (False, expected_half_widths)):
        saving = expected_saving(helped, stop_safe=stop_safe)
        assert saving.middle > 0
        before = forecast(alone, budgets, techniques=("rra",))["rra"]
        after = forecast(helped, budgets, techniques=("rra",), chosen=Request("rra", 60, 1, COMBINED))["rra"]
        assert after**2 == pytest.approx((1 - saving.middle) * before**2)  # labels are as one over the square
