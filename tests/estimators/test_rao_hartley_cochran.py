"""Rao, Hartley and Cochran's estimator, held against exhaustive enumeration and their own formula."""

from itertools import permutations, product

import numpy as np
import pytest

from testimate.core.design import Groups
from testimate.core.errors import BadInput
from testimate.estimators.sample import sample_of
from testimate.estimators.unequal_chances import RaoHartleyCochran, variance_of_mean

PI = np.array([0.1, 0.4, 0.05, 0.25, 0.2])


def every_sample(sizes):
    """Each way the inputs can be dealt and drawn from, with its probability."""
    ends = np.cumsum(sizes)
    deals = list(permutations(range(len(PI))))
    for deal in deals:
        groups = [deal[end - size : end] for size, end in zip(sizes, ends, strict=True)]
        totals = [PI[list(group)].sum() for group in groups]
        for rows in product(*groups):
            chances = PI[list(rows)] / totals
            yield np.prod(chances) / len(deals), list(rows), chances, totals


@pytest.mark.parametrize("losses", [[1, 0, 1, 0, 0], [2.5, 0, 0.3, 4, 1]])
@pytest.mark.parametrize("sizes", [(2, 2, 1), (2, 1, 1, 1), (1, 1, 1, 1, 1)])
def test_mean_and_variance_are_unbiased_after_every_draw_over_all_deals(sizes, losses, verdicts_of):
    truth, count = np.array(losses, dtype=float), len(sizes)
    sums = np.zeros((3, count))  # of estimates, their squares, and their variances as estimated
    for chance, rows, chances, totals in every_sample(sizes):
        design = Groups(sizes, count, tuple(totals))
        for prefix in range(1, count + 1):
            labels = verdicts_of(truth[rows[:prefix]], range(prefix), chances[:prefix], rows=rows[:prefix])
            mean = 1 - RaoHartleyCochran().estimate(design, labels, loss_bound=None).accuracy
            sample = sample_of(design, labels, None)
            variance = variance_of_mean(sample, np.array(sizes[:prefix]), np.array(totals[:prefix]), 5)
            sums[:, prefix - 1] += chance * np.array([mean, mean**2, variance or 0])
    assert sums[0] == pytest.approx(truth.mean(), abs=1e-12)
    assert sums[2, 1:] == pytest.approx((sums[1] - sums[0] ** 2)[1:], abs=1e-12)  # one draw has no variance


def test_the_variance_of_all_groups_is_that_of_the_paper(verdicts_of):
    # Rao, Hartley and Cochran 1962: (sum N_r^2 - N) / (N (N - 1)) (sum z_i^2 / pi_i - (sum z)^2), here of the mean
    sizes, truth = (2, 2, 1), np.array([2.5, 0, 0.3, 4, 1])
    means, chances = [], []
    for chance, rows, inside, totals in every_sample(sizes):
        labels = verdicts_of(truth[rows], range(3), inside, rows=rows)
        found = RaoHartleyCochran().estimate(Groups(sizes, 3, tuple(totals)), labels, loss_bound=None)
        means.append(1 - found.accuracy)
        chances.append(chance)
    factor = (9 - 5) / (5 * 4)
    exact = factor * ((truth**2 / PI).sum() - truth.sum() ** 2) / 25
    assert np.dot(chances, (np.array(means) - truth.mean()) ** 2) == pytest.approx(exact, abs=1e-12)


def test_it_is_equation_five(verdicts_of):
    labels = verdicts_of([1, 0, 1], range(3), [0.25, 0.5, 1.0], rows=[0, 2, 4])
    found = RaoHartleyCochran().estimate(Groups((2, 2, 1), 3, (0.4, 0.4, 0.2)), labels, loss_bound=None)
    assert 1 - found.accuracy == pytest.approx((1 / 0.25 + 0 + 1 / 1.0) / 5)


def test_every_input_labeled_leaves_nothing_open(verdicts_of):
    design = Groups((1, 1, 1, 1), 4, (0.25,) * 4)
    found = RaoHartleyCochran().estimate(design, verdicts_of([1, 0, 0, 0], range(4), [1.0] * 4))
    assert (found.low, found.accuracy, found.high, found.standard_error) == (0.75, 0.75, 0.75, 0)


def test_without_failures_or_with_one_label_the_interval_is_still_one(verdicts_of):
    design = Groups((50,) * 20, 20, (0.05,) * 20)
    clean = RaoHartleyCochran().estimate(design, verdicts_of([0] * 20, range(20), [0.02] * 20, rows=range(20)))
    assert (clean.accuracy, clean.high) == (1, 1)
    assert 0.75 < clean.low < 0.95  # three in twenty is the rule of three's
    one = RaoHartleyCochran().estimate(design, verdicts_of([1], [3], [0.02]))
    assert one.accuracy == 0
    assert one.low == 0
    assert one.high > 0.5


def test_a_failure_where_all_chances_are_zero_leaves_the_spread_unknown(verdicts_of):
    design = Groups((2, 2), 2, (0.0, 1.0))
    labels = verdicts_of([0.5, 0], range(2), [0.5, 0.5], rows=[0, 2])
    found = RaoHartleyCochran().estimate(design, labels, loss_bound=None)
    assert 1 - found.accuracy == pytest.approx(0.5 / 0.5 / 4)
    assert (found.low, found.standard_error) == (None, None)


def test_cannot_tell_leaves_its_group_out_and_is_bounded(verdicts_of):
    design = Groups((2, 2, 1), 3, (0.4, 0.4, 0.2))
    found = RaoHartleyCochran().estimate(design, verdicts_of([0, None, 1], range(3), [0.25, 0.8, 1.0], rows=[0, 2, 4]))
    assert found.accuracy == pytest.approx(1 - 1 / 3)
    assert found.skipped_low == pytest.approx(1 - (1 / 0.8 + 1) / 5)
    assert found.skipped_high == pytest.approx(1 - 1 / 5)


def test_two_draws_from_a_group_and_draws_without_chances_are_refused(verdicts_of):
    design = Groups((2, 2), 2, (0.5, 0.5))
    with pytest.raises(BadInput, match="Group 1 has 2 draws"):
        RaoHartleyCochran().estimate(design, verdicts_of([0, 1], [1, 1], [0.5, 0.5], rows=[2, 3]))
    with pytest.raises(BadInput, match="2 draws have no probability"):
        RaoHartleyCochran().estimate(design, verdicts_of([0, 1], [0, 1], rows=[0, 2]))
    with pytest.raises(BadInput, match="1 chances for 2 groups"):
        RaoHartleyCochran().estimate(Groups((2, 2), 2, (1.0,)), verdicts_of([0], [0], [0.5]))
