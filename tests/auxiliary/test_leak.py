import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from testimate.auxiliary.leak import leaks_truth
from testimate.core.errors import BadInput, NotEnoughLabels
from tests.each import each

LEAKS = ("deepest/CN12_CIFAR10.csv.gz", "lsa")
FILES = ["deepest/CN12_CIFAR10.csv.gz", "deepsample/modelD_final.csv.gz", "deepsample/modelG_final.csv.gz"]


@each("file", FILES)
@each("size", [500, 10_000])
def test_on_the_real_files_the_one_column_made_from_the_answers_is_found_and_no_other(real_data, file, size):
    table = pd.read_csv(real_data / file).rename(columns=str.lower)[:size]
    losses = (table.outcome == "Fail").to_numpy(dtype=np.float64)
    for name in ("confidence", "dsa", "lsa"):
        leak = leaks_truth(table[name], table.sut, losses, name=name)
        assert leak.leaks is ((file, name) == LEAKS)
        assert leak.warning.startswith("lsa and the predicted class") if leak.leaks else leak.warning == ""
        assert (leak.auc >= 0.9) is leak.leaks
    alone = roc_auc_score(losses, -table.confidence)
    assert alone - 1e-12 <= leaks_truth(table.confidence, table.sut, losses).auc < alone + 0.05


def subject(size, seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 10, size)
    failed = rng.random(size) < 0.15
    predictions = np.where(failed, (truth + rng.integers(1, 10, size)) % 10, truth)
    return rng, truth, predictions, failed


@each("seed", range(3))
def test_a_density_grouped_by_true_class_is_found_though_no_order_of_it_tells_failures(seed):
    rng, truth, predictions, failed = subject(2000, seed)
    by_truth = 10.0 * truth + rng.normal(size=2000)
    assert 0.35 < roc_auc_score(failed, by_truth) < 0.65
    assert leaks_truth(by_truth, predictions, failed).leaks


@each("seed", range(3))
def test_noise_tells_nothing(seed):
    rng, _, predictions, failed = subject(3000, seed)
    leak = leaks_truth(rng.normal(size=3000), predictions, failed)
    assert leak.auc == pytest.approx(0.5, abs=0.06)
    assert not leak.leaks


def test_a_good_score_is_not_taken_for_a_leak_and_its_auc_is_nearly_the_one_of_theory():
    rng, _, predictions, failed = subject(5000, 4)
    leak = leaks_truth(rng.normal(size=5000) + 3.0 * failed, predictions, failed)
    assert leak.auc == pytest.approx(norm.cdf(3 / np.sqrt(2)), abs=0.01)  # 0.983
    assert not leak.leaks


def test_it_does_not_learn_the_outcome_of_the_input_it_guesses():
    """Scores that are all different and say nothing would be told apart by heart."""
    rng = np.random.default_rng(0)
    failed = rng.random(400) < 0.3
    assert leaks_truth(np.arange(400), rng.permutation(400) // 5, failed).auc < 0.65


@each("seed", range(3))
def test_a_few_hundred_inputs_show_a_leak_of_one_value_per_true_class(seed):
    """A wrong value comes once or twice in a predicted class: those with it are judged by each other."""
    _, truth, predictions, failed = subject(400, seed)
    assert leaks_truth(truth, predictions, failed).auc > 0.999


def test_an_input_is_not_judged_by_itself_where_scores_are_equal():
    rng = np.random.default_rng(0)
    failed = rng.random(600) < 0.4
    assert leaks_truth(np.arange(600) // 2, np.zeros(600), failed).auc < 0.6


def test_too_few_known_failures_give_no_number():
    losses = np.zeros(500)
    losses[:19] = 1
    with pytest.raises(NotEnoughLabels, match="19 of 500"):
        leaks_truth(np.arange(500.0), np.zeros(500), losses)


def test_arrays_that_do_not_fit_are_refused():
    with pytest.raises(BadInput):
        leaks_truth(np.zeros(50), np.zeros(49), np.zeros(50))
    with pytest.raises(BadInput):
        leaks_truth([np.nan] * 50, np.zeros(50), np.zeros(50))
