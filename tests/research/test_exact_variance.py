"""Exact variances against every sample counted out, and against simulated campaigns."""

import re
from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np
import pytest

from research.methods import exact as exact_variance
from research.methods.exact import exact_error
from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.studies.study import study
from testimate.studies.study_rows import spread_of_srs
from tests.each import each

LOSSES = np.array([0.0, 1.0, 0.0, 0.25, 1.0, 0.5])
STRATA = np.array([0, 0, 0, 1, 1, 2])


def by_stratum(losses, strata):
    return [losses[strata == stratum] for stratum in np.unique(strata)]


def stratified_means(allocation, replacement):
    """The estimate of every sample with this allocation, all equally likely."""
    choose = (lambda pile, n: product(pile, repeat=n)) if replacement else combinations
    parts = [list(choose(pile, n)) for pile, n in zip(by_stratum(LOSSES, STRATA), allocation, strict=True)]
    sizes = np.bincount(STRATA)
    return [
        sum(size / 6 * np.mean(part) for size, part in zip(sizes, sample, strict=True)) for sample in product(*parts)
    ]


@pytest.mark.parametrize("replacement", [False, True])
def test_the_variance_of_simple_random_sampling_is_that_of_all_samples(replacement):
    for budget in (1, 2, 3):
        samples = product(LOSSES, repeat=budget) if replacement else combinations(LOSSES, budget)
        expected = np.var([np.mean(sample) for sample in samples])
        assert exact_variance.of_simple_random(LOSSES, budget, replacement=replacement) == pytest.approx(expected)


@each("replacement", [False, True])
@each("allocation", [(1, 1, 1), (2, 1, 1), (3, 2, 1)])
def test_the_variance_of_a_stratified_sample_is_that_of_all_samples(allocation, replacement):
    expected = np.var(stratified_means(allocation, replacement))
    found = exact_variance.of_stratified(LOSSES, STRATA, np.array(allocation), replacement=replacement)
    assert found == pytest.approx(expected, abs=1e-15)


def test_the_variance_of_rounds_is_that_of_all_orders():
    sizes = np.bincount(STRATA)
    for budget in (3, 4, 5, 6):
        estimates = []
        for piles in product(*(permutations(pile) for pile in by_stratum(LOSSES, STRATA))):
            for second in permutations((0, 1)):  # stratum 2 is exhausted after the first round
                order = [0, 1, 2, *second, 0][:budget]
                means = [np.mean(pile[: order.count(stratum)]) for stratum, pile in enumerate(piles)]
                estimates.append((sizes / 6 * means).sum())
        assert exact_variance.of_rounds(LOSSES, STRATA, budget) == pytest.approx(np.var(estimates), abs=1e-15)


def test_the_variance_of_independent_draws_is_that_of_all_samples():
    chances = np.array([0.1, 0.3, 0.1, 0.2, 0.2, 0.1])
    mean = square = 0.0
    for sample in product(range(6), repeat=3):
        weight = np.prod(chances[list(sample)])
        estimate = np.mean(LOSSES[list(sample)] / chances[list(sample)]) / 6
        mean, square = mean + weight * estimate, square + weight * estimate**2
    assert mean == pytest.approx(LOSSES.mean())
    assert exact_variance.of_independent_draws(LOSSES, chances, 3) == pytest.approx(square - mean**2)


def test_the_variance_of_random_groups_is_that_of_all_dealings():
    losses, chances = LOSSES[1:], np.array([0.3, 0.1, 0.2, 0.3, 0.1])
    mean = square = 0.0
    dealings = list(permutations(range(5)))
    for dealt in dealings:
        groups = [dealt[:3], dealt[3:]]
        for drawn in product(*groups):
            totals = [chances[list(group)].sum() for group in groups]
            weight = np.prod([chances[row] / total for row, total in zip(drawn, totals, strict=True)])
            estimate = sum(losses[row] * total / chances[row] for row, total in zip(drawn, totals, strict=True)) / 5
            mean += weight * estimate / len(dealings)
            square += weight * estimate**2 / len(dealings)
    assert mean == pytest.approx(losses.mean())
    assert exact_variance.of_groups(losses, chances, 2) == pytest.approx(square - mean**2)


def test_the_variance_of_two_stages_is_that_of_all_draws_with_strata_that_start_anew():
    sizes, psi = np.bincount(STRATA), np.array([0.5, 0.3, 0.2])
    for budget in (1, 2, 4):
        mean = square = 0.0
        orders = list(product(*(permutations(pile) for pile in by_stratum(LOSSES, STRATA))))
        for piles in orders:
            for visited in product(range(3), repeat=budget):
                total = 0.0
                for turn, stratum in enumerate(visited):
                    loss = piles[stratum][visited[:turn].count(stratum) % sizes[stratum]]
                    total += loss * sizes[stratum] / (6 * psi[stratum])
                weight = np.prod(psi[list(visited)]) / len(orders)
                mean, square = mean + weight * total / budget, square + weight * (total / budget) ** 2
        assert mean == pytest.approx(LOSSES.mean())
        assert exact_variance.of_two_stages(LOSSES, STRATA, psi, budget) == pytest.approx(square - mean**2)


@pytest.mark.parametrize("technique", ["srs", "rrs", "ssrs", "css", "sups", "rhc-s", "2-ups"])
def test_simulated_campaigns_have_the_exact_error(technique, inputs):
    # A root mean square of 200 errors carries 1 / sqrt(400) = 5%, more where the errors have long tails.
    (row,) = study(inputs, techniques=[technique], budgets=[63], repetitions=200, seed=4, workers=1)
    exact = exact_error(inputs, Request(technique, 63, 1))
    assert exact is not None
    assert row.rmse == pytest.approx(exact, rel=0.2)


def test_the_exact_error_of_srs_is_the_spread_the_ratio_is_taken_to(inputs):
    assert exact_error(inputs, Request("srs", 100, 1)) == pytest.approx(spread_of_srs(inputs.losses, 100))


def test_a_technique_that_learns_or_is_biased_has_no_formula(inputs):
    for technique in ("rra", "gbs", "deepest", "ssoa-c-p"):
        assert exact_error(inputs, Request(technique, 100, 1)) is None
    assert exact_error(inputs, Request("2-ups", 100, 1, variant="as published")) is None


def test_an_input_that_is_never_drawn_but_fails_is_refused(inputs):
    hidden = replace(inputs, scores={"confidence": np.where(inputs.losses > 0, 0, 0.5)})
    with pytest.raises(BadInput, match=f"{int(inputs.losses.sum())} inputs with a loss can never be drawn"):
        exact_error(hidden, Request("sups", 50, 1, options={"uniform_share": 0.0}))


@each(
    ("wrong", "sentence"),
    [
        (lambda: exact_variance.of_stratified(LOSSES, STRATA, np.array([4, 1, 1])), "does not fit strata"),
        (lambda: exact_variance.of_stratified(LOSSES, STRATA + 1, np.array([1, 1, 1, 1])), "1 of them empty"),
        (lambda: exact_variance.of_rounds(LOSSES, STRATA, 2), "budget is 2"),
        (lambda: exact_variance.of_independent_draws(LOSSES, np.ones(6), 2), "summing to 6"),
        (lambda: exact_variance.of_groups(LOSSES, np.array([0, 0.4, 0, 0.2, 0.2, 0.2]), 2), "2 inputs have no chance"),
        (lambda: exact_variance.of_two_stages(LOSSES, STRATA, np.array([0.5, 0.5]), 2), "do not fit 3 strata"),
    ],
)
def test_what_does_not_fit_together_is_refused(wrong, sentence):
    with pytest.raises(BadInput, match=re.escape(sentence)):
        wrong()
