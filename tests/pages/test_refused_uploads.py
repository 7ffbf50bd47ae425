"""Files that Project refuses, in a sentence: programs, bombs, damaged data, names that climb out of the folder."""

import dataclasses
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from testimate.models.description import ModelDescription
from testimate.project.files import NAME_BYTES, keep_upload, project_files, safe_name
from testimate.subjects.uploaded_subject import SubjectDescription
from tests.pages.upload_steps import NPZ, ONNX, can_be_used, press, said, upload

pytestmark = pytest.mark.usefixtures("models_in_this_process")


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
    test = press(opened("subject"), "Upload a model")
    upload(test, "dataset", NPZ, digit_files[NPZ])
    upload(test, "model", name, content())
    assert [sentence in error.value.replace("\\", "") for error in test.error] == [True]
    assert not can_be_used(test)


@pytest.mark.parametrize(("kind", "name"), [("model", "classes.json"), ("model", "net.toml"), ("dataset", "films.txt")])
def test_what_lies_beside_a_model_or_data_is_no_such_file_and_that_is_said(opened, project, kind, name):
    test = upload(press(opened("subject"), "Upload a model"), kind, name, b"stays\nleaves")
    assert [f"'{name}' is not a {kind}. Expected" in error.value.replace("\\", "") for error in test.error] == [True]
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
    test = press(opened("subject"), "Upload a model")
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


def test_unreadable_files_are_listed_and_left_out_by_a_button(opened, project, network, tmp_path):
    pictures = io.BytesIO()
    with zipfile.ZipFile(pictures, "w") as archive:
        for row in range(10):
            png = io.BytesIO()
            Image.fromarray(np.full((2, 2), 20 * row, dtype=np.uint8)).save(png, "PNG")
            archive.writestr(f"{'light' if row > 4 else 'dark'}/{row}.png", b"nothing" if row == 7 else png.getvalue())
    model = network(tmp_path / "m.onnx", np.eye(4, dtype=np.float32), np.ones((4, 2), dtype=np.float32), "Softmax")
    test = press(opened("subject"), "Upload a model")
    upload(test, "model", ONNX, model.read_bytes())
    upload(test, "dataset", "pictures.zip", pictures.getvalue())
    assert "1 of 10 files cannot be read (light/7.png)" in said(test)
    assert list(test.dataframe[0].value["file"]) == ["light/7.png"]
    press(test, "Leave them out")
    assert not test.error, said(test)
    next(radio for radio in test.radio if radio.label == "Preprocessing").set_value("0 to 1").run()
    press(test, "Use this model and data")
    [entry] = [entry for entry in project.entries() if not entry.demo]
    assert dict(project.subject(entry.key).facts)["unreadable files left out"] == "1: light/7.png"
    assert project.subject(entry.key).prepared.endswith("; unreadable files left out: 1")
