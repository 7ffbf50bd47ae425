"""Inputs of three classes that a network does not know, from the first key to the report, and the same from files."""

import json
import re

import pytest

from testimate.core.selector import Request
from testimate.project.project import Project
from tests.browser.app_server import ROOT
from tests.browser.app_steps import (
    PATIENCE,
    answer_in_turn,
    downloaded_report,
    go,
    keys_on_screen,
    still,
    wait_until_stored,
)
from tests.cli.test_plan_labels import labeled_there

SIZE, LABELS = 60, 20
TRUTH = [("cat", "dog", "fox", "cat", "owl", "dog", "elk", "cat")[row % 8] for row in range(SIZE)]
SAID = [name if name in ("cat", "dog") and row % 9 else "dog" for row, name in enumerate(TRUTH)]


def begun(project):
    """A session of a new test set of texts, of which three in eight are of no class."""
    lines = [
        f"a {name} by the river {row},{said},{0.5 + row / 200}\n"
        for row, (name, said) in enumerate(zip(TRUTH, SAID, strict=True))
    ]
    subject = project.add_table("animals.csv", ("text,prediction,confidence\n" + "".join(lines)).encode())
    return project.start_session(subject.key, Request("srs", LABELS, 4))


@pytest.fixture
def served(run_app, tmp_path):
    project = Project(tmp_path / "project")
    return run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(project.folder)), project


def unknown(rows):
    """What the row of unknown classes says: how many, and each name with its count, the commonest first."""
    names = [TRUTH[row] for row in rows if TRUTH[row] not in ("cat", "dog")]
    return len(names), {name: names.count(name) for name in names}


def row_of(report):
    """The same, as the report says it."""
    said = re.search(r"none of these: (\d+), ((?:\w+ \d+,? ?)+)", report)
    return int(said[1]), {name: int(count) for name, count in re.findall(r"(\w+) (\d+)", said[2])}


def test_three_unknown_classes_go_from_their_first_key_to_the_report(served, page):
    app, project = served
    session = begun(project)
    page.goto(f"{app.url}/label?subject={session.session_record.subject}&session={session.session_record.id}")
    keys = keys_on_screen(page)

    def typed(row):
        name = TRUTH[row]
        return [keys[name]] if name in keys else ["n", *name, "Enter"]

    rows = answer_in_turn(page, typed, LABELS)
    wait_until_stored(page, f"{LABELS} of ")
    go(page, "Results")
    page.get_by_role("heading", name="What it meets but does not know").wait_for(timeout=1000 * PATIENCE)
    still(page)
    assert row_of(downloaded_report(page)) == unknown(rows)
    session.refresh()
    assert session.estimate().accuracy == sum(SAID[row] == TRUTH[row] for row in rows) / LABELS


@pytest.mark.parametrize("by", ["votes.csv", "label-studio.json"])
def test_votes_from_a_file_bring_unknown_classes_to_the_same_report(served, page, command, tmp_path, by):
    app, project = served
    session = begun(project)
    id, rows, file = session.session_record.id, [draw.row for draw in session.draws], tmp_path / by
    if by == "votes.csv":
        file.write_text("row,answer\n" + "".join(f"{row},{TRUTH[row]}\n" for row in rows))
    else:
        tasks = [{"data": {"row": row}, "annotations": [labeled_there(TRUTH[row], ["cat", "dog"])]} for row in rows]
        file.write_text(json.dumps(tasks))
    said = command("sessions", "import", file, "--into", id, "--project", project.folder)
    assert said.status == 0
    assert "labels are no class of this network and count as wrong" in said.err
    page.goto(f"{app.url}/results?subject={session.session_record.subject}&session={id}")
    page.get_by_role("heading", name="What it meets but does not know").wait_for(timeout=1000 * PATIENCE)
    assert row_of(downloaded_report(page)) == unknown(rows)
