"""A whole project as one file: its labels as they were at one moment, and its files, each with its checksum.

What a file in it may be called is checked by the same rules when a backup is written, checked and restored. So is what in the
project leads out of its folder.
"""

from __future__ import annotations

import errno
import hashlib
import json
import re
import secrets
import shutil
import sqlite3
import struct
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import IO, Annotated, Any, cast

from msgspec import Meta
from sqlalchemy import URL, text

from testimate.core.bounded_json import read_json
from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.files import check_directory, check_member, whole_file
from testimate.core.progress import Progress, silent
from testimate.core.session_record import Tester
from testimate.core.stored_record import From0, Time, WrongRecord, read_record, read_value, time_now
from testimate.core.visible_text import CONTROLS, HALVES
from testimate.core.words import commas
from testimate.labels import SqlStore
from testimate.labels.copied_tables import (
    COPIED,
    UnsoundLabels,
    check_rows,
    check_tables,
    copy_foreign_rows,
    copy_tables,
    foreign_file,
    foreign_rows,
    row_counts,
)
from testimate.labels.database import SESSIONS, VERSIONS
from testimate.labels.testers import Testers
from testimate.project.bundle import checked_record
from testimate.project.files import DEVICES, LABELS
from testimate.project.moved_labels import leave_word
from testimate.project.project import Project
from testimate.project.record_paths import (
    ROLES,
    allowed_paths,
    check_inside,
    forget_allowed,
    is_name,
    link_words,
    links_in,
    real_path,
    record_words,
    typed,
)
from testimate.project.subject_records import read_facts

RECORD = "subject.json"
PLACES = ("subjects", "cache")
"""Folders of a project that hold a ``subject.json`` for each subject or entry."""


def paths_outside(project: Path, also_allowed: Sequence[Path] = (), target: str = "") -> list[str]:
    """A sentence for each path of a record, and each link, that leads out of the project to where nobody allowed it.

    ``target`` : as of ``check_inside``.
    """
    allowed = (*allowed_paths(project), *map(real_path, also_allowed))
    found: dict[str, None] = {}  # each once: two entries of the cache may name one file
    for path, says in _paths(project):
        try:
            check_inside(path, says, project, allowed, target)
        except BadInput as error:
            found[str(error)] = None
    return list(found)


def _paths(project: Path) -> Iterator[tuple[Path, str]]:
    """Every path in the project, with how a sentence about it begins."""
    for record in (file for place in PLACES for file in sorted((project / place).glob(f"*/{RECORD}"))):
        facts = read_facts(record) or {}
        for role in ROLES:
            name = facts.get(role)
            if is_name(name):
                yield project / name, record_words(facts, name)
    for link in links_in(project, datasets_too=True):
        yield link, link_words(link, project)


FORMAT = 1
"""Raised whenever a backup written before could not be read any more."""

KeepsAccounts = Callable[[Sequence[Tester]], bool]
"""Whether the accounts that a backup brings are kept."""

_ABOUT, _FILES = "testimate-backup.json", "files/"
_PACKED = "labels.packed"
"""What the labels of a backup are called until their rows are copied; no file of a backup has such a name."""

_MOST_FILES = 1_000_000
_MOST_SESSIONS = 1_000_000
_OF_FILE, _OF_SESSION = 200, 20
"""Bytes of the list for each file, besides its name, and for each session."""

_BLOCK = 4_096
"""Bytes of the disk that a file takes at least."""

_AT_A_TIME = 1 << 20  # bytes


@dataclass(frozen=True)
class KeptFile:
    """A file in a backup: its path in the project's folder, with slashes, its size, and SHA-256 of its content."""

    name: str
    bytes: From0
    sha256: Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z", description="a SHA-256 in hexadecimal digits")]


@dataclass(frozen=True)
class BackupFacts:
    """What a backup says about itself.

    Attributes
    ----------
    made : ISO 8601. by : the version of Testimate. database : the version of the tables of its labels.
    sessions : their ids. rows : how many there are of each table. files : all but the labels. labels : the labels.
    """

    made: Time
    by: str
    database: str
    sessions: tuple[str, ...]
    rows: Mapping[str, From0]
    files: tuple[KeptFile, ...]
    labels: KeptFile


# Rows and checksums, so that a backup fits SQLite and PostgreSQL: decision 186.
def write_backup(project: Project, path: Path, progress: Progress = silent) -> BackupFacts:
    """Writes a backup of the project while people go on labeling; what was stored before it began is in it.

    The labels are read first, so that every subject that a session names is among the files. What a model computed is left
    out, and computed again where it is needed. BadInput where the file cannot be written, or is a pipe or a device.
    """
    if path.exists() and not path.is_file():
        raise BadInput(
            f"{str(path)!r:.200} is not a file; a backup is a zip, which no pipe or device can take. Name a new file."
        )
    with tempfile.TemporaryDirectory() as place, whole_file(path) as file:
        labels = Path(place) / LABELS
        copy = SqlStore(URL.create("sqlite", database=str(labels)))
        rows = copy_tables(project.store, copy)
        with copy.transaction(writes=True) as connection:
            sessions = tuple(connection.scalars(text("SELECT id FROM sessions ORDER BY sequence")))
        copy.close()
        _fold_the_log_in(labels)
        here = _files_to_pack(project.folder, path)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
            kept_labels = _pack(packed, LABELS, labels)
            files = []
            for done, one in enumerate(here):
                progress(done, len(here), "packing files")
                name = one.relative_to(project.folder.resolve()).as_posix()
                try:
                    files.append(_pack(packed, _FILES + name, one, name))
                except FileNotFoundError:  # deleted since it was listed
                    continue
            facts = BackupFacts(
                time_now(),
                version("testimate"),
                VERSIONS[-1],
                sessions,
                rows,
                tuple(files),
                kept_labels,
            )
            packed.writestr(_ABOUT, json.dumps({"what": "a Testimate project", "format": FORMAT, **asdict(facts)}))
        progress(len(here), len(here), "packing files")
    return facts


def backup_facts(path: Path) -> BackupFacts:
    """What a backup says about itself; BadInput where the file is no backup, is cut off, or is a newer version's."""
    with _opened(path) as packed:
        return _facts(packed, path)


def check_backup(path: Path, progress: Progress = silent, *, allowed: Sequence[Path] = ()) -> BackupFacts:
    """Reads every byte of a backup and compares it with its checksums; BadInput names the first file that differs.

    BadInput names every record, too, that leads out of the project and into none of the ``allowed`` files and folders.
    StoreUnavailable where the folder for temporary files has no room for its labels.
    """
    try:
        with _opened(path) as packed, tempfile.TemporaryDirectory() as place:
            facts = _facts(packed, path)
            _check_room(Path(place), 2 * facts.labels.bytes + sum(one.bytes for one in _records(facts)))
            _unpack(packed, facts, Path(place), path, progress, keep_files=False)
            _copy_labels(Path(place), facts, path)
            _unpack_records(packed, facts, Path(place))
            outside = paths_outside(Path(place), allowed, typed(path, "FILE"))
    except StoreUnavailable:
        raise
    except OSError as error:
        raise StoreUnavailable(
            f"The labels in {path.name} could not be unpacked to {tempfile.gettempdir()} to be checked ({error.strerror}). "
            "Free space there, or name another folder in TMPDIR."
        ) from None
    if outside:
        raise BadInput("\n".join(outside))
    return facts


def restore_backup(
    path: Path,
    folder: Path,
    database: str | None = None,
    progress: Progress = silent,
    *,
    keeps_accounts: KeepsAccounts | None = None,
) -> BackupFacts:
    """Restores a project into the folder, which is new or empty; everything is checked before the folder gets its name.

    ``database`` : URL of an empty database for the labels; in the folder where None. ``keeps_accounts`` : whether those who
    could log in where the backup was made can log in here; asked only if there are any, and by default nobody can. What
    they answered is restored anyway. What was allowed to an earlier project in the folder is allowed no more.

    Raises BadInput where the folder or the database holds something, or the backup is damaged; then both are as they were.
    """
    _check_is_empty(folder, path)
    staged = folder.parent / f"{folder.name}.{secrets.token_hex(4)}.part"
    try:
        with _opened(path) as packed:
            facts = _facts(packed, path)
            sizes = [facts.labels.bytes, facts.labels.bytes, *(one.bytes for one in facts.files)]
            _check_room(folder, sum(sizes) + _BLOCK * len(sizes))
            forget_allowed(folder)
            folder.parent.mkdir(parents=True, exist_ok=True)
            staged.mkdir()
            _unpack(packed, facts, staged, path, progress, keep_files=True)
        _copy_labels(staged, facts, path)
        with closing(_labels_in(staged)) as restored:
            _settle_accounts(restored, keeps_accounts)
            if database is not None:
                with closing(SqlStore(database)) as target:
                    copy_tables(restored, target)
        _fold_the_log_in(staged / LABELS)
        if database is not None:
            (staged / LABELS).unlink()
            leave_word(staged, database)
        if folder.is_dir():
            folder.rmdir()
        staged.rename(folder)
    except StoreUnavailable:
        raise
    except OSError as error:
        raise StoreUnavailable(
            f"The project could not be written to {folder} ({error.strerror}). Free space, or choose another folder."
        ) from None
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return facts


def check_project(project: Project, progress: Progress = silent) -> list[str]:
    """What is wrong with a project's labels and files, a sentence each; empty where all is as it should be.

    Its database is whole, every session's record and events can be read, and every subject that a session names is there.
    """
    if project.store.file is not None:
        with project.store.transaction() as connection:
            try:
                opened = cast("sqlite3.Connection", connection.connection.driver_connection)
                check_tables(opened, VERSIONS[-1])
                check_rows(opened)
            except UnsoundLabels as error:
                return [
                    f"The labels in {project.store.name} are not as Testimate writes them: {error}. Restore a backup."
                ]
    wrong = []
    subjects = {entry.key for entry in project.entries()}
    wrong += paths_outside(project.folder)
    records = project.sessions(deleted=True)
    for done, record in enumerate(records):
        progress(done, len(records), "reading sessions")
        if project.store.file is None:
            project.store.history(record.id)
        if record.subject not in subjects:
            wrong.append(
                f"The session {record.id} is of the test set {record.subject_name!r:.60}, which is not in the project. Add it "
                "again; its labels are stored."
            )
    return wrong


def _check_is_empty(folder: Path, path: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise BadInput(f"{folder} is a file. Expected the folder of a new project. Choose another.")
    if not any(folder.iterdir()):
        return
    whose = ""
    if (folder / LABELS).is_file():
        held = {record.id for record in _labels_in(folder).records()}
        known = held & set(backup_facts(path).sessions)
        whose = (
            f": a project with {commas(len(held))} sessions, {commas(len(known)) if known else 'none'} of which "
            f"{'are' if len(known) > 1 else 'is'} in the backup"
        )
    raise BadInput(f"{folder} is not empty{whose}. Expected a new or empty folder. Choose one with --project.")


def _files_to_pack(folder: Path, target: Path) -> list[Path]:
    """The files of a project in order, without those that are left out and the backup itself.

    BadInput names the first that could not be restored on every system.
    """
    root = folder.resolve()
    files = [
        one
        for one in sorted(root.rglob("*"))
        if not is_left_out(one.relative_to(root).parts)
        and one.is_file()
        and not one.is_symlink()
        and one != target.resolve()
    ]
    if why := wrong_name(one.relative_to(root).as_posix() for one in files):
        raise BadInput(
            f"A backup cannot contain the file {why}. Expected names that every system takes. Rename it, or move it out of "
            f"{folder}."
        )
    return files


def _pack(packed: zipfile.ZipFile, member: str, source: Path, name: str = LABELS) -> KeptFile:
    digest, size = hashlib.sha256(), 0
    with source.open("rb") as read, packed.open(member, "w", force_zip64=True) as into:
        while block := read.read(_AT_A_TIME):
            digest.update(block)
            size += len(block)
            into.write(block)
    return KeptFile(name, size, digest.hexdigest())


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """The zip of a backup; BadInput where the file is not one."""
    try:
        file: IO[bytes] = path.open("rb")
    except OSError as error:
        raise BadInput(
            f"{path} cannot be read ({error.strerror}). Name a file that testimate project backup wrote."
        ) from None
    with file:
        check_directory(file, path.name, _MOST_FILES)
        with _read_from(path):
            packed = zipfile.ZipFile(file)
        yield packed


@contextmanager
def _read_from(path: Path) -> Iterator[None]:
    """Turns the errors of a damaged zip into BadInput; what cannot be written elsewhere stays an OSError."""
    try:
        yield
    except BadInput:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        RuntimeError,  # a version or a packing that zipfile does not know
        ValueError,
        struct.error,
    ) as error:
        raise _damaged(path, f"{error!s:.200}") from None
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise _damaged(path, "a member is said to begin before the file") from None


def _damaged(path: Path, why: str) -> BadInput:
    return BadInput(
        f"{path.name} is damaged or not a backup ({why}). Expected a file that testimate project backup wrote."
    )


def _check_room(place: Path, needed: int) -> None:
    """StoreUnavailable if the disk of a folder, which need not be there yet, has less room than that many bytes."""
    there = next(folder for folder in (place.absolute(), *place.absolute().parents) if folder.exists())
    free = shutil.disk_usage(there).free
    if free < needed:
        raise StoreUnavailable(
            f"The backup unpacks to {commas(needed)} bytes and {there} has {commas(free)} free. Expected room for it. Free "
            "space, or choose another folder."
        )


def _facts(packed: zipfile.ZipFile, path: Path) -> BackupFacts:
    """What the backup says about itself, once its members are found to be what it says; BadInput otherwise."""
    try:
        said = _said(packed, path)
        if said["what"] != "a Testimate project":
            raise _damaged(path, f"it is {said['what']!r:.60}")
        if read_value(From0, said["format"]) > FORMAT or str(said["database"]) > VERSIONS[-1]:
            raise BadInput(
                f"{path.name} was made by a newer version of Testimate ({said['by']!s:.20}; labels of format "
                f"{said['database']!s:.10}, this one reads up to {VERSIONS[-1]}). Install the newer version."
            )
        facts = read_record(BackupFacts, said, others=True)
        if facts.database not in VERSIONS or facts.labels.name != LABELS:
            raise _damaged(path, f"labels of format {facts.database!r:.20} in {facts.labels.name!r:.40}")
    except (KeyError, ValueError) as error:
        if isinstance(error, BadInput):
            raise
        raise _damaged(path, f"{type(error).__name__}: {error!s:.80}") from None
    if why := wrong_name(one.name for one in facts.files):
        raise _damaged(path, f"{why}, so it is not the name of a file in a project")
    _check_members(packed, facts, path)
    return facts


def _said(packed: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    """The list of a backup, parsed; as long as its members can make it and no longer."""
    members = packed.infolist()
    longest = sum(_OF_FILE + 3 * len(one.filename.encode()) for one in members) + _MOST_SESSIONS * _OF_SESSION
    with _read_from(path), packed.open(_ABOUT) as stream:
        content = stream.read(longest + 1)
    if len(content) > longest:
        raise _damaged(path, f"its list of files is longer than {commas(longest)} bytes")
    marks = sum(one.filename.count(mark) for one in members for mark in "[{,")
    said = read_json(content, marks + 5 * len(members) + _MOST_SESSIONS)
    if not isinstance(said, dict):
        raise _damaged(path, "its list of files is not an object")
    return said


def _check_members(packed: zipfile.ZipFile, facts: BackupFacts, path: Path) -> None:
    """BadInput unless the zip holds the files of the list, each once and of the size that the list says, and no others."""
    listed = {LABELS: facts.labels, **{_FILES + one.name: one for one in facts.files}}
    there: set[str] = set()
    for member in packed.infolist():
        name = member.filename
        if name in there:
            raise _damaged(path, f"{name!r:.100} is in it twice")
        if name not in listed and name != _ABOUT:
            raise _damaged(path, f"{name!r:.100} is not in its list of files")
        check_member(member)
        if name != _ABOUT and member.file_size != listed[name].bytes:
            raise _damaged(path, f"{listed[name].name:.100} is not what was packed")
        there.add(name)
    if lacking := next((one.name for member, one in listed.items() if member not in there), None):
        raise _damaged(path, f"{lacking:.100} is missing")
    if sum(member.compress_size for member in packed.infolist()) > path.stat().st_size:
        raise _damaged(path, "its files overlap")


def _unpack(
    packed: zipfile.ZipFile, facts: BackupFacts, into: Path, path: Path, progress: Progress, *, keep_files: bool
) -> None:
    """Writes the labels, and with ``keep_files`` the files, comparing each with its size and checksum."""
    todo = [(LABELS, facts.labels), *((_FILES + one.name, one) for one in facts.files)]
    for done, (member, kept) in enumerate(todo):
        progress(done, len(todo), "reading the backup")
        if kept is facts.labels:
            place: Path | None = into / _PACKED
        else:
            place = into / kept.name if keep_files else None
        with _read_from(path), packed.open(member) as read:
            digest, size = _copied(read, place, kept.bytes)
        if (digest, size) != (kept.sha256, kept.bytes):
            raise _damaged(path, f"{kept.name:.100} is not what was packed")
    progress(len(todo), len(todo), "reading the backup")


def _records(facts: BackupFacts) -> list[KeptFile]:
    """The records of subjects, which say where their files are."""
    split = [(kept, PurePosixPath(kept.name).parts) for kept in facts.files]
    return [kept for kept, parts in split if len(parts) == 3 and parts[0] in PLACES and parts[2] == RECORD]


def _unpack_records(packed: zipfile.ZipFile, facts: BackupFacts, into: Path) -> None:
    """Writes the records of subjects alone, which were compared with their checksums before."""
    for kept in _records(facts):
        with packed.open(_FILES + kept.name) as read:
            _copied(read, into / kept.name, kept.bytes)


def _settle_accounts(labels: SqlStore, keeps_accounts: KeepsAccounts | None) -> None:
    """Removes those who could log in where the labels come from, unless they are kept."""
    testers = Testers(labels)
    members = testers.list()
    if members and (keeps_accounts is None or not keeps_accounts(members)):
        for member in members:
            testers.remove(member.name)


def _labels_in(folder: Path) -> SqlStore:
    return SqlStore(URL.create("sqlite", database=str(folder / LABELS)))


def _copy_labels(place: Path, facts: BackupFacts, path: Path) -> None:
    """Copies the rows of the unpacked labels into tables of our own making, and removes what was unpacked.

    BadInput if the labels are not as Testimate makes them or not what the backup says.
    """
    try:
        with foreign_file(place / _PACKED) as read:
            check_tables(read, facts.database)
            sessions = []
            for row in foreign_rows(read, SESSIONS):
                sessions.append(checked_record(row["record"]).id)
                if sessions[-1] != row["id"]:
                    raise UnsoundLabels(f"the session {row['id']!r:.80} has the record of {sessions[-1]!r:.80}")
            if tuple(sessions) != facts.sessions:
                raise UnsoundLabels("they have other sessions than the list says")
            if _above_none(row_counts(read, COPIED)) != _above_none(facts.rows):
                raise UnsoundLabels("they have other numbers of rows than the list says")
            with closing(_labels_in(place)) as copy:
                copy_foreign_rows(read, copy)
    except (UnsoundLabels, WrongRecord) as error:
        raise _damaged(path, f"its labels: {error}") from None
    (place / _PACKED).unlink()


def _copied(read: IO[bytes], place: Path | None, at_most: int) -> tuple[str, int]:
    """Copies to a new file, or nowhere; returns SHA-256 and size of what was read, at most one byte more than ``at_most``."""
    digest, size = hashlib.sha256(), 0
    if place is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
    into = place.open("xb") if place is not None else None
    try:
        while size <= at_most and (block := read.read(min(_AT_A_TIME, at_most + 1 - size))):
            digest.update(block)
            size += len(block)
            if into is not None:
                into.write(block)
    finally:
        if into is not None:
            into.close()
    return digest.hexdigest(), size


def _above_none(rows: Mapping[str, int]) -> dict[str, int]:
    """The numbers of rows without the zeros: an earlier version did not list tables that it did not have."""
    return {table: count for table, count in rows.items() if count}


def _fold_the_log_in(labels: Path) -> None:
    """Moves an SQLite database's write-ahead log into its main file."""
    connection = sqlite3.connect(labels)
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.close()


COMPUTED_AGAIN = ("cache", "descriptions")
"""Folders of a project that are left out: all in them is computed from the rest."""

PART_BYTES, NAME_BYTES = 255, 1_024
"""The longest name of a file or folder, and of all folders with the file, in UTF-8; file systems take that much."""


def is_left_out(parts: Sequence[str]) -> bool:
    """Whether a backup leaves a file out: it is computed again, half written, or part of the labels.

    >>> is_left_out(("cache", "a.npy")), is_left_out(("labels.sqlite-wal",)), is_left_out(("models", "labels.txt"))
    (True, True, False)
    """
    first, last = parts[0].casefold(), parts[-1].casefold()
    return first in COMPUTED_AGAIN or first.startswith("labels.") or last.endswith((".part", ".lock"))


def wrong_name(names: Iterable[str]) -> str:
    """Returns what is wrong with the first name that cannot be that of a file in a backup, "" if all are right.

    Names are with slashes, from the project's folder. Right is what every system keeps as it is: Windows takes some
    characters and names for its own and drops a dot at the end, macOS and Windows take a capital letter and a small one for
    the same, macOS also two ways to write an accent.

    >>> wrong_name(["models/net.onnx", "models/aux.onnx"])
    "'models/aux.onnx': 'aux' means a device on Windows"
    """
    files: dict[str, str] = {}
    folders: dict[str, str] = {}
    for name in names:
        why = next((why for is_wrong, why in _RULES if is_wrong(name)), "") or _wrong_part(name)
        if why:
            return f"{name!r:.80}: {why}"
        folded = _folded(name)
        if folded in files:
            return f"{name!r:.80}: many systems take it for {files[folded]!r:.80}"
        files[folded] = name
        for parent in PurePosixPath(folded).parents[:-1]:
            folders.setdefault(str(parent), name)
    clash = next((one for one in files if one in folders), None)
    return f"{files[clash]!r:.80}: the folder of {folders[clash]!r:.80} has the same name" if clash is not None else ""


def _wrong_part(name: str) -> str:
    for part in name.split("/"):
        if DEVICES.fullmatch(part.split(".", 1)[0].strip()):
            return f"{part.split('.', 1)[0]!r:.80} means a device on Windows"
        if len(part.encode()) > PART_BYTES:
            return f"a name has at most {PART_BYTES} bytes"
        if part.endswith((".", " ")):
            return "Windows drops a dot or a space at the end"
    return ""


def _folded(name: str) -> str:
    """The name as a file system holds it that tells neither capital letters nor ways to write an accent apart."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def _leads_out(name: str) -> bool:
    return not name or name.startswith("/") or any(part in ("", ".", "..") for part in name.split("/"))


def _has_odd_characters(name: str) -> bool:
    return re.search(rf'[\\:*?"<>|\t\n\r{CONTROLS}{HALVES}]', name) is not None


_RULES: tuple[tuple[Callable[[str], bool], str], ...] = (
    (_leads_out, "it is not a path inside the project"),
    (_has_odd_characters, "it has a character that not every system allows"),
    (lambda name: len(name.encode()) > NAME_BYTES, f"a path has at most {NAME_BYTES} bytes"),
    (lambda name: is_left_out(name.split("/")), "backups leave this file out"),
)
