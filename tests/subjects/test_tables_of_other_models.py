"""The table of another model is read as it would be if that model were the tested one."""

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.subjects.other_predictions import keys_of, read_other
from testimate.subjects.prediction_table import read_table, table_content
from testimate.tables.rules import EVERYWHERE, PAIRED

CHANCES = np.random.default_rng(3).uniform(0.51, 0.99, 60).round(3)
WORDS = np.random.default_rng(4).choice(["cat", "dog"], 60)
SECOND = np.where(np.arange(60) % 2, CHANCES, (1 - CHANCES).round(3))


def table(head, *columns, separator=","):
    return "\n".join([head, *(separator.join(map(str, row)) for row in zip(*columns, strict=True))]).encode()


PERCENT = table("prediction,confidence", WORDS, [f"{100 * one:.1f} %" for one in CHANCES])
TABLES = {
    "names of other tools": table("pred_class,score", WORDS, CHANCES),
    "percent": PERCENT,
    "logarithms": table("prediction,confidence", WORDS, [f"{np.log(one):.6f}" for one in CHANCES]),
    "a truth beside": table("answer,prediction,label,confidence", WORDS[::-1], WORDS, WORDS[::-1], CHANCES),
    "the chance of class 1": table("y_pred,y_prob", [0, 1] * 30, SECOND),
    "decimal commas": table(
        "confidence;prediction", [f"{one:.3f}".replace(".", ",") for one in CHANCES], WORDS, separator=";"
    ),
    "money": table("prediction", [f'"$1,{number}.50"' for number in range(100, 160)]),
    "sets": table("prediction", [f'"[""{word}""]"' for word in WORDS[:-1]] + ["[]"]),
}


@pytest.mark.parametrize("content", TABLES.values(), ids=TABLES)
def test_its_predictions_and_confidence_are_those_of_a_tested_model(content):
    tested = read_table(content, name="new.csv").inputs
    other = read_other(content, tested, name="new.csv", tell=str)
    np.testing.assert_array_equal(other.predictions, tested.predictions)
    assert (other.confidence is None) == (tested.confidence is None)
    if other.confidence is not None:
        np.testing.assert_allclose(other.confidence, tested.confidence)


def test_what_its_confidence_was_taken_for_is_said():
    told = []
    read_other(PERCENT, read_table(PERCENT, name="new.csv").inputs, name="new.csv", tell=told.append)
    between = f"{CHANCES.min():.2f} to {CHANCES.max():.2f}"
    assert told == [f"new.csv: 'confidence' = percent, read as the chance of the predicted class, {between}."]


def test_a_confidence_that_may_be_two_things_is_not_used_and_that_is_said():
    low = table(
        "prediction,confidence", WORDS, (100 * (1 - CHANCES)).round(1)
    )  # below half of 100: no percent of the likeliest
    tested, told = read_table(TABLES["a truth beside"], name="old.csv").inputs, []
    assert read_other(low, tested, name="new.csv", tell=told.append).confidence is None
    assert told[0].endswith("It is not used.")


def test_a_plan_that_was_stored_before_reads_it_as_it_was_read_then():
    tested = read_table(PERCENT, name="new.csv").inputs
    with pytest.raises(BadInput, match="contains the text"):
        read_other(PERCENT, tested, name="new.csv", rules=EVERYWHERE)


@pytest.mark.parametrize("column", ["filename", "Sample ID", "image_path", "review_id", "key"])
def test_its_rows_are_those_of_the_same_inputs_whatever_their_order(column):
    rows = np.random.default_rng(5).permutation(60)
    names = np.array([f"picture-{row}.png" for row in range(60)])
    tested = table(f"{column},prediction", names, WORDS)
    shuffled = table(f"{column},prediction", names[rows], WORDS[rows])
    inputs = read_table(tested, name="old.csv").inputs
    keys = keys_of(table_content(tested, "old.csv").cells)
    assert read_other(shuffled, inputs, name="new.csv", keys=keys).predictions.tolist() == inputs.predictions.tolist()


def test_ids_of_runs_that_differ_in_two_tables_match_nothing_and_rows_stay_in_order():
    tables = [table("run_id,prediction", [f"{run}-{row}" for row in range(60)], WORDS) for run in ("first", "second")]
    inputs, keys = read_table(tables[0], name="old.csv").inputs, keys_of(table_content(tables[0], "old.csv").cells)
    read = read_other(tables[1], inputs, name="new.csv", keys=keys)
    assert read.predictions.tolist() == inputs.predictions.tolist()


def test_a_key_by_a_name_that_was_not_known_then_leaves_a_stored_plan_in_its_order():
    names = [f"picture-{row}.png" for row in range(60)]
    tested, turned = table("filename,prediction", names, WORDS), table("filename,prediction", names[::-1], WORDS)
    inputs, keys = read_table(tested, name="old.csv").inputs, keys_of(table_content(tested, "old.csv").cells)
    told = {rules: read_other(turned, inputs, name="new.csv", keys=keys, rules=rules) for rules in (EVERYWHERE, PAIRED)}
    assert told[EVERYWHERE].predictions.tolist() == inputs.predictions.tolist()
    assert told[PAIRED].predictions.tolist() == inputs.predictions[::-1].tolist()


def test_a_key_that_is_called_nearly_as_one_that_was_known_then_matches_no_rows_of_a_stored_plan():
    names = [f"{row:024x}" for row in range(60)]
    tested, turned = table("_id,prediction", names, WORDS), table("_id,prediction", names[::-1], WORDS[::-1])
    inputs, keys = read_table(tested, name="old.csv").inputs, keys_of(table_content(tested, "old.csv").cells)
    told = {rules: read_other(turned, inputs, name="new.csv", keys=keys, rules=rules) for rules in (EVERYWHERE, PAIRED)}
    assert told[EVERYWHERE].predictions.tolist() == inputs.predictions[::-1].tolist()
    assert told[PAIRED].predictions.tolist() == inputs.predictions.tolist()


def test_two_columns_that_may_be_its_predictions_are_refused_with_what_can_be_done_where_nobody_is_asked():
    two = table("pred,predicted,confidence", WORDS, WORDS[::-1], CHANCES)
    tested = read_table(TABLES["a truth beside"], name="old.csv").inputs
    with pytest.raises(
        BadInput, match=r"may each be the prediction. Expected .* Call its predictions 'prediction'"
    ) as met:
        read_other(two, tested, name="new.csv")
    assert "--column" not in str(met.value)
