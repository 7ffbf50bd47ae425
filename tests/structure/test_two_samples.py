"""Tests of whether two sets look alike, against other libraries, enumeration and the level they promise."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import gmean, kstwobign, ttest_1samp
from sklearn.metrics.pairwise import rbf_kernel

from testimate.core.errors import BadInput
from testimate.structure.rbf_kernel import median_heuristic
from testimate.structure.two_samples import classes_alike, features_alike, numbers_alike, smaller_errors
from tests.each import each


def mmd(a: np.ndarray, b: np.ndarray, gamma: float) -> float:
    """Gretton et al. 2012, eq. 5, as written there, with scikit-learn's kernel."""
    return rbf_kernel(a, a, gamma).mean() - 2 * rbf_kernel(a, b, gamma).mean() + rbf_kernel(b, b, gamma).mean()


def test_the_statistic_is_the_paper_s_with_another_library_s_kernel():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(30, 5)), rng.normal(0.5, 1, size=(20, 5))
    found = features_alike(a, b, seed=1)
    gamma = median_heuristic(np.concatenate([a, b]), seed=1)
    assert found.statistic == pytest.approx(mmd(a, b, gamma), abs=1e-12)
    assert found.compared == (30, 20)


def test_the_p_value_tends_to_the_share_of_all_ways_to_deal_the_inputs():
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(4, 2)), rng.normal(1, 1, size=(4, 2))
    both = np.concatenate([a, b])
    gamma = median_heuristic(both, seed=1)
    seen = mmd(a, b, gamma)
    ways = list(combinations(range(8), 4))
    exact = np.mean([mmd(both[list(one)], np.delete(both, one, axis=0), gamma) >= seen - 1e-9 for one in ways])
    found = features_alike(a, b, seed=2, shuffles=20_000)
    assert 0.02 < exact < 0.9
    assert found.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))


def test_sets_drawn_alike_are_called_different_no_more_often_than_promised():
    rng = np.random.default_rng(7)
    small = sum(
        features_alike(rng.normal(size=(20, 3)), rng.normal(size=(15, 3)), seed=k, shuffles=99).p_value <= 0.1
        for k in range(400)
    )
    assert abs(small / 400 - 0.1) < 3 * np.sqrt(0.1 * 0.9 / 400)


def test_a_shift_and_another_spread_are_found():
    rng = np.random.default_rng(3)
    a = rng.normal(size=(400, 20))
    assert features_alike(a, rng.normal(0.3, 1, size=(300, 20)), seed=1).p_value == 0.001
    assert features_alike(a, rng.normal(0, 1.3, size=(300, 20)), seed=1).p_value == 0.001


def test_a_sample_of_many_inputs_is_compared():
    rng = np.random.default_rng(3)
    found = features_alike(rng.normal(size=(500, 2)), rng.normal(size=(40, 2)), seed=1, sample=100, shuffles=9)
    assert found.compared == (100, 40)


def test_features_of_another_width_are_refused():
    with pytest.raises(BadInput, match="the same width"):
        features_alike(np.zeros((3, 2)), np.zeros((3, 4)), seed=1)


def test_confidence_is_compared_by_the_largest_gap_of_the_two_distributions():
    rng = np.random.default_rng(2)
    a, b = rng.random(4000), rng.random(5000) ** 1.1
    found = numbers_alike(a, b)
    grid = np.sort(np.concatenate([a, b]))
    gap = max(
        abs(np.searchsorted(np.sort(a), grid, "right") / 4000 - np.searchsorted(np.sort(b), grid, "right") / 5000)
    )
    assert found.statistic == pytest.approx(gap)
    assert found.p_value == pytest.approx(kstwobign.sf(gap * np.sqrt(4000 * 5000 / 9000)), rel=0.2)  # Smirnov 1948
    with pytest.raises(BadInput, match="not finite"):
        numbers_alike([0.1, np.nan], [0.2])


def test_classes_are_compared_by_pearson_s_chi_squared():
    first, second = np.repeat([0, 1], [30, 70]), np.repeat([0, 1], [50, 50])
    found = classes_alike(first, second)
    assert found.statistic == pytest.approx(0.2)
    # chi squared of the 2 x 2 table is 25/3 = 8.33, whose tail with one degree of freedom is 0.00389
    assert found.p_value == pytest.approx(0.003892, abs=1e-5)
    assert classes_alike(np.zeros(5, dtype=int), np.zeros(9, dtype=int)).p_value == 1.0


def every_sign(differences):
    """The one-sided p-value of Wilcoxon's test from all 2^n signs."""
    ranks = np.abs(differences).argsort().argsort() + 1
    found = ranks[differences > 0].sum()
    sums = [sum(np.array(signs) * ranks) for signs in product((0, 1), repeat=len(ranks))]
    return np.mean(np.array(sums) <= found)


def test_smaller_errors_agree_with_all_signs_and_all_pairs_counted_out():
    rng = np.random.default_rng(4)
    first, second = rng.normal(size=9), 2 * rng.normal(size=9)
    found = smaller_errors(first, second)
    a, b = np.abs(first), np.abs(second)
    assert found.p_value == pytest.approx(every_sign(a - b))
    assert found.a12 == pytest.approx(np.mean([(x < y) + (x == y) / 2 for x in a for y in b]))
    assert found.gain == pytest.approx(1 - np.sqrt((a**2).sum() / (b**2).sum()))


def test_the_interval_of_a_gain_holds_the_true_one_as_often_as_it_says():
    rng = np.random.default_rng(8)
    found = [smaller_errors(rng.normal(size=200), 2 * rng.normal(size=200)) for _ in range(300)]
    held = np.mean([one.gain_low <= 0.5 <= one.gain_high for one in found])
    assert 0.91 < held < 0.985


PACE = [0.742, 1.249, 0.603, 4.470, 1.161, 3.140, 0.080, 2.668, 5.051, 1.578, 1.415, 1.770]
PACE += [6.034, 3.798, 2.479, 6.131, 0.316, 1.979, 0.920, 2.310, 1.310, 0.667, 3.980, 1.389]
SRS = [2.423, 3.010, 1.418, 4.514, 5.435, 5.520, 1.681, 4.175, 6.189, 4.598, 1.813, 1.647]
SRS += [5.007, 6.587, 3.057, 7.360, 4.438, 8.067, 6.452, 7.279, 7.919, 6.262, 7.231, 3.043]
CES = [2.540, 2.447, 1.227, 3.784, 5.199, 4.211, 1.120, 4.277, 6.177, 5.846, 1.599, 1.572]
CES += [4.607, 5.516, 2.580, 5.746, 4.976, 7.426, 7.256, 6.443, 6.258, 5.348, 6.581, 3.068]


@each(("other", "a12"), [(SRS, 0.828), (CES, 0.788)])
def test_errors_of_24_subjects_have_the_published_effect_size(other, a12):
    """PACE, tables 2 and 3 at 50 labels, and table 4: A12 to three digits, significant at 0.05."""
    found = smaller_errors(PACE, other)
    assert round(found.a12, 3) == a12
    assert found.p_value < 0.05


def test_numbers_of_errors_that_cannot_be_paired_are_refused():
    with pytest.raises(BadInput, match="There are 2 and 3 errors"):
        smaller_errors([1, 2], [1, 2, 3])
    assert smaller_errors([1.0], [2.0, 3.0]).gain_low is None
    assert smaller_errors([1, 2], [1, 2]).p_value == 1


def test_the_gain_over_subjects_covers_the_true_one_as_often_as_it_promises():
    """Subjects of very different difficulty, on each of which the first technique's error is 0.7 of the second's on average."""
    rng, covered = np.random.default_rng(5), 0
    for _ in range(600):
        hard = rng.lognormal(0, 1, size=24)
        first, second = 0.7 * hard * rng.lognormal(0, 0.2, size=24), hard * rng.lognormal(0, 0.2, size=24)
        found = smaller_errors(first, second, paired=True)
        covered += found.gain_low <= 0.3 <= found.gain_high
    assert covered / 600 == pytest.approx(0.95, abs=0.03)


def test_an_interval_of_pairs_is_scipys_for_the_mean_of_their_logarithms():
    first, second = np.array([1.0, 2.0, 4.0, 3.0]), np.array([2.0, 3.0, 5.0, 6.0])
    found = smaller_errors(first, second, paired=True)
    ends = ttest_1samp(np.log(second / first), 0).confidence_interval(0.95)
    assert (found.gain_low, found.gain_high) == pytest.approx((1 - np.exp(-ends.low), 1 - np.exp(-ends.high)))
    assert 1 - found.gain == pytest.approx(gmean(first / second))
    assert smaller_errors([1.0, 2.0], [2.0, 3.0], paired=True).gain_low is None
    assert smaller_errors([0.0, 2.0], [2.0, 3.0], paired=True).gain is None
