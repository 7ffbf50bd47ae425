"""A real browser and real servers for the tests that need them: system Chromium, pages on 127.0.0.1."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


IN_ONE_TAB = ("test_labeling_surface.py", "test_surface_by_keyboard_and_reader.py")
"""Their tests follow one another in a tab that is emptied in between, which compiles Streamlit's scripts once."""


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """Chromium of the system, one for the whole run."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("There is no chromium on this machine; the browser tests need it. Run: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def expected_errors() -> list[str]:
    """Parts of console errors that the test itself brings about, such as a server that is gone; empty at first."""
    return []


@pytest.fixture(scope="session")
def context(browser) -> Iterator[object]:
    """One visitor of 1280 x 800, whose browser loads Streamlit's own scripts once per server."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield context
    context.close()


@pytest.fixture(scope="session")
def emptied_tab() -> list[object]:
    """The tab of the tests that share one, while none of them has it; empty before the first and after a broken one."""
    return []


@pytest.fixture
def page(request, context, emptied_tab, expected_errors) -> Iterator[object]:
    """An empty page that may leave no error in its console and fetch nothing from elsewhere."""
    shared = request.path.name in IN_ONE_TAB
    page = emptied_tab.pop() if shared and emptied_tab else context.new_page()
    errors = console_of(page)
    elsewhere: list[str] = []
    page.on("request", lambda request: elsewhere.append(request.url) if not is_local(request.url) else None)
    yield page
    said = errors_of_what_is_shown(errors, page)
    if shared:
        empty(page)
        emptied_tab.append(page)
    else:
        page.close()
    assert elsewhere == []
    assert [error for error in said if not any(part in error for part in expected_errors)] == []


def errors_of_what_is_shown(errors: list[str], page) -> list[str]:
    """The errors without those of pictures and sounds that left the screen before they were loaded.

    Streamlit drops a page's media as soon as the next page is drawn; a picture that is still asked for then is of a
    page that nobody sees any more. One that is still shown and missing stays an error.
    """
    sources = "() => [...document.querySelectorAll('img, audio, video')].map((one) => one.currentSrc || one.src)"
    shown = set() if page.is_closed() else set(page.evaluate(sources))

    def left(error: str) -> bool:
        asked = re.search(r"http://127\.0\.0\.1:\d+/media/\S+", error)
        return asked is not None and asked.group() not in shown

    return [error for error in errors if not left(error)]


def empty(page) -> None:
    """Leaves the page, so that of what was done in the tab nothing stays."""
    page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    page.mouse.move(0, 0)
    page.goto("about:blank")


def console_of(page) -> list[str]:
    """A list that fills with every error in the console of the page."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))

    def note(message) -> None:
        if message.type == "error":
            place = message.location.get("url", "")
            errors.append(message.text if place in message.text else f"{message.text} ({place} )")

    page.on("console", note)
    return errors


def is_local(url: str) -> bool:
    return url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:"))


@pytest.fixture(scope="session")
def free_port() -> Callable[[], int]:
    """A call that names a port nobody listens on."""

    def find() -> int:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            return int(listener.getsockname()[1])

    return find


@dataclass
class App:
    """A Streamlit script being served; ``process`` may be stopped, continued, killed and started again."""

    script: Path
    port: int
    environment: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        options = {
            "server.port": self.port,
            "server.address": "127.0.0.1",
            "server.headless": "true",
            "server.fileWatcherType": "none",
            "browser.gatherUsageStats": "false",
            "client.toolbarMode": "minimal",
        }
        command = [sys.executable, "-m", "streamlit", "run", str(self.script)]
        self.process = subprocess.Popen(
            [*command, *(f"--{name}={value}" for name, value in options.items())],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **self.environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 60
        while not self.healthy():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{self.script.name} did not start on port {self.port}.")
            time.sleep(0.1)  # between two looks

    def healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@pytest.fixture(scope="session")
def run_app(free_port) -> Iterator[Callable[..., App]]:
    """A call that serves a script on a free port: ``run_app(script, **environment)``; ended with the test run."""
    apps: list[App] = []

    def run(script: Path, **environment: str) -> App:
        app = App(script, free_port(), environment)
        apps.append(app)
        app.start()
        return app

    yield run
    for app in apps:
        app.kill()


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    """Where the surface's own page keeps the events of each case."""
    return tmp_path_factory.mktemp("surface")


@pytest.fixture(scope="session")
def app(run_app, folder) -> App:
    """A page with nothing but the labeling surface."""
    return run_app(Path(__file__).parent / "surface_app.py", SURFACE_FOLDER=str(folder))


@pytest.fixture
def events(folder) -> Callable[[str], list[dict]]:
    """A call that reads what the server has on disk for a case."""

    def read(case: str) -> list[dict]:
        file = folder / f"{case}.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    return read
