"""Second looks correct testers' errors: exactly in the mean, by weights that are those of the estimate itself."""

from dataclasses import replace

import numpy as np
import pytest

from research.studies.second_looks import measure
from testimate.core.design import Groups, PerDraw, SimpleRandom
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput, WrongDesign
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.second_look import (
    SecondLook,
    answered_of,
    chance_of_error,
    corrected_by_second_looks,
    draw_second_looks,
    second_look_chances,
)
from testimate.planning.known_inputs import inputs_of_table
from testimate.studies.campaign import label
from testimate.tasks.classification import Classification
from tests.each import each

SIZE = 600


def campaign(technique, budget=60):
    """The design and verdicts of a campaign over 600 inputs, of which about one in seven fails."""
    rng = np.random.default_rng(5)
    chance = rng.beta(1, 6, SIZE)
    losses = (rng.random(SIZE) < chance).astype(float)
    predictions = np.zeros(SIZE, dtype=int)
    inputs = Inputs(
        "f" * 32,
        Classification(("a", "b")),
        predictions,
        confidence=1 - chance,
        scores={"confidence": chance},
        losses=losses,
    )
    found = label(inputs, Request(technique, budget, 3), losses)
    return found.design, list(found.verdicts), chance


def accuracy(design, verdicts):
    return estimator_of(design).estimate(design, verdicts, always_valid=False).accuracy


@pytest.fixture
def simple():
    """Forty labels of a simple random sample of 400, eight of them failures, and a chance of failing for each."""
    design = SimpleRandom(stratum_sizes=(400,), planned=40)
    verdicts = [Verdict(Draw(row), float(row < 8)) for row in range(40)]
    return design, verdicts, np.linspace(0.6, 0.05, 40)


@each("technique", ("srs", "rrs", "css", "sups", "rra"))
def test_an_answer_weighs_as_much_as_the_estimate_changes_with_it(technique):
    design, verdicts, _ = campaign(technique)
    answered = answered_of(design, verdicts)
    plain = accuracy(design, verdicts)
    for row, failed, weight in list(zip(answered.rows, answered.failed, answered.weights, strict=True))[::7]:
        other = [
            replace(one, loss=1 - one.loss) if one.draw.row == row and one.loss is not None else one for one in verdicts
        ]
        changed = plain - accuracy(design, other)
        assert changed == pytest.approx(weight * (1 - 2 * failed), abs=1e-12)


def test_an_input_drawn_twice_is_looked_at_once_with_both_weights():
    draws = [Draw(3, probability=0.2), Draw(5, probability=0.1), Draw(3, probability=0.2)]
    answered = answered_of(PerDraw((10,), 3), [Verdict(draw, 1.0) for draw in draws])
    assert answered.rows.tolist() == [3, 5]
    assert answered.weights == pytest.approx([2 / (3 * 10 * 0.2), 1 / (3 * 10 * 0.1)])


def test_the_chance_that_an_answer_is_wrong_is_bayes_rule():
    # 1,000 inputs, 100 of which fail, and 2% wrong answers: 98 and 18 of the others are called failed, 2 and 882 right
    found = chance_of_error(np.array([1.0, 0.0]), np.array([0.1, 0.1]))
    assert found == pytest.approx([18 / (98 + 18), 2 / (2 + 882)])


@each("count", (1, 8, 30, 39, 40))
def test_chances_sum_to_the_number_wanted_and_none_exceeds_one(count, simple):
    design, verdicts, failing = simple
    chances = second_look_chances(answered_of(design, verdicts), failing, count)
    assert chances.sum() == pytest.approx(count)
    assert ((chances > 0) & (chances <= 1)).all()


def test_no_more_answers_are_looked_at_again_than_there_are(simple):
    design, verdicts, failing = simple
    answered = answered_of(design, verdicts)
    for count in (0, 41):
        with pytest.raises(BadInput, match="Expected 1 to 40"):
            second_look_chances(answered, failing, count)


def test_each_answer_is_drawn_with_just_its_chance_and_as_many_as_wanted(simple):
    design, verdicts, failing = simple
    chances = second_look_chances(answered_of(design, verdicts), failing, 10)
    rng, times = np.random.default_rng(2), np.zeros(40)
    for _ in range(4000):
        drawn = draw_second_looks(chances, rng)
        assert len(set(drawn.tolist())) == 10
        times[drawn] += 1
    errors = np.sqrt(chances * (1 - chances) / 4000)
    assert (np.abs(times / 4000 - chances) < 4.5 * errors + 1e-12).all()


@each("technique", ("srs", "rrs", "rra"))
def test_corrected_estimates_average_to_the_one_with_every_answer_right(technique):
    design, right, chance = campaign(technique)
    rng = np.random.default_rng(8)
    said = [replace(one, loss=1 - one.loss) if rng.random() < 0.05 else one for one in right]
    truth = {one.draw.row: one.loss for one in right}
    plain = estimator_of(design).estimate(design, said, always_valid=False)
    answered = answered_of(design, said)
    failing = np.clip(chance[answered.rows], 0.02, 0.98)
    chances = second_look_chances(answered, failing, 8)
    found = []
    for _ in range(600):
        places = draw_second_looks(chances, rng)
        looks = [
            SecondLook(int(row), float(chances[at]), truth[row])
            for at, row in zip(places, answered.rows[places], strict=True)
        ]
        found.append(corrected_by_second_looks(plain, answered, looks, failing).estimate.accuracy)
    error = np.std(found) / np.sqrt(len(found))
    assert error > 0
    assert accuracy(design, said) != pytest.approx(accuracy(design, right), abs=0.01)
    assert np.mean(found) == pytest.approx(accuracy(design, right), abs=4 * error)


def test_with_every_answer_looked_at_the_estimate_is_that_of_the_second_answers(simple):
    design, verdicts, failing = simple
    answered = answered_of(design, verdicts)
    plain = estimator_of(design).estimate(design, verdicts)
    second = [Verdict(one.draw, float(3 <= one.draw.row < 9)) for one in verdicts]
    looks = [SecondLook(one.draw.row, 1.0, one.loss or 0.0) for one in second]
    found = corrected_by_second_looks(plain, answered, looks, failing)
    assert found.estimate.accuracy == pytest.approx(accuracy(design, second))
    assert (found.looked_at, found.changed) == (40, 4)
    assert found.estimate.high - found.estimate.low == pytest.approx(plain.high - plain.low)


def test_a_corrected_interval_is_wider_than_the_plain_one_and_has_no_stop_safe_twin(simple):
    design, verdicts, failing = simple
    answered = answered_of(design, verdicts)
    plain = estimator_of(design).estimate(design, verdicts)
    looks = [SecondLook(row, 0.25, float(row < 8)) for row in range(10)]
    found = corrected_by_second_looks(plain, answered, looks, failing).estimate
    assert found.accuracy == plain.accuracy
    assert found.low < plain.low
    assert plain.high < found.high
    assert plain.always_low is not None
    assert found.always_low is None
    assert found.always_high is None


CASES = (
    ("no first answer", (99, 0.5, 0.0)),
    ("occurs twice", (3, 0.5, 0.0)),
    ("the chance 0.0", (4, 0.0, 0.0)),
    ("the loss 0.5", (4, 0.5, 0.5)),
)


@each("words, look", CASES)
def test_impossible_second_looks_are_refused(words, look, simple):
    design, verdicts, failing = simple
    plain = estimator_of(design).estimate(design, verdicts)
    looks = [SecondLook(3, 0.5, 0.0), SecondLook(*look)]
    with pytest.raises(BadInput, match=words):
        corrected_by_second_looks(plain, answered_of(design, verdicts), looks, failing)


def test_only_designs_whose_answers_have_a_weight_of_their_own_are_looked_at_again(simple):
    _, verdicts, _ = simple
    with pytest.raises(WrongDesign, match="Keep the plain estimate"):
        answered_of(Groups(stratum_sizes=(400,), planned=40), verdicts)
    with pytest.raises(BadInput, match="give a tolerance"):
        answered_of(SimpleRandom((400,), 40), [replace(verdicts[0], loss=0.3)])


def test_wrong_answers_bias_the_plain_estimate_and_not_the_corrected_one(real_data):
    found = measure(inputs_of_table(real_data / "deepest" / "CN12_CIFAR10.csv.gz"), "rrs", 0.05, 40)
    assert abs(found.plain_bias) > 4
    assert abs(found.corrected_bias) < 4
    assert found.corrected < found.plain
    assert found.width > 1


@pytest.mark.slow
@pytest.mark.parametrize("technique", ["srs", "rrs", "rra"])
def test_forty_second_looks_of_two_hundred_hold_the_truth_when_two_percent_of_the_answers_are_wrong(
    technique, real_data
):
    found = measure(inputs_of_table(real_data / "deepest" / "CN12_CIFAR10.csv.gz"), technique, 0.02, 400)
    assert found.corrected_held >= 0.92
    assert abs(found.corrected_bias) < 4
    assert abs(found.plain_bias) > 4
