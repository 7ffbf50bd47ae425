"""Adaptive rounds and assisted estimates at once: draw by draw, and end by end, those of the technique and the estimator."""

import numpy as np
import pytest

from research.methods.many import many_assisted, many_rounds, many_samples
from research.studies.interval_campaigns import label_all
from research.studies.interval_suite import inputs_of
from testimate.core.design import SimpleRandom, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput
from testimate.estimators.difference import estimate_difference
from testimate.estimators.sample import round_sample_of
from tests.each import each

COLUMNS = ("losses", "rounds", "zones", "sizes", "probabilities", "guesses", "guessed", "variance")


@each(
    ("population", "size", "budget", "ahead"),
    [
        ("overconfident", 1000, 200, 2),
        ("overconfident", 1000, 120, 4),
        ("tied", 100, 80, 2),
        ("constant", 30, 24, 1),
        ("saturated at 1", 1000, 105, 2),
    ],
)
def test_campaigns_side_by_side_are_those_of_the_technique_to_the_last_draw(population, size, budget, ahead):
    inputs = inputs_of(population, size)
    scores = inputs.scores["confidence"]
    many = many_rounds(scores, inputs.losses, scores_are_chances=True, budget=budget, seeds=range(3, 6), ahead=ahead)
    for seed, sample in zip(range(3, 6), many, strict=True):
        labeled = label_all(inputs, "rra", budget, seed, ahead=ahead)
        own = round_sample_of(labeled.design, labeled.verdicts, 1.0)
        for column in COLUMNS:
            assert getattr(sample, column) == pytest.approx(getattr(own, column), rel=1e-7), column


def test_a_campaign_that_labels_the_whole_set_is_refused():
    with pytest.raises(BadInput, match="5 labels of 5 inputs"):
        next(many_rounds(np.full(5, 0.1), np.zeros(5), scores_are_chances=True, budget=5, seeds=range(1)))


@each("model", ["difference", "regression"])
@each("strata", [1, 4])
def test_assisted_estimates_at_once_are_those_of_the_estimator(model, strata):
    inputs, rng = inputs_of("temperature 3", 1000), np.random.default_rng(4)
    places = np.arange(1000) * strata // 1000
    sizes = np.bincount(places)
    samples = many_samples(places, sizes, 62, 4, rng)
    guesses = inputs.scores["confidence"]
    many = many_assisted(inputs.losses, guesses, sizes, samples, model=model)
    design = SimpleRandom((1000,), 62) if strata == 1 else Stratified(tuple(sizes.tolist()), 62)
    for number, rows in enumerate(samples.rows.tolist()):
        verdicts = [Verdict(Draw(row, None, int(places[row])), float(inputs.losses[row])) for row in rows]
        for interval, column in (("ordinary", "score"), ("conservative", "korn_graubard")):
            own = estimate_difference(design, verdicts, guesses, model=model, interval=interval, always_valid=False)
            assert many[column][number] == pytest.approx((own.low, own.high), abs=1e-12)
            assert many["accuracy"][number] == pytest.approx(own.accuracy, abs=1e-12)


def test_samples_drawn_at_once_take_no_input_twice_and_every_stratum_in_turn():
    places = np.arange(90) // 30
    samples = many_samples(places, np.bincount(places), 10, 50, np.random.default_rng(1))
    assert all(len(set(rows)) == 10 for rows in samples.rows.tolist())
    assert set(map(tuple, samples.counts.tolist())) == {(4, 3, 3), (3, 4, 3), (3, 3, 4)}
    assert np.array_equal(samples.strata, places[samples.rows])
