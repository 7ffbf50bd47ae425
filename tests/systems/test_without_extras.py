"""What the light core does where a library of an extra is not installed: it works, or says which extra is wanted."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from testimate import open_subject
from testimate.auxiliary import SLOW
from testimate.auxiliary.slow import LayerOutputs
from testimate.core.errors import BadInput
from testimate.core.plug_ins import EXTRA_OF
from testimate.core.progress import silent
from testimate.demos import glyphs, road
from testimate.demos.comparison_models import NINE
from testimate.engines.ray_cluster import connected
from testimate.labels.sql_store import SqlStore
from testimate.models.description import ModelDescription
from testimate.models.frames import Message
from testimate.models.kinds import MODEL_KINDS
from testimate.models.open import open_model_file
from testimate.models.worker import Desk
from testimate.models.worker_process import WorkerProcess
from testimate.subjects.shifts.shifted_dataset import shift_file

HDF5 = b"\x89HDF\r\n\x1a\n" + bytes(64)
ONNX = b"\x08\x08\x12\x07pytorch" + bytes(64)
SAFETENSORS = (2).to_bytes(8, "little") + b"{}"


@pytest.fixture
def without(monkeypatch):
    """Hides modules from this process."""

    def hide(*modules):
        for module in modules:
            monkeypatch.setitem(sys.modules, module, None)

    return hide


def both_ways(open_network, batch):
    """Holds what a network says in arrays, layer by layer, against what it says in PyTorch."""
    by_torch = open_network()
    said = by_torch.run(batch, by_torch.layers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "torch", None)
        in_arrays = open_network()
        assert list(in_arrays.layers) == list(by_torch.layers)
        assert in_arrays.roles == by_torch.roles
        assert in_arrays.facts == by_torch.facts
        for layer, values in in_arrays.run(batch, in_arrays.layers).items():
            np.testing.assert_allclose(values, said[layer], rtol=1e-4, atol=1e-4, err_msg=layer)


def test_the_letters_network_says_in_arrays_what_it_says_in_pytorch():
    both_ways(glyphs.open_network, open_subject("glyphs").dataset.batch(np.arange(0, 10_000, 200)))


def test_the_road_network_says_in_arrays_what_it_says_in_pytorch():
    both_ways(road.open_network, open_subject("road").dataset.batch(np.arange(0, 5_000, 250)))


def test_the_networks_of_the_comparison_say_in_arrays_what_they_say_in_pytorch():
    batch = open_subject("glyphs").dataset.batch(np.arange(0, 10_000, 500))
    weights = glyphs.weights_in("nine.safetensors")
    for place in (0, 3):  # ReLU with the largest of four, and tanh with their mean
        own = {name.removeprefix(f"{place}."): one for name, one in weights.items() if name.startswith(f"{place}.")}
        both_ways(lambda own=own, place=place: glyphs.network_of(own, NINE[place].architecture, "f"), batch)


@pytest.mark.parametrize(
    ("content", "hidden", "extra"),
    [(ONNX, "onnxruntime", "onnx"), (HDF5, "tensorflow", "tensorflow"), (SAFETENSORS, "torch", "torch")],
)
def test_a_model_says_which_extra_runs_it_before_anything_of_it_is_read(content, hidden, extra, without, tmp_path):
    file = tmp_path / "model"
    file.write_bytes(content)
    without(hidden)
    with pytest.raises(BadInput, match=rf'which is not installed here.*pip install "testimate\[{extra}\]"'):
        open_model_file(ModelDescription(file))


def test_every_library_that_runs_a_model_belongs_to_an_extra():
    assert {module for kind in MODEL_KINDS.values() for module in kind.libraries} <= set(EXTRA_OF)


def test_an_extra_that_is_missing_in_the_middle_of_a_job_is_named(without):
    without("onnxruntime", "testimate.models.onnx")
    sys.modules.pop("testimate.models.onnx")
    model = ModelDescription("m.onnx").to_json()
    head = {"open": {"model": model, "kind": "ONNX", "fingerprint": "f", "trust": False}}
    files = [np.frombuffer(one, dtype=np.uint8) for one in (ONNX, b"")]
    answer = Desk().answer(Message(head, files))
    assert answer.head["refused"] == "not installed"
    assert answer.head["module"] == "onnxruntime"
    with pytest.raises(BadInput, match=r"This kind of model needs ONNX Runtime.*testimate\[onnx\]"):
        WorkerProcess._granted(SimpleNamespace(), answer)


def test_what_else_needs_an_extra_names_it_when_it_is_wanted(without, tmp_path):
    without("torch", "ray", "psycopg", "psycopg.adapt")
    with pytest.raises(BadInput, match=r"handwritten digits.*testimate\[torch\].*printed letters"):
        open_subject("digits", folder=tmp_path)
    with pytest.raises(BadInput, match=r"autoencoder, needs PyTorch.*testimate\[torch\]"):
        SLOW["sae"]().values(LayerOutputs(np.zeros((2, 1))), progress=silent)
    with pytest.raises(BadInput, match=r"engine ray needs Ray.*testimate\[ray\]"), connected():
        pass
    with pytest.raises(BadInput, match=r"testimate\[team\].*sqlite:///FILE"):
        SqlStore("postgresql+psycopg://nobody@localhost/none")
    np.save(tmp_path / "x.npy", np.zeros((2, 1, 8, 8), np.float32))
    with pytest.raises(BadInput, match=r"gradients of the model and needs PyTorch.*testimate\[torch\]"):
        shift_file(tmp_path / "x.npy", tmp_path / "y.npy", "fgsm", 1, seed=1, weights=tmp_path / "w.pt")
