"""A model's own process: it comes back after a crash, is ended when it hangs, and can do little harm."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

import testimate
from testimate.core.errors import BadInput, SubjectChanged
from testimate.core.machine import apart, end_all
from testimate.core.subject import Model
from testimate.models import open_model_file
from testimate.models.confinement import Limits
from testimate.models.description import ModelDescription
from testimate.models.worker_process import ModelCrashed, ModelTooSlow, Recipe, WorkerModel, WorkerProcess

ROWS = np.arange(8, dtype=np.float32).reshape(2, 4)
WEIGHT = np.arange(12, dtype=np.float32).reshape(4, 3) / 10


def write_onnx(path: Path, *, repeats: int = 1) -> Path:
    """A network of one product; ``repeats`` widens its output on the way to nothing."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["scores"]),
        helper.make_node("Tile", ["scores", "times"], ["wide"]),
        helper.make_node("ReduceSum", ["wide", "axis"], ["sum"]),
        helper.make_node("Add", ["scores", "sum"], ["out"]),
    ]
    weights = {"w": WEIGHT, "times": np.array([1, repeats]), "axis": np.array([1])}
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4])],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["n", 3])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    path.write_bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10).SerializeToString()
    )
    return path


@pytest.fixture
def model(tmp_path):
    opened = open_model_file(ModelDescription(write_onnx(tmp_path / "model.onnx"))).model
    yield opened
    opened.close()


def test_the_model_answers_from_another_process_which_stays_warm(model):
    as_promised: Model = model
    first = model.process_id
    assert first not in (None, os.getpid())
    for _ in range(3):
        np.testing.assert_allclose(as_promised.run(ROWS, ["scores"])["scores"], ROWS @ WEIGHT, rtol=1e-6)
    assert model.process_id == first


def test_a_process_that_was_killed_is_restarted_by_the_next_call(model):
    first = model.process_id
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    np.testing.assert_allclose(model.run(ROWS, ["scores"])["scores"], ROWS @ WEIGHT, rtol=1e-6)
    assert model.process_id not in (None, first)


def test_a_process_that_dies_in_the_middle_of_a_call_is_reported_and_the_next_call_works(model):
    first = model.process_id
    os.kill(first, signal.SIGSTOP)
    killer = threading.Timer(0.3, os.kill, (first, signal.SIGKILL))
    killer.start()
    with pytest.raises(ModelCrashed, match=r"ended in the middle of its work \(signal SIGKILL\)"):
        model.run(ROWS, ["scores"])
    killer.join()
    assert model.run(ROWS, ["scores"])["scores"].shape == (2, 3)


def test_a_batch_that_hangs_is_ended_after_the_time_limit_and_the_next_one_runs(tmp_path):
    path = write_onnx(tmp_path / "model.onnx")
    digest = open_digest(path)
    recipe = Recipe(ModelDescription(path), "ONNX", digest)
    process = WorkerProcess(recipe.message, Limits())
    try:
        process.open()
        process.limits = Limits(seconds=0.5)
        os.kill(process.process_id, signal.SIGSTOP)
        started = time.monotonic()
        with pytest.raises(ModelTooSlow, match=r"no answer within 0\.5 seconds"):
            process.ask(recipe.message())
        assert time.monotonic() - started < 30, "it hung before"
        process.limits = Limits()
        assert process.open().head["facts"]["classes"] == 3
    finally:
        process.close()


def open_digest(path: Path) -> str:
    opened = open_model_file(ModelDescription(path))
    opened.model.close()
    return opened.sha256


def test_a_batch_that_needs_more_memory_than_allowed_is_refused_in_a_sentence(tmp_path):
    path = write_onnx(tmp_path / "model.onnx", repeats=70_000_000)
    with pytest.raises(BadInput, match=r"needs more than the 3\.0 GB of memory"):
        open_model_file(ModelDescription(path), limits=Limits(memory_bytes=3_000_000_000))


def test_a_scan_that_would_hold_more_than_the_memory_is_refused_in_a_sentence(tmp_path):
    """A hundred steps, each of which gives fifty million numbers to be kept: 20 GB."""
    path = write_onnx(tmp_path / "model.onnx")
    model = onnx.load(path)
    gives = helper.make_tensor_value_info("each", TensorProto.FLOAT, [50_000_000])
    takes = helper.make_tensor_value_info("step", TensorProto.FLOAT, [])
    body = helper.make_graph([helper.make_node("Expand", ["step", "many"], ["each"])], "body", [takes], [gives])
    model.graph.initializer.append(numpy_helper.from_array(np.array([50_000_000]), "many"))
    model.graph.initializer.append(numpy_helper.from_array(np.ones(100, np.float32), "steps"))
    model.graph.initializer.append(numpy_helper.from_array(np.array([0, 1]), "both"))
    del model.graph.node[1:]
    model.graph.node.append(helper.make_node("Scan", ["steps"], ["kept"], body=body, num_scan_inputs=1))
    model.graph.node.append(helper.make_node("ReduceSum", ["kept", "both"], ["sum"], keepdims=0))
    model.graph.node.append(helper.make_node("Add", ["scores", "sum"], ["out"]))
    onnx.save(model, path)
    with pytest.raises(BadInput, match=r"needs more than the 3\.0 GB of memory"):
        open_model_file(ModelDescription(path), limits=Limits(memory_bytes=3_000_000_000))


def test_a_file_that_changed_after_it_was_opened_is_not_opened_again(tmp_path):
    path = write_onnx(tmp_path / "model.onnx")
    model = open_model_file(ModelDescription(path)).model
    model.close()
    write_onnx(path, repeats=2)
    with pytest.raises(SubjectChanged, match="has changed since it was opened"):
        model.run(ROWS, ["scores"])


def test_roles_can_be_changed_in_the_same_process_and_the_fingerprint_says_so(model):
    other = model.with_roles({"LHL": "sum"})
    assert (other.roles["LHL"], model.roles["LHL"]) == ("sum", "(input)")
    assert other.process_id == model.process_id
    assert other.fingerprint != model.fingerprint
    assert other.with_roles({"LHL": "(input)"}).fingerprint == model.fingerprint
    with pytest.raises(BadInput, match="no layer 'none'"):
        model.with_roles({"LHL": "none"})


def test_what_the_person_says_about_the_output_is_part_of_the_fingerprint(tmp_path):
    path = write_onnx(tmp_path / "model.onnx")
    plain, chosen = (
        open_model_file(ModelDescription(path)),
        open_model_file(ModelDescription(path, output="several logits")),
    )
    assert (plain.fingerprint, plain.sha256[:32]) == (chosen.fingerprint, plain.fingerprint)
    models = [opened.model for opened in (plain, chosen)]
    assert models[0].fingerprint == plain.fingerprint != models[1].fingerprint
    for model in models:
        assert isinstance(model, WorkerModel)
        model.close()


def test_inputs_that_are_not_numbers_never_reach_the_process(model):
    with pytest.raises(BadInput, match="Expected numbers"):
        model.run(np.array([["a", "b", "c", "d"]]), ["scores"])


def test_every_limit_is_shown_as_on_or_off(model):
    assert [record.name for record in model.limits] == [
        "memory",
        "processor time",
        "file size",
        "network",
        "files",
        "owners and rights of files",
        "other programs",
        "other processes",
        "rights of root",
    ]
    if os.uname().sysname == "Linux":
        assert {record.name for record in model.limits if record.on} >= {"memory", "processor time", "file size"}


class Run:
    """What a file of torch.save runs while it is opened by somebody who vouches for it."""

    def __init__(self, code: str) -> None:
        self.code = code

    def __reduce__(self):
        return exec, (self.code, {})


PROBE = """
import ctypes, os, resource, socket, subprocess, threading
worked = []
libc = ctypes.CDLL(None, use_errno=True)
def tried(name, what):
    try:
        what()
    except (OSError, ValueError):
        return
    worked.append(name)
def called(answer):
    if answer < 0:
        raise OSError(ctypes.get_errno(), "refused")
def child(start):
    process = start()
    if process == 0:
        os._exit(0)
    called(process)
def unix(kind, name):
    with socket.socket(socket.AF_UNIX, kind) as one:
        one.connect(name)
def datagrams(send):
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    send(one)
def lifted():
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
tried("write", lambda: open({canary!r}, "w").write("x"))
tried("folder", lambda: os.mkdir({canary!r} + ".d"))
tried("read", lambda: open({secret!r}).read())
tried("beside", lambda: open({beside!r}).read())
tried("rights", lambda: os.chmod({secret!r}, 0o666))
tried("owner", lambda: os.chown({secret!r}, os.getuid(), os.getgid()))
tried("times", lambda: os.utime({secret!r}, (1, 1)))
tried("attribute", lambda: os.setxattr({secret!r}, "user.mark", b"x"))
tried("connect", lambda: socket.create_connection(("127.0.0.1", {port}), 2))
tried("stream", lambda: unix(socket.SOCK_STREAM, {stream!r}))
tried("datagram", lambda: unix(socket.SOCK_DGRAM, {datagram!r}))
tried("sent", lambda: datagrams(lambda one: one.sendto(b"x", {datagram!r})))
tried("message", lambda: datagrams(lambda one: one.sendmsg([b"x"], [], 0, {datagram!r})))
tried("program", lambda: subprocess.run(["/bin/sh", "-c", "exit 0"]))
tried("fork", lambda: child(os.fork))
tried("clone", lambda: child(lambda: libc.syscall({clone}, 17, 0, 0, 0, 0)))
tried("handle", lambda: os.close(os.pidfd_open(os.getpid())))
tried("signal", lambda: os.kill({parent}, 0))
tried("parent", lambda: open("/proc/{parent}/environ", "rb").read())
tried("limit", lifted)
tried("ring", lambda: called(libc.syscall(425, 1, (ctypes.c_uint * 30)())))
if "TESTIMATE_SECRET" in os.environ:
    worked.append("environment")
thread = threading.Thread(target=lambda: worked.append("thread"))
thread.start()
thread.join()
raise RuntimeError("worked: " + " ".join(worked) + ".")
"""


def test_even_a_trusted_file_changes_reads_reaches_and_starts_nothing(tmp_path, canary, model, monkeypatch):
    off = [record.name for record in model.limits if not record.on]
    if off:
        pytest.skip(f"This system does not hold processes to limits on {', '.join(off)}; a newer Linux does.")
    monkeypatch.setenv("TESTIMATE_SECRET", "secret")
    places = {name: str(tmp_path / name) for name in ("secret", "stream", "datagram")}
    Path(places["secret"]).write_text("secret")
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as stream,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagram,
    ):
        stream.bind(places["stream"])
        stream.listen()
        datagram.bind(places["datagram"])
        code = PROBE.format(
            **places,
            canary=str(canary),
            beside=str(Path(testimate.__file__).parents[1] / "README.md"),  # the package lies in this folder
            clone={"x86_64": 56, "aarch64": 220}[os.uname().machine],
            parent=os.getpid(),
            port=server.getsockname()[1],
        )
        torch.save(Run(code), tmp_path / "m.pt")
        with pytest.raises(BadInput, match=r"cannot be rebuilt \(RuntimeError: worked: thread\.\)"):
            open_model_file(ModelDescription(tmp_path / "m.pt"), trust=True)
        assert not canary.exists()
        free = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    elsewhere = set(free.stderr.partition("worked: ")[2].partition(".")[0].split())
    not_everywhere = {"attribute", "ring"}  # some file systems and kernels lack them
    assert {*re.findall(r'tried\("(\w+)"', code), "environment", "thread"} - elsewhere <= not_everywhere


def test_what_a_process_started_ends_with_it():
    code = "import subprocess, time; print(subprocess.Popen(['sleep', '60']).pid, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, **apart()) as first:
        assert first.stdout is not None
        state = Path(f"/proc/{int(first.stdout.readline())}/stat")
        end_all(first)
    deadline = time.monotonic() + 30
    while (
        state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"
    ):  # or waits to be asked how it ended
        assert time.monotonic() < deadline


def test_a_file_that_uses_the_processor_for_ever_is_stopped(tmp_path):
    torch.save(Run("while True: pass"), tmp_path / "m.pt")
    with pytest.raises(ModelTooSlow, match="seconds of processor time"):
        open_model_file(ModelDescription(tmp_path / "m.pt"), trust=True, limits=Limits(cpu_seconds=2))
