"""Every page as a tester meets it: small and large screens, light and dark, nothing axe objects to; and the browser's Back."""

import re
import urllib.request

import pytest
from axe_playwright_python.base import AXE_FILE_PATH
from playwright.sync_api import expect

from benchmarks.first_view import WORDS
from tests.browser.app_steps import PATIENCE, go, on_screen, still

SMALL, LARGE = {"width": 1280, "height": 800}, {"width": 1920, "height": 1080}
PAGES = {
    "Project": "Sample inputs",
    "Clusters": "Typical",
    "Strata": "Labels per stratum",
    "Plan": "Expect about",
    "Label": "Found early (WFDR)",
    "Results": "How this was measured",
    "Versions": "Add a version",
    "Compare": "Upload predictions",
    "Learn": "Repetitions",
}
"""Each page with words that stand on it once it is there."""

BUDGETS = {"Plan": 80}
"""Words that such a page may show at first."""

SERIOUS = ("serious", "critical")

STREAMLITS_OWN = ("aria-required-children", "scrollable-region-focusable")
"""Rules that Streamlit's own parts break, whatever the app puts in them."""

FADED_IN = """async () => {
  const drawn = () => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)));
  const fading = () => document.getAnimations()
    .filter((one) => one.playState !== 'finished' && one.effect.getComputedTiming().endTime < Infinity);
  for (await drawn(); fading().length; await drawn())
    await Promise.all(fading().map((one) => one.finished.catch(() => null)));
}"""
"""Waits for what Streamlit fades in, also for what begins to only when the next picture is drawn: half-way there its contrast
is too low."""

AT_ONCE = "*, ::before, ::after { transition-duration: 0s !important; animation-duration: 0s !important; }"
"""Nothing begins to fade while axe looks."""

AXE_RUN = """async () => {
  const found = await axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    resultTypes: ['violations'],
  })
  return { violations: found.violations, passed: found.passes.length }
}"""
"""Of rules that pass axe names one element each: to describe every element takes longer than to look at it."""


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        (SMALL, "light"),
        pytest.param(LARGE, "dark", marks=pytest.mark.slow),
        pytest.param(SMALL, "dark", marks=pytest.mark.slow),
        pytest.param(LARGE, "light", marks=pytest.mark.slow),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{value['width']}",
)
def test_every_page_is_usable_and_nobody_objects(digits, page, size, scheme):
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=scheme)
    page.goto(digits.url)
    page.get_by_text("Try a demo").wait_for(timeout=1000 * PATIENCE)
    still(page)
    objections = [("First screen", *one) for one in objections_of(page)]
    page.goto(f"{digits.url}/?subject=digits&session={digits.session}")
    for name, words in PAGES.items():
        go(page, name)
        page.get_by_text(words).first.wait_for(timeout=1000 * PATIENCE)
        still(page)
        if name == "Label":
            on_screen(page)
        assert page.evaluate(WORDS)["page"] <= BUDGETS.get(name, 1_000), name
        too_wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert too_wide <= 0, name
        objections += [(name, *one) for one in objections_of(page)]
    assert not objections, "\n".join(map(str, objections))


def test_back_goes_back_in_one_press_and_the_address_still_names_what_is_open(digits, page):
    page.goto(f"{digits.url}/label?subject=digits&session={digits.session}")
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


def test_the_first_page_answers_by_its_name_too(digits):
    with urllib.request.urlopen(f"{digits.url}/subject?subject=digits", timeout=PATIENCE) as answer:
        assert answer.url == f"{digits.url}/?subject=digits"


def objections_of(page) -> list[tuple[str, str]]:
    """What axe-core finds serious on the page as it is, by the rules of WCAG 2.2 at the levels A and AA."""
    page.add_style_tag(content=AT_ONCE)
    page.evaluate(FADED_IN)
    page.evaluate(AXE_FILE_PATH.read_text())
    found = page.evaluate(AXE_RUN)
    assert found["passed"] > 10
    return [
        (one["id"], f"{node['html'][:160]} {node['failureSummary'][:260]}")
        for one in found["violations"]
        if one["impact"] in SERIOUS and one["id"] not in STREAMLITS_OWN
        for node in one["nodes"]
    ]
