"""Tables of every kind are opened by their content, whatever they are called; what cannot be read is refused in a sentence."""

import gzip
import io
import json
import sqlite3
import struct
import zipfile
from contextlib import closing

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest

from testimate.core.errors import BadInput
from testimate.subjects.prediction_table import read_table
from testimate.tables import json_tables, limits, sqlite_tables
from testimate.tables.files import read_cells
from testimate.tables.rules import LONE
from tests.each import each
from tests.tables.workbooks import workbook

ROWS = [
    {"prediction": ["cat", "owl", "dog"][row % 3], "confidence": row / 64, "seen": row % 2 == 0} for row in range(60)
]
FRAME = pd.DataFrame(ROWS)


def packed(*files: tuple[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return held.getvalue()


def feather(compression: str) -> bytes:
    held = io.BytesIO()
    pyarrow.feather.write_feather(pa.Table.from_pandas(FRAME, preserve_index=False), held, compression=compression)
    return held.getvalue()


def stream() -> bytes:
    held = io.BytesIO()
    table = pa.Table.from_pandas(FRAME, preserve_index=False)
    with pa.ipc.new_stream(held, table.schema) as writer:
        writer.write_table(table)
    return held.getvalue()


def database(*statements: str, rows: bool = True) -> bytes:
    with closing(sqlite3.connect(":memory:")) as made:
        if rows:
            made.execute("CREATE TABLE answers (prediction TEXT, confidence REAL, seen INTEGER)")
            made.executemany("INSERT INTO answers VALUES (?, ?, ?)", [tuple(row.values()) for row in ROWS])
        for statement in statements:
            made.execute(statement)
        made.commit()
        return made.serialize()


def lines(rows: list[dict]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


CSV = FRAME.to_csv(index=False).encode()
HEADER = [[*ROWS[0]]]
KINDS = {
    "CSV": CSV,
    "TSV": FRAME.to_csv(index=False, sep="\t").encode(),
    "JSON": FRAME.to_json(orient="records").encode(),
    "JSON of columns": FRAME.to_json(orient="columns").encode(),
    "JSON split": FRAME.to_json(orient="split").encode(),
    "JSON of lists": json.dumps({name: FRAME[name].tolist() for name in FRAME}).encode(),
    "JSON below data": json.dumps({"version": 2, "data": ROWS}, indent=1).encode(),
    "JSON below results twice": json.dumps({"results": {"stats": {"n": 60}, "results": ROWS}}).encode(),
    "JSON in UTF-16": json.dumps(ROWS).encode("utf-16"),
    "JSON Lines": lines(ROWS),
    "JSON Lines of two orders": lines([*ROWS[:30], *(dict(reversed(row.items())) for row in ROWS[30:])]),
    "Feather": feather("uncompressed"),
    "Feather in LZ4": feather("lz4"),
    "Feather in Zstandard": feather("zstd"),
    "Arrow stream": stream(),
    "SQLite": database(),
    "workbook": workbook(HEADER + [[*row.values()] for row in ROWS]),
    "gzip": gzip.compress(lines(ROWS)),
    "zip": packed(("t.csv", CSV)),
    "zip of a Mac": packed(("t.csv", CSV), ("__MACOSX/._t.csv", b"\0\0")),
    "gzip in a zip": packed(("t.csv.gz", gzip.compress(CSV))),
    "Parquet in gzip": gzip.compress(FRAME.to_parquet()),
}


@each("kind", KINDS)
def test_each_kind_gives_the_table_it_was_made_from_under_any_name(kind):
    for name in ("t.csv", "table", "t.parquet"):
        table = read_table(KINDS[kind], name=name)
        assert table.task.classes == ("cat", "dog", "owl")
        np.testing.assert_allclose(table.inputs.confidence, FRAME["confidence"], rtol=0, atol=1e-12)


@each(
    ("kind", "said"),
    [
        ("gzip", "JSON Lines in gzip"),
        ("zip", "CSV in a zip"),
        ("SQLite", "SQLite, table 'answers'"),
        ("Feather", "Arrow"),
    ],
)
def test_the_reading_says_what_the_file_is(kind, said):
    assert read_table(KINDS[kind], name="t").reading.format == said


@each(
    "kind",
    ["JSON", "JSON Lines", "Feather in LZ4", "Feather in Zstandard", "SQLite", "workbook", "gzip", "gzip in a zip"],
)
def test_a_file_of_any_kind_that_was_cut_is_refused_in_a_sentence(kind):
    content = KINDS[kind]
    for length in (len(content) // 2 + 7, len(content) - 2, 40):
        with pytest.raises(BadInput) as refused:
            read_table(content[:length], name="t")
        assert str(refused.value).endswith(".")
        assert "\n" not in str(refused.value)


def test_numbers_and_words_of_json_lines_keep_their_spelling():
    cells = read_cells(
        lines([{"day": "2024-01-02", "code": "007", "n": 1}, {"day": "2024-01-03", "code": "1e2", "n": 2.5}]), ""
    )
    assert cells.columns["day"].to_pylist() == ["2024-01-02", "2024-01-03"]
    assert cells.columns["code"].to_pylist() == ["007", "1e2"]
    assert cells.columns["n"].to_pylist() == [1.0, 2.5]


def test_fields_that_only_some_lines_have_are_empty_in_the_others():
    rows = [{"a": 1}] * 2000 + [{"a": 2, "error": "late"}] + [{"a": [1, 2]}]
    cells = read_cells(lines(rows), "t.jsonl")
    assert cells.columns["error"].to_pylist() == [None] * 2000 + ["late", None]
    assert cells.columns["a"][2001].as_py() == "[1, 2]"


def test_a_line_that_is_no_object_is_named():
    for second, found in (
        (b"[1]", "Line 2 of 't.jsonl' is list"),
        (b'{"a": ', "Line 2 of 't.jsonl' is not complete JSON"),
    ):
        with pytest.raises(BadInput, match=found):
            read_cells(b'{"a": 1}\n' + second + b'\n{"a": 2}\n', "t.jsonl")


@each("levels", [101, 5_000, 200_000])
def test_records_nested_too_deeply_are_refused_in_a_sentence(levels):
    deep = b'{"a": ' + b"[" * levels + b"]" * levels + b"}"
    for content in (deep, deep + b"\n" + deep, b"[" + deep + b"]"):
        with pytest.raises(BadInput, match="objects inside objects more than 100 levels deep"):
            read_cells(content, "t.json")


@each("content", [b"{%s}", b'{%s}\n{"a": 1}', b"[{%s}]"])
def test_a_hundred_thousand_fields_are_refused_in_a_sentence(content):
    fields = b", ".join(b'"c%d": 1' % place for place in range(100_000))
    with pytest.raises(BadInput, match=r"The table has 100,000 columns. Expected at most 25,000"):
        read_cells(content % fields, "t.json")


def test_fields_of_another_name_in_each_line_are_refused_before_they_fill_the_memory(monkeypatch):
    monkeypatch.setattr(limits, "MAX_TEXT_CELLS", 1_000_000)
    with pytest.raises(BadInput, match=r"cells \(rows x columns\). Expected at most"):
        read_cells(b"\n".join(b'{"k%d": 1}' % row for row in range(3_000)), "t.jsonl")


def test_a_json_document_beyond_the_bound_is_refused_with_the_command_that_helps(monkeypatch):
    monkeypatch.setattr(limits, "MAX_JSON_BYTES", 100)
    with pytest.raises(BadInput, match=r"Run jq -c '\.\[\]' all\.json > all\.jsonl on a list"):
        read_cells(KINDS["JSON"], "all.json")
    assert read_cells(KINDS["JSON Lines"], "all.jsonl").size == 60


def test_lines_that_open_many_lists_are_read_as_any_others(monkeypatch):
    plain = read_cells(KINDS["JSON Lines"], "t").columns
    monkeypatch.setattr(json_tables, "MOST_OPENED", 0)
    assert {name: cells.to_pylist() for name, cells in read_cells(KINDS["JSON Lines"], "t").columns.items()} == {
        name: cells.to_pylist() for name, cells in plain.items()
    }


@each(
    ("document", "found"),
    [
        ([1, 2], "a list of 2 values"),
        ([], "JSON without rows"),
    ],
)
def test_json_without_rows_says_what_was_found(document, found):
    with pytest.raises(BadInput, match=found):
        read_cells(json.dumps(document).encode().replace(b"[1, 2]", b"[[], 2]"), "t.json")


def test_the_only_view_of_a_database_is_read():
    content = database(
        "ALTER TABLE answers RENAME TO raw", "DELETE FROM raw", "CREATE VIEW said AS SELECT 'cat' AS prediction"
    )
    assert read_cells(content, "t.db").columns["prediction"].to_pylist() == ["cat"]


@each(
    ("statements", "found"),
    [
        (["CREATE TABLE more AS SELECT * FROM answers"], "2 tables, 'answers', 'more'.*sqlite3 -header -csv t.db"),
        (["DELETE FROM answers"], "without rows"),
    ],
)
def test_a_database_without_one_table_says_which_command_exports_it(statements, found):
    with pytest.raises(BadInput, match=found):
        read_cells(database(*statements), "t.db")


def test_lists_and_the_books_of_a_database_beside_one_large_table_are_named_and_not_read():
    beside = ["CREATE TABLE classes AS SELECT 'cat' AS name", "CREATE TABLE version AS SELECT 7 AS number"]
    cells = read_cells(database(*beside), "t.db")
    assert (cells.size, cells.notes) == (
        60,
        (
            "The table 'answers' is read, and 'classes', 'version' are not. Run sqlite3 -header -csv t.db 'SELECT * FROM "
            "classes' > classes.csv to read another.",
        ),
    )
    log = "CREATE TABLE log AS SELECT a.seen AS at FROM answers a, answers b, (SELECT 1 UNION SELECT 2)"
    with pytest.raises(BadInput, match="2 tables, 'answers', 'log'"):
        read_cells(database(log), "t.db")


ENDLESS = "WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) SELECT n AS prediction FROM more"


def test_a_view_that_never_ends_is_stopped(monkeypatch):
    monkeypatch.setattr(sqlite_tables, "MOST_STEPS", 1_000_000)
    with pytest.raises(BadInput, match=r"takes more than 1,000,000 steps"):
        read_cells(database(f"CREATE VIEW endless AS SELECT sum(prediction) AS s FROM ({ENDLESS})", rows=False), "t.db")


def test_a_view_cannot_write_or_read_another_file(tmp_path):
    for reach in (f"writefile('{tmp_path / 'made'}', 'x')", "load_extension('x')", "fts3_tokenizer('simple')"):
        with pytest.raises(BadInput, match="SQLite database"):
            read_cells(database(f"CREATE VIEW out AS SELECT {reach} AS prediction", rows=False), "t.db")
    assert not [*tmp_path.iterdir()]


def test_formulas_merged_cells_and_titles_of_a_workbook_are_said():
    sheet = [["Results of May"], ["prediction", "confidence"], ["cat", ("=1/2", 0.5)], ["owl", 0.25]]
    cells = read_cells(workbook(sheet, merged=["A1:B1"]), "t.xlsx")
    assert cells.columns["confidence"].to_pylist() == [0.5, 0.25]
    assert [note.split(".")[0] for note in cells.notes] == [
        "Formulas are read as the values they had when the workbook was saved",
        "Of 1 merged cell, such as A1:B1, the value stands in the first row or column alone",
        "Row 2 of the sheet is its header; what stands above is left out",
    ]


def test_cells_that_are_merged_down_a_column_count_in_each_row_and_sums_below_are_left_out():
    header = ["label", "ticket", "prediction", "confidence"]
    rows = [["cat", 1, "cat", 0.5], ["", 2, "owl", 0.7], ["owl", 3, "owl", 0.9]]
    content = workbook([header, *rows, [], ["Sum", 3]], merged=["A2:A3"])
    cells = read_cells(content, "t.xlsx")
    assert cells.columns["label"].to_pylist() == ["cat", "cat", "owl"]
    assert cells.notes[-2:] == (
        "Below row 4 of the sheet are remarks, which are left out.",
        "The value of cells that are merged down a column counts in each of their rows.",
    )
    assert cells.by(LONE).columns["label"].to_pylist() == ["cat", None, "owl", "Sum"]


def test_a_cover_before_a_sheet_of_many_rows_is_not_the_table():
    cover, rows = [["Author", "Kim"], ["Date", "May"]], [["cat", "owl"]] * 30
    content = workbook(cover, other=[["prediction", "label"], *rows])
    cells = read_cells(content, "t.xlsx")
    assert cells.size == 30
    assert cells.notes == ("The sheet 'Sheet2' is read, and 'Sheet1' is not. To read another, save it as CSV.",)
    assert [*cells.by(LONE).columns] == ["Author", "Kim"]
    assert read_cells(workbook(cover, other=[["animal", "bird"], *rows[:9]]), "t.xlsx").size == 1
    assert read_cells(workbook(cover, other=[["prediction", "label"], *rows[:9]]), "t.xlsx").size == 9


@pytest.mark.parametrize(
    "beside", ["README.txt", "docs/LICENSE", "notes.md", "run.yaml", "config.json", "t_metrics.json"]
)
def test_a_table_in_a_zip_may_have_a_file_about_it_beside_it(beside):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("results/t.csv", "prediction,label\ncat,owl\n")
        archive.writestr(beside, "Results of the model, May.")
    assert read_cells(held.getvalue(), "t.zip").columns["label"].to_pylist() == ["owl"]


def test_a_formula_that_was_never_calculated_is_refused():
    with pytest.raises(BadInput, match="1 formula without a saved value"):
        read_cells(workbook([["prediction"], [("=1+1", None)]]), "t.xlsx")


def test_a_column_of_formulas_that_were_never_calculated_is_left_out_and_the_rest_is_read():
    right = [[("cat", "owl")[row % 2], "cat", (f"=A{row + 2}=B{row + 2}", None)] for row in range(20)]
    cells = read_cells(workbook([["prediction", "label", "right"], *right, [], ["Sum", ("=1+1", None)]]), "t.xlsx")
    assert ([*cells.columns], cells.size) == (["prediction", "label"], 20)
    assert cells.notes[-1] == (
        "The column 'right' has 20 formulas without a saved value and is left out. To read it, save the workbook in Excel."
    )
    rows = [[row, ("cat", "owl")[row % 2]] for row in range(20)]
    summed = read_cells(workbook([["prediction", "label"], *rows], other=[["share"], [("=1/2", None)]]), "t.xlsx")
    assert [*summed.columns] == ["prediction", "label"], "the other sheet is not read"


def rewritten(content, was, now):
    """A workbook in whose sheets these letters stand for others."""
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(held, "w") as made:
        for name in archive.namelist():
            made.writestr(name, archive.read(name).replace(was, now))
    return held.getvalue()


def test_an_empty_value_of_a_formula_as_openpyxl_writes_it_is_none_and_an_empty_text_is_one():
    made = workbook([["prediction", "chance"], ["cat", ("=1/2", None)], ["owl", 0.5]])
    for empty in (b"<v />", b"<v/>", b"<v></v>"):
        with pytest.raises(BadInput, match="1 formula without a saved value"):
            read_cells(rewritten(made, b"</f></c>", b"</f>" + empty + b"</c>"), "t.xlsx")
    text = rewritten(rewritten(made, b"</f></c>", b"</f><v></v></c>"), b'<c r="B2"', b'<c r="B2" t="str"')
    assert read_cells(text, "t.xlsx").columns["chance"].to_pylist() == [None, 0.5]


def test_the_other_sheets_of_a_workbook_are_named():
    cells = read_cells(workbook([["prediction"], ["cat"]], other=[["x"], ["1"]]), "t.xlsx")
    assert cells.columns["prediction"].to_pylist() == ["cat"]
    assert cells.notes == ("The sheet 'Sheet1' is read, and 'Sheet2' is not. To read another, save it as CSV.",)


def test_a_cell_at_the_far_end_of_a_sheet_is_refused_before_the_memory_is_taken():
    with pytest.raises(BadInput, match=r"reaches to row 1,048,576 and column 16,384"):
        read_cells(workbook([["prediction"], ["cat"]], far="XFD1048576"), "t.xlsx")


def test_a_message_of_arrow_that_claims_terabytes_is_refused():
    content = bytearray(KINDS["Feather in LZ4"])
    # the first packed buffer of the record batch begins with its unpacked length
    place = content.index(struct.pack("<q", 60 * 8))
    content[place : place + 8] = struct.pack("<q", 1 << 43)
    with pytest.raises(BadInput, match="or more bytes when unpacked"):
        read_cells(bytes(content), "t.feather")


@each(
    ("files", "found"),
    [
        ([("a.csv", CSV), ("b.csv", CSV)], "a zip of 2 files, such as 'a.csv'. Expected one table"),
        ([("a.png", b"\x89PNG\r\n")], "a PNG picture"),
        ([], "a zip of 0 files|damaged"),
    ],
)
def test_a_zip_of_no_table_or_of_several_is_refused(files, found):
    with pytest.raises(BadInput, match=found):
        read_cells(packed(*files), "t.zip")


def test_a_zip_in_itself_again_and_again_is_refused():
    content = CSV
    for _ in range(5):
        content = packed(("t", content))
    with pytest.raises(BadInput, match="packed in itself again and again"):
        read_cells(content, "t.zip")


@each(
    ("content", "what"),
    [
        (b"\x80\x04\x95", "a pickle"),
        (b"\x89HDF\r\n", "an HDF5 file"),
        (b"<!DOCTYPE html><html>", "an HTML page"),
        (b"%PDF-1.7", "a PDF document"),
        (b"\x28\xb5\x2f\xfd\0", "a Zstandard archive"),
    ],
)
def test_a_refusal_names_the_kind_of_file_that_it_met(content, what):
    with pytest.raises(BadInput, match=f"'t.csv' is {what}"):
        read_cells(content, "t.csv")
