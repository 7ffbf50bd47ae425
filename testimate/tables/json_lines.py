"""JSON Lines of unknown origin: one object per line, each parsed within bounds, for tables, datasets and labels alike."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from testimate.core.errors import BadInput
from testimate.tables import limits

MOST_NESTED = 100
"""Levels of a record; deeper ones are refused."""

CUT_OFF = (b"{", b"[", b",")
"""How the first line of an object ends that is written over several lines."""


def is_object_line(line: bytes, following: bytes = b"{") -> bool:
    """Whether a file's first line is an object by itself, perhaps a damaged one, before another that begins with "{".

    >>> is_object_line(b'{"a": 1}'), is_object_line(b'{"a": [1,'), is_object_line(b'{"a": 1,,}')
    (True, False, True)
    """
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return not line.rstrip().endswith(CUT_OFF) and following.lstrip().startswith(b"{")


def records_of_lines(lines: Iterable[bytes | str], name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the object of each line with its number, from 1 on; empty lines are passed over.

    BadInput names a line that holds none, is too long or nested too deeply. ``name`` is the file's, for sentences.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if len(line) > limits.MAX_LINE_BYTES:
            raise limits.too_large("or more bytes in a line", len(line), limits.MAX_LINE_BYTES)
        try:
            record = json.loads(line)
        except RecursionError:
            raise too_deep(name) from None
        except ValueError as error:
            raise BadInput(
                f"Line {number} of {name!r:.200} is not complete JSON ({error!s:.80}). Expected one object per line. "
                "Copy or export the file again."
            ) from None
        if not isinstance(record, dict):
            raise BadInput(
                f"Line {number} of {name!r:.200} is {type(record).__name__}, not an object. Expected one object per line, "
                'like {"input": "...", "output": "..."}. Correct it.'
            )
        check_nesting(record, name)
        yield number, record


def nesting(value: Any) -> int:
    """Return how many levels of objects and lists there are, counted to one beyond ``MOST_NESTED``.

    >>> nesting(7), nesting({"a": [1]})
    (0, 2)
    """
    level, here = 0, [value]
    while level <= MOST_NESTED:
        here = [one for one in here if isinstance(one, dict | list)]
        if not here:
            break
        level += 1
        here = [part for one in here for part in (one.values() if isinstance(one, dict) else one)]
    return level


def check_nesting(value: Any, name: str) -> None:
    """BadInput where records are nested deeper than ``MOST_NESTED`` levels."""
    if nesting(value) > MOST_NESTED:
        raise too_deep(name)


def too_deep(name: str) -> BadInput:
    """Return the error for a record of too many levels."""
    return BadInput(
        f"{name!r:.200} has objects inside objects more than {MOST_NESTED} levels deep. Expected records of fewer levels. "
        "Export the fields that matter as CSV or JSON Lines."
    )
