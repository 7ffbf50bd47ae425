"""The components' scripts as the server hands them out: once for each browser, also below a path, and never with an answer."""

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from testimate.core.selector import Request
from testimate.project.project import Project
from tests.browser.app_server import ROOT, free_port
from tests.browser.app_steps import PATIENCE, let_it_be_seen, still
from tests.browser.surface_steps import stored, until

MOST = 30_000
"""Bytes that one answer may bring to the surface."""
OWN = "/_stcore/bidi-components/testimate."


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("bundled") / "project")
    yield project
    project.store.close()


@pytest.fixture(scope="module")
def app(run_app, project):
    return run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(project.folder))


@pytest.fixture(scope="module")
def page_of_label(project) -> str:
    """The address of a session's Label page, below the server's."""
    lines = [f"{row % 3},{row % 3},0.{60 + row % 40}" for row in range(300)]
    key = project.add_table("rows.csv", "\n".join(["label,prediction,confidence", *lines]).encode()).key
    session = project.start_session(key, Request("srs", 40, seed=1)).session_record.id
    return f"label?subject={key}&session={session}"


def label(page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector(".surface:not([data-row=''])", timeout=1000 * PATIENCE)
    let_it_be_seen(page)
    still(page)


def scripts(page) -> list[dict[str, object]]:
    """What the browser says of the components' scripts that this page has loaded."""
    said = "() => performance.getEntriesByType('resource').map((one) => ({ name: one.name, bytes: one.transferSize }))"
    return [one for one in page.evaluate(said) if OWN in one["name"]]


def test_an_answer_brings_none_of_the_program_to_the_browser(app, page_of_label, page):
    brought = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: brought.append(frame)))
    label(page, f"{app.url}/{page_of_label}")
    brought.clear()
    page.keyboard.press("1")
    deliveries: list[bytes] = []

    def delivered() -> list[bytes]:
        deliveries[:] = [frame for frame in brought if b'"acknowledged"' in frame]
        return deliveries

    until(delivered, page)
    assert max(map(len, deliveries)) < MOST
    assert not [frame for frame in deliveries if b"addEventListener" in frame]


def test_a_second_load_takes_the_scripts_from_the_browsers_cache(app, page_of_label, page):
    label(page, f"{app.url}/{page_of_label}")
    first = {one["name"] for one in scripts(page)}
    assert any("labeling_surface-" in name for name in first)
    label(page, f"{app.url}/{page_of_label}")
    assert {one["name"] for one in scripts(page)} == first
    assert [one["bytes"] for one in scripts(page)] == [0] * len(first)


class Proxy:
    """Serves a server below /tools/, which it takes off each request; connections that are upgraded it hands through."""

    def __init__(self, server: int) -> None:
        self._server, self.port = server, free_port()
        self._ready, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._listen()))

    def __enter__(self) -> "Proxy":
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    async def _listen(self) -> None:
        async with await asyncio.start_server(self._carry, "127.0.0.1", self.port):
            self._ready.set()
            await asyncio.to_thread(self._over.wait)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends = [writer]
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.split(b" ")[1].startswith(b"/tools/"), "an address above the path"
            head = head.replace(b" /tools/", b" /", 1)
            if b"upgrade: websocket" not in head.lower():  # one request for each connection
                head = re.sub(rb"(?im)^connection:[^\r]*\r\n", b"", head).replace(
                    b"\r\n", b"\r\nConnection: close\r\n", 1
                )
            from_server, to_server = await asyncio.open_connection("127.0.0.1", self._server)
            ends.append(to_server)
            to_server.write(head)
            ways = (reader, to_server), (from_server, writer)
            pipes = [asyncio.create_task(_pipe(*way)) for way in ways]
            await asyncio.wait(pipes, return_when=asyncio.FIRST_COMPLETED)  # either side ends it
        for end in ends:  # all of them before one is waited for: the proxy's own end may cut that short
            end.close()
        with suppress(OSError, asyncio.CancelledError):
            await asyncio.gather(*(end.wait_closed() for end in ends))


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()


@pytest.fixture
def proxy(app) -> Iterator[Proxy]:
    with Proxy(app.port) as proxy:
        yield proxy


def test_the_surface_answers_keys_behind_a_proxy_with_a_path(proxy, page_of_label, page):
    label(page, f"http://127.0.0.1:{proxy.port}/tools/{page_of_label}")
    before = page.locator(".surface").get_attribute("data-row")
    page.keyboard.press("1")
    until(lambda: stored(page), page)
    assert page.locator(".surface").get_attribute("data-row") != before
    assert {one["name"].partition(OWN)[0] for one in scripts(page)} == {f"http://127.0.0.1:{proxy.port}/tools"}
