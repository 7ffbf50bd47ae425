"""A session as one file that reopens elsewhere: what was planned, every event, and which inputs it was about.

Takes a session that was exported elsewhere into a project.
"""

import io
import json
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import URL

from testimate.core.bounded_json import check_values, read_json
from testimate.core.errors import BadInput
from testimate.core.files import check_directory, check_member
from testimate.core.inputs import Inputs
from testimate.core.selector import Selector
from testimate.core.session_record import Event, SessionRecord
from testimate.core.stored_record import WrongValue
from testimate.core.subject import Shown
from testimate.core.visible_text import readable
from testimate.core.words import commas
from testimate.labels import SqlStore
from testimate.planning.build import build
from testimate.project.project import Project
from testimate.session.admission import check_event
from testimate.session.session import Session

FORMAT = 1
"""Raised whenever a bundle written before could not be read any more."""

LARGEST = 200_000_000
"""Bytes of any part of a bundle once unpacked; a session of a million events is below."""

MOST_VALUES = 2_000_000
"""Values in a session's record, or in one event; a record with half a million known answers is below."""

MOST_IN_EVENTS = 20_000_000
"""Values in all events: a million events have fifteen million."""

_ABOUT, _RECORD, _EVENTS = "testimate.json", "session.json", "events.jsonl"


@dataclass(frozen=True)
class Bundle:
    """What a bundle holds: the session as it was planned, and its events, oldest first."""

    record: SessionRecord
    events: tuple[Event, ...]


def write_bundle(session: Session) -> bytes:
    """The session as a zip file of JSON; the same session gives the same bytes."""
    session.refresh()
    record, events = session.session_record, session.history()
    about = {"format": FORMAT, "what": "a Testimate session", "events": len(events), "fingerprint": record.fingerprint}
    parts = {
        _ABOUT: json.dumps(about, indent=1),
        _RECORD: json.dumps(record.as_stored(), indent=1),
        _EVENTS: "".join(json.dumps(_plain(event)) + "\n" for event in events),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            file.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text.encode(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def read_bundle(data: bytes) -> Bundle:
    """The content of a bundle; BadInput if it is not a bundle, incomplete, damaged or written by a newer version.

    Only JSON is read from it; nothing in it is run or unpacked to disk.
    """
    try:
        _check_directory(data)
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            _check_members(file)
            about = _plain_json(_part(file, _ABOUT))
            if not isinstance(about, dict) or about.get("format") != FORMAT:
                version = about.get("format") if isinstance(about, dict) else about
                raise BadInput(
                    f"This bundle has the format {version!r:.40}; this version reads {FORMAT}. Install the version that "
                    "wrote it."
                )
            record = _plain_json(_part(file, _RECORD))
            content = _part(file, _EVENTS)
            check_values(content, MOST_IN_EVENTS)
            lines = content.count(b"\n") + (content[-1:] not in (b"", b"\n"))  # counted before there is a text of each
            if lines != about.get("events"):
                raise BadInput(f"This bundle contains {lines} events; it should be {about.get('events')}. {_AGAIN}")
            events = tuple(_event(_plain_json(line)) for line in content.splitlines())
            return Bundle(checked_record(record), events)
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        KeyError,
        EOFError,
        ValueError,
        TypeError,
        AttributeError,
        OverflowError,
        RuntimeError,  # encrypted, nested too deep, or of a version of zip that zipfile does not know
    ) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"This is not a complete bundle of a session ({error!s:.120}). {_AGAIN}") from None


_AGAIN = "Export the session again, or copy the file again."


def _check_directory(data: bytes) -> None:
    try:
        check_directory(io.BytesIO(data), "the file", len((_ABOUT, _RECORD, _EVENTS)))
    except BadInput as error:
        raise BadInput(f"This is not a complete bundle of a session: {error}") from None


def _check_members(file: zipfile.ZipFile) -> None:
    """BadInput if there is a part twice, or one that a bundle does not have, or a link."""
    names = file.namelist()
    for member in file.infolist():
        if names.count(member.filename) > 1 or member.filename not in (_ABOUT, _RECORD, _EVENTS):
            raise BadInput(
                f"This bundle contains {member.filename!r:.60}, {names.count(member.filename)} in number. Expected "
                f"{_ABOUT}, {_RECORD} and {_EVENTS} once. {_AGAIN}"
            )
        check_member(member)


def _part(file: zipfile.ZipFile, name: str) -> bytes:
    """One part, read as a counted stream: a small file may unpack to a huge one."""
    with file.open(name) as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise BadInput(
            f"The part {name} is larger than {commas(LARGEST)} bytes; no session is. Use the file that was exported."
        )
    return content


def _plain_json(text: bytes | str) -> Any:
    """The parsed JSON; ValueError if it has more values than a session or a later reader may run out of stack."""
    return read_json(text, MOST_VALUES)


def _event(fields: dict[str, Any]) -> Event:
    """The event of a line; its id is needed at once, to see which are here already; the rest is checked against the task.

    Its detail is read as a stored one is: a bundle may have been written before such texts were refused.
    """
    event = Event(**{**fields, "detail": readable(fields.get("detail", {}))})
    if not isinstance(event.id, str):
        raise BadInput(f"The id of an event is {event.id!r:.60}. Expected text. {_AGAIN}")
    return event


def _plain(event: Event) -> dict[str, Any]:
    return {name: getattr(event, name) for name in Event.__dataclass_fields__}


def same_plan(first: SessionRecord, second: SessionRecord) -> bool:
    """Whether two records describe the same session: the same plan on the same inputs, in whatever project."""
    return _without_place(first) == _without_place(second)


def _without_place(record: SessionRecord) -> dict[str, Any]:
    plain = json.loads(json.dumps(record.as_stored()))  # a store gives lists where a record had tuples
    return {name: value for name, value in plain.items() if name not in ("subject", "subject_name")}


def rehearse(
    record: SessionRecord,
    inputs: Inputs,
    selector: Selector,
    events: Sequence[Event],
    show: Callable[[int], Shown],
) -> None:
    """Replays the events in a store that is thrown away; raises the error that keeps them from being a session's history.

    BadInput for an event nobody could have sent, SubjectChanged and ReplayMismatch as a session does.
    """
    for event in events:
        check_event(event, inputs.task, len(inputs))
    with rehearsal(record, inputs, selector, events, show):
        pass


@contextmanager
def rehearsal(
    record: SessionRecord,
    inputs: Inputs,
    selector: Selector,
    events: Sequence[Event],
    show: Callable[[int], Shown],
) -> Iterator[Session]:
    """The session with these events, which were checked before, in a store that is thrown away in the end."""
    with tempfile.TemporaryDirectory() as folder:
        store = SqlStore(URL.create("sqlite", database=str(Path(folder) / "rehearsal.sqlite")))
        try:
            store.create(record)
            store.add(record.id, events)
            yield Session(record, inputs, selector, store, show)
        finally:
            store.close()


def checked_record(stored: object) -> SessionRecord:
    """The session's record as JSON holds it; BadInput names the first field with a value that nobody could work with.

    Whether the request suits the inputs is for ``planning.build`` to say. WrongRecord if it is no record at all.
    """
    try:
        return SessionRecord.of_stored(stored)
    except WrongValue as error:
        raise BadInput(
            f"The session's record has {error.field} = {error.found!r:.60}. Expected {error.expected}. Export the session "
            "again."
        ) from None


def import_bundle(project: Project, data: bytes) -> Session:
    """A session that was exported elsewhere, with its events; one that is here already gets those it lacks.

    Raises BadInput if it is not a bundle, its subject is not in this project, or another session here has its id,
    SubjectChanged where the subject is not the one it was planned for, ReplayMismatch where its events do not fit its
    draws; then nothing is stored.
    """
    bundle = read_bundle(data)
    project.check_not_deleted(bundle.record.id)
    known = {record.id: record for record in project.sessions()}
    record = known.get(bundle.record.id, bundle.record)
    if not same_plan(record, bundle.record):
        raise BadInput(
            f"There is a session {record.id} here already, with another plan. Import it into another project."
        )
    subject, inputs = project.subject(record.subject), project.inputs_of_session(record)
    here = project.store.history(record.id) if record.id in known else ()
    ids = {event.id for event in here}
    lacking = [event for event in bundle.events if event.id not in ids]
    rehearse(record, inputs, build(inputs, record.request, record.resolved), (*here, *lacking), subject.dataset.show)
    if record.id not in known:
        project.store.create(record)
    project.store.add(record.id, lacking)
    session = project.session(record.id)
    session.refresh()
    return session
