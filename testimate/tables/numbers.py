"""Numbers as people write them: one rule for all cells of a column, or a question where two rules fit.

"$442,304.65" and "442.304,65" are numbers, "93 %" is one of a hundred, and "007" is a code, which stays a word.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from testimate.tables.cells import NOT_FINITE, NUMBER, Array, Cells, Column, pa, pc
from testimate.tables.parquet import is_text, pieces_of

FIRST_CELLS = 1000
"""First cells of a column that decide whether its others are looked at."""

SPELLED = (
    r"^[+-]?\s?(?:[$€£¥]\s?)?[+-]?"
    r"(?:[0-9]{1,3}(?:[ '\x{a0}\x{202f}][0-9]{3})+(?:[.,][0-9]+)?|[0-9](?:[0-9.,]*[0-9])?)"
    r"[\s\x{a0}\x{202f}]?(?:[%$€£¥])?$"
)
"""A number with a currency, a per cent sign or groups of thousands."""

AROUND = r"[$€£¥%\s\x{a0}\x{202f}']"
"""What is written around the digits of a number, and means nothing to its value but for per cent."""

POINTED, COMMAED = (
    r"^[+-]?([0-9]{1,3}(,[0-9]{3})+|[0-9]+)(\.[0-9]+)?$",
    r"^[+-]?([0-9]{1,3}(\.[0-9]{3})+|[0-9]+)(,[0-9]+)?$",
)
"""Digits whose decimal mark is a point, their thousands parted by commas, and the other way round."""

CODE = r"^(0[0-9]+|[0-9]+E[0-9]+)$"
"""Digits that are a code: numbers do not begin with 0, and are not written 1E2 without a sign or point."""

GROUPED = r"^[1-9][0-9]{0,2}\.[0-9]{3}$"
"""A number that is a whole one with a group of thousands where the decimal mark is a comma."""

THOUSANDS, DECIMALS = "thousands", "decimals"
"""The two readings of 442.304: whole numbers with groups of thousands, or decimals."""


@dataclass(frozen=True, eq=False)
class Spelled:
    """A table with its numbers written plainly.

    ``meanings`` : of each column that was not written so, what was read. ``percents`` : columns in per cent.
    ``codes`` : columns of digits that are words. ``either`` : columns that two rules fit, and their first cell.
    """

    cells: Cells
    meanings: Mapping[str, str] = field(default_factory=dict)
    percents: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()
    either: Mapping[str, str] = field(default_factory=dict)


def plainly_written(cells: Cells, read: str = "") -> Spelled:
    """The table with its numbers written plainly, as far as one rule fits all cells of a column.

    ``read`` : THOUSANDS or DECIMALS, for columns that both rules fit; "" to leave these as they are.
    """
    columns: dict[str, Array] = {}
    meanings: dict[str, str] = {}
    percents, codes, either = set[str](), set[str](), dict[str, str]()
    pointed = () if cells.written is None else cells.written.decimal_commas
    for name in cells.columns:
        first = _first(cells, name)
        if first is None or not len(first):
            continue
        if _all(first, NUMBER):
            if pc.any(pc.match_substring_regex(first, CODE)).as_py():
                codes.add(name)
            if name in pointed or not _may_be_german(cells) or not _all(first, GROUPED):
                continue
        whole = _filled(Column(name, cells.columns[name]).words) if _all(first, SPELLED) else None
        if whole is None or not _all(whole, SPELLED):
            continue
        found = _plain(name, cells.columns[name], whole, read)
        if found is None:
            either[name] = whole[0].as_py()
        elif found[1]:
            columns[name], meanings[name] = found
            if pc.any(pc.match_substring(whole, "%")).as_py():
                percents.add(name)
    if columns:
        cells = replace(cells, columns={**cells.columns, **columns})
    return Spelled(cells, meanings, frozenset(percents), frozenset(codes), either)


def _first(cells: Cells, name: str) -> Array | None:
    """The distinct filled words among the first cells of a column of text, without marks for none; None of other columns."""
    for piece in islice(pieces_of(cells.columns, name), 1):
        if is_text(piece.type):
            return _filled(Column(name, pa.chunked_array([piece.slice(0, FIRST_CELLS)])).words)
    return None


def _filled(words: Array) -> Array:
    nothing = pc.or_(pc.equal(words, ""), pc.match_substring_regex(words, NOT_FINITE, ignore_case=True))
    return words.filter(pc.invert(nothing))


def _may_be_german(cells: Cells) -> bool:
    """Whether the file may come from where the decimal mark is a comma: nothing says that its separator is one."""
    return cells.written is not None and (cells.written.separator == ";" or len(cells.names) == 1)


def _all(words: Array, pattern: str) -> bool:
    return pc.all(pc.match_substring_regex(words, pattern)).as_py() is not False


def _plain(name: str, cells: Array, words: Array, read: str) -> tuple[Array, str] | None:
    """The cells with their numbers written plainly, and what was read; None where two rules fit."""
    bare = pc.replace_substring_regex(words, AROUND, "")
    fits = [rule for rule in (POINTED, COMMAED) if _all(bare, rule)]
    if not fits:
        return cells, ""
    if len(fits) == 2 and pc.any(pc.match_substring_regex(bare, "[.,]")).as_py():
        point = pc.any(pc.match_substring(bare, ".")).as_py()
        if read not in (THOUSANDS, DECIMALS):
            return None
        fits = [COMMAED if point == (read == THOUSANDS) else POINTED]
    texts = pc.replace_substring_regex(Column(name, cells).texts, AROUND, "")
    thousands, decimal = (",", ".") if fits[0] == POINTED else (".", ",")
    texts = pc.replace_substring(pc.replace_substring(texts, thousands, ""), decimal, ".")
    example = words[0].as_py()
    plain = re.sub(r"[$€£¥%\s']", "", example).replace(thousands, "").replace(decimal, ".")
    sign = " per cent" if "%" in example else ""
    return texts, f"{example!r:.40} is {plain}{sign}"
