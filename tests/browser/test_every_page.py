"""Every page as a tester meets it: small and large screens, light and dark, a clean console, nothing axe objects to."""

import pytest
from axe_playwright_python.base import AXE_FILE_PATH

from testimate.core.selector import Request
from testimate.core.vote import Event
from testimate.project.project import Project
from tests.browser.app_server import ROOT
from tests.browser.app_steps import PATIENCE, on_screen, still
from tests.browser.conftest import console_of, errors_of_what_is_shown

SMALL, LARGE = {"width": 1280, "height": 800}, {"width": 1920, "height": 1080}
PAGES = {
    "Subject": "Sample inputs",
    "Clusters": "Prototypes",
    "Strata": "What each technique spends where",
    "Plan": "What to expect",
    "Label": "Faults found",
    "Results": "What this rests on",
    "Versions": "Add a version",
    "Compare models": "Upload predictions",
    "Study": "Repetitions",
}
"""Each page with words that stand on it once it is there."""

SERIOUS = ("serious", "critical")

STREAMLITS_OWN = ("aria-required-children", "scrollable-region-focusable")
"""Rules that Streamlit's own parts break, whatever the app puts in them."""


@pytest.fixture(scope="module")
def app(run_app, tmp_path_factory, demo_ready):
    folder = demo_ready("digits", tmp_path_factory.mktemp("project"))
    project = Project(folder)
    inputs = project.inputs("digits")
    session = project.start_session("digits", Request("rra", 30, 1), half_width=0.05)
    for draw in session.upcoming(12):
        answer = int(inputs.truth[draw.row])
        session.record([Event(f"label-{draw.row:05}", "answer", draw.row, "tester", "2026-01-01T00:00:00Z", answer)])
    project.clusters("digits")
    served = run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(folder))
    served.first = f"{served.url}/?subject=digits&session={session.session_record.id}"
    return served


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
def test_every_page_is_usable_and_nobody_objects(app, browser, size, scheme):
    context = browser.new_context(viewport=size, color_scheme=scheme)
    page = context.new_page()
    said = console_of(page)
    page.goto(app.first)
    objections = []
    for name, words in PAGES.items():
        page.get_by_role("link", name=name, exact=True).click(timeout=1000 * PATIENCE)
        page.get_by_text(words).first.wait_for(timeout=1000 * PATIENCE)
        still(page)
        if name == "Label":
            on_screen(page)
        too_wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert too_wide <= 0, name
        objections += [(name, *one) for one in objections_of(page)]
    errors = errors_of_what_is_shown(said, page)
    context.close()
    assert not objections, "\n".join(map(str, objections))
    assert errors == []


def objections_of(page) -> list[tuple[str, str]]:
    """What axe-core finds serious on the page as it is, by the rules of WCAG 2.2 at the levels A and AA."""
    page.evaluate(AXE_FILE_PATH.read_text())
    found = page.evaluate(
        "() => axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })"
    )
    assert len(found["passes"]) > 10
    return [
        (one["id"], f"{node['html'][:160]} {node['failureSummary'][:260]}")
        for one in found["violations"]
        if one["impact"] in SERIOUS and one["id"] not in STREAMLITS_OWN
        for node in one["nodes"]
    ]
