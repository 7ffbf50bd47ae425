"""Tables, texts and settings made to fill the memory: each gets a sentence, damaged ones never crash."""

import gzip
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from testimate.core.errors import BadInput
from testimate.datasets import limits
from testimate.datasets.preprocessing import read_preprocessing
from testimate.tables import limits as table_limits
from tests.datasets.malice import (
    outcome,
    peak_of,
    refusal,
    written,
)


def test_gzip_that_unpacks_too_far_is_refused_while_it_unpacks(tmp_path, monkeypatch):
    monkeypatch.setattr(table_limits, "MAX_UNPACKED_BYTES", 3_000_000)
    monkeypatch.setattr(limits, "MAX_TEXT_BYTES", 3_000_000)
    monkeypatch.setattr(limits, "MAX_LINE_BYTES", 100_000)
    numbers = written(tmp_path / "a", gzip.compress(b"a,b\n" + b"1,2\n" * 5_000_000))
    assert numbers.stat().st_size < 50_000
    assert "unpacks to more than 3,000,000 bytes" in refusal(numbers)
    texts = written(tmp_path / "b", gzip.compress(b"text\n" + b"x" * 99 + b"\n" + (b"x" * 99 + b"\n") * 50_000))
    assert "or more characters. Expected at most 3,000,000" in refusal(texts)
    lines = written(tmp_path / "c", gzip.compress(b'{"text": "' + b"x" * 5_000_000))
    assert "or more bytes in a line" in refusal(lines)
    assert peak_of(lambda: refusal(lines)) < 2_000_000


def test_texts_cells_and_rows_beyond_the_limits_are_refused(tmp_path, monkeypatch):
    long = "x" * (limits.MAX_TEXT_LENGTH + 1)
    assert "at most 8,000,000 characters" in refusal(written(tmp_path / "a", f"text\n{long}\n".encode()))
    assert "characters in 'row 0'" in refusal(written(tmp_path / "b", f'{{"text": "{long}"}}\n'.encode()))
    assert "characters in 'a.txt'" in refusal(written(tmp_path / "folder" / "a.txt", long.encode()).parent)
    file = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"text": [long]}), file)
    assert "characters in 'row 0'" in refusal(written(tmp_path / "c", file.getvalue()))
    monkeypatch.setattr(limits, "MAX_ROWS", 10)
    assert "Expected at most 10" in refusal(written(tmp_path / "d", b"text\n" + b"x\n" * 11))
    assert "Expected at most 10" in refusal(written(tmp_path / "e", b"a\n" + b"1\n" * 11))
    np.save(tmp_path / "f.npy", np.zeros((11, 2)))
    assert "Expected at most 10" in refusal(tmp_path / "f.npy")


def test_a_parquet_that_repeats_one_long_text_is_counted_as_it_is_read(tmp_path, monkeypatch):
    table = pa.table({"text": pa.array(["x" * 100_000] * 1_000).dictionary_encode()})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    assert (tmp_path / "t.parquet").stat().st_size < 60_000
    monkeypatch.setattr(limits, "MAX_TEXT_BYTES", 2_000_000)
    assert "or more characters" in refusal(tmp_path / "t.parquet")
    assert peak_of(lambda: refusal(tmp_path / "t.parquet")) < 10_000_000


def test_a_parquet_damaged_anywhere_is_refused_or_read_but_never_crashes(tmp_path):
    file = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"text": [f"t {n}" for n in range(99)], "label": list(range(99))}), file)
    whole, rng = file.getvalue(), np.random.default_rng(7)
    outcomes = set()
    for _ in range(60):
        broken = bytearray(whole)
        for place in rng.integers(4, len(whole), 2):
            broken[place] = rng.integers(256)
        outcomes.add(outcome(written(tmp_path / "t.parquet", bytes(broken))))
    assert outcomes == {"refused", "read"}


def test_a_settings_file_that_would_fill_the_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAX_SETTINGS_BYTES", 1_000)
    monkeypatch.setattr(limits, "MAX_VOCABULARY_BYTES", 1_000)
    path = written(tmp_path / "m.toml", b"[preprocessing]\nmean = [" + b"1," * 600 + b"]\n")
    with pytest.raises(BadInput, match="more than 1,000 bytes"):
        read_preprocessing(path)
    written(tmp_path / "v.txt", b"a\n" * 600)
    with pytest.raises(BadInput, match="more than 1,000 bytes"):
        read_preprocessing(written(path, b"[preprocessing]\nvocabulary = 'v.txt'\n"))
    with pytest.raises(BadInput, match="is not valid TOML"):
        read_preprocessing(written(path, b"a = " + b"[" * 990))
