"""The race in a real browser: the oracle labels by itself, smoothly, until it is told to pause."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

ROOT = Path(__file__).parents[2]
PROGRESS = "[data-testid=stProgress]"
DRAWING = ".st-key-race [data-testid=stImage] img"
DRAWINGS_MISSED = 1500
"""Milliseconds in which a race that is on would have been drawn three times."""


@pytest.fixture(scope="module")
def app(run_app, tmp_path_factory, demo_ready):
    folder = demo_ready("digits", tmp_path_factory.mktemp("project"))
    return run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(folder))


def labels(page) -> int:
    return int(page.locator(PROGRESS).inner_text().split(" of ")[0])


@pytest.mark.slow  # tests/pages/test_study_page.py races without a browser
def test_the_race_runs_without_flicker_pauses_and_goes_step_by_step(app, page):
    page.goto(f"{app.url}/study?subject=digits&view=Race")
    expect(page.get_by_text("0 of 200 labels")).to_be_visible(timeout=90_000)
    page.locator(DRAWING).first.evaluate("drawing => { drawing.dataset.seen = 'from the start' }")
    height = page.evaluate("document.querySelector('[class*=st-key-lane-words]').getBoundingClientRect().bottom")
    assert height <= 800  # both lanes stand on a small screen

    page.get_by_role("button", name="Go", exact=True).click()
    page.wait_for_function(f"parseInt(document.querySelector('{PROGRESS}').innerText) >= 15", timeout=60_000)
    assert page.locator(DRAWING).first.get_attribute("data-seen") == "from the start"

    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_role("button", name="Go", exact=True)).to_be_visible(timeout=60_000)
    expect(page.get_by_role("button", name="One step")).to_be_enabled(timeout=60_000)
    count = labels(page)
    page.wait_for_timeout(DRAWINGS_MISSED)  # a race that went on would show it by now
    assert labels(page) == count

    page.get_by_role("button", name="One step").click()
    expect(page.get_by_text(f"{count + 1} of 200 labels")).to_be_visible(timeout=60_000)
    expect(page.locator("[class*=st-key-lane-words]").first).to_contain_text("typical inputs")

    page.get_by_role("button", name="Settings").click()  # its fields come to the browser only now
    expect(page.get_by_role("spinbutton", name="Seed")).to_have_value("1")
    page.keyboard.press("Escape")
    assert labels(page) == count + 1
