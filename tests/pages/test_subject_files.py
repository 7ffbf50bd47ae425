"""Models and datasets of one's own on the Subject page: what holds no program comes in and is labeled, the rest is refused."""

import dataclasses
import hashlib
import io
import json
import re
import time
import wave
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier

from testimate.core.selector import Request
from testimate.core.subject import Shown
from testimate.project.deleted_subjects import delete_subject
from testimate.project.project import Project
from testimate.project.project_files import NAME_BYTES, keep_upload, project_files, safe_name
from testimate.subjects.models.description import ModelDescription
from testimate.subjects.uploaded.description import SubjectDescription
from testimate.subjects.uploaded.subject import open_uploaded_subject
from tests.own_files import described

ONNX, NPZ = "net.onnx", "digits.npz"


def onnx_of(weights: list[np.ndarray], biases: list[np.ndarray], *, flatten: bool) -> bytes:
    """Dense layers with ReLU between them and softmax at the end."""
    nodes, kept, last = [], [], "input"
    if flatten:
        nodes.append(helper.make_node("Flatten", ["input"], ["flat"]))
        last = "flat"
    for place, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        kept += [
            numpy_helper.from_array(weight.astype(np.float32), f"w{place}"),
            numpy_helper.from_array(bias.astype(np.float32), f"b{place}"),
        ]
        nodes.append(
            helper.make_node("Gemm", [last, f"w{place}", f"b{place}"], [f"dense{place}"], name=f"dense{place}")
        )
        last = f"dense{place}"
        if place < len(weights) - 1:
            nodes.append(helper.make_node("Relu", [last], [f"relu{place}"]))
            last = f"relu{place}"
    nodes.append(helper.make_node("Softmax", [last], ["output"], axis=1))
    shape = ["N", 8, 8, 1] if flatten else ["N", len(weights[0])]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, ["N", len(biases[-1])])],
        kept,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


@pytest.fixture(scope="module")
def digit_files() -> dict[str, bytes]:
    """A network over digits from 0 to 1, its 0 to 255 test pictures with labels, and some of its training pictures."""
    bunch = load_digits()
    pictures = np.rint(bunch.images / 16 * 255).astype(np.uint8)[..., None]
    net = MLPClassifier((24,), max_iter=400, random_state=0, tol=2e-3).fit(
        pictures[:600].reshape(600, -1) / 255, bunch.target[:600]
    )
    test, train = io.BytesIO(), io.BytesIO()
    np.savez(test, x_test=pictures[600:900], y_test=bunch.target[600:900])
    np.savez(train, x_train=pictures[:200], y_train=bunch.target[:200])
    model = onnx_of(net.coefs_, net.intercepts_, flatten=True)
    said = net.score(pictures[600:900].reshape(300, -1) / 255, bunch.target[600:900])
    return {ONNX: model, NPZ: test.getvalue(), "train.npz": train.getvalue(), "accuracy": f"{100 * said:.1f}".encode()}


def said(test) -> str:
    parts = [*test.markdown, *test.text, *test.caption, *test.info, *test.warning, *test.error, *test.success]
    parts += [*test.header, *test.subheader]
    return re.sub(r"\\(?=[!-/:-@\[-`{-~])|\u2060", "", "\n".join(str(part.value) for part in parts))


def upload(test, key: str, name: str, content: bytes):
    [field] = [field for field in test.file_uploader if str(field.key).startswith(f"own {key} upload")]
    field.set_value((name, content, "application/octet-stream")).run()
    assert not test.exception
    return test


def press(test, words: str):
    next(button for button in test.button if button.label == words).click().run()
    assert not test.exception
    return test


def can_be_used(test) -> bool:
    """Whether the form's button is there and can be pressed."""
    return any(button.label == "Use this model and data" and not button.disabled for button in test.button)


def wait_for_features(test, project: Project):
    """Runs the page again until it no longer says how far the features are."""
    deadline = time.monotonic() + 60
    while not any(metric.label == "Inputs" for metric in test.metric):
        assert time.monotonic() < deadline, said(test)
        assert not test.error, said(test)
        time.sleep(0.05)  # between two looks
        test.run()
        assert not test.exception
    return test


def answered_by_buttons(opened, subject: str, session: str, count: int) -> None:
    test = opened("label", subject=subject, session=session)
    test.toggle(key="plain buttons").set_value(True).run()
    for _ in range(count):
        next(button for button in test.button if " class " in str(button.key)).click().run()
        assert not test.exception


def test_a_model_and_data_go_from_upload_over_features_and_a_plan_to_labels(opened, project, digit_files):
    test = press(opened("subject"), "Choose a model and data")
    upload(test, "model", ONNX, digit_files[ONNX])
    upload(test, "dataset", NPZ, digit_files[NPZ])
    upload(test, "training", "train.npz", digit_files["train.npz"])
    assert not test.error, said(test)
    accuracy = digit_files["accuracy"].decode()
    assert {field.key for field in test.file_uploader if "classes" not in field.key} == {
        f"own {key} upload 1" for key in ("model", "dataset", "training")
    }
    radio = next(radio for radio in test.radio if radio.label == "Preprocessing")
    assert radio.value == "0 to 1"
    assert radio.options[0].startswith(f"0 to 1 · {accuracy}")
    press(test, "Use this model and data")
    [entry] = [entry for entry in Project(project.folder).entries() if not entry.demo]
    assert entry.key.startswith("own-")
    test = wait_for_features(opened("subject", subject=entry.key, truth="on"), project)
    values = {metric.label: metric.value for metric in test.metric}
    assert values["Inputs"] == "300"
    assert values["Accuracy, known here"].startswith(accuracy)
    facts = dict(project.subject(entry.key).facts)
    assert facts["preprocessing"] == "scale 0.00392157; channels last"
    assert facts["training set"] == "200 inputs"
    table = next(shown.value for shown in test.table if "here" in shown.value)
    rest = table["here"][table["here"] != "can be used"].tolist()  # those for groups, of which nobody said anything
    assert [one.replace("\\", "") for one in rest] == [
        "It needs a column that says which inputs belong together, and there is none."
    ] * 2
    plan = opened("plan", subject=entry.key)
    assert not plan.error
    next(button for button in plan.button if button.label == "Start labeling").click().run()
    [record] = project.sessions()
    answered_by_buttons(opened, entry.key, record.id, 3)
    session = Project(project.folder).session(record.id)  # another process would find the same
    assert len(session.answers()) == 3
    assert {"dsa", "lsa", "confidence"} <= set(session.inputs.scores)


def test_files_in_the_project_folder_are_chosen_without_typing_a_path(opened, project, digit_files):
    for kind, name in (("models", ONNX), ("datasets", NPZ)):
        (project.folder / kind).mkdir()
        (project.folder / kind / name).write_bytes(digit_files[name])
    (project.folder / "models" / "net.toml").write_text('[preprocessing]\nscale = "1/510"\n')
    test = press(opened("subject"), "Choose a model and data")
    test.selectbox(key="own model 0").set_value(str(project.folder / "models" / ONNX)).run()
    test.selectbox(key="own dataset 0").set_value(str(project.folder / "datasets" / NPZ)).run()
    assert not test.exception
    assert not test.error, said(test)
    radio = next(radio for radio in test.radio if radio.label == "Preprocessing")
    assert radio.value == "as chosen"  # the TOML beside the model
    upload(test, "training", "train.npz", digit_files["train.npz"])
    assert test.selectbox(key="own dataset 0").value == str(project.folder / "datasets" / NPZ)  # the list is longer now
    assert test.selectbox(key="own training 1").value.endswith("train.npz")
    layer = test.selectbox(key="own layer LHL")
    [chosen] = [option for option in layer.options if option.startswith("dense0") and "(" not in option]
    layer.select(chosen).run()
    press(test, "Use this model and data")
    [entry] = [entry for entry in project.entries() if not entry.demo]
    reopened = Project(project.folder).subject(entry.key)
    assert reopened.open_model().roles["LHL"] == chosen
    assert reopened.dataset.batch(np.array([0])).max() <= 0.5


def test_features_can_be_cancelled_and_taken_up_again(opened, project, digit_files, monkeypatch):
    for kind, name in (("model", ONNX), ("dataset", NPZ)):
        keep_upload(project.folder, kind, name, digit_files[name])
    [model], [dataset] = project_files(project.folder, "model"), project_files(project.folder, "dataset")
    subject = project.add_uploaded(described(model.path, dataset.path))
    began = time.monotonic()

    def slow(*args, progress, **named):
        while time.monotonic() - began < 60:
            progress(1, 3, "running the model")
            time.sleep(0.02)  # a step of the slow work
        raise AssertionError("nobody stopped it")

    monkeypatch.setattr("testimate.feature_cache.cache.FeatureCache.outputs", slow)
    for page in ("subject", "clusters", "strata", "plan"):  # it goes on whatever page is open
        test = opened(page, subject=subject.key)
        assert not test.exception
        assert any(button.label == "Cancel" for button in test.button)
    press(test, "Cancel")
    monkeypatch.undo()
    monkeypatch.setenv("TESTIMATE_PROJECT", str(project.folder))
    monkeypatch.chdir(Path(__file__).parents[2])
    deadline = time.monotonic() + 30
    while not any(button.label == "Continue" for button in test.button):
        assert time.monotonic() < deadline
        time.sleep(0.05)  # between two looks
        test.run()
    press(test, "Continue")
    wait_for_features(opened("subject", subject=subject.key), project)


def whole_torch_module() -> bytes:
    file = io.BytesIO()
    torch.save(torch.nn.Linear(2, 2), file)
    return file.getvalue()


def lambda_model() -> bytes:
    """A .keras archive whose configuration has a Lambda layer."""
    taken = {"class_name": "InputLayer", "config": {"batch_shape": [None, 4], "dtype": "float32", "name": "input"}}
    code = {"class_name": "__lambda__", "config": {"code": "4wEAAAA=", "defaults": None, "closure": None}}
    layer = {"module": "keras.layers", "class_name": "Lambda", "config": {"name": "evil", "function": code}}
    config = {
        "module": "keras",
        "class_name": "Sequential",
        "config": {"name": "s", "layers": [taken, layer], "build_input_shape": [None, 4]},
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("config.json", json.dumps(config))
        archive.writestr("metadata.json", json.dumps({"keras_version": "3.15.1"}))
        archive.writestr("model.weights.h5", b"\x89HDF\r\n\x1a\n")
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("net.pt", whole_torch_module, "whole Python object"),
        ("net.keras", lambda_model, "Lambda"),
        ("net.onnx", lambda: b"\x08\x08not an onnx at all", "ONNX file"),
        ("net.h5", lambda: b"hello", "not a model that Testimate knows"),
    ],
)
def test_a_bad_model_is_refused_in_a_sentence(opened, project, digit_files, name, content, sentence):
    test = press(opened("subject"), "Choose a model and data")
    upload(test, "dataset", NPZ, digit_files[NPZ])
    upload(test, "model", name, content())
    assert [sentence in error.value.replace("\\", "") for error in test.error] == [True]
    assert not can_be_used(test)


@pytest.mark.parametrize(("kind", "name"), [("model", "classes.json"), ("model", "net.toml"), ("dataset", "films.txt")])
def test_what_lies_beside_a_model_or_data_is_no_such_file_and_that_is_said(opened, project, kind, name):
    test = upload(press(opened("subject"), "Choose a model and data"), kind, name, b"stays\nleaves")
    assert [f"'{name}' is no {kind}; expected" in error.value.replace("\\", "") for error in test.error] == [True]
    assert project_files(project.folder, kind) == []


def zip_bomb() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.png", bytes(130_000_000))
    return file.getvalue()


def objects() -> bytes:
    file = io.BytesIO()
    np.savez(file, x_test=np.array([{"a": 1}], dtype=object))
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content"), [("bomb.zip", zip_bomb), ("objects.npz", objects), ("a.csv", lambda: b"")]
)
def test_bad_data_are_refused_in_a_sentence(opened, project, digit_files, name, content):
    test = press(opened("subject"), "Choose a model and data")
    upload(test, "model", ONNX, digit_files[ONNX])
    upload(test, "dataset", name, content())
    assert len(test.error) == 1
    assert not can_be_used(test)


def test_trust_cannot_be_reached_from_the_pages():
    for record in (SubjectDescription, ModelDescription):
        assert not any("trust" in field.name for field in dataclasses.fields(record))
    root = Path(__file__).parents[2]
    for page in [*(root / "pages").glob("*.py"), *(root / "testimate" / "ui").rglob("*.py")]:
        assert "trust=" not in page.read_text(), page.name


def test_the_name_of_an_upload_never_leaves_its_folder(project):
    names = ("../../evil.onnx", "/etc/passwd", "..", "a\\b\\c.onnx", "\0x", "x" * 300 + ".onnx", "évil net.onnx")
    for name in (*names, "網" * 95 + ".onnx", "x" + "." * 136 + "onnx"):
        kept = keep_upload(project.folder, "model", name, name.encode())
        assert kept.path.parent.parent == project.folder / "models"
        assert kept.path.read_bytes() == name.encode()
        assert len(safe_name(name).encode()) <= NAME_BYTES
        assert kept in project_files(project.folder, "model")


def test_of_two_models_of_one_name_and_size_the_one_uploaded_last_is_opened_and_either_can_be_chosen(
    opened, digit_files
):
    rng = np.random.default_rng(2)
    nets = [onnx_of([rng.normal(size=(64, 10))], [np.zeros(10)], flatten=True) for _ in range(2)]
    assert len(nets[0]) == len(nets[1])
    test = press(opened("subject"), "Choose a model and data")
    upload(test, "dataset", NPZ, digit_files[NPZ])
    for net in (*nets, nets[0]):
        upload(test, "model", ONNX, net)
        field = next(one for one in test.selectbox if one.label == "Model, in this project")
        assert hashlib.sha256(net).hexdigest()[:16] in test.table[0].value.to_string()
    assert len(set(field.options)) == 2
    field.select_index(1 - field.index).run()
    assert hashlib.sha256(nets[1]).hexdigest()[:16] in test.table[0].value.to_string()


def test_the_same_upload_is_kept_once(project):
    first = keep_upload(project.folder, "model", "one.onnx", b"\x08\x01")
    again = keep_upload(project.folder, "model", "two.onnx", b"\x08\x01")
    assert first == again
    assert [file.name for file in project_files(project.folder, "model")] == ["one.onnx"]


def sounds() -> bytes:
    """Thirty short tones, low ones and high ones in a folder each."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for row in range(30):
            tone = 12_000 * np.sin(2 * np.pi * (300 if row % 2 else 900) * np.arange(400) / 8_000 + row)
            sound = io.BytesIO()
            with wave.open(sound, "wb") as writer:
                writer.setnchannels(1)
                writer.setsampwidth(2)
                writer.setframerate(8_000)
                writer.writeframes(tone.astype("<i2").tobytes())
            archive.writestr(f"{'low' if row % 2 else 'high'}/{row:02}.wav", sound.getvalue())
    return file.getvalue()


def texts() -> bytes:
    rows = [f'"input {row}: {"good" if row % 2 else "bad"} <script>alert(1)</script>",{row % 2}' for row in range(30)]
    return "\n".join(["text,label", *rows]).encode()


@pytest.fixture
def added(project) -> Callable[..., str]:
    """A call that adds a model and data and computes the features; returns the subject's key."""

    def add(model: bytes, name: str, data: bytes, **settings) -> str:
        files = keep_upload(project.folder, "model", ONNX, model), keep_upload(project.folder, "dataset", name, data)
        choice = described(files[0].path, files[1].path)
        own = open_uploaded_subject(choice)
        prepared = dataclasses.replace(own.dataset.dataset.preprocessing, **settings)
        subject = project.add_uploaded(dataclasses.replace(choice, preprocessing=prepared))
        project.compute(subject.key)
        project.jobs.wait(f"features of {subject.key}", 60)
        return subject.key

    return add


def test_sounds_and_texts_are_heard_and_read_on_the_label_page(opened, project, added):
    rng = np.random.default_rng(1)
    sound_net = onnx_of([rng.normal(size=(400, 3)), rng.normal(size=(3, 2))], [np.zeros(3), np.zeros(2)], flatten=False)
    text_net = onnx_of(
        [rng.normal(size=(32, 3)) / 99, rng.normal(size=(3, 2))], [np.zeros(3), np.zeros(2)], flatten=False
    )
    heard = added(sound_net, "sounds.zip", sounds())
    read = added(text_net, "texts.csv", texts(), tokens="bytes", length=32)
    for key, field in ((heard, "audio"), (read, "text")):
        session = project.start_session(key, Request("rrs", budget=10, seed=1))
        shown: Shown = session.show(session.upcoming(1)[0].row)
        assert getattr(shown, field)
        wait_for_features(opened("subject", subject=key), project)
        answered_by_buttons(opened, key, session.session_record.id, 2)
        assert len(Project(project.folder).session(session.session_record.id).answers()) == 2


def test_how_a_text_becomes_tokens_is_said_on_the_page_before_the_model_reads_it(opened, project):
    rng = np.random.default_rng(1)
    net = onnx_of([rng.normal(size=(32, 3)) / 99, rng.normal(size=(3, 2))], [np.zeros(3), np.zeros(2)], flatten=False)
    test = press(opened("subject"), "Choose a model and data")
    upload(test, "model", ONNX, net)
    upload(test, "dataset", "texts.csv", texts())
    assert "say above how a text is split into tokens" in said(test)
    assert not can_be_used(test)
    next(field for field in test.selectbox if field.label == "Tokens").select("bytes").run()
    assert next(field for field in test.number_input if field.label == "Length").value == 32
    assert not test.error, said(test)
    press(test, "Use this model and data")
    [entry] = [entry for entry in project.entries() if not entry.demo]
    assert project.subject(entry.key).dataset.preprocessing.tokens == "bytes"
    wait_for_features(opened("subject", subject=entry.key), project)


def test_a_zip_of_a_model_with_its_tokenizer_takes_texts_without_a_question(opened, project):
    """The zip of an export: the page says how texts are cut, and asks for no vocabulary."""
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"?": 0, "good": 1, "bad": 2}, unk_token="?"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.enable_padding(length=8)
    nodes = [
        helper.make_node("Gather", ["worth", "ids"], ["each"]),
        helper.make_node("ReduceSum", ["each", "middle"], ["logits"], keepdims=0),
        helper.make_node("Softmax", ["logits"], ["out"]),
    ]
    weights = {"worth": np.array([[0, 0], [0, 1], [1, 0]], np.float32), "middle": np.array([1])}
    graph = helper.make_graph(
        nodes,
        "worth",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["n", 8])],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["n", 2])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("model.onnx", model.SerializeToString())
        archive.writestr("tokenizer.json", tokenizer.to_str())
        archive.writestr("config.json", '{"id2label": {"0": "against", "1": "in favour"}}')
    test = press(opened("subject"), "Choose a model and data")
    upload(test, "model", "export.zip", file.getvalue())
    upload(test, "dataset", "texts.csv", b"text\ngood good\nbad\nnothing\n")
    assert "cut into tokens by tokenizer.json (3 tokens), every text of 8 tokens" in said(test)
    assert "against" in said(test)
    assert not [field for field in test.selectbox if field.label == "Tokens"]
    press(test, "Use this model and data")
    [entry] = [entry for entry in project.entries() if not entry.demo]
    wait_for_features(opened("subject", subject=entry.key), project)
    chances = Project(project.folder).inputs(entry.key).probabilities
    np.testing.assert_allclose(chances[:, 1], [1 / (1 + np.exp(-2)), 1 / (1 + np.e), 0.5], rtol=1e-5)


def test_a_table_whose_score_knows_the_answers_is_told_so(opened, project):
    rng = np.random.default_rng(2)
    truth, predictions = rng.integers(0, 3, 300), rng.integers(0, 3, 300)
    wrong = rng.random(300) < 0.3
    predictions = np.where(wrong, (truth + 1) % 3, truth)
    honest, leaking = rng.random(300), truth * 5.0
    lines = ["label,prediction,confidence,honest,leaking"]
    lines += [f"{t},{p},0.9,{h:.4f},{k}" for t, p, h, k in zip(truth, predictions, honest, leaking, strict=True)]
    subject = project.add_table("scores.csv", "\n".join(lines).encode())
    test = opened("subject", subject=subject.key)
    assert [warning.value.split(" and the")[0].replace("\\", "") for warning in test.warning] == ["The score leaking"]


def test_a_changed_file_is_noticed_before_labels_mean_something_else(project, digit_files):
    files = [
        keep_upload(project.folder, kind, name, digit_files[name]) for kind, name in (("model", ONNX), ("dataset", NPZ))
    ]
    subject = project.add_uploaded(described(files[0].path, files[1].path))
    files[1].path.write_bytes(digit_files["train.npz"])
    with pytest.raises(Exception, match="is not what it was"):
        Project(project.folder).subject(subject.key)
    files[1].path.unlink()
    with pytest.raises(Exception, match="Put the same file back"):
        Project(project.folder).subject(subject.key)
    assert onnx.load_model_from_string(files[0].path.read_bytes()).graph.name == "net"


def test_without_labels_the_page_asks_how_inputs_are_prepared_and_shows_what_each_way_gives(
    opened, project, digit_files
):
    bare = io.BytesIO()
    np.savez(bare, x=np.load(io.BytesIO(digit_files[NPZ]))["x_test"])
    test = press(opened("subject"), "Choose a model and data")
    upload(test, "model", ONNX, digit_files[ONNX])
    upload(test, "dataset", NPZ, bare.getvalue())
    assert "Nothing says how the inputs were prepared" in said(test)
    radio = next(radio for radio in test.radio if radio.label == "Preprocessing")
    assert radio.value is None
    assert not can_be_used(test)
    overview, inputs = (shown.value for shown in test.dataframe[:2])
    assert list(overview["prepared"]) == ["0 to 255", "0 to 1", "-1 to 1", "MNIST's mean and deviation"]
    assert len(inputs) == 48
    sure = {name: float(words.split("mean confidence ")[1]) for name, words in overview.iloc[:, :2].values}
    assert sure["0 to 255"] > 0.999 > sure["0 to 1"]
    assert inputs["picture"][0].startswith("data:image/png;base64,")
    radio.set_value("0 to 1").run()
    press(test, "Use this model and data")
    [entry] = [entry for entry in project.entries() if not entry.demo]
    facts = dict(project.subject(entry.key).facts)
    assert facts["preprocessing decided by"] == "as chosen on the Subject page"
    wait_for_features(opened("subject", subject=entry.key), project)
    record = project.start_session(entry.key, Request("rrs", budget=5, seed=1)).session_record
    results = opened("results", session=record.id)
    rests_on = {row["what"]: str(row["value"]) for shown in results.table for row in shown.value.to_dict("records")}
    assert "as chosen on the Subject page" in rests_on["Inputs prepared"]


def test_confidences_as_of_a_wrong_scale_are_reported_on_subject_and_plan(opened, project):
    rows = "\n".join(f"{row % 8},0.99999" for row in range(200))
    subject = project.add_table("sure.csv", f"prediction,confidence\n{rows}".encode())
    for page in ("subject", "plan"):
        test = opened(page, subject=subject.key)
        assert any("networks are rarely that sure" in str(warning.value) for warning in test.warning), page


def test_a_subject_that_no_longer_opens_is_deleted_with_its_sessions_after_one_question(opened, project, digit_files):
    files = [
        keep_upload(project.folder, kind, name, digit_files[name]) for kind, name in (("model", ONNX), ("dataset", NPZ))
    ]
    subject = project.add_uploaded(described(files[0].path, files[1].path))
    session = project.start_session(subject.key, Request("rrs", budget=5, seed=1))
    kept = project.add_table("kept.csv", b"prediction,confidence\n1,0.5\n0,0.75\n")
    other = project.start_session(kept.key, Request("rrs", budget=2, seed=1)).session_record.id
    files[1].path.unlink()
    test = opened("subject")
    assert f"Delete {subject.name} with its 1 session? It cannot be undone." in said(test)
    test.button(key=f"delete {subject.key} for good").click().run()
    assert not test.exception
    again = Project(project.folder)
    assert [entry.key for entry in again.entries() if not entry.demo] == [kept.key]
    assert [record.id for record in again.sessions()] == [other]
    with pytest.raises(Exception, match="There is no session"):
        again.session(session.session_record.id)
    with pytest.raises(Exception, match="There is no subject 'digits' that was added"):
        delete_subject(project, "digits")


def test_unreadable_files_are_listed_and_left_out_by_a_button(opened, project, network, tmp_path):
    pictures = io.BytesIO()
    with zipfile.ZipFile(pictures, "w") as archive:
        for row in range(10):
            png = io.BytesIO()
            Image.fromarray(np.full((2, 2), 20 * row, dtype=np.uint8)).save(png, "PNG")
            archive.writestr(f"{'light' if row > 4 else 'dark'}/{row}.png", b"nothing" if row == 7 else png.getvalue())
    model = network(tmp_path / "m.onnx", np.eye(4, dtype=np.float32), np.ones((4, 2), dtype=np.float32), "Softmax")
    test = press(opened("subject"), "Choose a model and data")
    upload(test, "model", ONNX, model.read_bytes())
    upload(test, "dataset", "pictures.zip", pictures.getvalue())
    assert "1 of 10 files cannot be read (light/7.png)" in said(test)
    assert list(test.dataframe[0].value["file"]) == ["light/7.png"]
    press(test, "Leave them out")
    assert not test.error, said(test)
    press(test, "Use this model and data")
    [entry] = [entry for entry in project.entries() if not entry.demo]
    assert dict(project.subject(entry.key).facts)["unreadable files left out"] == "1: light/7.png"
    assert project.subject(entry.key).prepared.endswith("; unreadable files left out: 1")
