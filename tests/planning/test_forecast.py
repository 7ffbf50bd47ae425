"""The Plan page's forecast, held against campaigns on inputs that fail as often as their confidence says."""

from dataclasses import replace

import numpy as np
import pytest

from testimate.core.draw import Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.planning.build import build
from testimate.planning.forecast import expected_always_half_widths, expected_half_widths
from testimate.tasks.classification import Classification
from testimate.tasks.regression import Regression
from tests.each import each

EVERY = ("srs", "rrs", "rra", "ssrs", "sups")
BUDGET, CAMPAIGNS = 200, 20  # of one campaign a width is off by a twentieth, so their mean by a hundredth


def inputs_of(chance, task=None):
    task = task or Classification(("a", "b"))
    return Inputs(
        "f", task, np.zeros(len(chance), int), confidence=1 - chance, scores={"confidence": np.asarray(chance)}
    )


@pytest.fixture(scope="module")
def chance():
    return np.random.default_rng(5).beta(0.3, 2, 4000)


BALANCE = {"zones": 12, "exploit": 8, "eps_start": 0.3, "eps_end": 0.05}
PLANS = {
    **{name: Request(name, BUDGET, 0) for name in EVERY},
    "rra, balance": Request("rra", BUDGET, 0, options=BALANCE),
    "rrs, 5 strata": Request("rrs", BUDGET, 0, options={"strata": 5}),
    "sups, half uniform": Request("sups", BUDGET, 0, options={"uniform_share": 0.5}),
}


@pytest.mark.parametrize("plan", PLANS)
def test_the_forecast_is_what_campaigns_did_where_the_confidence_is_right(plan, chance):
    inputs, chosen = inputs_of(chance), PLANS[plan]
    widths, always = [], []
    for number in range(CAMPAIGNS):
        failed = np.random.default_rng(1000 + number).random(len(chance)) < chance  # outcomes as the confidence says
        selector = build(inputs, replace(chosen, seed=number))
        verdicts = []
        while selector.remaining:
            batch = [Verdict(draw, float(failed[draw.row])) for draw in selector.ask(selector.remaining)]
            selector.tell(batch)
            verdicts += batch
        found = estimator_of(selector.design).estimate(selector.design, verdicts)
        widths.append(found.half_width)
        always.append(found.always_half_width)
    (expected,) = expected_half_widths(inputs, [BUDGET], techniques=EVERY, chosen=chosen)[chosen.technique]
    assert expected == pytest.approx(np.mean(widths), rel=0.1)
    stop_safe = expected_always_half_widths(inputs, [BUDGET], chosen=chosen)
    assert (chosen.technique in stop_safe) == (always[0] is not None)
    if chosen.technique in stop_safe:
        assert stop_safe[chosen.technique][0] == pytest.approx(np.mean(always), rel=0.1)


def test_the_options_chosen_change_the_curve_of_their_technique_alone(chance):
    inputs = inputs_of(chance)
    for curves in (expected_half_widths, expected_always_half_widths):
        plain, balance = curves(inputs, [BUDGET]), curves(inputs, [BUDGET], chosen=PLANS["rra, balance"])
        assert {name for name in plain if plain[name] != balance[name]} == {"rra"}
    published = Request("sups", BUDGET, 0, variant="as published")
    assert "sups" in expected_half_widths(inputs, [BUDGET], chosen=published)
    certain = inputs_of(np.append(chance, 0.0))  # one that SUPS as published can never draw
    assert "sups" not in expected_always_half_widths(certain, [BUDGET], chosen=published)


def test_a_curve_begins_where_its_technique_has_a_number_and_falls(chance):
    budgets = np.array([1, 5, 20, 100, 400, 4000])
    curves = expected_half_widths(inputs_of(chance), budgets, techniques=EVERY)
    assert list(curves) == list(EVERY)
    for name, widths in curves.items():
        known = np.isfinite(widths)
        assert (known[:-1] <= known[1:]).all(), name
        assert (np.diff(widths[known]) < 0).all(), name
    assert np.isfinite(curves["srs"]).all()
    assert np.isnan(curves["rrs"][:2]).all()
    assert curves["rrs"][-1] == curves["srs"][-1] == curves["rra"][-1] == 0


def test_without_confidence_or_for_a_regression_there_is_nothing_to_forecast_from(chance):
    bare = Inputs("f", Classification(("a", "b")), np.zeros(9, int))
    for inputs in (bare, inputs_of(chance, Regression(tolerance=1.0, loss_bound=1.0)), inputs_of(chance[:1])):
        assert expected_half_widths(inputs, [1]) == {}
        assert expected_always_half_widths(inputs, [1]) == {}


@each("certain", [np.zeros(500), np.full(500, 0.25), np.repeat([0.0, 1.0], 250)])
def test_a_confidence_that_says_nothing_or_is_certain_has_finite_curves(certain):
    curves = expected_half_widths(inputs_of(certain), [20, 100, 500], techniques=EVERY)
    always = expected_always_half_widths(inputs_of(certain), [20, 100, 500])
    assert "srs" in curves
    for widths in (*curves.values(), *always.values()):
        assert np.isfinite(widths).all()
        assert (widths >= 0).all()


def test_budgets_outside_the_set_and_widths_that_are_none_are_refused(chance):
    inputs = inputs_of(chance)
    for budget in (0, 4001):
        with pytest.raises(BadInput, match=f"A budget is {budget}. Expected a number from 1 to 4000"):
            expected_half_widths(inputs, [budget])


def test_a_technique_alone_is_forecast_as_it_is_among_the_others():
    inputs, budgets = inputs_of(np.random.default_rng(4).beta(0.5, 4, 800)), [40, 200]
    for curves in (expected_half_widths, expected_always_half_widths):
        for name, widths in curves(inputs, budgets).items():
            alone = curves(inputs, budgets, techniques=(name,))
            assert list(alone) == [name]
            assert np.array_equal(alone[name], widths, equal_nan=True)
