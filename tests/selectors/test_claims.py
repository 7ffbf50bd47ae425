"""What the techniques claim of the estimates made from their draws, held against seeded campaigns."""

import math
from itertools import product

import numpy as np
import pytest

from testimate.core.design import DESIGNS, Groups, PerDraw, Rounds, Sequential, TwoStage
from testimate.core.draw import Verdict
from testimate.core.errors import WrongDesign
from testimate.estimators import ESTIMATORS, estimator_of
from testimate.selectors import SELECTORS
from tests.sampling import rotating

UNBIASED = [name for name in SELECTORS if SELECTORS[name].claims.unbiased != "no"]
HONEST = [name for name in SELECTORS if SELECTORS[name].claims.honest_interval]


def textbook_mean(design, draws, losses):
    """Estimated mean loss, without any clipping: Cochran 1977, eq. 2.1, 5.1 and 9A.1; DeepSample, eq. 5, 8 and 15."""
    drawn = np.array([losses[draw.row] for draw in draws])
    if isinstance(design, Rounds):
        return corrected_mean(design, draws, losses)
    if isinstance(design, Groups):  # of the part of the inputs that the groups labeled so far hold
        chances = np.array([draw.probability for draw in draws])
        return float((drawn / chances).sum() / sum(design.stratum_sizes[: len(draws)]))
    if isinstance(design, Sequential):
        chances = np.array([draw.probability for draw in draws])
        return float(np.mean(np.cumsum(drawn) - drawn + drawn / chances) / design.size)
    if isinstance(design, TwoStage):
        sizes, chances = np.array(design.stratum_sizes), np.array(design.stratum_chances)
        strata = [draw.stratum for draw in draws]
        return float((drawn * (sizes / chances)[strata]).mean() / design.size)
    if isinstance(design, PerDraw):
        chances = np.array([draw.probability for draw in draws])
        return float((drawn / chances).mean() / design.size)
    strata, sizes = np.array([draw.stratum for draw in draws]), np.array(design.stratum_sizes)
    return sum(sizes[h] * drawn[strata == h].mean() for h in range(len(sizes))) / sizes.sum()


def corrected_mean(design, draws, losses):
    """The same of adaptive rounds, term by term."""
    terms, weights, known, before = [], [], 0.0, 0
    for number, one in enumerate(design.rounds):
        inside = [draw for draw in draws if draw.round == number]
        for draw in (draw for draw in inside if not draw.exploit):
            correction = (losses[draw.row] - draw.guess) * one.zones / draw.probability
            terms.append((known + one.guessed + correction) / design.size)
            k, left = before + one.zones, design.size - before
            weights.append(math.sqrt(k / (k + 10)) / (left * (left - one.zones) + 1))
        known += sum(losses[draw.row] for draw in inside)
        before += len(inside)
    return np.average(terms, weights=weights)


def claimed_prefixes(claim, design, draws):
    """Two or three lengths of the list at which the claim says there is no bias."""
    if claim == "every prefix":
        return [1, 7, len(draws)]
    strata = [draw.stratum for draw in draws]
    first_whole = 1 + max(strata.index(stratum) for stratum in range(len(design.stratum_sizes)))
    return [first_whole, first_whole + 3, len(draws)]


LOSSES = ("failures", "squared_errors")


@pytest.mark.parametrize(
    ("name", "kind", "campaigns"),
    [
        *((*cell, 200) for cell in rotating(UNBIASED, LOSSES)),
        *(pytest.param(*cell, 2000, marks=pytest.mark.slow) for cell in product(UNBIASED, LOSSES)),
    ],
)
def test_there_is_no_bias_where_none_is_claimed(name, kind, campaigns, population, build, run):
    losses, estimates = getattr(population, kind), []
    for seed in range(campaigns):
        selector = build(name, population, 40, seed)
        draws, design = run(selector, losses), selector.design
        prefixes = claimed_prefixes(selector.claims.unbiased, design, draws)
        estimates.append([textbook_mean(design, draws[:prefix], losses) for prefix in prefixes])
    standard_errors = np.std(estimates, axis=0, ddof=1) / math.sqrt(len(estimates))
    assert (np.abs(np.mean(estimates, axis=0) - losses.mean()) < 3.5 * standard_errors).all()


def test_without_its_uniform_share_sups_misses_failures_of_score_zero(population, build, run):
    losses, estimates = population.failures.copy(), []
    losses[:25] = 1.0  # of the 30 inputs of score 0
    for seed in range(200):
        selector = build("sups", population, 40, seed, variant="as published")
        estimates.append(textbook_mean(selector.design, run(selector, losses), losses))
    assert (population.scores[:25] == 0).all()
    standard_error = np.std(estimates, ddof=1) / math.sqrt(len(estimates))
    assert abs(np.mean(estimates) - (losses.mean() - 25 / population.size)) < 3.5 * standard_error


@pytest.mark.parametrize("campaigns", [120, pytest.param(1200, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("name", "kind", "bound"),
    [
        *((name, "failures", 1.0) for name in HONEST),
        *((name, "squared_errors", None) for name in HONEST if "regression" in SELECTORS[name].claims.tasks),
    ],
)
def test_the_interval_covers_as_often_as_it_claims(name, kind, bound, campaigns, make, build, run):
    inputs, covered = make(2000, seed=3), 0
    losses = getattr(inputs, kind)
    truth = 1 - losses.mean()
    for seed in range(campaigns):
        selector = build(name, inputs, 100, seed)
        verdicts = [Verdict(draw, float(losses[draw.row])) for draw in run(selector, losses)]
        estimate = estimator_of(selector.design).estimate(
            selector.design, verdicts, level=0.9, loss_bound=bound, always_valid=False
        )
        covered += estimate.low <= truth <= estimate.high
    assert covered / campaigns >= 0.9 - 3 * math.sqrt(0.9 * 0.1 / campaigns)


@pytest.mark.parametrize("name", SELECTORS)
def test_an_estimator_of_another_design_refuses_the_draws(name, population, build, run):
    selector = build(name, population, 40, 1)
    verdicts = [Verdict(draw, 0.0) for draw in run(selector, np.zeros(population.size))]
    others = [kind for kind in DESIGNS.values() if not isinstance(selector.design, kind)]
    assert len(others) == len(DESIGNS) - 1
    for kind in others:
        estimator = ESTIMATORS[kind]
        with pytest.raises(WrongDesign):
            estimator.estimate(selector.design, verdicts)


def test_after_pace_there_is_an_estimate_but_no_interval(population, build, run):
    selector = build("pace", population, 40, 1)
    verdicts = [Verdict(draw, float(population.failures[draw.row])) for draw in run(selector, population.failures)]
    estimate = estimator_of(selector.design).estimate(selector.design, verdicts)
    assert estimate.low is None
    assert estimate.high is None
    assert estimate.why
