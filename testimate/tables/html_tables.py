"""The only table of an HTML page, as programs write one under the name of a workbook."""

from dataclasses import replace
from html.parser import HTMLParser

from testimate.core.errors import BadInput
from testimate.core.spreadsheet_cells import plain_csv
from testimate.tables import limits
from testimate.tables.cells import Cells
from testimate.tables.csv import CsvText, by_mark, in_utf8
from testimate.tables.csv_cells import read_csv

STARTS = (b"<html", b"<!doctype html", b"<table", b"<meta", b"<head", b"<style")
"""How such a page may begin, in lower case."""

MOST_OUTSIDE = 500
"""Letters outside the table from which on a page is more than a table."""


def is_table_in_html(start: bytes) -> bool:
    """Return whether a file that begins so may be a page with a table.

    >>> is_table_in_html(b"<html><body><table><tr><th>id"), is_table_in_html(b"<html><body><p>Not found")
    (True, False)
    """
    return start.lstrip(b"\xef\xbb\xbf \r\n\t").lower().startswith(STARTS) and b"<table" in start.lower()


def cells_of_html(content: bytes, name: str) -> Cells:
    """Return the columns of the only table of a page; BadInput where it has several, or more than a table."""
    page = _Page()
    page.feed(in_utf8(by_mark(content)).content.decode("utf-8", "replace"))
    rows = [row for row in page.rows if any(row)]
    if page.tables != 1 or page.outside > MOST_OUTSIDE or len(rows) < 2:
        raise BadInput(
            f"{name!r:.200} is an HTML page. Expected a table, or a page with one table alone. Download the file itself, not "
            "the page around it."
        )
    limits.check_text_shape(len(rows) - 1, len(rows[0]))
    return replace(read_csv(CsvText(plain_csv(rows).encode())), format="HTML table")


class _Page(HTMLParser):
    """The cells of the rows of all tables, how many tables there are, and how many letters stand outside of them."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tables = self.outside = 0
        self._cell: list[str] | None = None
        self._within = self._passed_over = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag == "table":
            self.tables += 1
            self._within += 1
        elif tag in ("style", "script", "title"):
            self._passed_over += 1
        elif tag == "tr" and self._within:
            self._end_cell()
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self._end_cell()
            self._cell = []
        elif tag == "br" and self._cell is not None:
            self._cell.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self._end_cell()
        if tag == "table":
            self._within -= 1
        elif tag in ("style", "script", "title"):
            self._passed_over -= 1

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)
        elif not self._within and not self._passed_over:
            self.outside += len(data.strip())

    def _end_cell(self) -> None:
        if self._cell is not None:
            self.rows[-1].append(" ".join("".join(self._cell).split()))
            self._cell = None
