"""The demo of roads in a real browser: from the first screen to numbers that are answered, refused and estimated."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from testimate.core.session_record import Event
from testimate.core.words import percent
from testimate.project.project import Project
from tests.browser.app_steps import PATIENCE, answer, metric, on_screen, start_demo, still, wait_until_stored

ROOT = Path(__file__).parents[2]
ENOUGH = 60
"""Labels by which each of the ten strata has some, and the estimate its intervals."""


@pytest.fixture
def project(tmp_path, demo_ready) -> Project:
    """A project in which the demo's network has run."""
    return Project(demo_ready("road", tmp_path))


@pytest.fixture
def app(run_app, project):
    return run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(project.folder))


def as_read(project: Project, row: int) -> float:
    """The right angle to the degree, as a person reads it off the ruler."""
    return float(np.rint(project.subject("road").truth[row]))


def label_beside(project: Project, count: int) -> None:
    """Another process labels until there are so many."""
    [record] = project.sessions()
    session = project.session(record.id)
    while session.labeled < count:
        [draw] = session.upcoming(1)
        at = datetime.now(UTC).isoformat()
        event = Event(f"beside-{draw.row:05}", "answer", draw.row, "tester", at, as_read(project, draw.row))
        assert session.record([event]).acknowledged


@pytest.mark.slow  # tests/pages/test_road_page.py goes through its pages, test_typed_is_stored.py types its numbers
def test_a_tester_steers_by_the_road_from_the_first_screen_on(app, page, project):
    row = start_demo(page, app.url, "road")
    for key in ("4", "0", "Enter"):
        page.keyboard.press(key)
    page.get_by_role("alert").get_by_text("Expected a number from -25 to 25, got 40.").wait_for(timeout=1000 * PATIENCE)
    assert int(page.locator(".surface").get_attribute("data-row")) == row
    for _ in range(2):
        page.keyboard.press("Backspace")
    said = {}
    while len(said) < 3:
        row = on_screen(page)
        said[row] = as_read(project, row)
        answer(page, row, *f"{said[row]:.0f}", "Enter")
    wait_until_stored(page, "3 of ")
    assert metric(page, "Within 6 degrees") == "–"  # without a label in each stratum there is no number
    label_beside(project, ENOUGH)
    [record] = project.sessions()
    session = project.session(record.id)
    assert said.items() <= session.answers().items()
    page.reload()
    wait_until_stored(page, f"{ENOUGH} of ")
    still(page)
    labels = session.answers()  # the share of the strata by hand: of each, what its labels say about its inputs
    said_by_network, sizes = session.inputs.predictions, session.selector.design.stratum_sizes
    right: dict[int, list[bool]] = {}
    for row, label in labels.items():
        right.setdefault(session.draw_of(row).stratum, []).append(bool(abs(said_by_network[row] - label) <= 6))
    share = sum(size * np.mean(right[stratum]) for stratum, size in enumerate(sizes)) / sum(sizes)
    assert metric(page, "Within 6 degrees") == percent(share)
    page.get_by_text("size of the error").first.wait_for(timeout=1000 * PATIENCE)
    assert page.get_by_text("Accuracy", exact=True).count() == 0
