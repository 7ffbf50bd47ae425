"""A prediction table: opening a million rows, and from a table with 5,000 pictures to the first of them."""

import csv
import io
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

ROWS, PICTURES, SIDE = 1_000_000, 5_000, 64


def main() -> None:
    """Prints the table."""
    print("## Prediction tables\n")
    print("Each in a process of its own, wall seconds, memory at its peak; both columns of words, with confidence.\n")
    print("| what | seconds | target | megabytes | target |\n|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        table, pictures = Path(folder, "million.csv"), Path(folder, "pictures.csv")
        write_table(table, ROWS)
        write_table(pictures, PICTURES)
        write_pictures(Path(folder, "pictures.zip"))
        seconds, megabytes = in_a_process("rows", str(table))
        print(f"| {ROWS:,} rows opened | {seconds:.1f} | 20 | {megabytes:.0f} | 500 |")
        seconds, megabytes = in_a_process("first_picture", str(pictures), str(Path(folder, "pictures.zip")), folder)
        print(
            f"| {PICTURES:,} rows with a zip of pictures, kept, planned, first input | {seconds:.1f} | 10 | {megabytes:.0f} | |"
        )
        shown, labeled = in_a_browser(pictures, Path(folder, "pictures.zip"), Path(folder, "served"))
        for what, (wall, work), target in (
            ("the same in a browser, from the upload to the first picture on the screen", shown, "10"),
            ("and on to the first input on Label, each button pressed at once", labeled, ""),
        ):
            print(f"| {what}, {work:.1f} of them work of the server | {wall:.1f} | {target} | | |")


def write_table(path: Path, size: int) -> None:
    """A table of ``size`` rows that name pictures."""
    rng = np.random.default_rng(0)
    kinds = np.array([f"kind {place}" for place in range(50)])
    said, confidence = kinds[rng.integers(0, 50, size)], rng.random(size).round(4)
    with path.open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(("image", "prediction", "confidence"))
        lines.writerows((f"{row:07}.png", said[row], confidence[row]) for row in range(size))


def write_pictures(path: Path) -> None:
    """A zip of PNG pictures of noise."""
    rng = np.random.default_rng(1)
    with zipfile.ZipFile(path, "w") as archive:
        for row in range(PICTURES):
            file = io.BytesIO()
            Image.fromarray(rng.integers(0, 256, (SIDE, SIDE, 3), dtype=np.uint8)).save(file, "PNG")
            archive.writestr(f"pictures/{row:07}.png", file.getvalue())


def in_a_browser(table: Path, pictures: Path, folder: Path) -> tuple[tuple[float, float], tuple[float, float]]:
    """Seconds from the choice of the table's file until its first picture is seen, and until it can be labeled.

    Each as wall seconds and processor seconds of the server: on a busy machine only the second tells. A visitor who has the
    first screen before them, in Chromium, with the app's own server on this machine.
    """
    from playwright.sync_api import sync_playwright

    from tests.browser.app_steps import still

    with served_app(folder) as (url, worked), sync_playwright() as playwright:
        page = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--headless", "--no-sandbox", "--disable-gpu"]
        ).new_page()
        page.set_default_timeout(300_000)
        page.goto(url)
        still(page)
        begun, before = time.perf_counter(), worked()
        field = page.locator('section[aria-label="Table, with files or zips"] input[type=file]')
        field.set_input_files([str(table), str(pictures)])
        page.locator(".column-cells img").first.wait_for()
        shown = time.perf_counter() - begun, worked() - before
        plan = page.locator(".st-key-subject-head").get_by_role("button", name="Start labeling")
        pressed = [page.get_by_role("button", name="Open without labeling"), plan]
        _press(page, pressed[0], pressed[1])
        _press(page, pressed[1], page.get_by_text("Picked by"))
        _press(page, page.get_by_role("button", name="Start labeling"), page.locator(".input img"))
        return shown, (time.perf_counter() - begun, worked() - before)


def _press(page: Any, button: Any, then: Any) -> None:
    """Presses the button, again where a page that was being drawn took the click, until what follows is there."""
    from playwright.sync_api import TimeoutError as NothingCame

    from tests.browser.app_steps import click

    for _ in range(10):
        if button.count():  # it is gone where its press was taken and the next page takes long
            click(page, button)
        with suppress(NothingCame):
            then.wait_for(timeout=10_000)
            return
    raise RuntimeError(f"{button} was pressed ten times and nothing came of it.")


@contextmanager
def served_app(folder: Path) -> Iterator[tuple[str, Callable[[], float]]]:
    """The app's address, with its project in the folder, and the processor seconds it has worked until now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "serve.py", f"--server.port={port}", "--server.headless=true"]
    server = subprocess.Popen(
        command,
        env={**os.environ, "TESTIMATE_PROJECT": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2).close()
                break
            except OSError:
                time.sleep(0.2)  # until the server listens
        stat = Path(f"/proc/{server.pid}/stat")
        yield (
            f"http://127.0.0.1:{port}",
            lambda: sum(int(ticks) for ticks in stat.read_text().split()[13:15]) / os.sysconf("SC_CLK_TCK"),
        )
    finally:
        server.terminate()
        server.wait()


def in_a_process(work: str, *arguments: str) -> tuple[float, float]:
    """Seconds and peak megabytes of one of the functions below."""
    command = [sys.executable, "-m", "benchmarks.tables", work, *arguments]
    seconds, megabytes = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-2:]
    return float(seconds), float(megabytes)


def rows(table: str) -> None:
    """Opens the table."""
    from testimate.subjects.prediction_table import read_table

    assert len(read_table(Path(table), name="million.csv").dataset) == ROWS


def first_picture(table: str, pictures: str, folder: str) -> None:
    """Keeps the table with its pictures in a project, plans a session, and shows its first input."""
    from testimate.core.selector import Request
    from testimate.project.files import keep_upload
    from testimate.project.project import Project
    from testimate.subjects.table_choices import TableChoices

    project = Project(Path(folder, "project"))
    kept = keep_upload(project.folder, "dataset", "pictures.zip", Path(pictures).read_bytes())
    subject = project.add_table("t.csv", Path(table).read_bytes(), choices=TableChoices(inputs=kept.path))
    session = project.start_session(subject.key, Request("rrs", budget=200, seed=1))
    assert session.show(session.upcoming(1)[0].row).image is not None


if __name__ == "__main__":
    begun = time.perf_counter()
    {"rows": rows, "first_picture": first_picture}[sys.argv[1]](*sys.argv[2:])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(time.perf_counter() - begun, peak)
