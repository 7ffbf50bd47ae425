"""What should have been retrieved for an answer, which is no right answer: a tester who compares both calls each one wrong."""

import re
from collections.abc import Iterable

from testimate.tables.first_cells import FEWEST_ROWS, OFTEN, FirstCells

AMOUNT = re.compile("[0-9]+(?:[.][0-9]+)?")
"""A number in a text."""

FIRST_TEXTS = 200
"""Rows whose texts are compared."""

MANY, SHORT_LIST = 0.5, 200
"""Share of rows that are many, and the most letters of a list of numbers or names, not of passages."""


def first_texts(texts: FirstCells) -> list[str]:
    """Return the texts of the first rows."""
    return [texts.words[place] for place in texts.column.places[:FIRST_TEXTS].tolist()]


def share_within(one: FirstCells, texts: FirstCells) -> float:
    """Return the share of the first rows in which a number is one of those in a text, or a name stands in it."""
    held = first_texts(texts)
    if one.are_numbers:
        pairs = zip(one.column.values, held, strict=False)
        found = [f"{abs(number):.10g}" in AMOUNT.findall(text.replace(",", "")) for number, text in pairs]
    else:
        found = [
            bool(name) and name.casefold() in text.casefold() for name, text in zip(first_texts(one), held, strict=True)
        ]
    return sum(found) / max(len(found), 1)


def says_what_to_find(one: FirstCells, output: FirstCells, retrieved: Iterable[FirstCells], *, answers: bool) -> bool:
    """Return whether numbers or names of things say what should be found, and not what should be answered, beside prose.

    They stand in few of the outputs, or in less of them than in lists of what was retrieved. ``answers`` : whether they are
    called answers, so that only the second counts: a weak model gives few that are right.
    """
    if one.size < FEWEST_ROWS or not output.hold_sentences or not (one.are_numbers or _name_things(one)):
        return False
    said = share_within(one, output)
    if said >= MANY:
        return False
    return (said < OFTEN and not answers) or any(share_within(one, other) >= MANY for other in retrieved)


def lists_things(one: FirstCells) -> bool:
    """Return whether the cells of a column are numbers or names, or short lists of such, and no passages."""
    some = one.filled[:100]
    return bool(some) and not one.hold_sentences and 2 * sum(len(word) <= SHORT_LIST for word in some) > len(some)


def _name_things(one: FirstCells) -> bool:
    """Whether most cells are words with a number in them, as keys have, or names of files and addresses."""
    some = one.filled[:100]
    keys = sum(" " not in word and re.search("[0-9]", word) is not None for word in some)
    return bool(some) and (one.name_things or 2 * keys > len(some))
