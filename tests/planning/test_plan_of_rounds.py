"""A plan of adaptive rounds: written, voted on, continued and estimated as if it had been one campaign."""

import json
from dataclasses import replace

import numpy as np
import pytest

from testimate.core.design import Round, Rounds, design_from_json, design_to_json
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.planning.build import build
from testimate.planning.draws import AskedDraws
from testimate.planning.plan import continue_plan, make_plan, read_plan
from testimate.tasks.classification import Classification
from tests.each import each

RNG = np.random.default_rng(2)
CHANCE = RNG.beta(0.5, 2, 200)
LOSSES = (RNG.random(200) < CHANCE).astype(float)
INPUTS = Inputs(
    "f" * 32,
    Classification(("a", "b")),
    predictions=np.zeros(200, dtype=int),
    scores={"confidence": CHANCE},
)
REQUEST = Request("rra", 80, 5, options={"zones": 12, "exploit": 8})


def votes_on(draws):
    return [Verdict(draw, float(LOSSES[draw.row])) for draw in draws]


def test_continued_from_file_to_file_it_is_the_campaign_of_one_go(tmp_path):
    selector, together = build(INPUTS, REQUEST), []
    while selector.remaining:
        batch = votes_on(selector.ask(80))
        selector.tell(batch)
        together += batch
    plan, path = make_plan(INPUTS, REQUEST), tmp_path / "plan.json"
    lengths = [len(plan.draws)]
    while len(plan.draws) < 80:
        plan.write(path)
        plan = continue_plan(INPUTS, read_plan(path), votes_on(read_plan(path).draws))
        lengths.append(len(plan.draws))
    plan.write(path)
    again = read_plan(path)
    assert lengths == [60, 80]
    assert again == plan
    assert list(again.draws) == [verdict.draw for verdict in together]
    assert again.design == selector.design
    found = estimator_of(again.design).estimate(again.design, votes_on(again.draws))
    assert found == estimator_of(selector.design).estimate(selector.design, together)


def test_votes_on_the_first_round_alone_draw_one_round_more():
    plan = make_plan(INPUTS, REQUEST)
    longer = continue_plan(INPUTS, plan, votes_on(plan.draws[:20]))
    assert (len(plan.draws), len(longer.draws)) == (60, 80)
    assert longer.draws[:60] == plan.draws
    assert continue_plan(INPUTS, plan, votes_on(plan.draws[:19])).draws == plan.draws


@each("technique", ["rra", "severity-first", "gbs", "ssoa-c-p"])
def test_a_plan_continues_with_the_draws_of_a_session_after_the_same_votes(technique):
    inputs, request = replace(INPUTS, confidence=1 - CHANCE), Request(technique, 60, 3)
    plan = make_plan(inputs, request)
    votes = votes_on(sorted(plan.draws, key=lambda draw: -draw.row))
    asked = AskedDraws(build(inputs, request))
    for verdict in votes:
        asked.tell(verdict.draw.row, verdict.loss)
    continued = list(continue_plan(inputs, plan, votes).draws)
    assert len(continued) > len(plan.draws)
    assert continued == asked.draws


def test_a_plan_holds_the_budget_where_the_technique_chooses_more_and_the_rest_follows():
    features = np.random.default_rng(4).uniform(size=(200, 3)).astype(np.float32)
    inputs = replace(INPUTS, features={"LHL": features})
    request = Request("pace", 30, 1, variant="as published")
    whole = len(AskedDraws(build(inputs, request)).draws)
    plan = make_plan(inputs, request)
    assert whole > len(plan.draws) == 30
    assert len(continue_plan(inputs, plan, votes_on(plan.draws)).draws) == whole


def test_exploit_picks_are_marked_in_the_file(tmp_path):
    make_plan(INPUTS, REQUEST).write(tmp_path / "plan.json")
    draws = json.loads((tmp_path / "plan.json").read_text())["draws"]
    picks = [draw for draw in draws if draw["exploit"]]
    assert len(picks) == 24
    assert all(draw["probability"] is None and draw["reason"].startswith("exploit: ") for draw in picks)
    assert all(draw["probability"] > 0 for draw in draws if not draw["exploit"])


DESIGN = Rounds((20,), 4, (Round(2, 1, 4.0, -0.6, 1.2, 0.05), Round(2, 0, 1 / 3, -0.1, 0.7, 1e-17)))


def test_a_design_of_rounds_comes_back_from_json_to_the_last_digit():
    assert design_from_json(json.loads(json.dumps(design_to_json(DESIGN)))) == DESIGN


@each(
    "change",
    [
        {"rounds": [{"zones": 2}]},
        {"rounds": [3]},
        {"rounds": [{**design_to_json(DESIGN)["rounds"][0], "zones": 0}]},
        {"rounds": [{**design_to_json(DESIGN)["rounds"][0], "variance": float("nan")}]},
    ],
)
def test_rounds_that_are_none_are_refused(change):
    with pytest.raises(BadInput):
        design_from_json({**design_to_json(DESIGN), **change})
