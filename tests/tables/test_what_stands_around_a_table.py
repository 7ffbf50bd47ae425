"""Titles above a table, totals and remarks below it, and the lines that Markdown and HTML draw around it are no rows of it."""

import pytest

from testimate.core.errors import BadInput
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tables.rules import LONE
from tests.each import each
from tests.tables.workbooks import workbook

WORDS = ("refund", "delivery", "other")
ROWS = [[f"C-{row}", WORDS[row % 3], WORDS[(row + (row % 5 == 0)) % 3], 3 * row % 50] for row in range(60)]
TABLE = [["call", "prediction", "label", "seconds"], *ROWS]
RIGHT = 48


def text(table, separator=","):
    return "".join(separator.join(map(str, line)) + "\r\n" for line in table).encode()


BELOW = {
    "a total that lacks what was predicted": text([*TABLE, ["Total", "", 60, 1200], ["Accuracy", "", "", "80.0%"]]),
    "remarks below an empty line": text([*TABLE, ["", "", "", ""], ["Checked by Dana and Kevin", "", "", ""]]),
    "a total that fills its row": workbook([*TABLE, ["TOTAL", 60, RIGHT, sum(row[3] for row in ROWS)]]),
    "a title, as short lines": text([["Pilot, line 4"], ["Export 2026-03-02"], [], *TABLE], ";"),
    "a title, padded": text([["Pilot of line 4", "", "", ""], ["", "", "", ""], *TABLE]),
    "Markdown": "".join(f"| {' | '.join(map(str, line))} |\n" for line in [TABLE[0], ["---"] * 4, *ROWS]).encode(),
    "HTML": "".join(
        ["<html><table>", *(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in TABLE), "</table>"]
    ).encode(),
}


@each("table", BELOW)
def test_what_stands_around_a_table_is_no_row_of_it(table):
    subject = read_table(BELOW[table], name="a.csv")
    assert subject.reading.size == 60
    assert subject.task.classes == ("delivery", "other", "refund")
    assert 1 - subject.inputs.losses.mean() == pytest.approx(RIGHT / 60)


@each(
    "table,said",
    [
        ("a total that lacks what was predicted", "Left out: the last 2 rows, with 'Total', which sum up the others."),
        ("remarks below an empty line", "with 'Checked by Dana and Kevin', which stands below an empty one."),
        ("a title, padded", "Line 3 is the header. What stands above is left out."),
    ],
)
def test_that_it_is_left_out_is_said(table, said):
    assert any(said in doubt for doubt in read_table(BELOW[table], name="a.csv").reading.doubtful)


def test_a_table_stored_before_keeps_its_last_rows():
    content = text([["prediction", "label", "seconds"], *(row[1:] for row in ROWS), ["", "", ""], ["Dana", "", ""]])
    assert read_table(content, name="a.csv").reading.size == 60
    before = TableChoices(rules=LONE, read=(("unpredicted", "failures"),))
    assert read_table(content, name="a.csv", choices=before).reading.size == 62


def test_a_page_with_more_than_a_table_is_refused_as_one():
    words = (
        b"<html><body><p>" + b"Words about birds. " * 40 + b"</p><table><tr><td>a</td></tr><tr><td>b</td></tr></table>"
    )
    for page in (words, b"<html><table><tr><td>a</td></tr></table><table><tr><td>b</td></tr></table>"):
        with pytest.raises(BadInput, match=r"'a\.xls' is an HTML page"):
            read_table(page, name="a.xls")
