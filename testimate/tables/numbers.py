"""Numbers as people write them: one rule for all cells of a column, or a question where two rules fit.

"$442,304.65" and "442.304,65" are numbers, "93%" is one of a hundred, and "007" is a code, which stays a word.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from testimate.core.spellings import folded
from testimate.tables.cells import NOT_FINITE, NUMBER, Array, Cells, Column, pa, pc
from testimate.tables.first_cells import FURTHER_MARKS
from testimate.tables.parquet import first_column, is_text

FIRST_CELLS = 1000
"""First cells of a column that decide whether its others are looked at."""

CURRENCIES = "USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|TRY|BRL|MXN|ZAR|SGD|HKD|KRW"
_SPACE = r"[\s\x{a0}\x{202f}]"
_MONEY = rf"(?:[A-Z]{{0,3}}[$€£¥₹]|{CURRENCIES})"
SPELLED = (
    rf"^\(?[+-]?{_SPACE}?(?:{_MONEY}{_SPACE}?)?[+-]?"
    r"(?:[0-9]{1,3}(?:[ '\x{a0}\x{202f}][0-9]{3})+(?:[.,][0-9]+)?|[0-9](?:[0-9.,]*[0-9])?)"
    rf"(?:{_SPACE}?(?:%|{_MONEY}))?-?\)?$"
)
"""A number with a currency, a per cent sign or groups of thousands; one below 0 also as accountants write it, (12) or 12-."""

AROUND = rf"%|{_MONEY}|{_SPACE}|'"
"""What is written around the digits of a number, and means nothing to its value but for per cent."""

BELOW_0 = r"^\((.*)\)$|^(.*[0-9])-$"
"""Digits of a number below 0, as accountants write it."""

POINTED, COMMAED = (
    r"^[+-]?([0-9]{1,3}(,[0-9]{2,3})*,[0-9]{3}|[0-9]+)(\.[0-9]+)?$",
    r"^[+-]?([0-9]{1,3}(\.[0-9]{3})+|[0-9]+)(,[0-9]+)?$",
)
"""Digits whose decimal mark is a point, their thousands parted by commas, in India by two, and the other way round."""

SPELLED_BEFORE = (
    r"^[+-]?\s?(?:[$€£¥]\s?)?[+-]?"
    r"(?:[0-9]{1,3}(?:[ '\x{a0}\x{202f}][0-9]{3})+(?:[.,][0-9]+)?|[0-9](?:[0-9.,]*[0-9])?)"
    r"[\s\x{a0}\x{202f}]?(?:[%$€£¥])?$"
)
POINTED_BEFORE = r"^[+-]?([0-9]{1,3}(,[0-9]{3})+|[0-9]+)(\.[0-9]+)?$"
"""What was known of both when the tables were stored that are read by content alone."""

CODE = r"^(0[0-9]+|[0-9]+E[0-9]+)$"
"""Digits that are a code: numbers do not begin with 0, and are not written 1E2 without a sign or point."""

GROUPED = r"^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$"
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


UNIT = re.compile(
    r"[+-]?(?:[0-9]{1,3}(?:[ '\xa0\u202f][0-9]{3})+(?:[.,][0-9]+)?|[0-9][0-9.,]*)"
    r"[\s\xa0\u202f]?([^\W\d_]{1,9}|°[CF]?|[^\W\d_]{1,4}[/^][^\W\d_]{0,3}[0-9]?)"
)
"""A number, perhaps with spaces between its thousands, and the unit behind it."""

MANY = 30
"""Distinct whole numbers with one unit beyond which these are amounts, and no names of classes such as 2D and 3D."""


def plainly_written(cells: Cells, read: str = "", *, latest: bool = True, units: bool = False) -> Spelled:
    """The table with its numbers written plainly, as far as one rule fits all cells of a column.

    ``read`` : THOUSANDS or DECIMALS, for columns that both rules fit; "" to leave these as they are. ``latest`` : False for a
        table that was stored before codes of currencies were known, and 1,200 between semicolons asked about. ``units`` :
        whether numbers may have one unit behind them, such as 12.5 km.
    """
    columns: dict[str, Array] = {}
    meanings: dict[str, str] = {}
    percents, codes, either = set[str](), set[str](), dict[str, str]()
    spelled = SPELLED if latest else SPELLED_BEFORE
    for name in cells.columns:
        first = _first(cells, name, marks=units)
        if first is None or not len(first):
            continue
        if _all(first, NUMBER):
            if pc.any(pc.match_substring_regex(first, CODE)).as_py():
                codes.add(name)
            if latest and _had_commas(cells, name) and (parted := _parted(Column(name, cells.columns[name]))):
                if read == THOUSANDS:
                    columns[name] = pc.replace_substring(Column(name, cells.columns[name]).texts, ".", "")
                    meanings[name] = f"{parted!r:.40} is {parted.replace(',', '')}"
                elif read != DECIMALS:
                    either[name] = parted
            grouped = _all(first, GROUPED) or (units and _are_grouped_or_small(first))
            if _had_commas(cells, name) or not _may_be_german(cells) or not grouped:
                continue
        unit = _unit(first) if units else ""
        if unit and _unit(_filled(Column(name, cells.columns[name]).words, marks=True)) == unit:
            bare = pc.replace_substring_regex(
                Column(name, cells.columns[name]).texts, rf"[\s\x{{a0}}\x{{202f}}]?{re.escape(unit)}$", ""
            )
            found = _plain(name, bare, _filled(Column(name, bare).words, marks=True), read, latest=latest)
            if found is None:
                either[name] = first[0].as_py()
            elif found[1]:
                number = Column(name, found[0]).words[0].as_py()
                columns[name], meanings[name] = found[0], f"{first[0].as_py()!r:.40} is {number} {unit}"
            continue
        whole = _filled(Column(name, cells.columns[name]).words, marks=units) if _all(first, spelled) else None
        if whole is None or not _all(whole, spelled) or (latest and _in_several_units(whole)):
            continue
        told = THOUSANDS if units and not read and _has_commas(cells) and _are_grouped_or_small(whole) else read
        found = _plain(name, cells.columns[name], whole, told, latest=latest)
        if found is None:
            either[name] = next(word for word in whole.to_pylist() if not word.isdigit())
        elif found[1]:
            columns[name], meanings[name] = found
            if pc.any(pc.match_substring(whole, "%")).as_py():
                percents.add(name)
    if columns:
        cells = replace(cells, columns={**cells.columns, **columns})
    return Spelled(cells, meanings, frozenset(percents), frozenset(codes), either)


def _unit(words: Array) -> str:
    """The one unit behind all of these numbers, of which some are not whole or many differ; "" where there is none."""
    found: list[str] = words.to_pylist()
    match = UNIT.fullmatch(found[0]) if len(found) > 1 else None
    unit = "" if match is None else match[1]
    if not unit or not all(word.endswith(unit) and UNIT.fullmatch(word) for word in found):
        return ""
    return unit if len(found) > MANY or any(re.search(r"[0-9][.,][0-9]", word) for word in found) else ""


def _had_commas(cells: Cells, name: str) -> bool:
    """Whether the numbers of a column had commas, which were read as decimal points."""
    return cells.written is not None and name in cells.written.decimal_commas


def _has_commas(cells: Cells) -> bool:
    """Whether numbers of the file had commas as decimal points, so that a point in others parts thousands."""
    return cells.written is not None and bool(cells.written.decimal_commas)


def _are_grouped_or_small(words: Array) -> bool:
    """Whether numbers with a point are thousands where the decimal mark is a comma, and the others below 1,000."""
    small = pc.match_substring_regex(words, r"^[+-]?[0-9]{1,3}$")
    grouped = pc.match_substring_regex(words, GROUPED)
    return bool(pc.any(grouped).as_py() and pc.all(pc.or_(small, grouped)).as_py())


def _parted(column: Column) -> str:
    """One of the numbers with a comma, as it was written, if their commas may part thousands as well: 1,200; else ""."""
    parted = column.words.filter(pc.match_substring(column.words, "."))
    return parted[0].as_py().replace(".", ",") if _all(parted, GROUPED) else ""


def _in_several_units(words: Array) -> bool:
    """Whether some cells are in per cent or in one currency, and others in another or in none."""
    units = pc.replace_substring_regex(words, r"[-+0-9.,'()\s\x{a0}\x{202f}]", "")
    found = {*units.to_pylist()}
    return len(found) > 1 and not ("" in found and len(found) == 2 and "%" not in found)


def _first(cells: Cells, name: str, *, marks: bool) -> Array | None:
    """The distinct filled words among the first cells of a column of text, without marks for none; None of other columns."""
    column = first_column(cells, name, FIRST_CELLS)
    return _filled(column.words, marks=marks) if is_text(column.cells.type) else None


def _filled(words: Array, *, marks: bool) -> Array:
    """The words without empty ones and what is not finite; ``marks`` : nor what stands in place of an answer."""
    nothing = pc.or_(pc.equal(words, ""), pc.match_substring_regex(words, NOT_FINITE, ignore_case=True))
    found = words.filter(pc.invert(nothing))
    if not marks or _all(found, "[0-9]"):
        return found
    kept = [any(map(str.isdigit, word)) or folded(word) not in FURTHER_MARKS for word in found.to_pylist()]
    return found.filter(pa.array(kept)) if any(kept) else found


def _may_be_german(cells: Cells) -> bool:
    """Whether the file may come from where the decimal mark is a comma: nothing says that its separator is one."""
    return cells.written is not None and (cells.written.separator == ";" or len(cells.names) == 1)


def _all(words: Array, pattern: str) -> bool:
    """Whether each word fits a pattern, all of which have a digit."""
    if len(words) and not any(map(str.isdigit, words[0].as_py())):
        return False
    return pc.all(pc.match_substring_regex(words, pattern)).as_py() is not False


def _plain(name: str, cells: Array, words: Array, read: str, *, latest: bool) -> tuple[Array, str] | None:
    """The cells with their numbers written plainly, and what was read; None where two rules fit."""
    bare = _digits(words)
    fits = [rule for rule in (POINTED if latest else POINTED_BEFORE, COMMAED) if _all(bare, rule)]
    if not fits:
        return cells, ""
    if len(fits) == 2 and pc.any(pc.match_substring_regex(bare, "[.,]")).as_py():
        point = pc.any(pc.match_substring(bare, ".")).as_py()
        if latest and not read and pc.any(pc.match_substring_regex(words, _MONEY)).as_py():
            read = THOUSANDS  # amounts of money have at most two decimals
        if read not in (THOUSANDS, DECIMALS):
            return None
        fits = [COMMAED if point == (read == THOUSANDS) else fits[0]]
    thousands, decimal = (".", ",") if fits[0] == COMMAED else (",", ".")

    def plain(texts: Array) -> Array:
        return pc.replace_substring(pc.replace_substring(_digits(texts), thousands, ""), decimal, ".")

    sign = " percent" if "%" in words[0].as_py() else ""
    return plain(Column(name, cells).texts), f"{words[0].as_py()!r:.40} is {plain(words[:1])[0].as_py()}{sign}"


def _digits(words: Array) -> Array:
    """Numbers without what stands around their digits but the sign."""
    return pc.replace_substring_regex(pc.replace_substring_regex(words, AROUND, ""), BELOW_0, r"-\1\2")
