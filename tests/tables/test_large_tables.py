"""Tables of many rows: a column is read when it is asked for, folders of files are one table, and nothing changes unseen."""

import hashlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from testimate.core.errors import BadInput, SubjectChanged
from testimate.core.fingerprint import of_bytes
from testimate.core.machine import free_bytes
from testimate.subjects.prediction_table import read_table, table_content
from testimate.tables import limits, parquet
from testimate.tables.cells import Column
from testimate.tables.parquet import ParquetColumns

WORDS = ["ant", "bee", "cat "]


@pytest.fixture
def table(tmp_path) -> Path:
    rng = np.random.default_rng(1)
    columns = {
        "prediction": [WORDS[place] for place in rng.integers(3, size=1_000)],
        "confidence": rng.random(1_000),
        "gini": rng.random(1_000).astype(np.float32),
        "site": [f"site {place}" for place in rng.integers(1_000, size=1_000)],
    }
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "t.parquet", row_group_size=300)
    return Path(tmp_path, "t.parquet")


def written(path: Path, **columns: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pa.table(columns), path)
    return path


def test_a_column_that_nobody_asks_for_is_not_read_again_once_the_table_is_open(table, monkeypatch):
    subject = read_table(table, name="t")
    asked: list[str] = []
    whole = ParquetColumns.__getitem__

    def counted(self: ParquetColumns, name: str) -> object:
        asked.append(name)
        return whole(self, name)

    monkeypatch.setattr(ParquetColumns, "__getitem__", counted)
    assert subject.inputs is not None
    assert list(subject.inputs.scores) == ["confidence", "gini"]
    assert asked == []
    expected = pyarrow.parquet.read_table(table)
    gini = subject.inputs.scores["gini"]
    np.testing.assert_array_equal(gini, expected.column("gini").to_numpy().astype(np.float64))
    np.testing.assert_array_equal(subject.inputs.scores["confidence"], 1 - expected.column("confidence").to_numpy())
    assert subject.inputs.scores["gini"] is gini
    assert asked == ["gini"]
    assert dict(subject.dataset.show(999).cells)["site"] == expected.column("site")[999].as_py()
    assert dict(subject.dataset.show(2).cells)["site"] == expected.column("site")[2].as_py()
    assert asked == ["gini"]


@pytest.mark.parametrize("rows", [7, 300, 10_000])
def test_pieces_of_any_size_give_the_same_words_and_numbers(table, monkeypatch, rows):
    expected = pyarrow.parquet.read_table(table)
    monkeypatch.setattr(parquet, "BATCH_ROWS", rows)
    columns = table_content(table, "t").cells.columns
    for name in ("prediction", "site"):
        column = Column(name, columns[name])
        words = np.array(column.words.to_pylist())
        assert words[column.places].tolist() == [one.strip() for one in expected.column(name).to_pylist()]
        assert sorted(words) == sorted({one.strip() for one in expected.column(name).to_pylist()})
    np.testing.assert_array_equal(Column("gini", columns["gini"]).values, expected.column("gini").to_numpy())


def test_more_words_than_are_counted_at_a_time_and_empty_cells_are_read_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "BATCH_ROWS", 100)
    monkeypatch.setattr(parquet, "MOST_WORDS", 150)
    said = [f"word {row}" for row in range(500)]
    gaps = [None if row % 7 == 0 and row > 200 else row for row in range(500)]
    holes = [None if row % 9 == 0 and row > 200 else f"class {row % 3}" for row in range(500)]
    path = written(tmp_path / "t.parquet", said=said, number=gaps, hole=holes)
    columns = table_content(path, "t").cells.columns
    assert Column("said", columns["said"]).texts.to_pylist() == said
    assert (
        np.array(Column("said", columns["said"]).words.to_pylist())[Column("said", columns["said"]).places].tolist()
        == said
    )
    number = Column("number", columns["number"])
    assert np.flatnonzero(number.is_empty).tolist() == [row for row in range(500) if gaps[row] is None]
    assert number.values[499] == 499
    hole = Column("hole", columns["hole"])
    assert np.flatnonzero(hole.is_empty).tolist() == [row for row in range(500) if holes[row] is None]
    with pytest.raises(BadInput, match=r"'hole', row 207 \(counted from 0\) is empty, as are 32 more"):
        hole.check_filled()


def test_the_fingerprint_is_that_of_the_whole_content_as_before(table):
    content = table.read_bytes()
    assert read_table(table, name="t").fingerprint == of_bytes(content)
    by_hand = hashlib.sha256(len(content).to_bytes(8, "little") + content).hexdigest()[:32]
    assert read_table(table, name="t").fingerprint == by_hand


def test_a_file_that_changes_while_it_is_read_is_refused_in_a_sentence(table):
    subject = read_table(table, name="t")
    assert subject.inputs is not None
    written(table, prediction=["ant"] * 1_000, confidence=np.zeros(1_000), gini=np.zeros(1_000))
    with pytest.raises(SubjectChanged, match=r"'t.parquet' has changed since it was opened. Expected the same file"):
        _ = subject.inputs.scores["gini"]


def test_a_partitioned_folder_is_one_table_and_its_keys_are_columns(tmp_path):
    for day, site, said in (("1", "north%20sea", "a"), ("1", "delta", "b"), ("2", "delta", "a")):
        folder = tmp_path / "t" / f"day={day}" / f"site={site}"
        written(folder / "0.parquet", prediction=[said, "a"], confidence=[0.5, 0.75])
    subject = read_table(tmp_path / "t", name="t")
    assert subject.inputs is not None
    assert subject.inputs.predictions.tolist() == [1, 0, 0, 0, 0, 0]  # in order of the names: delta before north
    assert subject.inputs.scores["day"].tolist() == [1, 1, 1, 1, 2, 2]
    assert dict(subject.dataset.show(2).cells)["site"] == "north sea"
    (tmp_path / "t" / "day=2").rename(tmp_path / "t" / "day=3")
    assert read_table(tmp_path / "t", name="t").fingerprint != subject.fingerprint


def test_files_with_different_columns_are_refused_in_a_sentence(tmp_path):
    written(tmp_path / "a" / "0.parquet", prediction=["x", "y"], size=[1, 2])
    written(tmp_path / "a" / "1.parquet", prediction=["x", "y"], size=["1", "2"])
    with pytest.raises(
        BadInput, match=r"'1.parquet' contains words in 'size', and '0.parquet' int64. Expected one kind"
    ):
        read_table(tmp_path / "a", name="a")
    written(tmp_path / "b" / "day=1" / "0.parquet", prediction=["x", "y"])
    written(tmp_path / "b" / "0.parquet", prediction=["x", "y"])
    with pytest.raises(BadInput, match=r"has different columns or classes from '0.parquet', such as 'day'"):
        read_table(tmp_path / "b", name="b")


def test_a_csv_whose_rows_will_not_fit_into_free_memory_is_refused(monkeypatch):
    monkeypatch.setattr(limits, "free_bytes", lambda: 100_000)
    with pytest.raises(BadInput, match=r"which will take about 0\.0 GB of memory, and 0\.0 GB are free"):
        read_table(b"prediction,score\n" + b"a,0.5\n" * 1_000, name="t.csv")


def test_free_memory_is_what_the_container_allows(tmp_path):
    system = tmp_path / "meminfo"
    system.write_text("MemTotal: 9000 kB\nMemAvailable:    5000 kB\n")
    assert free_bytes(system, tmp_path / "none") == 5_000 * 1024
    for name, text in (
        ("memory.max", "3000000"),
        ("memory.current", "2500000"),
        ("memory.stat", "anon 5\ninactive_file 1000\n"),
    ):
        (tmp_path / name).write_text(text)
    assert free_bytes(system, tmp_path) == 501_000
    (tmp_path / "memory.max").write_text("max")
    assert free_bytes(system, tmp_path) == 5_000 * 1024


def test_a_row_count_that_does_not_fit_its_forecast_is_refused_before_a_cell_is_read(table, monkeypatch):
    monkeypatch.setattr(limits, "free_bytes", lambda: 100_000)
    read: list[str] = []
    monkeypatch.setattr(ParquetColumns, "pieces", lambda columns, name: read.append(name))
    refused = "1,000 rows and 4 columns, which will take about 0.0 GB of memory, and 0.0 GB are free. Expected a table"
    with pytest.raises(BadInput, match=refused.replace(" ", "[ \u202f\u00a0]")):
        read_table(table, name="t")
    assert read == []


@pytest.mark.parametrize("announced", [1_100, 900])
def test_a_row_count_other_than_the_files_own_is_refused_whatever_was_read(table, announced):
    content = bytearray(table.read_bytes())
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    place = content.index(I64 + zigzag(1_000), start)  # the footer's own count; row groups have 300 at most
    content[place : place + 3] = I64 + zigzag(announced)
    table.write_bytes(content)
    said = f"has (1000|[0-9]+) rows of '[a-z]+'. Expected {announced}, as its header says. Copy or download it again"
    with pytest.raises(BadInput, match=said):
        read_table(table, name="t")


I64 = b"\x16"
"""Thrift's compact protocol, a field of 64 bits after the one before it."""


def zigzag(count: int) -> bytes:
    """A number as that protocol writes it, in two bytes."""
    return bytes((2 * count & 0x7F | 0x80, 2 * count >> 7))
