"""Each project that ``keep_one.py`` kept of an earlier version opens, replays and says what that version said."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from testimate.project.backup import check_project, restore_backup
from testimate.project.bundle import import_bundle
from testimate.project.project import Project
from tests.projects_made_before.keep_one import said_of

KEPT = sorted(path for path in Path(__file__).with_name("kept").iterdir() if path.is_dir())


def as_said(then: dict[str, Any]) -> dict[str, Any]:
    """To be compared with: everything to the letter, the point as exactly as another machine's sums are."""
    return {**then, "accuracy": pytest.approx(then["accuracy"], rel=1e-9)}


@pytest.fixture(params=KEPT, ids=lambda folder: folder.name)
def folder(request, tmp_path) -> Path:
    """A copy, which opening may change."""
    return Path(shutil.copytree(request.param, tmp_path / "kept"))


def test_every_session_of_a_kept_project_says_what_it_said(folder):
    project, then = Project(folder / "project"), json.loads((folder / "said.json").read_text())
    assert {record.id for record in project.sessions()} == then.keys()
    assert {id: said_of(project.session(id)) for id in then} == {id: as_said(one) for id, one in then.items()}
    assert check_project(project) == []
    assert project.testers.check("Lea", "long enough").leads
    assert set(project.session_changes.names()) == then.keys()


def test_a_kept_backup_is_restored_and_says_the_same(folder):
    restore_backup(folder / "backup.zip", folder / "restored")
    project, then = Project(folder / "restored"), json.loads((folder / "said.json").read_text())
    assert {id: said_of(project.session(id)) for id in then} == {id: as_said(one) for id, one in then.items()}


def test_a_kept_bundle_of_each_session_is_imported_and_says_the_same(folder):
    project, then = Project(folder / "project"), json.loads((folder / "said.json").read_text())
    project.store.remove(list(then))
    for id, one in then.items():
        assert said_of(import_bundle(project, (folder / f"{id}.testimate").read_bytes())) == as_said(one)
