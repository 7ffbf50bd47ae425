"""Other models' predictions of the same inputs: what they tell of a failure, how they are read, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from testimate.auxiliary.leak import combined, disagreement, votes
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.planning.assisted import assisted_estimate
from testimate.planning.build import build, resolve
from testimate.planning.known_inputs import inputs_of_table
from testimate.planning.needs import COMBINED, default_auxiliary, possible, score_named
from testimate.planning.other_models import (
    SAVING,
    Saving,
    agrees_by_chance,
    confidence_gap,
    expected_saving,
    remarks,
    too_sure,
    with_others,
)
from testimate.selectors import SELECTORS
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import Regression
from tests.each import each

RNG = np.random.default_rng(17)
SIZE, CLASSES = 600, 5
TRUTH = RNG.integers(0, CLASSES, SIZE)


def guessed(share_wrong: float, seed: int) -> np.ndarray:
    """Classes, (N,), of which that share is wrong."""
    rng = np.random.default_rng(seed)
    wrong = rng.random(SIZE) < share_wrong
    return np.where(wrong, (TRUTH + rng.integers(1, CLASSES, SIZE)) % CLASSES, TRUTH)


TESTED = Inputs(
    "f" * 32,
    Classification(tuple("abcde")),
    guessed(0.3, 1),
    np.full(SIZE, 0.8),
    scores={"confidence": np.full(SIZE, 0.2)},
    losses=(guessed(0.3, 1) != TRUTH).astype(float),
)
GOOD = OtherModel("good", guessed(0.1, 2), np.full(SIZE, 0.9))
PLAIN = OtherModel("plain", guessed(0.2, 3), None)


def test_the_scores_are_those_of_the_definitions_input_by_input():
    found = with_others(TESTED, [GOOD, PLAIN]).scores
    for row in range(40):
        differs = [one.predictions[row] != TESTED.predictions[row] for one in (GOOD, PLAIN)]
        assert found["disagreement"][row] == np.mean(differs)
        vote = np.log(0.9 / 0.1) * (1 if differs[0] else -1)  # the other one has no confidence
        assert found["votes"][row] == pytest.approx(vote)
        odds = 0.16 + 0.32 * np.log(0.2 / 0.8) + 0.77 * np.mean(differs) + 0.35 * vote
        assert found["combined"][row] == pytest.approx(1 / (1 + np.exp(-odds)))


def test_votes_of_a_model_that_is_sure_beyond_belief_are_bounded():
    assert votes([[True, False]], [[1.0, 0.0]]) == pytest.approx([(7 + 3) / 2])
    assert disagreement([[True, False]]) == [0.5]
    without = combined(np.array([0.5]), np.array([1.0]), None)
    assert without == pytest.approx(1 / (1 + np.exp(1.02 - 2.86)))


def test_a_model_without_confidence_is_helped_by_others_all_the_same():
    bare = replace(TESTED, confidence=None, scores={})
    found = with_others(bare, [PLAIN])
    assert set(found.scores) == {"disagreement", "combined"}
    terms = resolve(found, Request("rra", 60, 1, COMBINED))["terms"]
    assert set(terms) == {"intercept", "disagreement", "class share", "classes"}
    assert build(found, Request("rra", 60, 1, COMBINED)).ask(1)


def test_what_a_session_learns_from_follows_the_auxiliary_variable():
    helped = with_others(TESTED, [GOOD])
    assert default_auxiliary(helped) == COMBINED
    assert {"doubt", "disagreement", "votes", "classes"} <= set(
        resolve(helped, Request("rra", 60, 1, COMBINED))["terms"]
    )
    assert set(resolve(helped, Request("rra", 60, 1))["terms"]) == {"intercept", "score", "class share", "classes"}
    assert resolve(helped, Request("rra", 60, 1))["others"] == [GOOD.fingerprint]
    assert "chance of failure" in build(helped, Request("rrs", 20, 1, COMBINED)).ask(1)[0].reason
    assert "confidence" in build(helped, Request("rrs", 20, 1)).ask(1)[0].reason


def test_less_confident_models_are_believed_to_know_little_until_the_labels_say_otherwise():
    for sure, trusted in ((0.9, True), (0.4, False)):
        helped = with_others(TESTED, [OtherModel("other", GOOD.predictions, np.full(SIZE, sure))])
        votes_prior = resolve(helped, Request("rra", 60, 1, COMBINED))["terms"]["votes"]
        assert (votes_prior == [0.35, 0.25, 0.0, 0.1]) == trusted
        assert sorted(votes_prior) == [0.0, 0.1, 0.25, 0.35]  # the labels may choose the other belief


def test_a_column_that_gives_the_answers_away_is_not_learned_from():
    leaking = replace(TESTED, scores={**TESTED.scores, "dsa": TESTED.losses * 5.0, "lsa": RNG.random(SIZE)})
    terms = resolve(leaking, Request("rra", 60, 1))["terms"]
    assert "lsa" in terms
    assert "dsa" not in terms


def test_the_fingerprint_is_another_with_others_and_the_same_again():
    assert with_others(TESTED, []) is TESTED
    one, again = (with_others(TESTED, [OtherModel(name, GOOD.predictions, GOOD.confidence)]) for name in ("x", "y"))
    assert one.fingerprint == again.fingerprint  # a name is no part of it
    assert len({TESTED.fingerprint, one.fingerprint, with_others(TESTED, [PLAIN]).fingerprint}) == 3


@each(
    ("others", "says"),
    [
        ([OtherModel("copy", TESTED.predictions, None)], "from which nothing can be learned"),
        ([OtherModel("copy", TESTED.predictions, np.full(SIZE, 0.8))], "from which nothing can be learned"),
        ([GOOD, OtherModel("twin", GOOD.predictions, GOOD.confidence)], "'twin' says the same as 'good'"),
        ([OtherModel("short", GOOD.predictions[:9], None)], "predictions of 9 inputs"),
    ],
)
def test_others_of_no_use_are_refused_in_a_sentence(others, says):
    with pytest.raises(BadInput, match=says):
        with_others(TESTED, others)


def test_the_same_predictions_with_another_confidence_tell_something():
    more_sure = OtherModel("more sure", TESTED.predictions, np.linspace(0.5, 1, SIZE))
    assert with_others(TESTED, [more_sure]).scores["votes"].std() > 0


def test_a_column_of_the_same_name_is_not_overwritten():
    with pytest.raises(BadInput, match="column 'votes' of its own"):
        with_others(replace(TESTED, scores={**TESTED.scores, "votes": np.zeros(SIZE)}), [GOOD])


def test_a_model_in_another_order_is_told_by_its_agreement():
    shuffled = OtherModel("shuffled", RNG.permutation(GOOD.predictions), None)
    said = remarks(with_others(TESTED, [GOOD, PLAIN, shuffled]))
    agrees = 100 * (GOOD.predictions == TESTED.predictions).mean()
    assert said[0].startswith(f"good agrees with the tested model on {agrees:.1f}")
    assert "helps less" in said[1]
    assert "another order" in said[2]


def test_classes_that_the_tested_model_does_not_have_are_told_by_their_share():
    strange = OtherModel("strange", np.where(GOOD.predictions == 4, -1, GOOD.predictions), None)
    [said] = remarks(with_others(TESTED, [strange]))
    share = 100 * (GOOD.predictions == 4).mean()
    assert f"{share:.1f}% of its predictions are classes this network does not have" in said


def test_what_others_are_expected_to_save_follows_how_much_more_confident_they_are():
    assert confidence_gap(with_others(TESTED, [GOOD])) == pytest.approx(np.log(0.2 / 0.1))
    unsure = OtherModel("unsure", GOOD.predictions, np.full(SIZE, 0.4))
    assert confidence_gap(with_others(TESTED, [GOOD, unsure, PLAIN])) == pytest.approx(
        np.log((0.2 / 0.1) * (0.2 / 0.6)) / 2
    )
    more, less = (expected_saving(with_others(TESTED, [one]), stop_safe=True) for one in (GOOD, unsure))
    assert more.middle > less.middle
    assert more.low < more.middle < more.high < 1
    assert less.low >= 1 - np.exp(SAVING[True].most)  # adaptive rounds learn from the labels what the others are worth


def test_where_nothing_predicts_a_saving_none_is_told_and_rows_in_another_order_save_nothing():
    assert expected_saving(TESTED, stop_safe=True) is None
    assert expected_saving(with_others(TESTED, [PLAIN]), stop_safe=True) is None  # no confidence
    shuffled = OtherModel("shuffled", np.random.default_rng(7).permutation(GOOD.predictions), np.full(SIZE, 0.9))
    assert expected_saving(with_others(TESTED, [shuffled]), stop_safe=True) == Saving(0.0, 0.0, 0.0)


def test_models_that_differ_more_often_than_both_admit_to_fail_are_told_with_what_it_would_cost():
    sure, doubtful = np.full(SIZE, 0.95), np.full(SIZE, 0.8)
    tested = replace(TESTED, predictions=guessed(0.3, 1), confidence=sure, scores={"confidence": 1 - sure})
    other = OtherModel("b", guessed(0.1, 2), np.full(SIZE, 0.9))
    found = too_sure(tested, other)
    differing = (tested.predictions != other.predictions).mean()
    assert (found.differing, found.own, found.theirs) == pytest.approx((differing, 0.05, 0.1))
    least = differing - 0.1  # if b fails on a tenth, as it says
    assert (tested.predictions != TRUTH).mean() > least
    assert found.more_labels == pytest.approx(least * (1 - least) / (0.05 * 0.95))
    [said] = remarks(with_others(tested, [other]))
    assert f"it fails on at least {100 * least:.1f}%" in said
    assert f"about {found.more_labels:.1f} times the labels" in said
    aware = replace(tested, confidence=doubtful, scores={"confidence": 1 - doubtful})
    assert too_sure(aware, replace(other, confidence=doubtful)) is None  # they admit as much
    mixed = OtherModel("shuffled", RNG.permutation(other.predictions), other.confidence)
    assert too_sure(tested, mixed) is None  # rows in another order say nothing
    assert too_sure(tested, replace(other, confidence=None)) is None


def test_two_models_that_fail_as_often_as_they_say_are_not_suspected():
    rng = np.random.default_rng(5)
    suspected = 0
    for _ in range(200):
        own, its = rng.beta(8, 2, (2, SIZE))
        said = [
            np.where(rng.random(SIZE) < sure, TRUTH, (TRUTH + place) % CLASSES) for place, sure in ((1, own), (2, its))
        ]
        tested = replace(TESTED, predictions=said[0], confidence=own, scores={"confidence": 1 - own})
        suspected += too_sure(tested, OtherModel("b", said[1], its)) is not None
    assert suspected == 0


def test_a_regression_is_compared_with_the_median_over_the_tolerance():
    tested = Inputs("f" * 32, Regression(tolerance=2.0), np.array([0.0, 1.0, 5.0]))
    others = [OtherModel(str(place), np.array([0.0, 3.0, 1.0]) + place, None) for place in range(3)]
    found = with_others(tested, others)
    assert found.scores["disagreement"].tolist() == [0.5, 1.5, 1.5]
    assert default_auxiliary(found) == "disagreement"


def test_sets_of_labels_agree_where_all_are_alike():
    tested = Inputs("f" * 32, MultiLabel(("cat", "dog")), np.array([[1, 0], [1, 1]]))
    found = with_others(tested, [OtherModel("other", np.array([[1, 0], [0, 1]]), None)])
    assert found.scores["disagreement"].tolist() == [0.0, 1.0]


def test_several_variables_are_joined_by_their_scaled_mean():
    scored = replace(
        TESTED, scores={"x": np.array([0.0, 5.0, 10.0]), "y": np.array([3.0, 2.0, 1.0]), "a+b": np.ones(3)}
    )
    assert score_named(scored, "x+y").tolist() == [0.5, 0.5, 0.5]
    assert score_named(scored, "x+y:lower").tolist() == [0.0, 0.5, 1.0]
    assert score_named(scored, "a+b").tolist() == [1.0, 1.0, 1.0]


@each("auxiliary", [COMBINED, "confidence+votes", "confidence+disagreement"])
def test_every_technique_with_an_auxiliary_variable_takes_that_of_other_models_and_several_joined(auxiliary):
    rng = np.random.default_rng(4)
    sure = np.where(TESTED.losses > 0, rng.uniform(0.3, 0.9, SIZE), rng.uniform(0.5, 1, SIZE))
    inputs = with_others(replace(TESTED, confidence=sure, scores={"confidence": 1 - sure}), [GOOD])
    tried = []
    for name, made in SELECTORS.items():
        request = Request(name, 60, 1, auxiliary)
        if "scores" not in made.needs or possible(inputs, made):
            continue
        selector = build(inputs, request)
        verdicts = []
        while selector.remaining:
            batch = [Verdict(draw, float(TESTED.losses[draw.row])) for draw in selector.ask(60)]
            selector.tell(batch)
            verdicts += batch
        found = estimator_of(selector.design).estimate(selector.design, verdicts)
        assert len(verdicts) == 60, name
        assert 0 <= found.accuracy <= 1, name
        tried.append(name)
    assert {"rra", "rrs", "sups"} <= set(tried)


# Tables

OWN = "key,prediction,confidence,label\n" + "\n".join(f"k{row},{'abc'[row % 3]},0.{row % 9 + 1},a" for row in range(30))


@pytest.fixture
def read(tmp_path):
    """The inputs of the table with another one beside it."""
    (tmp_path / "own.csv").write_text(OWN)

    def inputs_with(*tables: str) -> Inputs:
        paths = []
        for place, table in enumerate(tables):
            paths.append(tmp_path / f"other{place}.csv")
            paths[-1].write_text(table)
        return inputs_of_table(tmp_path / "own.csv", others=paths)

    return inputs_with


def test_a_key_column_settles_another_order_and_further_rows(read):
    rows = [f"k{row},{'acb'[row % 3]},0.7" for row in range(33)]
    straight = read("key,prediction,confidence\n" + "\n".join(rows))
    turned = read("key,prediction,confidence\n" + "\n".join(rows[::-1]))
    assert straight.fingerprint == turned.fingerprint
    assert straight.others[0].predictions[:3].tolist() == [0, 2, 1]
    assert "key" not in straight.scores


def test_probabilities_give_prediction_and_confidence(read):
    table = "p_a,p_b,p_c\n" + "\n".join(["0.7,0.2,0.1", "0.1,0.3,0.6"] * 15)
    found = read(table).others[0]
    assert found.predictions[:2].tolist() == [0, 2]
    assert found.confidence[:2].tolist() == [0.7, 0.6]


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("prediction\n" + "a\n" * 29, "29 rows and the tested model 30 inputs"),
        ("key,prediction\n" + "\n".join(f"m{row},a" for row in range(30)), "no row whose key is 'k0', one of 30"),
        ("prediction\n" + "cat\n" * 30, "predicts 'cat' and others that are not classes here"),
        ("prediction,confidence\n" + "a,0.5\n" * 29 + "b,\n", "'confidence', row 29 .counted from 0. is empty"),
        ("x,y\n" + "".join(f"{place}.5,{place}.25\n" for place in range(30)), "has no column 'prediction'"),
    ],
)
def test_tables_that_cannot_be_used_are_refused_in_a_sentence(read, table, says):
    with pytest.raises(BadInput, match=says):
        read(table)


def test_a_class_that_the_tested_model_does_not_have_is_a_disagreement(read):
    found = read("prediction\n" + "a\n" * 29 + "owl\n")
    assert found.others[0].predictions[-1] == -1
    assert found.scores["disagreement"][-1] == 1


def test_models_of_a_set_that_is_nearly_all_one_class_are_not_taken_for_shuffled_rows():
    truth = np.where(np.arange(1000) % 20 == 0, 1, 0)  # 95% of one class: by chance two models agree on nine in ten
    said, again = truth.copy(), truth.copy()
    said[:10], again[500:515] = 1 - truth[:10], 1 - truth[500:515]
    inputs = Inputs("f" * 32, Classification(("common", "rare")), said)
    assert not agrees_by_chance(inputs, again)
    assert agrees_by_chance(inputs, np.random.default_rng(1).permutation(again))


@pytest.mark.parametrize(("size", "classes"), [(120, 2), (200, 2), (800, 2), (800, 10), (5000, 3)])
def test_shuffled_rows_agree_by_chance_in_nearly_all_sets_of_any_size_and_models_of_one_task_do_not(size, classes):
    rng, taken = np.random.default_rng(2), []
    for _ in range(400):
        truth = rng.integers(0, classes, size)
        one, other = (np.where(rng.random(size) < 0.85, truth, rng.integers(0, classes, size)) for _ in range(2))
        inputs = Inputs("f" * 32, Classification(tuple(map(str, range(classes)))), one)
        taken.append((agrees_by_chance(inputs, rng.permutation(other)), agrees_by_chance(inputs, other)))
    shuffled, alike = np.mean(taken, axis=0)
    assert shuffled >= 0.985
    assert alike <= 0.01


def assisted_by(others, auxiliary=None):
    """The difference estimate of one simple random sample of 200, the plain one, and the rows drawn."""
    inputs = with_others(TESTED, others)
    selector = build(inputs, Request("srs", 200, 5))
    verdicts = [Verdict(draw, float(TESTED.losses[draw.row])) for draw in selector.ask(200)]
    plain = estimator_of(selector.design).estimate(selector.design, verdicts)
    found = assisted_estimate(inputs, selector.design, verdicts, plain, model="difference", auxiliary=auxiliary)
    return inputs, found, [verdict.draw.row for verdict in verdicts]


def test_the_difference_estimate_takes_the_chance_of_all_models_together_and_says_what_that_gains():
    inputs, found, rows = assisted_by([GOOD])
    chance = inputs.scores["combined"]
    corrected = chance.mean() + (TESTED.losses[rows] - chance[rows]).mean()  # Cassel, Särndal and Wretman 1976
    assert found.auxiliary == "combined"
    assert found.estimate.accuracy == pytest.approx(1 - corrected, abs=1e-12)
    assert "combined from what other models say" in found.words
    assert "narrower on each side" in found.words
    assert found.narrower > 0.01


def test_where_the_others_are_worth_nothing_the_difference_estimate_says_that_it_gains_nothing():
    shuffled = OtherModel("shuffled", np.random.default_rng(7).permutation(GOOD.predictions), np.full(SIZE, 0.9))
    _, found, _ = assisted_by([shuffled])
    assert found.narrower < 0
    assert "It gains nothing here" in found.words
    _, alone, _ = assisted_by([shuffled], "confidence")  # one confidence for all tells nothing either
    assert "It gains nothing here" in alone.words
