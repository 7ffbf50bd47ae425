"""Arrays and pickles made to run code, to lie or to lead elsewhere: none leaves a mark, each gets a sentence."""

import gzip
import pickle
import struct
import zipfile

import numpy as np
import pandas as pd
import pytest

from testimate.datasets import limits
from tests.datasets.malice import (
    Marks,
    npy,
    peak_of,
    refusal,
    written,
)
from tests.each import each


def test_objects_in_an_array_are_never_unpickled(tmp_path):
    mark = tmp_path / "mark"
    evil = np.array([Marks(mark)], dtype=object)
    np.save(tmp_path / "a.npy", evil, allow_pickle=True)
    np.savez(tmp_path / "a.npz", x_test=np.zeros((1, 2)), y_test=evil)
    assert "can run any program" in refusal(tmp_path / "a.npy")
    assert "can run any program" in refusal(tmp_path / "a.npz")
    assert not mark.exists()
    np.load(tmp_path / "a.npy", allow_pickle=True)
    assert mark.exists(), "the file would have left a mark"


@each(
    ("content", "sentence"),
    [
        (
            npy("'<f8'", "(1000000, 1000000)", b"\0" * 8),
            "has 8,000,000,000,000 bytes in 'evil.npy'",
        ),
        (npy("'<f8'", "(10, 10)", b"\0" * 8), "claims 800 bytes of numbers and contains 8"),
        (npy("'<f8'", "(1,)", b"\0" * 80), "claims 8 bytes of numbers and contains 80"),
        (npy("'<f8'", "(-5, -5)", b"\0" * 200), "not empty"),
        (npy("'<f8'", "(2**62, 4)", b"\0" * 8), "no readable header of a NumPy array"),
        (npy("'<U100000000'", "(100,)", b"\0" * 8), "bytes in 'evil.npy'"),
        (npy("[('a', 'O'), ('b', '<f8')]", "(1,)", b"\0" * 16), "can run any program"),
        (npy("[('a', '<f8')]", "(1,)", b"\0" * 8), "Expected numbers or words"),
        (npy("'<M8[s]'", "(1,)", b"\0" * 8), "Expected numbers or words"),
        (npy("__import__('os').mkdir('mark')", "(1,)", b"\0" * 8), "no readable header of a NumPy array"),
        (npy("'<f8'", "(" * 4_000 + ")" * 4_000, b"\0" * 8), "no readable header of a NumPy array"),
        (b"\x93NUMPY\x09\x00" + b"\0" * 100, "no readable header of a NumPy array"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{", "no readable header of a NumPy array"),
        (b"\x93NUMPY", "no readable header of a NumPy array"),
        (npy("'<f8'", "(1,)", b"\0" * 8).replace(b"}", b"("), "no readable header of a NumPy array"),
    ],
)
def test_a_header_that_lies_is_refused_before_anything_is_read(tmp_path, content, sentence):
    path = written(tmp_path / "evil.npy", content)
    assert sentence in refusal(path)
    with zipfile.ZipFile(tmp_path / "d.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("evil.npy", content)
    assert sentence in refusal(tmp_path / "d.npz")
    assert peak_of(lambda: refusal(path)) < 10_000_000


def test_arrays_are_added_up_before_the_first_is_unpacked(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "d.npz", x=np.zeros((200, 1_000)), y=np.zeros(200), z=np.zeros((200, 1_000)))
    assert (tmp_path / "d.npz").stat().st_size < 20_000
    monkeypatch.setattr(limits, "MAX_UNFOLDED_BYTES", 3_000_000)
    assert "Expected at most 3,000,000" in refusal(tmp_path / "d.npz")
    assert peak_of(lambda: refusal(tmp_path / "d.npz")) < 1_000_000


def test_a_member_whose_size_is_forged_is_refused(tmp_path):
    np.savez_compressed(tmp_path / "d.npz", x=np.zeros((50, 10)))
    content = bytearray((tmp_path / "d.npz").read_bytes())
    place = content.rfind(b"PK\x01\x02") + 24  # the unfolded size in the table of contents
    content[place : place + 4] = struct.pack("<I", 128 + 10 * 10 * 8)
    assert "damaged or cut off" in refusal(written(tmp_path / "e.npz", bytes(content)))
    header = npy("'<f8'", "(10, 10)")
    with zipfile.ZipFile(tmp_path / "f.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", header + bytes(4_000))
    content = bytearray((tmp_path / "f.npz").read_bytes())
    place = content.rfind(b"PK\x01\x02") + 24
    content[place : place + 4] = struct.pack("<I", len(header) + 800)
    assert "damaged or cut off" in refusal(written(tmp_path / "g.npz", bytes(content)))


def test_an_idx_file_that_lies_about_its_size_is_refused(tmp_path, monkeypatch):
    header = bytes((0, 0, 8, 3)) + struct.pack(">3I", 60_000, 28, 28)
    assert "claims 47,040,000 bytes" in refusal(written(tmp_path / "a", header + bytes(100)))
    assert "before its header says" in refusal(written(tmp_path / "b.gz", gzip.compress(header + bytes(100))))
    small = bytes((0, 0, 8, 1)) + struct.pack(">I", 5)
    bomb = written(tmp_path / "c.gz", gzip.compress(small + bytes(5_000_000)))
    assert "more than its header says" in refusal(bomb)
    assert peak_of(lambda: refusal(bomb)) < 2_500_000
    huge = bytes((0, 0, 8, 4)) + struct.pack(">4I", *(2**32 - 1,) * 4)
    assert "Expected at most" in refusal(written(tmp_path / "d", huge))
    monkeypatch.setattr(limits, "MAX_UNFOLDED_BYTES", 1_000)
    assert "Expected at most 1,000" in refusal(written(tmp_path / "e", header))


def test_a_pickle_is_never_a_dataset_whatever_its_name(tmp_path):
    mark = tmp_path / "mark"
    frame = pd.DataFrame({"a": [1]})
    frame.attrs["evil"] = Marks(mark)
    for name in ("data.pkl", "data.csv", "data.npz", "data.parquet"):
        assert "a pickle, which can run any program" in refusal(written(tmp_path / name, pickle.dumps(frame)))
        assert "a pickle, which can run any program" in refusal(
            written(tmp_path / name, gzip.compress(pickle.dumps(frame)))
        )
    with zipfile.ZipFile(tmp_path / "data.pt", "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(Marks(mark)))
    assert "contains a pickle" in refusal(tmp_path / "data.pt")
    assert not mark.exists()


@pytest.mark.parametrize("start", [b"\x89HDF\r\n\x1a\n", b"%!PS-Adobe-3.0 EPSF", b"Rar!\x1a", b"%PDF-1.7"])
def test_files_that_can_lead_elsewhere_are_named_and_refused(tmp_path, start):
    assert "Expected a dataset: a folder or zip of files, arrays, or a table" in refusal(
        written(tmp_path / "d.csv", start + bytes(99))
    )
