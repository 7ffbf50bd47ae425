"""Visible text, the one rule for names, notes and whatever else people write: whole characters, of bounded length, that show.

Half of a character, a lone surrogate, comes from JSON: no file, no database and no screen can hold one. PostgreSQL refuses NUL.
Control characters move a terminal's cursor, and overrides of the writing direction show a text as another one.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.words import commas

HALVES = "\ud800-\udfff"
"""The two units that UTF-16 takes for a character beyond the first 65,536; a whole one is a single sign in Python."""

CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
"""Control characters, but for tab, line feed and carriage return."""

TURNING = "\u202a-\u202e\u2066-\u2069"
"""What overrides the writing direction of the text after it."""

JOINERS = {"\u200c", "\u200d"}
"""Invisible letters of Persian words, and of emoji that several make up, as a woman at a microscope."""

REPLACEMENT = "\ufffd"

STORABLE = rf"\A[^\x00{HALVES}]*\Z"
"""The pattern of texts that every file and database takes: no halves of characters, no NUL."""

_HALF = re.compile(f"[{HALVES}]")
_NOT_TEXT = re.compile(f"[{HALVES}{CONTROLS}{TURNING}]")
_NOT_IN_A_LINE = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def whole_characters(text: str, name: str) -> str:
    """The text; BadInput, which names it, where half of a character stands in it.

    >>> whole_characters("good", "row 0")
    'good'
    """
    if half := _HALF.search(text):
        raise BadInput(
            f"{name!r:.60} has \\u{ord(half[0]):04x} in it, half of a character. Expected whole ones. Export the file "
            "again, or take that out."
        )
    return text


def is_line(text: str) -> bool:
    """Whether every character of a line shows; the joiners of emoji and of Persian letters are part of it.

    >>> is_line("\U0001f469\u200d\U0001f680.png"), is_line("a\u202egnp.exe"), is_line("two\\nlines")
    (True, False, False)
    """
    return _unseen_in_line(text) is None


def check_line(text: str, what: str, longest: int, *, shortest: int = 1) -> str:
    """The text, one line such as a name; BadInput where it has another length, or a character that does not show."""
    _check_length(text, what, shortest, longest)
    _check_shows(_unseen_in_line(text), what, "one line of letters, digits, marks or emoji")
    if shortest and not text.strip("".join(JOINERS)).strip():
        raise BadInput(f"The {what} is {text!a:.40}. Expected a visible character. Type one.")
    return text


def check_text(text: str, what: str, longest: int) -> str:
    """The text, of any number of lines; BadInput where it is longer, or has a character that does not show."""
    _check_length(text, what, 0, longest)
    unseen = _NOT_TEXT.search(text)
    _check_shows(None if unseen is None else unseen[0], what, "whole characters that can be seen")
    return text


def texts_in(value: Any) -> Iterator[str]:
    """Every text in plain JSON values, the keys of objects included, however deep."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting.extend(one)
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def readable(value: Any) -> Any:
    """Plain JSON values as they can be shown and written: each character that cannot is replaced in every text.

    What was stored before such characters were refused is read by this. Lists and objects are changed in place.

    >>> readable({"note": "x\\ud800y", "deep": [{"\\x00": 1}], "row": 3})
    {'note': 'x\ufffdy', 'deep': [{'\ufffd': 1}], 'row': 3}
    """
    whole = [value]
    waiting: list[Any] = [whole]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if any(_NOT_TEXT.search(key) for key in one):
                fields = [(_NOT_TEXT.sub(REPLACEMENT, key), inner) for key, inner in one.items()]
                one.clear()
                one.update(fields)
            places: Any = list(one.items())
        else:
            places = enumerate(one)
        for place, inner in places:
            if isinstance(inner, str):
                if _NOT_TEXT.search(inner):
                    one[place] = _NOT_TEXT.sub(REPLACEMENT, inner)
            elif isinstance(inner, dict | list):
                waiting.append(inner)
    return whole[0]


def _unseen_in_line(text: str) -> str | None:
    if text.isprintable():
        return None
    return next((one for one in text if unicodedata.category(one) in _NOT_IN_A_LINE and one not in JOINERS), None)


def _check_length(text: str, what: str, shortest: int, longest: int) -> None:
    if not text and shortest:
        raise BadInput(f"The {what} is empty. Expected 1 to {commas(longest)} characters. Type one.")
    if len(text) > longest:
        least = f"{shortest} to" if shortest else "at most"
        raise BadInput(
            f"The {what} has {commas(len(text))} characters. Expected {least} {commas(longest)}. Shorten it."
        )


def _check_shows(unseen: str | None, what: str, expected: str) -> None:
    if unseen is not None:
        raise BadInput(
            f"The {what} has the invisible character U+{ord(unseen):04X} in it. Expected {expected}. Type it instead of "
            "pasting it."
        )
