"""Planning, held against the intervals that samples with just the guessed rates get."""

import numpy as np
import pytest
from scipy import stats

from testimate.core.design import SimpleRandom, Stratified
from testimate.core.errors import BadInput
from testimate.estimators.expected_width import labels_per_stratum, rounds_half_width, simple_random_half_width
from testimate.estimators.stratified import SampleMean, StratifiedMean


@pytest.mark.parametrize("replacement", [False, True])
def test_a_simple_random_sample_of_the_guessed_rate_is_as_wide_as_expected(replacement, verdicts_of):
    for n in (20, 100, 300):
        found = SampleMean().estimate(
            SimpleRandom((400,), n, replacement=replacement), verdicts_of([1] * (n // 10) + [0] * (n - n // 10))
        )
        (expected,) = simple_random_half_width(400, [n], 0.1, replacement=replacement)
        assert found.half_width == pytest.approx(expected, abs=1e-12)


def test_rounds_of_the_guessed_rates_are_as_wide_as_expected(verdicts_of):
    prior, sizes, n = (0.1, 0.4), (100, 300), 10
    labels = verdicts_of([1] + [0] * 9 + [1] * 4 + [0] * 6, [0] * n + [1] * n)
    found = StratifiedMean().estimate(Stratified(sizes, 2 * n, prior, interval_version=2), labels, level=0.9)
    (expected,) = rounds_half_width(sizes, [2 * n], prior, level=0.9)
    assert found.half_width == pytest.approx(expected, abs=1e-12)


def test_labels_fall_on_strata_as_rounds_deal_them():
    sizes = np.array([7, 2, 5, 11])
    left, dealt = sizes.copy(), np.zeros(4)
    for _ in range(11):
        live = left > 0
        for part in range(1, int(live.sum()) + 1):
            expected = dealt + live * part / live.sum()
            assert labels_per_stratum(sizes, dealt.sum() + part) == pytest.approx(expected)
        dealt, left = dealt + live, left - live


def test_more_labels_are_never_expected_to_be_wider_and_all_labels_leave_nothing():
    widths = rounds_half_width([30, 50, 20], np.arange(3, 101), [0.05, 0.2, 0.5])
    assert (np.diff(widths) < 0).all()
    assert widths[-1] == 0
    assert simple_random_half_width(100, [99, 100], 0.5)[1] == 0


def test_strata_that_tell_failures_apart_need_fewer_labels():
    apart = rounds_half_width([5000, 5000], [200], [0.0, 0.2])
    alike = rounds_half_width([5000, 5000], [200], 0.1)
    assert apart < alike
    students = stats.t.ppf(0.975, 199) / stats.norm.ppf(0.975)
    assert alike == pytest.approx(students * simple_random_half_width(10_000, [200], 0.1), rel=1e-3)


def test_budgets_and_rates_outside_what_is_possible_are_refused():
    with pytest.raises(BadInput, match=r"A budget is 2. Expected a number from 3 to 30"):
        rounds_half_width([10, 10, 10], [5, 2], 0.1)
    with pytest.raises(BadInput, match=r"A budget is 101. Expected a number from 1 to 100"):
        simple_random_half_width(100, [101], 0.1)
    with pytest.raises(BadInput, match="Expected 3 from 0 to 1"):
        rounds_half_width([10, 10, 10], [5], [0.1, 0.2])
