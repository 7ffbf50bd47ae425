"""Studies: many campaigns summed up, the same whoever runs them."""

import re
import subprocess
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from testimate.core.errors import BadInput, Canceled, NotEnoughLabels, TestimateError
from testimate.core.selector import Request
from testimate.studies import campaign as workers
from testimate.studies.campaign import PlannedCampaign
from testimate.studies.study import Cell, study
from testimate.studies.study_rows import Represented, spread_of_srs
from tests.each import each

QUICK = {"techniques": ["srs", "rrs"], "budgets": [40, 80], "repetitions": 12, "seed": 5}

PUBLISHED_SRS = {50: 0.061082, 100: 0.048164, 200: 0.035455, 400: 0.024939}
"""DeepSample's own results for simple random sampling on its subject D: RMSE of 30 repetitions by budget."""


@pytest.fixture(scope="module")
def by_srs(inputs):
    (row,) = study(inputs, techniques=["srs"], budgets=[100], repetitions=600, seed=2, workers=1)
    return row


def test_the_error_of_srs_is_the_closed_form(by_srs):
    # A root mean square of 600 normal errors has a relative standard error of 1 / sqrt(1200) = 2.9%.
    expected = np.sqrt((1 - 100 / 1000) * (1000 / 999) * by_srs.truth * (1 - by_srs.truth) / 100)
    assert by_srs.rmse == pytest.approx(expected, rel=0.1)
    assert by_srs.rmse_ratio_to_srs == pytest.approx(by_srs.rmse / expected)
    assert by_srs.bias_standard_error == pytest.approx(expected / np.sqrt(600), rel=0.1)
    assert by_srs.rmedse == pytest.approx(expected * stats.norm.ppf(0.75), rel=0.15)  # median of |error|


def test_srs_is_unbiased_and_its_interval_covers_as_often_as_it_claims(by_srs):
    assert abs(by_srs.bias) < 4 * by_srs.bias_standard_error
    assert by_srs.coverage == pytest.approx(0.95, abs=0.035)
    assert by_srs.width_mean == pytest.approx(2 * 1.96 * by_srs.rmse, rel=0.1)


def test_failures_of_srs_are_hypergeometric(by_srs, inputs):
    law = stats.hypergeom(1000, int(inputs.losses.sum()), 100)
    assert by_srs.failures_mean == pytest.approx(law.mean(), abs=4 * law.std() / np.sqrt(600))
    assert by_srs.failures_sd == pytest.approx(law.std(), rel=0.12)


@each(("budget", "rmse"), PUBLISHED_SRS.items())
def test_the_spread_of_srs_fits_the_published_results(budget, rmse):
    losses = np.zeros(33_500)
    losses[: round(33_500 * (1 - 0.715134))] = 1
    low, high = stats.chi2.interval(0.998, 30)
    assert low < 30 * (rmse / spread_of_srs(losses, budget)) ** 2 < high


def test_the_spread_of_srs_is_that_of_all_samples_counted_out():
    losses = np.array([0.0, 1.0, 0.0, 0.25, 1.0, 0.0])
    for budget in (1, 2, 5, 6):
        means = [np.mean(sample) for sample in combinations(losses, budget)]
        assert spread_of_srs(losses, budget) == pytest.approx(np.std(means))


def test_the_ratio_is_the_error_over_that_spread_for_every_technique(inputs):
    for row in study(inputs, **QUICK, workers=1):
        assert row.rmse_ratio_to_srs == pytest.approx(row.rmse / spread_of_srs(inputs.losses, row.budget))


def test_one_process_and_two_give_the_same_rows(inputs):
    alone = study(inputs, **QUICK, workers=1)
    assert study(inputs, **QUICK, workers=2) == alone
    assert [(row.technique, row.budget) for row in alone] == [("srs", 40), ("srs", 80), ("rrs", 40), ("rrs", 80)]


def test_the_same_seed_gives_the_same_rows_and_another_seed_others(inputs):
    rows = study(inputs, **QUICK)
    assert study(inputs, **QUICK) == rows
    others = study(inputs, **(QUICK | {"seed": 6}))
    assert all(one.rmse != other.rmse for one, other in zip(rows, others, strict=True))


def test_a_row_does_not_depend_on_the_others(inputs):
    rows = study(inputs, **QUICK)
    assert study(inputs, **(QUICK | {"techniques": ["rrs"], "budgets": [80]})) == rows[-1:]


def test_every_repetition_has_a_seed_of_its_own():
    seeds = {
        Cell(technique, auxiliary, None, budget, "LHL").request(1, repetition).seed
        for technique in ("ssrs", "rhc-s")
        for auxiliary in (None, "dsa")
        for budget in (1, 2)
        for repetition in range(50)
    }
    assert len(seeds) == 400


def test_budgets_that_one_campaign_serves_share_their_seeds():
    one, other = (Cell("srs", None, None, budget, "LHL").request(1, 5) for budget in (50, 100))
    assert one.seed == other.seed


def test_a_row_is_the_same_whether_its_campaigns_served_other_budgets_too(inputs):
    together = study(inputs, techniques=["rra", "gbs"], budgets=[80, 40, 45], repetitions=4, seed=9, workers=1)
    alone = [
        study(inputs, techniques=[row.technique], budgets=[row.budget], repetitions=4, seed=9, workers=1)[0]
        for row in together
    ]
    assert together == alone


def test_an_option_may_be_one_techniques_own(inputs):
    plan = {"techniques": ["ssrs", "gbs"], "budgets": [40], "repetitions": 6, "seed": 5}
    usual = study(inputs, **plan)
    changed = study(inputs, **plan, options={"gbs.clusters": "4", "clusters": 10})
    assert changed[0] == usual[0]
    assert changed[1].rmse != usual[1].rmse
    with pytest.raises(BadInput, match=re.escape("no option 'srs.clusters'") + "|None of the techniques has an option"):
        study(inputs, **plan, options={"srs.clusters": 4})


def test_a_technique_without_auxiliary_variable_is_run_once(inputs):
    rows = study(inputs, **(QUICK | {"budgets": [40]}), auxiliaries=["confidence", "noise:lower"])
    assert [(row.technique, row.auxiliary) for row in rows] == [
        ("srs", None),
        ("rrs", "confidence"),
        ("rrs", "noise:lower"),
    ]


def test_rows_asked_for_twice_come_once(inputs):
    assert len(study(inputs, techniques=["srs", "srs"], budgets=[40, 40], repetitions=2, seed=1)) == 1


def test_a_technique_that_always_selects_the_same_is_run_once(inputs, with_technique):
    with_technique()
    (row,) = study(inputs, techniques=["scripted"], budgets=[50], repetitions=20, seed=1)
    first = 1 - inputs.losses[:50].mean()
    assert row.repetitions == 1
    assert row.bias == pytest.approx(first - row.truth)
    assert row.rmse == row.rmedse == pytest.approx(abs(row.bias))
    assert (row.bias_standard_error, row.failures_sd, row.coverage, row.width_mean) == (None,) * 4


def test_a_purposive_technique_with_a_seed_is_repeated(inputs, with_technique):
    with_technique(seeded=True)
    (row,) = study(inputs, techniques=["scripted"], budgets=[50], repetitions=20, seed=1)
    assert row.repetitions == 20
    assert row.bias_standard_error > 0


def test_where_all_are_right_there_is_no_ratio(inputs):
    (row,) = study(replace(inputs, losses=np.zeros(1000)), techniques=["srs"], budgets=[9], repetitions=3, seed=1)
    assert (row.rmse, row.rmse_ratio_to_srs, row.truth) == (0, None, 1)


def test_a_census_is_covered_in_spite_of_rounding(inputs):
    (row,) = study(inputs, techniques=["rrs"], budgets=[1000], repetitions=3, seed=1)
    assert row.coverage == 1
    assert row.rmse < 1e-12


@each(
    ("change", "sentence"),
    [
        ({"techniques": ["magic"]}, "magic"),
        ({"techniques": ["pace"]}, "pace cannot run on these inputs. It needs the network's features"),
        ({"techniques": []}, "techniques are"),
        ({"techniques": "srs"}, "techniques are 'srs'"),
        ({"auxiliaries": ["dsa"]}, "no auxiliary variable 'dsa'"),
        ({"budgets": [0]}, "budget is 0"),
        ({"budgets": [1001]}, "budget is 1001"),
        ({"repetitions": 0}, "repetitions is 0"),
        ({"repetitions": True}, "repetitions is True"),
        ({"workers": 0}, "workers is 0"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is(inputs, change, sentence):
    with pytest.raises(BadInput, match=re.escape(sentence)):
        study(inputs, **(QUICK | change), progress=never)


def test_without_the_truth_there_is_no_study(inputs):
    with pytest.raises(BadInput, match="truth of these inputs is not known"):
        study(replace(inputs, losses=None), **QUICK)


def test_a_budget_too_small_for_a_technique_is_named_with_what_to_leave_out(inputs):
    with pytest.raises(
        NotEnoughLabels,
        match=r"\(rrs\) with confidence at a budget of 3 gives no .* Leave out this budget or",
    ):
        study(inputs, **(QUICK | {"budgets": [3]}))


@pytest.mark.parametrize("processes", [1, 2])
def test_progress_counts_every_campaign_once(inputs, processes):
    reports = []

    def listen(done: int, total: int, what: str = "") -> None:
        reports.append((done, total))

    study(inputs, **QUICK, workers=processes, progress=listen)
    counts = [done for done, _ in reports]
    assert counts == sorted(counts)
    assert reports[0] == (0, 48)
    assert reports[-1] == (48, 48)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_study_stops_when_it_is_canceled_and_leaves_no_process_behind(inputs, processes, monkeypatch):
    started = []

    class Recorded(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(workers.subprocess, "Popen", Recorded)

    def cancel_in_the_middle(done: int, total: int, what: str = "") -> None:
        if done > 10:
            raise Canceled("The study was stopped at the person's wish; nothing is kept. Start it again.")

    with pytest.raises(Canceled):
        study(inputs, **QUICK, workers=processes, progress=cancel_in_the_middle)
    assert len(started) == (0 if processes == 1 else processes)
    assert all(process.returncode is not None for process in started)


def test_an_error_in_a_worker_process_comes_back_as_itself(inputs):
    with pytest.raises(BadInput, match="budget is 5000"):
        list(workers.in_processes(inputs, 0.95, [[PlannedCampaign(Request("srs", 5000, 1), (5000,))]], 1))


def test_a_worker_process_that_dies_is_reported(inputs, monkeypatch):
    monkeypatch.setattr(workers, "START", "import sys; sys.exit(3)")
    with pytest.raises(TestimateError, match="worker process of the study ended early"):
        list(workers.in_processes(inputs, 0.95, [[PlannedCampaign(Request("srs", 5, 1), (5,))]], 1))


def never(done: int, total: int, what: str = "") -> None:
    raise AssertionError("a campaign was run")


def test_a_study_says_once_that_training_shows_no_mistakes(inputs):
    known = replace(inputs, training=replace(inputs, losses=np.zeros(1000)))
    told = []
    plan = {"budgets": [40], "repetitions": 2, "seed": 1, "tell": told.append}
    study(known, techniques=["ssoa-r-t", "ssoa-c-t", "srs"], **plan)
    study(replace(inputs, training=inputs), techniques=["ssoa-r-t"], **plan)
    assert told == [
        "The training set shows 0 mistakes in 1,000 inputs. Expected at least 20 to learn from. "
        "Use ssoa-r-p, ssoa-c-p or rrs instead."
    ]


def test_labels_of_samples_have_scipys_kolmogorov_smirnov_p(inputs):
    truth = np.arange(1000) % 7
    campaigns = [
        workers.Campaign(0.8, None, None, 0, tuple(range(start, start + 50)), False, 0.0) for start in (0, 3, 8)
    ]
    gaps = [stats.ks_2samp(truth[list(one.rows)], truth, method="asymp") for one in campaigns]
    middle = sorted(gaps, key=lambda one: one.statistic)[1]
    assert Represented(truth, None).labels_p(campaigns) == pytest.approx(middle.pvalue)
    lopsided = workers.Campaign(0.8, None, None, 0, tuple(np.flatnonzero(truth == 0)[:50].tolist()), False, 0.0)
    assert Represented(truth, None).labels_p([lopsided]) < 1e-6


def test_neurons_covered_is_the_share_of_their_sections_that_a_sample_reaches():
    neurons = np.column_stack([np.arange(60.0), np.repeat([0.0, 1.0], 30)])  # 30 sections reached, and 2
    half = workers.Campaign(0.8, None, None, 0, tuple(range(30)), False, 0.0)
    assert Represented(None, neurons).neurons_covered([half]) == pytest.approx((15 + 1) / 32, abs=0.04)
    assert Represented(None, neurons).labels_p([half]) is None
