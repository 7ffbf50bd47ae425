"""DeepEST's step-by-step estimator, held against exhaustive enumeration."""

from itertools import permutations

import numpy as np
import pytest

from testimate.core.design import Sequential
from testimate.core.errors import BadInput
from testimate.estimators.unequal_chances import StepByStep
from tests.each import each

WEIGHTS, R = np.array([0.0, 0.9, 0.4, 0.0, 0.5]), 0.8  # two inputs below the threshold


def every_sample(count):
    """Each order of ``count`` draws, with its probability and each draw's chance given those before; DeepSample, eq. 7."""
    for rows in permutations(range(5), count):
        chances = [1 / 5]
        for draw in range(1, count):
            left = [row for row in range(5) if row not in rows[:draw]]
            weight = WEIGHTS[left].sum()
            uniform = 1 / len(left)
            chances.append(R * WEIGHTS[rows[draw]] / weight + (1 - R) * uniform if weight else uniform)
        yield np.prod(chances), list(rows), chances


@each("losses", [[1, 0, 1, 1, 0], [2.5, 0, 0.3, 4, 1]])
@each("count", [1, 2, 3, 4])
def test_mean_and_variance_are_unbiased_over_all_orders(count, losses, verdicts_of):
    truth, samples = np.array(losses, dtype=float), list(every_sample(count))
    weights = np.array([chance for chance, _, _ in samples])
    means, variances = [], []
    for _, rows, chances in samples:
        labels = verdicts_of(truth[rows], probabilities=chances, rows=rows)
        found = StepByStep().estimate(Sequential((5,), count), labels, loss_bound=None)
        means.append(1 - found.accuracy)
        variances.append((found.standard_error or 0) ** 2)
    assert weights.sum() == pytest.approx(1)
    assert np.dot(weights, means) == pytest.approx(truth.mean(), abs=1e-12)
    spread = np.dot(weights, (np.array(means) - truth.mean()) ** 2)
    if count > 1:
        assert np.dot(weights, variances) == pytest.approx(spread, abs=1e-12)


def test_it_is_equations_eight_and_ten(verdicts_of):
    labels = verdicts_of([1, 0, 1], probabilities=[0.2, 0.5, 0.4], rows=[3, 1, 2])
    found = StepByStep().estimate(Sequential((5,), 3), labels, loss_bound=None)
    second, third = 1 + 0 / 0.5, 1 + 0 + 1 / 0.4
    assert 1 - found.accuracy == pytest.approx((1 + (second + third) / 5) / 3)


def test_every_input_labeled_leaves_nothing_open(verdicts_of):
    labels = verdicts_of([1, 0, 0, 0, 0], probabilities=[0.2, 0.5, 0.4, 0.5, 1.0])
    found = StepByStep().estimate(Sequential((5,), 5), labels)
    assert (found.low, found.accuracy, found.high, found.standard_error) == (0.8, 0.8, 0.8, 0)


def test_a_draw_nobody_could_settle_counts_as_the_others_do(verdicts_of):
    labels = verdicts_of([1, None, 0, 1], probabilities=[0.2, 0.3, 0.4, 0.6])
    found = StepByStep().estimate(Sequential((5,), 4), labels, loss_bound=None)
    mean = 1 - found.accuracy
    steps = [1.0, (1 + mean) / 5, (1 + mean + 1 / 0.6) / 5]  # the second draw's loss taken as the mean
    assert mean == pytest.approx(np.mean(steps))
    bounded = StepByStep().estimate(Sequential((5,), 4), labels)
    assert bounded.skipped_high == pytest.approx(1 - (1 + 1 / 5 + 1 / 5 + (1 + 1 / 0.6) / 5) / 4)
    assert bounded.skipped_low == pytest.approx(max(0, 1 - (1 + (1 + 1 / 0.3) / 5 + 2 / 5 + (2 + 1 / 0.6) / 5) / 4))


def test_without_failures_the_interval_is_still_one(verdicts_of):
    chances = [1 / (1000 - draw) for draw in range(50)]
    found = StepByStep().estimate(Sequential((1000,), 50), verdicts_of([0] * 50, probabilities=chances))
    assert found.low == pytest.approx(
        1 - 3 / 50, abs=0.02
    )  # equal chances are simple random sampling: the rule of three
    assert found.high == found.accuracy == 1
    assert found.standard_error > 0


def test_draws_need_their_chances(verdicts_of):
    with pytest.raises(BadInput, match="2 draws have no probability"):
        StepByStep().estimate(Sequential((10,), 2), verdicts_of([0, 1]))
