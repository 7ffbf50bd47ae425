"""The map by today's Plotly and by regl-scatterplot, in a browser that draws without a graphics card.

`python -m benchmarks map_libraries` needs Chromium and npm, which installs the other library into a temporary folder;
about three minutes. The Plotly map is the product's own figure, thinned where it is crowded.
"""

import json
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.labeling_page.served import browser

SIZES = (10_000, 50_000, 200_000)
LIBRARY = ("regl-scatterplot@1.16.0", "esbuild@0.28.2")
MOVES, STEPS, SIDE = 40, 24, 470
REGL = """
import createScatterplot from "regl-scatterplot";
const { points, group } = DATA;
const canvas = document.querySelector("canvas");
const begun = performance.now();
const plot = createScatterplot({ canvas, width: 620, height: 470, pointSize: 3, opacity: 0.8, colorBy: "valueA",
  pointColor: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07a00", "#56b4e9", "#999999", "#444444", "#ff4444", "#22aa88"] });
const most = points.reduce((far, [x, y]) => Math.max(far, Math.abs(x), Math.abs(y)), 0);
window.watch = { hovers: [], frames: [] };
plot.subscribe("pointOver", () => window.hovered());
plot.subscribe("select", ({ points: chosen }) => { window.chosen = [performance.now(), chosen.length]; });
window.lasso = (on) => plot.set({ mouseMode: on ? "lasso" : "panZoom" });
await plot.draw(points.map(([x, y], place) => [x / most, y / most, group[place]]));
requestAnimationFrame(() => { window.first = performance.now() - begun; });
"""
PLOTLY = """() => {
  const chart = document.querySelector(".js-plotly-plot");
  window.watch = { hovers: [], frames: [] };
  chart.on("plotly_hover", () => window.hovered());
  chart.on("plotly_selected", (event) => { window.chosen = [performance.now(), event?.points.length ?? 0]; });
  window.lasso = (on) => Plotly.relayout(chart, { dragmode: on ? "lasso" : "pan" });
}"""
WATCH = """() => {
  let moved = 0;
  window.hovered = () => { if (moved) window.watch.hovers.push(performance.now() - moved); moved = 0; };
  addEventListener("mousemove", () => { moved ||= performance.now(); }, true);
  addEventListener("mouseup", () => { window.released = performance.now(); }, true);
  let last = performance.now();
  const frame = (now) => { window.watch?.frames.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
}"""
PLOTLY_FIRST = """() => {
  const chart = document.querySelector(".js-plotly-plot");
  const div = document.createElement("div"); document.body.append(div);
  const begun = performance.now();
  return Plotly.newPlot(div, chart.data, chart.layout).then(() => new Promise((done) =>
    requestAnimationFrame(() => { const took = performance.now() - begun; Plotly.purge(div); div.remove(); done(took); })));
}"""


def main() -> None:
    """Prints the table."""
    print("## The map by two libraries\n")
    print(
        "Chromium without a graphics card, medians. *Hover*: from a move of the pointer to the library's event (how many"
    )
    print("of 40 moves met a point). *Lasso*: from letting go to the event (the points inside).\n")
    print("| library | inputs | first draw, ms | hover, ms | longest frame of a zoom, ms | lasso, ms | heap, MB |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        subprocess.run(["npm", "install", "--silent", "--prefix", folder, *LIBRARY], check=True)
        for size in SIZES:
            rng = np.random.default_rng(0)
            group = rng.integers(0, 10, size)
            points = rng.normal(scale=6, size=(10, 2))[group] + rng.normal(size=(size, 2))
            with by_plotly(chromium, points, group) as (page, first):
                print(f"| Plotly, today's map | {size:,} | {first:.0f} | {measured(page)} |", flush=True)
            with by_regl(chromium, points, group, Path(folder)) as (page, first):
                print(f"| regl-scatterplot | {size:,} | {first:.0f} | {measured(page)} |", flush=True)


@contextmanager
def by_plotly(chromium: Any, points: NDArray[np.float64], group: NDArray[np.intp]) -> Iterator[tuple[Any, float]]:
    """The product's map, and the milliseconds of its first draw."""
    from testimate.charts.cluster_map import Coloring, cluster_map

    figure = cluster_map(points, Coloring("cluster", group), dark=False, pictured=True, height=SIDE)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "map.html")
        figure.write_html(file, include_plotlyjs=True, default_width=620, config={"scrollZoom": True})
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.goto(file.as_uri())
        page.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=60_000)
        page.evaluate(PLOTLY)
        page.evaluate(WATCH)
        yield page, page.evaluate(PLOTLY_FIRST)
        page.close()


@contextmanager
def by_regl(
    chromium: Any, points: NDArray[np.float64], group: NDArray[np.intp], modules: Path
) -> Iterator[tuple[Any, float]]:
    """The same points by regl-scatterplot, which is installed in ``modules``."""
    with tempfile.TemporaryDirectory() as folder:
        data = json.dumps({"points": points.round(5).tolist(), "group": group.tolist()})
        script = modules / "map.mjs"
        script.write_text(REGL.replace("DATA", "window.data"))
        bundled = Path(folder, "map.js")
        esbuild = modules / "node_modules" / ".bin" / "esbuild"
        command = [str(esbuild), str(script), "--bundle", "--format=esm", f"--outfile={bundled}", "--log-level=error"]
        subprocess.run(command, check=True)
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.set_content(
            f"<canvas style='width: 620px; height: {SIDE}px'></canvas><script>window.data = {data}</script>"
        )
        page.evaluate(WATCH)
        page.add_script_tag(content=bundled.read_text(), type="module")
        page.wait_for_function("() => window.first", timeout=60_000)
        yield page, page.evaluate("() => window.first")
        page.close()


def measured(page: Any) -> str:
    """Hover, zoom, lasso and memory, as cells of the table."""
    page.wait_for_timeout(1_500)
    places = np.random.default_rng(1).uniform((120, 80), (480, 400), (MOVES, 2))
    for x, y in places.tolist():
        page.mouse.move(x, y)
        page.wait_for_timeout(100)
    hovers = page.evaluate("() => watch.hovers")
    page.mouse.move(300, 240)
    page.evaluate("() => { watch.frames = []; }")
    for turn in range(STEPS):
        page.mouse.wheel(0, -60 if turn < STEPS // 2 else 60)
        page.wait_for_timeout(40)
    page.wait_for_timeout(800)
    frames = page.evaluate("() => watch.frames")
    page.evaluate("() => window.lasso(true)")
    page.wait_for_timeout(500)
    page.mouse.move(200, 120)
    page.mouse.down()
    for x, y in ((420, 120), (420, 380), (200, 380), (200, 130)):
        page.mouse.move(x, y, steps=10)
    page.mouse.up()
    page.wait_for_function("() => window.chosen", timeout=60_000)
    took, chosen = page.evaluate("() => [chosen[0] - released, chosen[1]]")
    heap = page.context.new_cdp_session(page).send("Runtime.getHeapUsage")["usedSize"] / 1e6
    hover = f"{np.median(hovers):.1f} ({len(hovers)} of {MOVES})" if hovers else "none"
    return f"{hover} | {max(frames):.0f} | {took:.0f} ({chosen:,}) | {heap:.0f}"


if __name__ == "__main__":
    main()
