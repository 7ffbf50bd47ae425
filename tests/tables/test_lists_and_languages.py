"""Headers in other languages, lists in cells, exchanged classes and classes called as gaps are read right or asked about."""

import io
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tables.files import read_cells
from testimate.tables.rules import COUNTED, EVERYWHERE
from tests.each import each

SIZE = 120
RNG = np.random.default_rng(50)
TRUTH = RNG.integers(0, 3, SIZE)
SAID = np.where(RNG.random(SIZE) < 0.85, TRUTH, RNG.integers(0, 3, SIZE))
RIGHT = float((TRUTH == SAID).mean())
WORDS = np.array(["ash", "elm", "yew"])
SURE = RNG.uniform(0.4, 1, SIZE).round(3)
ONE = SAID % 2
CHANCES = np.round(np.where(ONE[:, None] == [0, 1], SURE[:, None] / 2 + 0.5, 0.5 - SURE[:, None] / 2), 6)


def table(**columns):
    return pd.DataFrame(columns).to_csv(index=False).encode()


def roles(subject):
    return {column: one.role for column, one in subject.reading.roles.items()}


@each(
    "prediction,truth,sure",
    [
        ("Vorhersage", "tatsächliche Klasse", "Konfidenz"),
        ("clase predicha", "clase real", "confianza"),
        ("Prédiction", "Vérité", "Probabilité"),
        ("classe prevista", "etichetta", "probabilità"),
        ("предсказание", "истина", "уверенность"),
        ("予測ラベル", "正解ラベル", "信頼度"),
        ("预测", "真实标签", "置信度"),
    ],
)
def test_headers_in_other_languages_have_the_roles_that_their_words_say(prediction, truth, sure):
    subject = read_table(table(**{prediction: WORDS[SAID], sure: SURE, truth: WORDS[TRUTH]}), name="a.csv")
    assert roles(subject) == {prediction: "prediction", sure: "confidence", truth: "label"}
    assert 1 - subject.inputs.losses.mean() == pytest.approx(RIGHT)


def test_a_header_in_letters_that_are_not_latin_is_no_number_of_a_row_and_a_truth_under_it_is_hidden():
    subject = read_table(table(prediction=WORDS[SAID], உண்மை=WORDS[TRUTH]), name="a.csv")
    assert "உண்மை" in subject.reading.left_out
    before = read_table(
        table(prediction=WORDS[SAID], உண்மை=WORDS[TRUTH]), name="a.csv", choices=TableChoices(rules=COUNTED)
    )
    assert before.reading.roles["உண்மை"].role == "row number"


def test_classes_and_their_chances_under_names_that_nobody_knows_are_asked_about():
    with pytest.raises(ReadingUnclear, match="contains classes, and 'भरोसा' numbers from 0 to 1"):
        read_table(table(अनुमान=WORDS[SAID], भरोसा=SURE), name="a.csv")


@each("gap", ["nan", "NaN", "null", "None", "NA", "N/A", "inf"])
def test_a_word_for_a_gap_that_is_predicted_is_a_class(gap):
    words = np.array([gap, "elm", "yew"])
    subject = read_table(table(actual=words[TRUTH], predicted=words[SAID]), name="a.csv")
    assert gap in subject.task.classes
    assert 1 - subject.inputs.losses.mean() == pytest.approx(RIGHT)
    said = "is a class here" in str(subject.reading)
    assert said == (gap not in ("None", "inf"))


def test_nan_among_numbers_is_a_gap_and_is_refused():
    said = [str(one) if one else "nan" for one in SAID]
    with pytest.raises(BadInput, match="is 'nan'"):
        read_table(table(actual=TRUTH, predicted=said), name="a.csv")


def test_nan_in_the_truth_alone_is_an_input_to_label():
    words = np.array(["nan", "elm", "yew"])
    subject = read_table(table(actual=words[TRUTH], predicted=words[np.maximum(SAID, 1)]), name="a.csv")
    assert subject.task.classes == ("elm", "yew")
    assert len(subject.inputs.known) == (TRUTH > 0).sum()


@each("name", ["copy", "flag"])
def test_a_column_that_exchanges_the_predicted_classes_is_hidden_and_offered_and_said_to_do_so(name):
    words = np.array(["no", "yes"])
    subject = read_table(table(prediction=words[ONE], **{name: words[1 - ONE]}), name="a.csv")
    assert subject.reading.left_out[name] == "it exchanges the classes of the predictions, in 100.0% of the rows"
    assert f"--column label={name}" in str(subject.reading)
    with pytest.raises(ReadingUnclear, match="in 0% of the rows"):
        read_table(
            table(prediction=words[ONE], **{name: words[1 - ONE]}),
            name="a.csv",
            choices=TableChoices((("label", name),)),
        )


@each("answer,accuracy", [("exchanged", 0.9), ("as-they-are", 0.1)])
def test_two_labels_that_would_be_right_more_often_exchanged_are_asked_about(answer, accuracy):
    label = np.where(np.arange(SIZE) % 10, 1 - ONE, ONE)
    content = table(prediction=ONE, label=label)
    with pytest.raises(ReadingUnclear, match="labels=exchanged"):
        read_table(content, name="a.csv")
    subject = read_table(content, name="a.csv", choices=TableChoices(read=(("labels", answer),)))
    assert 1 - subject.inputs.losses.mean() == pytest.approx(accuracy)


def test_three_labels_that_each_stand_beside_another_class_are_asked_about():
    content = table(prediction=WORDS[SAID], label=WORDS[(SAID + 1) % 3])
    with pytest.raises(ReadingUnclear, match="labels=exchanged"):
        read_table(content, name="a.csv")
    subject = read_table(content, name="a.csv", choices=TableChoices(read=(("labels", "exchanged"),)))
    assert not subject.inputs.losses.any()


def test_labels_stored_before_exchanged_ones_were_asked_about_stay_as_they_are():
    content = table(prediction=ONE, label=1 - ONE)
    assert read_table(content, name="a.csv", choices=TableChoices(rules=COUNTED)).inputs.losses.all()


def as_parquet(**columns):
    held = io.BytesIO()
    pd.DataFrame(columns).to_parquet(held)
    return held.getvalue()


@each(
    "name,content",
    [
        ("a.json", json.dumps({"predictions": CHANCES.tolist(), "labels": ONE.tolist()}).encode()),
        ("a.csv", table(prediction=[json.dumps(row) for row in CHANCES.tolist()], label=ONE)),
        ("a.parquet", as_parquet(prediction=CHANCES.tolist(), label=ONE)),
    ],
)
def test_predictions_that_list_the_chances_of_the_classes_are_these_chances(name, content):
    subject = read_table(content, name=name)
    assert subject.task.classes == ("0", "1")
    assert subject.inputs.predictions.tolist() == CHANCES.argmax(axis=1).tolist()
    assert subject.inputs.confidence == pytest.approx(CHANCES.max(axis=1))
    assert "are the chances of the classes, from 0 to 1" in str(subject.reading)


def test_predictions_that_list_other_numbers_are_refused():
    with pytest.raises(BadInput, match="lists of numbers, such as"):
        read_table(json.dumps({"predictions": [[1.5, -2], [0.25, 3]] * 30}).encode(), name="a.json")


def test_lists_of_0_and_1_are_sets_of_classes_by_their_place():
    said = RNG.integers(0, 2, (SIZE, 3))
    true = np.where(RNG.random((SIZE, 3)) < 0.9, said, 1 - said)
    rows = [{"prediction": p, "label": t} for p, t in zip(said.tolist(), true.tolist(), strict=True)]
    subject = read_table("".join(json.dumps(row) + "\n" for row in rows).encode(), name="a.jsonl")
    assert subject.task.kind == "multi-label"
    assert 1 - subject.inputs.losses.mean() == pytest.approx(float((said == true).all(axis=1).mean()))


def test_a_record_of_whole_lists_has_a_row_for_each_of_their_values():
    said = {"model": "m-7", "accuracy": RIGHT, "y_true": WORDS[TRUTH].tolist(), "y_pred": WORDS[SAID].tolist()}
    subject = read_table(json.dumps(said).encode(), name="run.json")
    assert len(subject.inputs.predictions) == SIZE
    assert 1 - subject.inputs.losses.mean() == pytest.approx(RIGHT)


def test_sets_of_names_as_long_as_each_other_stay_sets():
    rows = [{"label": ["ash", "elm"], "prediction": ["elm", "ash" if row % 4 else "yew"]} for row in range(40)]
    subject = read_table("".join(json.dumps(row) + "\n" for row in rows).encode(), name="a.jsonl")
    assert subject.task.kind == "multi-label"
    assert 1 - subject.inputs.losses.mean() == pytest.approx(0.75)


def test_a_label_beside_its_chance_alone_is_what_a_pipeline_predicts_with_a_word():
    rows = [{"label": str(WORDS[one]), "score": float(sure)} for one, sure in zip(SAID, SURE, strict=True)]
    subject = read_table(json.dumps(rows).encode(), name="a.json")
    assert roles(subject) == {"label": "prediction", "score": "confidence"}
    assert "If it is the truth, name the prediction" in str(subject.reading)


def test_inputs_and_predictions_side_by_side_are_read_together():
    said = [{"label": str(WORDS[one])} for one in SAID]
    rows = {"model": "m", "instances": [{"text": f"one {row}"} for row in range(SIZE)], "predictions": said}
    subject = read_table(json.dumps(rows).encode(), name="a.json")
    assert roles(subject)["predictions.label"] == "prediction"
    assert "instances.text" in roles(subject)


LEAVES = ("ash", "elm", "oak")
FOUND = np.random.default_rng(50).integers(0, 3, 60)


def scored_leaves(row: int) -> list[dict[str, object]]:
    """The three classes in an order that says nothing, the one that was found with the largest score."""
    order = [LEAVES[(row * row + place) % 3] for place in range(3)]
    return [{"label": name, "score": 0.6 + row / 1000 if name == LEAVES[FOUND[row]] else 0.15} for name in order]


def leaves_as(form: str) -> bytes:
    rows = [
        {"text": f"leaf {row}", "predictions": scored_leaves(row), "label": LEAVES[FOUND[row]]} for row in range(60)
    ]
    if form == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    if form == "json":
        return json.dumps({"results": rows}).encode()
    if form == "parquet":
        stream = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(rows), stream)
        return stream.getvalue()
    written = json.dumps if form == "csv" else repr
    return (
        pd.DataFrame([{**row, "predictions": written(row["predictions"])} for row in rows]).to_csv(index=False).encode()
    )


@each("form", ["jsonl", "json", "parquet", "csv", "csv of Python"])
def test_of_classes_with_scores_the_largest_is_the_prediction_wherever_it_stands(form):
    subject = read_table(leaves_as(form), name=f"leaves.{form[:7]}")
    assert (
        roles(subject).items() >= {"predictions[0].label": "prediction", "predictions[0].score": "confidence"}.items()
    )
    assert not subject.inputs.losses.any()
    np.testing.assert_allclose(1 - subject.inputs.scores["confidence"], 0.6 + np.arange(60) / 1000)
    assert "the one with the largest score is read" in str(subject.reading)


@each("form", ["jsonl", "json", "parquet"])
def test_the_first_of_classes_with_scores_is_read_in_a_table_stored_before(form):
    choices = TableChoices(rules=EVERYWHERE, read=(("confidence", "predicted"),))
    before = read_table(leaves_as(form), name="leaves", choices=choices)
    first = [scored_leaves(row)[0]["label"] == LEAVES[FOUND[row]] for row in range(60)]
    assert 1 - before.inputs.losses.mean() == pytest.approx(np.mean(first))
    assert before.fingerprint != read_table(leaves_as(form), name="leaves").fingerprint


@each(
    "entries",
    [
        [{"label": "ash", "start": 0, "score": 0.2}, {"label": "elm", "start": 7, "score": 0.8}],
        [{"name": "fluency", "score": 0.2}, {"name": "style", "score": 0.8}],
        [
            {"label": "ash", "confidence": 0.2, "annotator_id": 3},
            {"label": "elm", "confidence": 0.8, "annotator_id": 4},
        ],
    ],
)
def test_parts_of_texts_metrics_and_what_people_said_are_no_classes_with_scores(entries):
    rows = [{"text": f"leaf {row}", "found": entries, "prediction": LEAVES[row % 3]} for row in range(30)]
    cells = read_cells("".join(json.dumps(row) + "\n" for row in rows).encode(), "leaves.jsonl")
    [name] = [name for name in cells.columns if name in ("found[0].label", "found[0].name")]
    assert {*cells.columns[name].to_pylist()} == {entries[0][name.rpartition(".")[2]]}
    assert not cells.notes


def test_classes_beside_their_score_are_the_prediction_and_not_the_label_of_the_whole_record():
    rows = [
        {"text": f"leaf {row}", "found": scored_leaves(row), "label": LEAVES[(row % 9 == 0) + FOUND[row] - 1]}
        for row in range(60)
    ]
    subject = read_table("".join(json.dumps(row) + "\n" for row in rows).encode(), name="leaves.jsonl")
    assert roles(subject).items() >= {"found[0].label": "prediction", "label": "label"}.items()


@each("inside", [{"language": ["en", "de"]}, {"name": ["total", "date"]}])
def test_words_beside_a_confidence_are_no_prediction_where_they_are_no_classes_of_the_label(inside):
    [(name, words)] = inside.items()
    rows = [
        {
            "image": f"{row}.png",
            "read": {name: words[row % 3 > 0], "confidence": 0.6 + row / 200},
            "label": LEAVES[row % 3],
        }
        for row in range(60)
    ]
    with pytest.raises(BadInput, match="no predictions"):
        read_table("".join(json.dumps(row) + "\n" for row in rows).encode(), name="read.jsonl")


def test_the_only_words_are_the_prediction_beside_a_label_that_is_still_empty():
    rows = [{"image": f"{row}.png", "found": LEAVES[row % 3], "label": ""} for row in range(60)]
    assert roles(read_table(pd.DataFrame(rows).to_csv(index=False).encode(), name="t.csv"))["found"] == "prediction"
