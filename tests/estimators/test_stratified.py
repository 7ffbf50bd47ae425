"""The stratum-weighted mean, held against exhaustive enumeration, exact coverage and hand-made numbers."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from testimate.core.design import Stratified
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.estimators.stratified import StratifiedMean, stratified_standard_error


def all_samples(sizes, counts):
    """Every stratified sample without replacement, as lists of rows; strata hold consecutive rows."""
    starts = np.cumsum(sizes) - sizes
    inside = [
        list(combinations(range(start, start + size), count))
        for start, size, count in zip(starts, sizes, counts, strict=True)
    ]
    return [sum(parts, ()) for parts in product(*inside)]


@pytest.mark.parametrize("loss_bound", [1.0, None])
def test_mean_and_variance_are_unbiased_over_all_samples(loss_bound, verdicts_of):
    sizes, counts = (5, 4, 2), (2, 3, 2)
    truth = np.array([1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0.0])
    if loss_bound is None:
        truth = truth * 1.7 + np.arange(11) / 10
    strata = np.repeat(range(3), sizes)
    accuracies, variances = [], []
    for rows in all_samples(sizes, counts):
        taken = list(rows)
        found = StratifiedMean().estimate(
            Stratified(sizes, 7), verdicts_of(truth[taken], strata[taken], rows=rows), loss_bound=loss_bound
        )
        accuracies.append(found.accuracy)
        variances.append(stratified_standard_error(truth[taken], strata[taken], np.array(sizes)) ** 2)
    assert np.mean(accuracies) == pytest.approx(1 - truth.mean(), abs=1e-12)
    assert np.mean(variances) == pytest.approx(np.var(accuracies), abs=1e-12)


def test_with_guessed_rates_the_interval_covers_as_often_as_it_claims(verdicts_of):
    # Strata by confidence as rrs cuts them: the guesses come from an overconfident model, the rates from the truth.
    guesses = (0.005, 0.005, 0.006, 0.014, 0.032, 0.058, 0.086, 0.105, 0.114, 0.106)
    rates = np.array([0.006, 0.029, 0.073, 0.204, 0.32, 0.406, 0.46, 0.527, 0.607, 0.676])
    sizes = np.array([4000, 2000, 1000, 800, 600, 400, 350, 300, 300, 250])
    failed = np.round(rates * sizes).astype(int)
    truth = 1 - failed.sum() / sizes.sum()
    design = Stratified(tuple(sizes.tolist()), 200, guesses)
    strata = np.repeat(range(10), 20)
    hits = 0
    for failures in np.random.default_rng(22).hypergeometric(failed, sizes - failed, 20, (1500, 10)):
        losses = (np.arange(20) < failures[:, None]).ravel()
        found = StratifiedMean().estimate(design, verdicts_of(losses, strata))
        hits += found.low <= truth <= found.high
    assert 0.95 <= hits / 1500 <= 0.985  # the guesses are far too low, and a part of each failure may lie anywhere


def test_without_guesses_the_interval_is_careful(verdicts_of):
    # Exact coverage: two labels at 1/2 in each small stratum make the interval wider than it need be.
    sizes, n = (200, 100, 60), 12
    strata = np.repeat(range(3), n)
    outcomes = np.array(list(product(range(n + 1), repeat=3)))
    ends = []
    for failures in outcomes:
        losses = (np.arange(n) < failures[:, None]).ravel()
        found = StratifiedMean().estimate(Stratified(sizes, 3 * n), verdicts_of(losses, strata))
        ends.append((1 - found.high, 1 - found.low))
    low, high = np.array(ends).T
    coverage = []
    for shares in product((0.0, 0.05, 0.1), (0.1, 0.2, 0.3), (0.3, 0.5, 0.8)):
        failed = np.round(np.array(shares) * sizes).astype(int)
        chances = np.prod([stats.hypergeom.pmf(outcomes[:, h], sizes[h], failed[h], n) for h in range(3)], axis=0)
        truth = failed.sum() / sum(sizes)
        coverage.append(chances[(low <= truth + 1e-12) & (truth - 1e-12 <= high)].sum())
    assert min(coverage) >= 0.95
    assert max(coverage) < 0.999


def test_both_ends_move_rates_that_the_prior_smoothed(verdicts_of):
    # Failures 0 of 2 and 1 of 2, guesses 0.1 and 0.3: rates (0 + 0.2) / 4 = 0.05 and (1 + 0.6) / 4 = 0.4.
    design = Stratified((60, 40), 4, prior_failure=(0.1, 0.3))
    found = StratifiedMean().estimate(design, verdicts_of([0, 0, 1, 0], [0, 0, 1, 1]))
    rates, start = np.array([[0.05], [0.4]]), 0.19
    mu = np.linspace(0, 1, 1_000_001)

    def fitting(growth):
        """The rates under which the labels fit, where each stratum's rate moves with mu by its ``growth``."""
        moved = rates + (mu - start) * growth
        at_mu = (np.array([[0.36 * 58 / 60], [0.16 * 38 / 40]]) * moved * (1 - moved) / 2).sum(axis=0)
        return mu[(mu - 0.2) ** 2 <= stats.norm.ppf(0.975) ** 2 * at_mu]

    low = fitting(rates / start).min()  # in proportion
    assert found.accuracy == pytest.approx(0.8)
    assert found.high == pytest.approx(1 - min(low, 1 / 100), abs=2e-6)  # one of 40 is found by 2 labels with 5%
    score = fitting(0.7 + 0.3 * rates / start).max()  # seven tenths evenly, the rest in proportion
    assert found.low == pytest.approx(1 - score, abs=2e-6)
    assert found.standard_error == pytest.approx(np.sqrt(0.16 * (38 / 40) * 0.5 / 2))  # the classical one


def test_a_stratum_without_failures_is_not_one_without_variance(verdicts_of):
    losses, strata = [0] * 40, [0] * 20 + [1] * 20
    plain = StratifiedMean().estimate(Stratified((500, 500), 40), verdicts_of(losses, strata))
    guessed = StratifiedMean().estimate(Stratified((500, 500), 40, (0.01, 0.02)), verdicts_of(losses, strata))
    assert plain.standard_error > guessed.standard_error > 0
    assert plain.low <= guessed.low < 1 == guessed.high


def test_a_single_label_in_each_stratum_has_a_smoothed_standard_error(verdicts_of):
    found = StratifiedMean().estimate(Stratified((30, 70), 2), verdicts_of([1, 0], [0, 1]))
    # Rates (1 + 1) / 3 and (0 + 1) / 3.
    variance = 0.09 * (29 / 30) * (2 / 9) + 0.49 * (69 / 70) * (2 / 9)
    assert found.standard_error == pytest.approx(np.sqrt(variance))


def test_a_prior_of_0_says_nothing(verdicts_of):
    labels = verdicts_of([0, 0, 0, 0], [0, 0, 1, 1])
    zero = StratifiedMean().estimate(Stratified((60, 40), 4, prior_failure=(0.0, 0.0)), labels)
    assert zero == StratifiedMean().estimate(Stratified((60, 40), 4), labels)


def test_korn_graubard_is_the_wider_choice(verdicts_of):
    labels = verdicts_of([0, 0, 1, 0] * 10, [0, 1] * 20)
    usual, careful = (
        StratifiedMean(name).estimate(Stratified((60, 40), 40), labels) for name in ("score", "korn-graubard")
    )
    assert careful.low < usual.low < usual.high < careful.high


def test_with_every_input_labeled_the_interval_is_the_point(verdicts_of):
    design = Stratified((3, 2), 5, in_rounds=True)
    found = StratifiedMean().estimate(design, verdicts_of([1, 0, 0, 1, 0], [0, 1, 0, 1, 0]))
    ends = (found.low, found.high, found.always_low, found.always_high)
    assert ends == pytest.approx((0.6,) * 4, abs=1e-12)
    assert found.standard_error == 0


def test_draws_with_replacement_have_no_finite_population_correction(verdicts_of):
    labels = verdicts_of([1, 0, 1, 0], [0, 0, 1, 1], rows=[0, 0, 1, 2])
    found = StratifiedMean().estimate(Stratified((2, 2), 4, replacement=True), labels)
    assert found.standard_error == pytest.approx(np.sqrt(2 * 0.25 * 0.5 / 2))
    assert found.low < 0.5 < found.high


def test_strata_without_a_settled_label_are_counted_in_the_error(verdicts_of):
    with pytest.raises(NotEnoughLabels, match="2 of the 4 strata"):
        StratifiedMean().estimate(Stratified((9, 9, 9, 9), 3), verdicts_of([1, 0, None], [0, 2, 3]))


def test_cannot_tell_is_bounded_inside_its_own_stratum(verdicts_of):
    found = StratifiedMean().estimate(Stratified((90, 10), 4), verdicts_of([0, None, 1, 0], [0, 0, 1, 1]))
    assert (found.labeled, found.skipped, found.accuracy) == (3, 1, pytest.approx(0.95))
    assert (found.skipped_low, found.skipped_high) == (pytest.approx(0.5), pytest.approx(0.95))


def test_regression_takes_satterthwaites_degrees_of_freedom(verdicts_of):
    # Equal weights, counts and spreads in two strata: the degrees of freedom are those of both together, 4.
    losses = [1.0, 2.0, 3.0, 5.0, 6.0, 7.0]
    found = StratifiedMean().estimate(
        Stratified((10**6, 10**6), 6), verdicts_of(losses, [0, 0, 0, 1, 1, 1]), loss_bound=None
    )
    error = np.sqrt(2 * 0.25 / 3)
    assert found.standard_error == pytest.approx(error, rel=1e-5)
    assert (1 - found.high, 1 - found.low) == pytest.approx(stats.t.interval(0.95, 4, 4.0, error), rel=1e-4)


@pytest.mark.parametrize(
    ("losses", "words"), [([1.0, 2.0, 3.0], "1 of the 2 strata have one"), ([0.1] * 6, "do not differ")]
)
def test_regression_without_a_known_spread_has_no_interval(losses, words, verdicts_of):
    strata = [0, 0, 1, 1, 1, 1][: len(losses)]
    found = StratifiedMean().estimate(Stratified((50, 50), 6), verdicts_of(losses, strata), loss_bound=None)
    assert (found.standard_error, found.low, found.high) == (None, None, None)
    assert words in found.why


def test_guesses_must_fit_the_strata(verdicts_of):
    with pytest.raises(BadInput, match="3 failure rates for 2 strata"):
        StratifiedMean().estimate(Stratified((5, 5), 2, (0.1, 0.1, 0.1)), verdicts_of([0, 0], [0, 1]))
