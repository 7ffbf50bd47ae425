"""Tables that cannot be used: each is refused with one sentence that names what was found and what to do."""

import gzip
import io
import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from testimate.core.errors import BadInput
from testimate.subjects.prediction_table import read_table, table_content
from testimate.tables import limits
from testimate.tables.cells import Column
from tests.each import each

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def parquet_of(**columns: object) -> bytes:
    file = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(columns), file)
    return file.getvalue()


FILES = {
    "picture": ("t.csv", PNG, "is a PNG picture"),
    "damaged zip": ("t.csv", b"PK\x03\x04" + bytes(99), "'t.csv' is damaged or cut off. Expected a complete zip"),
    "picture in gzip": ("t.csv.gz", gzip.compress(PNG), "is a PNG picture"),
    "binary": ("t.csv", b"a,b\n1,\0\n", "contains binary data"),
    "half a letter of utf-16": (
        "t.csv",
        "outcome\n1\n".encode("utf-16")[:-1],
        "begins as text in UTF-16 and is damaged",
    ),
    "damaged utf-8": (
        "t.csv",
        "outcome,city\n1,Köln\n0,".encode() + b"\xff\n",
        "Line 3 contains characters that are not UTF-8",
    ),
    "no letters of windows": ("t.csv", b"outcome,city\n1,K\x81ln\n", "Line 2 contains characters that are not UTF-8"),
    "zero bytes": ("t.csv", b"", "is empty (0 bytes)"),
    "zero bytes of parquet": ("t.parquet", b"", "is empty (0 bytes)"),
    "nothing in gzip": ("t.csv.gz", gzip.compress(b""), "The table is empty"),
    "blank": ("t.csv", b"\n \n\n", "The table is empty"),
    "cut gzip": ("t.csv.gz", gzip.compress(b"outcome\n" + b"1\n0\n" * 500)[:-9], "gzip file is damaged or cut off"),
    "broken gzip": ("t.csv.gz", b"\x1f\x8b" + bytes(50), "gzip file is damaged or cut off"),
    "cut parquet": ("t.parquet", parquet_of(outcome=[1, 0])[:-20], "Parquet file is damaged or cut off"),
    "header only": ("t.csv", b"label,prediction\n", "a header and no rows"),
    "header without newline": ("t.csv", b"label,prediction", "a header and no rows"),
    "parquet without rows": ("t.parquet", parquet_of(outcome=pa.array([], pa.int64())), "columns and no rows"),
    "ragged semicolons": (
        "t.csv",
        b"label;prediction\n1;2\n1\n",
        "Row 1 (counted from 0) has 1 cell. Expected 2",
    ),
    "open quote": ("t.csv", b'outcome,note\n1,a\n0,"b\n1,c\n', "opened and never closed"),
    "parquet durations": (
        "t.parquet",
        parquet_of(outcome=pa.array([1, 2], pa.duration("s"))),
        "Its columns are none that can be used",
    ),
}

TEXTS = {
    "no columns known": ("a,b\n1,2\n", "Its columns are 'a', 'b'. Expected 'prediction'"),
    "label alone": ("label\n1\n2\n", "has no predictions. Its columns are 'label'"),
    "two predictions": ("SUT,prediction\n1,1\n", "'prediction' and 'SUT' both contain predictions"),
    "doubled": ("label,prediction,label\n1,2,1\n", "Two columns are named 'label'"),
    "doubled but for case": ("Label,prediction,LABEL\n1,2,1\n", "'Label' and 'LABEL' differ only in upper and lower"),
    "ragged": ("label,prediction\n1,2\n1\n", "Row 1 (counted from 0) has 1 cell. Expected 2"),
    "ragged the other way": ("label,prediction\n1,2,3\n", "Row 0 (counted from 0) has 3 cells. Expected 2"),
    "empty prediction": (
        "label,prediction\n1,2\n1,\n1,\n",
        "'prediction', row 1 (counted from 0) is empty, as is 1 more",
    ),
    "nan prediction": ("label,prediction\n1,2\n1,nan\n", "'prediction', row 1 (counted from 0) is 'nan'"),
    "a confidence in words": (
        "SUT,confidence\n1,0.9\n2,low\n",
        "'confidence', row 1 (counted from 0) contains the text",
    ),
    "confidence in percent": ("SUT,confidence\n1,0.5\n2,93\n", "'confidence' goes from 0.5 to 93. As percent"),
    "negative confidence": ("SUT,confidence\n1,-0.5\n2,1\n", "'confidence', row 0 (counted from 0) is -0.5"),
    "logits": ("p_0,p_1\n0.2,0.8\n0.2,0.9\n", "probabilities of row 1 (counted from 0) sum to 1.1"),
    "probability beyond 1": ("p_0,p_1\n-1,2\n", "'p_0', row 0 (counted from 0) is -1"),
    "missing probability": ("p_0,p_2\n0.5,0.5\n", "'p_1' is missing"),
    "doubled probability": ("p_1,p_01,p_0\n0.5,0.5,0\n", "'p_1' and 'p_01' contain the probability of the same class"),
    "label beyond the probabilities": (
        "label,p_0,p_1\n1,0.5,0.5\n2,1,0\n",
        "'label', row 1 (counted from 0) is class 2",
    ),
    "more probabilities than words": (
        "label,p_0,p_1,p_2\na,1,0,0\nb,0,1,0\n",
        "3 columns of probabilities and 2 classes",
    ),
    "more words than probabilities": (
        "prediction,p_0,p_1\na,1,0\nb,0,1\nc,0,1\n",
        "2 columns of probabilities and 3 cl",
    ),
    "probabilities in another order": (
        "prediction,p_0,p_1\na,0,1\nb,1,0\n",
        "the predicted one in only 0% of the rows",
    ),
    "probabilities of numbers": (
        "label,p_0,p_1\n0.5,0,1\n",
        "columns of probabilities, and labels or predictions that",
    ),
    "words against numbers": ("label,prediction\ncat,1\ndog,2\n", "one contains numbers, the other words"),
    "text among numbers": (
        "label,prediction\n0.5,0.25\n0.5,x\n0.1,0.2\n",
        "'prediction', row 1 (counted from 0) contains",
    ),
    "odd outcome": ("outcome\nPass\nmaybe\n", "'outcome', row 1 (counted from 0) contains 'maybe'"),
    "empty outcome": ("outcome,SUT\nPass,1\n,2\n", "'outcome', row 1 (counted from 0) is empty"),
    "contradiction": (
        "label,prediction,outcome\n1,1,Pass\n1,2,Pass\n",
        "In row 1 (counted from 0) the outcome says right",
    ),
    "one class": ("prediction\n7\n7\n", "Every prediction is '7', the only class"),
    "negative tolerance": ("label,prediction\n0.5,0.5\n", "The tolerance is -1"),
}


def refusal(content: bytes, name: str, **options: float) -> str:
    with pytest.raises(BadInput) as refused:
        read_table(content, name=name, **options)
    return str(refused.value)


@each("case", FILES)
def test_a_file_that_is_not_a_table_is_refused_with_a_sentence(case):
    name, content, sentence = FILES[case]
    assert sentence in refusal(content, name)


@each("case", TEXTS)
def test_a_table_that_cannot_be_used_is_refused_with_a_sentence(case):
    text, sentence = TEXTS[case]
    options = {"tolerance": -1} if case == "negative tolerance" else {}
    said = refusal(text.encode(), "t.csv", **options)
    assert sentence in said
    assert said.endswith(".")
    assert "\n" not in said


WRITABLE_AS_PARQUET = [case for case in TEXTS if "ragged" not in case and "doubled" not in case]


@each("case", WRITABLE_AS_PARQUET)
def test_the_same_table_as_parquet_is_refused_too(case):
    file = io.BytesIO()
    pd.read_csv(io.StringIO(TEXTS[case][0]), skip_blank_lines=False).to_parquet(file)
    assert refusal(file.getvalue(), "t.parquet", tolerance=-1)


def test_a_path_that_is_absent_or_a_folder_is_refused_with_a_sentence(tmp_path):
    for path in (tmp_path / "absent.csv", tmp_path):
        with pytest.raises(BadInput, match=r"could not be read|is a folder. Expected a table"):
            read_table(path, name="t")


def test_cut_anywhere_a_gzip_or_parquet_file_is_refused():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"outcome": rng.integers(0, 2, 50), "dsa": rng.random(50)})
    parquet = io.BytesIO()
    frame.to_parquet(parquet)
    packed = gzip.compress(frame.to_csv(index=False).encode())
    for length in range(2, len(packed) - 1, 37):
        refusal(packed[:length], "t.csv.gz")
    for length in range(1, len(parquet.getvalue()), 37):
        refusal(parquet.getvalue()[:length], "t.parquet")


def test_a_parquet_file_with_flipped_bytes_is_refused_or_read_but_never_a_traceback():
    content = bytearray(parquet_of(outcome=[1, 0] * 50, note=["a", "b"] * 50, dsa=np.arange(100.0)))
    refused = 0
    for place in range(4, len(content), 3):
        damaged = content.copy()
        damaged[place] ^= 0x5A
        try:
            read_table(bytes(damaged), name="t.parquet")
        except BadInput:
            refused += 1
    assert refused > 0


def test_a_gzip_bomb_is_stopped_while_it_unpacks():
    member = gzip.compress(b"1,1,1\n" * 10_000_000)
    bomb = gzip.compress(b"outcome,a,b\n") + member * 100  # 6 GB of text
    assert len(bomb) < 20_000_000
    tracemalloc.start()
    assert "Expected at most 5,000,000" in refusal(bomb, "t.csv.gz")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200_000_000


def test_a_gzip_bomb_of_one_line_is_stopped_while_it_unpacks():
    bomb = gzip.compress(b"outcome\n") + gzip.compress(b"1" * 20_000_000) * 300
    assert "A line of the file is longer than 32,000,000 bytes" in refusal(bomb, "t.csv.gz")


def test_a_small_parquet_file_that_claims_terabytes_of_text_is_opened_without_it_and_its_text_is_refused():
    long_text = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1_000_000, dtype=np.int32)), ["x" * 9_999])
    content = parquet_of(outcome=np.ones(1_000_000), note=long_text)
    assert len(content) < 1_000_000
    tracemalloc.start()
    subject = read_table(content, name="t.parquet")
    assert dict(subject.dataset.show(3).cells)["note"] == "x" * 9_999
    assert tracemalloc.get_traced_memory()[1] < 100_000_000
    tracemalloc.stop()
    with pytest.raises(BadInput, match=r"or more bytes of text. Expected at most 1,500,000,000"):
        _ = Column("note", table_content(content, "t.parquet").cells.columns["note"]).texts


def test_a_parquet_file_that_will_not_fit_the_memory_is_refused_from_its_footer(monkeypatch):
    content = parquet_of(outcome=np.ones(5_000_001, dtype=np.int8))
    assert len(read_table(content, name="t.parquet").inputs) == 5_000_001  # no count of rows is too many
    monkeypatch.setattr(limits, "free_bytes", lambda: 300_000_000)
    found = refusal(content, "t.parquet")
    assert "5,000,001 rows and 1 columns, which will take about 0.5 GB of memory, and 0.3 GB are free" in found


@pytest.mark.parametrize(
    ("limit", "most", "text", "sentence"),
    [
        ("MAX_FILE_BYTES", 10, "outcome\n1\n0\n", "12 bytes. Expected at most 10"),
        ("MAX_TEXT_ROWS", 2, "outcome\n1\n0\n1\n", "3 rows. Expected at most 2"),
        ("MAX_COLUMNS", 2, "outcome,a,b\n1,0,1\n", "3 columns. Expected at most 2"),
        ("MAX_TEXT_CELLS", 5, "outcome,a,b\n1,0,1\n0,1,1\n", "6 cells (rows x columns). Expected at most 5"),
        (
            "MAX_CELL_LENGTH",
            7,
            "outcome,note\n1,too long\n",
            "'note', row 0 (counted from 0) has 8 characters. Expected at most 7",
        ),
        ("MAX_CLASSES", 2, "prediction\na\nb\nc\n", "name 3 classes. Expected at most 2"),
        ("MAX_LINE_BYTES", 30, "outcome,note\n1," + "x" * 90 + "\n", "longer than 30 bytes"),
    ],
)
def test_every_limit_is_kept_and_named(monkeypatch, limit, most, text, sentence):
    monkeypatch.setattr(limits, limit, most)
    assert sentence in refusal(text.encode(), "t.csv")


def test_the_unpacked_bytes_are_limited_whatever_the_lines(monkeypatch):
    monkeypatch.setattr(limits, "MAX_UNPACKED_BYTES", 1_000)
    assert "unpacks to more than 1,000 bytes" in refusal(gzip.compress(b"outcome\n" + b"1\n" * 999), "t.csv.gz")
