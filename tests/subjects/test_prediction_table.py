"""Prediction tables against pandas as an independent reader, and against what people hand in by mistake."""

import gzip
import io
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.subjects.prediction_table import read_table
from testimate.tasks.classification import Classification
from testimate.tasks.regression import Regression
from tests.each import each


def subject_of(text: str, name: str = "table.csv", **options: Any) -> Subject:
    return read_table(text.encode(), name=name, **options)


def inputs_of(text: str, name: str = "table.csv", **options: Any) -> Inputs:
    inputs = subject_of(text, name, **options).inputs
    assert inputs is not None
    return inputs


@each(
    ("name", "accuracy", "classes", "scores"),
    [
        ("deepsample/modelD_final.csv.gz", 0.7151, 10, ["confidence", "dsa", "lsa", "uniform"]),
        ("deepsample/modelG_final.csv.gz", 0.6631, 100, ["confidence", "dsa", "lsa", "uniform"]),
        ("deepest/CN12_CIFAR10.csv.gz", 0.8066, 10, ["confidence", "dsa", "lsa", "conf*(1-norm_dsa)"]),
    ],
)
def test_the_published_classification_tables_read_without_options_as_pandas_reads_them(
    real_data, name, accuracy, classes, scores
):
    path = real_data / name
    inputs = read_table(path, name=path.name).inputs
    seen = pd.read_csv(path, encoding="utf-8-sig")
    seen.columns = seen.columns.str.lower()
    assert 1 - inputs.losses.mean() == pytest.approx(accuracy, abs=5e-5)
    np.testing.assert_array_equal(inputs.losses, (seen["outcome"] == "Fail").astype(float))
    np.testing.assert_array_equal(inputs.predictions, seen["sut"])
    np.testing.assert_array_equal(inputs.confidence, seen["confidence"])
    np.testing.assert_array_equal(inputs.scores["confidence"], 1 - seen["confidence"])
    for score in scores[1:]:
        np.testing.assert_array_equal(inputs.scores[score], seen[score.lower()])
    assert list(inputs.scores) == scores
    assert inputs.task.classes == tuple(map(str, range(classes)))
    assert inputs.truth is None


def test_the_published_regression_table_has_the_published_one_minus_mean_squared_error(real_data):
    path = real_data / "deepsample/Dave_orig.csv.gz"
    inputs = read_table(path, name=path.name, tolerance=0.5).inputs
    seen = pd.read_csv(path)
    assert 1 - inputs.losses.mean() == pytest.approx(0.9034, abs=5e-5)
    np.testing.assert_array_equal(inputs.truth, seen["label"])
    np.testing.assert_array_equal(inputs.predictions, seen["SUT"])
    assert list(inputs.scores) == ["VAE", "SAE", "lsa"]
    assert inputs.task == Regression(tolerance=0.5)
    # 12.5 degrees, the unit being 25 degrees
    assert inputs.task.failed(inputs.losses).sum() == (25 * (seen["label"] - seen["SUT"]).abs() > 12.5).sum()


def test_the_tolerance_is_one_standard_deviation_of_the_predictions_where_none_is_given():
    inputs = inputs_of("label,prediction\n0.5,1.5\n0,2.5\n0,6.5\n")
    assert inputs.task.tolerance == pytest.approx((14 / 3) ** 0.5)  # predictions 1.5, 2.5, 6.5: mean 3.5


def test_csv_gzip_and_parquet_of_one_table_say_the_same():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "label": rng.choice(["cat", "dog", "eel"], 200),
            "prediction": rng.choice(["cat", "dog", "eel"], 200),
            "confidence": rng.random(200),
            "dsa": rng.normal(size=200),
            "note": ['says "no", twice\nand more'] * 200,
        }
    )
    parquet = io.BytesIO()
    frame.assign(label=frame["label"].astype("category")).to_parquet(parquet)
    csv = frame.to_csv(index=False).encode()
    tables = [
        read_table(csv, name="t.csv"),
        read_table(b"\xef\xbb\xbf" + csv.replace(b"\n", b"\r\n"), name="T.CSV"),
        read_table(gzip.compress(csv[:999]) + gzip.compress(csv[999:]), name="t.csv.gz"),
        read_table(parquet.getvalue(), name="t.parquet"),
    ]
    assert len({table.fingerprint for table in tables}) == 4
    for table in tables:
        inputs = table.inputs
        assert inputs.task == Classification(classes=("cat", "dog", "eel"))
        np.testing.assert_array_equal(inputs.truth, frame["label"].astype("category").cat.codes)
        np.testing.assert_array_equal(inputs.losses, (frame["label"] != frame["prediction"]).astype(float))
        np.testing.assert_array_equal(inputs.confidence, frame["confidence"])
        np.testing.assert_array_equal(inputs.scores["dsa"], frame["dsa"])
        assert list(inputs.scores) == ["confidence", "dsa"]
        assert dict(table.dataset.show(3).cells)["note"].startswith('says "no", twice')


def test_a_path_and_its_uploaded_bytes_have_one_key_and_fingerprint(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_bytes(b"outcome\n1\n0\n")
    from_path, uploaded = read_table(path, name="a name for people"), read_table(path.read_bytes(), name="mine.csv")
    assert from_path.fingerprint == uploaded.fingerprint == uploaded.inputs.fingerprint
    assert from_path.key == uploaded.key == f"table-{uploaded.fingerprint[:12]}"


def test_columns_are_found_in_upper_and_lower_case_alike():
    inputs = inputs_of("ID,LABEL,Sut,CONFIDENCE,P_0,p_1\n7,1,0,0.75,0.75,0.25\n8,1,1,0.5,0.25,0.75\n")
    assert inputs.losses.tolist() == [1, 0]
    assert inputs.confidence.tolist() == [0.75, 0.5]
    assert list(inputs.scores) == ["confidence"]


def test_a_table_with_chances_beside_its_predictions_keeps_its_own_name():
    subject = subject_of("prediction,p_cat,p_dog\ncat,0.8,0.2\ndog,0.3,0.7\n", "pets.csv")
    assert subject.name == "pets.csv"
    assert subject.reading is not None
    assert subject.reading.source == "pets.csv"


def test_prediction_and_confidence_come_from_the_probabilities_where_they_are_missing():
    inputs = inputs_of("p_2,p_0,p_1\n0.5,0.25,0.25\n0.125,0.625,0.25\n")
    assert inputs.predictions.tolist() == [2, 0]
    assert inputs.confidence.tolist() == [0.5, 0.625]
    assert inputs.probabilities.tolist() == [[0.25, 0.25, 0.5], [0.625, 0.25, 0.125]]
    assert inputs.truth is None
    assert inputs.losses is None


def test_the_confidence_is_that_of_the_predicted_class_even_where_another_is_more_probable():
    inputs = inputs_of("prediction,p_0,p_1\n1,0.75,0.25\n0,0.75,0.25\n")
    assert inputs.confidence.tolist() == [0.25, 0.75]


def test_probabilities_rounded_in_the_file_sum_to_one_afterwards():
    probabilities = inputs_of("p_0,p_1,p_2\n0.333,0.333,0.333\n1,0,0\n").probabilities
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-15)


def test_words_are_classes_in_sorted_order_and_numbers_in_numeric_order():
    assert inputs_of("label,prediction\nb,a\na,c\n").task.classes == ("a", "b", "c")
    numbers = inputs_of("label,prediction\n10,9.0\n100,10\n", task="classification")
    assert numbers.task.classes == ("9", "10", "100")
    assert numbers.predictions.tolist() == [0, 1]
    assert numbers.truth.tolist() == [1, 2]


def test_a_class_that_is_never_predicted_can_still_be_the_answer():
    assert inputs_of("prediction\n0\n2\n3\n").task.classes == ("0", "1", "2", "3")


def test_outcome_with_a_prediction_tells_right_from_wrong_but_not_the_true_class():
    inputs = inputs_of("SUT,outcome\n3,Pass\n1,FAIL\n3,pass\n")
    assert inputs.truth is None
    assert inputs.losses.tolist() == [0, 1, 0]


@each("outcome", ["Pass,Fail,Pass", "1,0,1", "1.0,0.0,1.0", "True,False,True", "right,wrong,right"])
def test_outcome_alone_is_a_task_of_two_classes(outcome):
    inputs = inputs_of("outcome\n" + outcome.replace(",", "\n"))
    assert inputs.task == Classification(classes=("right", "wrong"))
    assert inputs.predictions.tolist() == [0, 0, 0]
    assert inputs.truth.tolist() == [0, 1, 0]
    assert inputs.losses.tolist() == [0, 1, 0]


def test_an_outcome_beside_numbers_with_decimals_stands_for_both_label_and_prediction():
    assert inputs_of("SUT,outcome\n0.5,1\n0.25,0\n").task.classes == ("right", "wrong")


def test_one_row_is_a_population_of_one():
    inputs = inputs_of("label,prediction\ncat,dog\n")
    assert inputs.losses.tolist() == [1]


def test_what_is_shown_never_gives_away_prediction_truth_or_confidence():
    text = "ID,maker,label,SUT,outcome,Confidence,p_0,p_1,dsa\n7,Ada,0,1,Fail,0.6,0.4,0.6,1.5\n"
    dataset = subject_of(text).dataset
    assert dataset.modality == "tabular"
    assert dataset.show(0).cells == (("row", "0"), ("ID", "7"), ("maker", "Ada"))
    with pytest.raises(BadInput, match="no row 1"):
        dataset.show(1)
    with pytest.raises(BadInput, match="no inputs to run a model on"):
        dataset.batch(np.arange(1))


def test_parquet_columns_of_other_kinds_are_left_out_and_said_so():
    frame = pd.DataFrame({"outcome": [True, False], "took": pd.to_timedelta([1, 2], unit="s")})
    file = io.BytesIO()
    frame.to_parquet(file)
    subject = read_table(file.getvalue(), name="t.pq")
    assert subject.inputs.losses.tolist() == [0, 1]
    assert ("columns left out", "took") in subject.facts


@each("kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())])
def test_parquet_words_of_every_arrow_type_are_classes(kind):
    file = io.BytesIO()
    words = pa.array(["cat", "dog", "cat"], pa.string()).cast(kind)
    pyarrow.parquet.write_table(pa.table({"label": words, "prediction": ["cat", "cat", "cat"]}), file)
    assert read_table(file.getvalue(), name="t.parquet").inputs.losses.tolist() == [0, 1, 0]


def as_parquet(columns: dict[str, list[str | None]]) -> bytes:
    file = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(columns), file)
    return file.getvalue()


@each("note", [["", None, "x", "y"], [None, "", "x", "y"], ["x", None, "", "y"], ["", None, "", None]])
def test_empty_and_missing_texts_of_one_column_read_as_a_csv_reads_them(note):
    columns: dict[str, list[str | None]] = {"prediction": ["a", "b", "a", "b"] * 5, "note": note * 5}
    frame = pd.DataFrame(columns)
    of_csv = read_table(frame.fillna("").to_csv(index=False).encode(), name="t.csv")
    for table in (read_table(as_parquet(columns), name="t.parquet"), read_table(frame, name="frame")):
        assert [table.dataset.show(row).cells for row in range(20)] == [
            of_csv.dataset.show(row).cells for row in range(20)
        ]
        assert table.inputs is not None
        assert list(table.inputs.scores) == []


LONG = "word " * 82_000 + "end"
"""More than Python's csv module reads by itself, and than a screen shows."""


def test_a_long_text_in_a_cell_is_read_and_kept_whole():
    content = pd.DataFrame({"prediction": ["a", "b"], "text": ["short", LONG]}).to_csv(index=False).encode()
    parquet = as_parquet({"prediction": ["a", "b"], "text": ["short", LONG]})
    for table in (read_table(content, name="t.csv"), read_table(parquet, name="t.parquet")):
        assert table.dataset.show(1).text == LONG
