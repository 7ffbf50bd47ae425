"""The Clusters page in a real browser at 10,000 points: a click on the map, and a selection of 5,000.

`python -m benchmarks clusters_page` needs Chromium; about two minutes, most of them finding the clusters.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.app import start
from benchmarks.labeling_page.served import browser

SIZE, WIDTH, GROUPS = 10_000, 16, 10
CLICKS = 15
CLICK_TARGET, SELECTION_TARGET = 0.3, 1.0
CHART = ".st-key-map .js-plotly-plot"
PLACES = """(selector) => {
    const chart = document.querySelector(selector), layout = chart._fullLayout, box = chart.getBoundingClientRect();
    return chart._fullData.flatMap((trace) => Array.from(trace.customdata ?? []).map((row, at) => [
        Number(row), box.left + layout.xaxis._offset + layout.xaxis.l2p(trace.x[at]),
        box.top + layout.yaxis._offset + layout.yaxis.l2p(trace.y[at])]));
}"""


def main() -> None:
    """Prints the table."""
    print("## The Clusters page at 10,000 points\n")
    print(
        f"A table of {SIZE:,} inputs in {GROUPS} groups with features of width {WIDTH}. Wall seconds in Chromium on the same"
    )
    print("machine, from the mouse button's release until the detail shows what was picked.\n")
    print("| what | median | slowest | target |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        key = make_project(Path(folder))
        port, process, _ = start(folder)
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"http://127.0.0.1:{port}/clusters?subject={key}")
        page.locator(f"{CHART} .main-svg").first.wait_for(timeout=400_000)
        page.get_by_text("Two side by side").wait_for(timeout=60_000)
        still(page)
        clicks = [click_seconds(page, turn) for turn in range(CLICKS)]
        print(f"| click on a point | {np.median(clicks):.2f} | {max(clicks):.2f} | {CLICK_TARGET:g} |")
        print(f"| a lasso of about 5,000, once | {lasso_seconds(page):.2f} | | {SELECTION_TARGET:g} |")
        page.close()
        process.kill()
        process.wait()


def make_project(folder: Path, size: int = SIZE) -> str:
    """A project with a table of that many inputs; the key of its subject."""
    from testimate.project.project import Project

    rng = np.random.default_rng(0)
    group = rng.integers(0, GROUPS, size)
    features = rng.normal(scale=4, size=(GROUPS, WIDTH))[group] + rng.normal(size=(size, WIDTH))
    np.save(folder / "features.npy", features.astype(np.float32))
    confidence = rng.uniform(0.4, 1, size)
    lines = [f"class {group[row]},{confidence[row]:.4f},{row}" for row in range(size)]
    table = "\n".join(["prediction,confidence,number", *lines]).encode()
    project = Project(folder)
    key = project.add_table("made up.csv", table, features=folder / "features.npy").key
    project.store.close()
    return key


def click_seconds(page: Any, turn: int) -> float:
    """From the click on a lonely point to its number in the detail."""
    still(page)
    row, x, y = lonely_points(page)[turn].tolist()
    page.mouse.move(x - 15, y - 8)
    page.mouse.move(x, y, steps=3)
    page.wait_for_timeout(600)  # the picture under the pointer is there
    begun = time.perf_counter()
    page.mouse.click(x, y)
    page.wait_for_function(
        "(number) => document.querySelector('.st-key-cluster-detail h3')?.textContent.replace(/[^0-9]/g, '') === number",
        arg=f"{int(row)}",
        polling="raf",
        timeout=30_000,
    )
    return time.perf_counter() - begun


def still(page: Any) -> None:
    """Until nothing runs and the page is drawn."""
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for(timeout=60_000)
    page.wait_for_timeout(1_500)


def lonely_points(page: Any) -> NDArray[np.float64]:
    """Row and place of the points farthest from their nearest neighbors among some of the map, in the upper part of it."""
    from scipy.spatial import KDTree

    places = np.array(page.evaluate(PLACES, CHART))
    near = KDTree(places[:, 1:]).query(places[:, 1:], k=2)[0][:, 1]
    seen = (places[:, 2] > 420) & (places[:, 2] < 760)
    lonely: NDArray[np.float64] = places[np.argsort(-np.where(seen, near, 0))]
    return lonely


def lasso_seconds(page: Any) -> float:
    """From the end of a lasso around half of the points to their number in the detail."""
    page.locator(CHART).evaluate("(chart) => chart.scrollIntoView({ block: 'center' })")
    still(page)
    places = np.array(page.evaluate(PLACES, CHART))
    middle = np.median(places[:, 1])
    left, top, bottom = places[:, 1].min() - 4, places[:, 2].min() - 4, places[:, 2].max() + 4
    before = page.locator(".st-key-cluster-detail h3").first.text_content()
    page.mouse.move(left, top)
    page.mouse.down()
    for x, y in ((middle, top), (middle, bottom), (left, bottom), (left, top + 3)):
        page.mouse.move(x, y, steps=6)
    begun = time.perf_counter()
    page.mouse.up()
    page.wait_for_function(
        "(before) => { const now = document.querySelector('.st-key-cluster-detail h3')?.textContent ?? '';"
        " return now !== before && now.includes('selected'); }",
        arg=before,
        polling="raf",
        timeout=30_000,
    )
    return time.perf_counter() - begun
