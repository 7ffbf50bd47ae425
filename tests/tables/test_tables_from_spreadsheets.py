"""Tables as spreadsheets write them are read like the plain one, and what they were taken for is said."""

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.subjects.prediction_table import read_table
from tests.each import each

PLAIN = "label,prediction,confidence,note\nKäse,Käse,0.75,a\nÄrger,Käse,0.5,b\n"
SEMICOLONS = "label;prediction;confidence;note\nKäse;Käse;0,75;a\nÄrger;Käse;0,5;b\n"

WRITTEN = {
    "Excel, CSV UTF-8": (PLAIN.replace("\n", "\r\n").encode("utf-8-sig"), None),
    "Excel, CSV": (PLAIN.replace("\n", "\r\n").encode("cp1252"), "text in Windows-1252 (such as 'Käse')"),
    "Excel, Unicode text": (
        PLAIN.replace(",", "\t").replace("\n", "\r\n").encode("utf-16"),
        "text in UTF-16; columns separated by tabs",
    ),
    "Excel in Germany, CSV UTF-8": (
        SEMICOLONS.replace("\n", "\r\n").encode("utf-8-sig"),
        "columns separated by semicolons, decimal commas in 'confidence'",
    ),
    "Excel in Germany, CSV": (
        SEMICOLONS.replace("\n", "\r\n").encode("cp1252"),
        "text in Windows-1252 (such as 'Käse'); columns separated by semicolons, decimal commas in 'confidence'",
    ),
    "UTF-16, high byte first": (b"\xfe\xff" + PLAIN.encode("utf-16-be"), "text in UTF-16"),
}


@each("written", WRITTEN)
def test_what_excel_writes_is_read_as_the_same_table_and_the_reading_is_reported(written):
    content, taken = WRITTEN[written]
    plain = read_table(PLAIN.encode(), name="t.csv").inputs
    read = read_table(content, name="t.csv")
    np.testing.assert_array_equal(read.inputs.predictions, plain.predictions)
    np.testing.assert_array_equal(read.inputs.truth, plain.truth)
    np.testing.assert_array_equal(read.inputs.confidence, [0.75, 0.5])
    assert read.task.classes == plain.task.classes
    assert dict(read.facts).get("read as") == taken


def test_a_comma_in_words_or_in_numbers_of_two_kinds_is_not_a_decimal_point():
    table = b"outcome;place;mixed\n1;3,5;3,5\n0;here, there;1.5\n"
    read = read_table(table, name="t.csv")
    assert dict(read.facts)["read as"] == "columns separated by semicolons"
    assert set(read.inputs.scores) == set()


def test_sets_of_classes_in_a_table_with_commas_keep_their_semicolons():
    read = read_table(b"prediction,label\ncat;dog,cat\ndog,dog\n", name="t.csv", task="multi-label")
    assert "read as" not in dict(read.facts)
    assert read.task.classes == ("cat", "dog")


def test_a_table_that_is_ragged_and_not_utf_8_is_one_sentence_without_arrows_own_traceback(capfd):
    with pytest.raises(BadInput, match=r"Row 1 \(counted from 0\) has 2 cells. Expected 3"):
        read_table("label,prediction,confidence\nä,b,0.5\nä,b\n".encode("cp1252"), name="t.csv")
    assert capfd.readouterr() == ("", "")


def test_the_terminal_says_on_standard_error_what_a_table_was_taken_for(command, tmp_path):
    table, plan = tmp_path / "from Excel.csv", tmp_path / "plan.json"
    lines = [f"{row % 3};{(row + (row % 5 == 4)) % 3};0,{90 - row % 40}" for row in range(60)]
    table.write_text("label;prediction;confidence\n" + "\n".join(lines), encoding="ascii")
    said = command("select", table, "--technique", "srs", "--budget", 10, "--seed", 1, "--out", plan)
    assert said.status == 0
    assert "from Excel.csv is read as columns separated by semicolons, decimal commas in 'confidence'" in said.err
