"""Inputs of three classes that a network does not know, from the first key to the report."""

import pytest

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
from tests.pages.test_unknown_classes import LABELS, SAID, TRUTH, begun, row_of, unknown


@pytest.fixture
def served(run_app, tmp_path):
    project = Project(tmp_path / "project")
    return run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(project.folder)), project


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
