"""Grades as shares of full marks: the interval holds, is no wider than it has to be, and is that of a slice of everything."""

import numpy as np
import pytest

from testimate.core.design import Round, Rounds, SimpleRandom, Stratified
from testimate.core.draw import Draw, RoundDraw, Verdict
from testimate.estimators import estimator_of
from testimate.estimators.adaptive_rounds import places_error, standard_error, weighted_mean
from testimate.estimators.parts import slice_estimates
from testimate.estimators.sample import round_sample_of
from testimate.estimators.stratified import stratified_standard_error
from testimate.planning.build import INTERVAL_METHOD, computed_anew, interval_method
from testimate.selectors.adaptive_rounds import AdaptiveRounds
from testimate.tasks.verdict import Judgment

POPULATIONS = {"nearly perfect": (0.95, 0.03, 0.02), "middling": (0.45, 0.3, 0.25), "mostly right": (0.75, 0.1, 0.15)}


def graded(shares, seed, size=3000):
    return np.random.default_rng(seed).choice([0.0, 0.5, 1.0], size, p=shares)


@pytest.mark.parametrize("campaigns", [100, pytest.param(3000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", POPULATIONS)
def test_the_interval_of_a_simple_random_sample_of_grades_holds(name, campaigns):
    losses, random = graded(POPULATIONS[name], 1), np.random.default_rng(2)
    design, inside = SimpleRandom((3000,), 100), 0
    for _ in range(campaigns):
        rows = random.choice(3000, 100, replace=False).tolist()
        found = estimator_of(design).estimate(
            design, [Verdict(Draw(row), float(losses[row])) for row in rows], always_valid=False
        )
        inside += found.low <= 1 - losses.mean() <= found.high
    assert abs(inside / campaigns - 0.95) <= 0.02 + 2.5 * np.sqrt(0.95 * 0.05 / campaigns)


@pytest.mark.parametrize("strata", [(400,), (100, 100, 200)])
def test_it_is_the_interval_of_a_slice_that_holds_everything(strata):
    losses = graded(POPULATIONS["mostly right"], 3, 400)
    stratum = np.repeat(np.arange(len(strata)), strata)
    rows = np.random.default_rng(4).choice(400, 90, replace=False).tolist()
    design = SimpleRandom(strata, 90) if len(strata) == 1 else Stratified(strata, 90, in_rounds=True)
    verdicts = [Verdict(Draw(row, stratum=int(stratum[row])), float(losses[row])) for row in rows]
    found = estimator_of(design).estimate(design, verdicts)
    (whole,) = slice_estimates(design, verdicts, np.zeros(400, dtype=np.intp), 1)
    assert (found.accuracy, found.low, found.high) == pytest.approx((whole.value, whole.low, whole.high))
    assert found.method.endswith("score interval of grades")


def test_one_half_among_many_right_ones_changes_the_interval_little():
    design = SimpleRandom((3000,), 100)
    right = [Verdict(Draw(row), 0.0) for row in range(99)]
    before = estimator_of(design).estimate(design, [*right, Verdict(Draw(99), 0.0)])
    after = estimator_of(design).estimate(design, [*right, Verdict(Draw(99), 0.5)])
    assert after.high - after.low < 1.4 * (before.high - before.low)
    assert after.low < after.accuracy < after.high


def test_a_session_made_before_says_that_its_interval_is_another_one():
    task, design = Judgment(), SimpleRandom((3000,), 100)
    some = [Verdict(Draw(row), (0.0, 0.5, 1.0)[row % 3]) for row in range(60)]
    found = estimator_of(design).estimate(design, some)
    assert "made when grades had Student's interval" in computed_anew(INTERVAL_METHOD, task, found, "session")
    assert computed_anew(interval_method(task), task, found, "session") == ""
    plain = estimator_of(design).estimate(design, [Verdict(Draw(row), float(row % 2)) for row in range(60)])
    assert computed_anew(INTERVAL_METHOD, task, plain, "session") == ""


def in_rounds(losses, zones=4, size=10**6):
    """Rounds of even draws from so large a set that what was found adds nothing to later rounds; the guesses name the zone."""
    rounds = len(losses) // zones
    design = Rounds((size,), len(losses), (Round(zones, 0, 0.5 * size, -0.5, 0.5, 0.25),) * rounds)
    chance = zones / size
    return design, [
        Verdict(RoundDraw(n, chance, 0, "", n // zones, (n % zones + 1) / (zones + 1)), loss)
        for n, loss in enumerate(losses)
    ]


def test_the_standard_error_in_rounds_is_that_of_strata_by_place():
    losses = np.random.default_rng(5).choice([0.0, 0.5, 1.0], 12)
    sample = round_sample_of(*in_rounds(losses), 1.0)
    vars(sample)["shares"] = np.full(12, 1 / 12)  # later rounds weigh more; alike, the formula is the textbook's
    known = stratified_standard_error(sample.terms, np.tile(np.arange(4), 3), np.full(4, 10**12))
    assert places_error(sample) == pytest.approx(known, rel=1e-6)


def test_what_zones_differ_by_is_not_counted_as_chance():
    losses = np.tile([0.0, 0.0, 0.5, 1.0], 6)  # of each zone all outputs are alike
    sample = round_sample_of(*in_rounds(losses), 1.0)
    assert places_error(sample) == pytest.approx(0, abs=1e-4)
    assert standard_error(sample) > 0.04


def campaign_of_rounds(losses, seed, doubt, budget=100):
    """Labels of adaptive rounds by a judge's doubt, a chance of failure for each of the losses."""
    selector = AdaptiveRounds(doubt, scores_are_chances=True, budget=budget, seed=seed)
    verdicts = []
    while selector.remaining:
        asked = [Verdict(draw, float(losses[draw.row])) for draw in selector.ask(budget)]
        selector.tell(asked)
        verdicts += asked
    return selector.design, verdicts


@pytest.mark.parametrize("campaigns", [100, pytest.param(2000, marks=pytest.mark.slow)])
def test_the_interval_of_adaptive_rounds_of_grades_holds_where_nearly_all_are_right(campaigns):
    losses = graded(POPULATIONS["nearly perfect"], 1, 1000)
    quality = 1 - losses + np.random.default_rng(2).normal(0, 0.35, 1000)
    doubt = 1 - 1 / (1 + np.exp(-4 * (quality - 0.45)))
    inside, means, errors, before = 0, [], [], []
    for seed in range(campaigns):
        design, verdicts = campaign_of_rounds(losses, seed, doubt)
        found = estimator_of(design).estimate(design, verdicts)
        sample = round_sample_of(design, verdicts, 1.0)
        inside += found.low <= 1 - losses.mean() <= found.high
        means.append(weighted_mean(sample))
        errors.append(places_error(sample) ** 2)
        before.append(standard_error(sample) ** 2)
    assert abs(inside / campaigns - 0.95) <= 0.02 + 2.5 * np.sqrt(0.95 * 0.05 / campaigns)
    assert np.mean(errors) / np.var(means) == pytest.approx(1.05, abs=0.3 if campaigns < 1000 else 0.12)
    assert np.mean(before) / np.var(means) > 1.4  # what zones differ by, taken for chance


def test_a_session_of_rounds_made_before_says_that_its_interval_is_another_one():
    task, losses = Judgment(), graded(POPULATIONS["mostly right"], 3, 400)
    design, verdicts = campaign_of_rounds(losses, 1, np.random.default_rng(4).uniform(0.05, 0.6, 400), budget=40)
    found = estimator_of(design).estimate(design, verdicts)
    kept = f"{INTERVAL_METHOD}, grades as shares"
    assert "made when grades had Student's interval" in computed_anew(kept, task, found, "plan")
    assert computed_anew(interval_method(task), task, found, "plan") == ""
    simple = estimator_of(SimpleRandom((400,), 40)).estimate(
        SimpleRandom((400,), 40), [Verdict(Draw(row), (0.0, 0.5, 1.0)[row % 3]) for row in range(40)]
    )
    assert computed_anew(kept, task, simple, "plan") == ""  # that one had its interval before rounds did (decision 221)
