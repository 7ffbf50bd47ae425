"""Walks through the road demo in a browser: 200 labels, its night found, 40 fresh labels, a fault explained, the report.

Run from the checkout: python docs/pictures/find_the_night.py. Answers are typed as a person would, the angle that
stands on the ruler. Look at each picture before you keep it.
"""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from take_pictures import FLAGS, keep, keep_as_it_is, served, visitor

from testimate import open_subject
from testimate.core.progress import silent
from testimate.project.project import Project
from tests.browser.app_steps import go

LABELS, FRESH = 200, 40


def main() -> None:
    """Serves the app over a fresh project in which the demo's network has run, and walks."""
    with tempfile.TemporaryDirectory() as folder:
        Project(Path(folder)).inputs("road", silent)
        with served(Path(folder)) as address, sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            walk(visitor(chromium, "light"), address, Path(folder))
            chromium.close()


def walk(page: Page, address: str, folder: Path) -> None:
    """From the plan to the report."""
    truth = open_subject("road", folder=folder).truth
    assert truth is not None
    page.goto(f"{address}/plan?subject=road")
    page.get_by_text("Advanced", exact=True).click()
    page.get_by_text("Choose the technique yourself").click()
    page.get_by_role("combobox", name="Technique").click()
    page.get_by_role("option", name="Simple random sampling (srs)").click()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.get_by_role("button", name="Start labeling").click()
    typed(page, truth, LABELS)
    go(page, "Results")
    page.get_by_role("radio", name="Weak spots").click()
    page.get_by_role("button", name="Look for weak spots").click()
    spot = page.get_by_text("labels that were not used to find it")
    spot.first.wait_for()
    spot.first.scroll_into_view_if_needed()
    keep(page, "weak-spot", spot.first)
    page.get_by_role("button", name=f"Label {FRESH} here").first.click()
    typed(page, truth, FRESH)
    keep(page, "inside-a-part", page.get_by_text("Inside dark pictures").first)
    go(page, "Results")
    choose_first_session(page)
    page.get_by_role("radio", name="Weak spots").click()
    confirmed = page.get_by_text("fresh labels say").first
    confirmed.wait_for()
    confirmed.scroll_into_view_if_needed()
    keep(page, "weak-spot-confirmed", confirmed)
    page.get_by_role("button", name="Explain").first.click()
    page.get_by_role("button", name="See where it looked").click()
    shade = page.get_by_text("Orange: with this covered")
    shade.wait_for()
    shade.scroll_into_view_if_needed()
    keep(page, "night-explained", shade)
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    with page.expect_download() as arriving:
        page.get_by_role("button", name="Report (HTML)").click()
    report = folder / "report.html"
    arriving.value.save_as(report)
    page.goto(report.as_uri())
    page.get_by_text("Full tables", exact=True).click()
    page.get_by_role("heading", name="Weak spots").scroll_into_view_if_needed()
    page.evaluate("scrollBy(0, 300)")
    page.wait_for_timeout(1_000)
    keep_as_it_is(page, "night-in-the-report")


def choose_first_session(page: Page) -> None:
    """The session of the whole set, of the two; the page of the other one has weak spots, too."""
    switcher = page.locator(".st-key-switcher").get_by_role("button")
    switcher.click()
    page.get_by_role("button").filter(has_text=f"srs, {LABELS}").click()
    switcher.filter(has_text=f"srs, {LABELS}").wait_for()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()


def typed(page: Page, truth: object, count: int) -> None:
    """Answers so many inputs by their truth, to the degree, as it is read off the ruler."""
    surface = page.locator(".surface:not([data-row=''])")
    for _ in range(count):
        surface.wait_for()
        row = int(page.locator(".surface").get_attribute("data-row") or 0)
        page.wait_for_timeout(250)  # an input that came too late to be seen takes no key
        for key in (*f"{truth[row]:.0f}".replace("-0", "0"), "Enter"):  # type: ignore[index] # known of a demo
            page.keyboard.press(key)
        page.locator(f".surface:not([data-row='{row}'])").wait_for()


if __name__ == "__main__":
    main()
