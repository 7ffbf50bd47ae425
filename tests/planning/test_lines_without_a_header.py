"""A table whose first line is a row is the same table wherever its rows are counted, matched or written."""

from pathlib import Path

import pytest

import testimate
from testimate.planning.table_columns import groupings_of_table
from testimate.project.project import Project

CLASSES = ("cat", "dog", "owl")
OLD = [f"{row:03}.png,{CLASSES[row % 7 % 3]}" for row in range(40)]
ADDED = [f"{row:03}.png,{CLASSES[row % 3]}" for row in range(40, 46)]


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """A folder with the table of forty files and their classes, without a header, and that of six more."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.csv").write_text("\n".join(OLD) + "\n")
    (tmp_path / "new.csv").write_text("\n".join([*OLD, *ADDED]) + "\n")
    return tmp_path


def test_each_of_its_lines_is_in_a_group(here):
    (grouping,) = groupings_of_table(here / "old.csv", ["column 2"], len(OLD))
    written = [line.split(",")[1] for line in OLD]
    assert [grouping.values[place] for place in grouping.groups] == written


def test_what_a_set_grew_by_are_its_last_lines(here):
    plan = testimate.select(testimate.open_subject("old.csv"), budget=10, seed=1)
    plan.write("plan.json")
    votes = "".join(f"{row},{OLD[row].split(',')[1]}\n" for row in plan.rows)
    (here / "votes.csv").write_text(f"row,label\n{votes}")
    testimate.grown("new.csv", old="old.csv", plan="plan.json", votes="votes.csv", write_added="added.csv")
    assert (here / "added.csv").read_text().splitlines()[1:] == ADDED


def test_votes_by_its_files_are_on_the_right_lines(here):
    project = Project(here / "project")
    key = project.add_table("old.csv", (here / "old.csv").read_bytes()).key
    assert [*project.columns.table(key).cells.columns] == ["column 1", "column 2"]
    assert project.columns.table(key).cells.size == len(project.inputs(key)) == len(OLD)
    project.store.close()
