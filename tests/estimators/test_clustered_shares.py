"""Intervals of shares in clusters: closed forms where there are some, and campaigns with known truth."""

import numpy as np
import pytest

from research.studies.boxes import WORLDS, World, at_once, detected, shares
from testimate.core.design import SimpleRandom
from testimate.core.draw import Draw, Verdict
from testimate.core.task import BoxCounts
from testimate.estimators.intervals import t_quantile, wilson
from testimate.estimators.parts import box_scores

N = 900


def precision_of(right, boxes):
    """Of all boxes, from so many (n,) right ones of the boxes of n pictures drawn at random from N."""
    counts = BoxCounts(*(np.asarray(each, dtype=float)[:, None] for each in (right, boxes, boxes)))
    verdicts = [Verdict(Draw(row), 0.0) for row in range(len(right))]
    return box_scores(SimpleRandom((N,), len(right)), verdicts, counts).all.precision


def wilson_of(share, effective, pictures):
    """Wilson's interval with Student's t of the pictures less one."""
    return wilson(share, effective * (t_quantile(0.95, np.inf) / t_quantile(0.95, pictures - 1)) ** 2)


def test_one_box_in_every_picture_is_a_share_of_pictures():
    right = np.ones(100)
    right[:12] = 0
    found = precision_of(right, np.ones(100))
    left = 1 - 100 / N
    squares = np.where(right == 1, 0.12, 0.88) ** 2
    on = squares.sum() ** 2 / (squares**2).sum()
    effective = (on * 99 + 100) / (on + 1) / left  # 99: Cochran 1977, eq. 3.8 divides by n - 1
    low, high = wilson_of(0.12, effective, 100)
    assert (1 - found.high, 1 - found.low) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize("boxes", [1, 5])
def test_without_a_wrong_box_every_picture_counts_once_however_many_boxes_it_holds(boxes):
    found = precision_of(np.full(60, boxes), np.full(60, boxes))
    assert found.high == 1
    assert 1 - found.low == pytest.approx(wilson_of(0.0, 60 / (1 - 60 / N), 60).high)


def test_boxes_that_fail_together_count_as_pictures_and_boxes_that_do_not_as_boxes():
    random = np.random.default_rng(1)
    together = precision_of(20 * (random.random(100) < 0.8), np.full(100, 20))
    alone = precision_of(random.binomial(20, 0.8, 100), np.full(100, 20))
    of_pictures, of_boxes = (wilson(0.8, count / (1 - 100 / N)) for count in (100, 2000))
    assert together.high - together.low == pytest.approx(of_pictures.high - of_pictures.low, rel=0.1)
    assert alone.high - alone.low == pytest.approx(of_boxes.high - of_boxes.low, rel=0.15)


def test_a_variance_that_rests_on_one_picture_is_known_less_well_than_one_that_rests_on_six():
    boxes = np.full(100, 4.0)
    right = boxes.copy()
    right[:6] = 0  # 24 boxes are wrong, in six pictures alike
    of_six = precision_of(right, boxes)
    boxes[0] = 20
    right = boxes - np.r_[20, np.ones(4), np.zeros(95)]  # 24 again, most of them in one
    of_one = precision_of(right, boxes)
    below = [(one.value - one.low) / one.standard_error for one in (of_six, of_one)]
    assert below[1] > 1.2 * below[0]


SELDOM_WRONG = World("seldom wrong", 1.5, 1.5, 4.5, 0.5, 0.03)


@pytest.mark.parametrize("count", [400, pytest.param(4000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("world", [SELDOM_WRONG, WORLDS[1]], ids=lambda one: one.name)
def test_precision_and_recall_hold_where_few_boxes_are_wrong_and_where_pictures_hold_many(world, count):
    made = detected(world, seed=1061)
    part, whole = shares(made)
    truth = part.sum(axis=0) / whole.sum(axis=0)
    low, high = at_once(made, "rrs", 200, count, seed=1)
    shown = np.isfinite(low)
    held = ((low <= truth) & (truth <= high) & shown).sum(axis=0) / shown.sum(axis=0)
    error = np.sqrt(0.95 * 0.05 / count)
    assert held.min() > 0.93 - 2 * error
    assert held[:, -1].max() < 0.97 + 2 * error  # all classes; of a single one an end may lie beyond what can be missed
