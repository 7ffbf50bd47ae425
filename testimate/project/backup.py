"""A whole project as one file: its labels as they were at one moment, and its files, each with its checksum."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import IO, Any

from sqlalchemy import URL, text

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.progress import Progress, silent
from testimate.core.rounding import spaced
from testimate.core.tester import Tester
from testimate.core.whole_file import whole_file
from testimate.core.zip_directory import check_directory
from testimate.labels import SqlStore
from testimate.labels.copied_tables import copy_tables, forget_the_moment
from testimate.labels.database import VERSIONS
from testimate.labels.testers import Testers
from testimate.project.folder_warnings import LABELS
from testimate.project.moved_labels import leave_word
from testimate.project.outside_paths import PLACES, RECORD, paths_outside
from testimate.project.project import Project
from testimate.project.record_paths import forget_allowed, typed

FORMAT = 1
"""Raised whenever a backup written before could not be read any more."""

COMPUTED_AGAIN = ("cache", "descriptions")
"""Folders of a project that are left out: all in them is computed from the rest."""

KeepsAccounts = Callable[[Sequence[Tester]], bool]
"""Whether the accounts that a backup brings are kept."""

_ABOUT, _FILES = "testimate-backup.json", "files/"
_MOST_FILES = 1_000_000
_LONGEST_ABOUT = 400_000_000  # bytes
_AT_A_TIME = 1 << 20  # bytes


@dataclass(frozen=True)
class KeptFile:
    """A file in a backup: its path in the project's folder, with slashes, its size, and SHA-256 of its content."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class BackupFacts:
    """What a backup says about itself.

    Attributes
    ----------
    made : ISO 8601. by : the version of Testimate. database : the version of the tables of its labels.
    sessions : their ids. rows : how many there are of each table. files : all but the labels. labels : the labels.
    """

    made: str
    by: str
    database: str
    sessions: tuple[str, ...]
    rows: Mapping[str, int]
    files: tuple[KeptFile, ...]
    labels: KeptFile


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
        here = [one for one in _files_of(project.folder) if one != path.resolve()]
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
                datetime.now(UTC).isoformat(timespec="seconds"),
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


def read_facts(path: Path) -> BackupFacts:
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
            _unpack(packed, facts, Path(place), path, progress, keep_files=False)
            SqlStore(URL.create("sqlite", database=str(Path(place) / LABELS))).close()
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

    Raises BadInput where the folder or the
    database holds something, or the backup is damaged; then both are as they were.
    """
    _check_is_empty(folder, path)
    forget_allowed(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    staged = folder.parent / f"{folder.name}.{secrets.token_hex(4)}.part"
    try:
        staged.mkdir()
        with _opened(path) as packed:
            facts = _facts(packed, path)
            _unpack(packed, facts, staged, path, progress, keep_files=True)
        restored = SqlStore(URL.create("sqlite", database=str(staged / LABELS)))  # brought up to date where it is older
        _settle_accounts(restored, keeps_accounts)
        if database is not None:
            with closing(SqlStore(database)) as target:
                copy_tables(restored, target)
        restored.close()
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
    wrong = []
    if project.store.file is not None:
        with project.store.transaction() as connection:
            wrong += [
                f"The database is damaged: {found}. Restore it from a backup."
                for found in connection.scalars(text("PRAGMA integrity_check"))
                if found != "ok"
            ]
            lost = connection.execute(text("PRAGMA foreign_key_check")).all()
            wrong += [f"{len(lost)} rows belong to sessions that are gone. Restore a backup."] if lost else []
    subjects = {entry.key for entry in project.entries()}
    wrong += paths_outside(project.folder)
    records = project.sessions(deleted=True)
    for done, record in enumerate(records):
        progress(done, len(records), "reading sessions")
        project.store.history(record.id)
        if record.subject not in subjects:
            wrong.append(
                f"The session {record.id} is of the subject {record.subject_name!r:.60}, which is not in the project. Add it "
                "again; its labels are stored."
            )
    return wrong


def _check_is_empty(folder: Path, path: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise BadInput(f"{folder} is a file; expected the folder of a new project. Choose another.")
    if not any(folder.iterdir()):
        return
    whose = ""
    if (folder / LABELS).is_file():
        held = {record.id for record in SqlStore(URL.create("sqlite", database=str(folder / LABELS))).records()}
        known = held & set(read_facts(path).sessions)
        whose = (
            f": a project with {spaced(len(held))} sessions, {spaced(len(known)) if known else 'none'} of which "
            f"{'are' if len(known) > 1 else 'is'} in the backup"
        )
    raise BadInput(f"{folder} is not empty{whose}. Expected a new or empty folder; choose one with --project.")


def _files_of(folder: Path) -> Iterator[Path]:
    """The files of a project in order, without its labels, what is computed again, and what is half written."""
    root = folder.resolve()
    for one in sorted(root.rglob("*")):
        parts = one.relative_to(root).parts
        if parts[0] in COMPUTED_AGAIN or parts[0].startswith("labels.") or one.name.endswith((".part", ".lock")):
            continue
        if one.is_file() and not one.is_symlink():
            yield one


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
        try:
            packed = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, NotImplementedError) as error:
            raise _damaged(path, str(error)) from None
        yield packed


def _damaged(path: Path, why: str) -> BadInput:
    return BadInput(
        f"{path.name} is damaged or not a backup ({why}); expected a file that testimate project backup wrote."
    )


def _facts(packed: zipfile.ZipFile, path: Path) -> BackupFacts:
    try:
        if packed.getinfo(_ABOUT).file_size > _LONGEST_ABOUT:
            raise _damaged(path, "its list of files is too long")
        said: dict[str, Any] = json.loads(packed.read(_ABOUT))
        if said["what"] != "a Testimate project":
            raise _damaged(path, f"it is {said['what']!r:.60}")
        if said["format"] > FORMAT or said["database"] > VERSIONS[-1]:
            raise BadInput(
                f"{path.name} was made by a newer version of Testimate ({said['by']!s:.20}; labels of format "
                f"{said['database']!s:.10}, this one reads up to {VERSIONS[-1]}). Install the newer version."
            )
        files = tuple(KeptFile(str(one["name"]), int(one["bytes"]), str(one["sha256"])) for one in said["files"])
        labels = KeptFile(LABELS, int(said["labels"]["bytes"]), str(said["labels"]["sha256"]))
        sessions = tuple(map(str, said["sessions"]))
        rows = {str(table): int(count) for table, count in said["rows"].items()}
        facts = BackupFacts(str(said["made"]), str(said["by"]), str(said["database"]), sessions, rows, files, labels)
    except (KeyError, TypeError, ValueError, AttributeError, zipfile.BadZipFile, zlib.error, RecursionError) as error:
        raise _damaged(path, f"{type(error).__name__}: {error!s:.80}") from None
    for one in facts.files:
        parts = PurePosixPath(one.name).parts
        if not parts or one.name.startswith("/") or re.search(r'[\\:*?"<>|\x00-\x1f]', one.name) or ".." in parts:
            raise _damaged(path, f"{one.name!r:.80} is not the name of a file in a project")
    return facts


def _unpack(
    packed: zipfile.ZipFile, facts: BackupFacts, into: Path, path: Path, progress: Progress, *, keep_files: bool
) -> None:
    """Writes the labels, and with ``keep_files`` the files, comparing each with its size and checksum."""
    todo = [(LABELS, facts.labels), *((_FILES + one.name, one) for one in facts.files)]
    for done, (member, kept) in enumerate(todo):
        progress(done, len(todo), "reading the backup")
        place = into / kept.name if keep_files or kept is facts.labels else None
        try:
            with packed.open(member) as read:
                digest, size = _copied(read, place, kept.bytes)
        except KeyError:
            raise _damaged(path, f"{kept.name} is missing") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            raise _damaged(path, f"{kept.name}: {error}") from None
        if (digest, size) != (kept.sha256, kept.bytes):
            raise _damaged(path, f"{kept.name} is not what was packed")
    progress(len(todo), len(todo), "reading the backup")


def _unpack_records(packed: zipfile.ZipFile, facts: BackupFacts, into: Path) -> None:
    """Writes the records of subjects alone, which were compared with their checksums before."""
    for kept in facts.files:
        parts = PurePosixPath(kept.name).parts
        if len(parts) == 3 and parts[0] in PLACES and parts[2] == RECORD:
            with packed.open(_FILES + kept.name) as read:
                _copied(read, into / kept.name, kept.bytes)


def _settle_accounts(labels: SqlStore, keeps_accounts: KeepsAccounts | None) -> None:
    """Ends every login that came with the labels and, unless they are kept, removes those who could log in."""
    forget_the_moment(labels)
    testers = Testers(labels)
    members = testers.list()
    if members and (keeps_accounts is None or not keeps_accounts(members)):
        for member in members:
            testers.remove(member.name)


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


def _fold_the_log_in(labels: Path) -> None:
    """Moves an SQLite database's write-ahead log into its main file."""
    import sqlite3

    connection = sqlite3.connect(labels)
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.close()
