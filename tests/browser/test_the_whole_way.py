"""The main job in a real browser, end to end: demo, clusters, a plan, labels, a killed server, and everything still there."""

import re
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import create_engine, text

from testimate.project.project import Project
from tests.browser.app_steps import (
    GONE,
    PATIENCE,
    answer,
    go,
    metric,
    on_screen,
    plan_by_name,
    start_demo,
    wait_until_stored,
)

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path, demo_ready) -> Path:
    """A project without a session; the demo's network has run."""
    return demo_ready("digits", tmp_path)


@pytest.fixture
def app(run_app, folder):
    return run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(folder))


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


def beside_the_accuracy(page) -> str:
    """The interval beside the accuracy, with its level and kind."""
    return str(page.locator(".st-key-headline [data-testid=stMetricDelta]").text_content())


def label(page, truth: np.ndarray, count: int) -> list[tuple[int, int]]:
    """Labels ``count`` inputs by the keyboard, each by its true class; returns (row, key) as they stood on the screen."""
    pressed = []
    next_row = ""
    for _ in range(count):
        row = int(next_row) if next_row else on_screen(page)
        answer(page, row, str(truth[row]))
        pressed.append((row, int(truth[row])))
        next_row = page.locator(".surface").get_attribute("data-row")
    return pressed


# test_every_page.py and test_clusters_page.py open Clusters in every run: a third of the time here
@pytest.mark.parametrize(
    "over_clusters", [pytest.param(False, id="short"), pytest.param(True, id="over Clusters", marks=pytest.mark.slow)]
)
def test_a_tester_goes_the_whole_way_and_a_killed_server_loses_nothing(
    app, page, folder, truth, expected_errors, over_clusters
):
    expected_errors += GONE
    start_demo(page, app.url, "digits")

    if over_clusters:
        go(page, "Clusters")
        page.get_by_text("Typical", exact=True).first.wait_for(timeout=60_000)
        assert re.search(r"\d+ clusters, ", page.locator("body").inner_text())

    plan_by_name(page, "Round-robin stratification", 100)
    labeled = label(page, truth, 5)
    wait_until_stored(page, "5 of 100")
    assert metric(page, "Accuracy") == "–"  # without a label in each stratum
    labeled += label(page, truth, 7)
    wait_until_stored(page, "12 of ")
    now = {name: metric(page, name) for name in ("Accuracy", "Faults", "WFDR", "SFDR")}
    assert "95%, stop-safe" in beside_the_accuracy(page)
    assert "–" not in (now["Accuracy"], now["WFDR"], now["SFDR"])

    on_disk = [(event["row"], int(event["answer"])) for event in events(folder)]
    assert on_disk == labeled

    app.kill()
    page.get_by_role("alert").filter(has_text="Your answers are safe in this browser").wait_for(timeout=1000 * PATIENCE)
    assert not page.get_by_role("dialog").count()  # Streamlit's would cover the input and take the keys
    app.start()
    page.reload()
    wait_until_stored(page, "12 of ")
    assert {name: metric(page, name) for name in now} == now
    label(page, truth, 1)
    wait_until_stored(page, "13 of ")

    go(page, "Results")
    page.get_by_text("13 answered").first.wait_for(state="attached", timeout=60_000)


def test_a_page_asked_for_first_by_its_address_comes_with_the_navigation(run_app, page, tmp_path, demo_ready):
    fresh = run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(demo_ready("digits", tmp_path)))
    page.goto(f"{fresh.url}/strata?subject=digits")
    page.get_by_text("Labels per stratum").wait_for(timeout=60_000)
    assert page.get_by_role("link", name="Results", exact=True).is_visible()
    assert not page.get_by_role("link", name="opened").count()
