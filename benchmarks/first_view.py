"""Words that a page shows at first, and clicks from an own table with its pictures to the first input.

`python -m benchmarks first_view` needs Chromium; about two minutes.
"""

import io
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.app import STILL, start
from benchmarks.labeling_page.served import browser
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.project.project import Project
from testimate.reports.report import report_html
from tests.browser.app_steps import click, on_screen

SIZE = {"width": 1280, "height": 800}
LABELS, ROWS, SIDE = 60, 60, 28
PATIENCE = 120_000

PAGES: dict[str, tuple[str, str, int | None]] = {
    "Project, first screen": ("/", "Try a demo", 120),
    "Project, a test set": ("/?subject=digits", "Sample inputs", 60),
    "Explore, Clusters": ("/clusters?subject=digits", "Typical", 70),
    "Explore, Strata": ("/strata?subject=digits", "Labels per stratum", 70),
    "Label, 1 Plan": ("/plan?subject=digits", "Start labeling", 80),
    "Label, 2 Label": ("/label?subject=digits&session={session}", "Found early (WFDR)", 110),
    "Results": ("/results?subject=digits&session={session}", "How this was measured", 200),
    "Models, Versions": ("/versions?subject=digits", "Add a version", 90),
    "Models, Compare": ("/compare", "Upload predictions", 90),
    "Learn": ("/study?subject=digits", "Repetitions", None),
}
"""Each page's address, words that stand on it once it is there, and the words that the design allows it."""

WORDS = """() => {
  const theirs = "[data-testid=stIconMaterial], [data-testid=stDataFrame], .js-plotly-plot, .input, .classes, .strip, style";
  const hidden = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const box = one.getBoundingClientRect();
      if (getComputedStyle(one).overflow === "hidden" && (box.width <= 1 || box.height <= 1)) return true;
    }
    return false;
  };
  const found = { page: 0, screen: 0 };
  const read = (root) => {
    const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
      if (node.nodeType === Node.ELEMENT_NODE) {
        if (node.shadowRoot && node.checkVisibility()) read(node.shadowRoot);
        continue;
      }
      const parent = node.parentElement;
      if (!parent || parent.closest(theirs) || hidden(parent)) continue;
      if (getComputedStyle(parent).fontFamily.includes("Material Symbols")) continue;
      if (!parent.checkVisibility({ visibilityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      if (!box.width || !box.height) continue;
      const count = (node.textContent.match(/\\p{L}[\\p{L}\\p{M}'-]+/gu) ?? []).length;
      found.page += count;
      if (box.top < innerHeight && box.left < innerWidth) found.screen += count;
    }
  };
  read(document.body);
  return found;
}"""
"""Words of two letters or more: on the whole page, and on its first screen; none of inputs, classes, charts and tables.

An icon is the name of a sign in the font of icons, which nobody reads.
"""

REPORT_BUDGET = 350

CLICKS = "window.clicks = 0; addEventListener('click', (event) => { window.clicks += event.isTrusted; }, true);"


def main() -> None:
    """Prints the tables."""
    print("## What a page shows at first\n")
    print(
        f"Words of two letters or more in Chromium at {SIZE['width']} x {SIZE['height']}, nothing opened; without inputs, "
        f"classes, charts and tables. The demo of the digits, {LABELS} labels.\n"
    )
    print("| page | words on it | on its first screen | budget |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name, browser() as chromium:
        folder = Path(name)
        session = labeled_session(folder / "project")
        port, process, _ = start(str(folder / "project"))
        address = f"http://127.0.0.1:{port}"
        page = chromium.new_page(viewport=SIZE)
        panel = 0.0
        for title, (path, ready, budget) in PAGES.items():
            page.goto(address + path.format(session=session))
            page.get_by_text(ready).first.wait_for(timeout=PATIENCE)
            words = words_of(page)
            if (there := page.locator(".st-key-panel")).count():
                panel = there.bounding_box()["y"] + there.bounding_box()["height"]
            print(f"| {title} | {words['page']} | {words['screen']} | {budget or ''} |")
        page.goto(report_file(folder, session).as_uri())
        words = page.evaluate(WORDS)
        print(f"| Report, full tables folded | {words['page']} | {words['screen']} | {REPORT_BUDGET} |")
        clicks, seen = own_table(page, address, folder)
        process.kill()
        process.wait()
    print(
        f"\nFrom the first screen to the first input of an own table of {ROWS} rows with its pictures, chosen together:\n"
    )
    print("| what | measured | target |\n|---|---:|---:|")
    print(f"| clicks to the first input | {clicks} | 3 |")
    print(f"| words on the way | {seen} | 350 |")
    print(f"| pixels from the top to the end of the panel of a session | {panel:.0f} | 700 |")


def labeled_session(folder: Path) -> str:
    """The id of a session of the digits, of whose inputs some are labeled by their truth."""
    project = Project(folder)
    truth = project.inputs("digits").truth
    assert truth is not None
    project.clusters("digits")
    session = project.start_session("digits", Request("rra", 200, 1), half_width=0.05)
    for place in range(LABELS):
        [draw] = session.upcoming(1)
        said = int(truth[draw.row])
        session.record([Event(f"label-{place:05}", "answer", draw.row, "tester", "2026-01-01T00:00:00Z", said)])
    project.store.close()
    return session.session_record.id


def report_file(folder: Path, session: str) -> Path:
    """The session's report, in a file."""
    project, file = Project(folder / "project"), folder / "report.html"
    file.write_text(report_html(project.session(session)), encoding="utf-8")
    project.store.close()
    return file


def words_of(page: Any) -> dict[str, int]:
    """The words seen on the page, once nothing runs and its parts are drawn."""
    page.locator(STILL).wait_for(timeout=PATIENCE)
    page.wait_for_timeout(1_500)  # charts and components are drawn after the script
    found: dict[str, int] = page.evaluate(WORDS)
    return found


def own_table(page: Any, address: str, folder: Path) -> tuple[int, int]:
    """Clicks, the choice of the files among them, and words of the screens on the way to the first input."""
    table, pictures = write_table(folder)
    page.goto(address)
    page.get_by_text("Try a demo").wait_for(timeout=PATIENCE)
    words = words_of(page)["screen"]
    page.evaluate(CLICKS)
    field = page.locator('section[aria-label="Table, with files or zips"] input[type=file]')
    field.set_input_files([str(table), str(pictures)])
    page.get_by_text("names match").wait_for(timeout=PATIENCE)
    words += words_of(page)["screen"]
    click(page, page.get_by_role("button", name="Start labeling").first)
    on_screen(page)
    return 1 + int(page.evaluate("window.clicks")), words


def write_table(folder: Path) -> tuple[Path, Path]:
    """A table of predictions about pictures, and the zip of the pictures."""
    rng = np.random.default_rng(1)
    table, pictures = folder / "predictions.csv", folder / "pictures.zip"
    lines = ["image,prediction,confidence"]
    with zipfile.ZipFile(pictures, "w") as archive:
        for row in range(ROWS):
            file = io.BytesIO()
            Image.fromarray(rng.integers(0, 256, (SIDE, SIDE, 3), dtype=np.uint8)).save(file, "PNG")
            archive.writestr(f"{row:05}.png", file.getvalue())
            lines.append(f"{row:05}.png,kind {row % 3},{0.5 + 0.4 * rng.random():.3f}")
    table.write_text("\n".join(lines), encoding="utf-8")
    return table, pictures


if __name__ == "__main__":
    main()
