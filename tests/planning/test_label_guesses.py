"""What labels teach of a finished list: unbiased over every list there is, and far better where whole classes fail."""

from itertools import permutations, product

import numpy as np
import pytest

from testimate.core.design import SimpleRandom, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.learned_guesses import judged_across_folds
from testimate.planning.assisted import assisted_estimate, label_guesses
from testimate.studies.campaign import label
from testimate.tasks.classification import Classification
from tests.each import each

LOSSES = np.array([0, 1, 0, 0, 1, 0, 0, 1, 1.0])
STRATA = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])


def inputs_with(losses, confidence, predictions):
    return Inputs(
        "f" * 32,
        Classification(("a", "b")),
        predictions,
        confidence=confidence,
        scores={"confidence": 1 - confidence},
        losses=losses,
    )


@pytest.fixture
def few():
    """Nine inputs, of which four fail, with two predicted classes and a confidence that is often wrong."""
    return inputs_with(LOSSES, np.linspace(0.95, 0.55, 9), np.array([0, 1, 0, 1, 1, 0, 0, 1, 1]))


def lists_of_strata():
    """Every list of two draws from each of three strata, of which the last has no more, in every order."""
    piles = [permutations(np.flatnonzero(stratum == STRATA).tolist(), 2) for stratum in range(3)]
    for pairs in product(*piles):
        yield [row for pair in pairs for row in pair]


@each(
    "design, lists",
    [
        (Stratified((4, 3, 2), 6), [*lists_of_strata()]),
        (SimpleRandom((9,), 3), [*permutations(range(9), 3)]),
    ],
)
def test_the_mean_over_every_list_is_the_accuracy_of_the_set(design, lists, few):
    guesses = label_guesses(few, "confidence")
    strata = STRATA if isinstance(design, Stratified) else np.zeros(9, dtype=int)
    found = []
    for rows in lists:
        verdicts = [Verdict(Draw(row, stratum=int(strata[row])), float(LOSSES[row])) for row in rows]
        found.append(1 - judged_across_folds(design, verdicts, guesses.learn).mean)
    assert len(found) == len(lists) > 100
    assert np.mean(found) == pytest.approx(1 - LOSSES.mean(), abs=1e-9)
    assert np.std(found) > 0.01


@each("technique", ("srs", "rrs"))
def test_a_class_that_fails_as_a_whole_is_learned(technique):
    rng = np.random.default_rng(4)
    predictions = np.arange(3000) % 10
    confidence = rng.uniform(0.9, 1, 3000)  # says nothing of the class that fails
    inputs = Inputs(
        "f" * 32,
        Classification(tuple("0123456789")),
        predictions,
        confidence=confidence,
        scores={"confidence": 1 - confidence},
        losses=(predictions == 3).astype(float),
    )
    plain, learned = [], []
    for seed in range(30):
        made = label(inputs, Request(technique, 200, seed), inputs.losses)
        found = estimator_of(made.design).estimate(made.design, made.verdicts)
        helped = assisted_estimate(inputs, made.design, made.verdicts, found, model="learned").estimate
        plain.append(found.accuracy - 0.9)
        learned.append(helped.accuracy - 0.9)
        assert (helped.always_low, helped.always_high) == (found.always_low, found.always_high)
    assert np.mean(np.square(learned)) < 0.25 * np.mean(np.square(plain))
    assert abs(np.mean(learned)) < 4 * np.std(learned) / np.sqrt(30)


def test_a_conservative_interval_holds_the_ordinary_one(few):
    design = SimpleRandom((9,), 5)
    verdicts = [Verdict(Draw(row), float(LOSSES[row])) for row in range(5)]
    plain = estimator_of(design).estimate(design, verdicts)
    ordinary, careful = (
        assisted_estimate(few, design, verdicts, plain, model="learned", interval=kind).estimate
        for kind in ("ordinary", "conservative")
    )
    assert careful.low <= ordinary.low
    assert ordinary.high <= careful.high
    assert careful.accuracy == ordinary.accuracy


def test_skipped_inputs_are_bounded_by_both_losses(few):
    design = SimpleRandom((9,), 6)
    verdicts = [Verdict(Draw(row), None if row == 2 else float(LOSSES[row])) for row in range(6)]
    plain = estimator_of(design).estimate(design, verdicts)
    found = assisted_estimate(few, design, verdicts, plain, model="learned").estimate
    assert (found.labeled, found.skipped) == (5, 1)
    assert found.skipped_low < found.accuracy < found.skipped_high
