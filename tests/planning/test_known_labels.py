"""Labels that exist before a plan count where a design draws them, are asked of nobody, and enter no estimate elsewhere."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from testimate import estimate, open_subject, select, with_labels
from testimate.core.draw import Draw
from testimate.core.errors import BadInput
from testimate.planning.estimate import is_complete
from testimate.planning.forecast import expected_half_widths
from testimate.planning.known_labels import drawn_words
from testimate.planning.plan import continue_plan, plan_of_json
from testimate.planning.votes import Votes
from testimate.selectors.round_guesses import guesses_of, taught
from tests.each import each

SIZE = 200
RNG = np.random.default_rng(51)
WORDS = np.array(["ant", "bee", "cat"])
TRUTH = RNG.integers(0, 3, SIZE)
SAID = np.where(RNG.random(SIZE) < 0.75, TRUTH, RNG.integers(0, 3, SIZE))
TABLE = pd.DataFrame({"prediction": WORDS[SAID], "confidence": RNG.uniform(0.4, 1, SIZE).round(4)})
KNOWN = RNG.random(SIZE) < 0.4
PARTLY = TABLE.assign(label=np.where(KNOWN, WORDS[TRUTH], ""))
LABELS = dict(enumerate(WORDS[TRUTH].tolist()))


def known_of(rows):
    return {row: LABELS[row] for row in np.flatnonzero(rows).tolist()}


def answered(plan):
    """The votes of who labels all that the plan asks for."""
    return {row: LABELS[row] for row in plan.rows}


@each("technique", ["srs", "rrs", "ssrs", "sups"])
def test_a_plan_draws_the_same_inputs_whatever_is_known_and_asks_for_the_rest(technique):
    plain = select(open_subject(TABLE), budget=60, seed=3, technique=technique)
    helped = select(with_labels(open_subject(TABLE), known_of(KNOWN)), budget=60, seed=3, technique=technique)
    assert helped.draws == plain.draws
    assert helped.rows == tuple(row for row in plain.rows if not KNOWN[row])


@each("technique", ["srs", "rrs"])
def test_a_known_label_counts_as_the_vote_that_it_saves(technique):
    subject = open_subject(TABLE)
    plain = select(subject, budget=60, seed=3, technique=technique)
    helped = select(with_labels(subject, known_of(KNOWN)), budget=60, seed=3, technique=technique)
    whole, part = estimate(plain, answered(plain), subject=subject), estimate(helped, answered(helped), subject=subject)
    assert part.estimate == whole.estimate
    assert part.headline == "fixed"
    assert part.known.used == sum(KNOWN[draw.row] for draw in plain.draws) > 10
    assert f"{part.known.used} of 60 were known and not asked." in repr(part)


def test_a_partly_labeled_table_brings_its_labels_and_shows_none_of_them():
    subject = open_subject(PARTLY)
    plan = select(subject, budget=60, seed=3)
    assert dict(plan.known) == known_of(KNOWN)
    assert set(plan.rows).isdisjoint(np.flatnonzero(KNOWN).tolist())
    assert estimate(plan, answered(plan), subject=subject).known.used == 60 - len(plan.rows)
    assert "label" not in plan.to_frame()
    assert all(name != "label" for row in range(SIZE) for name, _ in subject.dataset.show(row).cells)


def test_over_all_samples_the_mean_estimate_is_the_accuracy_however_labels_were_collected():
    predicted, truth = ["a", "a", "b", "b", "a", "b", "a"], ["a", "b", "b", "b", "b", "b", "a"]
    right = [row for row in range(7) if predicted[row] == truth[row]]
    subject = open_subject({"prediction": predicted}, classes=["c"])
    made = select(with_labels(subject, {row: truth[row] for row in right[:4]}), budget=3, seed=0, technique="srs")
    found = []
    for rows in combinations(range(7), 3):
        plan = replace(made, draws=tuple(Draw(row) for row in rows))
        found.append(estimate(plan, {row: truth[row] for row in plan.rows}, subject=subject).accuracy)
    assert np.mean(found) == pytest.approx(len(right) / 7, abs=1e-12)


def test_adaptive_rounds_are_unbiased_where_only_right_answers_are_known():
    accuracy, errors = float((SAID == TRUTH).mean()), []
    subject = open_subject(TABLE)
    known = {row: LABELS[row] for row in np.flatnonzero(SAID == TRUTH).tolist() if row % 3}
    for seed in range(150):
        plan = select(with_labels(subject, known), budget=40, seed=seed, technique="rra")
        while len(plan.draws) < 40:
            plan = continue_plan(subject.inputs, plan, Votes.of(answered(plan)).verdicts(plan.draws, subject.inputs))
        assert set(plan.rows).isdisjoint(known)
        errors.append(estimate(plan, answered(plan), subject=subject).accuracy - accuracy)
    assert abs(np.mean(errors)) < 3 * np.std(errors) / np.sqrt(150)


def test_a_vote_that_contradicts_a_known_label_counts_and_is_shown_as_a_dispute():
    subject = open_subject(TABLE)
    plan = select(with_labels(subject, known_of(KNOWN)), budget=60, seed=3, technique="srs")
    row = plan.known_draws[0].row
    other = next(word for word in WORDS.tolist() if word not in (LABELS[row], WORDS[SAID[row]]))
    found = estimate(plan, {**answered(plan), row: other}, subject=subject)
    assert found.known.disputed == (row,)
    assert f"Vote and known label differ in 1 row: {row}. The vote counts." in repr(found)
    assert next(one.loss for one in found.verdicts if one.draw.row == row) == 1
    assert plan.known[row] == LABELS[row]


def test_a_known_label_that_is_no_class_makes_the_prediction_wrong():
    subject = open_subject(TABLE)
    plan = select(
        with_labels(subject, {5: "zebra", **{row: LABELS[row] for row in range(5)}}),
        budget=SIZE,
        seed=3,
        technique="srs",
    )
    found = estimate(plan, answered(plan), subject=subject)
    assert found.accuracy == pytest.approx(np.mean([SAID[row] == TRUTH[row] and row != 5 for row in range(SIZE)]))


@each(
    ("known", "said"),
    [
        (Votes.of({3: 1}, "failed"), "says failed, and not what the inputs are"),
        ({SIZE: "ant"}, f"a label of row {SIZE}. Expected rows 0 to {SIZE - 1}"),
        ({int(np.flatnonzero(KNOWN)[0]): "owl"}, "in the table. Expected one label"),
    ],
)
def test_known_labels_that_cannot_be_used_are_refused(known, said):
    with pytest.raises(BadInput, match=said):
        select(with_labels(open_subject(PARTLY), known), budget=20, seed=1)


def test_a_plan_keeps_its_known_labels_and_earlier_plans_have_none():
    plan = select(open_subject(PARTLY), budget=60, seed=3, technique="srs")
    record = plan.to_json()
    assert plan_of_json(record, "plan.json") == plan
    del record["known"]
    before = plan_of_json(record, "plan.json")
    assert len(before.rows) == 60
    assert not before.known
    assert not is_complete(before, set(plan.rows))
    assert is_complete(plan, set(plan.rows))


def test_labels_that_no_design_drew_are_told_apart_and_enter_no_estimate():
    subject = open_subject(TABLE)
    plain = select(subject, budget=60, seed=3, technique="srs")
    beside = {row: LABELS[row] for row in range(SIZE) if row not in plain.rows}
    helped = select(with_labels(subject, beside), budget=60, seed=3, technique="srs")
    assert helped.rows == plain.rows
    assert drawn_words(helped)[1].startswith("140 more known labels were not drawn")
    assert (
        estimate(helped, answered(helped), subject=subject).estimate
        == estimate(plain, answered(plain), subject=subject).estimate
    )


def test_known_labels_find_a_weak_spot_that_the_draws_alone_measure():
    size, rng = 2_000, np.random.default_rng(8)
    dark = rng.random(size) < 0.06
    wrong = rng.random(size) < np.where(dark, 0.6, 0.05)
    table = {"prediction": np.where(np.arange(size) % 2 == 0, "a", "b")}
    truth = np.where(wrong, "c", table["prediction"])
    subject = open_subject(table, classes=["c"])
    plan = select(subject, budget=120, seed=5, technique="srs")
    known = {row: str(truth[row]) for row in range(size) if row not in plan.rows}
    votes = {row: str(truth[row]) for row in plan.rows}
    light = {"light": np.where(dark, "dark", "bright")}
    alone = estimate(plan, votes, subject=subject).weak_spots(light)
    helped = estimate(replace(plan, known=known), votes, subject=subject).weak_spots(light)
    assert alone.proposed < helped.proposed
    assert {spot.estimate.labeled for spot in helped.spots} <= set(range(60))


def test_known_labels_teach_a_new_adaptive_plan_a_belief_that_it_keeps():
    helped = select(with_labels(open_subject(TABLE), known_of(KNOWN)), budget=40, seed=3, technique="rra")
    plain = select(open_subject(TABLE), budget=40, seed=3, technique="rra")
    assert plan_of_json(helped.to_json(), "plan.json").resolved["terms"] == helped.resolved["terms"]
    for name in ("intercept", "score", "class share"):
        assert helped.resolved["terms"][name][2:] == plain.resolved["terms"][name]
    assert select(with_labels(open_subject(TABLE), known_of(KNOWN)), budget=40, seed=3, technique="rrs").resolved == (
        select(open_subject(TABLE), budget=40, seed=3, technique="rrs").resolved
    )


def test_what_known_labels_teach_is_the_likeliest_line_that_an_optimizer_finds():
    chances, wrong = RNG.uniform(0.01, 0.6, 400), RNG.random(400) < 0.3
    found = taught(
        {"intercept": [0.6, 0.5], "score": [0.9, 0.25]},
        chances,
        {},
        np.arange(400),
        wrong * 1.0,
        scores_are_chances=True,
    )
    odds = np.log(chances / (1 - chances))

    def minus_log_posterior(line):
        total = line[0] + line[1] * odds
        prior = ((line - [0.6, 0.9]) ** 2 / (2 * np.array([0.5, 0.25]) ** 2)).sum()
        return prior + np.logaddexp(0, np.where(wrong, -total, total)).sum()

    best = minimize(minus_log_posterior, [0.6, 0.9], tol=1e-12).x
    assert found["intercept"] == pytest.approx([best[0], 0.25, 0.6, 0.5], abs=1e-5)
    assert found["score"] == pytest.approx([best[1], 0.125, 0.9, 0.25], abs=1e-5)


def test_a_belief_from_right_answers_alone_gives_way_to_the_labels_that_are_drawn():
    size, rng = 2_000, np.random.default_rng(3)
    chances = rng.uniform(0.05, 0.5, size)
    wrong = (rng.random(size) < chances) * 1.0
    easy = np.flatnonzero(wrong == 0)[:500]
    numbers = taught(
        {"intercept": [0.6, 0.9], "score": [0.9, 0.5]}, chances, {}, easy, wrong[easy], scores_are_chances=True
    )
    guesses = guesses_of(chances, np.arange(size), {}, numbers, scores_are_chances=True)
    fooled = guesses.chances(np.arange(size)).mean()
    drawn = rng.permutation(size)[:60]
    guesses.learn(drawn, wrong[drawn])
    assert fooled < 0.1
    assert guesses.chances(np.arange(size)).mean() == pytest.approx(wrong.mean(), abs=0.08)


def test_known_labels_mend_the_forecast_of_a_network_that_is_too_sure():
    size, rng = 4_000, np.random.default_rng(2)
    wrong = rng.random(size) < 0.3
    table = {"prediction": np.where(np.arange(size) % 2, "a", "b"), "confidence": rng.uniform(0.95, 0.999, size)}
    subject = open_subject(table, classes=["c"])
    known = {row: "c" if wrong[row] else str(table["prediction"][row]) for row in range(0, size, 4)}
    (promised,) = expected_half_widths(subject.inputs, [100], techniques=["srs"])["srs"]
    (learned,) = expected_half_widths(with_labels(subject, known), [100], techniques=["srs"])["srs"]
    true = 1.96 * np.sqrt(wrong.mean() * (1 - wrong.mean()) / 100)
    assert promised < 0.6 * true
    assert learned == pytest.approx(true, rel=0.1)
