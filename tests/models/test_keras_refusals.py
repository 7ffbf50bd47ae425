"""Keras files that are refused before Keras is imported: made with zipfile and h5py alone."""

import io
import json
import sys
import zipfile
from functools import partial

import h5py
import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.models.keras_files import open_keras, open_keras_hdf5
from tests.each import each

DENSE = {"class_name": "Dense", "module": "keras.layers", "config": {"units": 2, "activation": "relu"}}


@pytest.fixture(autouse=True)
def _keras_cannot_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("keras", "tensorflow", "testimate.models.keras"):
        monkeypatch.setitem(sys.modules, name, None)


def config_of(*layers) -> dict:
    return {"class_name": "Sequential", "module": "keras", "config": {"name": "s", "layers": list(layers)}}


def archive_of(config: dict, weights: bytes | None = None, **more: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("metadata.json", "{}")
        archive.writestr("config.json", json.dumps(config))
        archive.writestr("model.weights.h5", hdf5_of() if weights is None else weights)
        for name, member in more.items():
            archive.writestr(name, member)
    return content.getvalue()


def hdf5_of(fill=lambda file: None, **attributes) -> bytes:
    content = io.BytesIO()
    with h5py.File(content, "w") as file:
        fill(file)
        for name, value in attributes.items():
            file.attrs[name] = value
    return content.getvalue()


def legacy_of(config: dict) -> bytes:
    return hdf5_of(model_config=json.dumps(config))


@each("opener", ["keras", "hdf5"])
@each(
    ("layer", "sentence"),
    [
        (
            {"class_name": "Lambda", "config": {"function": ["marshalled", None, None]}},
            r"Lambda layer \(hidden Python code\)",
        ),
        ({**DENSE, "config": {"activation": {"class_name": "__lambda__", "config": {}}}}, "Lambda layer"),
        ({"class_name": "Dense", "module": "os", "config": {}}, "'os', a program outside Keras"),
        ({"class_name": "Dense", "module": "keraspy.evil", "config": {}}, "a program outside Keras"),
        ({"class_name": "Dense", "module": 7, "config": {}}, "a program outside Keras"),
        ({"class_name": "TFSMLayer", "module": "keras.layers", "config": {"filepath": "/tmp/x"}}, "'TFSMLayer'"),
        ({"class_name": "StringLookup", "config": {"vocabulary": "/etc/passwd"}}, "'StringLookup'"),
        ({"class_name": "TorchModuleWrapper", "config": {"module": "gASV"}}, "'TorchModuleWrapper'"),
        ({"class_name": "function", "module": "builtins", "config": "system"}, "'system'"),
        ({"class_name": "Dense", "registered_name": "own>Dense", "config": {}}, "'own>Dense'"),
        ({"class_name": ["Dense"], "config": {}}, "not on the list"),
        ({**DENSE, "config": {"a": {"b": [{"class_name": "Lambda", "config": {}}]}}}, "Lambda layer"),
    ],
)
def test_what_is_not_a_known_layer_of_kerass_own_is_refused_however_deep(opener, layer, sentence):
    config = config_of(DENSE, layer)
    opening = (
        partial(open_keras, archive_of(config)) if opener == "keras" else partial(open_keras_hdf5, legacy_of(config))
    )
    with pytest.raises(BadInput, match=sentence):
        opening(trust=False)


def nested(depth: int) -> dict:
    return {"class_name": "Sequential", "config": {"layers": [nested(depth - 1)] if depth else []}}


def doubled() -> bytes:
    content = io.BytesIO(archive_of(config_of(DENSE)))
    with zipfile.ZipFile(content, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("config.json", json.dumps(config_of(DENSE)))
    return content.getvalue()


@each(
    ("content", "sentence"),
    [
        (lambda: archive_of(config_of(DENSE), **{"assets/../../canary": b"x"}), "members that Keras does not write"),
        (doubled, "members that Keras does not write"),
        (lambda: archive_of({"class_name": "Own", "config": {}}), "Python code outside the file"),
        (lambda: archive_of({"class_name": "Sequential", "config": "all"}), "describes no model"),
        (lambda: archive_of(nested(200)), "too many inside each other"),
        (lambda: archive_of(config_of({**DENSE, "config": {"name": "a" * 17_000_000}})), "is longer than"),
        (lambda: archive_of(config_of(DENSE))[:-40], "damaged"),
        (lambda: archive_of(config_of(DENSE), weights=b"no HDF5"), "damaged"),
    ],
)
def test_archives_that_hide_nest_or_unpack_too_far_are_refused(content, sentence):
    with pytest.raises(BadInput, match=sentence):
        open_keras(content(), trust=False)


def virtual(file: h5py.File) -> None:
    layout = h5py.VirtualLayout((4,), "f4")
    layout[:] = h5py.VirtualSource("/etc/passwd", "x", (4,))
    file.create_virtual_dataset("kernel", layout)


def linked(link) -> object:
    def fill(file: h5py.File) -> None:
        file.create_group("layers/dense")["kernel"] = link

    return fill


def outside(file: h5py.File) -> None:
    file.create_dataset("kernel", (16,), "u1", external=[("/etc/passwd", 0, 16)])


def huge(file: h5py.File) -> None:
    file.create_dataset("kernel", (10**6, 10**6), "f4", chunks=(1000, 1000))


def packed(file: h5py.File) -> None:
    file.create_dataset("kernel", data=np.arange(16, dtype="i4"), scaleoffset=3)


def round_and_round(file: h5py.File) -> None:
    file.create_group("a")["again"] = file["/"]


@each(
    ("fill", "sentence"),
    [
        (linked(h5py.ExternalLink("/etc/passwd", "/")), "is a link"),
        (linked(h5py.SoftLink("/elsewhere")), "is a link"),
        (virtual, "in another file"),
        (outside, "in another file"),
        (huge, "claims more than"),
        (packed, "a filter that Keras never uses"),
        (lambda file: file.create_dataset("names", data=["rm", "-rf"]), "not an array of numbers"),
    ],
)
def test_hdf5_that_is_not_as_keras_writes_it_is_refused_in_both_formats(fill, sentence):
    with pytest.raises(BadInput, match=sentence):
        open_keras(archive_of(config_of(DENSE), weights=hdf5_of(fill)), trust=False)
    with pytest.raises(BadInput, match=sentence):
        open_keras_hdf5(hdf5_of(fill, model_config=json.dumps(config_of(DENSE))), trust=False)


def test_groups_that_contain_themselves_do_not_keep_the_check_busy_for_ever():
    bad = config_of({"class_name": "Lambda", "config": {}})
    with pytest.raises(BadInput, match="Lambda"):
        open_keras_hdf5(hdf5_of(round_and_round, model_config=json.dumps(bad)), trust=False)


def test_weights_without_layers_are_distinguished_from_a_model():
    content = hdf5_of(lambda file: file.create_dataset("kernel", data=np.ones(3)))
    with pytest.raises(BadInput, match=r"save_weights"):
        open_keras_hdf5(content, trust=False)
