"""The range of a forecast holds nine of ten further ratios where their law is known, and is as wide as that law needs."""

from dataclasses import replace

import numpy as np
import pytest

from research.studies.plan_range import Network, held, taken_from
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.always_valid import always_valid_trail
from testimate.estimators.expected_rounds import adaptive_half_width, adaptive_half_widths, chance_classes
from testimate.estimators.labels_needed import stop_safe_labels_needed
from testimate.planning.build import build
from testimate.planning.draws import verdicts_to_the_end
from testimate.planning.expected_range import (
    AT_FAULTS,
    FOUND,
    FURTHER,
    OFF_FAULTS,
    SLOPE,
    expected_range,
    labels_range,
    line_labels,
    lines_of,
)
from testimate.planning.forecast import expected_always_half_widths, expected_half_widths
from testimate.planning.needs import COMBINED
from testimate.planning.other_models import expected_saving, with_others
from testimate.ui.plan.expected_width import half_widths
from tests.each import each
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


SURE = np.random.default_rng(4).beta(6, 1, 2000)
NETWORK = Inputs("n", TESTED.task, np.zeros(2000, int), confidence=SURE, scores={"confidence": 1 - SURE})


def test_many_beliefs_at_once_are_each_as_wide_as_alone():
    chances = np.random.default_rng(1).beta([[0.3], [0.8]], 2, (2, 900))
    classes = [chance_classes(one) for one in chances]
    both = classes[0]._replace(chances=np.array([classes[0].chances, classes[0].chances ** 0.5]))
    together = adaptive_half_widths(both, [20, 100, 900])
    assert together[0] == pytest.approx(adaptive_half_width(chances[0], [20, 100, 900]))
    assert together[1] == pytest.approx(adaptive_half_widths(both._replace(chances=both.chances[1]), [20, 100, 900]))


def test_the_beliefs_lie_around_what_measured_networks_do_where_their_confidence_says_the_faults_are():
    said = np.random.default_rng(6).beta(2, 6, 4000)
    at = np.log(said / (1 - said))
    lines, faults = lines_of(said), (said * at).sum() / said.sum()
    off = lines.intercept + lines.slope * faults - AT_FAULTS[0] - AT_FAULTS[1] * faults
    assert (np.median(off), off.std()) == pytest.approx((0, OFF_FAULTS), abs=0.15)
    slopes = lines.slope * at.std()
    assert slopes.min() == 0
    assert (np.median(slopes), slopes.std()) == pytest.approx(SLOPE, abs=0.15)
    assert np.corrcoef(slopes, off)[0, 1] == pytest.approx(0, abs=0.25)


def test_a_confidence_twice_as_sure_for_the_same_order_is_believed_to_tell_inputs_apart_as_well():
    odds = np.random.default_rng(7).normal(-1, 0.8, 3000)
    once, twice = (lines_of(1 / (1 + np.exp(-times * odds))) for times in (1, 2))
    assert once.slope == pytest.approx(2 * twice.slope, rel=1e-6)


def test_chances_of_nearly_sure_inputs_count_as_sure_as_they_are_said_to_be():
    """A confidence of single precision reaches 1; a spread cut where guesses are would make nine of ten inputs alike."""
    sure = np.where(np.random.default_rng(8).random(3000) < 0.9, 1e-6, 0.3)
    less = np.where(sure < 0.1, 1e-4, sure)
    assert (lines_of(sure).slope[1:] < 0.85 * lines_of(less).slope[1:]).mean() > 0.9


@each("technique", ["rra", "rrs", "srs"])
@each("stop_safe", [False, True])
def test_the_range_lies_around_the_middle_and_falls_with_labels(technique, stop_safe):
    found = expected_range(NETWORK, [50, 200, 800], technique, stop_safe=stop_safe)
    assert (found.low < found.middle).all()
    assert (found.middle < found.high).all()
    assert all((np.diff(one) < 0).all() for one in found)
    labels = labels_range(NETWORK, float(found.middle[1]), technique, stop_safe=stop_safe)
    assert labels.low < labels.middle <= labels.high
    assert labels.middle == pytest.approx(200, rel=0.05)


def test_nothing_is_said_to_be_uncertain_where_nothing_is_known():
    found = expected_range(NETWORK, [50, 200], "sups")
    assert (found.low == found.high).all()
    assert expected_range(replace(NETWORK, confidence=None, scores={}), [50], "rra") is None
    assert labels_range(replace(NETWORK, confidence=None, scores={}), 0.05, "rra") is None


def test_labels_known_before_move_the_middle_to_what_came():
    of_wrong, of_right = (
        expected_range(replace(NETWORK, known=dict.fromkeys(range(60), label)), [200], "rra") for label in "ba"
    )  # the prediction is "a" everywhere
    assert of_wrong.low > of_right.high


def test_at_few_labels_the_range_holds_more_often_with_plans_lines_than_by_bets_alone():
    """Against campaigns that go on, on networks that fail more often than they say."""
    rng, by_bets, together = np.random.default_rng(3), [], []
    for seed in range(12):
        said = np.clip(rng.beta(0.4, 4, 3000), 1e-4, 0.9)
        shift = rng.normal(1.4, 0.5)
        losses = (rng.random(3000) < 1 / (1 + np.exp(-shift) * (1 - said) / said)).astype(float)
        inputs = replace(NETWORK, predictions=np.zeros(3000, int), confidence=1 - said, scores={"confidence": said})
        request = Request("rrs", 300, seed)
        selector = build(inputs, request)
        verdicts = [one for batch in verdicts_to_the_end(selector, losses) for one in batch]
        trail = always_valid_trail(selector.design, verdicts)
        wanted = float(trail[150, 1] - trail[150, 0]) / 2  # reached after 150 labels
        came = int(np.flatnonzero(trail[:, 1] - trail[:, 0] <= 2 * wanted)[0]) + 1
        seen = verdicts[:20]
        estimate = estimator_of(selector.design).estimate(selector.design, seen)
        bets = stop_safe_labels_needed(estimate, selector.design, seen, wanted)
        lines = line_labels(inputs, wanted, request)
        both = lines.ahead(bets, [one.draw.row for one in seen], [one.loss for one in seen])
        by_bets.append(bets.low <= came - 20 <= bets.high)
        together.append(both.low <= came - 20 <= both.high)
    assert sum(together) >= 8  # four in five of 12: less than 8 of them once in 40
    assert sum(together) > sum(by_bets)


def test_lines_weighed_by_no_label_need_what_plan_says():
    request = Request("rra", 200, 1)
    widths = (0.05 / FURTHER, 0.05, 0.05 * FURTHER)  # the lines alone: without what widens the range of Plan
    plans = [labels_range(NETWORK, width, "rra", chosen=request, stop_safe=True) for width in widths]
    plan = [one[place] for place, one in enumerate(plans)]
    assert [*line_labels(NETWORK, 0.05, request).given([], [])] == pytest.approx(plan, rel=0.03)


def test_what_was_measured_with_other_models_lies_in_order():
    assert all(0 < one.low < one.middle < one.high for one in FOUND.values())


def test_with_other_models_the_lines_of_all_techniques_rest_on_the_same_belief():
    other = OtherModel("other", np.roll(TESTED.predictions, 1), None)
    inputs = with_others(TESTED, [other])
    chosen = Request("rra", 4, 1, COMBINED)
    shown = half_widths(inputs, [len(inputs) // 2], "srs", chosen, stop_safe=True)
    of_both = expected_always_half_widths(
        inputs, [len(inputs) // 2], techniques=("srs",), chosen=Request("srs", 1, 0, COMBINED)
    )["srs"]
    assert shown == pytest.approx(of_both * FOUND["srs", True].middle)


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
