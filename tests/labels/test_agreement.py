"""Agreement between testers, against published examples and other libraries."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from testimate.core.errors import NotEnoughLabels
from testimate.labels.agreement import agreement_of, dawid_skene, error_rate_of, fleiss_kappa, krippendorff_alpha

# Krippendorff 2011, section C: four observers, twelve units, "." where an observer said nothing.
RELIABILITY = [
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
]


def published():
    rows = [line.split() for line in RELIABILITY]
    return {
        unit: {f"observer {who}": int(rows[who][unit]) for who in range(4) if rows[who][unit] != "."}
        for unit in range(12)
    }


def test_alpha_is_that_of_krippendorffs_example():
    votes = {row: given for row, given in published().items() if len(given) >= 2}
    assert krippendorff_alpha(votes) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(votes, numeric=True) == pytest.approx(0.849, abs=5e-4)


def test_alpha_is_that_of_the_package_krippendorff_with_and_without_missing_votes():
    for case in json.loads((Path(__file__).parents[1] / "golden" / "krippendorff_alpha.json").read_text()):
        votes = {row: given for row, given in enumerate(case["votes"]) if len(given) >= 2}
        assert krippendorff_alpha(votes, numeric=case["kind"] == "interval") == pytest.approx(case["alpha"], abs=1e-9)


def test_kappa_is_that_of_fleiss_method_on_the_usual_example():
    """14 raters, 10 subjects, 5 categories; 0.210 as given wherever the method is taught."""
    table = """0 0 0 0 14/0 2 6 4 2/0 0 3 5 6/0 3 9 2 0/2 2 8 1 1/7 7 0 0 0/3 2 6 3 0/2 5 3 2 2/6 5 2 1 0/0 2 2 3 7"""
    votes = {}
    for row, line in enumerate(table.split("/")):
        said = [place for place, count in enumerate(line.split()) for _ in range(int(count))]
        votes[row] = {f"rater {number}": place for number, place in enumerate(said)}
    kappa, inputs = fleiss_kappa(votes)
    assert inputs == 10
    assert kappa == pytest.approx(0.210, abs=5e-4)


def test_pairs_per_class_and_per_tester_are_what_their_definitions_say():
    rng = np.random.default_rng(2)
    truth = rng.integers(3, size=200)
    said = {who: np.where(rng.random(200) < skill, truth, rng.integers(3, size=200)) for who, skill in WHO.items()}
    votes = {row: {who: int(said[who][row]) for who in WHO} for row in range(200)}
    found = agreement_of(votes)
    for pair in found.pairs:
        assert pair.kappa == pytest.approx(cohen_kappa_score(said[pair.first], said[pair.second]))
        assert pair.agreement == np.mean(said[pair.first] == said[pair.second])
    assert list(found.per_tester) == sorted(WHO)
    assert found.per_tester["Ann"] > found.per_tester["Bob"] > found.per_tester["Cid"]
    for one, alpha in found.per_class.items():
        only = {row: {who: int(vote == one) for who, vote in given.items()} for row, given in votes.items()}
        assert alpha == krippendorff_alpha(only)


WHO = {"Ann": 0.95, "Bob": 0.8, "Cid": 0.4}


def test_answers_by_chance_have_an_alpha_near_0_and_equal_ones_1():
    rng = np.random.default_rng(4)
    chance = {row: {who: int(rng.integers(4)) for who in "abc"} for row in range(2000)}
    assert abs(krippendorff_alpha(chance)) < 0.03
    assert krippendorff_alpha({row: {"a": row % 2, "b": row % 2} for row in range(10)}) == 1.0


def test_one_answer_throughout_tells_nothing_of_agreement_beyond_chance():
    found = agreement_of({row: {"a": 1, "b": 1} for row in range(5)})
    assert (found.agreement, found.alpha, found.fleiss, found.pairs[0].kappa) == (1.0, None, None, None)


def test_without_an_input_that_two_answered_there_is_no_number():
    with pytest.raises(NotEnoughLabels, match="two testers"):
        agreement_of({0: {"Ann": 1}, 1: {"Bob": 2}, 2: {"Ann": 1, "Bob": None}})
    with pytest.raises(NotEnoughLabels, match="no answer"):
        dawid_skene({0: {"Ann": None}})


def test_dawid_and_skene_weigh_a_good_tester_more_than_two_poor_ones():
    rng = np.random.default_rng(7)
    truth = rng.integers(3, size=600)
    skills = {"good": 0.95, "poor": 0.45, "poorer": 0.4}
    votes = {
        row: {who: int(truth[row] if rng.random() < skill else rng.integers(3)) for who, skill in skills.items()}
        for row in range(600)
    }
    found = dawid_skene(votes)
    best = np.array([found.best()[row] for row in range(600)])
    majority = np.array([np.bincount(list(given.values()), minlength=3).argmax() for given in votes.values()])
    assert np.mean(best == truth) > np.mean(majority == truth) + 0.05
    assert np.allclose(found.chances.sum(axis=1), 1)
    for who, skill in skills.items():
        assert np.diag(found.confusion[who]).mean() == pytest.approx(skill + (1 - skill) / 3, abs=0.08)


def test_the_chances_of_each_class_are_those_of_crowd_kit():
    """Ours start every confusion at a hundredth of a vote and stop a little earlier, so single chances differ slightly."""
    golden = json.loads((Path(__file__).parents[1] / "golden" / "dawid_skene.json").read_text())
    found, theirs = dawid_skene(dict(enumerate(golden["votes"]))), np.array(golden["chances"])
    assert found.answers == (0, 1, 2)
    assert (found.chances.argmax(axis=1) == theirs.argmax(axis=1)).all()
    gaps = np.abs(found.chances - theirs)
    assert gaps.mean() < 0.002
    assert gaps.max() < 0.1
    majority = [np.bincount(list(given.values()), minlength=3).argmax() for given in golden["votes"]]
    assert (majority != theirs.argmax(axis=1)).sum() >= 3  # or a plain count of votes would pass too


def test_the_error_rate_is_that_of_testers_who_err_independently():
    rng, classes = np.random.default_rng(6), 10
    truth = rng.integers(classes, size=20_000)

    def answers():
        wrong = rng.random(truth.size) < 0.03
        return np.where(wrong, (truth + rng.integers(1, classes, truth.size)) % classes, truth)

    said = {row: {"Ann": int(a), "Bob": int(b)} for row, (a, b) in enumerate(zip(answers(), answers(), strict=True))}
    assert error_rate_of(agreement_of(said).agreement) == pytest.approx(0.03, abs=0.003)
    assert error_rate_of(1.0) == 0
    assert error_rate_of(0.4) is None
