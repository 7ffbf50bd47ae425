"""The command palette by the keyboard alone: it finds a session, goes there, and leaves the labeling surface's keys alone."""

import re

import pytest

from testimate.core.selector import Request
from testimate.project.deleted import name_session
from testimate.project.project import Project
from tests.browser.app_server import ROOT
from tests.browser.app_steps import PATIENCE, on_screen, still
from tests.browser.test_every_page import objections_of


@pytest.fixture(scope="module")
def app(run_app, tmp_path_factory, demo_ready):
    folder = demo_ready("digits", tmp_path_factory.mktemp("project"))
    project = Project(folder)
    session = project.start_session("digits", Request("srs", 10, 1)).session_record.id
    name_session(project, session, "7 اختبار", "Ann")
    served = run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(folder))
    served.session, served.project = session, project
    return served


@pytest.mark.slow
def test_letters_find_a_session_and_none_of_them_labels_what_is_below(app, page):
    page.goto(f"{app.url}/strata?subject=digits")
    page.get_by_role("heading", name="Distribution").wait_for(timeout=1000 * PATIENCE)
    still(page)
    page.locator("dialog[data-ready]").wait_for(state="attached", timeout=1000 * PATIENCE)
    page.keyboard.press("Control+k")
    page.get_by_role("option", name="اختبار").wait_for(timeout=1000 * PATIENCE)
    assert objections_of(page) == []
    page.keyboard.type("7 اخ")
    page.get_by_text("1 that fits").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(f"/label.*session={app.session}"), timeout=1000 * PATIENCE)
    on_screen(page)
    page.keyboard.press("Control+k")
    page.keyboard.type("777")
    page.get_by_text("Nothing fits").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog", name="Go to or do").wait_for(state="hidden")
    assert app.project.store.count(app.session) == 0
    page.keyboard.press("Alt+Shift+Digit4")
    page.wait_for_url(re.compile("/plan"), timeout=1000 * PATIENCE)
