"""Model-assisted estimates, held against exhaustive enumeration, R's survey and seeded campaigns."""

from itertools import combinations, product

import numpy as np
import pytest

from testimate.core.design import PerDraw, SimpleRandom, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels, WrongDesign
from testimate.estimators.difference import estimate_difference, without_leverage
from testimate.estimators.stratified import SampleMean, StratifiedMean, stratified_standard_error
from tests.each import each

SURVEY = "survey_calibrate"


@each(("losses", "loss_bound"), [("failed", 1.0), ("loss", None)])
@each("name", ["simple_random", "stratified", "with_replacement"])
def test_the_regression_estimate_agrees_with_survey(name, losses, loss_bound, survey, verdicts_of):
    case = survey[name]
    sizes, count = tuple(np.atleast_1d(case["sizes"]).astype(int).tolist()), len(case["rows"])
    design = (
        SimpleRandom(sizes, count)
        if name == "simple_random"
        else Stratified(sizes, count, replacement=name == "with_replacement")
    )
    labels = verdicts_of(case[losses], case["strata"], rows=case["rows"])
    found = estimate_difference(design, labels, case["guesses"], model="regression", loss_bound=loss_bound)
    assert 1 - found.accuracy == pytest.approx(case[f"{losses}_mean"], abs=1e-9)
    assert found.standard_error == pytest.approx(case[f"{losses}_standard_error"], abs=1e-9)


@pytest.mark.parametrize("loss_bound", [1.0, None])
def test_the_difference_estimate_is_unbiased_over_all_samples_whatever_the_guesses(loss_bound, verdicts_of):
    sizes, counts = (5, 4), (2, 2)
    strata = np.repeat([0, 1], sizes)
    losses = np.array([1, 0, 0, 1, 0, 1, 1, 0, 1.0]) * (1 if loss_bound else 2.3)
    guesses = np.array([0.9, 0.2, 0.0, 0.4, 1.0, 0.3, 0.8, 0.5, 0.1])
    inside = [combinations(range(5), counts[0]), combinations(range(5, 9), counts[1])]
    means, variances = [], []
    for rows in (list(first + second) for first, second in product(*map(list, inside))):
        labels = verdicts_of(losses[rows], strata[rows], rows=rows)
        residuals = losses[rows] - guesses[rows]
        found = estimate_difference(Stratified(sizes, 4), labels, guesses, loss_bound=loss_bound)
        shown = guesses.mean() + sum(
            share * residuals[strata[rows] == h].mean() for h, share in enumerate((5 / 9, 4 / 9))
        )
        if loss_bound is None:
            assert 1 - found.accuracy == pytest.approx(shown, abs=1e-12)
        else:
            assert 1 - found.accuracy == pytest.approx(np.clip(shown, 0, 1), abs=1e-12)
        means.append(shown)
        variances.append(stratified_standard_error(residuals, strata[rows], np.array(sizes)) ** 2)
        if variances[-1] > 0:
            assert found.standard_error == pytest.approx(np.sqrt(variances[-1]), abs=1e-12)
    assert np.mean(means) == pytest.approx(losses.mean(), abs=1e-12)
    assert np.mean(variances) == pytest.approx(np.var(means), abs=1e-12)


def test_over_all_simple_random_samples_the_difference_estimate_is_unbiased(verdicts_of):
    losses, guesses = np.array([3.0, 0, 1, 0.5, 2, 0]), np.array([2.0, 1, 0, 0, 3, 0.5])
    found = [
        estimate_difference(
            SimpleRandom((6,), 3), verdicts_of(losses[list(rows)], rows=rows), guesses, loss_bound=None
        ).accuracy
        for rows in combinations(range(6), 3)
    ]
    assert 1 - np.mean(found) == pytest.approx(losses.mean(), abs=1e-12)


def test_guesses_that_are_all_alike_leave_the_plain_estimate(verdicts_of):
    labels = verdicts_of([1, 0, 0, 0.4, 0, 0], [0, 0, 0, 1, 1, 1], rows=[0, 1, 2, 50, 51, 52])
    design = Stratified((50, 70), 6)
    assisted, plain = estimate_difference(design, labels, np.full(120, 0.3)), StratifiedMean().estimate(design, labels)
    assert assisted.accuracy == pytest.approx(plain.accuracy, abs=1e-12)
    assert assisted.standard_error == pytest.approx(plain.standard_error, abs=1e-12)
    assert (assisted.low, assisted.high) == pytest.approx((plain.low, plain.high), abs=1e-12)


def test_a_regression_estimate_does_not_change_with_the_scale_of_the_guesses(verdicts_of):
    rng = np.random.default_rng(1)
    guesses, losses = rng.random(80), rng.random(20)
    labels = verdicts_of(losses)
    found = estimate_difference(SimpleRandom((80,), 20), labels, guesses, model="regression", loss_bound=None)
    again = estimate_difference(SimpleRandom((80,), 20), labels, 7 + 3 * guesses, model="regression", loss_bound=None)
    assert again.accuracy == pytest.approx(found.accuracy, abs=1e-12)
    assert again.standard_error == pytest.approx(found.standard_error, abs=1e-12)


@pytest.mark.parametrize("model", ["difference", "regression"])
def test_intervals_cover_as_often_as_they_claim_and_good_guesses_make_them_narrower(model, verdicts_of):
    rng = np.random.default_rng(2)
    guesses = rng.beta(0.3, 2.0, 3000)
    failed = (rng.random(3000) < guesses).astype(float)
    truth, hits, careful, widths, plain = 1 - failed.mean(), 0, 0, [], []
    design = Stratified((3000,), 150)  # one stratum, not in rounds: no always-valid interval has to be found
    for _ in range(300):
        rows = rng.choice(3000, 150, replace=False)
        labels = verdicts_of(failed[rows], rows=rows)
        found = estimate_difference(design, labels, guesses, model=model)
        wide = estimate_difference(design, labels, guesses, model=model, interval="conservative")
        hits += found.low <= truth <= found.high
        careful += wide.low <= truth <= wide.high
        widths.append(found.half_width)
        plain.append(StratifiedMean().estimate(design, labels).half_width)
    assert 0.92 <= hits / 300 <= 0.98
    assert careful / 300 >= 0.94
    assert np.mean(widths) < (0.9 if model == "difference" else 0.92) * np.mean(plain)  # a line costs its two numbers


def test_a_sample_without_failures_has_an_interval_though_nothing_was_guessed_to_fail(verdicts_of):
    found = estimate_difference(SimpleRandom((500,), 40), verdicts_of([0] * 40), np.zeros(500))
    assert found.accuracy == 1 == found.high
    assert found.low < 0.99
    assert found.standard_error > 0


def test_every_input_labeled_leaves_the_mean_itself(verdicts_of):
    found = estimate_difference(SimpleRandom((5,), 5), verdicts_of([1, 0, 0, 1, 0]), [0.1, 0.9, 0.3, 0.2, 0.0])
    assert (found.accuracy, found.low, found.high, found.standard_error) == (pytest.approx(0.6),) * 3 + (0.0,)


def test_inputs_nobody_can_settle_are_bounded(verdicts_of):
    guesses = np.linspace(0, 0.9, 10)
    labels = verdicts_of([0, None, 1, 0])
    found = estimate_difference(SimpleRandom((10,), 4), labels, guesses)
    ends = [
        estimate_difference(SimpleRandom((10,), 4), verdicts_of([0, loss, 1, 0]), guesses).accuracy for loss in (1, 0)
    ]
    assert [found.skipped_low, found.skipped_high] == pytest.approx(ends)
    assert (found.labeled, found.skipped) == (3, 1)


def test_the_always_valid_interval_is_that_of_the_design(verdicts_of):
    labels = verdicts_of([0, 1, 0, 0] * 20)
    design = SimpleRandom((900,), 80)
    found = estimate_difference(design, labels, np.full(900, 0.2))
    plain = SampleMean().estimate(design, labels)
    assert (found.always_low, found.always_high) == (plain.always_low, plain.always_high)


@pytest.mark.parametrize(
    ("guesses", "sentence"),
    [
        (np.full(9, 0.1), "one for each of the 10 inputs"),
        (np.full((10, 2), 0.1), "one for each of the 10 inputs"),
        (np.append(np.full(9, 0.1), np.nan), "guess of row 9 is nan"),
        (np.append(np.full(9, 0.1), 1e9), "guess of row 9 is 1000000000"),
        (np.append(-0.2, np.full(9, 0.1)), "guess of row 0 is -0.2"),
    ],
)
def test_guesses_that_cannot_be_losses_are_refused(guesses, sentence, verdicts_of):
    with pytest.raises(BadInput, match=sentence):
        estimate_difference(SimpleRandom((10,), 2), verdicts_of([0, 1]), guesses)


def test_what_cannot_be_assisted_is_refused_with_a_sentence(verdicts_of):
    guesses = np.linspace(0, 0.9, 10)
    with pytest.raises(WrongDesign, match="holds for simple random and stratified"):
        estimate_difference(PerDraw((10,), 2), verdicts_of([0, 1], probabilities=[0.1, 0.1]), guesses)
    with pytest.raises(NotEnoughLabels, match="1 of the 2 strata"):
        estimate_difference(Stratified((5, 5), 2), verdicts_of([0, 1], [0, 0]), guesses)
    with pytest.raises(NotEnoughLabels, match="needs 3 labels whose guesses differ"):
        estimate_difference(SimpleRandom((10,), 4), verdicts_of([0, 1, 0, 0]), np.full(10, 0.3), model="regression")
    with pytest.raises(NotEnoughLabels, match="needs 3 labels whose guesses differ"):
        estimate_difference(SimpleRandom((10,), 4), verdicts_of([0, 1]), guesses, model="regression")
    with pytest.raises(NotEnoughLabels, match="There is no label yet"):
        estimate_difference(SimpleRandom((10,), 4), [], guesses)
    with pytest.raises(BadInput, match="Expected difference or regression"):
        estimate_difference(SimpleRandom((10,), 4), verdicts_of([0, 1]), guesses, model="magic")


@pytest.mark.parametrize("interval", ["ordinary", "conservative"])
@pytest.mark.parametrize("model", ["difference", "regression"])
@each(("sizes", "counts"), [((1,), (1,)), ((40,), (1,)), ((40,), (30,)), ((10, 20), (10, 3)), ((10, 20), (1, 1))])
@each("failing", ["none", "all", "first", "every other"])
@each("guesses", [0.0, 1.0, 0.5, "rising"])
def test_uninformative_samples_have_finite_ends_that_leave_open_what_was_not_labeled(
    sizes, counts, failing, guesses, model, interval
):
    size = sum(sizes)
    strata = np.repeat(np.arange(len(sizes)), sizes)
    rows = np.concatenate([np.flatnonzero(strata == number)[:count] for number, count in enumerate(counts)])
    places = np.arange(size)
    losses = {"none": places < 0, "all": places >= 0, "first": places == 0, "every other": places % 2 == 0}[failing]
    design = SimpleRandom(sizes, len(rows)) if len(sizes) == 1 else Stratified(sizes, len(rows))
    labels = [Verdict(Draw(int(row), None, int(strata[row])), float(losses[row])) for row in rows]
    guessed = places / size if guesses == "rising" else np.full(size, guesses)
    if model == "regression" and (guesses != "rising" or len(rows) < 3):
        with pytest.raises(NotEnoughLabels, match="needs 3 labels whose guesses differ"):
            estimate_difference(design, labels, guessed, model=model, interval=interval)
        return
    found = estimate_difference(design, labels, guessed, model=model, interval=interval, always_valid=False)
    assert np.isfinite([found.accuracy, found.low, found.high, found.standard_error]).all()
    assert found.low - 1e-9 <= found.accuracy <= found.high + 1e-9
    assert len(rows) == size or found.high - found.low >= 1 / size - 1e-9


def test_a_label_that_carries_the_line_alone_counts_with_the_error_of_the_line_fitted_to_the_others():
    """One of 20 labels has a guess unlike the others': the interval follows its prediction by the line through the rest."""
    losses, guesses = np.zeros(20), np.r_[np.linspace(0.0, 0.1, 19), 0.3]
    losses[[3, 19]] = 1.0
    centered = guesses - guesses.mean()
    leverage = 1 / 20 + centered**2 / (centered @ centered)
    slope, intercept = np.polyfit(guesses, losses, 1)
    left_out = []
    for place in range(20):
        others = np.arange(20) != place
        line = np.polyfit(guesses[others], losses[others], 1)
        left_out.append(losses[place] - np.polyval(line, guesses[place]))
    assert without_leverage(losses - intercept - slope * guesses, leverage) == pytest.approx(left_out, abs=1e-9)
