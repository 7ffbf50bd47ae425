"""R's survey package as the witness: its kept numbers, and the package itself where it is installed."""

import numpy as np
import pytest
from scipy import stats

from testimate.core.design import PerDraw, SimpleRandom, Stratified, TwoStage
from testimate.estimators.intervals import korn_graubard, logit_interval, t_interval
from testimate.estimators.parts import class_scores, slice_estimates
from testimate.estimators.stratified import SampleMean, StratifiedMean, stratified_standard_error
from testimate.estimators.unequal_chances import HansenHurwitz, TwoStageMean

SURVEY = "survey"


def test_strata_agree_with_survey(survey, verdicts_of):
    case = survey["stratified"]
    sizes, losses, strata = tuple(case["sizes"]), np.array(case["loss"], float), np.array(case["strata"])
    found = StratifiedMean().estimate(Stratified(sizes, 80), verdicts_of(losses, strata))
    assert found.accuracy == pytest.approx(1 - case["mean"], abs=1e-9)
    assert found.standard_error == pytest.approx(case["standard_error"], abs=1e-9)
    assert found.standard_error == pytest.approx(0.0268254592, abs=1e-9)
    again = stratified_standard_error(losses, strata, np.array(sizes), replacement=True)
    assert again == pytest.approx(case["standard_error_with_replacement"], abs=1e-9)


def test_logit_and_korn_graubard_agree_with_survey(survey):
    case = survey["stratified"]
    mean, error, degrees = case["mean"], case["standard_error"], case["degrees"]
    assert logit_interval(mean, error, 0.95, degrees) == pytest.approx(case["logit"], abs=1e-9)
    effective = mean * (1 - mean) / error**2 * (stats.t.ppf(0.025, 79) / stats.t.ppf(0.025, degrees)) ** 2
    assert korn_graubard(mean, effective) == pytest.approx(case["beta"], abs=1e-9)


def test_strata_of_squared_errors_agree_with_survey(survey, verdicts_of):
    case = survey["regression"]
    found = StratifiedMean().estimate(
        Stratified(tuple(case["sizes"]), 23), verdicts_of(case["loss"], case["strata"]), loss_bound=None
    )
    assert found.accuracy == pytest.approx(1 - case["mean"], abs=1e-9)
    assert found.standard_error == pytest.approx(case["standard_error"], abs=1e-9)


def test_a_simple_random_sample_of_squared_errors_agrees_with_survey(survey, verdicts_of):
    case = survey["simple_random"]
    found = SampleMean().estimate(SimpleRandom((case["size"],), 23), verdicts_of(case["loss"]), loss_bound=None)
    assert found.accuracy == pytest.approx(1 - case["mean"], abs=1e-9)
    assert found.standard_error == pytest.approx(case["standard_error"], abs=1e-9)
    low, high = t_interval(case["mean"], case["standard_error"], 22)
    assert (low, high) == pytest.approx(case["t"], abs=1e-9)
    assert 1 - found.high == pytest.approx(low, abs=1e-9)  # skewed to the right: only the upper end of the loss moves
    assert 1 - found.low > high + 1e-3


@pytest.mark.parametrize(("losses", "loss_bound"), [("failed", 1.0), ("loss", None)])
def test_unequal_chances_agree_with_survey(losses, loss_bound, survey, verdicts_of):
    case = survey["hansen_hurwitz"]
    labels = verdicts_of(case[losses], probabilities=case["probability"])
    found = HansenHurwitz().estimate(PerDraw((case["size"],), 30), labels, loss_bound=loss_bound)
    assert found.accuracy == pytest.approx(1 - case[f"{losses}_mean"], abs=1e-9)
    assert found.standard_error == pytest.approx(case[f"{losses}_standard_error"], abs=1e-9)


@pytest.mark.parametrize(("losses", "loss_bound"), [("failed", 1.0), ("loss", None)])
def test_two_stages_agree_with_survey(losses, loss_bound, survey, verdicts_of):
    case = survey["two_stage"]
    design = TwoStage(tuple(case["sizes"]), 30, tuple(case["chances"]))
    found = TwoStageMean().estimate(design, verdicts_of(case[losses], case["strata"]), loss_bound=loss_bound)
    assert found.accuracy == pytest.approx(1 - case[f"{losses}_mean"], abs=1e-9)
    assert found.standard_error == pytest.approx(case[f"{losses}_standard_error"], abs=1e-9)


def test_strata_with_replacement_agree_with_survey(survey, verdicts_of):
    case = survey["with_replacement"]
    design = Stratified(tuple(case["sizes"]), 23, replacement=True)
    found = StratifiedMean().estimate(design, verdicts_of(case["loss"], case["strata"]), loss_bound=None)
    assert found.accuracy == pytest.approx(1 - case["mean"], abs=1e-9)
    assert found.standard_error == pytest.approx(case["standard_error"], abs=1e-9)


DESIGNS = {
    "srs": SimpleRandom((1880,), 60),
    "rrs": Stratified((50, 30, 300, 1500), 60, in_rounds=True),
    "per_draw": PerDraw((1000,), 60),
}


@pytest.mark.parametrize("kind", DESIGNS)
def test_parts_of_the_set_agree_with_svyby_and_svyratio(survey, verdicts_of, kind):
    case, design = survey["slices"], DESIGNS[kind]
    losses, true, count = np.array(case["loss"]), np.array(case["true"]), len(case["loss"])
    verdicts = verdicts_of(
        losses,
        case["strata"] if kind == "rrs" else None,
        case["probability"] if kind == "per_draw" else None,
        np.arange(count),
    )
    groups = np.arange(design.size) % 3
    groups[:count] = case["group"]
    found = slice_estimates(design, verdicts, groups, 3)
    assert [one.value for one in found] == pytest.approx(case[f"{kind}_values"], abs=1e-9)
    assert [one.standard_error for one in found] == pytest.approx(case[f"{kind}_errors"], abs=1e-9)
    predicted = np.where(losses == 0, true, 1 - true).astype(int)
    recall = class_scores(design, verdicts, predicted, true.astype(int), 2).classes[1].recall
    assert recall.value == pytest.approx(case[f"{kind}_recall"], abs=1e-9)
    assert recall.standard_error == pytest.approx(case[f"{kind}_recall_error"], abs=1e-9)
