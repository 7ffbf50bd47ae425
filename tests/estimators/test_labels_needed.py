"""How many labels are needed, held against closed forms and against campaigns that label on."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, stats

from testimate.core.design import PerDraw, Purposive, SimpleRandom, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.estimators import labels_needed as labels_ahead
from testimate.estimators.always_valid import always_valid_trail
from testimate.estimators.expected_rounds import (
    RoundSettings,
    adaptive_always_half_width,
    adaptive_half_width,
    chance_classes,
    expected_rounds,
)
from testimate.estimators.expected_width import (
    per_draw_always_half_width,
    per_draw_half_width,
    rounds_always_half_width,
    rounds_half_width,
    simple_always_half_width,
    simple_random_half_width,
    stratified_half_width,
)
from testimate.estimators.labels_needed import labels_needed, stop_safe_labels_needed
from testimate.estimators.stratified import SampleMean, StratifiedMean
from testimate.estimators.unequal_chances import HansenHurwitz, MeanOfChosen
from tests.each import each


@each("half_width", [0.01, 0.035, 0.08, 0.2])
def test_the_budget_found_is_the_first_that_reaches_the_half_width(half_width):
    def expected(budgets):
        return simple_random_half_width(3000, budgets, 0.07)

    found = labels_needed(half_width, expected, least=1, most=3000)
    assert expected([found])[0] <= half_width
    assert found == 1 + int((expected(np.arange(1, 3000)) > half_width).sum())


def test_where_nothing_reaches_it_there_is_none_and_where_the_least_does_it_is_that():
    assert labels_needed(0.01, lambda budgets: 1 / np.sqrt(budgets), least=1, most=5000) is None
    assert labels_needed(0.01, lambda budgets: 1 / np.sqrt(budgets), least=1, most=10_000) == 10_000
    assert labels_needed(0.5, lambda budgets: 1 / np.sqrt(budgets), least=30, most=100) == 30


@pytest.mark.parametrize("half_width", [0.0, -0.1, float("nan"), float("inf")])
def test_an_invalid_half_width_is_refused(half_width, verdicts_of):
    with pytest.raises(BadInput, match="Expected a number above 0"):
        labels_needed(half_width, lambda budgets: 1 / budgets, least=1, most=9)
    design = SimpleRandom((90,), 9)
    verdicts = verdicts_of([0, 1])
    with pytest.raises(BadInput, match="Expected a number above 0"):
        still(SampleMean().estimate(design, verdicts), design, verdicts, half_width)


def test_impossible_budgets_are_refused():
    with pytest.raises(BadInput, match="Budgets from 0 to 9"):
        labels_needed(0.1, lambda budgets: 1 / budgets, least=0, most=9)
    with pytest.raises(BadInput, match="A budget is 0"):
        simple_always_half_width(100, [0], 0.1)
    with pytest.raises(BadInput, match="A budget is 101"):
        simple_always_half_width(100, [101], 0.1)
    with pytest.raises(BadInput, match=r"A budget is 1. Expected a number from 2"):
        rounds_always_half_width([50, 50], [1], 0.1)
    with pytest.raises(BadInput, match="from 0 to 1"):
        per_draw_always_half_width([0.5, 1.5], [0.5, 0.5], [3])
    with pytest.raises(BadInput, match="from 0 to 1"):
        adaptive_half_width([0.5, np.nan, 0.2], [3])


def still(found, design, verdicts, half_width, loss_bound=1.0):
    """Labels still needed by the forecast."""
    ahead = stop_safe_labels_needed(found, design, verdicts, half_width, loss_bound=loss_bound)
    return None if ahead is None else ahead.middle


def test_a_width_that_is_reached_needs_no_more_and_all_labels_reach_every_width(verdicts_of):
    design, verdicts = SimpleRandom((300,), 100), verdicts_of(([0] * 9 + [1]) * 10)
    found = SampleMean().estimate(design, verdicts)
    assert still(found, design, verdicts, 0.4) == 0
    assert 190 < still(found, design, verdicts, 0.0005) <= 200


def test_further_labels_reach_the_width_about_when_it_was_predicted(verdicts_of):
    rng = np.random.default_rng(6)
    sizes, rates, wanted = np.array([6000, 1600, 400]), (0.06, 0.15, 0.5), 0.048
    failed = [(np.arange(size) < rate * size).astype(float) for size, rate in zip(sizes, rates, strict=True)]
    design = Stratified(tuple(sizes.tolist()), 1, prior_failure=(0.02, 0.1, 0.4), in_rounds=True)
    strata, starts = np.tile(range(3), 200), np.cumsum(sizes) - sizes
    rows = starts[strata] + np.arange(600) // 3
    predicted, took = [], []
    for _ in range(12):
        losses = np.column_stack([rng.permutation(some)[:200] for some in failed]).ravel()
        labels = verdicts_of(losses, strata, rows=rows)
        found = StratifiedMean().estimate(design, labels[:210])
        more = still(found, design, labels[:210], wanted)
        low, high = always_valid_trail(design, labels).T
        reached = np.flatnonzero((high - low) / 2 <= wanted)
        predicted.append(210 + more)
        took.append(reached[0] if reached.size else 600)
    assert np.median(predicted) == pytest.approx(np.median(took), rel=0.15)


def test_bounded_errors_are_given_in_shares_of_the_bound(verdicts_of):
    design, losses = SimpleRandom((5000,), 60), np.random.default_rng(7).random(60)
    verdicts, times_seven = verdicts_of(losses), verdicts_of(7 * losses)
    one = SampleMean().estimate(design, verdicts)
    seven = SampleMean().estimate(design, times_seven, loss_bound=7.0)
    asked = still(one, design, verdicts, 0.03)
    assert still(seven, design, times_seven, 0.21, 7.0) == pytest.approx(asked, abs=2)


def test_an_estimate_without_the_interval_gives_no_forecast(verdicts_of):
    design = Purposive((90,), 9)
    verdicts = verdicts_of([0, 1, 0])
    found = MeanOfChosen().estimate(design, verdicts)
    with pytest.raises(NotEnoughLabels, match="no always-valid interval"):
        still(found, design, verdicts, 0.1)


def labels(n, failures):
    """Draws with equal chances from 900 inputs, the first of which fail."""
    return [Verdict(Draw(row, 1 / 900), float(row < failures)) for row in range(n)]


def test_equal_chances_and_one_stratum_are_expected_to_be_as_wide_as_simple_random_sampling():
    budgets = np.array([60, 200, 700])
    assert adaptive_half_width(np.full(9000, 0.1), budgets) == pytest.approx(
        simple_random_half_width(9000, budgets, 0.1), rel=0.03
    )
    seen = [  # what the estimator shows, over every number of failures there can be
        stats.binom.pmf(failures, n, 0.1) * HansenHurwitz().estimate(PerDraw((900,), n), labels(n, failures)).half_width
        for n in budgets.tolist()
        for failures in range(n // 3)
    ]
    exactly = np.add.reduceat(seen, np.cumsum([0, *(budgets // 3)[:-1]]))
    assert per_draw_half_width(np.full(900, 0.1), np.full(900, 1 / 900), budgets) == pytest.approx(exactly, rel=0.01)
    students = stats.t.ppf(0.975, budgets - 1) / stats.norm.ppf(0.975)
    assert rounds_half_width([9000], budgets, 0.1) == pytest.approx(
        students * simple_random_half_width(9000, budgets, 0.1), rel=1e-2
    )
    always = simple_always_half_width(9000, budgets, 0.1, replacement=True)
    equal = per_draw_always_half_width(np.full(900, 0.1), np.full(900, 1 / 900), budgets)
    assert equal == pytest.approx(always, rel=0.02)
    assert rounds_always_half_width([9000], budgets, 0.1) == pytest.approx(
        simple_always_half_width(9000, budgets, 0.1), rel=0.02
    )


def test_the_expected_spread_of_smoothed_rates_is_that_over_all_outcomes():
    n, size, rate, prior = 400, 10_000, 0.5, 0.2  # so many fail that no count of failures widens the interval
    outcomes = np.arange(n + 1)
    smooth = (outcomes + 2 * prior) / (n + 2)
    chances = stats.hypergeom.pmf(outcomes, size, int(rate * size), n)
    mean = chances @ smooth
    scatter, left = chances @ smooth**2 - mean**2, (1 - n / size) / n

    def beyond(mu):
        return (mu - rate) ** 2 - stats.norm.ppf(0.975) ** 2 * left * (mu * (1 - mu) - scatter)

    low, high = optimize.brentq(beyond, 0, rate), optimize.brentq(beyond, rate, 1)
    found = stratified_half_width([size], [[n]], rate, prior_failure=prior)
    assert found == pytest.approx([(high - low) / 2], abs=1e-12)


def test_an_exploit_round_leaves_what_was_not_picked_and_draws_as_many():
    chance = np.repeat([0.01, 0.2, 0.9], [700, 200, 100])
    first, second, *_ = expected_rounds(chance_classes(chance), 100, RoundSettings(12, 8, (0.3, 0.05)))
    assert (first.before, second.before) == (0, 20)
    weights = 0.7 * np.sqrt(chance * (1 - chance)) + 0.3 * np.sqrt(chance * (1 - chance)).mean()
    drawn = weights / weights.sum()  # of one zone's draw, a mean over zones
    of_class = np.array([drawn[chance == one].sum() for one in (0.01, 0.2, 0.9)])
    assert first.chances == pytest.approx(of_class)
    assert first.reach == pytest.approx([1 / (1000 * drawn[row]) for row in (0, 700, 900)])
    assert first.variance == pytest.approx((chance * (1 - chance) / drawn).sum() / 1000**2)
    left = np.array([700, 200, 100]) - 12 * of_class - [0, 0, 8]  # the picks are of the most doubtful
    after = 0.05 + 0.25 * 100 / 120
    root = np.sqrt(np.array([0.01, 0.2, 0.9]) * [0.99, 0.8, 0.1])
    again = left * ((1 - after) * root + after * (left @ root) / left.sum())
    assert second.chances == pytest.approx(again / again.sum())


def test_exploit_picks_cost_width_in_both_intervals():
    chance = np.random.default_rng(3).beta(0.3, 2, 4000)
    for width in (adaptive_half_width, adaptive_always_half_width):
        plain = width(chance, [200, 800])
        assert (width(chance, [200, 800], settings=RoundSettings(12, 8)) > 1.05 * plain).all()
        assert (np.diff(width(chance, np.arange(20, 4001, 20))) < 0).all()
        assert width(chance, [4000])[0] == 0


def test_adaptive_rounds_are_narrower_than_strata_where_they_may_stop():
    chance = np.random.default_rng(3).beta(0.3, 2, 4000)
    simple = simple_always_half_width(4000, [200, 800], chance.mean())
    assert (adaptive_always_half_width(chance, [200, 800]) < 0.9 * simple).all()


def test_half_way_to_the_number_aimed_at_the_forecast_is_right_within_a_tenth_in_the_median_and_its_range_holds():
    """Against campaigns that go on: when the always-valid interval of 200 labels planned has the width it has at 180.

    Some are predicted to come after 300 labels: past the number aimed at the width hardly falls for a while.
    """
    rng, parts, held = np.random.default_rng(8), [], []
    failing = np.arange(9000) < 1000
    design = SimpleRandom((9000,), 200, aimed_at=200)
    for _ in range(12):
        rows = rng.permutation(9000)[:200]
        verdicts = [Verdict(Draw(int(row)), float(failing[row])) for row in rows]
        wanted = SampleMean().estimate(design, verdicts[:180]).always_half_width
        found = SampleMean().estimate(design, verdicts[:100])
        ahead = stop_safe_labels_needed(found, design, verdicts[:100], wanted)
        parts.append((100 + ahead.middle) / 180)
        held.append(100 + ahead.low <= 180 <= 100 + ahead.high)
    assert np.median(parts) == pytest.approx(1, abs=0.1)
    assert sum(held) >= 9  # nine times in ten: of 12 less than 9 once in 40


@each(("size", "labels", "half_width"), [(3000, 60, 0.03), (50_000, 120, 0.02), (50_000, 40, 0.005)])
def test_the_forecast_does_not_depend_on_how_many_draws_a_future_begins_with(size, labels, half_width):
    rng = np.random.default_rng(size + labels)
    verdicts = [Verdict(Draw(row), float(rng.random() < 0.1)) for row in range(labels)]
    for design in (SimpleRandom((size,), 2 * labels), SimpleRandom((size,), 2 * labels, aimed_at=2 * labels)):
        found, forecasts = SampleMean().estimate(design, verdicts), []
        for first in (128, 512, 1024):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(labels_ahead, "FIRST_AHEAD", first)
                forecasts.append(stop_safe_labels_needed(found, design, verdicts, half_width))
        assert forecasts[0] is not None
        assert forecasts[0].middle > 0
        assert forecasts[1:] == forecasts[:1] * 2


def test_before_the_first_round_is_whole_nothing_is_predicted(verdicts_of):
    design = Stratified((500, 500), 100, prior_failure=(0.1, 0.4), in_rounds=True)
    for count, predicted in ((1, False), (2, True)):
        verdicts = verdicts_of([0, 1][:count], [0, 1][:count], rows=[0, 500][:count])
        simple = SampleMean().estimate(SimpleRandom((1000,), 9), verdicts_of([0, 1][:count]))
        found = replace(simple, always_low=0.0, always_high=1.0)
        assert (stop_safe_labels_needed(found, design, verdicts, 0.1) is not None) == predicted


def test_what_skipped_inputs_leave_open_is_left_open_in_the_forecast():
    design, rows = SimpleRandom((400,), 200, aimed_at=100), np.random.default_rng(2).permutation(400)[:100]
    none = [Verdict(Draw(int(row)), float(row < 40)) for row in rows]
    some = [replace(one, loss=None) if place % 40 == 0 else one for place, one in enumerate(none)]
    settled, open_ = (
        stop_safe_labels_needed(SampleMean().estimate(design, verdicts), design, verdicts, 0.05)
        for verdicts in (none, some)
    )
    assert settled.middle < open_.middle
    found = SampleMean().estimate(design, some)
    assert stop_safe_labels_needed(found, design, some, 0.005) is None  # no label can settle those
