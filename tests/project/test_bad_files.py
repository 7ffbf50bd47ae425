"""A file that cannot be used leaves a project as it was: the same files with the same bytes, and the same rows of labels."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from testimate.core.errors import TestimateError
from testimate.core.selector import Request
from testimate.project.project import Project
from tests.each import each
from tests.own_files import described, write_own_files
from tests.pages.test_bad_drops import BAD
from tests.tables.bad_files import DATA, MODELS, TABLES

GOOD = b"prediction,confidence,label\n" + b"cat,0.9,cat\ndog,0.8,cat\n" * 40


@pytest.fixture
def project(tmp_path):
    """A project with a table, a session and two labels."""
    made = Project(tmp_path / "project")
    session = made.start_session(made.add_table("mine.csv", GOOD).key, Request("srs", budget=5, seed=1))
    session.upcoming(2)
    return made


def held(folder: Path) -> dict[str, object]:
    """Every file but the database's own with its bytes, and every row of every table of that."""
    files: dict[str, object] = {
        str(one.relative_to(folder)): one.read_bytes()
        for one in folder.rglob("*")
        if one.is_file() and "sqlite" not in one.name
    }
    for path in folder.rglob("*.sqlite"):
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            names = [
                name
                for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            ]
            files |= {
                f"{path.name} {name}": sorted(map(repr, database.execute(f'SELECT * FROM "{name}"'))) for name in names
            }
    return files


def test_a_bad_table_changes_no_file_and_no_row(project):
    before = held(project.folder)
    assert any(rows for name, rows in before.items() if "sqlite" in name)
    bad = {**TABLES, **{name: make for name, (make, _) in BAD.items()}}
    for name, make in bad.items():
        with pytest.raises(TestimateError):
            project.add_table(name, make())
        assert held(project.folder) == before, name


@each("role", ["model", "dataset", "training"])
def test_a_bad_model_or_bad_data_change_no_file_and_no_row(role, project, tmp_path):
    good, dropped = write_own_files(tmp_path), tmp_path / "dropped"
    dropped.mkdir(exist_ok=True)
    before = held(project.folder)
    for name, make in (MODELS if role == "model" else DATA).items():
        path = dropped / name
        path.write_bytes(make())
        files = {"model": good.model, "dataset": good.dataset} | {role: path}
        training = {"training": files["training"]} if role == "training" else {}
        with pytest.raises(TestimateError):
            project.add_uploaded(described(files["model"], files["dataset"], **training))
        assert held(project.folder) == before, name
    assert [entry.name for entry in project.entries() if not entry.demo] == ["mine.csv"]


def test_bad_predictions_and_bad_results_beside_a_table_change_no_file_and_no_row(project):
    [entry] = [entry for entry in project.entries() if not entry.demo]
    before = held(project.folder)
    for name, make in TABLES.items():
        with pytest.raises(TestimateError):
            project.others.add_history(entry.key, name, make())
        assert held(project.folder) == before, name
