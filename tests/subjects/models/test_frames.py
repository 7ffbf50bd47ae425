"""Messages over pipes: what is sent arrives, and what is claimed is checked before any memory is taken."""

import io

import numpy as np
import pytest

from testimate.subjects.models.frames import BrokenFrame, Message, receive, send


def test_records_and_arrays_arrive_as_they_were_sent():
    arrays = [np.arange(6.0, dtype=np.float32).reshape(2, 3).T, np.zeros((0, 4)), np.array(5), np.array([True])]
    pipe = io.BytesIO()
    send(Message({"layers": ["é", "b"]}, arrays), pipe)
    pipe.seek(0)
    said = receive(pipe)
    assert said.head == {"layers": ["é", "b"]}
    for array, arrived in zip(arrays, said.arrays, strict=True):
        assert arrived.dtype == array.dtype
        np.testing.assert_array_equal(arrived, array)


def frame(header: str, content: bytes = b"") -> bytes:
    text = header.encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + content


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello, this is no array at all",
        frame("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}"),
        frame("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", b"cos\nsystem\n(S'true'\ntR."),
        frame("{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}"),
        frame("{'descr': '|u1', 'fortran_order': False, 'shape': (9,)}", b"[1,2]"),
        frame("{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}", b"[]"),
        frame("{'descr': '|u1', 'fortran_order': False, 'shape': (200,)}", b'{"arrays": 1e9, "head": {}}'.ljust(200)),
    ],
    ids=["nothing", "no array", "10^12 numbers", "a pickle", "negative", "cut short", "no record", "many arrays"],
)
def test_what_is_no_message_is_refused(content):
    with pytest.raises(BrokenFrame):
        receive(io.BytesIO(content))
