"""The browser's Back between pages of the app."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.app_steps import PATIENCE, go, start_demo, still

ROOT = Path(__file__).parents[2]


@pytest.fixture
def app(run_app, tmp_path, demo_ready):
    return run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(demo_ready("digits", tmp_path)))


def test_back_goes_back_in_one_press_and_the_address_still_names_what_is_open(app, page):
    start_demo(page, app.url, "digits")
    for name in ("Versions", "Results"):
        go(page, name)
        expect(page).to_have_url(re.compile(rf"/{name.lower()}\?.*session="), timeout=1000 * PATIENCE)
    for path in ("/versions", "/label"):
        page.go_back()
        expect(page).to_have_url(re.compile(rf"{path}\?.*subject=digits"), timeout=1000 * PATIENCE)
        still(page)
    page.reload()
    page.locator(".surface").wait_for(timeout=1000 * PATIENCE)
