"""Messages over pipes: what is sent arrives, and what is claimed is checked before any memory is taken."""

import io

import numpy as np
import pytest

from testimate.models.frames import BEGIN, BrokenFrame, Message, receive, send
from tests.each import each


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


def record(text: str) -> bytes:
    return BEGIN + len(text).to_bytes(8, "little") + text.encode()


def with_array(header: str, content: bytes = b"") -> bytes:
    text = header.encode()
    array = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + content
    return record('{"arrays": 1, "head": {}, "placed": null}') + array


@each(
    "content",
    [
        b"",
        b"hello, this is no record at all",
        BEGIN + (1 << 60).to_bytes(8, "little"),
        BEGIN + (9).to_bytes(8, "little") + b"[1,2]",
        record("[]"),
        record('{"arrays": 1e9, "head": {}, "placed": null}'),
        record('{"arrays": 1, "head": {}, "placed": [{"place": 0, "type": "<f4", "shape": [1]}]}'),
        with_array("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}"),
        with_array("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", b"cos\nsystem\n(S'true'\ntR."),
        with_array("{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}"),
        with_array("{'descr': '|u1', 'fortran_order': False, 'shape': (9,)}", b"cut"),
    ],
)
def test_what_is_not_a_message_is_refused(content):
    with pytest.raises(BrokenFrame):
        receive(io.BytesIO(content))
