"""A project that somebody else made reads nothing outside its folder, unless the person at the terminal names it."""

import io
import json
import os
import shutil
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from PIL import Image

from testimate.core.errors import BadInput
from testimate.project.backup import check_backup, check_project, paths_outside, restore_backup, write_backup
from testimate.project.project import Project
from testimate.project.record_paths import FILES, FOLDERS, ROLES, allow, allowed_paths, name_in_project
from testimate.project.subject_records import read_facts
from testimate.subjects.table_choices import TableChoices
from tests.own_files import described, write_own_files

TABLE = b"prediction,confidence\n" + b"".join(b"%d,0.%d\n" % (row % 3, 50 + row) for row in range(30))
NAMED = b"image,prediction\n" + b"".join(b"%d.png,%d\n" % (row, row % 3) for row in range(5))


def data(folder: Path) -> Path:
    """A person's own files of every kind that a record can name."""
    folder.mkdir(parents=True)
    write_own_files(folder)
    own = np.load(folder / "data.npz")
    np.savez(folder / "training.npz", x_train=own["x_train"], y_train=own["y_train"])
    np.save(folder / "features.npy", np.random.default_rng(1).normal(size=(30, 3)))
    pa.parquet.write_table(pa.table({"prediction": [0, 1, 2] * 10, "confidence": [0.75] * 30}), folder / "t.parquet")
    (folder / "pictures").mkdir()
    for row in range(5):
        Image.new("L", (4, 4), 40 * row).save(folder / "pictures" / f"{row}.png")
    return folder


ADDED = {
    "model": lambda project, files: project.add_uploaded(described(files / "network.onnx", files / "data.npz")),
    "dataset": lambda project, files: project.add_uploaded(described(files / "network.onnx", files / "data.npz")),
    "training": lambda project, files: project.add_uploaded(
        described(files / "network.onnx", files / "data.npz", training=files / "training.npz")
    ),
    "inputs": lambda project, files: project.add_table(
        "named.csv", NAMED, choices=TableChoices(inputs=files / "pictures")
    ),
    "features": lambda project, files: project.add_table("t.csv", TABLE, features=files / "features.npy"),
    "table": lambda project, files: project.add_table("t.parquet", files / "t.parquet", task="classification"),
}
"""How a subject whose record names a file in each role is added."""


def record_of(project: Path) -> Path:
    [record] = (project / "subjects").glob("*/subject.json")
    return record


def leading_out(tmp_path: Path, role: str, *, up: bool) -> tuple[Path, str, Path]:
    """A project whose record names one file outside it, the subject's key, and where that file is; the others lie inside."""
    made = tmp_path / "made"
    Project(made).store.close()
    inside = data(made / "datasets" / "own")
    key = ADDED[role](Project(made), inside).key
    outside = Path(shutil.copytree(inside, tmp_path / "private"))
    facts = json.loads(record_of(made).read_text())
    secret = outside / Path(facts[role]).relative_to("datasets/own")
    facts[role] = os.path.relpath(secret, made) if up else str(secret)
    record_of(made).write_text(json.dumps(facts))
    return made, key, secret


def test_every_role_of_a_record_that_names_a_file_is_tried_here():
    assert set(ADDED) == set(ROLES)


@pytest.mark.parametrize("up", [False, True], ids=["absolute", "climbing"])
@pytest.mark.parametrize("role", ROLES)
def test_a_record_opens_no_file_outside_the_project_until_it_is_allowed(tmp_path, role, up):
    made, key, secret = leading_out(tmp_path, role, up=up)
    with pytest.raises(BadInput, match=r"outside the project\. Expected a file in .*\. If you trust") as refused:
        Project(made).subject(key)
    assert repr(read_facts(record_of(made))[role]) in str(refused.value)
    assert str(refused.value).endswith(f"testimate project check --project {made} --allow {secret}")
    assert check_project(Project(made)) == [str(refused.value)]
    allow(made, secret.parent)
    assert Project(made).subject(key).key == key
    assert check_project(Project(made)) == []


@pytest.mark.parametrize("role", ROLES)
def test_what_a_person_names_themselves_opens_again_but_not_in_a_copy(tmp_path, role):
    files = data(tmp_path / "files")
    key = ADDED[role](Project(tmp_path / "mine"), files).key
    assert Project(tmp_path / "mine").subject(key).key == key
    assert check_project(Project(tmp_path / "mine")) == []
    shutil.copytree(tmp_path / "mine", tmp_path / "copy")
    with pytest.raises(BadInput, match="outside the project"):
        Project(tmp_path / "copy").subject(key)


def test_only_the_named_file_is_allowed_and_not_what_lies_beside_it(tmp_path):
    files = data(tmp_path / "files")
    ADDED["features"](Project(tmp_path / "mine"), files)
    assert allowed_paths(tmp_path / "mine") == (files / "features.npy",)


@pytest.mark.parametrize("role", ROLES)
def test_a_record_holds_paths_in_no_other_fact(tmp_path, role):
    files = data(tmp_path / "files")
    ADDED[role](Project(tmp_path / "mine"), files)

    def texts(value):
        inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return {value} if isinstance(value, str) else {text for one in inside for text in texts(one)}

    facts = read_facts(record_of(tmp_path / "mine"))
    named = {text for name, value in facts.items() if name not in ROLES for text in texts(value)}
    assert {text for text in named if "/" in text and Path(text).exists()} == set()


def test_files_of_a_project_are_the_listed_ones():
    for made in Path(__file__).parents[1].glob("projects_made_before/**/project"):
        assert {place.name for place in made.iterdir()} <= {*FOLDERS, *FILES}


@pytest.mark.parametrize("name", [5, ["a"], "a\0b", "a\ud800b", 5_000 * "a"], ids=["5", "list", "nul", "half", "long"])
def test_a_path_that_is_no_name_is_refused_in_a_sentence(tmp_path, name):
    made, key, _ = leading_out(tmp_path, "dataset", up=False)
    facts = json.loads(record_of(made).read_text())
    record_of(made).write_text(json.dumps({**facts, "dataset": name}))
    with pytest.raises(BadInput, match=r"Expected the name of a file in the project|is gone"):
        Project(made).subject(key)
    assert check_project(Project(made)) == []


def test_the_projects_own_folder_is_not_data_of_it(tmp_path):
    made, key, _ = leading_out(tmp_path, "inputs", up=False)
    facts = json.loads(record_of(made).read_text())
    record_of(made).write_text(json.dumps({**facts, "inputs": "."}))
    with pytest.raises(BadInput, match="outside the project"):
        Project(made).subject(key)


def test_a_command_to_copy_has_only_visible_characters(tmp_path):
    made, key, _ = leading_out(tmp_path, "inputs", up=False)
    facts = json.loads(record_of(made).read_text())
    for name, shown in (("/a\n; rm b", "DIR"), ("/a; rm b", "'/a; rm b'"), ("/\u202eb", "DIR")):
        record_of(made).write_text(json.dumps({**facts, "inputs": name}))
        with pytest.raises(BadInput) as refused:
            Project(made).subject(key)
        assert str(refused.value).endswith(f" --allow {shown}")
        assert str(refused.value).isprintable()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows lets few people make a link")
@pytest.mark.parametrize(
    "place",
    ["subjects/table-x/table", "datasets/x.zip", "pictures", "labels.sqlite", "datasets/" + 32 * "a" + "/x.zip"],
)
def test_no_link_in_a_project_leads_out_of_it_until_it_is_allowed(tmp_path, place):
    project, secret = tmp_path / "project", tmp_path / "secret"
    secret.touch()
    (project / place).parent.mkdir(parents=True)
    (project / place).symlink_to(secret)
    with pytest.raises(BadInput, match=r"contains '.*', a link to '.*secret', outside the project") as refused:
        Project(project)
    assert paths_outside(project) == [str(refused.value)]
    allow(project, secret)
    Project(project).store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows lets few people make a link")
def test_links_that_are_not_the_projects_do_not_matter(tmp_path):
    (tmp_path / "project" / ".venv").mkdir(parents=True)
    (tmp_path / "project" / ".venv" / "python").symlink_to(sys.executable)
    (tmp_path / "project" / "cache").symlink_to("kept here")
    (tmp_path / "project" / "kept here").mkdir()
    assert Project(tmp_path / "project").sessions() == []
    assert paths_outside(tmp_path / "project") == []


def test_names_in_a_record_never_climb(tmp_path):
    project = tmp_path / "project"
    assert name_in_project(project / "models" / ".." / ".." / "x", project) == str(tmp_path / "x")
    assert name_in_project(project / "models" / ".." / "x", project) == "x"


# At the terminal


@pytest.fixture
def backup(tmp_path) -> Path:
    """A backup whose record names a folder outside the project."""
    made, _, _ = leading_out(tmp_path, "inputs", up=False)
    write_backup(Project(made), tmp_path / "b.zip")
    return tmp_path / "b.zip"


def test_check_refuses_a_backup_that_reads_elsewhere_and_names_the_command(tmp_path, backup, command):
    said = command.refusal("project", "check", backup)
    assert f"'{tmp_path / 'private' / 'pictures'}', outside the project" in said
    assert said.endswith(f"testimate project check {backup} --allow {tmp_path / 'private' / 'pictures'}\n")
    assert "is whole" in command.ok("project", "check", backup, "--allow", tmp_path / "private")
    with pytest.raises(BadInput, match="outside the project"):
        check_backup(backup)


def test_restore_says_what_leads_outside_and_allows_what_is_named(tmp_path, backup, command):
    place = tmp_path / "restored"
    said = command("project", "restore", backup, "--project", place)
    assert said.status == 0
    assert "outside the project" in said.err
    assert "outside the project" in command.refusal("project", "check", "--project", place)
    said = command("project", "check", "--project", place, "--allow", tmp_path / "private")
    assert (said.status, said.err) == (0, f"Test sets in {place} may read {tmp_path / 'private'} from now on.\n")
    assert "is whole" in command.ok("project", "check", "--project", place)
    shutil.rmtree(place)
    restore_backup(backup, place)
    assert len(check_project(Project(place))) == 1, "what was allowed was allowed to the earlier project"
    said = command("project", "restore", backup, "--project", tmp_path / "at once", "--allow", tmp_path / "private")
    assert (said.status, "outside" in said.err) == (0, False)


def test_the_app_allows_what_its_command_names(tmp_path, monkeypatch, command):
    made, key, secret = leading_out(tmp_path, "inputs", up=False)
    monkeypatch.setattr("testimate.cli.start.os.execve", lambda *_: sys.exit(0))
    assert "Expected one to allow" in command.refusal("app", "--project", made, "--allow", tmp_path / "nothing")
    command.ok("app", "--project", made, "--allow", secret)
    assert Project(made).subject(key).dataset.modality == "image"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows lets few people make a link")
def test_the_app_does_not_start_on_a_link_that_leads_out(tmp_path, monkeypatch, command):
    monkeypatch.setattr("testimate.cli.start.os.execve", lambda *_: sys.exit(0))
    (tmp_path / "project" / "models").mkdir(parents=True)
    (tmp_path / "project" / "models" / "x.onnx").symlink_to("/etc/hostname")
    assert "a link to '/etc/hostname'" in command.refusal("app", "--project", tmp_path / "project")


def test_a_cache_of_somebody_else_runs_no_file_outside_its_project(tmp_path, command):
    files = data(tmp_path / "files")
    named = (files / "network.onnx", files / "data.npz", "--training", files / "training.npz")
    command.ok("features", *named, "--project", tmp_path / "mine", "--quiet")
    assert "is whole" in command.ok("project", "check", "--project", tmp_path / "mine")
    verify = ("cache", "verify", "--recompute", 1, "--quiet", "--project")
    assert "came out the same again" in command.ok(*verify, tmp_path / "mine")
    shutil.copytree(tmp_path / "mine", tmp_path / "copy")
    said = command.ok(*verify, tmp_path / "copy")
    assert "not computed again" in said
    assert f"'{files / 'network.onnx'}', outside the project" in said


def test_a_backup_with_a_record_in_a_cache_is_refused(tmp_path, backup):
    packed = io.BytesIO(backup.read_bytes())
    with zipfile.ZipFile(packed) as old, zipfile.ZipFile(tmp_path / "with cache.zip", "w") as new:
        about = json.loads(old.read("testimate-backup.json"))
        for one in about["files"]:
            if one["name"].endswith("subject.json"):
                new.writestr("files/cache/entry/subject.json", old.read(f"files/{one['name']}"))
                one["name"] = "cache/entry/subject.json"
            else:
                new.writestr(f"files/{one['name']}", old.read(f"files/{one['name']}"))
        new.writestr("labels.sqlite", old.read("labels.sqlite"))
        new.writestr("testimate-backup.json", json.dumps(about))
    with pytest.raises(BadInput, match=r"cache/entry/subject\.json.: backups leave this file out"):
        check_backup(tmp_path / "with cache.zip")
