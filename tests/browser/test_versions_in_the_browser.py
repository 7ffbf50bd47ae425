"""Versions in a browser: a new version is judged by old labels, and a top-up labeled by the keyboard makes it sharper."""

import re

import numpy as np
import pytest

from testimate.core.inputs import OtherModel
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.project.project import Project
from testimate.project.version_history import history_of
from testimate.project.versions import add_version
from tests.browser.app_server import ROOT
from tests.browser.app_steps import PATIENCE, answer_in_turn, click, still

TOP_UP = 4


@pytest.fixture
def served(run_app, demo_ready, tmp_path):
    """The digits with 60 labels, and a second version that is wrong on every twelfth input."""
    folder = demo_ready("digits", tmp_path / "project")
    project = Project(folder)
    truth = project.inputs("digits").truth
    session = project.start_session("digits", Request("rrs", 60, 1))
    while upcoming := session.upcoming(8):
        for draw in upcoming:
            said = int(truth[draw.row])
            session.record([Event(f"e{draw.row}", "answer", draw.row, "tester", "2026-01-01T00:00:00Z", said)])
    wrong = np.arange(len(truth)) % 12 == 0
    second = add_version(
        project, "digits", OtherModel("week 2", np.where(wrong, (truth + 1) % 10, truth), np.where(wrong, 0.6, 0.97))
    )
    return run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(folder)), project, second, truth


@pytest.mark.slow  # test_versions_walk.py goes further; tests/pages/test_versions_page.py begins and counts a top-up
def test_a_top_up_begun_on_versions_and_labeled_by_keyboard_is_in_the_next_look(served, page):
    app, project, second, truth = served
    before = history_of(project, "digits").versions[1].reused
    page.goto(f"{app.url}/versions?subject={second.key}")
    page.get_by_text("Too close to call: week 2").wait_for(timeout=1000 * PATIENCE)
    still(page)
    field = page.get_by_label("Labels for the difference")
    field.fill(str(TOP_UP))
    field.press("Enter")
    click(page, page.get_by_role("button", name=f"Label {TOP_UP} where they differ"))
    page.wait_for_url(re.compile("/label"), timeout=1000 * PATIENCE)
    answer_in_turn(page, lambda row: [str(int(truth[row]))], TOP_UP)
    click(page, page.get_by_role("button", name="See the versions"))
    page.get_by_text(f"judged by {60 + TOP_UP} labels of 2 plans").wait_for(timeout=1000 * PATIENCE)
    after = history_of(Project(project.folder), "digits").versions[1].reused
    assert after.differing_labeled == before.differing_labeled + TOP_UP
