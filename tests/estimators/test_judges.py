"""Judges that assist an estimate: R's survey, closed forms, every sample of a small population, and a grid of costs."""

from itertools import permutations, product

import numpy as np
import pytest

from testimate.core.design import Rounds, SimpleRandom, Stratified
from testimate.core.errors import WrongDesign
from testimate.estimators import estimator_of, judges
from testimate.estimators.judges import (
    JudgeScores,
    judge_assisted,
    judged_by,
    judging_ways,
    price_that_pays,
)
from tests.each import each

SURVEY = "survey_calibrate"
NONE = float("nan")


def cheapest(*of):
    return min(judging_ways(*of), key=lambda one: one.cost)


@each("name", ["simple_random", "stratified"])
def test_the_line_through_a_judge_gives_the_regression_estimate_of_survey(name, survey, monkeypatch):
    monkeypatch.setattr(judges, "PENALTIES", (1e-9,))
    case = survey[name]
    sizes, strata = np.atleast_1d(case["sizes"]), np.array(case["strata"], dtype=int)
    weights = (sizes / np.bincount(strata))[strata]
    rows, losses = np.array(case["rows"], dtype=int), np.array(case["failed"], dtype=float)
    guesses = JudgeScores({"judge": 1 - np.array(case["guesses"])}).learn(rows, losses, weights)
    estimate = guesses.mean() + weights @ (losses - guesses[rows]) / sizes.sum()
    assert estimate == pytest.approx(case["failed_mean"], abs=1e-9)


def test_the_line_through_two_judges_gives_the_regression_estimate_of_survey(survey, monkeypatch):
    monkeypatch.setattr(judges, "PENALTIES", (1e-9,))
    case = survey["two_judges"]
    rows, strata, losses = (np.array(case[name]) for name in ("rows", "strata", "grades"))
    weights = (np.array(case["sizes"]) / np.bincount(strata))[strata]
    guesses = JudgeScores({name: np.array(case[name]) for name in ("kind", "strict")}).learn(rows, losses, weights)
    estimate = guesses.mean() + weights @ (losses - guesses[rows]) / 100
    assert estimate == pytest.approx(case["mean"], abs=1e-9)


@each("penalty", [1.0, 30.0])
def test_one_judges_ridge_line_is_the_closed_form(penalty, monkeypatch):
    monkeypatch.setattr(judges, "PENALTIES", (penalty,))
    random = np.random.default_rng(1)
    scores = random.random(300)
    rows = random.choice(300, 40, replace=False)
    losses = (random.random(40) > scores[rows]).astype(float)
    x = (scores - scores.mean()) / scores.std()
    off = x[rows] - x[rows].mean()
    slope = off @ losses / (off @ off + penalty)
    expected = losses.mean() + slope * (x - x[rows].mean())
    assert JudgeScores({"judge": scores}).learn(rows, losses, np.ones(40)) == pytest.approx(expected)


@pytest.mark.parametrize(("sizes", "counts"), [((7,), (4,)), ((4, 3), (3, 2))])
def test_over_all_samples_the_estimate_is_unbiased_whatever_the_judges_say(sizes, counts, verdicts_of):
    losses = np.array([1, 0.25, 0, 1, 0, 0.5, 0])
    scores = JudgeScores(
        {"kind": np.array([0.9, 0.8, 1, 1, 0.2, 1, 0.7]), "blank": np.array([NONE, 1, 0, 0, 1, NONE, 0])}
    )
    design = Stratified(sizes, sum(counts)) if len(sizes) > 1 else SimpleRandom(sizes, sum(counts))
    starts = np.cumsum(sizes) - sizes
    inside = [
        list(permutations(range(first, first + size), count))
        for first, size, count in zip(starts, sizes, counts, strict=True)
    ]
    means = []
    for picked in product(*inside):
        rows = [row for part in picked for row in part]
        strata = [h for h, part in enumerate(picked) for _ in part]
        means.append(judged_by(design, verdicts_of(losses[rows], strata, rows=rows), scores).mean)
    assert np.ptp(means) > 0.1
    assert np.mean(means) == pytest.approx(losses.mean(), abs=1e-12)


def graded(verdicts_of, count=200, size=2000, seed=2):
    """A simple random sample of grades, the judge that sees quality with an error and is too kind, and the plain estimate."""
    random = np.random.default_rng(seed)
    quality = random.normal(size=size)
    people = np.clip(np.round(quality + 2.4), 0, 4) / 4
    judge = np.clip(np.round(quality + random.normal(0, 0.7, size) + 3.2), 0, 4) / 4
    rows = random.choice(size, count, replace=False)
    design = SimpleRandom((size,), count)
    verdicts = verdicts_of((1 - people)[rows], rows=rows)
    return people, judge, design, verdicts, estimator_of(design).estimate(design, verdicts)


def test_the_interval_shrinks_by_the_share_that_the_judge_explains(verdicts_of):
    people, judge, design, verdicts, plain = graded(verdicts_of)
    found = judge_assisted(design, verdicts, JudgeScores({"judge": judge}), plain)
    explained = np.corrcoef(judge, people)[0, 1] ** 2
    assert found.saved == pytest.approx(explained, abs=0.08)
    assert found.estimate.half_width / plain.half_width == pytest.approx(np.sqrt(1 - explained), abs=0.06)
    assert found.estimate.low < people.mean() < found.estimate.high
    [one] = found.judges
    assert one.low < judge.mean() - people.mean() < one.high
    assert one.bias == pytest.approx(judge.mean() - found.estimate.accuracy)


def test_a_judge_with_blanks_is_told_over_what_it_graded(verdicts_of):
    people, judge, design, verdicts, plain = graded(verdicts_of)
    some = np.where(np.arange(2000) % 3 == 0, NONE, judge)
    [one] = judge_assisted(design, verdicts, JudgeScores({"judge": some}), plain).judges
    rows = np.array([verdict.draw.row for verdict in verdicts])
    rows = rows[np.isfinite(some[rows])]
    assert one.bias == pytest.approx((judge - people)[rows].mean())
    assert one.low < (judge - people)[np.isfinite(some)].mean() < one.high
    assert one.graded == np.isfinite(some).sum()


def test_without_faults_enough_or_a_judge_that_tells_outputs_apart_the_plain_estimate_stays(verdicts_of):
    _, judge, design, verdicts, plain = graded(verdicts_of)
    constant = judge_assisted(design, verdicts, JudgeScores({"judge": np.full(2000, 0.75)}), plain)
    assert (constant.estimate, constant.saved) == (plain, 0.0)
    assert constant.why == "No judge tells one output from another, so judges save no labels."
    assert constant.judges[0].bias == pytest.approx(0.75 - plain.accuracy)
    rare = verdicts_of([1.0] * 9 + [0.0] * 91)
    plain = estimator_of(design).estimate(design, rare)
    found = judge_assisted(design, rare, JudgeScores({"judge": judge}), plain)
    assert (found.estimate, found.why.split(". ")[1]) == (plain, "9 so far.")
    few = verdicts_of([1.0, 0.0] * 9)
    plain = estimator_of(design).estimate(design, few)
    assert judge_assisted(design, few, JudgeScores({"judge": judge}), plain).why.endswith("There are 18.")


def test_judges_do_not_assist_adaptive_rounds(verdicts_of):
    _, judge, _, verdicts, plain = graded(verdicts_of)
    with pytest.raises(WrongDesign, match="Take the plain estimate"):
        judge_assisted(Rounds((2000,), 200), verdicts, JudgeScores({"judge": judge}), plain)


@each(("explained", "price"), [(0.35, 0.01), (0.2, 0.001), (0.6, 0.05)])
def test_no_other_split_between_judging_and_labeling_is_cheaper(explained, price):
    labels = 1000
    found = cheapest(explained, price, labels, 10**7)
    costs = []
    for judged in np.linspace(explained * labels * 1.01, 40 * labels, 20_000):
        labeled = (1 - explained) / (1 / labels - explained / judged)
        costs.append((labeled + price * judged) / labels)
    assert found.cost == pytest.approx(min(costs), rel=1e-4)
    variance = (1 - explained) / found.labeled + explained / found.judged
    assert variance == pytest.approx(1 / labels, rel=0.003)


def test_no_judge_pays_beyond_the_price_at_which_it_costs_what_labels_do():
    price = price_that_pays(0.35)
    assert cheapest(0.35, price * 1.001, 100, 10**6).judged == 0
    assert cheapest(0.35, price * 0.99, 100, 10**6).cost < 1
    everything = cheapest(0.35, 0.0, 100, 800)
    assert (everything.judged, everything.labeled, everything.cost) == (800, 65, pytest.approx(0.65))


def test_a_small_set_is_judged_whole_where_that_is_cheaper():
    ways = judging_ways(0.73, 0.01, 100, 600)
    assert [one.judged for one in ways] == [0, 600]
    assert cheapest(0.73, 0.01, 100, 600) == ways[1]
    assert ways[1].cost == pytest.approx(0.27 + 0.06)
