import numpy as np
import pytest
from scipy.stats import kendalltau

from testimate.auxiliary.nearest import drawn_references
from testimate.auxiliary.surprise import dsa, lsa, surprise_scores
from testimate.core.errors import BadInput

RNG = np.random.default_rng(0)
CENTERS = 3.0 * RNG.normal(size=(4, 10))
KINDS, TRAINING_KINDS = RNG.integers(0, 4, 300), RNG.integers(0, 4, 900)
FEATURES = (CENTERS[KINDS] + RNG.normal(size=(300, 10))).astype(np.float32)
TRAINING = (CENTERS[TRAINING_KINDS] + RNG.normal(size=(900, 10))).astype(np.float32)


def test_each_score_is_the_function_of_its_name_and_nothing_is_noted_where_nothing_is_unusual():
    scores = surprise_scores(FEATURES, KINDS, TRAINING, TRAINING_KINDS)
    assert list(scores) == ["dsa", "lsa"]
    np.testing.assert_array_equal(scores["dsa"].values, dsa(FEATURES, KINDS, TRAINING, TRAINING_KINDS))
    np.testing.assert_array_equal(scores["lsa"].values, lsa(FEATURES, KINDS, TRAINING, TRAINING_KINDS))
    assert [score.note for score in scores.values()] == ["", ""]


def test_without_a_training_set_the_note_says_so_and_the_order_is_much_the_same():
    alone = surprise_scores(FEATURES, KINDS)
    taught = surprise_scores(FEATURES, KINDS, TRAINING, TRAINING_KINDS)
    for name, score in alone.items():
        assert score.note.startswith("There is no training set")
        assert kendalltau(score.values, taught[name].values).statistic > 0.4


def test_inputs_with_nothing_to_compare_to_are_counted_in_the_note():
    kinds = KINDS.copy()
    kinds[:3] = [8, 9, 9]
    with_training = surprise_scores(FEATURES, kinds, TRAINING, TRAINING_KINDS)
    assert "3 of 300 inputs" in with_training["dsa"].note
    assert "1 of 300 inputs" in surprise_scores(FEATURES, kinds)["lsa"].note
    assert (with_training["dsa"].values[:3] == with_training["dsa"].values.max()).all()


def test_a_regression_has_lsa_alone():
    scores = surprise_scores(FEATURES, None, TRAINING, which=["lsa"])
    np.testing.assert_array_equal(scores["lsa"].values, lsa(FEATURES, None, TRAINING))
    with pytest.raises(BadInput, match="lsa"):
        surprise_scores(FEATURES, None, TRAINING)
    with pytest.raises(BadInput, match="dsa, lsa"):
        surprise_scores(FEATURES, KINDS, which=["mdsa"])


def test_inputs_from_elsewhere_are_the_most_surprising():
    """Seen from outside: half the inputs lie between the classes, where the network must guess."""
    between = ((CENTERS[0] + CENTERS[1]) / 2 + RNG.normal(size=(100, 10))).astype(np.float32)
    kinds = np.where(((between - CENTERS[0]) ** 2).sum(1) < ((between - CENTERS[1]) ** 2).sum(1), 0, 1)
    ordinary = np.isin(KINDS, [0, 1])
    features, kinds = np.concatenate([FEATURES[ordinary], between]), np.concatenate([KINDS[ordinary], kinds])
    for score in surprise_scores(features, kinds, TRAINING, TRAINING_KINDS).values():
        assert np.median(score.values[-100:]) > np.quantile(score.values[:-100], 0.95)


def test_against_a_sample_the_scores_are_those_of_that_sample_as_the_training_set():
    rng = np.random.default_rng(4)
    known, learned = rng.normal(size=(40, 3)), rng.normal(size=(300, 3))
    classes, their = rng.integers(0, 2, 40), rng.integers(0, 2, 300)
    rows = drawn_references(their, 120, seed=3)
    for score in (dsa, lsa):
        sampled = score(known, classes, learned, their, references=rows)
        np.testing.assert_array_equal(sampled, score(known, classes, learned[rows], their[rows]))


def test_an_input_of_the_sample_is_left_out_of_its_own_comparison_and_the_others_are_not():
    rng = np.random.default_rng(5)
    known, classes = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    rows = np.arange(0, 80, 2)
    for score in (dsa, lsa):
        sampled = score(known, classes, references=rows)
        alone = score(known[rows], classes[rows])  # each of the sample among the others of it
        beside = score(known, classes, known[rows], classes[rows])  # nobody is left out
        np.testing.assert_allclose(sampled[rows], alone, rtol=1e-12)
        np.testing.assert_allclose(sampled[1::2], beside[1::2], rtol=1e-12)


def test_the_sample_has_of_each_class_its_share_and_fifty_where_there_are_so_many():
    classes = np.repeat([0, 1, 2], [9_000, 960, 40])
    rows = drawn_references(classes, 1_000, seed=1)
    assert np.bincount(classes[rows]).tolist() == [900, 96, 40]
    assert (np.diff(rows) > 0).all()
    assert not np.array_equal(rows, drawn_references(classes, 1_000, seed=2))
