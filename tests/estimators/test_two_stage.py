"""The two-stage estimator, held against exhaustive enumeration."""

from itertools import permutations, product

import numpy as np
import pytest

from testimate.core.design import TwoStage
from testimate.core.errors import BadInput
from testimate.estimators.unequal_chances import TwoStageMean

SIZES, PSI = (3, 2), (0.7, 0.3)
DESIGN = TwoStage(SIZES, 3, PSI)
ROWS = ((0, 1, 2), (3, 4))


def every_sample():
    """Each way three draws can come, with its probability: strata by chance, each one's inputs in a random order."""
    for strata in product(range(2), repeat=3):
        chance = np.prod([PSI[stratum] for stratum in strata])
        orders = [list(permutations(rows)) for rows in ROWS]
        for first, second in product(*orders):
            turns = (list(first) * 2, list(second) * 2)
            places = [strata[:draw].count(strata[draw]) for draw in range(3)]
            rows = [turns[stratum][place] for stratum, place in zip(strata, places, strict=True)]
            yield chance / (len(orders[0]) * len(orders[1])), strata, rows


@pytest.mark.parametrize("losses", [[1, 0, 0, 1, 0], [2.5, 0, 0.3, 4, 1]])
def test_the_mean_is_unbiased_after_every_draw_over_all_samples(losses, verdicts_of):
    truth, expected, total = np.array(losses, dtype=float), np.zeros(3), 0.0
    for chance, strata, rows in every_sample():
        for prefix in (1, 2, 3):
            labels = verdicts_of(truth[rows[:prefix]], strata[:prefix], rows=rows[:prefix])
            found = TwoStageMean().estimate(DESIGN, labels, loss_bound=None)
            expected[prefix - 1] += chance * (1 - found.accuracy)
        total += chance
    assert total == pytest.approx(1)
    assert expected == pytest.approx(truth.mean(), abs=1e-12)


def test_the_variance_is_that_of_draws_that_may_come_again_and_so_a_little_large(verdicts_of):
    truth = np.array([2.5, 0, 0.3, 4, 1])
    means, variances, chances = [], [], []
    for chance, strata, rows in every_sample():
        found = TwoStageMean().estimate(DESIGN, verdicts_of(truth[rows], strata, rows=rows), loss_bound=None)
        means.append(1 - found.accuracy)
        variances.append((found.standard_error or 0) ** 2)
        chances.append(chance)
    spread = np.dot(chances, (np.array(means) - truth.mean()) ** 2)
    per_input = np.repeat(np.array(PSI) / SIZES, SIZES)
    again = (np.dot(per_input, (truth / (5 * per_input)) ** 2) - truth.mean() ** 2) / 3  # Hansen and Hurwitz 1943
    # Inputs of a stratum come again only after all others, which spreads the terms of a sample a little more.
    assert spread < again < np.dot(chances, variances)


def test_it_is_equation_fifteen(verdicts_of):
    labels = verdicts_of([1, 0, 1, 1], [0, 0, 1, 0], rows=[0, 1, 3, 2])
    found = TwoStageMean().estimate(TwoStage(SIZES, 4, PSI), labels, loss_bound=None)
    assert 1 - found.accuracy == pytest.approx((2 * 3 / 0.7 + 1 * 2 / 0.3) / (5 * 4))


def test_as_published_each_stratum_drawn_counts_the_same(verdicts_of):
    labels = verdicts_of([1, 0, 1, 1], [0, 0, 1, 0], rows=[0, 1, 3, 2])
    design = TwoStage(SIZES, 4, PSI, averaged_over_strata=True)
    found = TwoStageMean().estimate(design, labels, loss_bound=None)
    assert 1 - found.accuracy == pytest.approx((2 / 3 * 3 / 0.7 + 1 * 2 / 0.3) / (2 * 5))
    assert (found.low, found.high, found.standard_error) == (None, None, None)
    assert "biased" in found.why
    one = TwoStageMean().estimate(design, verdicts_of([1, 0], [0, 0], rows=[0, 1]), loss_bound=None)
    assert 1 - one.accuracy == pytest.approx(1 / 2 * 3 / 0.7 / 5)  # only the strata met are averaged


def test_cannot_tell_is_bounded_with_its_weight(verdicts_of):
    found = TwoStageMean().estimate(DESIGN, verdicts_of([0, None], [0, 1], rows=[0, 3]))
    assert (found.accuracy, found.skipped_high) == (1, 1)
    assert found.skipped_low == pytest.approx(1 - 2 / (0.3 * 5) / 2)


def test_a_sample_without_failures_has_an_interval_of_some_width(verdicts_of):
    labels = verdicts_of([0] * 40, [0] * 40, rows=list(range(40)))
    found = TwoStageMean().estimate(TwoStage((80, 20), 40, (0.8, 0.2)), labels)
    assert 0.85 < found.low < 0.97
    assert found.high == 1


@pytest.mark.parametrize("chances", [(0.5, 0.4), (1.0,), (1.2, -0.2)])
def test_chances_that_do_not_fit_the_strata_are_refused(chances, verdicts_of):
    with pytest.raises(BadInput, match="chances"):
        TwoStageMean().estimate(TwoStage(SIZES, 3, chances), verdicts_of([0, 1], [0, 1], rows=[0, 3]))
