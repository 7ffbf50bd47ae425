"""Takes the pictures of the documentation from the app as it is: a fresh project, the demo of letters, labeled by its truth.

Run from the checkout: make pictures. Look at each picture before you keep it.
"""

import io
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, TimeoutError, sync_playwright

from research.demos.draw_strips import draw_strip
from testimate import open_subject
from testimate.core.inputs import OtherModel
from testimate.core.progress import silent
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.demos.catalog import DEMOS, strip_of
from testimate.demos.comparison_models import glyph_outputs
from testimate.project.project import Project
from testimate.project.version_labels import start_top_up
from testimate.project.versions import add_version
from testimate.session.session import Session
from tests.browser.app_steps import choose, click, go, still

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
SIZE = {"width": 1280, "height": 800}
PATIENCE = 180_000
"""Milliseconds; a demo opens in seconds, on a machine that does other things in a minute."""

TWO_OTHERS = ("LeNet-1, ten typefaces", "LeNet-1, heavy noise")
"""Of the nine models of the letters: two good ones."""

LABELS = 60
WATCHED = range(30, 46)
"""Which of them the moving picture shows: by then there is an interval that shrinks."""

FIRST, MORE = 200, 10
NEXT = ("LeNet-5, six typefaces", "LeNet-1, heavy noise")
"""The versions after the demo's own network, and labels of the first plan and of each one after it."""

SMALL = (880, 550)
READ, SEEN, LAST = 900, 450, 3000
"""Milliseconds that an input stays, that the answer to it stays, and that the end stays."""


def main() -> None:
    """Serves the app, walks through it as the tutorial does, and keeps a picture of every page; before it the demos' strips."""
    with tempfile.TemporaryDirectory() as folder:
        for name, demo in DEMOS.items():
            Path(strip_of(name)).write_bytes(draw_strip(demo.open(Path(folder), silent).dataset))
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        walk(visitor(chromium, "light"), address, Path(folder))
        other_models(visitor(chromium, "light"), address)
        versions(visitor(chromium, "light"), address, Path(folder))
        dark(visitor(chromium, "dark"), address, Path(folder))
        chromium.close()


@contextmanager
def served(folder: Path, **environment: str) -> Iterator[str]:
    """The app on a free port over the project in the folder; its address."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "serve.py"), "--server.port", str(port)]
    server = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "TESTIMATE_PROJECT": str(folder), **environment})
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
                break
            except OSError:
                time.sleep(0.2)  # a server does not announce that it is up
        yield address
    finally:
        server.kill()


def visitor(chromium: Browser, scheme: str) -> Page:
    """A fresh page in the light or the dark theme."""
    page = chromium.new_context(viewport=SIZE, color_scheme=scheme).new_page()
    page.set_default_timeout(PATIENCE)
    return page


def walk(page: Page, address: str, folder: Path) -> None:
    """The tutorial, page by page."""
    page.goto(address)
    keep(page, "welcome", page.get_by_role("button", name="Start labeling").first)
    page.get_by_role("button", name="Explore first").first.click()
    keep(page, "subject", page.get_by_text("Sample inputs"))
    go(page, "Clusters")
    settling = page.locator("[data-testid=stProgress]")
    settling.wait_for()
    settling.wait_for(state="hidden")
    keep(page, "clusters", page.get_by_text("Typical").first)
    go(page, "Strata")
    keep(page, "strata", page.get_by_text("Labels per stratum"))
    go(page, "Plan")
    keep(page, "plan", page.get_by_text("Expect about"))
    page.get_by_role("button", name="Start labeling").click()
    label(page, folder, LABELS, film=True)
    keep(page, "label", page.locator(".surface:not([data-row=''])"))
    go(page, "Results")
    keep(page, "results", page.get_by_role("button", name="Export"))
    go(page, "Learn")
    page.get_by_role("button", name="Run", exact=True).click()
    keep(page, "study", page.locator(".js-plotly-plot").first)
    go(page, "Compare")
    page.get_by_role("button", name="Compare nine models").click()
    keep(page, "compare", page.get_by_text("Ranking without labels"))


def other_models(page: Page, address: str) -> None:
    """The letters with two of their nine models as others, added by clicks: the labels that plus or minus two points need."""
    page.goto(f"{address}/plan?subject=glyphs")
    click(page, page.get_by_text("Advanced", exact=True))
    click(page, page.get_by_text("Add other models' predictions"))
    for name in TWO_OTHERS:
        choose(page, re.compile("^Model$"), name)
        click(page, page.get_by_role("button", name="Add these predictions"))
        page.get_by_text(f"{name} agrees with the tested model").wait_for()
    click(page, page.get_by_text("Add other models' predictions"))
    still(page)
    width = page.get_by_role("spinbutton", name="Goal, ± points")
    width.fill("2")
    width.press("Enter")
    needed = page.get_by_text("without the other models").first
    needed.scroll_into_view_if_needed()
    page.get_by_test_id("stMain").evaluate("main => main.scrollBy(0, 90)")
    keep(page, "other-models", needed)


def dark(page: Page, address: str, folder: Path) -> None:
    """Two pages in the dark theme, of the session that was labeled."""
    record = Project(folder).sessions()[-1]  # the first one that was begun
    page.goto(f"{address}/label?subject=glyphs&session={record.id}")
    keep(page, "label-dark", page.locator(".surface:not([data-row=''])"))
    page.goto(f"{address}/clusters?subject=glyphs")
    keep(page, "clusters-dark", page.get_by_text("Typical").first)


def versions(page: Page, address: str, folder: Path) -> None:
    """Three versions by FIRST and twice MORE labels, given by the truth, beside the accuracy that is known of the letters."""
    project = Project(folder)
    answer_all(project, project.start_session("glyphs", Request("rrs", FIRST, seed=1)))
    for name in NEXT:
        version = add_version(project, "glyphs", OtherModel(name, *glyph_outputs(name)))
        answer_all(project, start_top_up(project, version.key, "accuracy", MORE))
    page.goto(f"{address}/versions?subject=glyphs&truth=on")
    page.locator(".js-plotly-plot").first.wait_for()
    keep(page, "versions", page.get_by_text("Where it moved"))


def answer_all(project: Project, session: Session) -> None:
    """Every input of the session's plan, by the truth."""
    truth = project.inputs("glyphs").truth
    assert truth is not None
    when = datetime.now(UTC).isoformat(timespec="seconds")
    while upcoming := session.upcoming(10):
        for draw in upcoming:
            name = f"{session.session_record.id} {draw.row}"
            session.record([Event(name, "answer", draw.row, "tester", when, int(truth[draw.row]))])


def keep(page: Page, name: str, ready: Locator) -> None:
    """A picture of what is on the screen, once ``ready`` is, no script runs and the charts are drawn."""
    ready.wait_for()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.mouse.move(0, 400)
    page.wait_for_timeout(4_000)  # charts and pictures come after the script
    keep_as_it_is(page, name)


def keep_as_it_is(page: Page, name: str) -> None:
    """A picture of what is on the screen now."""
    whole = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    # median cut alone would give rare colors, such as a fault's orange, to their commoner neighbors
    few = whole.quantize(256, method=Image.Quantize.MAXCOVERAGE, kmeans=3, dither=Image.Dither.NONE)
    few.save(HERE / f"{name}.png", optimize=True)


def label(page: Page, folder: Path, count: int, *, film: bool) -> None:
    """Labels by the truth, with the keys; the first answers become the moving picture."""
    subject = open_subject("glyphs", folder=folder)
    assert subject.truth is not None
    classes = subject.task.classes
    frames: list[tuple[Image.Image, int]] = []
    surface = page.locator(".surface:not([data-row=''])")
    page.mouse.move(0, 400)  # away from the keys, which would light up
    for place in range(count):
        surface.wait_for()
        row = int(page.locator(".surface").get_attribute("data-row") or 0)
        watched = film and place in WATCHED
        if watched:
            page.wait_for_timeout(1_500)  # the charts beside it follow within a second
            frames.append((frame(page), READ))
        answer(page, row, classes[int(subject.truth[row])].lower())
        if watched:
            frames.append((frame(page), SEEN))
    if film:
        play(frames, "labeling")


def answer(page: Page, row: int, key: str) -> None:
    """Presses the key until the input is answered: one that came too late to be seen takes none."""
    for _ in range(10):
        page.wait_for_timeout(400)
        page.keyboard.press(key)
        with suppress(TimeoutError):
            page.locator(f".surface:not([data-row='{row}'])").wait_for(timeout=4_000)
            break
    page.wait_for_timeout(400)


def frame(page: Page) -> Image.Image:
    """What is on the screen, smaller."""
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB").resize(SMALL, Image.Resampling.LANCZOS)


def play(frames: list[tuple[Image.Image, int]], name: str) -> None:
    """The moving picture, with one palette for all frames, so that only what changes is stored."""
    pictures, times = [one for one, _ in frames], [time for _, time in frames]
    ends = Image.new("RGB", (SMALL[0], 2 * SMALL[1]))  # colors that come late, and those that go
    ends.paste(pictures[0], (0, 0))
    ends.paste(pictures[-1], (0, SMALL[1]))
    palette = ends.quantize(255, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    drawn = [one.quantize(palette=palette, dither=Image.Dither.NONE) for one in pictures]
    drawn[0].save(
        HERE / f"{name}.gif",
        save_all=True,
        append_images=drawn[1:],
        duration=[*times[:-1], LAST],
        loop=0,
        optimize=True,
    )


if __name__ == "__main__":
    main()
