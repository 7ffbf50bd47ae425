"""The sample mean, held against exact coverage and exhaustive enumeration."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from testimate.core.design import SimpleRandom
from testimate.core.errors import NotEnoughLabels
from testimate.estimators.stratified import SampleMean


def intervals_of_mean_loss(design, n, verdicts_of, estimator):
    """(n + 1, 2) ends of the failure rate for every number of failures."""
    found = [estimator.estimate(design, verdicts_of([1] * z + [0] * (n - z)), always_valid=False) for z in range(n + 1)]
    return np.array([[1 - estimate.high, 1 - estimate.low] for estimate in found])


@pytest.mark.parametrize("n", [50, 120, 270])
def test_wilson_covers_as_often_as_it_claims_whatever_share_is_labeled(n, verdicts_of):
    size = 300
    ends = intervals_of_mean_loss(SimpleRandom((size,), n), n, verdicts_of, SampleMean())
    failed = np.arange(15, 286)
    chances = stats.hypergeom.pmf(np.arange(n + 1)[:, None], size, failed, n)  # (n + 1, truths)
    inside = (ends[:, :1] <= failed / size + 1e-12) & (failed / size - 1e-12 <= ends[:, 1:])
    coverage = (chances * inside).sum(axis=0)
    assert coverage.mean() == pytest.approx(0.95, abs=0.01)
    assert coverage.min() > 0.92


def test_wilson_covers_as_often_as_it_claims_with_replacement(verdicts_of):
    n = 100
    ends = intervals_of_mean_loss(SimpleRandom((200,), n, replacement=True), n, verdicts_of, SampleMean())
    truths = np.linspace(0.02, 0.98, 400)
    inside = (ends[:, :1] <= truths) & (truths <= ends[:, 1:])
    coverage = (stats.binom.pmf(np.arange(n + 1)[:, None], n, truths) * inside).sum(axis=0)
    assert coverage.mean() == pytest.approx(0.95, abs=0.005)


def test_clopper_pearson_never_covers_less_than_it_claims(verdicts_of):
    size, n = 300, 60
    ends = intervals_of_mean_loss(SimpleRandom((size,), n), n, verdicts_of, SampleMean("clopper-pearson"))
    failed = np.arange(size + 1)
    inside = (ends[:, :1] <= failed / size + 1e-12) & (failed / size - 1e-12 <= ends[:, 1:])
    coverage = (stats.hypergeom.pmf(np.arange(n + 1)[:, None], size, failed, n) * inside).sum(axis=0)
    assert coverage.min() >= 0.95


def test_mean_and_variance_are_unbiased_over_all_samples(verdicts_of):
    truth = np.array([1, 0, 0, 1, 0, 0, 0.0])
    design = SimpleRandom((7,), 3)
    found = [
        SampleMean().estimate(design, verdicts_of(truth[list(rows)], rows=rows)) for rows in combinations(range(7), 3)
    ]
    assert np.mean([estimate.accuracy for estimate in found]) == pytest.approx(5 / 7, abs=1e-12)
    # Samples of one kind only get the smoothed standard error: their classical one is 0.
    classical = [0 if estimate.accuracy in (0, 1) else estimate.standard_error**2 for estimate in found]
    assert np.mean(classical) == pytest.approx(np.var([estimate.accuracy for estimate in found]), abs=1e-12)


@pytest.mark.parametrize("n", [1, 40])
def test_no_failure_so_far_does_not_mean_no_variance(n, verdicts_of):
    found = SampleMean().estimate(SimpleRandom((1000,), n), verdicts_of([0] * n))
    rate = 1 / (n + 2)
    assert found.standard_error == pytest.approx(np.sqrt((1 - n / 1000) * rate * (1 - rate) / n))
    assert found.accuracy == found.high == 1
    assert found.low < 1


def test_with_every_input_labeled_the_interval_is_the_point(verdicts_of):
    found = SampleMean().estimate(SimpleRandom((8,), 8), verdicts_of([1, 0, 0, 0, 0, 0, 0, 1]))
    assert (found.low, found.accuracy, found.high) == (0.75, 0.75, 0.75)
    assert (found.always_low, found.always_high, found.standard_error) == (0.75, 0.75, 0)


def test_the_interval_leaves_out_what_the_labels_rule_out(verdicts_of):
    found = SampleMean().estimate(SimpleRandom((200,), 100), verdicts_of([1] + [0] * 99))
    assert found.high == 1 - 1 / 200  # one failure was seen
    allowed = SampleMean().estimate(SimpleRandom((200,), 100, replacement=True), verdicts_of([1] + [0] * 99))
    assert allowed.high > found.high


def test_cannot_tell_is_counted_and_bounded(verdicts_of):
    found = SampleMean().estimate(SimpleRandom((100,), 10), verdicts_of([1, 0, 0, 0, None, 0, 0, None, 0, 0]))
    assert (found.labeled, found.skipped) == (8, 2)
    assert found.accuracy == pytest.approx(7 / 8)
    assert (found.skipped_low, found.skipped_high) == (pytest.approx(7 / 10), pytest.approx(9 / 10))


def test_losses_without_a_bound_have_no_lower_bound_for_skipped_ones(verdicts_of):
    found = SampleMean().estimate(SimpleRandom((100,), 3), verdicts_of([0.5, None, 1.5]), loss_bound=None)
    assert (found.skipped_low, found.skipped_high) == (None, pytest.approx(1 - 2 / 3))
    assert (found.always_low, found.always_high) == (None, None)
    assert found.accuracy == pytest.approx(0)


@pytest.mark.parametrize("losses", [[0.1] * 5, [2.0]])
def test_losses_that_do_not_differ_give_no_interval(losses, verdicts_of):
    found = SampleMean().estimate(SimpleRandom((100,), 5), verdicts_of(losses), loss_bound=None)
    assert (found.standard_error, found.low, found.high) == (None, None, None)
    assert "do not differ" in found.why


@pytest.mark.parametrize("losses", [[], [None, None]])
def test_without_a_settled_label_there_is_no_number(losses, verdicts_of):
    with pytest.raises(NotEnoughLabels, match="needs at least 1"):
        SampleMean().estimate(SimpleRandom((100,), 5), verdicts_of(losses))


def test_an_accuracy_beyond_0_is_shown_as_it_is_for_regression_alone(verdicts_of):
    losses = [3.0, 4.0, 2.0]
    assert SampleMean().estimate(SimpleRandom((9,), 3), verdicts_of(losses), loss_bound=None).accuracy == -2
    assert SampleMean().estimate(SimpleRandom((9,), 3), verdicts_of(losses), loss_bound=9.0).accuracy == -2
