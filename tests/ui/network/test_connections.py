"""Connections before a login: too many give way, idle ones end, and neither touches a member; on a real server."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from testimate.core.session_record import Tester
from testimate.ui.network import connections as module
from testimate.ui.network.connections import (
    CONNECTION,
    EVERY,
    IDLE_SECONDS,
    MOST_OF_AN_ADDRESS,
    PAGE_IDLE_SECONDS,
    Activity,
    Connections,
    OnceAMinute,
    Visitors,
)
from testimate.ui.network.payloads import BrowserMessages
from tests.ui.network.test_walls import rerun

ANN = Tester("Ann", "tester")
MOST = 4


class Server:
    """A server with the walls on a port of its own, whose clock the test moves; it logs a page in by its first message."""

    def __init__(self) -> None:
        self.now, self.visitors = 0.0, Visitors()
        self.connections = Connections(self.visitors, MOST, lambda: self.now)
        self.port = 0
        self.writers: list[asyncio.StreamWriter] = []

    async def _page(self, socket: WebSocket) -> None:
        await socket.accept()
        try:
            while True:
                content = await socket.receive_bytes()
                if len(content) > len(rerun()):
                    name = socket.headers[CONNECTION]
                    self.visitors.recognize(f"session of {name}", ANN, name)
                await socket.send_text("ran")
        except WebSocketDisconnect:
            pass

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Server"]:
        """The server, answering."""

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            async with self.connections.watched():
                yield

        async def answer(_: Request) -> PlainTextResponse:
            return PlainTextResponse("a page")

        walls = [
            Middleware(Activity, connections=self.connections),
            Middleware(BrowserMessages, visitors=self.visitors),
        ]
        routes = [Route("/", answer), WebSocketRoute("/stream", self._page)]
        app = Starlette(routes=routes, middleware=walls, lifespan=lifespan)
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        server = uvicorn.Server(uvicorn.Config(app, ws="websockets-sansio", timeout_keep_alive=600, log_level="error"))
        serving = asyncio.create_task(server.serve([listener]))
        async with connect(f"ws://127.0.0.1:{self.port}/stream"):
            pass  # it answers
        yield self
        for writer in self.writers:
            writer.close()
        server.should_exit = True
        await serving

    async def silent(self, address: str = "127.0.0.2", sent: bytes = b"") -> asyncio.StreamReader:
        """A connection that sends this and no more."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0))
        self.writers.append(writer)
        writer.write(sent)
        return reader

    async def page(self, address: str = "127.0.0.2", *, member: bool = False) -> ClientConnection:
        """A page, whose script has run."""
        options: Any = {"local_addr": (address, 0)}
        page = await connect(f"ws://127.0.0.1:{self.port}/stream", **options)
        await page.send(rerun(10 if member else 0))
        assert await page.recv() == "ran"
        return page


@pytest.fixture
def on_server() -> Callable[[Callable[[Server], Coroutine[Any, Any, None]]], None]:
    """A call that runs a conversation with a server in a thread of its own: a browser test's loop may run in this one."""

    def run(talk: Callable[[Server], Coroutine[Any, Any, None]]) -> None:
        async def conversation() -> None:
            async with Server().running() as server:
                await talk(server)

        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, conversation()).result()

    return run


async def ended(reader: asyncio.StreamReader) -> bool:
    """Waits until the server ends the connection."""
    try:
        async with asyncio.timeout(10):
            await reader.read()
    except ConnectionError:
        pass
    return True


async def answers(page: ClientConnection) -> bool:
    """Whether the page is still connected."""
    try:
        await page.send(rerun())
        return await page.recv() == "ran"
    except ConnectionClosed:
        return False


def test_the_connection_that_was_silent_longest_makes_room_for_another(on_server):
    async def talk(server: Server) -> None:
        readers = []
        for number in range(2 * MOST + 1):
            server.now = float(number)
            readers.append(await server.silent())
        assert await ended(readers[0])
        assert not readers[-1].at_eof()
        polite = await server.silent(sent=b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        assert (await polite.readline()).startswith(b"HTTP/1.1 200")
        assert await ended(readers[1])

    on_server(talk)


def test_pages_of_strangers_give_way_at_the_address_that_has_most_and_members_stay(on_server):
    async def talk(server: Server) -> None:
        members = [await server.page("127.0.0.9", member=True) for _ in range(2 * MOST)]
        strangers = []
        for number, address in enumerate(["127.0.0.3", *["127.0.0.2"] * (MOST - 1)]):
            server.now = float(number)
            strangers.append(await server.page(address))
        assert [await answers(page) for page in strangers] == [True] * MOST
        newcomer = await server.page("127.0.0.4")
        assert [await answers(page) for page in strangers] == [True, False, True, True], "oldest of the greedy address"
        assert [await answers(page) for page in (*members, newcomer)] == [True] * (2 * MOST + 1)

    on_server(talk)


def test_half_a_request_ends_after_an_idle_minute_and_a_page_without_a_login_after_ten(on_server):
    async def talk(server: Server) -> None:
        member, stranger = await server.page(member=True), await server.page()
        half = await server.silent(sent=b"GET / HTTP/1.1\r\nX-")
        server.now = IDLE_SECONDS - 1
        server.writers[-1].write(b"slow")  # a byte now and then is no request
        server.now = IDLE_SECONDS + 1
        server.connections.cut_idle()
        assert await ended(half)
        assert [await answers(page) for page in (member, stranger)] == [True, True]
        server.now += PAGE_IDLE_SECONDS + 1
        typing = await server.page()
        server.connections.cut_idle()
        assert [await answers(page) for page in (member, stranger, typing)] == [True, False, True]

    on_server(talk)


def test_one_address_holds_no_more_connections_than_a_lecture_hall(monkeypatch):
    monkeypatch.setattr(module, "MOST_OF_AN_ADDRESS", 3)
    cut: list[str] = []
    connections = Connections(Visitors(), 1_000)
    for place in range(5):
        for address in ("192.0.2.1", "127.0.0.1"):
            connections.open(lambda place=place, address=address: cut.append(f"{address} {place}"), address)
    assert cut == ["192.0.2.1 0", "192.0.2.1 1"], "a proxy on this computer brings everybody from one address"
    assert MOST_OF_AN_ADDRESS >= 2 * 50, "fifty testers behind one address"


def test_the_log_has_a_line_of_each_kind_a_minute_and_says_how_many_more(caplog):
    now = [0.0]
    log = logging.getLogger("of strangers")
    once = OnceAMinute(lambda: now[0])
    log.addFilter(once)
    for address in "abc":
        log.warning("cut %s", address)
    log.warning("another kind\nwith details")
    now[0] = EVERY
    log.warning("cut %s", "d")
    log.removeFilter(once)
    assert caplog.messages == ["cut a", "another kind\nwith details", "cut d (2 more since the last such line)"]
