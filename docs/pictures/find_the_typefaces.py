"""Walks through the demo of letters in a browser: a typeface it was not trained on, found on the map, named and confirmed.

Run from the checkout: python docs/pictures/find_the_typefaces.py. The first 200 labels are given by the truth. The walker sees
which letters are in the brush script, as a person does, and draws a line around them on the map. Look at each picture
before you keep it.
"""

import shutil
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page, sync_playwright
from take_pictures import FLAGS, PATIENCE, answer, answer_all, keep, served, visitor

from testimate import open_subject
from testimate.core.progress import silent
from testimate.core.selector import Request
from testimate.demos.glyphs import DEFAULT_LEVEL, TYPEFACES, operational
from testimate.project.cluster_settings import suited_settings
from testimate.project.project import Project

LABELS, FRESH = 200, 20
SCRIPT, NAME, COLUMN = "Kaushan Script", "brush script", "typeface"
AROUND = 80
"""Points inside the line."""

CHART = ".st-key-map .js-plotly-plot"


def main() -> None:
    """Serves the app over a fresh project with 200 labels and a map that has settled, and walks."""
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder))
        project.inputs("glyphs", silent)
        session = project.start_session("glyphs", Request("rrs", LABELS, seed=1))
        answer_all(project, session)
        middle = of_the_script(project, np.array(sorted(session.answers())))
        with served(Path(folder)) as address, sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            walk(visitor(chromium, "light"), address, Path(folder), session.session_record.id, middle)
            chromium.close()


def of_the_script(project: Project, labeled: NDArray[np.intp]) -> NDArray[np.float64]:
    """The corners on the map, (n, 2), of a line around the fault that has the most letters in the brush script about it."""
    inputs = project.inputs("glyphs")
    assert inputs.losses is not None
    role = suited_settings(inputs).features
    project.jobs.wait(project.find_map("glyphs", role).key, PATIENCE / 1000)
    points = project.map_now("glyphs", role).planar.points
    script = np.asarray(operational(DEFAULT_LEVEL).fonts) == TYPEFACES.index(SCRIPT)
    faults = labeled[inputs.losses[labeled] > 0]
    away = np.linalg.norm(points[faults][:, None] - points[None], axis=2)  # (faults, N)
    near = np.argsort(away, axis=1)[:, :AROUND]
    best = int(script[near].mean(axis=1).argmax())
    radius = away[best, near[best, -1]]
    turns = np.linspace(0, 2 * np.pi, 24)
    return np.asarray(points[faults[best]] + radius * np.stack([np.cos(turns), np.sin(turns)], axis=1))


def walk(page: Page, address: str, folder: Path, session: str, corners: NDArray[np.float64]) -> None:
    """From the map to the slices."""
    classes, truth = open_subject("glyphs", folder=folder).task.classes, open_subject("glyphs", folder=folder).truth
    assert truth is not None
    page.goto(f"{address}/clusters?subject=glyphs&session={session}")
    page.locator(f"{CHART} .main-svg").first.wait_for()
    settling = page.locator("[data-testid=stProgress]")
    settling.wait_for()
    settling.wait_for(state="hidden")
    page.wait_for_timeout(3_000)  # the chart settles
    page.locator(CHART).scroll_into_view_if_needed()
    places = [on_screen(page, corner) for corner in corners.tolist()]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=3)
    page.mouse.up()
    selected = page.locator("h3", has_text="selected")
    selected.wait_for()
    keep(page, "typeface-selected", page.get_by_role("button", name=f"Label {FRESH} of these"))
    page.get_by_test_id("stPopover").get_by_text("Name", exact=True).click()
    page.get_by_role("textbox", name="Name", exact=True).fill(NAME)
    page.get_by_role("textbox", name="Column").fill(COLUMN)
    page.get_by_role("button", name="Keep", exact=True).click()
    page.get_by_text(f"saved as {NAME}").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name=f"Label {FRESH} of these").click()
    page.get_by_role("button", name="Label them").click()
    surface = page.locator(".surface:not([data-row=''])")
    for _ in range(FRESH):
        surface.wait_for()
        row = int(page.locator(".surface").get_attribute("data-row") or 0)
        answer(page, row, classes[int(truth[row])].lower())
    keep(page, "typeface-labeled", page.get_by_text(f"Inside {NAME}").first)
    page.goto(f"{address}/results?subject=glyphs&session={session}")
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.get_by_role("combobox", name="By", exact=True).click()
    page.keyboard.type(COLUMN)
    page.keyboard.press("Enter")
    named = page.get_by_text(f"{COLUMN} {NAME}: by {FRESH} labels")
    named.wait_for()
    page.get_by_role("heading", name="Where it fails").scroll_into_view_if_needed()
    keep(page, "typeface-slice", named)


def on_screen(page: Page, point: list[float]) -> tuple[float, float]:
    """Where on the screen the map has a place."""
    x, y = page.evaluate(
        """([selector, x, y]) => {
            const chart = document.querySelector(selector), layout = chart._fullLayout, box = chart.getBoundingClientRect();
            return [box.left + layout.xaxis._offset + layout.xaxis.l2p(x),
                    box.top + layout.yaxis._offset + layout.yaxis.l2p(y)];
        }""",
        [CHART, *point],
    )
    return float(x), float(y)


if __name__ == "__main__":
    main()
