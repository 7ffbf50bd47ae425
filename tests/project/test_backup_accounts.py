"""Nobody logs in to a restored project who came with its backup, unless the person at the terminal keeps them."""

import hashlib
import io
import json
import sqlite3
import zipfile
from pathlib import Path

import pytest

from testimate.project.backup import restore_backup, write_backup
from testimate.project.project import Project
from tests.project.test_backup import changed, labeled

PASSWORD = "long enough"


@pytest.fixture
def project(tmp_path) -> Project:
    """A project with a session that Ann labeled, who has an account, and Lea, who leads."""
    made = Project(tmp_path / "project")
    labeled(made)
    made.testers.add("Ann", PASSWORD)
    return made


@pytest.fixture
def backup(project, tmp_path) -> Path:
    write_backup(project, tmp_path / "b.zip")
    return tmp_path / "b.zip"


def members(place: Path) -> list[tuple[str, str]]:
    return [(member.name, member.role) for member in Project(place).testers.list()]


KEPT = [("Ann", "tester"), ("Lea", "lead")]


@pytest.mark.parametrize(("option", "there"), [((), []), (("drop",), []), (("keep",), KEPT)])
def test_without_a_terminal_accounts_are_dropped_unless_kept(tmp_path, backup, command, option, there):
    place = tmp_path / "restored"
    said = command("project", "restore", backup, "--project", place, *(("--accounts", *option) if option else ()))
    assert said.status == 0
    assert "The backup has 2 accounts: 'Ann' (tester), 'Lea' (lead).\n" in said.err
    assert members(place) == there
    assert (Project(place).testers.check("Lea", PASSWORD) is not None) == bool(there)
    assert ("testers add NAME --lead" in said.err) == (not there)


@pytest.mark.parametrize(("typed", "there"), [("y\n", KEPT), ("n\n", []), ("\n", [])])
def test_at_a_terminal_restore_lists_the_accounts_and_asks(tmp_path, backup, command, monkeypatch, typed, there):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("tests.command_line.io.StringIO", Terminal)
    said = command("project", "restore", backup, "--project", tmp_path / "restored", typed=typed)
    assert said.status == 0
    assert "Keep these accounts" in said.out + said.err
    assert members(tmp_path / "restored") == there


def test_dropped_accounts_leave_every_vote_and_the_same_replay(tmp_path, project, backup):
    restore_backup(backup, tmp_path / "restored")
    restored = Project(tmp_path / "restored")
    [record] = restored.sessions()
    here, there = project.session(record.id), restored.session(record.id)
    assert there.history() == here.history()
    assert {event.tester for event in there.history()} == {"Ann"}
    assert [draw.row for draw in there.upcoming(5)] == [draw.row for draw in here.upcoming(5)]
    assert there.estimate() == here.estimate()


def with_logins(project: Project, backup: Path, target: Path) -> tuple[Path, str]:
    """The backup with a login of Lea, as no program writes it, and what a browser shows for it."""
    token = project.testers.open_login(project.testers.find("Lea"))
    row = sqlite3.connect(project.store.file).execute("SELECT * FROM logins").fetchone()
    labels = target.with_name("forged.sqlite")
    with zipfile.ZipFile(backup) as packed:
        labels.write_bytes(packed.read("labels.sqlite"))
    forged = sqlite3.connect(labels)
    forged.execute("INSERT INTO logins VALUES (?, ?, ?)", row)
    forged.commit()
    forged.close()
    forged_labels = labels.read_bytes()

    def change(name: str, content: bytes) -> bytes:
        if name != "testimate-backup.json":
            return forged_labels if name == "labels.sqlite" else content
        said = {"bytes": len(forged_labels), "sha256": hashlib.sha256(forged_labels).hexdigest()}
        about = json.loads(content)
        return json.dumps({**about, "labels": {**about["labels"], **said}}).encode()

    return changed(backup, target, change), token


def test_a_login_in_a_backup_logs_nobody_in_even_if_accounts_are_kept(tmp_path, project, backup):
    forged, token = with_logins(project, backup, tmp_path / "forged.zip")
    assert project.testers.logged_in(token).leads
    restore_backup(forged, tmp_path / "restored", keeps_accounts=lambda _: True)
    assert members(tmp_path / "restored") == KEPT
    assert Project(tmp_path / "restored").testers.logged_in(token) is None


def test_a_backup_without_accounts_asks_nothing(tmp_path, command):
    Project(tmp_path / "alone").add_table("t.csv", b"prediction\n1\n2\n", task="classification")
    write_backup(Project(tmp_path / "alone"), tmp_path / "b.zip")
    said = command("project", "restore", tmp_path / "b.zip", "--project", tmp_path / "restored")
    assert (said.status, said.err) == (0, "")


def test_names_of_accounts_are_printed_as_text(tmp_path, project, command):
    database = sqlite3.connect(project.store.file)
    database.execute("UPDATE testers SET name = ? WHERE name = 'Ann'", ("A\x1b[2Jnn",))
    database.commit()
    write_backup(project, tmp_path / "b.zip")
    said = command("project", "restore", tmp_path / "b.zip", "--project", tmp_path / "restored")
    assert "\x1b" not in said.err
    assert "'A\\x1b[2Jnn' (tester)" in said.err
