"""A project backed up and restored is the same project, to the last label; what is damaged is refused and leaves nothing."""

import json
import shutil
import sqlite3
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.labels.copied_tables import COPIED, OF_THE_MOMENT, digest_of
from testimate.labels.database import METADATA
from testimate.project.backup import check_backup, check_project, restore_backup, write_backup
from testimate.project.deleted import delete_session, name_session
from testimate.project.kept_labels import keep_labels_of
from testimate.project.moved_labels import move_labels
from testimate.project.project import Project

LINES = [f"{row % 3},{(row + (row % 5 == 0)) % 3},0.{50 + row % 50}" for row in range(60)]
TABLE = "\n".join(["label,prediction,confidence", *LINES])


def labeled(project: Project, count: int = 20) -> str:
    """A session with labels, notes, a selection and a tester: something in every table that is kept."""
    key = project.add_table("sixty.csv", TABLE.encode()).key
    session = project.start_session(key, Request("rra", 30, 1))
    for place, draw in enumerate(session.upcoming(count)):
        answer = draw.row % 3
        session.record(
            [Event(f"event-{place:04}", "answer", draw.row, "Ann", "2026-11-25T10:00:00+00:00", answer, 1.5)]
        )
    name_session(project, session.session_record.id, "Night shift \U0001f319", "Ann")
    keep_labels_of(project, key)
    project.testers.add("Lea", "long enough", "lead")
    project.team.tell_all("We stop at noon.", "Lea")
    return session.session_record.id


def tables(project: Project) -> dict[str, str]:
    with project.store.transaction() as connection:
        return {table.name: digest_of(connection, table) for table in COPIED}


@pytest.fixture
def project(tmp_path, database) -> Iterator[Project]:
    """A project with its labels in the database of either kind."""
    opened = Project(tmp_path / "project", database)
    yield opened
    opened.store.close()


@pytest.fixture
def backup(project, tmp_path) -> Path:
    labeled(project)
    write_backup(project, tmp_path / "backup.zip")
    return tmp_path / "backup.zip"


def test_every_table_is_copied_or_of_the_moment():
    assert {*COPIED, *OF_THE_MOMENT} == set(METADATA.tables.values())


def test_what_comes_back_is_the_same_to_the_last_label_and_goes_on(project, backup, tmp_path):
    facts = check_backup(backup)
    restored_facts = restore_backup(backup, tmp_path / "restored", keeps_accounts=lambda _: True)
    assert restored_facts == facts
    restored = Project(tmp_path / "restored")
    assert tables(restored) == tables(project)
    [record] = restored.sessions()
    here, there = project.session(record.id), restored.session(record.id)
    assert there.history() == here.history()
    assert there.estimate() == here.estimate()
    assert restored.testers.check("Lea", "long enough").leads
    assert check_project(restored) == []
    [draw] = there.upcoming(1)
    after = Event("event-after", "answer", draw.row, "Ann", "2026-11-25T11:00:00+00:00", 1)
    assert there.record([after]).acknowledged == ("event-after",)
    assert len(here.history()) == len(there.history()) - 1


def test_labels_go_into_an_empty_database_and_are_numbered_on_from_there(project, backup, tmp_path, postgresql_url):
    restore_backup(backup, tmp_path / "restored", postgresql_url, keeps_accounts=lambda _: True)
    restored = Project(tmp_path / "restored", postgresql_url)
    assert tables(restored) == tables(project)
    assert not (tmp_path / "restored" / "labels.sqlite").exists()
    [record] = restored.sessions()
    session = restored.session(record.id)
    [draw] = session.upcoming(1)
    assert session.record(
        [Event("event-after", "answer", draw.row, "Ann", "2026-11-25T11:00:00+00:00", 0)]
    ).acknowledged
    with pytest.raises(BadInput, match=r"rows of known_labels already. Expected an empty one"):
        restore_backup(backup, tmp_path / "again", postgresql_url)
    assert not (tmp_path / "again").exists()
    restored.store.close()


def test_labels_move_to_a_server_and_back_and_nobody_opens_what_they_left(tmp_path, postgresql_url):
    project = Project(tmp_path / "project")
    session = labeled(project)
    before, history = tables(project), project.session(session).history()
    assert move_labels(project, postgresql_url)["events"] == 20
    with pytest.raises(StoreUnavailable, match="gone"):  # a server that still runs on the old file
        project.store.history(session)
    with pytest.raises(StoreUnavailable, match=r"were moved to postgresql.*--database"):
        Project(project.folder)
    there = Project(project.folder, postgresql_url)
    assert tables(there) == before
    assert there.session(session).history() == history
    home = f"sqlite:///{project.folder / 'labels.sqlite'}"
    with pytest.raises(BadInput, match=r"already. Expected another database"):
        move_labels(there, postgresql_url)
    assert move_labels(there, home)["events"] == 20
    there.store.close()
    back = Project(project.folder)
    assert tables(back) == before
    with pytest.raises(BadInput, match=r"already. Expected another database"):
        move_labels(back, home)
    assert back.session(session).history() == history


def test_of_two_leads_who_move_a_project_at_once_one_does_and_the_other_is_told(tmp_path):
    session = labeled(Project(tmp_path / "project"))
    leads = [Project(tmp_path / "project") for _ in range(2)]
    places = [tmp_path / f"{name}.sqlite" for name in ("one", "two")]
    meet, ends = threading.Barrier(2), {}

    def move(number):
        meet.wait()
        try:
            ends[number] = move_labels(leads[number], f"sqlite:///{places[number]}")["events"]
        except BadInput as error:
            ends[number] = str(error)

    threads = [threading.Thread(target=move, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    [faster] = [number for number in ends if ends[number] == 20]
    assert "Somebody has moved the labels" in ends[1 - faster]
    assert str(places[faster]) in ends[1 - faster]
    assert len(Project(tmp_path / "project", f"sqlite:///{places[faster]}").session(session).history()) == 20


@pytest.fixture
def postgresql_url(postgresql) -> str:
    from sqlalchemy import create_engine, text

    engine = create_engine(f"{postgresql}/postgres", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("DROP DATABASE IF EXISTS restored WITH (FORCE)"))
        connection.execute(text("CREATE DATABASE restored"))
    engine.dispose()
    return f"{postgresql}/restored"


def test_labels_given_while_it_is_written_are_whole_in_it_or_not_at_all(project, tmp_path):
    """Each answer comes with a flag in one transaction: a backup with one and not the other would have cut it in two."""
    session = project.session(labeled(project, 0))
    rows = [draw.row for draw in session.upcoming(30)]
    stop = threading.Event()

    def label() -> None:
        for place, row in enumerate(rows):
            at = "2026-11-25T10:00:00+00:00"
            pair = [
                Event(f"answer-{place:04}", "answer", row, "Ann", at, row % 3),
                Event(f"flag-{place:04}", "flag", row, "Ann", at, detail={"note": "seen"}),
            ]
            project.store.add(session.session_record.id, pair)
        stop.set()

    thread = threading.Thread(target=label)
    thread.start()
    written = 0
    while not stop.is_set() or not written:
        facts = write_backup(project, tmp_path / "live.zip")
        check_backup(tmp_path / "live.zip")
        assert facts.rows["events"] % 2 == 0
        written += 1
    thread.join()
    assert write_backup(project, tmp_path / "live.zip").rows["events"] == 60


def test_a_deleted_session_can_still_be_put_back_after_restoring(project, tmp_path):
    session = labeled(project)
    delete_session(project, session, "Ann")
    write_backup(project, tmp_path / "backup.zip")
    restore_backup(tmp_path / "backup.zip", tmp_path / "restored")
    restored = Project(tmp_path / "restored")
    assert restored.sessions() == []
    assert [record.id for record in restored.sessions(deleted=True)] == [session]


def changed(backup: Path, target: Path, change) -> Path:
    """The backup with its members as ``change(name, content)`` gives them; None leaves one out."""
    with zipfile.ZipFile(backup) as packed, zipfile.ZipFile(target, "w") as into:
        for name in packed.namelist():
            content = change(name, packed.read(name))
            if content is not None:
                into.writestr(name, content)
    return target


def about(**said):
    """A change of what a backup says about itself."""

    def change(name: str, content: bytes) -> bytes:
        return json.dumps({**json.loads(content), **said}).encode() if name == "testimate-backup.json" else content

    return change


def flipped(name: str, content: bytes) -> bytes:
    return bytes([*content[:50], content[50] ^ 1, *content[51:]]) if name == "labels.sqlite" else content


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_what_is_no_whole_backup_is_refused_in_a_sentence_and_nothing_is_left(backup, tmp_path):
    cut = tmp_path / "cut.zip"
    cut.write_bytes(backup.read_bytes()[: backup.stat().st_size // 2])
    text = tmp_path / "text.zip"
    text.write_text("no zip at all")
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as packed:
        packed.writestr("session.json", "{}")
    evil = [{"name": "../outside", "bytes": 1, "sha256": "0" * 64}]
    for number, (damaged, sentence) in enumerate(
        [
            (cut, "is damaged or cut off"),
            (text, "is damaged or cut off"),
            (other, "is damaged or not a backup"),
            (tmp_path / "missing.zip", "cannot be read"),
            (changed(backup, tmp_path / "a.zip", flipped), "labels.sqlite is not what was packed"),
            (changed(backup, tmp_path / "b.zip", about(database="0099")), "made by a newer version of Testimate"),
            (changed(backup, tmp_path / "c.zip", about(format=2)), "made by a newer version of Testimate"),
            (changed(backup, tmp_path / "d.zip", about(files=evil)), "is not the name of a file in a project"),
            (changed(backup, tmp_path / "e.zip", about(files="?")), "is damaged or not a backup"),
            (
                changed(backup, tmp_path / "f.zip", lambda name, content: None if "subjects" in name else content),
                "is missing",
            ),
        ]
    ):
        with pytest.raises(BadInput, match=sentence):
            check_backup(damaged)
        with pytest.raises(BadInput, match=sentence):
            restore_backup(damaged, tmp_path / f"restored {number}")
        assert not (tmp_path / f"restored {number}").exists()
    assert not list(tmp_path.glob("*.part"))
    assert not (tmp_path / "outside").exists()


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="this system has no such device")
def test_a_device_in_place_of_a_file_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(BadInput, match="'/dev/null' is not a file; a backup is a zip"):
        write_backup(Project(tmp_path), Path("/dev/null"))


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_folder_that_holds_a_project_is_left_alone_and_it_is_said_whose_it_is(project, backup, tmp_path):
    with pytest.raises(BadInput, match=r"a project with 1 sessions, 1 of which is in the backup"):
        restore_backup(
            backup, project.folder.parent if (project.folder.parent / "labels.sqlite").exists() else project.folder
        )
    other = Project(tmp_path / "other")
    labeled(other)
    with pytest.raises(BadInput, match=r"a project with 1 sessions, none of which is in the backup"):
        restore_backup(backup, other.folder)
    assert len(other.sessions()) == 1


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_project_that_lost_a_subject_or_has_a_damaged_page_says_so(tmp_path, database):
    project = Project(tmp_path / "project")
    session = labeled(project)
    assert check_project(project) == []
    shutil.rmtree(project.folder / "subjects")
    [wrong] = check_project(Project(project.folder))
    assert session in wrong
    assert "sixty.csv" in wrong
    connection = sqlite3.connect(project.folder / "labels.sqlite")
    connection.execute("PRAGMA foreign_keys=OFF")
    connection.execute("DELETE FROM sessions")
    connection.commit()
    connection.close()
    assert any("sessions that are gone" in said for said in check_project(Project(project.folder)))


@contextmanager
def nothing_more_fits() -> Iterator[None]:
    """No file of this process may grow beyond 16 KB, which a backup's labels need, as where a disk is full."""
    resource = pytest.importorskip("resource", reason="Windows limits no sizes of files.")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16_384, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_full_disk_is_said_with_the_folder_that_is_full_and_leaves_nothing(project, backup, tmp_path, monkeypatch):
    whole = backup.read_bytes()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with nothing_more_fits():
        with pytest.raises(StoreUnavailable, match=r"labels in .*temporary.* cannot be reached"):
            write_backup(project, backup)
        with pytest.raises(StoreUnavailable, match=r"could not be unpacked to .*temporary.*Free space there"):
            check_backup(backup)
        with pytest.raises(StoreUnavailable, match=r"could not be written to .*restored.*Free space"):
            restore_backup(backup, tmp_path / "restored")
        with pytest.raises(StoreUnavailable, match=r"labels in .*new.* cannot be reached"):
            Project(tmp_path / "new")
    assert not [*tmp_path.glob("*.part"), *(tmp_path / "temporary").iterdir()]
    assert not (tmp_path / "restored").exists()
    assert backup.read_bytes() == whole
    assert check_project(project) == []
    assert Project(tmp_path / "new").sessions() == []


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_from_the_terminal(project, tmp_path, command):
    labeled(project)
    here = ("--project", project.folder, "--database", f"sqlite:///{project.store.file}")
    said = command.ok("project", "backup", tmp_path / "b.zip", *here)
    assert "1 session with 20 events" in said
    assert "is whole" in command.ok("project", "check", tmp_path / "b.zip")
    assert "is whole" in command.ok("project", "check", *here)
    said = command.ok("project", "restore", tmp_path / "b.zip", "--project", tmp_path / "new")
    assert "1 session with 20 events" in said
    assert "is not empty" in command.refusal("project", "restore", tmp_path / "b.zip", "--project", tmp_path / "new")
