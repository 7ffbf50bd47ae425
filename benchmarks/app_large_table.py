"""The app with a table of ten million rows: processor seconds of Subject and Plan, and the peak memory of the server.

`python -m benchmarks app_large_table` needs Chromium and Linux; about four minutes.
"""

import os
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.app import STILL, start
from benchmarks.labeling_page.served import browser
from benchmarks.large_tables import ROWS, write_table
from tests.browser.app_steps import go

SECONDS_AT_FIRST, SECONDS_AGAIN, MEGABYTES = 15, 2, 1536

VISITS = 3
"""To each page once it is known; their median counts."""

PAGES = {"Project": "Predicted classes", "Plan": "Expect about"}
"""Each page with words that stand on it once it is there."""


def main() -> None:
    """Prints the table."""
    print("## The app with a large table\n")
    print(
        f"{ROWS:,} rows of prediction, confidence and two auxiliary variables as Parquet; a server that has just been started "
        "each time. Processor seconds of the server from the click until the page is whole, and its memory at its peak so "
        "far.\n"
    )
    print("| what | seconds | target | megabytes | target |\n|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name, browser() as chromium:
        project, table = Path(name, "project"), Path(name, "t.parquet")
        write_table(table, ROWS)
        with served(chromium, project) as (page, address, server):
            page.goto(address)
            line("uploaded, up to Subject", worked(server, partial(upload, page, table)), None, server)
            line("Plan after the upload", worked(server, partial(opens, page, "Plan")), None, server)
            kept = page.url.partition("subject=")[2].partition("&")[0]
        with served(chromium, project) as (page, address, server):
            page.goto(address)
            page.locator(STILL).wait_for()
            visited(page, f"{address}/subject?subject={kept}", server)


@contextmanager
def served(chromium: Any, project: Path) -> Iterator[tuple[Any, str, int]]:
    """A page of the browser, the address of the app on the project, and the number of its process."""
    port, process, _ = start(str(project))
    try:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(300_000)
        yield page, f"http://127.0.0.1:{port}", process.pid
        page.close()
    finally:
        process.kill()
        process.wait()


def upload(page: Any, table: Path) -> None:
    """Uploads the table and opens it, as a visitor does."""
    page.locator('section[aria-label="Table, with files or zips"] input[type=file]').set_input_files(str(table))
    page.get_by_role("button", name="Open without labeling").click()
    page.wait_for_url(re.compile("subject=table"))
    page.get_by_text(PAGES["Project"]).first.wait_for()
    page.locator(STILL).wait_for()


def opens(page: Any, name: str) -> None:
    """Goes to a page by the navigation."""
    go(page, name)
    page.get_by_text(PAGES[name]).first.wait_for()
    page.locator(STILL).wait_for()


def visited(page: Any, address: str, server: int) -> None:
    """Opens the pages in turn, several times, and prints what each took; ``address`` : of Subject."""

    def first() -> None:
        page.goto(address)
        page.get_by_text(PAGES["Project"]).first.wait_for()
        page.locator(STILL).wait_for()

    line("Project, at first", worked(server, first), SECONDS_AT_FIRST, server)
    line("Plan, at first", worked(server, partial(opens, page, "Plan")), SECONDS_AT_FIRST, server)
    again = [[worked(server, partial(opens, page, name)) for name in PAGES] for _ in range(VISITS)]
    for name, seconds in zip(PAGES, zip(*again, strict=True), strict=True):
        line(f"{name}, again", statistics.median(seconds), SECONDS_AGAIN, server)


def line(what: str, seconds: float, target: int | None, server: int) -> None:
    """A line of the table."""
    print(f"| {what} | {seconds:.1f} | {target or ''} | {peak(server):,.0f} | {MEGABYTES:,} |", flush=True)


def worked(server: int, does: Callable[[], None]) -> float:
    """Processor seconds of the server while something is done, and for a second after it."""
    before = processor_seconds(server)
    does()
    time.sleep(1)
    return processor_seconds(server) - before


def processor_seconds(server: int) -> float:
    """That a process has worked until now."""
    ticks = Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def peak(server: int) -> float:
    """Megabytes of the largest resident memory of a process so far."""
    status = Path(f"/proc/{server}/status").read_text().splitlines()
    return int(next(line for line in status if line.startswith("VmHWM")).split()[1]) / 1024


if __name__ == "__main__":
    main()
