"""What a model's process answers is checked field by field: it ran somebody's file, which may have put itself in its place."""

import io
import json
import sys
from dataclasses import asdict

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.core.stored_record import read_record
from testimate.models import worker_process
from testimate.models import worker_process as worker_model
from testimate.models.confinement import Limits
from testimate.models.facts import ModelFacts
from testimate.models.frames import BEGIN, BrokenFrame, Message, MessageRoom, receive, send
from testimate.models.worker_process import ModelCrashed, WorkerModel, WorkerProcess
from tests.each import each

FACTS = ModelFacts(
    parameters=12,
    layers=("hidden", "scores"),
    roles={"LHL": "hidden", "CON": "scores"},
    widths={"LHL": 4, "CON": 3},
    input_shape=(4,),
    input_type="float32",
    channels=None,
    output="logits",
    classes=3,
)

FORGED = """
import json, os, sys
from dataclasses import asdict
import numpy as np
from testimate.models.frames import Message, receive, send
tasks, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
said = json.loads(sys.argv[1])
receive(tasks)
send(Message({"limits": said["limits"]}), results)
receive(tasks)
send(Message(said["opened"]), results)
receive(tasks)
send(Message({}, [np.zeros(shape, dtype=np.float32) for shape in said["arrays"]]), results)
receive(tasks)
"""


@pytest.fixture
def forged(monkeypatch):
    """A process that answers as it is told here, in the place of Testimate's own."""
    made = []

    def start(limits=(), opened=None, arrays=()):
        opened = {"facts": asdict(FACTS), "device": "cpu"} if opened is None else opened
        said = json.dumps({"limits": list(limits), "opened": opened, "arrays": arrays})
        monkeypatch.setattr(worker_process, "COMMAND", ("-c", FORGED, said))
        monkeypatch.setattr(worker_process.SharedMemory, "made", classmethod(lambda cls: None))
        made.append(WorkerProcess(lambda: Message({"open": {}}), Limits()))
        return made[-1]

    yield start
    for process in made:
        process.close()


def test_a_process_that_answers_as_ours_does_is_believed(forged):
    process = forged(arrays=[[2, 3]])
    assert process.facts() == FACTS
    assert WorkerModel("f", FACTS, process).run(np.zeros((2, 4)), ["scores"])["scores"].shape == (2, 3)


@each(
    "fact, value",
    [
        ("parameters", -1),
        ("parameters", 1e30),
        ("parameters", True),
        ("layers", "hidden"),
        ("layers", [1, 2]),
        ("roles", ["LHL"]),
        ("roles", {"LHL": "elsewhere"}),
        ("widths", {"LHL": "4"}),
        ("widths", {"ORI": 4}),
        ("input_shape", [-4]),
        ("input_shape", [4.5]),
        ("input_type", None),
        ("channels", "middle"),
        ("output", "everything"),
        ("classes", "3"),
        ("class_names", [None]),
        ("own_range", [0, 255]),
        ("columns", {"a": 1}),
        ("notes", 7),
        ("masks", 1.5),
        ("another", 1),
        ("notes", ["half a character \ud83d"]),
        ("classes", 10**15),
        ("classes", 25_001),
        ("classes", 4),
        ("widths", {"LHL": 10**9, "CON": 3}),
        ("parameters", 1 << 54),
        ("input_shape", [3, 60_000, 60_000]),
        ("input_shape", [1] * 33),
        ("input_type", "f" * 10_001),
        ("class_names", ["a" * 10_001]),
        ("layers", ["hidden", "scores", "a" * 10_001]),
        ("notes", ["a"] * 100_001),
    ],
)
def test_an_impossible_fact_is_refused(fact, value):
    with pytest.raises(ValueError, match=r"is|unexpected|of other layers"):
        read_record(ModelFacts, {**asdict(FACTS), fact: value})


@each(
    "opened",
    [
        {},
        {"device": "cpu"},
        {"facts": {**asdict(FACTS), "classes": "3"}, "device": "cpu"},
        {"facts": asdict(FACTS), "device": 3},
        {"facts": {**asdict(FACTS), "classes": 10**15, "widths": {"LHL": 4}}, "device": "cpu"},
    ],
)
def test_an_impossible_answer_ends_the_process_with_a_sentence(opened, forged):
    process = forged(opened=opened)
    with pytest.raises(ModelCrashed, match="gave an impossible answer"):
        process.facts()
    assert process.process_id is None


@each(
    "limits",
    [
        [{"name": "memory", "on": "yes", "detail": ""}],
        ["memory"],
        [{"name": "memory", "on": True, "detail": "a" * 10_001}],
        [{"name": "memory", "on": True, "detail": ""}] * 101,
    ],
)
def test_an_invalid_limit_ends_the_process_with_a_sentence(limits, forged):
    process = forged(limits=limits)
    with pytest.raises(ModelCrashed, match="gave an impossible answer"):
        process.facts()


@each("arrays", [[[2, 4]], [[6]], [[2, 3], [2, 3]], [[500, 20_000]]])
def test_arrays_that_nobody_asked_for_end_it_and_none_is_held_that_is_larger_than_the_answer(arrays, forged):
    process = forged(arrays=arrays)
    model = WorkerModel("f", process.facts(), process)
    with pytest.raises(ModelCrashed):
        model.run(np.zeros((2, 4)), ["scores"])
    assert process.process_id is None


def test_a_batch_whose_answer_exceeds_free_memory_is_refused_unasked(forged, monkeypatch):
    process = forged(arrays=[[2, 3]])
    model = WorkerModel("f", process.facts(), process)
    monkeypatch.setattr(worker_model, "free_bytes", lambda: 23)
    with pytest.raises(BadInput, match=r"a batch of 2 inputs, and 0.0 GB are free. Expected .* Lower the batch size"):
        model.run(np.zeros((2, 4)), ["scores"])


def test_a_record_is_refused_by_its_claimed_length_before_it_is_read():
    claimed = BEGIN + (16_000_001).to_bytes(8, "little")
    with pytest.raises(BrokenFrame, match="too long"):
        receive(io.BytesIO(claimed))


def test_a_place_in_shared_memory_has_no_more_axes_than_an_array():
    room = MessageRoom(memoryview(bytearray(64)))
    assert room.look({"type": "<f4", "shape": [1] * 32, "place": 0}).size == 1
    with pytest.raises(ValueError, match="shape is"):
        room.look({"type": "<f4", "shape": [1] * 33, "place": 0})


def test_many_arrays_have_no_more_bytes_together_than_the_answer_may():
    def answer():
        pipe = io.BytesIO()
        send(Message({}, [np.zeros(100, dtype=np.float32)] * 3), pipe)
        return io.BytesIO(pipe.getvalue())

    assert len(receive(answer(), most=1200).arrays) == 3
    with pytest.raises(BrokenFrame, match="an array of 400 bytes"):
        receive(answer(), most=1199)


def test_a_process_ended_by_a_signal_without_a_name_is_a_sentence(forged, monkeypatch):
    process = forged()
    ending = "import os, signal; os.kill(os.getpid(), 50)"
    monkeypatch.setattr(worker_process, "COMMAND", ("-c", ending))
    with pytest.raises(ModelCrashed, match=r"ended in the middle of its work \(signal 50\)"):
        process.open()
    assert sys.platform == "linux"
