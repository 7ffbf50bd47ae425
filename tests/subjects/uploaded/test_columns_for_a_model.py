"""Which columns of a table a model takes, which holds its labels, and what is doubted about its numbers."""

from dataclasses import replace

import numpy as np
import onnx
import pandas as pd
import pytest
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

from testimate.core.errors import BadInput
from testimate.datasets.open import open_dataset_file
from testimate.feature_cache.cache import FeatureCache
from testimate.planning.known_inputs import known_inputs, unusual_predictions
from testimate.subjects.preparation import check_depth
from testimate.subjects.uploaded_subject import UploadedRecord, open_uploaded_subject, reopen_uploaded_subject
from tests.each import each
from tests.own_files import described, open_files, write_own_files

pytestmark = pytest.mark.usefixtures("models_in_this_process")


@pytest.fixture
def files(tmp_path):
    return write_own_files(tmp_path)


def table_of(files, **columns):
    """The operational inputs as a table, beside some columns."""
    return pd.DataFrame({**columns, **{f"n{place}": files.x[:, place] for place in range(4)}})


def predictions(own, folder):
    return known_inputs(own.subject, FeatureCache(folder / "cache")).predictions


@each("key", ["bottle_no", "patient_id"])
def test_a_column_that_counts_or_names_the_rows_is_no_number_that_the_model_takes(files, tmp_path, key):
    rows = np.arange(60) + 1 if key == "bottle_no" else np.random.default_rng(1).permutation(60) * 7 + 1_000
    table_of(files, **{key: rows}).to_csv(tmp_path / "t.csv", index=False)
    own = open_files(files.model, tmp_path / "t.csv")
    assert np.array_equal(predictions(own, tmp_path), files.probabilities(files.x).argmax(axis=1))
    assert f"left out: `{key}` numbers the rows" in str(own.subject.reading)
    record = UploadedRecord.of_json(own.record.to_json())
    assert reopen_uploaded_subject(record, files.model, tmp_path / "t.csv", name="t").key == own.subject.key


def test_a_subject_of_a_named_split_is_opened_again_from_that_split(files):
    own = open_uploaded_subject(replace(described(files.model, files.dataset), split="train"))
    again = reopen_uploaded_subject(UploadedRecord.of_json(own.record.to_json()), files.model, files.dataset, name="t")
    assert (len(again.dataset), again.key) == (90, own.subject.key)


def test_the_only_column_that_the_model_s_answers_meet_is_the_label(files, tmp_path):
    measured = np.random.default_rng(1).normal(size=60)
    said = files.probabilities(files.x).argmax(axis=1)
    table = table_of(files, specimen_id=np.arange(60) * 7 + 1_000).assign(kind=np.where(measured < -1, 0, said))
    table.to_csv(tmp_path / "t.csv", index=False)
    own = open_files(files.model, tmp_path / "t.csv")
    assert (own.record.label, own.record.columns) == ("kind", ("n0", "n1", "n2", "n3"))
    assert np.array_equal(predictions(own, tmp_path), said)
    table.assign(kind=(said + 1) % 3).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(
        BadInput, match=r"5 columns of them that neither number nor name the rows.*--label kind or --label n0"
    ):
        open_files(files.model, tmp_path / "t.csv")


def test_a_number_too_many_that_is_no_key_is_asked_about_or_refused_by_name(files, tmp_path):
    measured = np.random.default_rng(1).normal(size=60)
    table_of(files, age=measured).to_csv(tmp_path / "one.csv", index=False)
    with pytest.raises(BadInput, match="One seems to be the answers"):
        open_files(files.model, tmp_path / "one.csv")
    table_of(files, age=measured, height=measured).to_csv(tmp_path / "two.csv", index=False)
    with pytest.raises(BadInput, match=r"takes 4 numbers, and the table has 6 columns of them \('age', 'height'"):
        open_files(files.model, tmp_path / "two.csv")
    table_of(files, bottle_no=np.arange(60), age=measured).assign(height=measured).to_csv(
        tmp_path / "3.csv", index=False
    )
    with pytest.raises(BadInput, match="Leave out 'bottle_no', which numbers") as refused:
        open_files(files.model, tmp_path / "3.csv")
    assert "pandas.read_csv('3.csv').drop(columns=['bottle_no', 'n3', 'height']).to_parquet('data.parquet')" in str(
        refused.value
    )
    pd.read_csv(tmp_path / "3.csv").drop(columns=["bottle_no", "age", "height"]).to_csv(tmp_path / "4.csv", index=False)
    assert np.array_equal(
        predictions(open_files(files.model, tmp_path / "4.csv"), tmp_path), files.probabilities(files.x).argmax(axis=1)
    )


@each("labeled", [True, False])
def test_a_year_is_no_number_that_a_model_of_classes_takes_where_as_many_others_are_left(files, tmp_path, labeled):
    years = np.random.default_rng(3).integers(2007, 2010, 60)
    said = {"label": files.y} if labeled else {}
    table_of(files, sample_number=np.arange(60) + 1, year=years, **said).to_csv(tmp_path / "t.csv", index=False)
    own = open_files(files.model, tmp_path / "t.csv")
    assert own.record.columns == ("n0", "n1", "n2", "n3")
    assert "`year` none of the 4 that the model takes" in str(own.subject.reading)
    record = UploadedRecord.of_json(own.record.to_json())
    assert reopen_uploaded_subject(record, files.model, tmp_path / "t.csv", name="t").key == own.subject.key


def test_known_classes_tell_which_columns_a_model_takes_whatever_they_are_called(files, tmp_path):
    other = np.random.default_rng(3).normal(size=60) * 9
    table = table_of(files, age=other, label=files.probabilities(files.x).argmax(axis=1))
    table.to_csv(tmp_path / "t.csv", index=False)
    assert open_files(files.model, tmp_path / "t.csv").record.columns == ("n0", "n1", "n2", "n3")
    table.rename(columns={"n3": "year"}).to_csv(tmp_path / "named.csv", index=False)
    assert open_files(files.model, tmp_path / "named.csv").record.columns == ("n0", "n1", "n2", "year")
    table.drop(columns="age").assign(n4=table.n3).to_csv(tmp_path / "twice.csv", index=False)  # either is as good
    with pytest.raises(BadInput, match="takes 4 numbers, and the table has 5 columns"):
        open_files(files.model, tmp_path / "twice.csv")


def test_the_only_column_with_as_many_classes_is_the_label_if_the_model_agrees_with_it(files, tmp_path):
    words = np.array(["amber", "blue", "coral"])
    said = words[files.y]
    table_of(files, color=said, side=np.resize(["left", "right"], 60)).to_csv(tmp_path / "t.csv", index=False)
    own = open_files(files.model, tmp_path / "t.csv")
    assert own.subject.truth is not None
    assert np.array_equal(own.subject.truth, files.y)
    mixed = np.random.default_rng(2).permutation(said)
    table_of(files, color=mixed).to_csv(tmp_path / "other.csv", index=False)
    assert open_files(files.model, tmp_path / "other.csv").subject.truth is None
    table_of(files, hospital=said).to_csv(tmp_path / "group.csv", index=False)
    assert open_files(files.model, tmp_path / "group.csv").subject.truth is None


def number_model(path, weight, shift):
    """x * weight + shift, one number per input."""
    graph = helper.make_graph(
        [helper.make_node("Mul", ["x", "w"], ["a"]), helper.make_node("Add", ["a", "s"], ["y"])],
        "number",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 1])],
        [numpy_helper.from_array(np.float32([[value]]), name) for name, value in (("w", weight), ("s", shift))],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


@each("scaled", [True, False])
def test_predictions_that_rise_with_the_known_numbers_on_another_scale_are_doubted(tmp_path, scaled):
    x = np.linspace(-2, 2, 60, dtype=np.float32)[:, None]
    known = 50 * x[:, 0] + 150 + np.random.default_rng(3).normal(0, 10, 60)
    np.savez(tmp_path / "t.npz", x=x, y=known)
    model = number_model(tmp_path / "m.onnx", 1.0 if scaled else 50.0, 0.0 if scaled else 150.0)
    own = open_files(model, tmp_path / "t.npz")
    said = unusual_predictions(known_inputs(own.subject, FeatureCache(tmp_path / f"cache {scaled}")))
    assert [one.startswith("The predictions run from -2 to 2 and the known numbers from") for one in said] == [
        True
    ] * scaled


def test_numbers_below_0_are_no_probabilities_whatever_a_person_says(tmp_path):
    x = np.linspace(-2, 2, 60, dtype=np.float32)[:, None]
    np.savez(tmp_path / "t.npz", x=x, y=(x[:, 0] > 0).astype(int))
    model = number_model(tmp_path / "m.onnx", 1.0, 0.0)
    with pytest.raises(BadInput, match=r"outputs run from -2 to 2 .*Expected 0 to 1, as of one probability"):
        open_files(model, tmp_path / "t.npz", output="one probability")
    assert open_files(model, tmp_path / "t.npz", output="one logit").subject.task.kind == "classification"


@each("bits", [12, 16])
def test_pictures_of_16_bits_that_use_12_are_refused_with_what_makes_them_bright(tmp_path, bits):
    folder = tmp_path / f"{bits} bits"
    folder.mkdir()
    values = np.linspace(0, 2**bits - 1, 64).astype(np.uint16).reshape(8, 8)
    Image.fromarray(values).save(folder / "a.png")
    opened = open_dataset_file(folder)
    if bits == 16:
        check_depth(opened)
        return
    with pytest.raises(BadInput, match=r"numbers run to 4,095, as of 12 bits.*mogrify -evaluate Multiply 16 \*\.png"):
        check_depth(opened)


def named_columns(path):
    """The sum of two columns, each an input of its own, as scikit-learn's exports have them."""
    graph = helper.make_graph(
        [helper.make_node("Add", ["height", "width"], ["y"])],
        "sum",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 1]) for name in ("height", "width")],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 1])],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def test_a_gap_in_a_column_that_the_model_does_not_take_is_left_out_and_in_one_that_it_takes_refused(files, tmp_path):
    table = pd.DataFrame(
        {"width": np.arange(30) / 8, "depth": ["NA", *map(str, range(29))], "height": np.arange(30) / 4}
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    model = named_columns(tmp_path / "sum.onnx")
    own = open_files(model, tmp_path / "t.csv")
    assert np.allclose(predictions(own, tmp_path), table.width + table.height)
    assert "left out: `depth` has no number in some row" in str(own.subject.reading)
    table.rename(columns={"depth": "width", "width": "depth"}).to_csv(tmp_path / "taken.csv", index=False)
    with pytest.raises(BadInput, match=r"Column 'width', row 0 .* contains the text 'NA'"):
        open_files(model, tmp_path / "taken.csv")
    gap = table_of(files)
    gap["n3"] = gap["n3"].astype(str)
    gap.loc[5, "n3"] = "NA"
    gap.to_csv(tmp_path / "gap.csv", index=False)
    with pytest.raises(BadInput, match=r"Column 'n3', row 5 .* contains the text 'NA'"):
        open_files(files.model, tmp_path / "gap.csv")


def test_amounts_are_no_places_of_classes(tmp_path):
    x = np.linspace(0, 7, 60, dtype=np.float32)[:, None]
    prices = (100_000 * (x[:, 0] + 0.5)).astype(int)
    pd.DataFrame({"size": x[:, 0], "price": prices}).to_csv(tmp_path / "t.csv", index=False)
    own = open_files(number_model(tmp_path / "m.onnx", 100_000.0, 50_000.0), tmp_path / "t.csv", label="price")
    assert own.subject.truth is not None
    assert np.array_equal(own.subject.truth, prices)


def test_pictures_in_rows_of_an_array_are_refused_with_what_makes_pictures_of_them(tmp_path):
    weights = numpy_helper.from_array(np.ones((3, 1, 4, 4), np.float32), "w")
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("Flatten", ["c"], ["y"])]
    tensors = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, sides)
        for name, sides in (("x", ["n", 1, 4, 4]), ("y", ["n", 3]))
    ]
    graph = helper.make_graph(nodes, "p", tensors[:1], tensors[1:], [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    x = np.random.default_rng(5).integers(0, 256, (60, 16), dtype=np.uint8)
    np.savez(tmp_path / "rows.npz", x=x, y=np.arange(60) % 3)
    with pytest.raises(BadInput, match="and the array has these 16 in a row") as refused:
        open_files(tmp_path / "m.onnx", tmp_path / "rows.npz")
    made = "d = numpy.load('rows.npz'); numpy.savez('data.npz', **{**d, 'x': d['x'].reshape(-1, 4, 4)})"
    assert str(refused.value).endswith(f"In Python: {made}.")


@each("agreeing", [True, False])
def test_the_column_that_a_model_of_class_numbers_agrees_with_is_the_label_and_never_one_of_decimals(
    tmp_path, agreeing
):
    """13 columns beside the classes, as of wines; the model gives the number of the class alone."""
    x = np.random.default_rng(7).normal(1, 1, (90, 13)).round(2).astype(np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "w"], ["a"]),
            helper.make_node("ArgMax", ["a"], ["y"], axis=1, keepdims=0),
        ],
        "classes",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 13])],
        [helper.make_tensor_value_info("y", TensorProto.INT64, ["n"])],
        [numpy_helper.from_array(np.eye(13, 3, dtype=np.float32), "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    said = x[:, :3].argmax(axis=1)
    said[:2] = (said[:2] + 1) % 3
    known = said if agreeing else np.random.default_rng(8).permutation(said)
    table = pd.DataFrame(x, columns=[f"n{place}" for place in range(13)]).assign(cultivar=known)
    table.to_csv(tmp_path / "t.csv", index=False)
    if not agreeing:
        with pytest.raises(BadInput, match="One seems to be the answers"):
            open_files(tmp_path / "m.onnx", tmp_path / "t.csv")
        return
    own = open_files(tmp_path / "m.onnx", tmp_path / "t.csv")
    assert (own.record.label, own.subject.task.kind) == ("cultivar", "classification")
    assert own.subject.truth is not None
    assert np.array_equal(own.subject.truth, known)
