"""What a session's record from elsewhere must be before it is stored: every page will read it, and nobody can edit it."""

import math
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.session_record import SessionRecord

LETTERS = 1_000
"""The longest text; the name of a subject is made from names of files."""


def check_record(record: SessionRecord) -> SessionRecord:
    """The record, as it came; BadInput names the first field that this program would not have written so.

    Whether the request suits the inputs is for ``planning.build`` to say.
    """
    for part, needs in ((record, RECORD_NEEDS), (record.request, REQUEST_NEEDS)):
        for name, (is_sound, expected) in needs.items():
            value = getattr(part, name)
            if not is_sound(value):
                raise BadInput(
                    f"The session's record has {name} = {value!r:.60}; expected {expected}. Export the session again."
                )
    return record


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", value) is not None


def _is_text(value: Any) -> bool:
    """Whether it is text of bounded length that every store and browser takes: without NUL and halves of letters."""
    return isinstance(value, str) and len(value) <= LETTERS and re.search("[\0\ud800-\udfff]", value) is None


def _is_time(value: Any) -> bool:
    if not isinstance(value, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.+Z-]{5,32}", value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_whole_from(least: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_between(low: float, high: float) -> Callable[[Any], bool]:
    """Whether it is a number strictly between the two; a whole number beyond every float is not below infinity here."""

    def is_one(value: Any) -> bool:
        try:
            return isinstance(value, int | float) and not isinstance(value, bool) and low < float(value) < high
        except OverflowError:
            return False

    return is_one


def _or_none(is_sound: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or is_sound(value)


Needs = Mapping[str, tuple[Callable[[Any], bool], str]]
"""Of each field: whether a value is sound, and what is expected, in words."""

_TEXT = (_is_text, f"text of at most {LETTERS:,} letters")

RECORD_NEEDS: Needs = {
    "id": (_is_id, "1 to 64 letters, digits, - or _"),
    "subject": _TEXT,
    "subject_name": _TEXT,
    "fingerprint": _TEXT,
    "created": (_is_time, "a time such as 2024-05-01T10:00:00+00:00"),
    "show_prediction": (lambda value: isinstance(value, bool), "true or false"),
    "level": (_is_between(0, 1), "a number between 0 and 1"),
    "half_width": (_is_between(0, math.inf), "a finite number above 0"),
    "interval_method": _TEXT,
    "prepared": _TEXT,
    "resolved": (lambda value: isinstance(value, Mapping), "values by name"),
    "votes_per_input": (_or_none(_is_whole_from(1)), "a whole number of at least 1, or null"),
}
REQUEST_NEEDS: Needs = {
    "technique": _TEXT,
    "budget": (_is_whole_from(1), "a whole number of at least 1"),
    "seed": (_is_whole_from(0), "a whole number of at least 0"),
    "auxiliary": _TEXT,
    "features": _TEXT,
    "variant": (_or_none(_is_text), f"{_TEXT[1]}, or null"),
    "options": (lambda value: isinstance(value, Mapping), "values by name"),
}
