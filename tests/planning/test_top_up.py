"""Top-ups: a few more labels for the accuracy of a new version, or for the difference of two."""

from itertools import combinations, permutations

import numpy as np
import pytest

from testimate.core.design import SimpleRandom, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators.learned_guesses import judged_across_folds
from testimate.estimators.version_difference import labels_to_tell
from testimate.planning.plan import Plan, read_plan
from testimate.planning.reused_labels import LabeledPlan, reuse_labels
from testimate.planning.top_up import top_up
from testimate.tasks.classification import Classification
from tests.each import each

SIZE = 300
TASK = Classification(("a", "b", "c"))


@pytest.fixture(scope="module")
def versions():
    """True classes, and two versions that are right on about 70 and 80%."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, SIZE)
    made = []
    for wrong in (0.3, 0.2):
        chance = np.clip(rng.beta(1, 3, SIZE) * 4 * wrong, 0.01, 0.9)
        said = np.where(rng.random(SIZE) < chance, (truth + 1) % 3, truth)
        made.append(Inputs("f" * 32, TASK, said, 1 - chance, scores={"confidence": chance}))
    return truth, *made


def planned(truth, count, seed, kind="label", old=None):
    rows = np.random.default_rng(seed).permutation(SIZE)[:count]
    draws = tuple(Draw(int(row)) for row in rows)
    plan = Plan(Request("srs", count, seed), "f" * 32, 1.0, SimpleRandom((SIZE,), count), draws)
    if kind == "label":
        return LabeledPlan(plan, kind, {int(row): TASK.classes[truth[row]] for row in rows})
    return LabeledPlan(plan, kind, {int(row): str(int(old.predictions[row] != truth[row])) for row in rows})


def answered(plan, truth, count=None):
    rows = [draw.row for draw in plan.draws][: count or plan.request.budget]
    return LabeledPlan(plan, "label", {row: TASK.classes[truth[row]] for row in rows})


def test_a_sample_of_what_an_earlier_one_left_is_unbiased_given_it_over_all_samples():
    losses = np.array([1, 0, 0, 1, 0.0])

    def learn(rows, said):
        return np.clip(np.linspace(0.1, 0.8, 5) * (0.5 + said.mean()), 0, 1)

    for known in combinations(range(5), 2):
        left = [row for row in range(5) if row not in known]
        means = []
        for picked in permutations(left, 2):
            strata = [(row, 0) for row in picked] + [(row, 1) for row in known]
            verdicts = [Verdict(Draw(row, None, stratum), losses[row]) for row, stratum in strata]
            means.append(judged_across_folds(Stratified((3, 2), 4), verdicts, learn).mean)
        assert np.mean(means) == pytest.approx(losses.mean(), abs=1e-12)


@pytest.mark.parametrize("purpose", ["accuracy", "difference"])
def test_a_top_up_asks_only_what_is_unknown_and_its_strata_are_the_whole_set(versions, purpose, tmp_path):
    truth, old, new = versions
    first = planned(truth, 40, 1)
    more = top_up(new, [first], 30, purpose=purpose, seed=5, against=old, old=old)
    rows, known = [draw.row for draw in more.draws[:30]], [draw.row for draw in more.draws[30:]]
    assert len(set(rows)) == 30
    assert set(known) == set(first.votes)
    assert not set(rows) & set(known)
    assert more.design.size == SIZE
    if purpose == "difference":
        assert all(old.predictions[row] != new.predictions[row] for row in rows)
    more.write(tmp_path / "plan2.json")
    assert read_plan(tmp_path / "plan2.json").draws == more.draws
    assert top_up(new, [first], 30, purpose=purpose, seed=5, against=old, old=old).draws == more.draws
    assert top_up(new, [first], 30, purpose=purpose, seed=6, against=old, old=old).draws != more.draws


def test_a_top_up_of_all_that_is_left_gives_the_true_accuracy(versions):
    truth, old, new = versions
    first = planned(truth, 40, 1)
    more = top_up(new, [first], SIZE - 40, purpose="accuracy", seed=1, old=old)
    found = reuse_labels(new, [first, answered(more, truth)], old=old).estimate
    right = (new.predictions == truth).mean()
    assert (found.accuracy, found.low, found.high) == pytest.approx((right, right, right))
    assert found.labeled == SIZE


def test_a_top_up_of_all_inputs_on_which_the_versions_differ_gives_the_true_difference(versions):
    truth, old, new = versions
    first = planned(truth, 40, 1)
    apart = (old.predictions != new.predictions).sum()
    left = apart - sum(old.predictions[row] != new.predictions[row] for row in first.votes)
    more = top_up(new, [first], int(left), purpose="difference", seed=1, against=old, old=old)
    found = reuse_labels(new, [first, answered(more, truth)], old=old)
    true = (new.predictions == truth).mean() - (old.predictions == truth).mean()
    gap = found.difference
    assert [gap.low, gap.value, gap.high] == pytest.approx([true] * 3, abs=1e-12)
    assert found.differing_labeled == found.differing == apart


@pytest.mark.parametrize("labels", [5, 40, 150])
def test_a_difference_is_never_beyond_what_predictions_and_labels_leave_possible(versions, labels):
    truth, old, new = versions
    first = planned(truth, labels, 4)
    apart = old.predictions != new.predictions
    gains = (new.predictions == truth).astype(int) - (old.predictions == truth)
    known = [row for row in first.votes if apart[row]]
    gained, left = sum(gains[row] for row in known), apart.sum() - len(known)
    gap = reuse_labels(new, [first], old=old).difference
    assert (gained - left) / SIZE - 1e-12 <= gap.low <= gap.value <= gap.high <= (gained + left) / SIZE + 1e-12


@pytest.mark.slow
def test_with_a_top_up_the_estimates_have_no_bias_and_smaller_errors(versions):
    truth, old, new = versions
    right = (new.predictions == truth).mean()
    true = right - (old.predictions == truth).mean()
    errors = {"one": [], "accuracy": [], "gap": [], "difference": []}
    for seed in range(10):
        first = planned(truth, 40, seed)
        before = reuse_labels(new, [first], old=old)
        errors["one"].append(before.estimate.accuracy - right)
        errors["gap"].append(before.difference.value - true)
        for purpose in ("accuracy", "difference"):
            more = top_up(new, [first], 20, purpose=purpose, seed=seed, against=old, old=old)
            found = reuse_labels(new, [first, answered(more, truth)], old=old)
            off = found.estimate.accuracy - right if purpose == "accuracy" else found.difference.value - true
            errors[purpose].append(off)
    for name in ("accuracy", "difference"):
        assert abs(np.mean(errors[name])) < 3 * np.std(errors[name]) / np.sqrt(10)
    assert np.std(errors["accuracy"]) < np.std(errors["one"])
    assert np.std(errors["difference"]) < np.std(errors["gap"])


def test_inputs_known_only_to_be_wrong_are_asked_again_first(versions):
    truth, old, new = versions
    first = planned(truth, 60, 3, "failed", old)
    wrong = {row for row, cell in first.votes.items() if cell == "1"}
    more = top_up(new, [first], 20, purpose="accuracy", seed=1, old=old)
    again = [draw.row for draw in more.draws if draw.reason.startswith("asked again")]
    assert set(again) <= wrong
    assert len(again) == min(10, len(wrong))
    assert [draw.row for draw in more.draws[: len(again)]] == again
    found = reuse_labels(new, [first, answered(more, truth)], old=old)
    assert found.estimate.skipped < reuse_labels(new, [first], old=old).estimate.skipped + len(wrong)


def test_a_top_up_for_another_difference_is_left_aside(versions):
    truth, old, new = versions
    third = Inputs("f" * 32, TASK, np.roll(new.predictions, 1), new.confidence, scores=new.scores)
    first = planned(truth, 40, 1)
    more = answered(top_up(new, [first], 20, purpose="difference", seed=5, against=old, old=old), truth)
    assert reuse_labels(third, [first, more], old=old).difference == reuse_labels(third, [first], old=old).difference
    with pytest.raises(BadInput, match="Every plan was drawn for a difference"):
        reuse_labels(new, [more], old=old)


def test_more_than_is_left_and_less_than_two_are_refused(versions):
    truth, old, new = versions
    first = planned(truth, 40, 1)
    for count in (1, SIZE):
        with pytest.raises(BadInput, match="260 inputs have no label yet"):
            top_up(new, [first], count, purpose="accuracy", seed=5, old=old)
    with pytest.raises(BadInput, match="needs the version to compare with"):
        top_up(new, [first], 10, purpose="difference", seed=5)


@each(("gained", "lost"), [(0.6, 0.35), (0.5, 0.38)])
def test_the_labels_proposed_tell_which_version_is_better_in_most_campaigns(gained, lost):
    size, differing, rng = 3000, 600, np.random.default_rng(5)
    gains = np.repeat([1.0, -1.0, 0.0], np.round(differing * np.array([gained, lost, 1 - gained - lost])).astype(int))
    more = labels_to_tell(float(gains.sum()) / size, np.full(differing, np.nan), size)
    told = 0
    for _ in range(200):  # the inputs drawn at random, and the sign of their own interval by the normal law
        seen = rng.permutation(gains)[:more]
        told += seen.mean() > 1.96 * seen.std(ddof=1) * np.sqrt((1 - more / differing) / more)
    assert told >= 170
    assert more < differing
    few = labels_to_tell(float(gains.sum()) / size, np.full(differing, np.nan), size, level=0.8)
    assert few < more


def test_nothing_is_proposed_where_no_difference_shows_or_no_input_is_left():
    assert labels_to_tell(0.0, np.full(9, np.nan), 100) is None
    assert labels_to_tell(0.1, np.array([1.0, -1.0]), 100) is None
    assert labels_to_tell(0.001, np.full(9, np.nan), 1000) == 9


def test_a_top_up_for_the_difference_draws_the_inputs_that_differ_alike_often(versions):
    truth, old, new = versions
    first = planned(truth, 40, 1)
    sizes = top_up(new, [first], 30, purpose="difference", seed=5, against=old, old=old).design.stratum_sizes[:10]
    assert max(sizes) - min(sizes) <= 1
