"""Memory that two processes see: arrays arrive without the pipe, and the other end can neither cut nor overrun it."""

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from testimate.models import frames
from testimate.models.frames import BrokenFrame, Message, MessageRoom, SharedMemory, receive, send
from tests.each import each


@pytest.fixture
def memory():
    made = SharedMemory.made()
    if made is None:
        pytest.skip("This system has no memory that can be sealed; Linux has.")
    yield made
    made.let_go()


def test_the_other_end_finds_what_one_end_stores_and_only_its_place_goes_over_the_pipe(memory):
    other = SharedMemory(os.dup(memory.place))  # mapped once more, as the other process does
    arrays = [np.arange(60_000.0).reshape(2, 30_000).T, np.zeros((0, 4), dtype=np.float32), np.array([True, False])]
    pipe = io.BytesIO()
    send(Message({"run": ["a"]}, arrays), pipe, memory.questions)
    assert len(pipe.getvalue()) < 1_000
    pipe.seek(0)
    said = receive(pipe, other.questions)
    for array, arrived in zip(arrays, said.arrays, strict=True):
        assert arrived.dtype == array.dtype
        np.testing.assert_array_equal(arrived, array)
    memory.questions.put([np.full(60_000, -1.0)])
    np.testing.assert_array_equal(said.arrays[0], arrays[0])  # a copy, which the other end cannot change any more


def test_the_other_end_cannot_shrink_the_memory_in_use(memory):
    for size in (0, 1, 10 * frames.ROOM):
        with pytest.raises(OSError, match="not permitted"):
            os.ftruncate(memory.place, size)


@each(
    "said",
    [
        {"place": -64, "type": "<f4", "shape": [1]},
        {"place": 1, "type": "<f4", "shape": [1]},
        {"place": 960, "type": "<f4", "shape": [17]},
        {"place": 0, "type": "<f4", "shape": [1 << 40, 1 << 40]},
        {"place": 0, "type": "<f4", "shape": [-1, -1]},
        {"place": 0, "type": "|O", "shape": [1]},
        {"place": 0, "type": "<f4,<f4", "shape": [1]},
        {"place": 0, "type": "<f4"},
        {"place": 0, "type": "no type", "shape": [1]},
        7,
    ],
)
def test_a_place_outside_the_memory_or_of_no_numbers_is_refused(said):
    room = MessageRoom(memoryview(bytearray(1_024)))
    np.testing.assert_array_equal(room.look({"place": 960, "type": "<f4", "shape": [16]}), np.zeros(16))
    pipe = io.BytesIO()
    send(Message({}, [np.zeros(1)]), pipe, room)
    place = pipe.getvalue()[len(b"\x93TESTIMATE") + 8 :]
    bad = place.replace(b'[{"place": 0, "type": "<f8", "shape": [1]}]', str(said).replace("'", '"').encode())
    assert bad != place
    with pytest.raises(BrokenFrame):
        receive(io.BytesIO(b"\x93TESTIMATE" + len(bad).to_bytes(8, "little") + bad), room)


def test_what_does_not_fit_goes_through_the_pipe():
    room, pipe = MessageRoom(memoryview(bytearray(1_024))), io.BytesIO()
    send(Message({}, [np.arange(200.0)]), pipe, room)
    pipe.seek(0)
    np.testing.assert_array_equal(receive(pipe, room).arrays[0], np.arange(200.0))


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="Only Linux shows what is shared by name.")
def test_memory_that_macos_sizes_once_is_seen_by_the_process_that_inherits_its_handle_and_leaves_no_name():
    """Python's own shared memory, whose handle is an attribute that begins with an underscore."""
    before = set(os.listdir("/dev/shm"))
    memory = SharedMemory(frames._sized_once())
    assert set(os.listdir("/dev/shm")) == before
    placed = memory.questions.put([np.arange(3.0)])
    code = (
        "import sys; from testimate.models.frames import SharedMemory\n"
        "memory = SharedMemory(int(sys.argv[1])); memory.answers.put([memory.questions.look(eval(sys.argv[2])) * 2])"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(memory.place), repr(placed[0])],
        pass_fds=memory.handles,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert memory.answers.look(placed[0]).tolist() == [0, 2, 4]
    memory.let_go()


def test_on_windows_both_ends_find_the_same_memory_by_a_name_and_no_handle_is_passed_on(monkeypatch):
    sections = {}

    def section(handle, size, *, tagname):
        assert handle == -1
        return sections.setdefault(tagname, bytearray(size))

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(frames, "ROOM", 1024)
    monkeypatch.setattr(frames.mmap, "mmap", section)
    ours, foreign = SharedMemory.made(), SharedMemory.made()
    theirs = SharedMemory(ours.place)
    placed = ours.questions.put([np.arange(3.0)])
    assert theirs.questions.look(placed[0]).tolist() == [0, 1, 2]
    assert (ours.handles, len({ours.place, foreign.place})) == ((), 2)
    ours.let_go()


def test_without_sealed_memory_there_is_none_and_the_pipe_is_used(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delattr(os, "memfd_create")
    assert SharedMemory.made() is None
    monkeypatch.setattr(sys, "platform", "freebsd14")
    assert SharedMemory.made() is None
