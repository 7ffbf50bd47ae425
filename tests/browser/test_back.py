"""The browser's Back between pages of the app."""

import re
from pathlib import Path

from playwright.sync_api import expect

from testimate.core.selector import Request
from testimate.project.project import Project
from tests.browser.app_steps import PATIENCE, go, on_screen, still

ROOT = Path(__file__).parents[2]


def test_back_goes_back_in_one_press_and_the_address_still_names_what_is_open(run_app, demo_ready, page, tmp_path):
    project = Project(demo_ready("digits", tmp_path))
    session = project.start_session("digits", Request("srs", 20, 1)).session_record.id
    app = run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(project.folder))
    page.goto(f"{app.url}/label?subject=digits&session={session}")
    on_screen(page)
    for name in ("Versions", "Results"):
        go(page, name)
        expect(page).to_have_url(re.compile(rf"/{name.lower()}\?.*session="), timeout=1000 * PATIENCE)
    for path in ("/versions", "/label"):
        page.go_back()
        expect(page).to_have_url(re.compile(rf"{path}\?.*subject=digits"), timeout=1000 * PATIENCE)
        still(page)
    page.reload()
    page.locator(".surface").wait_for(timeout=1000 * PATIENCE)
