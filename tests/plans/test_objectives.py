"""The technique advised can run on the inputs it is advised for, and claims what its reason says."""

from dataclasses import replace

import numpy as np
import pytest

from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.task import Classification, MultiLabel, Regression
from testimate.plans.build import build
from testimate.plans.objectives import OBJECTIVES, advise
from testimate.selectors import SELECTORS

CHANCE = np.linspace(0, 0.9, 100)
CLASSES = Inputs(
    "f" * 32,
    Classification(("a", "b")),
    predictions=np.zeros(100, dtype=int),
    confidence=1 - CHANCE,
    scores={"confidence": CHANCE},
)
STEERING = Inputs("f" * 32, Regression(0.5), predictions=CHANCE, scores={"lsa": 30 * CHANCE - 4})
KINDS = {
    "classes": CLASSES,
    "classes without confidence": replace(CLASSES, confidence=None, scores={"dsa": 30 * CHANCE}),
    "several classes": replace(CLASSES, task=MultiLabel(("a", "b")), predictions=np.zeros((100, 2), dtype=int)),
    "numbers": STEERING,
    "nothing known": replace(CLASSES, confidence=None, scores={}),
}


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_advised_can_be_built(kind, objective, live):
    advice = advise(KINDS[kind], objective, live=live)
    request = Request(advice.technique, 40, 1, auxiliary=advice.auxiliary, options=advice.options)
    selector = build(KINDS[kind], request)
    assert selector.remaining == 40
    assert len(advice.why) > 80


@pytest.mark.parametrize(
    ("kind", "live", "names"),
    [
        ("classes", True, ["rra", "rra", "sups", "severity-first"]),
        ("classes", False, ["rrs", "ssrs", "sups", "severity-first"]),
        ("classes without confidence", True, ["rra", "rra", "sups", "sups"]),
        ("several classes", True, ["rra", "rra", "sups", "severity-first"]),
        ("numbers", True, ["rrs", "ssrs", "sups", "sups"]),
        ("nothing known", True, ["srs", "srs", "srs", "srs"]),
    ],
)
def test_each_objective_has_its_technique(kind, live, names):
    assert [advise(KINDS[kind], objective, live=live).technique for objective in OBJECTIVES] == names


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_a_tight_interval_is_one_that_is_right_whenever_one_stops(kind, live):
    claims = SELECTORS[advise(KINDS[kind], "tight interval", live=live).technique].claims
    assert claims.unbiased != "no"
    assert claims.honest_interval
    assert claims.always_valid


def test_a_list_that_is_exported_is_known_before_any_label():
    advice = advise(CLASSES, "tight interval", live=False)
    selector = build(CLASSES, Request(advice.technique, 40, 1, auxiliary=advice.auxiliary))
    assert len(selector.ask(40)) == 40


def test_balance_picks_inputs_that_are_thought_to_fail_beside_the_random_ones():
    advice = advise(CLASSES, "balance")
    selector = build(CLASSES, Request(advice.technique, 40, 1, auxiliary=advice.auxiliary, options=advice.options))
    draws = selector.ask(20)
    assert sum(draw.exploit for draw in draws) == 8
    assert not any(draw.exploit for draw in build(CLASSES, Request("rra", 40, 1)).ask(20))
