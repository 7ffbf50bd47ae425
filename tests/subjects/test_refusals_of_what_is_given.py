"""What a person can give that cannot be used is refused in the sentence written for it: tables, arrays, boxes, files."""

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from testimate.core.errors import BadInput
from testimate.datasets.open import open_dataset_file
from testimate.datasets.preprocessing import number_in, numbers_in
from testimate.datasets.saved import saved_splits
from testimate.models.onnx_parts import onnx_in_folder, unpacked
from testimate.subjects.other_predictions import read_history, read_other
from testimate.subjects.prediction_table import read_table
from testimate.subjects.shifts.shifted_dataset import shift_file
from testimate.subjects.table_choices import TableChoices
from testimate.subjects.table_features import with_features
from testimate.tables.data_frame import parquet_of
from tests.each import each
from tests.tables.workbooks import workbook

CLASSES = b"prediction,label,p_0,p_1\n0,0,0.9,0.1\n1,0,0.2,0.8\n"
JUDGED = b"output,earlier,note\nfine,right,a\nbad,strange,b\n"
BOX = [1, 0, 0, 5, 5, 0.5]


def table(content, name="t.csv", task=None, **choices):
    return lambda: read_table(content, name=name, task=task, choices=TableChoices(**choices))


def frame(**columns):
    return pd.DataFrame(columns)


def as_feather_1():
    return b"FEA1" + bytes(60) + b"FEA1"


def zipped(**files):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    return held.getvalue()


def boxes(*cells):
    return frame(boxes=[one if isinstance(one, str) else json.dumps(one) for one in cells])


TABLES = {
    "top k beside an outcome": (
        table(b"outcome,p_0,p_1\n1,0.9,0.1\n0,0.2,0.8\n", top_k=2),
        "says right or wrong of the first class alone",
    ),
    "a class named twice": (table(CLASSES, further=("owl", "owl")), "is named twice"),
    "feather of before": (table(as_feather_1(), "t.feather"), "Feather of version 1"),
    "a workbook of a header": (table(workbook([["prediction", "label"]]), "t.xlsx"), "is a workbook without rows"),
    "a log with a damaged sample": (
        table(zipped(**{"header.json": "{}", "samples/1_epoch_1.json": "{"}), "a.eval"),
        "is not readable as JSON",
    ),
    "rows without a field": (table(b'[{"a": null}]', "t.json"), "has no rows"),
    "an earlier result that is none": (table(JUDGED, columns=(("history", "earlier"),)), "an earlier model's result"),
    "two columns like the label": (
        table(
            b"label,one,two\n"
            + b"".join(
                b"%s,%s,%s\n" % (b"ab"[k % 2 :][:1], b"ab"[k % 3 % 2 :][:1], b"ba"[k % 5 % 2 :][:1]) for k in range(40)
            )
        ),
        "may each be the prediction",
    ),
    "boxes without a column": (table(b"prediction\na\nb\n", task="boxes"), "Expected one called 'boxes'"),
    "no box at all": (table(boxes("[]", "[]"), "t", task="boxes"), "No picture has a box"),
    "a box of four numbers": (table(boxes([[1, 2, 3, 4]], [BOX]), "t", task="boxes"), "has the box [1, 2, 3, 4]"),
    "boxes that are a word": (table(boxes('"cat"', [BOX]), "t", task="boxes"), "Expected a list of up to"),
    "a least score of 2": (table(boxes([BOX], [BOX]), "t", task="boxes", least_score=2.0), "The least score is 2"),
    "a least score without boxes": (table(CLASSES, least_score=0.5), "Expected a detector's boxes"),
}


@each("name", [*TABLES])
def test_a_table_is_refused_in_the_sentence_written_for_it(name):
    open_it, words = TABLES[name]
    with pytest.raises(BadInput) as refused:
        open_it()
    assert words in str(refused.value)


FRAMES = {
    "a list": ([1, 2], "Expected a table, got 'list'"),
    "a series": (pd.Series([1, 2]), "Pass a column by its name"),
    "another index": (frame(a=[1, 2]).set_index(pd.Index([5, 6])), "Call reset_index()"),
    "a name that is a number": (frame(a=[1]).rename(columns={"a": 1}), "A column of the DataFrame is called 1"),
    "two of one name": (pd.DataFrame([[1, 2]], columns=["a", "a"]), "has two columns 'a'"),
    "words among numbers": (frame(a=[1, "b"]), "mixes kinds of values: 1 (int) and 'b' (str)"),
    "objects": (frame(a=[object(), object()]), "cannot be written as Parquet"),
    "splits": ({"train": frame(a=[1])}, "These are several tables, train"),
    "other lengths": ({"a": [1], "b": [1, 2]}, "The arrays have 1 and 2 values"),
    "a cube": ({"a": np.zeros((2, 2, 2))}, "has the shape (2, 2, 2)"),
    "arrays of objects": ({"a": np.array([object(), {}], dtype=object)}, "cannot be a table"),
}


@each("name", [*FRAMES])
def test_a_table_in_memory_is_refused_with_the_call_that_mends_it(name):
    given, words = FRAMES[name]
    with pytest.raises(BadInput) as refused:
        parquet_of(given)
    assert words in str(refused.value)


TESTED = read_table({"prediction": ["cat", "dog", "cat"], "id": ["a", "b", "c"]}, name="t")
OTHERS = {
    "no prediction": (b"a,b\n1,2\n1,2\n1,2\n", {}, "has no column 'prediction'"),
    "other classes": (b"prediction\nx\ny\nz\n", {}, "are not classes here"),
    "other rows": (b"prediction\ncat\ncat\n", {}, "Expected a row for each in the same order"),
    "no such column": (b"prediction\ncat\ncat\ncat\n", {"prediction": "said"}, "has no column 'said'"),
}


@each("name", [*OTHERS])
def test_another_models_predictions_are_refused_in_the_sentence_written_for_them(name):
    content, named, words = OTHERS[name]
    with pytest.raises(BadInput) as refused:
        read_other(content, TESTED.inputs, name="other.csv", **named)
    assert words in str(refused.value)


@each(
    "given,words",
    [
        ("missing.npy", "There is no file"),
        ("text.npy", "is not a readable .npy array"),
        ("short.npy", "they must match"),
    ],
)
def test_features_beside_a_table_are_refused_in_the_sentence_written_for_them(tmp_path, given, words):
    (tmp_path / "text.npy").write_text("no array")
    np.save(tmp_path / "short.npy", np.zeros((2, 3)))
    with pytest.raises(BadInput) as refused:
        with_features(TESTED.inputs, tmp_path / given, given, "t")
    assert words in str(refused.value)


PICTURES = {
    "no zip": ("inputs.zip", b"no zip", "is not a zip"),
    "no kind": ("inputs.zip", zipped(**{"a.bin": b"1", "b.bin": b"2"}), "are neither pictures"),
}


@each("name", [*PICTURES])
def test_inputs_beside_a_table_are_refused_in_the_sentence_written_for_them(tmp_path, name):
    called, content, words = PICTURES[name]
    (tmp_path / called).write_bytes(content)
    with pytest.raises(BadInput) as refused:
        table(b"prediction,file\ncat,a.bin\ndog,b.bin\n", inputs=tmp_path / called)()
    assert words in str(refused.value)


def test_inputs_that_are_not_there_are_refused_by_their_name(tmp_path):
    with pytest.raises(BadInput, match="could not be read"):
        table(b"prediction,file\ncat,a.png\ndog,b.png\n", inputs=tmp_path / "nowhere")()


def test_a_folder_of_data_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(BadInput, match="could not be read"):
        open_dataset_file(tmp_path / "nowhere")


@each(
    "written,words",
    [(b"\0\0\x08\x03" + bytes(5), "is not an IDX file"), (b"\0\0\x08\x01\0\0\0\x09" + bytes(2), "claims 9 bytes")],
)
def test_a_cut_off_idx_file_is_refused(tmp_path, written, words):
    (tmp_path / "t10k-images-idx3-ubyte").write_bytes(written)
    with pytest.raises(BadInput) as refused:
        open_dataset_file(tmp_path / "t10k-images-idx3-ubyte")
    assert words in str(refused.value)


def test_results_of_earlier_models_without_a_column_are_refused():
    with pytest.raises(BadInput, match="has no results, only 'id'"):
        read_history(b"id\na\nb\nc\n", TESTED.inputs, name="history.csv")


ARCHIVES = {
    "two models": (zipped(**{"a.onnx": b"1", "b.onnx": b"2"}), "The zip contains 2 ONNX files"),
    "none": (zipped(**{"a.txt": b"1"}), "The zip contains 0 ONNX files"),
    "half": (zipped(**{"a.onnx": bytes(1000)})[:500], "damaged or locked"),
}


@each("name", [*ARCHIVES])
def test_a_zip_that_is_no_one_model_is_refused_in_the_sentence_written_for_it(name):
    content, words = ARCHIVES[name]
    with pytest.raises(BadInput) as refused:
        unpacked(content)
    assert words in str(refused.value)


def test_a_folder_of_two_models_is_refused_with_their_names(tmp_path):
    for name in ("a.onnx", "b.onnx"):
        (tmp_path / name).write_bytes(b"1")
    with pytest.raises(BadInput, match=r"several ONNX files \(a.onnx, b.onnx\)"):
        onnx_in_folder(tmp_path)


@each("read,given", [(number_in, "a/b"), (number_in, "1/0"), (lambda text: numbers_in(text, "mean"), "0.5, x")])
def test_numbers_of_a_preprocessing_that_are_none_are_refused_with_an_example(read, given):
    with pytest.raises(BadInput, match=r"Expected (a number|numbers) such as"):
        read(given)


def test_a_saved_dataset_without_splits_is_refused(tmp_path):
    (tmp_path / "dataset_dict.json").write_text('{"splits": []}')
    with pytest.raises(BadInput, match="names no splits"):
        saved_splits(tmp_path)
    (tmp_path / "dataset_dict.json").write_text("[]")
    with pytest.raises(BadInput, match="is not an object"):
        saved_splits(tmp_path)


SHIFTED = {
    "other endings": ("a.csv", "b.csv", None, "Expected two that end in .npy"),
    "no file": ("nowhere.npy", "b.npy", None, "There is no file"),
    "no array": ("two.npz", "b.npz", "c", "There is no array 'c'"),
}


@each("name", [*SHIFTED])
def test_pictures_that_cannot_be_shifted_are_refused_in_the_sentence_written_for_them(tmp_path, name):
    source, target, array, words = SHIFTED[name]
    np.savez(tmp_path / "two.npz", a=np.zeros((2, 8, 8)), b=np.zeros((2, 8, 8)))
    with pytest.raises(BadInput) as refused:
        shift_file(tmp_path / source, tmp_path / target, "fog", 3, seed=1, array=array)
    assert words in str(refused.value)
