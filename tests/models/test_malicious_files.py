"""Files made to run code or reach other files: each is refused with a sentence and leaves no mark."""

import base64
import hashlib
import io
import json
import marshal
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import h5py
import pytest
import torch
from onnx import TensorProto, helper
from torch import nn

from testimate.core.errors import BadInput
from testimate.models import open_model_file
from testimate.models.description import ModelDescription


class Mark:
    """A pickle that makes the canary."""

    def __init__(self, canary: Path) -> None:
        self.canary = canary

    def __reduce__(self):
        return os.mkdir, (str(self.canary),)


def hidden_lambda(canary: Path) -> str:
    code = compile(f"__import__('os').mkdir({str(canary)!r})", "layer", "eval")
    return base64.b64encode(marshal.dumps(code)).decode()


def keras_config(canary: Path) -> dict:
    function = [hidden_lambda(canary), None, None]
    new = {"class_name": "__lambda__", "config": {"code": function[0], "defaults": None, "closure": None}}
    layers = [
        {"class_name": "InputLayer", "config": {"batch_shape": [None, 4], "name": "x"}},
        {"class_name": "Lambda", "module": "keras.layers", "config": {"name": "l", "function": new}},
    ]
    return {"class_name": "Sequential", "module": "keras", "config": {"name": "s", "layers": layers}}


def whole_pickle(canary: Path, path: Path) -> None:
    torch.save(Mark(canary), path)


def pickle_in_old_format(canary: Path, path: Path) -> None:
    torch.save(Mark(canary), path, _use_new_zipfile_serialization=False)


def pickle_among_weights(canary: Path, path: Path) -> None:
    torch.save({"weight": torch.ones(2), "extra": Mark(canary)}, path)


def bare_pickle(canary: Path, path: Path) -> None:
    path.write_bytes(pickle.dumps(Mark(canary)))


def keras_archive(canary: Path, path: Path) -> None:
    weights = io.BytesIO()
    h5py.File(weights, "w").close()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", json.dumps(keras_config(canary)))
        archive.writestr("metadata.json", "{}")
        archive.writestr("model.weights.h5", weights.getvalue())


def keras_hdf5(canary: Path, path: Path) -> None:
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps(keras_config(canary))


def keras_climbing_out(canary: Path, path: Path) -> None:
    keras_archive(canary, path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(f"../../../../../..{canary}", b"x")


def hdf5_of_another_file(canary: Path, path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["model_weights"] = h5py.ExternalLink(str(canary), "/")
        file.attrs["model_config"] = json.dumps({"class_name": "Sequential", "config": []})


def torchscript(canary: Path, path: Path) -> None:
    torch.jit.save(torch.jit.script(nn.Linear(2, 1)), str(path))


def exported_program(canary: Path, path: Path) -> None:
    """As torch.export writes it, with a pickle where the example inputs lie."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("m/archive_format", "pt2")
        archive.writestr("m/models/model.json", "{}")
        archive.writestr("m/data/sample_inputs/model.pt", pickle.dumps(Mark(canary)))


def saved_model(canary: Path, path: Path) -> None:
    path.mkdir()
    (path / "saved_model.pb").write_bytes(b"\x08\x01")


def onnx_with_external_data(canary: Path, path: Path) -> None:
    canary.with_suffix(".bin").write_bytes(bytes(16))
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4, 1], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=canary.with_suffix(".bin").name)
    path.write_bytes(onnx_of([helper.make_node("MatMul", ["x", "w"], ["out"])], [tensor]))


def onnx_of(nodes: list, tensors: list) -> bytes:
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 4]) for name in ("x", "out")]
    graph = helper.make_graph(nodes, "network", ends[:1], ends[1:], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10).SerializeToString()


FILES: dict[Callable[[Path, Path], None], str] = {
    whole_pickle: r"contains a whole Python object, .* computer\. If you trust it, convert it to ONNX, .* or bring a table",
    pickle_in_old_format: "contains a whole Python object",
    pickle_among_weights: "contains a whole Python object",
    bare_pickle: "is a Python pickle, which can run any program",
    keras_archive: r"has a Lambda layer \(hidden Python code\)\. Expected layers .*\. If you trust it, convert it to ONNX, .* "
    "or start with --trust",
    keras_hdf5: "has a Lambda layer",
    keras_climbing_out: "members that Keras does not write",
    hdf5_of_another_file: "points to another place or file",
    torchscript: r'convert it to ONNX, .*torch\.onnx\.export\(torch\.jit\.load\("model\.pt"\), .* or bring a table',
    exported_program: r'convert it to ONNX, .*torch\.onnx\.export\(torch\.export\.load\("model\.pt2"\), .* or bring a table',
    saved_model: r"convert it to ONNX, .*tf2onnx\.convert --saved-model .* or bring a table",
    onnx_with_external_data: r"torch\.onnx\.export\(\.\.\., external_data=False\)",
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch would rather write .pt2
@pytest.mark.parametrize("make", FILES, ids=lambda make: make.__name__)
def test_a_file_made_to_do_harm_is_refused_with_a_sentence_and_leaves_no_mark(make, canary, tmp_path, monkeypatch):
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)  # a runtime that looks for files beside the model or here would find some
    make(canary, folder / "model")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(BadInput, match=FILES[make]):
        open_model_file(ModelDescription(folder / "model"))
    assert not canary.exists()
    assert sorted(tmp_path.rglob("*")) == before


def test_the_files_would_do_their_harm_if_somebody_opened_them_carelessly(canary, tmp_path):
    whole_pickle(canary, tmp_path / "model")
    torch.load(tmp_path / "model", weights_only=False)
    assert canary.is_dir()
    canary.rmdir()
    eval(marshal.loads(base64.b64decode(hidden_lambda(canary))))
    assert canary.is_dir()


def test_opening_with_trust_logs_the_path_and_its_sha256(tmp_path, caplog):
    bare_pickle(tmp_path / "canary", tmp_path / "model")
    with pytest.raises(BadInput, match="Python pickle"):
        open_model_file(ModelDescription(tmp_path / "model"), trust=True)
    torch.save([1], tmp_path / "model")
    with pytest.raises(BadInput, match="contains a list"):
        open_model_file(ModelDescription(tmp_path / "model"), trust=True)
    digest = hashlib.sha256((tmp_path / "model").read_bytes()).hexdigest()
    assert any(digest in record.message and str(tmp_path / "model") in record.message for record in caplog.records)
