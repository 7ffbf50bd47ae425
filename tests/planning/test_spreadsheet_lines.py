"""Votes that were filled in with a spreadsheet are read as it saves them, and what was taken is said."""

import json

import pytest

from testimate.core.errors import BadInput
from testimate.planning.votes import read_votes
from testimate.tables.csv import spreadsheet_lines
from tests.each import each

LINES = [["row", "label"], ["3", "Köln"], ["7", "Ulm"]]


def text(separator=","):
    return "".join(separator.join(line) + "\r\n" for line in LINES)


@each(
    "content, taken",
    [
        (text().encode(), ""),
        (text().encode("utf-8-sig"), ""),
        (text("\t").encode("utf-16"), "text in UTF-16; columns separated by tabs"),
        (text(";").encode("utf-8-sig"), "columns separated by semicolons"),
        (text(";").encode("cp1252"), "text in Windows-1252 (such as 'Köln'); columns separated by semicolons"),
    ],
)
def test_what_spreadsheets_save_holds_the_same_cells_and_what_it_was_taken_for_is_said(content, taken, tmp_path):
    file, said = tmp_path / "votes.csv", []
    file.write_bytes(content)
    assert spreadsheet_lines(file, said.append) == LINES
    assert said == (
        [f"votes.csv is read as {taken}. If that is wrong, save it as UTF-8 CSV with commas."] if taken else []
    )


def test_a_decimal_comma_is_a_point_only_where_every_cell_of_the_column_is_a_number(tmp_path):
    file, said = tmp_path / "votes.csv", []
    file.write_text("row;loss;note\n1;0,25;3,5\n2;1;one, two\n", encoding="utf-8")
    assert spreadsheet_lines(file, said.append)[1:] == [["1", "0.25", "3,5"], ["2", "1", "one, two"]]
    assert "decimal commas in loss" in said[0]
    assert "note" not in said[0]


def test_from_python_it_is_a_warning(tmp_path):
    file = tmp_path / "votes.csv"
    file.write_text("row;failed\n1;0\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="columns separated by semicolons"):
        assert read_votes(file) == ("failed", {1: "0"})


@each("content", (b"row,failed\n1,\xff\xd6\xc3\x96\n", b"\xff\xfer\x00o", b"row,failed\n1,\x81\n"))
def test_text_in_no_known_encoding_is_refused(content, tmp_path):
    file = tmp_path / "votes.csv"
    file.write_bytes(content)
    with pytest.raises(BadInput, match=r"UTF-8|UTF-16"):
        read_votes(file)


def test_at_the_terminal_the_estimate_of_such_votes_is_that_of_plain_ones(table, tmp_path, command):
    plan, votes = tmp_path / "plan.json", tmp_path / "votes.csv"
    assert command("select", table, "--technique", "srs", "--budget", 20, "--seed", 3, "--out", plan)[0] == 0
    rows = [draw["row"] for draw in json.loads(plan.read_text())["draws"]]
    found = []
    for separator, encoding in ((",", "utf-8"), (";", "cp1252"), ("\t", "utf-16")):
        lines = [separator.join(("row", "failed")), *(f"{row}{separator}{row % 2}" for row in rows)]
        votes.write_text("\r\n".join(lines), encoding=encoding)
        status, printed, aside = command("estimate", plan, votes, "--json", "-")
        assert status == 0
        assert ("is read as" in aside) == (separator != ",")
        found.append(json.loads(printed))
    assert found[0] == found[1] == found[2]


def test_a_cell_with_a_long_text_that_was_exported_is_read_back_whole():
    long = "word " * 82_000
    assert spreadsheet_lines(f"key,text\n1,{long}\n".encode(), print) == [["key", "text"], ["1", long]]
