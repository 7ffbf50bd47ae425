"""The populations on which intervals are measured: each is what its name says, and the same every time."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from research.studies import interval_suite as suite
from tests.each import each


@each("accuracy", [0.5, 0.9, 0.99, 0.999])
def test_a_calibrated_network_has_its_accuracy_and_is_as_often_right_as_it_says(accuracy):
    inputs = suite.inputs_of(f"calibrated, {accuracy}", 10_000)
    assert 1 - inputs.losses.mean() == pytest.approx(accuracy, abs=0.0015)
    surest = inputs.confidence >= np.median(inputs.confidence)
    for half in (surest, ~surest):
        assert inputs.losses[half].mean() == pytest.approx(1 - inputs.confidence[half].mean(), abs=0.015)


@pytest.mark.parametrize("temperature", [2, 3])
def test_a_heated_network_says_the_log_odds_times_its_temperature(temperature):
    """Maximum likelihood of one slope through the origin finds 1 / temperature again."""
    inputs = suite.inputs_of(f"temperature {temperature}", 100_000)
    said = np.log(inputs.scores["confidence"]) - np.log1p(-inputs.scores["confidence"])
    slopes = np.linspace(0.2, 0.7, 501)
    likelihood = [np.sum(inputs.losses * s * said - np.logaddexp(0, s * said)) for s in slopes]
    assert slopes[int(np.argmax(likelihood))] == pytest.approx(1 / temperature, abs=0.02)
    assert 1 - inputs.losses.mean() == pytest.approx(0.949, abs=0.001)


def test_a_saturated_network_is_the_one_on_which_an_audit_found_the_old_interval_false():
    inputs = suite.inputs_of("saturated at 1", 10_000)
    sure = inputs.confidence == 1
    assert sure.sum() == 9900
    assert inputs.losses[sure].sum() == pytest.approx(99, abs=25)
    assert inputs.losses.sum() == pytest.approx(149, abs=1)


def test_failures_among_the_surest_alone_are_where_a_selector_by_confidence_looks_last():
    for name, share in (("surest tenth fails", 0.1), ("surest hundredth fails", 0.01)):
        inputs = suite.inputs_of(name, 10_000)
        border = np.quantile(inputs.confidence, 1 - share)
        assert inputs.losses[inputs.confidence < border].sum() == 0
        assert inputs.losses.sum() > 0


def test_inverted_tied_and_constant_confidence_are_as_named():
    inputs = suite.inputs_of("inverted", 10_000)
    assert spearmanr(inputs.confidence, inputs.losses).statistic > 0.2
    assert len(np.unique(suite.inputs_of("tied", 10_000).confidence)) == 3
    assert len(np.unique(suite.inputs_of("constant", 10_000).confidence)) == 1


def test_a_class_that_fails_fails_as_a_whole():
    inputs = suite.inputs_of("a class fails", 1000)
    assert inputs.losses[inputs.predictions == 0].all()
    assert inputs.losses[inputs.predictions != 0].mean() < 0.1


def test_every_population_of_every_size_has_a_failure_and_comes_out_the_same_again():
    for population in suite.POPULATIONS:
        for size in (30, 100, 1000):
            suite.inputs_of.cache_clear()
            first = suite.inputs_of(population.name, size)
            suite.inputs_of.cache_clear()
            again = suite.inputs_of(population.name, size)
            assert first.losses.sum() >= 1
            assert np.array_equal(first.losses, again.losses)
            assert np.array_equal(first.confidence, again.confidence)
            assert len(first) == size


def test_the_labels_go_from_50_to_four_fifths_of_the_set():
    assert suite.labels_of(30) == (15, 24)
    assert suite.labels_of(100) == (50, 80)
    assert suite.labels_of(1000) == (50, 100, 200, 400, 800)
    assert suite.labels_of(100_000) == (50, 100, 200, 400, 80_000)


def test_losses_of_other_tasks_lie_between_0_and_1():
    for losses in suite.LOSS_POPULATIONS:
        inputs = suite.inputs_of(losses.name, 1000)
        assert 0 <= inputs.losses.min() <= inputs.losses.max() <= 1
        assert inputs.task.loss_bound == 1
