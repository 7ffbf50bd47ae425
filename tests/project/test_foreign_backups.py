"""A backup may come from anybody: check and restore refuse alike what Testimate does not write, and nothing in it runs."""

import hashlib
import itertools
import json
import os
import shutil
import sqlite3
import sys
import zipfile
from pathlib import Path

import pytest

from testimate.core.errors import BadInput, StoreUnavailable, TestimateError
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.labels import SqlStore, copied_tables
from testimate.labels.copied_tables import COPIED, check_tables, foreign_file
from testimate.project.backup import backup_facts, check_backup, check_project, restore_backup, write_backup
from testimate.project.kept_labels import keep_labels_of
from testimate.project.project import Project
from tests.project.edited_backups import (
    ABOUT,
    LABELS,
    NAMES,
    SCRIPTS,
    edited,
    holding,
    members_of,
    mutations,
    resealed,
    write,
)

ROWS = "".join(f"{row % 3},{(row + (row % 5 == 0)) % 3},0.{50 + row % 50}\n" for row in range(40))
SOUND = ("INSERT INTO testers", "application_id", "journal_mode", "NaN", "[[[")
"""Parts of the scripts after which labels may still be labels like others, or are refused for what they say."""


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    """A project with twelve labels, notes about them and a tester, and the backup of it beside."""
    folder = tmp_path_factory.mktemp("backed up")
    project = Project(folder / "project")
    key = project.add_table("forty.csv", f"label,prediction,confidence\n{ROWS}".encode()).key
    session = project.start_session(key, Request("srs", 20, 1))
    for place, draw in enumerate(session.upcoming(12)):
        at = "2026-11-25T10:00:00+00:00"
        session.record([Event(f"event-{place:04}", "answer", draw.row, "Ann", at, draw.row % 3, 1.5)])
    keep_labels_of(project, key)
    project.testers.add("Lea", "long enough", "lead")
    project.team.tell_all("We stop at noon.", "Lea")
    write_backup(project, folder / "backup.zip")
    project.store.close()
    return folder


@pytest.fixture
def backup(folder) -> Path:
    return folder / "backup.zip"


def refusal_of(path: Path, target: Path) -> str:
    """The sentence by which restore refuses a backup, and check with the same one; "" if neither does."""
    said = []
    for verb in (check_backup, lambda backup: restore_backup(backup, target, keeps_accounts=lambda _: True)):
        try:
            verb(path)
            said.append("")
        except TestimateError as error:
            said.append(str(error))
    assert said[0] == said[1]
    assert target.exists() == (not said[0])
    return said[0]


@pytest.mark.parametrize("script", SCRIPTS)
def test_labels_made_in_another_way_are_refused_or_copied_into_our_own_tables(backup, tmp_path, script):
    said = refusal_of(edited(backup, tmp_path / "e.zip", script), tmp_path / "restored")
    if not said:
        assert any(part in script for part in SOUND)
        with foreign_file(tmp_path / "restored" / LABELS) as connection:
            check_tables(connection, "0009")
    else:
        assert "is damaged or not a backup (its labels" in said or "record has" in said


def test_events_that_together_would_fill_the_memory_are_refused_in_a_backup(backup, tmp_path, monkeypatch):
    monkeypatch.setattr(copied_tables, "MOST_VALUES", 5_000)
    script = f"UPDATE events SET detail = json_set(detail, '$.more', json('[{'[],' * 400}0]'))"
    said = refusal_of(edited(backup, tmp_path / "e.zip", script), tmp_path / "restored")
    assert "rows of events have" in said


def test_a_trigger_in_the_labels_of_a_backup_is_named_and_changes_no_answer(backup, tmp_path):
    script = "CREATE TRIGGER cat_to_dog AFTER INSERT ON events BEGIN UPDATE events SET answer = 1; END"
    said = refusal_of(edited(backup, tmp_path / "e.zip", script), tmp_path / "restored")
    assert "the trigger 'cat_to_dog', which Testimate does not make" in said


def test_a_login_in_a_foreign_backup_opens_no_restored_project(backup, tmp_path):
    """Who is logged in where is not part of a backup; a row that somebody added would let them in."""
    script = "INSERT INTO logins VALUES ('a hash', 'Lea', 9999999999.0)"
    restore_backup(edited(backup, tmp_path / "e.zip", script), tmp_path / "restored")
    with Project(tmp_path / "restored").store.transaction() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM logins").scalar() == 0


@pytest.mark.parametrize("version", ["0004", "0005", "0006"])
def test_labels_of_every_earlier_version_are_restored_with_the_tables_of_this_one(backup, tmp_path, version):
    later = {"0005": "selections", "0006": "session_changes", "0007": "team_words"}
    script = ";".join(f"DROP TABLE {table}" for number, table in later.items() if number > version)
    path = edited(backup, tmp_path / "e.zip", f"{script}; UPDATE alembic_version SET version_num = '{version}'")
    members = members_of(path)
    rows = {table: count for table, count in read_said(path)["rows"].items() if table not in later.values()}
    write(path, resealed(members, database=version, rows=rows))
    assert refusal_of(path, tmp_path / "restored") == ""
    restored = Project(tmp_path / "restored")
    assert len(restored.store.history(restored.sessions()[0].id)) == 12
    assert check_project(restored) == []


def read_said(path: Path) -> dict:
    return json.loads(dict(members_of(path))[ABOUT])


def test_a_project_in_place_with_a_trigger_or_a_table_more_is_not_called_whole(folder, tmp_path):
    for number, (script, word) in enumerate(
        (
            ("CREATE TRIGGER t AFTER INSERT ON events BEGIN SELECT 1; END", "trigger 't'"),
            ("CREATE TABLE more (a)", "table 'more'"),
            ("UPDATE events SET row = 'three'", "row in row 0 of events"),
            ("UPDATE events SET detail = '{'", "detail in row 0 of events"),
        )
    ):
        place = Path(shutil.copytree(folder / "project", tmp_path / f"{number}"))
        assert check_project(Project(place)) == []
        connection = sqlite3.connect(place / LABELS)
        connection.executescript(script)
        connection.close()
        [wrong] = check_project(Project(place))
        assert word in wrong


def test_labels_that_hold_broken_json_are_a_sentence_wherever_they_are_read(folder, tmp_path):
    place = Path(shutil.copytree(folder / "project", tmp_path / "p"))
    project = Project(place)
    with project.store.transaction(writes=True) as connection:
        connection.exec_driver_sql("UPDATE events SET detail = '{'")
    with pytest.raises(StoreUnavailable, match="it is damaged"):
        project.store.history(project.sessions()[0].id)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_a_name_that_no_backup_has_is_refused_by_that_name(backup, tmp_path, name):
    members = members_of(backup)
    about = read_said(backup)
    about["files"].append({"name": name, "bytes": 4, "sha256": hashlib.sha256(b"more").hexdigest()})
    said = refusal_of(
        write(
            tmp_path / "e.zip", [(one, json.dumps(about).encode() if one == ABOUT else data) for one, data in members]
        ),
        tmp_path / "restored",
    )
    assert f"{name!r:.80}" in said
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize(
    "names",
    [
        ("models/net", "models/NET"),
        ("models/caf\u00e9", "models/cafe\u0301"),
        ("models/net", "models/net/weights"),
        ("models/NET/weights", "models/net"),
    ],
)
def test_two_names_that_a_system_takes_for_one_are_refused_in_a_backup(backup, tmp_path, names):
    said = refusal_of(holding(backup, tmp_path / "e.zip", *names), tmp_path / "restored")
    assert any(f"{name!r}" in said for name in names)


@pytest.mark.parametrize("name", ["models/aux.onnx", "models/a:b", "models/net."])
@pytest.mark.skipif(sys.platform == "win32", reason="Windows makes no file of such a name.")
def test_a_file_that_could_not_be_restored_is_named_before_a_backup_is_written(folder, tmp_path, name):
    place = Path(shutil.copytree(folder / "project", tmp_path / "p"))
    (place / "models").mkdir(exist_ok=True)
    (place / name).write_bytes(b"0")
    with pytest.raises(BadInput, match=f"cannot contain the file '{name}'"):
        write_backup(Project(place), tmp_path / "b.zip")
    assert not (tmp_path / "b.zip").exists()


def test_a_member_twice_unlisted_linked_or_lying_about_its_size_is_refused_by_its_name(backup, tmp_path):
    members = members_of(backup)
    for number, changed in enumerate(
        (
            [*members, ("files/extra", b"more")],
            [*members, members[0]],
            [(name, data + b"0" if name.endswith("table") else data) for name, data in members],
        )
    ):
        path = write(tmp_path / f"{number}.zip", changed)
        said = refusal_of(path, tmp_path / "restored")
        assert ("files/extra" if number == 0 else members[0][0] if number == 1 else "table") in said
    link = zipfile.ZipInfo("files/models/link")
    link.external_attr = 0o120777 << 16
    write(tmp_path / "link.zip", resealed([*members[:-1], (link.filename, b"/etc"), members[-1]]))
    with zipfile.ZipFile(tmp_path / "link.zip") as packed, zipfile.ZipFile(tmp_path / "l.zip", "w") as into:
        for one in packed.infolist():
            into.writestr(link if one.filename == link.filename else one, packed.read(one))
    assert "the link 'files/models/link'" in refusal_of(tmp_path / "l.zip", tmp_path / "restored")


BOMBS = {"objects": b"{},", "lists": b"[],", "texts": b'"ab",', "nested": b"["}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_list_that_would_fill_the_memory_is_refused_before_it_is_parsed(backup, tmp_path, monkeypatch, bomb):
    content = b"[" + BOMBS[bomb] * (15_000_000 // len(BOMBS[bomb])) + b"0]"
    path = write(tmp_path / "e.zip", [(name, content if name == ABOUT else data) for name, data in members_of(backup)])
    monkeypatch.setattr(json, "loads", None)
    with pytest.raises(BadInput, match=r"e\.zip is damaged or not a backup .*more than .* values"):
        backup_facts(path)


def test_a_list_longer_than_its_files_can_make_it_is_refused_unread(backup, tmp_path):
    path = write(
        tmp_path / "e.zip", [(name, b" " * 30_000_000 if name == ABOUT else d) for name, d in members_of(backup)]
    )
    with pytest.raises(BadInput, match="its list of files is longer than"):
        backup_facts(path)


def test_a_member_that_unpacks_to_more_than_it_claims_is_not_unpacked_beyond_it(backup, tmp_path):
    members = [(name, b" " * 60_000_000 if name == ABOUT else data) for name, data in members_of(backup)]
    path = write(tmp_path / "e.zip", members)
    content = path.read_bytes().replace((60_000_000).to_bytes(4, "little"), (1_000).to_bytes(4, "little"))
    path.write_bytes(content)
    resource = pytest.importorskip("resource", reason="Windows does not say how much memory was used.")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(BadInput, match="damaged or not a backup"):
        backup_facts(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40_000, "kilobytes"


def test_a_backup_that_finds_no_room_is_refused_before_anything_is_written(backup, tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage._replace(free=100_000))
    for verb in (check_backup, lambda path: restore_backup(path, tmp_path / "far" / "restored")):
        with pytest.raises(StoreUnavailable, match=r"unpacks to .* bytes and .* has 100.000 free"):
            verb(backup)
    assert list(tmp_path.iterdir()) == []


def test_members_that_share_their_bytes_are_refused(backup, tmp_path):
    """A zip of 10 MB may claim 281 TB that way (Fifield, A better zip bomb, 2019)."""
    names = [f"models/{number:03}" for number in range(40)]
    path = holding(backup, tmp_path / "e.zip", *names)
    members = [(name, os.urandom(9_000) if name == "files/models/000" else data) for name, data in members_of(path)]
    write(path, resealed([(n, members_data(members) if n.startswith("files/models/") else d) for n, d in members]))
    with zipfile.ZipFile(path) as packed:
        infos = [one for one in packed.infolist() if one.filename.startswith("files/models/")]
        rest = [(one.filename, packed.read(one)) for one in packed.infolist() if one not in infos[1:]]
        content = packed.read(infos[0])
    with zipfile.ZipFile(path, "w") as packed:
        for name, data in rest:
            packed.writestr(name, data)
        shared = packed.getinfo(infos[0].filename)
        for one in infos[1:]:
            one.header_offset, one.compress_type = shared.header_offset, shared.compress_type
            one.compress_size = one.file_size = len(content)
            packed.filelist.append(one)
            packed.NameToInfo[one.filename] = one
        packed._didModify = True
    assert "its files overlap" in refusal_of(path, tmp_path / "restored")


def members_data(members) -> bytes:
    return dict(members)["files/models/000"]


@pytest.mark.parametrize("count", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_a_mutated_backup_is_refused_in_a_sentence_or_restored_as_it_says(backup, tmp_path, monkeypatch, count):
    whole = backup.read_bytes()
    monkeypatch.chdir(tmp_path)
    seed = int(os.environ.get("TESTIMATE_SEED", "1"))
    restored = 0
    for number, mutate in enumerate(itertools.islice(mutations(backup, seed), count)):
        path = tmp_path / "mutated.zip"
        mutate(path)
        target = tmp_path / "restored"
        try:
            said = refusal_of(path, target)
        except Exception as error:
            raise AssertionError(f"mutation {number} of seed {seed} ended in {error!r}") from error
        if said:
            assert said.endswith("."), said
            assert "\x1b" not in said
        else:
            restored += 1
            check_restored(target, path)
            shutil.rmtree(target)
        path.unlink()
        assert list(tmp_path.iterdir()) == [], number
    assert backup.read_bytes() == whole
    assert 0 < restored < count / 3


def check_restored(target: Path, path: Path) -> None:
    """All of a restored project is what the list of its backup says, and nothing more."""
    said = read_said(path)
    hashes = {
        one.relative_to(target).as_posix(): hashlib.sha256(one.read_bytes()).hexdigest()
        for one in target.rglob("*")
        if one.is_file() and one.name != LABELS
    }
    assert hashes == {one["name"]: one["sha256"] for one in said["files"]}
    with foreign_file(target / LABELS) as connection:
        check_tables(connection, "0009")
    store = SqlStore(f"sqlite:///{target / LABELS}")
    assert sorted(record.id for record in store.records()) == sorted(said["sessions"])
    with store.transaction() as connection:
        for table in COPIED:
            count = connection.exec_driver_sql(f"SELECT count(*) FROM {table.name}").scalar()
            assert count == said["rows"].get(table.name, 0)
    assert sum(len(store.history(id)) for id in said["sessions"]) == said["rows"]["events"]
    store.close()
