"""Tables, votes and texts in CSV are read alike, as Python's csv module and pandas read them when told how they are written."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

from testimate.core.errors import BadInput
from testimate.datasets.open import open_dataset_file
from testimate.subjects.prediction_table import read_table
from testimate.tables.csv import separator_of, spreadsheet_lines
from testimate.tables.files import read_cells
from testimate.tables.rules import LONE, PAIRED
from tests.each import each

SEPARATORS = (",", ";", "\t")
PIECES = ("a", "Käse", "b c", ",", ";", "\t", '"', "'", "\n", "\r\n", "x", "0,5", "1.5", "|")


def random_table(seed):
    """Return a header and lines of words with every separator, quotation mark and line end in them."""
    rng = np.random.default_rng(seed)
    width, size = int(rng.integers(2, 6)), int(rng.integers(2, 130))

    def word(place):
        return f"w{place}" + "".join(rng.choice(PIECES) for _ in range(int(rng.integers(0, 4)))) + "e"

    header = [word(place).replace("\n", " ").replace("\r", " ") for place in range(width)]
    return [header, *([word(place) for place in range(width)] for _ in range(size))]


def written(lines, separator, *, encoding="utf-8", end="\n", quoting=csv.QUOTE_MINIMAL):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting).writerows(lines)
    return text.getvalue().encode(encoding)


@each("seed", range(40))
def test_tables_and_votes_hold_the_cells_that_pythons_csv_module_wrote(seed):
    rng = np.random.default_rng(1000 + seed)
    lines = random_table(seed)
    content = written(
        lines,
        SEPARATORS[seed % 3],
        encoding=("utf-8", "utf-8-sig", "utf-16", "cp1252")[rng.integers(4)],
        end=("\n", "\r\n")[rng.integers(2)],
        quoting=(csv.QUOTE_MINIMAL, csv.QUOTE_ALL)[rng.integers(2)],
    )
    cells = read_cells(content, "t.csv")
    assert list(cells.columns) == lines[0]
    assert [list(row) for row in zip(*(c.to_pylist() for c in cells.columns.values()), strict=True)] == lines[1:]
    assert spreadsheet_lines(content, list) == lines


@each("seed", range(20))
@each("separator", SEPARATORS)
def test_a_table_is_read_as_pandas_reads_it_when_told_the_separator(separator, seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 300))
    frame = pd.DataFrame(
        {
            "prediction": rng.choice(["cat", "dog, large", "a;b", 'the "ox"'], size),
            "share, in %; of all": rng.random(size).round(3),
            "note, free": rng.choice(["", "one, two", "1;2;3", "tab\there"], size),
        }
    )
    content = frame.to_csv(index=False, sep=separator).encode()
    told = pd.read_csv(io.BytesIO(content), sep=separator, dtype=str, keep_default_na=False)
    cells = read_cells(content, "t.csv")
    assert {name: column.to_pylist() for name, column in cells.columns.items()} == told.to_dict("list")


COMMA_IN_HEADER = b"prediction;confidence, share;label\ncat;0,75;cat\ndog;0,5;cat\n"
QUOTED_IN_HEADER = b'prediction;"note, free";label\ncat;"one, two";cat\ndog;none;cat\n'
NAMED = b"sep=;\r\nprediction;label;confidence\r\ncat;cat;0,75\r\ndog;cat;0,5\r\n"


@each("content", (COMMA_IN_HEADER, QUOTED_IN_HEADER, NAMED))
def test_a_comma_in_the_header_or_a_named_separator_does_not_hide_the_columns(content):
    subject = read_table(content, name="t.csv")
    assert subject.task.classes == ("cat", "dog")
    assert subject.truth.tolist() == [0, 0]


def test_decimal_commas_and_a_named_separator_are_read_alike_in_votes_and_tables():
    votes = spreadsheet_lines(NAMED, list)
    assert votes == [["prediction", "label", "confidence"], ["cat", "cat", "0.75"], ["dog", "cat", "0.5"]]
    np.testing.assert_array_equal(read_table(NAMED, name="t.csv").inputs.confidence, [0.75, 0.5])


def test_votes_whose_quoted_header_has_a_comma_are_separated_by_their_semicolons():
    assert spreadsheet_lines(b'row;"note, free";label\n3;"a, b";cat\n', list)[1] == ["3", "a, b", "cat"]


@each("separator", [",", ";", "|", "\t"])
def test_a_first_line_that_names_the_separator_is_obeyed_and_is_no_row(separator):
    lines = [["row", "label"], ["3", "cat"], ["7", "a,b;c"]]
    content = f"sep={separator}\n".encode() + written(lines, separator)
    assert spreadsheet_lines(content, list) == lines
    assert [c.to_pylist() for c in read_cells(content, "t.csv").columns.values()] == [["3", "7"], ["cat", "a,b;c"]]


def test_ragged_lines_are_counted_from_the_header_below_a_named_separator():
    with pytest.raises(BadInput, match=r"Row 1 \(counted from 0\) has 1 cell. Expected 2"):
        read_table(b"sep=;\nprediction;label\ncat;cat\ndog\n", name="t.csv")


def test_a_line_beyond_the_first_hundred_decides_nothing():
    lines = ["prediction,label\n", *["cat;dog,cat\n"] * 150, "a;b\n"]
    assert separator_of(lines[:100], whole=False) == ","
    with pytest.raises(BadInput, match=r"Row 150 .* has 1 cell. Expected 2"):
        read_cells("".join(lines).encode(), "t.csv")


TEXTS = ["good, really", "bad\nvery bad", 'he said "no"', "Käse; oder nicht"]
WRITTEN = {"separator": SEPARATORS, "encoding": ("utf-8", "utf-8-sig", "cp1252")}


@each("encoding", WRITTEN["encoding"])
@each("separator", WRITTEN["separator"])
def test_texts_are_read_whatever_separator_and_encoding_the_file_has(separator, encoding, tmp_path):
    lines = [["stars, of 5", "text", "label"], *([str(5 - row), text, str(row % 2)] for row, text in enumerate(TEXTS))]
    (tmp_path / "t.csv").write_bytes(written(lines, separator, encoding=encoding))
    (tmp_path / "plain.csv").write_bytes(written(lines, ","))
    opened = open_dataset_file(tmp_path / "t.csv")
    assert [opened.dataset.show(row).text for row in range(4)] == TEXTS
    assert opened.known.answers.tolist() == [0, 1, 0, 1]
    assert opened.dataset.fingerprint == open_dataset_file(tmp_path / "plain.csv").dataset.fingerprint
    assert ("read as" in dict(opened.facts)) == (separator != "," or encoding == "cp1252")


def test_a_text_file_that_names_its_separator_is_read_without_that_line(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"sep=;\n" + written([["text", "label"], ["a, b", "1"], ["c", "0"]], ";"))
    opened = open_dataset_file(tmp_path / "t.csv")
    assert [opened.dataset.show(row).text for row in range(2)] == ["a, b", "c"]


def test_a_dataset_of_sentences_that_was_stored_keeps_its_first_line_as_the_name_of_its_column(tmp_path):
    lines = ["The harbor was closed all day", "A ferry came in at noon", "Nobody went out in the storm"]
    (tmp_path / "t.csv").write_text("".join(f"{line}\n" for line in lines))
    now, before = (open_dataset_file(tmp_path / "t.csv", rules=rules).dataset for rules in (LONE, PAIRED))
    assert [now.show(row).text for row in range(len(now))] == lines
    assert [before.show(row).text for row in range(len(before))] == lines[1:]


def test_texts_below_the_name_of_their_column_are_the_same_by_old_and_new_rules(tmp_path):
    (tmp_path / "t.csv").write_text("text\n" + "".join(f"The light was seen from afar {row}\n" for row in range(9)))
    now, before = (open_dataset_file(tmp_path / "t.csv", rules=rules).dataset for rules in (LONE, PAIRED))
    assert len(now) == 9
    assert now.fingerprint == before.fingerprint


def test_votes_of_one_column_keep_the_cells_they_had():
    content = b"label\n" + b"a sentence of five words here\n" * 4
    assert spreadsheet_lines(content, [].append)[0] == ["label"]
    assert read_cells(content, "votes.csv").by(LONE).names == read_cells(content, "votes.csv").by(PAIRED).names
