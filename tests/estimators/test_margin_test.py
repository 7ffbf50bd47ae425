"""Whether a new model is worse by more than a margin: every order of small sets counted, and many campaigns on a large one."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.estimators.always_valid import simple_game
from testimate.estimators.betting import capitals
from testimate.estimators.margin_test import Decision, MarginQuestion, allowed_loss, decide, expected_labels
from tests.each import each

SIZE = 12
HIGH_RISK = 0.3


def orders(won):
    """Every order of ``won`` gains and SIZE - won losses, all equally likely."""
    for places in combinations(range(SIZE), won):
        gains = -np.ones(SIZE)
        gains[list(places)] = 1
        yield gains


def test_of_all_orders_at_the_margin_no_more_than_the_risk_is_answered_wrong():
    shares = []
    for won, allowed, wrong in ((5, 1, "pass"), (5, 2, "fail"), (3, 5, "pass"), (8, -4, "fail"), (8, -5, "pass")):
        outcomes = [decide(MarginQuestion(SIZE, allowed, HIGH_RISK), gains).outcome for gains in orders(won)]
        assert "undecided" not in outcomes  # a census leaves nothing open
        shares.append(outcomes.count(wrong) / len(outcomes))
    assert max(shares) <= HIGH_RISK
    assert max(shares) > 0  # so the bets do answer before the end


@each("won", [3, 6, 8])
def test_a_capital_is_worth_one_on_the_mean_over_all_orders(won):
    paths = [
        capitals(simple_game((gains + 1) / 2, SIZE), np.array([won / SIZE]), 2 * HIGH_RISK)[:, :, 0]
        for gains in orders(won)
    ]
    assert len(paths) == comb(SIZE, won)
    assert np.mean(paths, axis=0) == pytest.approx(1, abs=1e-9)


@each("lost, outcome", [(30, "pass"), (31, "fail")])
def test_a_census_at_exactly_the_margin_passes_and_one_input_beyond_fails(lost, outcome):
    """0.3 points of 10,000 inputs are 30 of them, which 0.003 * 10,000 in floating point is not."""
    question = MarginQuestion(100, allowed_loss(0.3, 10_000), 1e-9)
    gains = np.repeat([0.0, -1.0], [100 - lost, lost])
    for order in range(20):
        assert decide(question, np.random.default_rng(order).permutation(gains)).outcome == outcome


@each(
    "question, outcome",
    [
        (MarginQuestion(0, 0), "pass"),
        (MarginQuestion(40, 40), "pass"),
        (MarginQuestion(40, 39), "undecided"),
        (MarginQuestion(40, -41), "fail"),
    ],
)
def test_what_cannot_be_otherwise_is_answered_without_a_label(question, outcome):
    at = None if outcome == "undecided" else 0
    assert decide(question, np.array([])) == Decision(outcome, at)


def test_an_answer_that_nobody_could_give_counts_against_both_outcomes():
    question = MarginQuestion(100, 10)
    gains = np.ones(40)
    assert decide(question, gains).outcome == "pass"
    assert decide(question, np.full(100, np.nan)).outcome == "undecided"
    assert decide(question, np.where(np.arange(40) < 12, np.nan, gains)).outcome == "undecided"


def test_one_input_beyond_the_margin_hardly_ever_passes_however_often_one_looks():
    rng = np.random.default_rng(54)
    question, campaigns = MarginQuestion(500, 100), 400
    gains = np.repeat([1.0, -1.0, 0.0], [175, 276, 49])
    wrong = sum(decide(question, rng.permutation(gains)).outcome == "pass" for _ in range(campaigns))
    assert wrong / campaigns <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / campaigns)


def test_expected_labels_are_those_of_campaigns_of_ones_own():
    question = MarginQuestion(500, 100)
    found = expected_labels(question, 0, 0.1, seed=1)
    gains = np.repeat([1.0, -1.0, 0.0], [225, 225, 50])
    rng = np.random.default_rng(7)
    labels = [decide(question, rng.permutation(gains)).at for _ in range(200)]
    assert found.median == pytest.approx(np.median(labels), rel=0.2)
    assert found.most == pytest.approx(np.quantile(labels, 0.9), rel=0.2)
    assert found.passed >= 0.95
    assert expected_labels(question, -501, 0.1, seed=1) is None


@each("risk", [0.0, 0.5, -1.0, float("nan")])
def test_a_risk_that_is_none_is_refused(risk):
    with pytest.raises(BadInput, match="risk"):
        MarginQuestion(10, 1, risk)
