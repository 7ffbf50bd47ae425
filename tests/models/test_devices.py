"""Which device a model runs on: decided by what there is, said as it is, and the same answers on each."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from testimate.core.errors import BadInput
from testimate.feature_cache.filling import where_it_ran
from testimate.models import onnx, open_model_file, worker_process
from testimate.models.confinement import Wish, choose_device, device_files, files_for, has_cuda, settings_for
from testimate.models.description import ModelDescription
from testimate.models.onnx import OnnxGraph
from testimate.models.torch_graph import TorchModel, best_device, precision
from tests.each import each

ROWS = np.arange(8, dtype=np.float32).reshape(2, 4)
WEIGHT = np.arange(12, dtype=np.float32).reshape(4, 3) / 10


@pytest.fixture
def machine(tmp_path) -> Path:
    """The files of a computer with two accelerators of NVIDIA's."""
    for name in ("dev/nvidiactl", "dev/nvidia0", "dev/nvidia1", "dev/nvidia-uvm", "dev/null", "proc/driver/nvidia/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def onnx_file(path: Path, *, repeats: int = 1) -> Path:
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["scores"]),
        helper.make_node("Tile", ["scores", "times"], ["wide"]),
        helper.make_node("ReduceSum", ["wide", "axis"], ["sum"]),
        helper.make_node("Add", ["scores", "sum"], ["out"]),
    ]
    weights = {"w": WEIGHT, "times": np.array([1, repeats]), "axis": np.array([1])}
    ends = [helper.make_tensor_value_info(*end) for end in (("x", 1, ["n", 4]), ("out", TensorProto.FLOAT, ["n", 3]))]
    tensors = [numpy_helper.from_array(value, name) for name, value in weights.items()]
    graph = helper.make_graph(nodes, "network", ends[:1], ends[1:], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    path.write_bytes(model.SerializeToString())
    return path


@each(
    ("asked", "mixed", "cuda", "chosen"),
    [
        *(("auto", False, True, "cuda"), ("auto", False, False, "cpu"), ("auto", True, True, "cuda")),
        *(("cpu", False, True, "cpu"), ("cpu", False, False, "cpu")),
        *(("cuda", False, True, "cuda"), ("cuda", True, True, "cuda")),
    ],
)
def test_cuda_is_used_where_available_and_the_processor_elsewhere(asked, mixed, cuda, chosen):
    assert choose_device(Wish(asked, mixed), cuda=cuda) == chosen


@each(
    ("asked", "mixed", "cuda", "sentence"),
    [
        ("cuda", False, False, "CUDA was asked for and this computer shows none"),
        ("auto", True, False, "Mixed precision was asked for"),
        ("cpu", True, True, "Mixed precision was asked for"),
        ("tpu", False, True, "no device 'tpu'. Expected one of auto, cpu, cuda"),
    ],
)
def test_an_unavailable_device_is_refused_in_a_sentence(asked, mixed, cuda, sentence):
    with pytest.raises(BadInput, match=sentence):
        choose_device(Wish(asked, mixed), cuda=cuda)


def test_an_accelerator_is_there_with_its_driver_and_unless_the_environment_hides_it(machine, tmp_path):
    assert has_cuda({}, machine)
    assert has_cuda({"CUDA_VISIBLE_DEVICES": "1"}, machine)
    assert has_cuda({"CUDA_VISIBLE_DEVICES": "GPU-5a0"}, machine)
    for hidden in ("", " ", "-1", "-1,0"):
        assert not has_cuda({"CUDA_VISIBLE_DEVICES": hidden}, machine)
    (machine / "dev/nvidiactl").unlink()  # cards without a driver
    assert not has_cuda({}, machine)
    assert not has_cuda({}, machine / "empty")


def test_a_process_on_cuda_sees_the_accelerators_given_to_it_and_one_on_the_processor_sees_none():
    given = {"CUDA_VISIBLE_DEVICES": "1", "SECRET": "x", "NVIDIA_VISIBLE_DEVICES": "all"}
    assert settings_for("cpu", mixed=False, environment=given) == {"CUDA_VISIBLE_DEVICES": ""}
    full = settings_for("cuda", mixed=False, environment=given)
    assert (full["CUDA_VISIBLE_DEVICES"], full["NVIDIA_TF32_OVERRIDE"], "SECRET" in full) == ("1", "0", False)
    assert "NVIDIA_TF32_OVERRIDE" not in settings_for("cuda", mixed=True, environment=given)
    assert "CUDA_VISIBLE_DEVICES" not in settings_for("cuda", mixed=False, environment={})


def test_the_drivers_files_are_open_to_a_process_on_cuda_alone(machine):
    names = [path.name for path in device_files("cuda", machine)]
    assert names == ["nvidia-uvm", "nvidia0", "nvidia1", "nvidiactl"]
    assert machine / "proc/driver" in files_for("cuda", {}, machine)
    assert Path("/opt/cuda/lib64") in files_for("cuda", {"LD_LIBRARY_PATH": ":/opt/cuda/lib64"}, machine)
    assert device_files("cpu", machine) == files_for("cpu", {"LD_LIBRARY_PATH": "/opt"}, machine) == []


CONFINED = """
import fcntl, json, sys
from pathlib import Path
from testimate.models import confinement
landlock_devices = [Path("/dev/ptmx")] if sys.argv[1] == "cuda" else []
confinement.device_files = lambda device: landlock_devices
records = confinement.confine(confinement.Limits(memory_bytes=2_000_000_000), [], sys.argv[1])
said = {record.name: [record.on, record.detail] for record in records}
try:
    with open("/dev/ptmx", "r+b", buffering=0) as device:
        fcntl.ioctl(device, 0x40045431, b"\\0" * 4)
    said["device"] = True
except OSError:
    said["device"] = False
for name, size in (("kept", 500_000_000), ("beyond", 4_000_000_000)):
    try:
        said[name] = len(bytearray(size)) == size
    except MemoryError:
        said[name] = False
import mmap
try:
    said["addresses"] = len(mmap.mmap(-1, 8_000_000_000, prot=mmap.PROT_READ)) > 0
except OSError:
    said["addresses"] = False


def works(act):
    try:
        act()
    except OSError:
        return False
    return True


import os, socket
own, others = f"/proc/self/task/{os.getpid()}/comm", f"/proc/{os.getppid()}/comm"
waiting = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
waiting.setblocking(False)
said["works"] = {
    "a name for a thread": works(lambda: open(own, "w").write("on the card")),
    "a name for a thread of another process": works(lambda: open(others, "w").write("on the card")),
    "a name for a socket": works(lambda: waiting.bind(f"\\0of-a-model-{os.getpid()}")),
    "waiting": works(lambda: waiting.listen(1)),
    "being asked": works(lambda: waiting.accept()),
    "a socket that receives from anybody": works(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)),
    "a raw one": works(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_RAW)),
    "a socket in a folder": works(lambda: socket.socket(socket.AF_UNIX).bind(sys.argv[2])),
    "asking": works(lambda: socket.socket(socket.AF_UNIX).connect(sys.argv[3])),
}
print(json.dumps(said))
"""


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_on_cuda_memory_is_limited_though_addresses_are_not_and_the_driver_gets_what_it_needs_alone(tmp_path, device):
    root = Path(__file__).resolve().parents[2]
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # as the process starts: numpy's threads could not be confined
    with socket.socket(socket.AF_UNIX) as service:
        service.bind(str(tmp_path / "service"))
        service.listen(1)
        done = subprocess.run(
            [sys.executable, "-c", CONFINED, device, str(tmp_path / "its"), str(tmp_path / "service")],
            capture_output=True,
            text=True,
            cwd=root,
            env=alone,
        )
    assert done.returncode == 0, done.stderr[-2_000:]
    said = json.loads(done.stdout)
    if not said["memory"][0] or not said["files"][0]:
        pytest.skip("This system does not hold processes to limits; a newer Linux does.")
    cuda = device == "cuda"
    assert (said["kept"], said["beyond"], said["addresses"], said["device"]) == (True, False, cuda, cuda)
    assert ("cannot be limited with CUDA" in said["memory"][1]) == cuda
    assert ("accelerator's device files" in said["files"][1]) == cuda
    # what NVIDIA's driver 580 did to start on an H200, and nothing beside it
    allowed = {"a name for a thread", "a name for a socket", "waiting"} if cuda else set()
    unconnected = set() if cuda else {"a socket that receives from anybody", "a raw one"}  # it cannot have a name here
    assert {what for what, worked in said["works"].items() if worked} == allowed | unconnected


def test_a_framework_without_cuda_runs_on_the_processor_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(
        worker_process, "has_cuda", lambda environment: True
    )  # a computer with one, and without its libraries
    path = onnx_file(tmp_path / "model.onnx")
    model = open_model_file(ModelDescription(path)).model
    try:
        assert model.device == "cpu"
        memory = next(record for record in model.limits if record.name == "memory")
        assert "bytes of addresses" in memory.detail  # restarted, and held to all that a process on the processor is
        np.testing.assert_allclose(model.run(ROWS, ["scores"])["scores"], ROWS @ WEIGHT, rtol=1e-6)
        assert "; this computer's accelerator was not used: its framework was installed without" in where_it_ran(model)
    finally:
        model.close()
    with pytest.raises(BadInput, match="was installed without it, or cannot use it here"):
        open_model_file(ModelDescription(path), device="cuda")
    with pytest.raises(BadInput, match="was installed without it"):
        open_model_file(ModelDescription(path, mixed_precision=True))


def test_what_is_asked_of_a_device_reaches_the_process(tmp_path, monkeypatch):
    path = onnx_file(tmp_path / "model.onnx")
    monkeypatch.setattr(worker_process, "has_cuda", lambda environment: False)
    with pytest.raises(BadInput, match="this computer shows none"):
        open_model_file(ModelDescription(path), device="cuda")
    monkeypatch.setattr(worker_process, "has_cuda", lambda environment: True)
    seen = []

    def refused(settings, memory):
        seen.append(settings)
        raise BadInput("not started")

    monkeypatch.setattr(worker_process, "started", refused)
    for device, starts in (("cpu", 1), ("cuda", 1), ("auto", 2)):
        seen.clear()
        with pytest.raises(BadInput, match="not started"):
            open_model_file(ModelDescription(path), device=device)
        assert [settings.get("CUDA_VISIBLE_DEVICES") == "" for settings in seen] == {
            "cpu": [True],
            "cuda": [False],
            "auto": [False, True],  # where it fails on CUDA, the processor's word counts
        }[device]
        assert len(seen) == starts


def test_mixed_precision_has_features_of_its_own_in_the_cache(tmp_path):
    from testimate.models.worker_process import Recipe

    plain, mixed = (
        Recipe(ModelDescription(tmp_path, mixed_precision=mixed), "ONNX", "0" * 64) for mixed in (False, True)
    )
    assert plain.fingerprint == "0" * 32 != mixed.fingerprint


class Moved(nn.Linear):
    """Remembers where it was sent."""

    place = ""

    def to(self, place):
        self.place = place
        return self


@pytest.fixture
def settings():
    """Gives PyTorch's settings back."""
    matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
    before = matmul.allow_tf32, cudnn.allow_tf32, cudnn.deterministic
    yield
    matmul.allow_tf32, cudnn.allow_tf32, cudnn.deterministic = before


def test_pytorch_takes_cuda_where_it_sees_any_and_keeps_its_precision(monkeypatch, settings):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert best_device() == "cpu"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    assert best_device() == "cuda"
    assert not torch.backends.cuda.matmul.allow_tf32
    assert not torch.backends.cudnn.allow_tf32
    module = Moved(4, 3)
    with pytest.raises((AssertionError, RuntimeError, BadInput)):  # the inputs are sent there, too
        TorchModel(module, example=ROWS, fingerprint="f")
    assert module.place == "cuda"


def test_pytorch_products_have_sixteen_bits_only_where_that_was_asked_for():
    weight, rows = torch.full((4, 3), 1 / 3), torch.full((2, 4), 1 / 3)
    with precision("cpu", mixed=False):
        assert (rows @ weight).dtype == torch.float32
    with precision("cpu", mixed=True):
        assert (rows @ weight).dtype == torch.bfloat16
    model = TorchModel(nn.Sequential(nn.Linear(4, 3)), example=ROWS, fingerprint="f")
    mixed = TorchModel(model._graph._module, example=ROWS, fingerprint="f", mixed=True)
    said = [one.run(ROWS, ["0"])["0"] for one in (model, mixed)]
    assert said[1].dtype == np.float32
    assert not np.array_equal(*said)
    np.testing.assert_allclose(*said, atol=0.05)


def test_onnxs_runtime_takes_cuda_where_it_is_built_for_it(tmp_path, monkeypatch):
    asked = []
    session = onnxruntime.InferenceSession

    class Session(session):
        def __init__(self, content, options, providers):
            asked.append(providers)
            super().__init__(content, options, providers=["CPUExecutionProvider"])

    monkeypatch.setattr(onnxruntime, "InferenceSession", Session)
    monkeypatch.setattr(onnxruntime, "preload_dlls", lambda: None)
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [onnx.CUDA, onnx.CPU])
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    content = onnx_file(tmp_path / "m").read_bytes()
    for mixed in (False, True):
        graph = OnnxGraph(content, mixed=mixed)
        graph.values(ROWS, ["out"])
        assert asked.pop() == [(onnx.CUDA, {"use_tf32": str(int(mixed))}), onnx.CPU]
        assert graph.device == "cpu"  # what the session says it runs on counts, not what it was offered
    monkeypatch.setattr(Session, "get_providers", lambda self: [onnx.CUDA, onnx.CPU])
    graph = OnnxGraph(content)
    graph.values(ROWS, ["out"])
    assert graph.device == "cuda"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    OnnxGraph(content).values(ROWS, ["out"])
    assert asked[-1] == [onnx.CPU]


def test_tensorflow_takes_cuda_where_it_sees_any_and_keeps_its_precision(keras_files):
    said = json.loads((keras_files / "devices.json").read_text())  # the program that wrote the Keras files asked it
    assert said["without"] == {"device": "cpu", "short products": False}
    assert said["with an accelerator"] == {"device": "cuda", "short products": False}
    assert said["mixed"] == {"device": "cuda", "short products": True}
    assert said["rewritten in mixed precision"]


class Cores:
    """What a file of torch.save runs: it says how many cores PyTorch takes in the model's process."""

    def __reduce__(self):
        return exec, ("import torch; raise RuntimeError(f'takes {torch.get_num_threads()} cores')", {})


def test_on_the_processor_a_model_takes_as_many_cores_as_the_framework_would_alone(tmp_path, monkeypatch):
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    alone = subprocess.run(
        [sys.executable, "-c", "import torch; print(torch.get_num_threads())"], capture_output=True, text=True
    )
    torch.save(Cores(), tmp_path / "m.pt")
    with pytest.raises(BadInput, match=rf"takes {int(alone.stdout)} cores"):
        open_model_file(ModelDescription(tmp_path / "m.pt"), trust=True, device="cpu")


def test_the_device_is_chosen_at_the_terminal_which_reports_what_ran_with_its_limits(tmp_path, command, monkeypatch):
    monkeypatch.setattr(worker_process, "has_cuda", lambda environment: False)
    np.savez(tmp_path / "data.npz", x_test=np.random.default_rng(0).random((30, 4), dtype=np.float32))
    features = (
        "features",
        onnx_file(tmp_path / "model.onnx"),
        tmp_path / "data.npz",
        "--project",
        tmp_path / "project",
    )
    said = command.ok(*features).splitlines()
    (line,) = [line for line in said if line.startswith("the model ran on cpu in a process of its own")]
    for limit in ("memory", "processor time", "file size", "network", "files", "other programs"):
        assert f"{limit} on" in line or f"{limit} off" in line
    assert "CUDA was asked for and this computer shows none" in command.refusal(*features, "--device", "cuda")
    assert "Mixed precision was asked for" in command.refusal(*features, "--mixed-precision")
    assert "no device 'tpu'" in command.refusal(*features, "--device", "tpu")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="There is no CUDA here; the test needs an accelerator.")
def test_cuda_gives_the_answers_of_the_processor(tmp_path):
    torch.manual_seed(0)
    module = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 5))
    pictures = np.random.default_rng(0).random((16, 1, 8, 8), dtype=np.float32)
    torch.save(module, tmp_path / "m.pt")
    said = {}
    for device in ("cpu", "cuda"):
        opened = open_model_file(ModelDescription(tmp_path / "m.pt"), trust=True, example=pictures, device=device).model
        said[device] = opened.run(pictures, list(opened.roles.values()))
        assert opened.device == device
        opened.close()
    for layer, values in said["cpu"].items():
        np.testing.assert_allclose(said["cuda"][layer], values, atol=1e-5)
