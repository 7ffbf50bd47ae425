"""Tests of difference against published textbook examples, calculation by hand, and every arrangement counted out."""

from itertools import permutations, product

import numpy as np
import pytest

from research.methods.tests_of_difference import a12, dunn_holm, friedman, holm, wilcoxon_a12
from testimate.core.errors import BadInput
from tests.each import each

# Hollander and Wolfe, Nonparametric Statistical Methods (1973), p. 140: seconds to round first base, 22 players; the
# example of R's friedman.test, which gives 11.143 with 2 degrees of freedom, p = 0.003805.
ROUNDING = {
    "round out": [
        *(5.40, 5.85, 5.20, 5.55, 5.90, 5.45, 5.40, 5.45, 5.25, 5.85, 5.25, 5.65, 5.60, 5.05, 5.50, 5.45, 5.55, 5.45),
        *(5.50, 5.65, 5.70, 6.30),
    ],
    "narrow angle": [
        *(5.50, 5.70, 5.60, 5.50, 5.85, 5.55, 5.40, 5.50, 5.15, 5.80, 5.20, 5.55, 5.35, 5.00, 5.50, 5.55, 5.55, 5.50),
        *(5.45, 5.60, 5.65, 6.30),
    ],
    "wide angle": [
        *(5.55, 5.75, 5.50, 5.40, 5.70, 5.60, 5.35, 5.35, 5.00, 5.70, 5.10, 5.45, 5.45, 4.95, 5.40, 5.50, 5.35, 5.55),
        *(5.25, 5.40, 5.55, 6.25),
    ],
}

# Zar, Biostatistical Analysis (4th edition), examples 10.11 and 11.10: pH of four ponds; mean ranks 6.88, 16.56, 20.71
# and 20.44, and Q of Dunn's test with ties: 2.95 (3 and 1), 2.99 (4 and 1), 2.14 (2 and 1), 0.88 (3 and 2).
PONDS = {
    "1": [7.68, 7.69, 7.70, 7.70, 7.72, 7.73, 7.73, 7.76],
    "2": [7.71, 7.73, 7.74, 7.74, 7.78, 7.78, 7.80, 7.81],
    "3": [7.74, 7.75, 7.77, 7.78, 7.80, 7.81, 7.84],
    "4": [7.71, 7.71, 7.74, 7.79, 7.81, 7.85, 7.87, 7.91],
}

# Darwin's maize, cross- less self-fertilised (eighths of an inch): scipy's own example, T = 24, p = 0.0413 two-sided.
DARWIN = np.array([6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75])


def test_friedman_gives_the_published_figures_of_the_base_runners():
    found = friedman(ROUNDING)
    assert found.statistic == pytest.approx(11.143, abs=5e-4)
    assert found.p == pytest.approx(0.003805, abs=5e-7)
    # Iman and Davenport's F by hand: 21 * 11.142857 / (44 - 11.142857)
    assert found.iman_davenport == pytest.approx(21 * 11.142857 / 32.857143, rel=1e-6)
    assert found.iman_davenport_p < found.p
    assert min(found.mean_ranks, key=found.mean_ranks.get) == "wide angle"


def test_friedman_where_every_block_ranks_alike_is_certain():
    found = friedman({"a": [1, 2, 3], "b": [2, 3, 4], "c": [3, 4, 5]})
    assert found.statistic == pytest.approx(6)  # b (k - 1), the largest there is
    assert (found.iman_davenport, found.iman_davenport_p) == (None, 0.0)


def test_dunn_gives_the_published_figures_of_the_ponds():
    z = {(pair.first, pair.second): pair.z for pair in dunn_holm(PONDS)}
    assert [round(-z[pair], 2) for pair in (("1", "3"), ("1", "4"), ("1", "2"), ("2", "3"))] == [2.95, 2.99, 2.14, 0.88]


def test_dunns_p_values_are_two_sided_and_adjusted_by_holm():
    pairs = {(pair.first, pair.second): pair.p for pair in dunn_holm(PONDS)}
    # 2 * P(Z > 2.99) = 0.0028 times 6, 2 * P(Z > 2.95) = 0.0032 times 5, 2 * P(Z > 2.14) = 0.0324 times 4
    assert pairs["1", "4"] == pytest.approx(0.0167, abs=6e-4)
    assert pairs["1", "3"] == pytest.approx(pairs["1", "4"], abs=1e-3)
    assert pairs["1", "2"] == pytest.approx(0.130, abs=3e-3)
    assert pairs["3", "4"] == 1


def test_holm_keeps_the_share_of_false_alarms_below_the_level():
    rng = np.random.default_rng(5)
    alarms = np.mean([(holm(rng.random(6)) < 0.05).any() for _ in range(4000)])
    assert 0.038 < alarms < 0.06  # 1 - (1 - 0.05 / 6)^6 = 0.049, give or take 3 standard errors of 0.0034


def test_wilcoxon_gives_the_published_figures_of_darwins_maize():
    found = wilcoxon_a12(DARWIN, np.zeros(15))
    assert (found.statistic, found.p) == (24, pytest.approx(0.041259765625))
    assert found.a12 == pytest.approx(13 / 15)


def test_the_exact_p_value_of_wilcoxon_is_that_of_all_signs():
    differences = np.array([0.3, -0.1, 0.7, 0.4, 0.9])
    ranks = np.array([2, 1, 4, 3, 5])
    sums = [ranks[list(signs)].sum() for signs in np.array(list(product([False, True], repeat=5)))]
    expected = np.mean(np.array(sums) <= 1)  # W+ of the mirror image: only the difference of rank 1 is positive
    assert wilcoxon_a12(-differences, np.zeros(5), alternative="less").p == pytest.approx(expected)


def test_three_pairs_can_never_differ_significantly():
    smallest = min(wilcoxon_a12(list(order), [0, 0, 0]).p for order in permutations([1.0, 2.0, 3.0]))
    assert smallest == pytest.approx(0.25)  # 2 of the 8 choices of signs: why SSOA's table 4 shows no difference


def test_a12_is_the_share_of_pairs_in_which_the_first_is_larger():
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, 6, 40), rng.integers(1, 7, 31)
    pairs = [1.0 if x > y else 0.5 if x == y else 0.0 for x, y in product(one, other)]
    assert a12(one, other) == pytest.approx(np.mean(pairs))
    assert a12(one, other) + a12(other, one) == pytest.approx(1)


def test_pairs_that_do_not_differ_have_a_p_of_1():
    assert wilcoxon_a12([1, 2], [1, 2]).p == 1


@each(
    ("wrong", "sentence"),
    [
        (lambda: friedman({"a": [1, 2], "b": [1, 2]}), "There are 2 techniques"),
        (lambda: friedman({"a": [1, 2], "b": [1, 2], "c": [1]}), "There are 3 techniques"),
        (lambda: friedman({"a": [1, 1], "b": [1, 1], "c": [1, 1]}), "same value in every block"),
        (lambda: dunn_holm({"a": [1, 1], "b": [1]}), "All values are alike"),
        (lambda: dunn_holm({"a": [1, 2], "b": []}), "has no values"),
        (lambda: dunn_holm({"a": [1, np.nan], "b": [2]}), "finite"),
        (lambda: wilcoxon_a12([1, 2], [1]), "Expected pairs"),
        (lambda: a12([], [1]), "no values"),
    ],
)
def test_what_cannot_be_tested_is_refused(wrong, sentence):
    with pytest.raises(BadInput, match=sentence):
        wrong()
