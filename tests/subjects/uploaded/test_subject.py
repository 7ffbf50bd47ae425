"""A model's file and a dataset's become a subject that opens again without the model being started."""

import json
import pickle
import re
import wave
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pandas as pd
import pytest
from onnx import TensorProto, helper, numpy_helper

from testimate.core.errors import BadInput, SubjectChanged
from testimate.datasets.open import open_dataset_file
from testimate.datasets.preprocessing import Preprocessing
from testimate.datasets.usual_preprocessings import suggest_preprocessings
from testimate.feature_cache import FeatureCache
from testimate.planning.known_inputs import known_inputs
from testimate.subjects.uploaded_subject import UploadedRecord, reopen_uploaded_subject
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import Regression
from tests.own_files import open_files

pytestmark = pytest.mark.usefixtures("models_in_this_process")


def test_the_subject_says_what_the_network_says_and_knows_its_training_set(own, tmp_path):
    subject = open_files(own.model, own.dataset).subject
    assert re.fullmatch(r"own-[0-9a-f]{12}", subject.key)
    assert subject.task == Classification(classes=("0", "1", "2"))
    np.testing.assert_array_equal(subject.truth, own.y)
    np.testing.assert_array_equal(subject.training_truth, own.y_train)
    inputs = known_inputs(subject, FeatureCache(tmp_path / "cache"))
    np.testing.assert_allclose(inputs.probabilities, own.probabilities(own.x), atol=1e-6)
    np.testing.assert_allclose(inputs.features["LHL"], own.hidden(own.x), atol=1e-5)
    np.testing.assert_array_equal(inputs.features["ORI"], own.x)
    assert inputs.losses.mean() == pytest.approx(12 / 60)  # every fifth label is another class
    assert inputs.training.losses.mean() == pytest.approx(18 / 90)


def test_with_its_record_a_subject_opens_again_without_the_model_being_started(own, tmp_path, monkeypatch):
    first = open_files(own.model, own.dataset)
    cache = FeatureCache(tmp_path / "cache")
    before = known_inputs(first.subject, cache)
    record = UploadedRecord.of_json(json.loads(json.dumps(first.record.to_json())))
    assert record == first.record
    for name in ("subjects.uploaded_subject", "models.open"):
        monkeypatch.setattr(f"testimate.{name}.open_model_file", None)  # calling it would fail
    again = reopen_uploaded_subject(record, own.model, own.dataset, name="again")
    assert (again.key, again.fingerprint) == (first.subject.key, first.subject.fingerprint)
    after = known_inputs(again, cache)
    np.testing.assert_array_equal(after.probabilities, before.probabilities)
    np.testing.assert_array_equal(after.scores["dsa"], before.scores["dsa"])


def test_the_facts_are_those_of_the_data_as_they_are_given_to_the_model(own, network, tmp_path):
    pictures = np.arange(4 * 16, dtype=np.uint8).reshape(4, 4, 4)
    np.savez(tmp_path / "pictures.npz", x=pictures, y=[0, 1, 0, 1])
    np.savez(tmp_path / "training.npz", x=own.x_train, y=own.y_train % 2)
    rng = np.random.default_rng(1)
    model = own.model.with_name("pictures.onnx")
    network(model, rng.normal(size=(16, 6)).astype(np.float32), rng.normal(size=(6, 2)).astype(np.float32), "Softmax")
    chosen = open_files(
        model, tmp_path / "pictures.npz", preprocessing=Preprocessing(scale=0.5), training=tmp_path / "training.npz"
    )
    facts = dict(chosen.subject.facts)
    assert facts["preprocessing"] == "scale 0.5; channels flat"
    assert facts["data's fingerprint"] == chosen.dataset.fingerprint
    assert facts["data's fingerprint"] != chosen.dataset.with_preprocessing(Preprocessing()).fingerprint
    assert facts["training set"] == "90 inputs"
    assert facts["last hidden layer (LHL)"] == "hidden"
    assert len(facts) == len(chosen.subject.facts), "no name stands twice"


def test_a_model_of_sounds_gets_the_length_and_the_channel_axis_that_it_takes(network, tmp_path):
    (tmp_path / "s").mkdir()
    for name, count in (("a", 5), ("b", 12)):
        with wave.open(str(tmp_path / "s" / f"{name}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8_000)
            file.writeframes(np.full(count, 16_384, dtype="<i2").tobytes())
    model = network(tmp_path / "m.onnx", np.eye(8, dtype=np.float32), np.ones((8, 2), dtype=np.float32), "Softmax")
    dataset = open_files(model, tmp_path / "s").subject.dataset
    np.testing.assert_array_equal(dataset.batch(np.arange(2)), [[0.5] * 5 + [0] * 3, [0.5] * 8])
    for shape, place in (((1, None), "first"), ((8, 1), "last"), ((None,), "as stored")):
        fitted = suggest_preprocessings(dataset.with_preprocessing(Preprocessing()), shape)[0].preprocessing
        assert (fitted.channels, fitted.length) == (place, 8 if 8 in shape else None)
        prepared = dataset.with_preprocessing(replace(fitted, length=8)).batch(np.arange(2))
        assert prepared.shape[1:] == tuple(8 if side is None else side for side in shape)


def test_texts_that_nobody_said_how_to_cut_are_opened_so_that_it_can_be_said(network, tmp_path):
    (tmp_path / "t.csv").write_text("text,label\n" + "".join(f"a text of row {row},{row}.5\n" for row in range(6)))
    model = network(tmp_path / "m.onnx", np.eye(4, dtype=np.float32), np.ones((4, 1), dtype=np.float32), None)
    opened = open_files(model, tmp_path / "t.csv")
    assert opened.subject.task == Regression(tolerance=0.0)  # what it says is not known before the tokens are
    assert opened.record.preprocessing.length == 4
    said = open_files(model, tmp_path / "t.csv", preprocessing=replace(opened.record.preprocessing, tokens="bytes"))
    bytes_of = [sum(f"a text of row {row}".encode()[:4]) for row in range(6)]
    assert said.subject.task.tolerance == pytest.approx(np.std(bytes_of))


def test_another_model_dataset_training_set_or_preparation_is_another_subject(own, network, tmp_path):
    subject = open_files(own.model, own.dataset).subject
    model = network(tmp_path / "other.onnx", own.first, own.last * 2, "Softmax")
    np.savez(tmp_path / "other.npz", x_test=own.x[::-1], y_test=own.y[::-1])
    np.savez(tmp_path / "bare.npz", x_test=own.x, y_test=own.y)
    others = [
        open_files(model, own.dataset),
        open_files(own.model, tmp_path / "other.npz"),
        open_files(own.model, tmp_path / "bare.npz"),
        open_files(own.model, own.dataset, preprocessing=Preprocessing(scale=0.5)),
        open_files(own.model, own.dataset, roles={"LHL": "(input)"}),
    ]
    assert len({subject.key, *(other.subject.key for other in others)}) == 6
    assert others[2].subject.training is None
    same = open_files(own.model, own.dataset, name="mine").subject
    assert (same.key, same.name) == (subject.key, "mine")


def test_a_training_set_in_a_file_of_its_own_is_its_training_split(own, tmp_path):
    np.savez(tmp_path / "bare.npz", x_test=own.x, y_test=own.y)
    subject = open_files(own.model, tmp_path / "bare.npz", training=own.dataset).subject
    np.testing.assert_array_equal(subject.training.batch(np.arange(90)), own.x_train)
    np.testing.assert_array_equal(subject.training_truth, own.y_train)


def test_another_process_opens_the_model_from_its_file_and_only_if_it_is_the_same(own):
    opened = open_files(own.model, own.dataset)
    subject = opened.subject
    sent = pickle.loads(pickle.dumps(subject.open_model))
    model = sent()
    assert model is not subject.open_model()
    assert model.fingerprint == subject.model_fingerprint
    said = model.run(own.x[:3], [model.roles["CON"]])[model.roles["CON"]]
    np.testing.assert_allclose(said, own.probabilities(own.x[:3]), atol=1e-6)
    own.model.write_bytes(own.model.read_bytes() + b"\x00")
    with pytest.raises(SubjectChanged, match="has changed since it was opened"):
        pickle.loads(pickle.dumps(subject.open_model))()
    with pytest.raises(SubjectChanged, match="has changed since it was opened"):
        reopen_uploaded_subject(opened.record, own.model, own.dataset, name="again")


@pytest.mark.parametrize(
    ("closing", "width", "labels", "task"),
    [
        ("Softmax", 3, [0, 1, 0], Classification(("0", "1", "2"))),
        ("Sigmoid", 1, [0, 1, 1], Classification(("0", "1"))),
        ("Sigmoid", 3, [[1, 1, 0], [0, 0, 1], [0, 0, 0]], MultiLabel(("0", "1", "2"))),
        ("Sigmoid", 3, [[1, 0, 0], [0, 0, 1], [0, 1, 0]], MultiLabel(("0", "1", "2"))),
        (None, 1, [0.5, -1.25, 2.0], Regression(tolerance=0.25)),
        (None, 1, [3, -1, 2], Regression(tolerance=0.25)),
        (None, 3, [2, 1, 0], Classification(("0", "1", "2"))),
    ],
)
def test_the_output_and_the_labels_make_the_task_and_its_answers(own, network, tmp_path, closing, width, labels, task):
    model = network(tmp_path / "model.onnx", own.first, own.last[:, :width], closing)
    np.savez(tmp_path / "some.npz", x=own.x[:3], y=np.array(labels))
    subject = open_files(model, tmp_path / "some.npz", tolerance=0.25).subject
    assert subject.task == task
    np.testing.assert_array_equal(subject.truth, labels)
    inputs = known_inputs(subject, FeatureCache(tmp_path / "cache"))
    assert len(inputs.losses) == 3


def test_a_regression_without_a_tolerance_takes_the_spread_of_its_predictions(own, network, tmp_path):
    model = network(tmp_path / "model.onnx", own.first, own.last[:, :1], None)
    np.save(tmp_path / "some.npy", own.x)
    subject = open_files(model, tmp_path / "some.npy").subject
    assert subject.task.tolerance == pytest.approx(float(np.std(own.hidden(own.x) @ own.last[:, :1])), rel=1e-5)
    assert subject.truth is None


@pytest.mark.parametrize(
    ("closing", "width", "labels", "sentence"),
    [
        ("Softmax", 3, [0, 1, 5], "distinguishes 3 classes and the dataset names 6"),
        ("Softmax", 3, [0.5, 1.0, 2.0], "says classes and the labels of the data are numbers"),
        ("Softmax", 3, ["a", "b", "a"], "distinguishes 3 classes and the dataset names 2"),
        ("Softmax", 3, [[1, 1, 0], [0, 0, 1], [0, 0, 0]], "says one class per input"),
        (None, 1, ["a", "b", "a"], "gives one number per input, and the labels are two classes"),
    ],
)
def test_labels_that_do_not_fit_the_model_are_refused_with_a_sentence(
    own, network, tmp_path, closing, width, labels, sentence
):
    model = network(tmp_path / "model.onnx", own.first, own.last[:, :width], closing)
    np.savez(tmp_path / "some.npz", x=own.x[:3], y=np.array(labels))
    with pytest.raises(BadInput, match=sentence):
        open_files(model, tmp_path / "some.npz", tolerance=1.0)


def test_the_likeliest_of_equally_accurate_preparations_is_chosen(network, tmp_path):
    rng = np.random.default_rng(2)  # pictures of 2 x 2 whose brighter half tells the class, whatever the scale
    pictures = rng.integers(0, 256, (400, 2, 2), dtype=np.uint8)
    sides = np.array([[1, -1], [1, -1], [-1, 1], [-1, 1]], dtype=np.float32)
    chance = 1 / (1 + np.exp(-8 * (pictures.reshape(-1, 4) / 255) @ (sides[:, 1] - sides[:, 0]) / 2))
    labels = (rng.random(400) < chance).astype(np.intp)
    model = network(
        tmp_path / "m.onnx",
        np.hstack([np.eye(4), -np.eye(4)]).astype(np.float32),
        np.vstack([4 * sides, -4 * sides]).astype(np.float32),
        "Softmax",
    )
    np.savez(tmp_path / "d.npz", x=pictures, y=labels)
    own = open_files(model, tmp_path / "d.npz")
    assert own.prepared.tried[0].name == "0 to 1"
    assert own.record.preprocessing == own.prepared.tried[0].preprocessing
    assert {one.name for one in own.prepared.tried} >= {"0 to 1", "0 to 255"}
    assert max(one.accuracy for one in own.prepared.tried) - own.prepared.tried[0].accuracy < 0.02
    (tmp_path / "m.toml").write_text('[preprocessing]\nscale = "1/128"\n')
    chosen = open_files(model, tmp_path / "d.npz")
    assert (chosen.prepared.tried, chosen.record.preprocessing.scale) == ((), 1 / 128)
    assert chosen.record.preprocessing.channels == "flat"


def test_a_forest_over_named_columns_gives_predictions_and_takes_the_columns_by_name(own, tmp_path, command):
    values = own.x
    x = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 1]) for name in "abcd"]
    split = {"nodes_treeids": [0, 0, 0], "nodes_nodeids": [0, 1, 2], "nodes_featureids": [2, 0, 0]}
    tree = helper.make_node(
        "TreeEnsembleClassifier",
        ["x"],
        ["label", "probabilities"],
        domain="ai.onnx.ml",
        **split,
        nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"],
        nodes_values=[0.0, 0.0, 0.0],
        nodes_truenodeids=[1, 0, 0],
        nodes_falsenodeids=[2, 0, 0],
        class_treeids=[0, 0, 0, 0],
        class_nodeids=[1, 1, 2, 2],
        class_ids=[0, 1, 0, 1],
        class_weights=[0.8, 0.2, 0.3, 0.7],
        classlabels_strings=["low", "high"],
        post_transform="NONE",
    )
    said = [
        helper.make_tensor_value_info("label", TensorProto.STRING, ["n"]),
        helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["n", 2]),
    ]
    nodes = [helper.make_node("Concat", list("abcd"), ["x"], axis=1), tree]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    forest = helper.make_model(helper.make_graph(nodes, "forest", x, said), opset_imports=opsets, ir_version=8)
    onnx.save(forest, tmp_path / "forest.onnx")
    lines = ["d,c,label,b,a", *(f"{d},{c},{'high' if c > 0 else 'low'},{b},{a}" for a, b, c, d in values.tolist())]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    opened = open_files(tmp_path / "forest.onnx", tmp_path / "rows.csv")
    assert opened.record.class_order.names == ("low", "high")
    np.testing.assert_allclose(opened.subject.dataset.batch(np.arange(3)), values[:3], rtol=1e-6)
    inputs = known_inputs(opened.subject, FeatureCache(tmp_path / "cache"))
    np.testing.assert_array_equal(inputs.predictions, (values[:, 2] > 0).astype(int))
    np.testing.assert_allclose(inputs.confidence, np.where(values[:, 2] > 0, 0.7, 0.8), rtol=1e-6)
    assert "LHL" not in inputs.features
    record = UploadedRecord.of_json(json.loads(json.dumps(opened.record.to_json())))
    again = reopen_uploaded_subject(record, tmp_path / "forest.onnx", tmp_path / "rows.csv", name="again")
    assert again.fingerprint == opened.subject.fingerprint
    status, out, _ = command(
        *("features", tmp_path / "forest.onnx", tmp_path / "rows.csv"),
        *("--out", tmp_path / "t.parquet", "--project", tmp_path / "p"),
    )
    assert (status, "probabilities, of the outputs label, probabilities" in out) == (0, True)
    assert "no hidden features" in out
    (tmp_path / "rows.csv").write_text("\n".join(line.replace("d,c,", "e,c,") for line in lines))
    with pytest.raises(BadInput, match=r"has numbers in e, c, b, a\. Expected the column 'd'"):
        open_files(tmp_path / "forest.onnx", tmp_path / "rows.csv")


def test_sounds_for_a_model_of_spectrograms_are_refused_with_the_way_to_put_the_front_end_in(tmp_path):
    model, folder = tmp_path / "m.onnx", tmp_path / "sounds"
    nodes = [helper.make_node("Flatten", ["x"], ["flat"]), helper.make_node("MatMul", ["flat", "w"], ["scores"])]
    ends = [("x", ["n", 1, 64, 101]), ("scores", ["n", 2])]
    takes, gives = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in ends)
    weight = helper.make_tensor("w", TensorProto.FLOAT, [64 * 101, 2], np.ones(2 * 64 * 101, np.float32))
    graph = helper.make_graph(nodes, "of spectrograms", [takes], [gives], [weight])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), model)
    folder.mkdir()
    for name in ("a", "b"):
        with wave.open(str(folder / f"{name}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8_000)
            file.writeframes(bytes(1_600))
    with pytest.raises(BadInput, match=r"takes 1 x 64 x 101 .* spectrogram.*Sequential\(front_end, model\)"):
        open_files(model, folder)


def test_a_column_of_the_models_own_class_names_is_the_truth_and_not_shown_to_testers(own, network, tmp_path):
    model = onnx.load(network(tmp_path / "m.onnx", own.first, own.last, "Softmax"))
    onnx.helper.set_model_props(model, {"names": "['rose', 'lily', 'iris']"})
    onnx.save(model, tmp_path / "named.onnx")
    words = ["rose", "lily", "iris"]
    rows = ["a,b,c,d,species,color"]
    rows += [
        f"{a},{b},{c},{d},{words[n % 3]},{'red' if n % 2 else 'blue'}" for n, (a, b, c, d) in enumerate(own.x.tolist())
    ]
    (tmp_path / "rows.csv").write_text("\n".join(rows))
    opened = open_files(tmp_path / "named.onnx", tmp_path / "rows.csv")
    assert opened.subject.truth.tolist() == [n % 3 for n in range(len(own.x))]
    assert "truth `species` (hidden from testers)" in opened.subject.reading.in_words()
    assert [name for name, _ in opened.subject.dataset.show(0).cells] == ["row", "a", "b", "c", "d", "color"]
    record = UploadedRecord.of_json(json.loads(json.dumps(opened.record.to_json())))
    again = reopen_uploaded_subject(record, tmp_path / "named.onnx", tmp_path / "rows.csv", name="again")
    assert again.fingerprint == opened.subject.fingerprint


def test_one_column_of_numbers_too_many_may_be_the_answers_and_its_name_is_asked(own, network, tmp_path, command):
    model = network(tmp_path / "m.onnx", own.first, own.last, "Softmax")
    rows = ["a,b,c,d,kind", *(f"{a},{b},{c},{d},{n % 3}" for n, (a, b, c, d) in enumerate(own.x.tolist()))]
    (tmp_path / "rows.csv").write_text("\n".join(rows))
    files = ("features", model, tmp_path / "rows.csv", "--project", tmp_path / "p", "--out", tmp_path / "t.parquet")
    said = command.refusal(*files)
    assert "The model takes 4 numbers, and the table has 5 columns of them." in said
    option = said.partition("such as ")[2].split(" or ")[0]
    assert option == "--label kind"
    command.ok(*files, *option.split())


def test_pixels_in_a_row_become_the_pictures_that_the_model_takes_by_the_command_in_the_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pictures = np.random.default_rng(2).integers(0, 256, (6, 3, 5), dtype=np.uint8)
    taken = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 1, 3, 5])
    nodes = [helper.make_node("Flatten", ["x"], ["row"]), helper.make_node("MatMul", ["row", "w"], ["y"])]
    weights = [numpy_helper.from_array(np.eye(15, 2, dtype=np.float32), "w")]
    said = [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 2])]
    graph = helper.make_graph(nodes, "network", [taken], said, weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), "m.onnx")
    rows = [",".join(["label", *(f"pixel{k}" for k in range(15))])]
    rows += [",".join(map(str, [n % 2, *picture.ravel().tolist()])) for n, picture in enumerate(pictures)]
    Path("rows.csv").write_text("\n".join(rows))
    with pytest.raises(BadInput, match="takes pictures of 1 x 3 x 5, and the table has these 15 in a row") as refused:
        open_files(Path("m.onnx"), Path("rows.csv"))
    exec(str(refused.value).partition("In Python: ")[2].removesuffix("."), {"numpy": np, "pandas": pd})
    opened = open_dataset_file(Path("data.npz"))
    np.testing.assert_array_equal(opened.dataset.batch(np.arange(6)), pictures)
    assert opened.known.answers.tolist() == [0, 1, 0, 1, 0, 1]


def test_known_numbers_are_summed_up_by_the_share_within_the_tolerance(own, network, tmp_path, command):
    model = network(tmp_path / "m.onnx", np.eye(4, dtype=np.float32), np.eye(4, 1, dtype=np.float32), None)
    rows = ["a,b,c,d,target", *(f"{n},0,0,0,{n + (0.5 if n % 4 else 90.25)}" for n in range(8))]
    (tmp_path / "rows.csv").write_text("\n".join(rows))
    out = command.ok(
        *("features", model, tmp_path / "rows.csv", "--tolerance", "1"),
        *("--project", tmp_path / "p", "--out", tmp_path / "t.parquet"),
    )
    assert "Within 1 75.00% on all 8 inputs" in out
