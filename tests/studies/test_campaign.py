"""One campaign: every draw labeled by the truth, passed to the technique, and estimated without clipping."""

from dataclasses import replace

import numpy as np
import pytest

from testimate.core.design import PerDraw
from testimate.core.errors import BadInput, NotEnoughLabels, TestimateError
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.studies.campaign import CONTINUED, campaign, campaign_at_each, label, one_campaign_serves
from testimate.tasks.regression import Regression
from tests.each import each


def test_labeling_everything_gives_the_truth(inputs):
    whole = campaign(inputs, Request("srs", budget=1000, seed=1))
    assert whole.accuracy == pytest.approx(1 - inputs.losses.mean())
    assert whole.failures == inputs.losses.sum()
    assert sorted(whole.rows) == list(range(1000))


def test_the_same_request_gives_the_same_campaign(inputs):
    assert campaign(inputs, Request("rrs", 50, 7)) == campaign(inputs, Request("rrs", 50, 7))
    assert campaign(inputs, Request("rrs", 50, 7)) != campaign(inputs, Request("rrs", 50, 8))


def test_a_technique_that_waits_for_verdicts_gets_them(inputs, with_technique):
    with_technique(at_a_time=3)
    assert campaign(inputs, Request("scripted", 10, 1)).rows == tuple(range(10))


def test_a_technique_that_waits_for_ever_is_named(inputs, with_technique):
    with_technique(at_a_time=3, listens=False)
    with pytest.raises(
        TestimateError, match=r"Scripted \(scripted\) draws nothing more after 3 labels though 7 are left"
    ):
        campaign(inputs, Request("scripted", 10, 1))


def test_an_input_drawn_again_counts_again_and_the_estimate_is_not_clipped(inputs, with_technique):
    with_technique(kind=PerDraw, chance=0.01, always_row_0=True)
    wrong_at_0 = replace(inputs, losses=(np.arange(1000) == 0).astype(float))
    found = campaign(wrong_at_0, Request("scripted", 5, 1))
    assert found.failures == 5
    assert found.accuracy == pytest.approx(1 - 1 / (1000 * 0.01))  # Hansen-Hurwitz: 0.9
    likelier = replace(wrong_at_0, predictions=np.zeros(20), losses=(np.arange(20) == 0).astype(float))
    assert campaign(likelier, Request("scripted", 5, 1)).accuracy == pytest.approx(1 - 1 / (20 * 0.01))  # -4


def test_regression_counts_failures_beyond_the_tolerance(inputs):
    errors = np.linspace(0, 2, 1000)
    regression = replace(inputs, task=Regression(tolerance=1.5), losses=errors**2)
    found = campaign(regression, Request("srs", 1000, 1))
    assert found.accuracy == pytest.approx(1 - np.mean(errors**2))
    assert found.failures == (errors > 1.5).sum()


def test_without_the_truth_there_is_no_campaign(inputs):
    with pytest.raises(BadInput, match="truth of these inputs is not known"):
        campaign(replace(inputs, losses=None), Request("srs", 10, 1))
    with pytest.raises(BadInput, match=r"losses\[3\] is nan"):
        campaign(replace(inputs, losses=np.where(np.arange(1000) == 3, np.nan, 0)), Request("srs", 10, 1))
    with pytest.raises(BadInput, match="999 losses for 1000 inputs"):
        campaign(replace(inputs, losses=np.zeros(999)), Request("srs", 10, 1))


def test_a_budget_too_small_for_an_estimate_has_no_number(inputs):
    with pytest.raises(NotEnoughLabels):
        campaign(inputs, Request("rrs", 3, 1))


@each("technique", CONTINUED)
def test_the_first_labels_of_a_longer_campaign_are_the_shorter_campaign(inputs, technique):
    inputs = replace(inputs, features={"LHL": np.random.default_rng(2).random((1000, 3), dtype=np.float32)})
    budgets = (40, 80, 160)
    together = campaign_at_each(inputs, Request(technique, 1, 3), budgets)
    assert together == [campaign(inputs, Request(technique, budget, 3)) for budget in budgets]


def test_a_technique_that_shares_its_budget_out_has_no_prefixes(inputs):
    with pytest.raises(BadInput, match=r"first labels of .*\(ssrs\) are not those of a smaller budget"):
        campaign_at_each(inputs, Request("ssrs", 1, 3), (40, 80))


@each(
    ("technique", "budgets", "options", "serves"),
    [
        ("rra", (50, 100), {}, True),
        ("rra", (45, 100), {}, False),  # the last round of 45 is cut short
        ("rra", (50, 105), {}, True),
        ("rra", (40, 100), {"zones": 12, "exploit": "8"}, True),
        ("rra", (50, 100), {"zones": 12, "exploit": "8"}, False),
        ("ces", (35, 100), {}, True),
        ("ces", (20, 100), {}, False),
        ("srs", (1, 2), {}, True),
        ("ssoa-r-p", (50, 100), {}, False),
    ],
)
def test_one_campaign_serves_several_budgets_where_it_begins_alike(technique, budgets, options, serves):
    assert one_campaign_serves(technique, budgets, options) == serves


def test_an_estimate_without_its_always_valid_interval_is_otherwise_the_same(inputs):
    labeled = label(inputs, Request("srs", 50, 1), inputs.losses)
    estimate = estimator_of(labeled.design).estimate
    without = estimate(labeled.design, labeled.verdicts, always_valid=False)
    whole = estimate(labeled.design, labeled.verdicts)
    assert (without.always_low, without.always_high) == (None, None)
    assert whole.always_low is not None
    assert replace(whole, always_low=None, always_high=None) == without
