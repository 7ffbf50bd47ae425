"""Texts and sounds of one's own on the pages: how a text becomes tokens is said, and inputs are read and heard."""

import dataclasses
import io
import wave
import zipfile
from collections.abc import Callable

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from testimate.core.selector import Request
from testimate.core.subject import Shown
from testimate.project.files import keep_upload
from testimate.project.project import Project
from testimate.subjects.uploaded_subject import open_uploaded_subject
from tests.own_files import described
from tests.pages.upload_steps import (
    ONNX,
    answered_by_buttons,
    can_be_used,
    onnx_of,
    press,
    said,
    upload,
    wait_for_features,
)

pytestmark = pytest.mark.usefixtures("models_in_this_process")


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
    test = press(opened("subject"), "Upload a model")
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
        archive.writestr("config.json", '{"id2label": {"0": "against", "1": "in favor"}}')
    test = press(opened("subject"), "Upload a model")
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
