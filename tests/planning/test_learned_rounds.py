"""A labeled list read as adaptive rounds: unbiased over every list there is, and far better where whole classes fail."""

from itertools import permutations, product

import numpy as np
import pytest

from testimate.core.design import Groups, SimpleRandom, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import WrongDesign
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.task import Classification
from testimate.estimators import estimator_of
from testimate.estimators.adaptive_rounds import weighted_mean
from testimate.estimators.round_sample import round_sample_of
from testimate.planning import learned_rounds as module
from testimate.planning.assisted_estimate import assisted_estimate
from testimate.planning.learned_rounds import learned_rounds
from testimate.studies.campaign import label
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


def mean_accuracy(inputs, design, rows):
    """What the sequential difference estimate says of a list with every loss known."""
    strata = STRATA if isinstance(design, Stratified) else np.zeros(9, dtype=int)
    verdicts = [Verdict(Draw(row, stratum=int(strata[row])), float(LOSSES[row])) for row in rows]
    rounds, told = learned_rounds(inputs, design, verdicts, "confidence")
    return 1 - weighted_mean(round_sample_of(rounds, told, 1.0))


def lists_in_rounds():
    """Every list of two rounds over three strata, of which one has two inputs; inside a round the order says nothing."""
    piles = [permutations(np.flatnonzero(stratum == STRATA).tolist(), 2) for stratum in range(3)]
    for pairs in product(*piles):
        yield [pair[number] for number in range(2) for pair in pairs]


@each("every", (1, 10))
def test_the_mean_over_every_list_of_rounds_is_the_accuracy_of_the_set(every, few, monkeypatch):
    monkeypatch.setattr(module, "LEARNS_EVERY", every)
    design = Stratified((4, 3, 2), 6, in_rounds=True)
    found = [mean_accuracy(few, design, rows) for rows in lists_in_rounds()]
    assert len(found) == 12 * 6 * 2
    assert np.mean(found) == pytest.approx(1 - LOSSES.mean(), abs=1e-12)


def test_the_mean_over_every_simple_random_sample_in_every_order_is_the_accuracy_of_the_set(few, monkeypatch):
    monkeypatch.setattr(module, "LEARNS_EVERY", 1)
    found = [mean_accuracy(few, SimpleRandom((9,), 3), rows) for rows in permutations(range(9), 3)]
    assert np.mean(found) == pytest.approx(1 - LOSSES.mean(), abs=1e-12)
    assert np.std(found) > 0.01


def test_guesses_of_a_round_know_nothing_of_its_own_labels_or_later_ones(few, monkeypatch):
    monkeypatch.setattr(module, "LEARNS_EVERY", 1)
    design = Stratified((4, 3, 2), 6, in_rounds=True)
    rows = next(lists_in_rounds())
    ahead = [Verdict(Draw(row, stratum=int(STRATA[row])), float(LOSSES[row])) for row in rows]
    turned = [*ahead[:3], *(Verdict(one.draw, 1 - one.loss) for one in ahead[3:])]
    (one, told), (other, told_otherwise) = (learned_rounds(few, design, said, "confidence") for said in (ahead, turned))
    assert one == other
    assert [verdict.draw for verdict in told] == [verdict.draw for verdict in told_otherwise]


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


def test_skipped_inputs_teach_nothing_and_are_bounded(few):
    design = SimpleRandom((9,), 6)
    verdicts = [Verdict(Draw(row), None if row == 2 else float(LOSSES[row])) for row in range(6)]
    plain = estimator_of(design).estimate(design, verdicts)
    found = assisted_estimate(few, design, verdicts, plain, model="learned").estimate
    ends = [
        assisted_estimate(
            few,
            design,
            [Verdict(one.draw, said if one.loss is None else one.loss) for one in verdicts],
            plain,
            model="learned",
        ).estimate
        for said in (0.0, 1.0)
    ]
    assert found.skipped == 1
    assert found.low <= min(end.low for end in ends) + 0.05
    assert found.high >= max(end.high for end in ends) - 0.05


def test_draws_without_rounds_teach_nothing(few):
    verdicts = [Verdict(Draw(0), 0.0)]
    for design in (Groups((9,), 3), Stratified((4, 3, 2), 6), SimpleRandom((9,), 3, replacement=True)):
        with pytest.raises(WrongDesign, match="needs srs or rrs"):
            learned_rounds(few, design, verdicts, "confidence")
