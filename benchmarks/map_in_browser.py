"""The map in a real browser: when it is first seen, whether hover keeps up with the pointer, and pictures after a zoom.

`python -m benchmarks map_in_browser` needs Chromium, which draws without a graphics card here; two to four minutes.
"""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.app import start
from benchmarks.clusters_page import CHART, PLACES, make_project, still
from benchmarks.labeling_page.served import browser
from tests.typescript import compiled

SIZE, MANY = 50_000, 200_000
MOVES, STEPS, REST = 60, 24, 800
ZOOM = Path(__file__).parents[1] / "testimate" / "ui" / "components" / "linked_pictures" / "map_zoom.ts"
ZOOMED_BY_US = "new MapZoom(() => {}).attach(document.querySelector('.js-plotly-plot'));"
FIRST_TARGET, FRAME = 1.0, 1000 / 60
SEEN_FIRST = """() => {
    const seen = window.seen = {};
    const look = () => {
        const drawn = (key) => document.querySelector(`.st-key-${key} .js-plotly-plot .main-svg`);
        if (!seen.words && /clusters? holds? /.test(document.body?.innerText ?? "")) seen.words = performance.now();
        if (!seen.early && drawn("first-map")) seen.early = performance.now();
        if (!seen.map && drawn("map")) seen.map = performance.now();
        if (!seen.map) requestAnimationFrame(look);
    };
    look();
}"""
WATCH = """(selector) => {
    const chart = document.querySelector(selector), watch = window.watch = { hovers: [], frames: [] };
    let moved = 0, last = performance.now();
    chart.addEventListener("mousemove", () => { moved ||= performance.now(); }, { capture: true });
    chart.on("plotly_hover", () => { if (moved) watch.hovers.push(performance.now() - moved); moved = 0; });
    const frame = (now) => { watch.frames.push(now - last); last = now; if (!watch.over) requestAnimationFrame(frame); };
    requestAnimationFrame((now) => { last = now; requestAnimationFrame(frame); });
}"""
WATCHED = "() => { watch.over = true; return [watch.hovers, watch.frames]; }"
PICTURES = "() => [...document.querySelectorAll('.map-pictures img')].filter((image) => image.complete).length"
VIEWS = 7
IN_VIEW = """(selector) => {
    const chart = document.querySelector(selector), all = window.mapAll ??= [...chart._fullLayout.xaxis.range];
    const [left, right] = chart._fullLayout.xaxis.range;
    return (right - left) / (all[1] - all[0]);
}"""
ALL_OF_IT = (
    """(selector) => document.querySelector(selector).querySelector('[data-attr=zoom][data-val=reset]').click()"""
)


def main() -> None:
    """Prints the table."""
    print("## The map in a browser\n")
    print("Chromium on the same machine, drawing without a graphics card. *First map*: from the sentence about the")
    print(
        "clusters to the map, in seconds; a map without clusters is there to look at while they are being found. *Hover*:"
    )
    print(
        "from a move of the pointer, after a rest, to the point that is under it (target one frame of 16.7 ms); *frames*:"
    )
    print("between two frames while the pointer moves, or while the wheel zooms, until the whole map is drawn again.\n")
    print("| what | median | 95th percentile | target |\n|---|---:|---:|---:|")
    with browser() as chromium:
        with tempfile.TemporaryDirectory() as folder:
            the_page(chromium, folder)
        for size in (SIZE, MANY):
            the_chart(chromium, size)
        with tempfile.TemporaryDirectory() as folder:
            pictures(chromium, folder)


def the_page(chromium: Any, folder: str) -> None:
    """PCA's map after the clusters, and hover on it."""
    key = make_project(Path(folder), SIZE)
    port, process, _ = start(folder)
    try:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.add_init_script(f"({SEEN_FIRST})()")
        page.goto(f"http://127.0.0.1:{port}/clusters?subject={key}")
        page.wait_for_function("() => window.seen?.map", timeout=400_000)
        early = page.evaluate("() => (seen.words - seen.early) / 1000")
        print(f"| a map of {SIZE:,} inputs before their clusters, by s | {early:.2f} | | |", flush=True)
        first = page.evaluate("() => (seen.map - seen.words) / 1000")
        print(
            f"| first map of {SIZE:,} inputs after their clusters, s | {first:.2f} | | {FIRST_TARGET:g} |", flush=True
        )
        page.get_by_role("button", name="Stop").click(timeout=60_000)  # the neighbor map would take the processor
        page.get_by_text("stopped before it had settled").wait_for(timeout=60_000)
        still(page)
        hover(page, f"hover on the page, {SIZE:,} inputs, ms")
        page.close()
    finally:
        process.kill()
        process.wait()


def the_chart(chromium: Any, size: int) -> None:
    """Hover and zoom on the chart alone."""
    from testimate.charts.cluster_map import Coloring, cluster_map

    rng = np.random.default_rng(0)
    group = rng.integers(0, 10, size)
    points = rng.normal(scale=6, size=(10, 2))[group] + rng.normal(size=(size, 2))
    figure = cluster_map(points, Coloring("cluster", group), dark=False, pictured=True, height=470)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "map.html")
        figure.write_html(file, include_plotlyjs=True, default_width=620, config={"scrollZoom": True})
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.goto(file.as_uri())
        page.locator(f"{ALONE} .main-svg").first.wait_for(timeout=60_000)
        page.wait_for_timeout(1500)
        hover(page, f"hover on the chart alone, {size:,} inputs, ms", ALONE)
        zoom(page, f"by Plotly alone, {size:,} inputs, ms")
        page.add_script_tag(content=f"{compiled(ZOOM)}\n{ZOOMED_BY_US}", type="module")
        page.keyboard.down("Control")
        zoom(page, f"{size:,} inputs, ms")
        page.keyboard.up("Control")
        page.close()


def zoom(page: Any, name: str) -> None:
    """Turns the wheel there and back over the middle of the chart; waits until it is whole again."""
    page.evaluate(WATCH, ALONE)
    for turn in range(STEPS):
        page.mouse.wheel(0, -60 if turn < STEPS // 2 else 60)
        page.wait_for_timeout(40)
    page.wait_for_timeout(REST)
    _, frames = page.evaluate(WATCHED)
    _row(f"frames while the wheel zooms, {name}", frames, FRAME)
    print(f"| the longest of them, {name} | {max(frames):.0f} | | |", flush=True)


ALONE = ".js-plotly-plot"


def hover(page: Any, name: str, chart: str = CHART) -> None:
    """Rests the pointer on points of the map, one after another."""
    page.locator(chart).scroll_into_view_if_needed()
    places = np.array(page.evaluate(PLACES, chart))
    seen = places[(places[:, 2] > 80) & (places[:, 2] < 780)]
    page.evaluate(WATCH, chart)
    for _, x, y in seen[np.linspace(0, len(seen) - 1, MOVES).astype(int)].tolist():
        page.mouse.move(x, y)
        page.wait_for_timeout(120)
    hovers, frames = page.evaluate(WATCHED)
    _row(name, hovers, FRAME)
    _row(name.replace("hover on", "frames while the pointer moves on"), frames, None)


def pictures(chromium: Any, folder: str) -> None:
    """From the last turn of the wheel to the pictures."""
    port, process, _ = start(folder)
    try:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"http://127.0.0.1:{port}/clusters?subject=glyphs")
        page.get_by_text("Distances between groups mean little").wait_for(timeout=400_000)
        still(page)
        places = np.array(page.evaluate(PLACES, CHART))  # (points, 3): row, x, y
        box = page.locator(CHART).bounding_box()
        seen = places[places[:, 2] < min(780, box["y"] + box["height"])]
        times, counts = [], []
        for _, x, y in seen[np.linspace(0, len(seen) - 1, VIEWS).astype(int)].tolist():
            page.mouse.move(x, y)
            page.keyboard.down("Control")
            while page.evaluate(IN_VIEW, CHART) > 1 / 10:  # a busy browser takes several turns of the wheel as one
                page.mouse.wheel(0, -240)
            page.keyboard.up("Control")
            begun = page.evaluate("() => performance.now()")
            page.wait_for_function(f"() => ({PICTURES})() > 0", polling="raf", timeout=60_000)
            times.append(page.evaluate("(begun) => performance.now() - begun", begun))
            still(page)
            counts.append(page.evaluate(PICTURES))
            page.evaluate(ALL_OF_IT, CHART)
            page.wait_for_function(f"() => ({PICTURES})() === 0", timeout=60_000)
            still(page)
        _row(f"pictures after a zoom into 10,000 letters, ms ({min(counts)} to {max(counts)} of them)", times, None)
        page.close()
    finally:
        process.kill()
        process.wait()


def _row(name: str, times: list[float], target: float | None) -> None:
    target_cell = "" if target is None else f"{target:.1f}"
    print(f"| {name} | {np.median(times):.1f} | {np.quantile(times, 0.95):.1f} | {target_cell} |", flush=True)
