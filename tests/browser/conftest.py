"""A real browser and real servers for the tests that need them: system Chromium, pages on 127.0.0.1."""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.project.project import Project
from tests.browser.app_server import ROOT, App, free_port, is_free
from tests.browser.surface_without_streamlit import BareApp

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--js-flags=--max-opt=1",  # a page lives for seconds: code that V8 optimizes is gone before it has paid
]


TRACES = os.environ.get("TESTIMATE_TRACES", "")
"""A folder for a trace of each test that fails, which `playwright show-trace` opens; without one nothing is recorded."""

FAILED = pytest.StashKey[bool]()
BLANK = "http://127.0.0.1:9/"
"""A page of no server, answered by the tests themselves."""


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """Chromium of the system, one for the whole run.

    Where there is one without the parts that draw windows it is taken: it renders the same in four fifths of the time.
    """
    path = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))), None)
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
    """One visitor of 1280 x 800, whose browser loads Streamlit's own scripts once per port."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    if TRACES:
        context.tracing.start(screenshots=True, snapshots=True, sources=True)
    yield context
    context.close()


@pytest.fixture(scope="session")
def first_tab(context) -> object:
    """The tab that opens all others: they run in its process, which has compiled Streamlit's scripts already."""
    tab = context.new_page()
    tab.route(BLANK, lambda route: route.fulfill(content_type="text/html", body="<!doctype html><title>first</title>"))
    tab.goto(BLANK)
    return tab


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A test that fails says what was on its page."""
    report = yield
    item.stash.setdefault(FAILED, False)
    item.stash[FAILED] |= report.failed
    page = getattr(item, "funcargs", {}).get("page")
    if report.failed and call.when == "call" and page is not None and not page.is_closed():
        from playwright.sync_api import Error

        with suppress(Error):  # it may be on its way to another page
            shown = page.evaluate("() => document.body.innerText")
            report.sections.append(("What the page showed", f"{page.url}\n{shown[:4000]}"))
    return report


@pytest.fixture(scope="session")
def open_tab(context, first_tab) -> Callable[[], object]:
    """A call that opens an empty tab in the process of the first one; who calls it closes it."""

    def open_one() -> object:
        with context.expect_page() as opened:
            first_tab.evaluate("() => { window.open('about:blank'); }")
        return opened.value

    return open_one


@pytest.fixture
def traced(request, context) -> Iterator[None]:
    """Keeps what a test that fails did in the browser."""
    if not TRACES:
        yield
        return
    context.tracing.start_chunk(title=request.node.nodeid)
    yield
    name = re.sub(r"[^\w-]+", "-", request.node.nodeid)
    context.tracing.stop_chunk(path=f"{TRACES}/{name}.zip" if request.node.stash.get(FAILED, False) else None)


@pytest.fixture
def page(open_tab, expected_errors, traced) -> Iterator[object]:
    """An empty page that may leave no error in its console and fetch nothing from elsewhere."""
    page = open_tab()
    errors = console_of(page)
    elsewhere: list[str] = []
    page.on("request", lambda request: elsewhere.append(request.url) if not is_local(request.url) else None)
    yield page
    said = errors_of_what_is_shown(errors, page)
    if page.url.startswith("http"):
        page.evaluate("() => localStorage.clear()")  # the next test's server may have the same address
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
def ports() -> list[int]:
    """Where apps of this run were served that have ended; the browser has compiled the scripts of these addresses."""
    return []


@pytest.fixture(scope="module")
def run_app(ports) -> Iterator[Callable[..., App]]:
    """A call that serves a script: ``run_app(script, **environment)``; ended with the tests of the file."""
    apps: list[App] = []

    def run(script: Path, **environment: str) -> App:
        port = next(filter(is_free, ports), 0) or free_port()
        ports[:] = [other for other in ports if other != port]
        apps.append(App(script, port, environment))
        apps[-1].start()
        return apps[-1]

    yield run
    for app in apps:
        app.kill()
        ports.append(app.port)


@dataclass(frozen=True)
class DigitsApp:
    """The app on the digits' demo, its clusters found, with an open session of which 12 of 30 inputs are labeled."""

    url: str
    folder: Path
    session: str


@pytest.fixture(scope="session")
def digits(ports, demo_ready, tmp_path_factory) -> Iterator[DigitsApp]:
    """One server for all tests that only look at the demo; what they leave in its session the next one may meet."""
    folder = demo_ready("digits", tmp_path_factory.mktemp("digits"))
    project = Project(folder)
    truth = project.inputs("digits").truth
    session = project.start_session("digits", Request("rra", 30, 1), half_width=0.05)
    for draw in session.upcoming(12):
        said = int(truth[draw.row])
        session.record([Event(f"label-{draw.row:05}", "answer", draw.row, "tester", "2026-01-01T00:00:00Z", said)])
    project.clusters("digits")
    project.store.close()
    app = App(ROOT / "serve.py", free_port(), {"TESTIMATE_PROJECT": str(folder)})
    app.start()
    yield DigitsApp(app.url, folder, session.session_record.id)
    app.kill()
    ports.append(app.port)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Where the surface's own page keeps the events of each case."""
    return tmp_path_factory.mktemp("surface")


@pytest.fixture(scope="module")
def app(run_app, folder) -> App:
    """A page with nothing but the labeling surface."""
    return run_app(Path(__file__).parent / "surface_app.py", SURFACE_FOLDER=str(folder))


@pytest.fixture(scope="session")
def bare_pages(context, tmp_path_factory) -> BareApp:
    """Pages of this visitor with the labeling surface and without Streamlit."""
    return BareApp(context, tmp_path_factory.mktemp("bare"))


@pytest.fixture
def bare(bare_pages, folder) -> BareApp:
    """The surface's own page without Streamlit, its events where those of ``app`` are."""
    bare_pages.folder = folder
    return bare_pages


@pytest.fixture
def events(folder) -> Callable[[str], list[dict]]:
    """A call that reads what the server has on disk for a case."""

    def read(case: str) -> list[dict]:
        file = folder / f"{case}.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    return read
