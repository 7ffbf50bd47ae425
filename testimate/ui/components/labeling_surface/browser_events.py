"""Turns a browser's messages into events, and remembers what a page holds; refuses what only a browser can get wrong.

Kind, row, answer and seconds are checked where every event enters a session, by ``session.admission``.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from uuid import uuid4

from msgspec import Meta

from testimate.core.bounded_json import LARGEST_WHOLE, check_plain
from testimate.core.checks import is_whole
from testimate.core.errors import BadInput
from testimate.core.session_record import CODES, REASON, Event
from testimate.core.stored_record import Rule, WrongRecord, WrongValue, read_record
from testimate.core.visible_text import check_text
from testimate.ui.components.labeling_surface.view import SurfaceView

MOST_EVENTS = 500
"""Most events in one message; the browser keeps the rest and sends it once the first are acknowledged."""
MOST_OF_A_ROW = 20
"""Most events about one input, for somebody who changes their mind; the browser sends the rest later."""
A_DAY = timedelta(days=1)
"""How far a browser's clock may be from the server's."""
CLAIMED = "claimed_at"
"""The key under which an event keeps the time of a wrong clock."""
OFF = timedelta(minutes=2)
"""If a browser's clock is farther off than this as it sends, the times of its events are corrected by the difference."""
LONGEST_NOTE = 2000
_ID = re.compile(r"[A-Za-z0-9-]{8,64}")
LONGEST_ID = 200
"""Most characters of an id by which an event can still be refused."""


def _moment(value: object) -> datetime | None:
    """The time in UTC; None if it is not a time."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) and len(value) <= 40 else None
    except ValueError:
        return None
    return moment if moment is not None and moment.utcoffset() == timedelta(0) else None


def _is_place(value: object) -> bool:
    return is_whole(value, 0, LARGEST_WHOLE - 1)


Note = Annotated[str, Meta(description=f"a text of at most {LONGEST_NOTE} characters")]


@dataclass(frozen=True)
class SentEvent:
    """An event as a browser sends it; what may be anything here is checked where every event enters a session."""

    id: str
    position: Annotated[int, Rule(_is_place, "a whole number from 0 on")]
    at: Annotated[str, Rule(lambda text: _moment(text) is not None, "ISO 8601 in UTC")]
    kind: Any = None
    row: Any = None
    answer: Any = None
    seconds: Any = None
    note: Note | None = None
    reason: Note | None = None
    codes: Any = None


@dataclass(frozen=True)
class BrowserMessage:
    """What was read from one message of the browser.

    Attributes
    ----------
    events : those to record, in the order the tester did them; the session may still refuse one.
    refused : by event id, why the event was dropped.
    held : rows whose content the browser has.
    clock_ahead : how far its clock is ahead of the server's, behind where it is negative; 0 where it is about right.
    """

    events: tuple[Event, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    held: frozenset[int] = frozenset()
    clock_ahead: timedelta = timedelta(0)


def read_message(message: object, view: SurfaceView, now: datetime | None = None) -> BrowserMessage | None:
    """The message as events; None where it is not for this session and tester, so not ours to judge.

    Tester and session are the view's, never the browser's. An event without an id of at most LONGEST_ID characters is
    dropped: it could not even be refused, and browsers keep none. Where the browser's clock is off as it sends, times
    are set right by that much. A time more than a day before ``now`` becomes that of a day ago, one more than a day
    after it ``now``: a wrong clock does not decide which of two labels is the later one. ``now`` : in UTC; this moment
    where it is not given.
    """
    if not isinstance(message, dict) or (message.get("session"), message.get("tester")) != (view.session, view.tester):
        return None
    now = now or datetime.now(UTC)
    ahead = _ahead(message.get("now"), now)
    events: list[Event] = []
    refused: dict[str, str] = {}
    of_rows: Counter[str] = Counter()
    sent = message.get("events")
    for record in sent[:MOST_EVENTS] if isinstance(sent, list) else ():
        id = record.get("id") if isinstance(record, dict) else None
        if not isinstance(id, str) or len(id) > LONGEST_ID:
            continue
        if not _ID.fullmatch(id):  # refused, or the browser would keep it for good
            refused[id] = str(_refusal(f"the id {id!r:.60}", "8 to 64 letters, digits and hyphens"))
            continue
        try:
            of_rows[row := repr(check_plain(record, "label").get("row"))] += 1
            if of_rows[row] <= MOST_OF_A_ROW:
                events.append(_event(record, view, now, ahead))
        except BadInput as error:
            refused[id] = str(error)
    held = message.get("held")
    rows = held[:MOST_EVENTS] if isinstance(held, list) else []
    return BrowserMessage(tuple(events), refused, frozenset(row for row in rows if _is_place(row)), ahead)


def clock_words(ahead: timedelta) -> str:
    """What a tester reads whose clock is off; empty where it is not.

    >>> clock_words(timedelta(minutes=61))
    "Your computer's clock is 61 minutes ahead of the server's. Your answers are saved, with the server's time."
    >>> clock_words(timedelta(0))
    ''
    """
    if not ahead:
        return ""
    minutes = round(abs(ahead) / timedelta(minutes=1))
    return (
        f"Your computer's clock is {minutes} minutes {'ahead of' if ahead > timedelta(0) else 'behind'} the server's. "
        "Your answers are saved, with the server's time."
    )


def _ahead(value: object, now: datetime) -> timedelta:
    moment = _moment(value)
    return moment - now if moment is not None and abs(moment - now) > OFF else timedelta(0)


def _event(record: dict[str, Any], view: SurfaceView, now: datetime, ahead: timedelta) -> Event:
    try:
        sent = read_record(SentEvent, record)
    except WrongValue as error:
        raise _refusal(f"the {error.field} {error.found!r:.60}", error.expected) from None
    except WrongRecord as error:
        raise _refusal(f"other fields ({error})", "those that the page writes") from None
    if sent.kind != "flag" and sent.note is not None:
        raise _refusal(f"a note on an event of kind {sent.kind!r:.60}", "a note only on a flag")
    if sent.kind != "answer" and sent.reason is not None:
        raise _refusal(f"a reason on an event of kind {sent.kind!r:.60}", "a reason only on an answer")
    if (sent.kind == "codes") != (sent.codes is not None):
        raise _refusal(f"failure codes on an event of kind {sent.kind!r:.60}", "a list of them on one of codes alone")
    detail: dict[str, Any] = {"position": sent.position, "prediction_shown": view.predictions_shown}
    if sent.reason is not None:
        detail[REASON] = check_text(sent.reason, "note", LONGEST_NOTE)
    if sent.codes is not None:
        detail[CODES] = sent.codes
    if sent.kind == "flag":
        if sent.note is None:
            raise _refusal("no note on a flag", f"a text of at most {LONGEST_NOTE} characters")
        detail["note"] = check_text(sent.note, "note", LONGEST_NOTE)
    at = _at(sent.at, now, ahead)
    if at != sent.at:
        detail[CLAIMED] = sent.at
    return Event(
        id=sent.id,
        kind=sent.kind,
        row=sent.row,
        tester=view.tester,
        at=at,
        answer=sent.answer,
        seconds=sent.seconds,
        detail=detail,
    )


def _at(value: str, now: datetime, ahead: timedelta) -> str:
    claimed = datetime.fromisoformat(value)
    try:
        moment = claimed - ahead
    except OverflowError:  # the year 1 or 9999
        moment = claimed
    if abs(moment - now) > A_DAY:
        moment = now if moment > now else now - A_DAY
    return value if moment == claimed else moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _refusal(found: str, expected: str) -> BadInput:
    return BadInput(f"This label came with {found}. Expected {expected}. Reload the page and label the input again.")


@dataclass
class PageMemory:
    """What one browser page holds and has recently asked for; lost with the page, which then sends everything again."""

    owner: tuple[str, str]
    held: frozenset[int] = frozenset()
    asked: dict[str, None] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    clock_reported: bool = False
    page: str = field(default_factory=lambda: uuid4().hex)
    """Lets a page notice that the server knows nothing about what it sent before."""

    def take(self, message: BrowserMessage) -> None:
        """Remembers what the page has and the last ids it sent."""
        self.held = message.held
        self.refused.update(message.refused)
        for id in [*(event.id for event in message.events), *message.refused]:
            self.asked.pop(id, None)
            self.asked[id] = None
        for id in list(self.asked)[:-MOST_EVENTS]:
            del self.asked[id]
            self.refused.pop(id, None)
