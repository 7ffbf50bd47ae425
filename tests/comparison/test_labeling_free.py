"""LaF against the authors' own numbers and an independent slow reference."""

import csv
import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from testimate.comparison.predictions import Predictions, predictions_of
from testimate.comparison.predictions_table import agreeing_models
from testimate.comparison.ranking import labeling_free
from testimate.core.errors import BadInput
from tests.each import each

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("TESTIMATE_DATA", ROOT.parent / "shared" / "data"))
GOLDEN = json.loads((ROOT / "tests" / "golden" / "laf.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def mnist() -> dict[str, list[str]]:
    """The labels ten networks predict for the MNIST test images, and the true ones."""
    path = DATA / "laf" / "mnist_test_predicted_labels.csv.gz"
    if not path.is_file():
        pytest.skip(f"There are no predictions in {path.parent}; set TESTIMATE_DATA to the folder of the real data.")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    return {name: [record[name] for record in records] for name in records[0]}


@each("variant", ["as defined", "as published"])
@each("golden", GOLDEN)
def test_abilities_are_the_authors_own_to_less_than_a_tenth_and_the_ranking_is_theirs(mnist, golden, variant):
    first, last = golden["rows"]
    found = labeling_free(
        predictions_of({model: mnist[model][first:last] for model in golden["models"]}), variant=variant
    )
    assert len(found.rows) == golden["inputs_kept"]
    # both stop climbing at a slope of 0.01, early enough for a processor's rounding to show: 0.033 on one, 0.063 on another,
    # and up to 0.095 with the start changed by one part in 10^13; the ranking is the same each time
    assert np.abs(found.ability - golden["ability"]).max() < 0.1
    assert list(np.argsort(found.ability)) == list(np.argsort(golden["ability"]))
    assert spearmanr(found.ability, golden["accuracy"]).statistic == pytest.approx(golden["spearman"])


def test_on_all_mnist_inputs_the_ranking_agrees_with_the_truth_at_0_90(mnist):
    models = [name for name in mnist if name != "label"]
    found = labeling_free(predictions_of({model: mnist[model] for model in models}))
    accuracy = [np.mean(np.array(mnist[model]) == np.array(mnist["label"])) for model in models]
    assert spearmanr(found.ability, accuracy).statistic == pytest.approx(0.90, abs=0.005)


def slow_chances_right(labels, classes, ability, easiness):
    """The expectation as it is written: every class of every input in turn."""
    n, models = labels.shape
    chances = np.empty((n, models))
    for row in range(n):
        posterior = np.ones(classes)
        for model in range(models):
            right = 1 / (1 + np.exp(-ability[model] * np.exp(easiness[row])))
            for one in range(classes):
                posterior[one] *= right if labels[row, model] == one else (1 - right) / (classes - 1)
        posterior /= posterior.sum()
        chances[row] = posterior[labels[row]]
    return chances


def random_predictions(seed, n=60, models=5, classes=6):
    rng = np.random.default_rng(seed)
    labels = rng.integers(classes, size=(n, models))
    return Predictions(tuple(f"model {number}" for number in range(models)), labels, tuple(map(str, range(classes))))


@each("seed", range(3))
def test_the_chances_are_those_of_bayes_rule_class_by_class(seed):
    predictions = random_predictions(seed)
    found = labeling_free(predictions)
    labels = predictions.labels[found.rows]
    expected = slow_chances_right(labels, 6, found.ability, found.easiness)
    np.testing.assert_allclose(found.right, expected, atol=1e-10)


def test_the_same_predictions_give_the_same_abilities():
    predictions = random_predictions(3)
    np.testing.assert_array_equal(labeling_free(predictions).ability, labeling_free(predictions).ability)


def test_abilities_follow_their_models_when_these_are_reordered():
    predictions = random_predictions(4)
    order = np.array([3, 0, 4, 1, 2])
    turned = Predictions(
        tuple(predictions.models[place] for place in order), predictions.labels[:, order], predictions.classes
    )
    np.testing.assert_allclose(labeling_free(turned).ability, labeling_free(predictions).ability[order], atol=0.05)


def test_groups_are_the_models_that_predict_the_same():
    predictions = random_predictions(5)
    groups = agreeing_models(predictions.labels)
    for row, labels in enumerate(predictions.labels):
        classes, counts = np.unique(labels, return_counts=True)
        assert list(classes[groups.group[row]]) == list(labels)
        assert list(groups.size[row, : len(classes)]) == list(counts)
        assert groups.count[row] == len(classes)


@each(
    ("columns", "sentence"),
    [
        ({"a": [1, 2]}, "at least 2"),
        ({"a": [1, None], "b": [1, 2]}, "no prediction for row 1"),
        ({"a": [1, float("nan")], "b": [1, 2]}, "no prediction for row 1"),
        ({"a": [1, " "], "b": [1, 2]}, "no prediction for row 1"),
        ({"a": [1], "b": [1, 2]}, "the same ones"),
        ({"a": [], "b": []}, "no inputs"),
    ],
)
def test_predictions_that_cannot_be_compared_are_refused_in_a_sentence(columns, sentence):
    with pytest.raises(BadInput, match=sentence):
        predictions_of(columns)


def test_words_and_numbers_are_classes_alike():
    found = predictions_of({"a": ["cat", "dog"], "b": ["3.0", "3"]})
    assert found.classes == ("3", "cat", "dog")
    assert found.labels.tolist() == [[1, 0], [2, 0]]
