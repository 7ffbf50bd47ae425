"""What a file is, by its content alone."""

import io
import json
import pickle
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from testimate.core.errors import BadInput
from testimate.models import open_model_file
from testimate.models.bounds import MAX_FILE_BYTES
from testimate.models.description import ModelDescription
from testimate.models.file_content import read_content
from testimate.models.kinds import kind_of
from tests.each import each

ANY = Path("model.bin")


def archive(*names: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name in names:
            file.writestr(name, b"x")
    return content.getvalue()


def saved(thing: object, **options: object) -> bytes:
    content = io.BytesIO()
    torch.save(thing, content, **options)
    return content.getvalue()


@each(
    ("content", "kind"),
    [
        (b"\x89HDF\r\n\x1a\n" + bytes(100), "Keras HDF5"),
        (archive("metadata.json", "config.json", "model.weights.h5"), "Keras"),
        (saved(nn.Linear(2, 1).state_dict()), "PyTorch"),
        (saved(nn.Linear(2, 1).state_dict(), _use_new_zipfile_serialization=False), "PyTorch"),
        (archive("net/data.pkl", "net/code/__torch__.py", "net/constants.pkl"), "TorchScript"),
        (archive("net/archive_format", "net/models/model.json"), "PyTorch export"),
        (len(b'{"a":1}').to_bytes(8, "little") + b'{"a":1}' + bytes(4), "safetensors"),
        (b"\x08\x0a\x12\x07pytorch", "ONNX"),
        (archive("model.onnx", "config.json", "tokenizer.json"), "ONNX"),
    ],
)
def test_the_content_and_not_the_name_says_what_a_file_is(content, kind):
    assert kind_of(content, ANY) == kind


def test_a_saved_model_is_a_folder(tmp_path):
    (tmp_path / "saved_model.pb").write_bytes(b"x")
    assert kind_of(b"", tmp_path) == "SavedModel"


@each(
    ("content", "sentence"),
    [
        (b"", "not a model that Testimate knows"),
        (b"label,prediction\n1,1\n", "not a model that Testimate knows"),
        (pickle.dumps({"a": 1}), "a Python pickle, which can run any program"),
        (zlib.compress(pickle.dumps([1])), r"compressed, as joblib.dump leaves a pickle.*skl2onnx.to_onnx\(joblib"),
        (zlib.compress(pickle.dumps([1]), 3), r"compressed, as joblib.dump leaves a pickle"),  # joblib.dump(compress=3)
        (b"\x1c\x00\x00\x00TFL3" + bytes(20), "TensorFlow Lite.*tf2onnx.convert --tflite 'model.bin'"),
        (archive("x.npy", "y.npy"), "so it is a dataset"),
        (archive("readme.txt"), "an archive without a model"),
        (archive("config.json")[:-10], "is damaged or cut off"),
        (json.dumps({"weights": [1]}).encode(), "not a model that Testimate knows"),
        (np.arange(3).tobytes(), "not a model that Testimate knows.*or bring a table"),
        (
            b"tree\nversion=v4\nnum_class=3\n",
            r"a model of LightGBM.*convert_lightgbm\(",
        ),  # as Booster.save_model begins
        (b'{"learner":{"attributes":{}', r"a model of XGBoost.*convert_xgboost\("),  # save_model("m.json")
        (b"{L" + bytes(7) + b"\x02L" + bytes(7) + b"\x07learner{", r"a model of XGBoost.*convert_xgboost\("),  # "m.ubj"
        (b"CBM1" + bytes(9), r"a model of CatBoost.*format='onnx'"),
        (archive("config.json", "model.safetensors"), "model of transformers as weights alone.*optimum-cli"),
        (archive("saved/saved_model.pb"), r"a TensorFlow SavedModel.*tf2onnx.*table of its predictions\.$"),
    ],
)
def test_what_is_not_a_model_is_refused_with_a_sentence_that_says_what_it_is(content, sentence):
    with pytest.raises(BadInput, match=sentence):
        kind_of(content, ANY)


def test_a_text_named_like_a_zip_and_a_folder_of_transformers_are_refused_as_what_they_are(tmp_path):
    with pytest.raises(BadInput, match="named like a zip but does not begin like one"):
        kind_of(b"some words", tmp_path / "model.zip")
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"x")
    with pytest.raises(BadInput, match=r"weights alone.*optimum-cli export onnx --model"):
        kind_of(b"", tmp_path)


def test_a_folder_with_a_link_in_it_is_refused_and_its_digest_covers_names_and_bytes(tmp_path):
    (tmp_path / "a").write_bytes(b"1")
    first = read_content(tmp_path).digest
    (tmp_path / "a").rename(tmp_path / "b")
    assert read_content(tmp_path).digest != first
    (tmp_path / "c").symlink_to("/etc/passwd")
    with pytest.raises(BadInput, match="has a link in it"):
        read_content(tmp_path)


def test_a_missing_file_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(BadInput, match="cannot be read"):
        read_content(tmp_path / "none.onnx")


def test_a_file_or_folder_larger_than_allowed_is_refused_before_it_is_read(tmp_path):
    folder = tmp_path / "saved"
    folder.mkdir()
    for path in (tmp_path / "model.onnx", folder / "saved_model.pb"):
        with path.open("wb") as file:
            file.truncate(MAX_FILE_BYTES + 1)  # a sparse file, which takes no room
    tracemalloc.start()
    for path in (tmp_path / "model.onnx", folder):
        with pytest.raises(BadInput, match=r"2,000,000,001 bytes. Expected at most 2,000,000,000"):
            open_model_file(ModelDescription(path), trust=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000
