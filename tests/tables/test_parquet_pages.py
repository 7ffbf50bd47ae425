"""Parquet files that would unpack to far more than they are: refused by the headers of their pages, before any is unpacked."""

import io
import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from testimate.core.errors import BadInput
from testimate.datasets.open import open_dataset_file
from testimate.subjects.prediction_table import read_table
from testimate.tables import parquet
from testimate.tables.files import read_cells
from testimate.tables.parquet import check_pages, pages_of
from tests.each import each

LABELS = ["a", "b"] * 50
LONG = [chr(97 + place % 26) * 100_000 + str(place) for place in range(100)]
"""A hundred different texts that together have ten million characters."""


def written(table: pa.Table, **options: Any) -> bytes:
    file = io.BytesIO()
    pyarrow.parquet.write_table(table, file, **{"compression": "zstd", **options})
    return file.getvalue()


ONE_DICTIONARY = {"dictionary_pagesize_limit": 2_000_000_000}
SMALL_PAGES, ONE_PAGE = ({"use_dictionary": False, "data_page_size": size} for size in (100_000, 2_000_000_000))


@pytest.fixture
def lower(monkeypatch):
    """A tenth of the bounds, so that the tests unpack ten megabytes instead of a hundred."""
    monkeypatch.setattr(parquet, "MAX_DICTIONARY_BYTES", 6_400_000)
    monkeypatch.setattr(parquet, "UNPACKED_FREELY", 10_000_000)


@each(
    ("options", "found"),
    [
        (ONE_DICTIONARY, "a part that unpacks to 10,000,590 bytes. Expected at most 6"),
        (SMALL_PAGES, "that unpack to 10,[0-9]{3},[0-9]{3} or more. Expected at most 200 times as many"),
        (ONE_PAGE, "that unpack to 10,[0-9]{3},[0-9]{3} or more. Expected at most 200 times as many"),
    ],
)
def test_a_few_kilobytes_of_parquet_that_unpack_to_far_more_are_refused(options, found, tmp_path, lower):
    content = written(pa.table({"prediction": LABELS, "text": LONG}), **options)
    assert len(content) < 30_000
    pool_before = pa.default_memory_pool().bytes_allocated()
    for read in (
        lambda: read_table(content, name="t.parquet"),
        lambda: open_dataset_file(saved(tmp_path / "t.parquet", content)),
    ):
        with pytest.raises(BadInput, match=f"Column 'text' has .*{found}"):
            read()
    assert pa.default_memory_pool().bytes_allocated() - pool_before < 1_000_000


def saved(path: Any, content: bytes) -> Any:
    path.write_bytes(content)
    return path


def test_files_in_cells_that_would_unpack_too_far_are_refused_by_their_column(lower):
    pictures = [text.encode() for text in LONG]
    content = written(pa.table({"prediction": LABELS, "image": pictures}), **ONE_DICTIONARY)
    table = read_table(content, name="t.parquet")
    assert "Column 'image' has a part that unpacks to" in dict(table.dataset.show(3).cells)["not shown"]


def test_the_one_text_that_a_million_rows_repeat_is_refused_as_it_is_counted():
    repeated = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1_000_000, np.int32)), pa.array(["x" * 100_000]))
    said = pa.DictionaryArray.from_arrays(pa.array((np.arange(1_000_000) % 2).astype(np.int32)), pa.array(["a", "b"]))
    with pytest.raises(BadInput, match=r"or more bytes of text. Expected at most"):
        read_table(written(pa.table({"prediction": said, "text": repeated})), name="t.parquet")


def test_fields_of_lists_and_structs_are_columns_by_their_path():
    deep = pa.array([1] * 100)
    for _ in range(40):
        deep = pa.StructArray.from_arrays([deep], ["in"])
    marks = pa.array([{"blur": row / 100, "by": {"name": "eve"}} for row in range(100)])
    sets = pa.array([["cat", "owl"]] * 100)
    content = written(pa.table({"prediction": LABELS, "marks": marks, "sets": sets, "deep": deep}))
    cells = read_cells(content, "t.parquet")
    assert [*cells.columns] == ["prediction", "marks.blur", "marks.by.name", "sets", "deep.in.in.in.in.in.in.in"]
    assert cells.columns["marks.blur"].to_pylist()[:2] == [0.0, 0.01]
    assert cells.columns["sets"][0].as_py() == '["cat", "owl"]'


def test_a_small_file_of_lists_that_unpack_too_far_leaves_them_out():
    one = pa.DictionaryArray.from_arrays(pa.array(np.zeros(500_000, np.int32)), pa.array(["x" * 100_000]))
    lists = pa.ListArray.from_arrays(pa.array(np.arange(0, 500_001, 5_000, dtype=np.int32)), one)
    content = written(pa.table({"prediction": LABELS, "lists": lists}))
    assert len(content) < 1_000_000
    tracemalloc.start()
    table = read_table(content, name="t.parquet")
    assert tracemalloc.get_traced_memory()[1] < 100_000_000
    tracemalloc.stop()
    assert dict(table.facts)["columns left out"] == "lists"


@each(
    "options",
    [
        {},
        {"use_dictionary": False},
        {"data_page_version": "2.0"},
        {"compression": "snappy", "data_page_size": 1_000},
        {"compression": "none", "row_group_size": 700},
        {"write_page_checksum": True},
        {"write_statistics": False},
    ],
)
def test_the_pages_take_as_many_bytes_as_the_writer_counted(options):
    rng = np.random.default_rng(0)
    words = ["w" * size for size in rng.integers(0, 6_000, 2_000)]  # statistics longer than a header is read at first
    content = written(pa.table({"text": words, "number": rng.random(2_000)}), **options)
    reader = pa.BufferReader(content)
    metadata = pyarrow.parquet.ParquetFile(reader).metadata
    groups = [metadata.row_group(place) for place in range(metadata.num_row_groups)]
    for place, name in enumerate(("text", "number")):
        chunks = [group.column(place) for group in groups]
        pages = list(pages_of(reader, metadata, name))
        assert sum(page.packed for page in pages) == sum(chunk.total_compressed_size for chunk in chunks)
        assert len(pages) >= len(chunks)
        check_pages(reader, metadata, name)


def test_a_page_without_a_header_is_a_damaged_file():
    content = bytearray(written(pa.table({"prediction": LABELS, "text": LONG[:1] * 100})))
    metadata = pyarrow.parquet.ParquetFile(io.BytesIO(bytes(content))).metadata
    start = metadata.row_group(0).column(1).dictionary_page_offset
    content[start : start + 16] = b"\xff" * 16
    with pytest.raises(BadInput, match="is damaged or cut off"):
        read_table(bytes(content), name="t.parquet")


def test_class_names_of_a_million_rows_are_read_whatever_they_unpack_to():
    frame = pd.DataFrame({"prediction": np.where(np.arange(1_000_000) % 3 == 0, "a class with a long name", "b")})
    for options in ({}, {"use_dictionary": False}):
        assert len(read_table(written(pa.Table.from_pandas(frame), **options), name="t.parquet").dataset) == 1_000_000
