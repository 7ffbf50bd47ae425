"""The main job in a real browser, end to end: demo, clusters, plans, labels, a killed server, and everything still there."""

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import TimeoutError
from sqlalchemy import create_engine, text

from testimate.sessions.project import Project

ROOT = Path(__file__).parents[2]
GONE = ["WebSocket", "ERR_CONNECTION", "Failed to load resource", "Failed to fetch", "disconnected", "health"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A fresh project; the app makes the demo itself."""
    return tmp_path_factory.mktemp("project")


@pytest.fixture(scope="module")
def app(run_app, folder):
    return run_app(ROOT / "app.py", TESTIMATE_PROJECT=str(folder))


@pytest.fixture
def truth(folder) -> np.ndarray:
    """The true digits of the demo, as an oracle who labels."""
    return np.asarray(Project(folder).subject("digits").truth)


def events(folder: Path) -> list[dict]:
    """What is on disk, read beside the app."""
    engine = create_engine(f"sqlite:///file:{folder / 'labels.sqlite'}?mode=ro&uri=true")
    with engine.connect() as connection:
        rows = (
            connection.execute(text("select session, kind, row, answer from events order by sequence")).mappings().all()
        )
    engine.dispose()
    return [dict(row) for row in rows]


def label(page, truth: np.ndarray, count: int) -> list[tuple[int, int]]:
    """Labels ``count`` inputs by the keyboard, each by its true class; returns (row, key) as they stood on the screen."""
    pressed = []
    on_screen = ""
    for _ in range(count):
        if not on_screen:
            page.wait_for_selector(".surface:not([data-row=''])", timeout=60_000)
            page.wait_for_timeout(400)  # an input that came by itself takes no key before it could be seen
        row = int(page.locator(".surface").get_attribute("data-row"))
        answer(page, row, str(truth[row]))
        pressed.append((row, int(truth[row])))
        on_screen = page.locator(".surface").get_attribute("data-row")
    return pressed


def answer(page, row: int, key: str) -> None:
    """Presses the key until the input is answered; a tester, too, presses again when an input came too late to be seen."""
    for _ in range(5):
        page.keyboard.press(key)
        try:
            page.wait_for_function(f"() => {SURFACE}?.dataset.row !== '{row}'", timeout=4_000)
        except TimeoutError:
            continue
        return
    raise AssertionError(f"input {row} did not take the key {key}")


SURFACE = "document.querySelector('[data-testid=stBidiComponentIsolated]')?.shadowRoot?.querySelector('.surface')"


def wait_until_stored(page, count: int) -> None:
    """Until the page says that so many labels of the session count."""
    page.wait_for_function(f"() => document.body.innerText.includes('{count} of ')", timeout=60_000)
    page.wait_for_function(f"() => {SURFACE}?.querySelector('.stored')?.textContent.includes('stored')", timeout=60_000)


def metric(page, label: str) -> str:
    block = page.locator("[data-testid=stMetric]", has_text=label).first
    return str(block.locator("[data-testid=stMetricValue]").text_content())


def go(page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).click()
    page.wait_for_url(re.compile(f"/{name.lower()}"), timeout=60_000)


def plan_by_name(page, title: str, budget: int) -> None:
    go(page, "Plan")
    page.get_by_text("Choose the technique yourself").click()
    page.get_by_text("Choose by name").click()
    box = page.get_by_role("combobox", name=re.compile("Technique"))
    box.wait_for(timeout=60_000)
    page.wait_for_timeout(1500)  # the form settles before the list opens
    box.click()
    page.wait_for_timeout(500)
    page.keyboard.type(title)
    page.wait_for_timeout(500)
    page.keyboard.press("Enter")
    page.wait_for_timeout(1500)
    assert box.input_value().startswith(title)
    field = page.locator('input[aria-label="Budget (labels)"]')
    field.fill(str(budget))
    field.press("Enter")
    page.wait_for_timeout(1500)
    page.get_by_role("button", name="Start labeling").click()
    page.wait_for_url(re.compile("/label"), timeout=60_000)


def test_a_tester_goes_the_whole_way_and_a_killed_server_loses_nothing(app, page, folder, truth, expected_errors):
    expected_errors += GONE
    page.goto(app.url)
    page.get_by_role("button", name="Start labeling").first.click()
    page.wait_for_selector(".surface:not([data-row=''])", timeout=60_000)

    go(page, "Clusters")
    page.get_by_text("Prototypes", exact=True).wait_for(timeout=60_000)
    assert re.search(r"\d+ clusters hold", page.locator("body").inner_text())

    plan_by_name(page, "PACE", 20)
    by_pace = label(page, truth, 20)
    wait_until_stored(page, 20)
    assert metric(page, "Stop-safe interval") == "–"

    plan_by_name(page, "Round-robin stratification", 100)
    by_rounds = label(page, truth, 30)
    wait_until_stored(page, 30)
    halfway = {name: metric(page, name) for name in ("Accuracy", "Stop-safe interval", "Faults found")}
    by_rounds += label(page, truth, 30)
    wait_until_stored(page, 60)
    now = {name: metric(page, name) for name in ("Accuracy", "Stop-safe interval", "Faults found", "WFDR", "SFDR")}
    assert now["Stop-safe interval"] != halfway["Stop-safe interval"]
    assert "–" not in (now["Accuracy"], now["WFDR"], now["SFDR"])

    on_disk = [(event["row"], int(event["answer"])) for event in events(folder)]
    assert on_disk == by_pace + by_rounds

    app.kill()
    app.start()
    page.reload()
    wait_until_stored(page, 60)
    assert {name: metric(page, name) for name in now} == now
    label(page, truth, 1)
    wait_until_stored(page, 61)

    go(page, "Results")
    page.get_by_text("61 labeled").first.wait_for(timeout=60_000)


def test_a_page_asked_for_first_by_its_address_comes_with_the_navigation(run_app, page, folder, expected_errors):
    expected_errors += ["404"]  # Streamlit looks for its own addresses below the page's first
    fresh = run_app(ROOT / "app.py", TESTIMATE_PROJECT=str(folder))
    page.goto(f"{fresh.url}/strata?subject=digits")
    page.get_by_text("What each technique spends where").wait_for(timeout=60_000)
    assert page.get_by_role("link", name="Results", exact=True).is_visible()
    assert not page.get_by_role("link", name="opened").count()
