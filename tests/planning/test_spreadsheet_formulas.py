"""No text that we write as CSV leaves its cell or runs, however a spreadsheet splits the line; and it reads back equal."""

import csv
import io
import random

import pytest

from testimate.core.spreadsheet_cells import SpreadsheetWriter, quoted, unquoted
from testimate.planning.votes import Votes
from testimate.tables.csv import spreadsheet_lines
from tests.each import each

RUNS = ["=1+1", "+1+1", "-1+1", "@SUM(1)", "＝1+1", "＋1+1", "－1+1", "＠SUM(1)"]
SPLITS = ["", "x;", "x\t", "x|", "x\n", "x\r", 'x;"', "x; ", "x;\u00a0", "x;\ufeff", " ", '"', "x;'", "\t", "\r\n"]
ALPHABET = "=＝+-@;,|\t\n\r\"' \u00a0\ufeffx1"


def never(told: str) -> None:
    raise AssertionError(told)


def written(*lines) -> str:
    text = io.StringIO()
    SpreadsheetWriter(text).writerows(lines)
    return text.getvalue()


def cells_of(text: str, separator: str) -> list[str]:
    """Every cell as a spreadsheet finds it that splits at this separator, with and without respect for quotation marks."""
    kept = [cell for line in csv.reader(io.StringIO(text, newline=""), delimiter=separator) for cell in line]
    return kept + [cell for line in text.splitlines() for cell in line.split(separator)] * (separator != ",")


@each("run", RUNS)
@each("split", SPLITS)
def test_a_formula_in_a_text_runs_in_no_spreadsheet_and_reads_back_equal(run, split):
    text = written(["row", "label"], [7, split + run + "|calc"])
    for separator in ",;\t|":
        for cell in cells_of(text, separator):
            assert not cell.lstrip(' \t\r\n\u00a0\ufeff"').startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
    assert spreadsheet_lines(text.encode(), never)[1] == ["7", split + run + "|calc"]


def test_ten_thousand_made_up_texts_stay_in_their_cells_and_read_back_equal():
    chance = random.Random(20261128)
    texts = ["".join(chance.choices(ALPHABET, k=chance.randrange(1, 9))) for _ in range(10_000)]
    assert [unquoted(quoted(one)) for one in texts] == texts
    lines = [[str(place), one] for place, one in enumerate(texts)]
    text = written(["row", "label"], *lines)
    assert spreadsheet_lines(text.encode(), never)[1:] == lines
    for separator in ";\t|":
        for cell in cells_of(text, separator):
            bare = cell.lstrip(' \t\r\n\u00a0\ufeff"')
            assert not bare.startswith(("=", "+", "-", "@", "＝")), repr(cell)


@each("label", [prefix + run for prefix in ("", "x;", "x|") for run in RUNS] + ["'=x", "O'Neil", "-0.25"])
def test_votes_written_read_back_equal(label, tmp_path):
    votes = Votes.of({0: label, 1: None})
    votes.write(tmp_path / "votes.csv")
    assert Votes.read(tmp_path / "votes.csv", never) == votes


@each("text", ["\n" * 400_000, "'" * 400_000, '\n"' * 200_000 + "x", ";'" * 200_000, " -" * 200_000])
def test_a_long_text_takes_one_look_at_each_of_its_letters(text):
    assert unquoted(quoted(text)) == text


@pytest.mark.parametrize("number", ["-0.25", "-1.5e-07", "-3", "0.5", "1e+20"])
def test_a_number_is_written_as_it_is(number):
    assert quoted(number) == number
