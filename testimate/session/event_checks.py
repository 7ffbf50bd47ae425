"""What a tester's event must be before it is stored: a usable answer about an input that exists."""

import json
import sys
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from testimate.core.errors import BadInput
from testimate.core.task import Task
from testimate.core.vote import Event, EventKind, Stream

ID_LETTERS, NAME_LETTERS, NOTE_LETTERS, FACT_LETTERS = 64, 100, 10_000, 10_000
"""The longest id, tester's name, note, and further facts as JSON text."""


def check_event(event: Event, task: Task, size: int) -> Event:
    """The event in plain values, its answer one the task takes; BadInput otherwise.

    An answer to a multi-label task is kept as the places of the classes present, in rising order.
    """
    _check_name(event.id, "id", ID_LETTERS)
    _check_name(event.tester, "tester's name", NAME_LETTERS)
    _check_name(event.at, "time", ID_LETTERS)
    _check_choice(event.kind, "kind", get_args(EventKind))
    _check_choice(event.stream, "stream", get_args(Stream))
    answer = None
    if event.kind == "answer" or (event.kind == "adjudication" and event.answer is not None):
        answer = _plain_answer(event.answer, task)
    elif event.answer is not None:
        raise BadInput(
            f"A {event.kind!r} came with the answer {event.answer!r:.60}; only an answer or an adjudication has one. Drop it."
        )
    return replace(
        event,
        row=_checked_row(event.row, size),
        answer=answer,
        seconds=_checked_seconds(event.seconds),
        detail=_checked_detail(event.detail),
    )


def _check_name(value: Any, what: str, longest: int) -> None:
    """Text of 1 to ``longest`` letters without control characters."""
    if not isinstance(value, str) or not 1 <= len(value) <= longest:
        shown = f"{value!r:.60}" if not isinstance(value, str) else f"{len(value):,} letters long"
        raise BadInput(f"The {what} is {shown}; expected 1 to {longest} letters. Choose another.")
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in value):
        raise BadInput(f"The {what} {value!a:.60} holds control characters. Leave them out.")


def _check_choice(value: Any, what: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise BadInput(f"The event's {what} is {value!r:.60}; known are {', '.join(choices)}. Send one of these.")


def _checked_row(row: Any, size: int) -> int:
    if isinstance(row, bool) or not isinstance(row, int | np.integer) or not 0 <= row < size:
        raise BadInput(f"The event is about row {row!r:.60}; there are rows 0 to {size - 1}. Send one of these.")
    return int(row)


def _plain_answer(answer: Any, task: Task) -> int | float | list[int]:
    try:
        checked = task.check_answer(answer)
    except (TypeError, OverflowError):  # a number too large for any float
        raise BadInput(f"The answer {answer!r:.60} cannot be used. Choose one of those offered.") from None
    if isinstance(checked, tuple):
        return [place for place, present in enumerate(checked) if present]
    return checked


def _checked_seconds(seconds: Any) -> float | None:
    if seconds is None:
        return None
    number = isinstance(seconds, int | float | np.number) and not isinstance(seconds, bool)
    if not number or not 0 <= seconds <= sys.float_info.max:
        raise BadInput(f"The time taken is {seconds!r:.60}; expected seconds, 0 or more. Leave it out if unknown.")
    return float(seconds)


def _checked_detail(detail: Any) -> dict[str, Any]:
    """The detail as plain JSON values, its note and the rest of bounded length."""
    if not isinstance(detail, Mapping):
        raise BadInput(f"The detail is {detail!r:.60}; expected a JSON object. Send named values.")
    note = detail.get("note", "")
    if not isinstance(note, str) or len(note) > NOTE_LETTERS:
        found = f"{len(note):,} letters long" if isinstance(note, str) else f"{note!r:.60}"
        raise BadInput(f"The note is {found}; it may hold up to {NOTE_LETTERS:,} letters. Shorten it.")
    try:
        rest = json.dumps({key: value for key, value in detail.items() if key != "note"}, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"The detail is not plain JSON ({error}); expected text and numbers. Send those.") from None
    if len(rest) > FACT_LETTERS:
        raise BadInput(f"The detail is {len(rest):,} letters long; up to {FACT_LETTERS:,} are kept. Shorten it.")
    return {**json.loads(rest), **({"note": note} if "note" in detail else {})}
