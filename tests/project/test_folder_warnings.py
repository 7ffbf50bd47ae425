"""Where a project lies: a network drive, a synchronized folder, a drive that goes, a path of many letters."""

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from testimate.core.errors import StoreUnavailable
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.project.files import (
    NAME_BYTES,
    SHORT_ENOUGH,
    file_system_of,
    lies_on_network,
    remarks_on_place,
    safe_name,
)
from testimate.project.project import Project
from testimate.project.record_paths import name_in_project

MOUNTS = """overlay / overlay rw,relatime 0 0
/dev/sda1 /home ext4 rw 0 0
nas:/team /home/ann/team nfs4 rw,vers=4.2 0 0
//server/my\\040files /mnt/my\\040files cifs rw 0 0
"""


TABLE = b"label,prediction,confidence\n" + b"".join(b"%d,%d,0.%d\n" % (n % 3, n % 2, 50 + n % 40) for n in range(60))


def answers_of(session, count: int) -> None:
    for draw in session.upcoming(count):
        vote = Event(f"vote {draw.row}", "answer", draw.row, "Ann", "2026-11-20T10:00:00+00:00", 1, seconds=2.0)
        assert session.record([vote]).acknowledged


def test_the_innermost_mount_says_on_which_file_system_a_folder_is():
    kinds = {
        "/home/ann/project": "ext4",
        "/home/ann/team/project": "nfs4",
        "/home/ann/teams": "ext4",
        "/mnt/my files/a": "cifs",
        "/srv": "overlay",
    }
    assert {folder: file_system_of(Path(folder), MOUNTS) for folder in kinds} == kinds


def test_a_network_drive_is_known_by_the_mounts_or_by_the_share_in_its_path_and_said(monkeypatch, tmp_path):
    monkeypatch.setattr(Path, "read_text", lambda path, **_: MOUNTS)
    assert lies_on_network(Path("/home/ann/team/project"))
    assert not lies_on_network(Path("/home/ann/project"))
    assert lies_on_network(Path("//server/share/project"))
    assert not lies_on_network(Path("\\\\?\\C:\\project"))
    [remark] = remarks_on_place(tmp_path, lambda folder: True)
    assert "is on a network drive" in remark
    assert remarks_on_place(tmp_path, lambda folder: False) == []


def test_a_system_without_a_list_of_mounts_says_of_no_folder_that_it_is_elsewhere(monkeypatch, tmp_path):
    def none(path, **_):
        raise FileNotFoundError(2, "No such file or directory", str(path))

    monkeypatch.setattr(Path, "read_text", none)
    assert not lies_on_network(tmp_path)


def test_a_synchronized_folder_and_the_copy_that_a_conflict_leaves_are_said_and_the_labels_stay_as_they_are(tmp_path):
    folder = tmp_path / "OneDrive - Lab" / "project"
    project = Project(folder)
    project.store.close()
    before = (folder / "labels.sqlite").read_bytes()
    shutil.copy(folder / "labels.sqlite", folder / "labels-DESKTOP-7A1.sqlite")
    synchronized, conflict = remarks_on_place(folder, lambda _: False)
    assert "is copied by OneDrive" in synchronized
    assert "'labels-DESKTOP-7A1.sqlite'" in conflict
    assert (folder / "labels.sqlite").read_bytes() == before


def test_windows_is_told_of_a_path_that_leaves_no_room_for_files_below_it(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    long = Path("/" + "a" * 120)
    [remark] = remarks_on_place(long, lambda _: False)
    assert "has 121 characters" in remark
    assert remarks_on_place(Path("/" + "a" * 50), lambda _: False) == []
    assert SHORT_ENOUGH + len("/datasets/") + 32 + len("/") + NAME_BYTES <= 260  # the longest of an upload


def test_a_drive_that_is_removed_while_labeling_is_a_sentence_and_back_again_has_every_answer(tmp_path):
    drive, away = tmp_path / "drive", tmp_path / "away"
    project = Project(drive / "project")
    key = project.add_table("t.csv", TABLE).key
    session = project.start_session(key, Request("srs", budget=20, seed=1))
    answers_of(session, 3)
    drive.rename(away)
    [draw] = session.upcoming(1)
    vote = Event("late", "answer", draw.row, "Ann", "2026-11-20T10:00:00+00:00", 1, seconds=2.0)
    with pytest.raises(StoreUnavailable, match="is gone; labels are kept in it"):
        session.record([vote])
    away.rename(drive)
    assert session.record([vote]).acknowledged == ("late",)
    again = Project(drive / "project").session(session.session_record.id)
    assert len(again.answers()) == 4


@pytest.mark.parametrize(
    "name", ["with spaces", "Übung 测试 \U0001f642", "back\\slash", "C:\\data", "/".join(["deep" * 12] * 8)]
)
def test_a_project_works_in_a_folder_of_any_name_and_of_more_than_260_letters(tmp_path, name):
    folder = tmp_path / name
    assert "deep" not in name or len(str(folder)) > 260
    project = Project(folder)
    key = project.add_table("t.csv", TABLE).key
    session = project.start_session(key, Request("srs", budget=20, seed=1))
    answers_of(session, 2)
    project.store.close()
    again = Project(folder)
    assert len(again.session(session.session_record.id).answers()) == 2
    np.testing.assert_array_equal(again.inputs(key).predictions, project.inputs(key).predictions)
    assert os.listdir(folder)


def test_names_that_windows_keeps_for_devices_are_changed_and_paths_inside_a_project_are_the_same_on_every_system(
    tmp_path,
):
    given = ["con", "NUL.onnx", "com1.npz", "lpt9", "aux.tar.gz", "a:b.onnx", "C:\\models\\net.onnx", "console.onnx"]
    taken = ["_con", "_NUL.onnx", "_com1.npz", "_lpt9", "_aux.tar.gz", "a_b.onnx", "net.onnx", "console.onnx"]
    assert [safe_name(name) for name in given] == taken
    assert name_in_project(tmp_path / "p" / "models" / "net.onnx", tmp_path / "p") == "models/net.onnx"
