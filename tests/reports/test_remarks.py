"""What the labels say beside the accuracy: a confidence that predicts nothing, and what no fault at all can show."""

import numpy as np
import pytest
from scipy import optimize, stats

from testimate.reports.remarks import (
    NOTHING_PREDICTED,
    at_most_failing,
    confidence_predicts_nothing,
    no_fault_words,
    remarks,
)
from tests.each import each


def said_share(rate_of, count: int, labels: int) -> float:
    """In how many campaigns it is said that confidence predicts nothing; ``rate_of`` : chances as said -> true ones."""
    rng, said = np.random.default_rng(3), 0
    for _ in range(count):
        chance = rng.beta(0.6, 2.4, labels)
        said += confidence_predicts_nothing(chance, (rng.random(labels) < rate_of(chance)).astype(float))
    return said / count


def test_a_confidence_that_is_right_is_hardly_ever_said_to_predict_nothing():
    assert said_share(lambda chance: chance, 200, 80) <= 0.02
    assert said_share(lambda chance: np.full_like(chance, 0.2), 200, 80) >= 0.75


@each(("labels", "faults"), [(49, 20), (200, 7), (200, 193)])
def test_few_labels_or_few_faults_say_nothing_about_the_confidence(labels, faults):
    chance = np.linspace(0.01, 0.9, labels)
    losses = np.zeros(labels)
    losses[np.linspace(0, labels - 1, faults).astype(int)] = 1
    assert not confidence_predicts_nothing(chance, losses)


def test_one_confidence_for_all_inputs_predicts_nothing():
    assert confidence_predicts_nothing(np.full(60, 0.3), np.repeat([0.0, 1.0], 30))


@each("labels", [50, 200, 3000])
def test_no_fault_rules_out_what_a_binomial_test_rules_out(labels):
    exact = optimize.brentq(lambda rate: stats.binom.pmf(0, labels, rate) - 0.05, 1e-9, 0.5)
    assert at_most_failing(labels, 10**9) == pytest.approx(exact, rel=1e-4)
    assert at_most_failing(labels, 6000) == pytest.approx(exact * (1 - labels / 6000))


def test_inputs_known_to_be_right_leave_fewer_that_may_fail():
    assert at_most_failing(200, 1000, known=300) == pytest.approx(at_most_failing(200, 1000) * 5 / 8)
    assert "300 more inputs are known to be right" in no_fault_words(200, 1000, known=300)
    assert no_fault_words(400, 1000, known=600).endswith("known to be right.")


def test_a_session_says_what_no_fault_can_show_once_fifty_are_labeled(open_session, say):
    session = open_session("srs", 100)
    said = []
    for draw in session.draws[:60]:
        session.record([say(draw.row, int(session.inputs.predictions[draw.row]))])  # as predicted
        said.append(remarks(session))
    assert [bool(one) for one in said] == [False] * 49 + [True] * 11
    assert said[-1] == (no_fault_words(60, len(session.inputs)),)
    assert NOTHING_PREDICTED not in said[-1]
