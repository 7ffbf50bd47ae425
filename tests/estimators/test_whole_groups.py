"""The estimate of groups drawn as wholes, against R's survey, an enumeration of all samples, and campaigns."""

import itertools

import numpy as np
import pytest

from testimate.core.design import WholeGroups
from testimate.core.draw import Draw, GroupDraw, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.inputs import groups_of
from testimate.estimators import estimator_of
from testimate.estimators.parts import slice_estimates
from testimate.estimators.weights import draw_weights
from testimate.selectors.whole_groups import GroupsInRounds, SimpleRandomGroups

SURVEY = "survey_groups"
CASES = ("srs_all", "srs_some", "rrs_all", "rrs_some")


def labels_of(case, losses):
    """The design of a case of R's and its verdicts, the rows being counted through."""
    groups = np.repeat(np.arange(12), case["labels"])
    strata = np.array(case["stratum"], dtype=int)
    counts = np.atleast_1d(case["groups"]).astype(int)
    sizes = np.array(case["sizes"], dtype=int)
    left = 6 * (counts - np.bincount(strata, minlength=len(counts)))  # the groups not drawn have 6 inputs each, say
    inputs = tuple((np.bincount(strata, sizes, len(counts)).astype(int) + left).tolist())
    design = WholeGroups(inputs, len(groups), stratum_groups=tuple(counts.tolist()), group_sizes=tuple(sizes.tolist()))
    draws = [GroupDraw(row, None, int(strata[group]), group=int(group)) for row, group in enumerate(groups)]
    return design, [Verdict(draw, float(loss)) for draw, loss in zip(draws, losses, strict=True)]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("losses", "bound"), [("failed", 1.0), ("loss", None)])
def test_groups_agree_with_survey(survey, name, losses, bound):
    case = survey[name]
    design, verdicts = labels_of(case, case[losses])
    found = estimator_of(design).estimate(design, verdicts, loss_bound=bound)
    assert found.accuracy == pytest.approx(1 - case[f"{losses}_mean"], abs=1e-9)
    assert found.standard_error == pytest.approx(case[f"{losses}_error"], abs=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_a_part_of_the_set_agrees_with_survey(survey, name):
    case = survey[name]
    design, verdicts = labels_of(case, case["failed"])
    parts = np.full(design.size, -1)
    parts[: len(verdicts)] = np.where(np.array(case["part"]) == 1, 0, -1)
    parts[-1] = 0  # one of it is not labeled: it is not known
    (found,) = slice_estimates(design, verdicts, parts, 1)
    assert found.value == pytest.approx(1 - case["part_mean"], abs=1e-9)
    assert found.standard_error == pytest.approx(case["part_error"], abs=1e-9)


def test_of_all_pairs_of_groups_of_one_size_the_estimate_is_right_on_average_and_so_is_its_variance():
    outcomes = np.array([[0, 0, 1], [1, 1, 1], [0, 0, 0], [0, 1, 0], [1, 0, 0]], dtype=float)
    means, variances = [], []
    for pair in itertools.combinations(range(5), 2):
        for inside in itertools.product(itertools.combinations(range(3), 2), repeat=2):
            design = WholeGroups((15,), 4, stratum_groups=(5,), group_sizes=(3, 3))
            verdicts = [
                Verdict(GroupDraw(3 * group + one, group=place), outcomes[group, one])
                for place, (group, chosen) in enumerate(zip(pair, inside, strict=True))
                for one in chosen
            ]
            weights = draw_weights(design, verdicts)
            mean = float(weights.weights @ [one.loss for one in verdicts])
            means.append(mean)
            parts = np.array([[one.loss - mean] for one in verdicts])
            variances.append(float(weights.variance(parts)[0]))
    assert np.mean(means) == pytest.approx(outcomes.mean(), abs=1e-12)
    assert np.mean(variances) == pytest.approx(np.var(means), abs=1e-12)


def test_where_groups_hold_one_input_each_they_are_a_simple_random_sample():
    groups = groups_of([""] * 90)
    selector = SimpleRandomGroups(groups, budget=30, seed=1)
    verdicts = [Verdict(draw, float(draw.row % 4 == 0)) for draw in selector.ask(30)]
    found = estimator_of(selector.design).estimate(selector.design, verdicts)
    p = np.mean([one.loss for one in verdicts])
    assert found.accuracy == pytest.approx(1 - p)
    assert found.standard_error == pytest.approx(np.sqrt((1 - 30 / 90) * p * (1 - p) / 29), abs=1e-12)  # Cochran 3.8


def test_all_groups_labeled_the_interval_is_the_point():
    groups = groups_of(["a", "a", "b", "c", "c", "c"])
    selector = SimpleRandomGroups(groups, budget=6, seed=1)
    found = estimator_of(selector.design).estimate(
        selector.design, [Verdict(draw, float(draw.row == 0)) for draw in selector.ask(6)]
    )
    assert (found.low, found.accuracy, found.high) == pytest.approx((5 / 6, 5 / 6, 5 / 6), abs=1e-12)


def test_one_group_is_no_number():
    groups = groups_of(["a"] * 5 + ["b"] * 5 + ["c"] * 5)
    selector = SimpleRandomGroups(groups, budget=8, seed=1)
    verdicts = [Verdict(draw, 0.0) for draw in selector.ask(5)]
    with pytest.raises(NotEnoughLabels, match="Fewer than two groups"):
        estimator_of(selector.design).estimate(selector.design, verdicts)
    verdicts += [Verdict(draw, 0.0) for draw in selector.ask(1)]
    found = estimator_of(selector.design).estimate(selector.design, verdicts)
    assert found.accuracy == 1
    assert found.low < 0.5  # two groups say little, however many labels they have


def test_a_draw_of_no_group_is_refused():
    design = WholeGroups((40,), 8, stratum_groups=(10,), group_sizes=(4, 4))
    for draw in (Draw(0), GroupDraw(0, group=2)):
        with pytest.raises(BadInput, match="2 groups"):
            estimator_of(design).estimate(design, [Verdict(draw, 0.0)])
    with pytest.raises(BadInput, match="groups are planned"):
        WholeGroups((40,), 8, stratum_groups=(41,), group_sizes=(4,))


def patients(seed, count=200):
    """Inputs of patients that differ: their groups, a score that says something of it, and which fail."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 12, count)
    ill = rng.beta(0.6, 3.0, count)
    codes = np.repeat(np.arange(count), sizes)
    chances = ill[codes]
    scores = np.clip(chances + rng.normal(0, 0.15, len(codes)), 0, 1)
    return groups_of([str(code) for code in codes]), scores, (rng.random(len(codes)) < chances).astype(float)


def held(technique, campaigns, budget, per_group):
    """The share of campaigns whose 95% interval holds the truth."""
    groups, scores, losses = patients(3)
    inside = 0
    for seed in range(campaigns):
        if technique == "srs":
            selector = SimpleRandomGroups(groups, budget=budget, seed=seed, per_group=per_group)
        else:
            selector = GroupsInRounds(groups, scores, True, budget=budget, seed=seed, per_group=per_group)
        verdicts = [Verdict(draw, losses[draw.row]) for draw in selector.ask(budget)]
        found = estimator_of(selector.design).estimate(selector.design, verdicts)
        inside += found.low <= 1 - losses.mean() <= found.high
    return inside / campaigns


@pytest.mark.parametrize("campaigns", [100, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("technique", "budget", "per_group"), [("srs", 200, 0), ("rrs", 200, 0), ("rrs", 150, 3)])
def test_the_interval_of_patients_holds(technique, budget, per_group, campaigns):
    share = held(technique, campaigns, budget, per_group)
    assert abs(share - 0.95) <= 0.02 + 3 * np.sqrt(0.95 * 0.05 / campaigns)
