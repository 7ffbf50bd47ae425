"""Of a table with other columns only models are ranked: the maker of each table knows which these are."""

import numpy as np
import pandas as pd
import pytest

from testimate.comparison.model_columns import models_among
from testimate.comparison.predictions_table import read_predictions
from testimate.core.errors import ReadingUnclear
from testimate.tables.files import read_cells
from tests.each import each

NAMES = {
    "families": ["resnet50", "vgg16", "densenet", "vit"],
    "numbered": ["run1", "run2", "run3"],
    "prefixed": ["pred_lr", "pred_rf", "pred_svm"],
    "suffixed": ["LR_pred", "RF_pred"],
    "services": ["GPT-4o", "Claude", "Llama 3"],
    "plain": ["alpha", "beta", "gamma"],
}


def columns_of(names, *, size=300, classes=3, words=False, seed=0):
    """Models that are right in 70 to 90% of the rows, the truth, and what stands beside them in such tables."""
    rng = np.random.default_rng(seed)
    true = rng.integers(classes, size=size)
    said = {
        name: np.where(rng.random(size) < rng.uniform(0.7, 0.9), true, rng.integers(classes, size=size))
        for name in names
    }
    first, second = [*said.values()][:2]
    beside = {
        "id": np.arange(size),
        "picture": [f"{row}.png" for row in range(size)],
        "fold": rng.integers(classes, size=size),
        "shift": rng.integers(2, size=size),
        "confidence": rng.random(size).round(3),
        f"{names[0]}_correct": (first == true).astype(int),
        "same": np.logical_and.reduce([one == first for one in said.values()]).astype(int),
        "first two": (first == second).astype(int),
    }
    if words:
        spelled = np.array(["ash", "elm", "fir", "oak", "yew"])
        said, true = {name: spelled[one] for name, one in said.items()}, spelled[true]
    return said, true, beside


def table_of(*parts, seed=0):
    together = {name: cells for part in parts for name, cells in part.items()}
    order = np.random.default_rng(seed).permutation([*together])
    return pd.DataFrame({name: together[name] for name in order}).to_csv(index=False).encode()


@each("names", [*NAMES])
@each("truth", ["label", "y_test", "gold_label", "annotator_1", "human", "majority_label", "真实标签"])
@each("words", [False, True])
def test_models_alone_are_ranked_and_a_truth_is_offered(names, truth, words):
    said, true, beside = columns_of(NAMES[names], words=words)
    cells = read_cells(table_of(said, {truth: true}, beside), "t.csv")
    found = models_among(cells, [*cells.columns])
    assert {*found.models} == {*said}
    assert found.truths == (truth,)
    assert {*found.left_out} == {truth, *beside}


@each("names", [name for name in NAMES if name != "plain"])
@each("truth", ["foo", "species", "ziel"])
def test_a_column_that_is_not_called_as_the_models_are_is_asked_about(names, truth):
    said, true, beside = columns_of(NAMES[names])
    content = table_of(said, {truth: true}, beside)
    with pytest.raises(ReadingUnclear, match=f"--truth {truth} or --model") as asked:
        read_predictions_of(content)
    assert asked.value.question == f"What is {truth!r}?"
    known = read_predictions_of(content, truth=truth)
    assert {*known.predictions.models} == {*said}
    assert (np.array([*known.true_names]) == true.astype(str)).all()
    assert {*read_predictions_of(content, models=(*said, truth)).predictions.models} == {*said, truth}


def read_predictions_of(content, **said):
    return read_predictions(content, name="t.csv", by_content=True, **said)


@each("names", [*NAMES])
def test_models_without_a_truth_are_ranked_without_a_question(names):
    said, _, beside = columns_of(NAMES[names], words=True)
    assert {*read_predictions_of(table_of(said, beside)).predictions.models} == {*said}


def test_a_model_that_is_right_everywhere_or_hardly_ever_stays_one():
    said, true, beside = columns_of(NAMES["numbered"])
    said |= {"run4": true, "run5": np.random.default_rng(1).integers(3, size=300)}
    found = read_predictions_of(table_of(said, {"label": true}, beside))
    assert {*found.predictions.models} == {*said}


def test_what_was_left_out_is_said_with_its_reason():
    said, true, beside = columns_of(NAMES["families"])
    found = read_predictions_of(table_of(said, {"label": true}, beside)).columns
    assert found.left_out["shift"] == "it agrees with the others no more than by chance"
    assert found.left_out["same"] == found.left_out["first two"] == "it says where others are equal"
    assert found.left_out["resnet50_correct"] == "its name is that of what is right"
    assert "'label' looks like the true labels and is not ranked." in found.in_words(300)


@each("names", [["floresta_aleatoria", "regressao_logistica", "rede_neural", "xgboost"], ["uno", "zwei", "sam", "bok"]])
@each("truth", ["situacao", "zzz"])
def test_a_column_with_which_each_other_agrees_most_is_never_ranked_in_silence(names, truth):
    said, true, _ = columns_of(names, words=True)
    with pytest.raises(ReadingUnclear, match="each other column agrees with it more than with any third") as asked:
        read_predictions_of(table_of(said, {truth: true}))
    assert asked.value.question == f"What is {truth!r}?"
    assert asked.value.ways[0].option == f"--truth {truth}"


def test_a_model_with_which_each_other_agrees_most_is_ranked_where_it_is_called_as_one():
    said, true, _ = columns_of(["uno", "zwei", "sam"], words=True)
    found = read_predictions_of(table_of(said, {"ensemble": true}))
    assert {*found.predictions.models} == {*said, "ensemble"}


def test_models_are_known_by_their_names_in_other_languages_so_that_three_columns_are_asked_about():
    said, true, _ = columns_of(["foresta_casuale", "rete_neurale", "regressione"], words=True)
    with pytest.raises(ReadingUnclear, match="'esito'"):
        read_predictions_of(table_of(said, {"esito": true}))
    two = {name: said[name] for name in ("foresta_casuale", "regressione")}
    with pytest.raises(ReadingUnclear, match=r"'esito'.*not called as models are"):
        read_predictions_of(table_of(two, {"esito": true}))
