"""Several criteria from one plan: the best allocation by enumeration, a census, votes in every form, and bad input."""

import json
from itertools import product

import numpy as np
import pytest

from testimate import estimate, open_subject, select, with_criteria
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.selector import Request
from testimate.planning.criteria import compromise, criteria_votes
from testimate.planning.estimate import estimate_plan
from testimate.planning.expected_range import expected_of_plan, expected_range
from testimate.planning.plan import Plan, plan_of_json
from testimate.tasks.criteria import Criteria
from testimate.tasks.verdict import Judgment, criterion_of
from tests.each import each

ASKED = ("faithful:1-5=judge_faithful", "polite=judge_polite", "complete")
SIZE = 60


@pytest.fixture(scope="module")
def judged():
    """A subject with two judges, and what people say of each criterion, (N,)."""
    random = np.random.default_rng(5)
    quality = random.normal(size=SIZE)
    people = {
        "faithful": np.clip(np.round(quality + 3.5), 1, 5).astype(int),
        "polite": np.where(quality + random.normal(size=SIZE) > -0.5, "yes", "no"),
        "complete": np.where(random.random(SIZE) < 0.7, "right", "wrong"),
    }
    judge = np.clip(np.round(quality + random.normal(0, 0.7, SIZE) + 4), 1, 5)
    subject = open_subject(
        {
            "output": [f"text {row}" for row in range(SIZE)],
            "judge_faithful": judge,
            "judge_polite": np.round(1 / (1 + np.exp(-quality)), 2),
        },
        task="verdict",
    )
    return subject, people


def votes_of(plan, people):
    return {row: {name: said[row] for name, said in people.items()} for row in plan.rows}


def test_no_other_allocation_of_labels_leaves_less_relative_variance_on_average():
    sizes, scores = np.array([20, 30, 50]), [np.array([0.5, 0.9, 1.0]), np.array([1.0, 0.95, 0.6])]
    strata = np.repeat(np.arange(3), sizes)
    weights = compromise([one[strata] for one in scores])
    chances = [(2 * (1 - one) + 0.5) / 3 for one in scores]
    variances = [chance * (1 - chance) for chance in chances]
    relative = np.mean([one / (sizes @ one / sizes.sum()) for one in variances], axis=0)
    left = {
        counts: float((sizes**2 * relative / np.array(counts)).sum())
        for counts in product(range(1, 40), repeat=3)
        if sum(counts) == 40
    }
    best = np.array(min(left, key=left.get))
    given = np.bincount(strata, weights)
    assert np.abs(40 * given / given.sum() - best).max() < 0.5


def test_a_judge_that_knows_nothing_leaves_every_input_alike():
    assert compromise([np.full(9, 0.8), np.full(9, np.nan)]) == pytest.approx(np.ones(9))


def test_a_confidence_forecasts_one_question_but_not_several_criteria():
    table = {"output": [f"text {row}" for row in range(SIZE)], "confidence": np.linspace(0.4, 0.99, SIZE)}
    subject = open_subject(table, task="verdict")
    request = Request("srs", 40, 1)
    assert expected_of_plan(subject.inputs, request)
    several = with_criteria(subject, ("correct=confidence", "polite"))
    assert expected_of_plan(several, request) == ""
    supposed = expected_range(several, [40], "srs", chosen=request, failing=0.5)
    assert supposed.low.tolist() == supposed.middle.tolist() == supposed.high.tolist()


def test_a_census_finds_the_truth_of_each_criterion_and_of_all_together(judged):
    subject, people = judged
    plan = select(with_criteria(subject, ASKED), budget=SIZE, seed=1)
    found = estimate(plan, votes_of(plan, people), subject=subject)
    truth = {"faithful": (people["faithful"] - 1).mean() / 4, "polite": (people["polite"] == "yes").mean()}
    truth["complete"] = (people["complete"] == "right").mean()
    for one in found.criteria:
        said = one.found
        assert (said.accuracy, said.low, said.high) == pytest.approx((truth[one.criterion.name],) * 3)
    good = (people["faithful"] >= 4) & (people["polite"] == "yes") & (people["complete"] == "right")
    assert (found.accuracy, found.low, found.high) == pytest.approx((good.mean(),) * 3)


def test_each_criterion_gets_what_a_plan_of_its_own_would_get_from_the_same_draws(judged):
    subject, people = judged
    plan = select(with_criteria(subject, ASKED), budget=40, seed=1, technique="srs")
    alone = select(with_criteria(subject, ASKED[:1]), budget=40, seed=1, technique="srs")
    both = estimate(plan, votes_of(plan, people), subject=subject).criteria[0].found
    one = estimate(alone, votes_of(alone, people), subject=subject).criteria[0].found
    assert plan.rows == alone.rows
    assert (both.accuracy, both.low, both.high) == (one.accuracy, one.low, one.high)
    assert "The judges save" in one.remarks[0]


def test_intervals_that_hold_together_have_the_level_of_bonferroni(judged):
    subject, people = judged
    plan = select(with_criteria(subject, ASKED), budget=40, seed=1)
    votes = votes_of(plan, people)
    alone, together = (estimate(plan, votes, subject=subject, level=said) for said in (0.95, plan.level_together()))
    assert [one.found.estimate.level for one in together.criteria] == [1 - 0.05 / 4] * 3
    assert all(a.found.low > b.found.low for a, b in zip(alone.criteria, together.criteria, strict=True))


def test_without_its_table_a_plan_of_criteria_has_the_estimates_without_judges(judged):
    subject, people = judged
    plan = select(with_criteria(subject, ["faithful:1-5", "polite", "complete"]), budget=40, seed=1, technique="srs")
    votes = votes_of(plan, people)
    found = estimate_plan(plan, criteria_votes(votes, plan.criteria), None, tell=print)
    grades = np.array([votes[row]["faithful"] for row in plan.rows])
    assert found.criteria[0].found.accuracy == pytest.approx((grades - 1).mean() / 4)


def test_answers_by_several_criteria_are_right_without_a_fault_and_open_with_a_gap():
    task = Criteria(criteria=tuple(map(criterion_of, ASKED)))
    assert task.losses([0, 0, 0], [[3, 0, 0], [2, 0, 0], [4, 0]]) == pytest.approx([0, 1, np.nan], nan_ok=True)
    assert task.answer_of(task.answer_text([3, -1, 1])) == [3, -1, 1]
    assert task.comparable([1, 0, 0]) != task.comparable([0, 1, 0])
    for wrong in ([-1, -1, -1], [5, 0, 0], [0, 0, 0, 0], "right", 1):
        with pytest.raises(BadInput):
            task.check_answer(wrong)


def test_a_skipped_criterion_leaves_the_others_and_opens_all_together(judged):
    subject, people = judged
    plan = select(with_criteria(subject, ASKED), budget=40, seed=1)
    votes = votes_of(plan, people)
    votes[plan.rows[3]] = {"faithful": 5, "polite": None, "complete": "right"}
    found = estimate(plan, votes, subject=subject)
    assert [one.found.estimate.skipped for one in found.criteria] == [0, 1, 0]
    assert found.estimate.skipped == 1


def test_a_criterion_that_nobody_answered_has_no_number_and_the_others_do(judged):
    subject, people = judged
    plan = select(with_criteria(subject, ASKED), budget=40, seed=1)
    votes = {row: {**said, "complete": ""} for row, said in votes_of(plan, people).items()}
    found = estimate(plan, votes, subject=subject)
    assert [one.found is None for one in found.criteria] == [False, False, True]
    assert found.estimate.skipped == 0
    assert "All criteria right leaves out complete, which nobody has answered." in found.remarks


def test_votes_that_answer_no_criterion_give_no_number(judged):
    subject, people = judged
    plan = select(with_criteria(subject, ASKED), budget=10, seed=1)
    with pytest.raises(NotEnoughLabels):
        estimate(plan, {row: dict.fromkeys(people) for row in plan.rows}, subject=subject)


def test_a_plan_with_criteria_is_read_back_as_it_was_made(judged):
    subject, _ = judged
    plan = select(with_criteria(subject, ASKED), budget=10, seed=1)
    again = plan_of_json(json.loads(json.dumps(plan.to_json())), "plan.json")
    assert isinstance(again, Plan)
    assert again.criteria == plan.criteria == tuple(map(criterion_of, ASKED))
    assert again.draws == plan.draws


def test_votes_may_be_a_table_with_a_column_for_each_criterion(judged):
    subject, people = judged
    plan = select(with_criteria(subject, ASKED), budget=40, seed=1)
    rows = list(plan.rows)
    table = {"row": rows, **{name: [str(said[row]) for row in rows] for name, said in people.items()}}
    by_table, by_row = (estimate(plan, votes, subject=subject) for votes in (table, votes_of(plan, people)))
    assert by_table.accuracy == by_row.accuracy


@each(
    ("typed", "said"),
    [
        (["a", "A"], "Two criteria are called"),
        (["label"], "as a column that files of votes have"),
        (["a:1-900"], "The grades are '1-900'"),
        (["a:sides"], "Expected grades of one output"),
        (["a=judge_nowhere"], "which is no column of numbers"),
        ([f"c{number}" for number in range(7)], "There are 7 criteria. Expected at most 6"),
        (["a;b"], "without the marks"),
        ([":1-5"], "Expected NAME"),
    ],
)
def test_a_criterion_that_cannot_be_asked_is_refused(judged, typed, said):
    with pytest.raises(BadInput, match=said):
        select(with_criteria(judged[0], typed), budget=10, seed=1)


def test_a_grade_of_another_scale_is_refused_with_the_name_of_the_criterion(judged):
    subject, people = judged
    plan = select(with_criteria(subject, ASKED), budget=10, seed=1)
    votes = votes_of(plan, people)
    votes[plan.rows[0]] = {"faithful": "right", "polite": 3, "complete": "wrong"}
    with pytest.raises(BadInput, match=r"on 'faithful' is 'right'. Expected one of 1, 2, 3, 4, 5"):
        estimate(plan, votes, subject=subject)


def test_criteria_are_of_outputs_that_people_judge():
    subject = open_subject({"prediction": ["a", "b"] * 10})
    with pytest.raises(BadInput, match="this is a classification task"):
        select(with_criteria(subject, ["polite"]), budget=10, seed=1)


def test_a_technique_that_learns_takes_no_criteria(judged):
    with pytest.raises(BadInput, match="rra learns from one answer"):
        select(with_criteria(judged[0], ASKED), budget=10, seed=1, technique="rra")


def test_right_or_wrong_is_a_scale_without_partly():
    task = Judgment("right-wrong")
    assert [task.place_of(word) for word in ("yes", "0", "C")] == [0, 1, 0]
    assert task.losses([0, 0], [0, 1]).tolist() == [0, 1]
    with pytest.raises(BadInput, match="not on the scale"):
        task.place_of("partly")
