"""Draws, verdicts, estimates, inputs and testers: what each holds, refuses and says about itself."""

import json
import math

import numpy as np
import pytest

from testimate.core.draw import Draw, Estimate, RoundDraw, Verdict, draws_from_json, is_exploit
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.session_record import Tester
from testimate.tasks.classification import Classification
from tests.each import each

ESTIMATE = Estimate(0.9, 0.02, 0.86, 0.93, 0.95, 100, 2, "Wilson", "simple random", always_low=0.8, always_high=0.96)


@each("probability", [0.0, -0.1, 1.5, math.nan])
def test_a_chance_lies_above_zero_and_at_most_at_one(probability):
    assert Draw(0, 1.0).probability == 1.0
    with pytest.raises(BadInput):
        Draw(0, probability)


@each("loss", [-0.1, math.nan, -math.inf])
def test_a_loss_is_zero_or_more_or_none_for_cannot_tell(loss):
    assert [Verdict(Draw(0), good).loss for good in (0.0, 7.5, None)] == [0.0, 7.5, None]
    with pytest.raises(BadInput, match=r"loss of row 0"):
        Verdict(Draw(0), loss)


def test_what_a_tester_said_does_not_make_two_verdicts_differ():
    assert Verdict(Draw(3), 1.0, answer=2) == Verdict(Draw(3), 1.0, answer=5)
    assert Verdict(Draw(3), 1.0) != Verdict(Draw(3), 0.0)


def test_a_draw_of_a_round_has_a_chance_just_where_it_is_no_exploit_pick():
    drawn = RoundDraw(7, 0.25, round=2, guess=0.1)
    picked = RoundDraw(7, None, round=2, guess=0.9, exploit=True)
    assert [is_exploit(one) for one in (drawn, picked, Draw(7))] == [False, True, False]
    for wrong in ({"probability": 0.25, "exploit": True}, {"probability": None}, {"probability": 0.25, "guess": 1.5}):
        with pytest.raises(BadInput, match="Row 7"):
            RoundDraw(**{"row": 7, "round": 2, "guess": 0.1, **wrong})


@pytest.mark.parametrize(
    "draw", [Draw(3, 0.5, 1, "prototype 2 of cluster 5"), RoundDraw(7, 0.25, round=2, guess=0.1)], ids=repr
)
def test_a_draw_comes_back_from_json_as_it_was(draw):
    fields = {name: getattr(draw, name) for name in type(draw).__dataclass_fields__}
    assert draws_from_json(json.loads(json.dumps([fields]))) == (draw,)


def test_half_widths_are_half_the_distance_of_the_ends_and_none_without_ends():
    assert ESTIMATE.half_width == pytest.approx(0.035)
    assert ESTIMATE.always_half_width == pytest.approx(0.08)
    bare = Estimate(0.9, None, None, None, 0.95, 10, 0, "mean of the chosen inputs", "purposive")
    assert (bare.half_width, bare.always_half_width) == (None, None)


def test_an_estimate_is_written_with_every_field_by_its_name():
    assert Estimate(**json.loads(json.dumps(ESTIMATE.to_json()))) == ESTIMATE


def test_features_of_several_layers_stand_side_by_side_in_the_order_named():
    first, second = np.zeros((4, 2), dtype=np.float32), np.ones((4, 3), dtype=np.float32)
    inputs = Inputs("f", Classification(("a", "b")), np.zeros(4, int), features={"LHL": first, "ORI": second})
    np.testing.assert_array_equal(inputs.feature("ORI+LHL"), np.hstack([second, first]))
    assert inputs.feature("LHL") is first
    with pytest.raises(BadInput, match="no 'FL' features here; available: LHL, ORI"):
        inputs.feature("LHL+FL")
    with pytest.raises(BadInput, match="no auxiliary variable 'dsa' here; available: none"):
        inputs.score("dsa")
    assert len(inputs) == 4


def test_a_lead_leads_and_a_tester_does_not():
    assert Tester("Lea", "lead").leads
    assert not Tester("Ann", "tester").leads
