"""The open connections, and who is at the other end of each: strangers have few and short ones, so that members find room.

Streamlit spends four descriptors on a WebSocket, its own and three of the event loop that every session has, and sessions
whose browser left keep three for two minutes. What strangers can make the server log is one line a minute of each kind. The
pages find who a browser tab belongs to; the server accepts much only of members.
"""

import asyncio
import contextlib
import logging
import secrets
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, cast

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from testimate.core.session_record import Tester
from testimate.ui.network.hosts import is_loopback

CONNECTION = "x-testimate-connection"
"""Header that names the connection a page's script answers; the server sets it, whatever a browser sends."""

KEPT_SECONDS = 600.0
"""How long a tab that lost its connection is remembered; Streamlit keeps its session for two minutes."""


@dataclass
class _Visitor:
    """Who uses a session, None before the login, and when it lost its connection; None while it has one.

    ``reported`` : whether ``gone`` has reported it since.
    """

    tester: Tester | None = None
    left: float | None = None
    reported: bool = False


class Visitors:
    """The sessions of Streamlit that browsers are connected to, and who uses each; safe to share between threads.

    ``clock`` : the time in seconds, by which tabs that left are forgotten.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._sessions: dict[str, _Visitor] = {}
        self._of_connection: dict[str, str | None] = {}  # of those that are open; None until a page has run

    def arrive(self, session: str | None) -> str:
        """The name of a new connection; ``session``: the one its browser says it had before, of those known here."""
        connection, now = secrets.token_urlsafe(16), self._clock()
        with self._lock:
            for name, visitor in list(self._sessions.items()):
                if visitor.left is not None and visitor.left < now - KEPT_SECONDS:
                    del self._sessions[name]
            known = session if session in self._sessions else None
            self._of_connection[connection] = known
            if known is not None:
                self._sessions[known].left, self._sessions[known].reported = None, False
        return connection

    def leave(self, connection: str) -> None:
        """Notes that the connection has ended; its session is remembered for a while, because a browser may come back to it."""
        with self._lock:
            session = self._of_connection.pop(connection, None)
            if session in self._sessions and session not in self._of_connection.values():
                self._sessions[session].left = self._clock()

    def recognize(self, session: str, tester: Tester | None, connection: str | None) -> None:
        """Notes what a page found: this member uses this session by that connection; None before a login or after a logout.

        A page may still run when its browser has left; its connection is not taken for an open one then.
        """
        with self._lock:
            if connection in self._of_connection:
                self._of_connection[connection] = session
            is_open = session in self._of_connection.values()
            # without the network filters no connection is known, so none ends
            self._sessions[session] = _Visitor(tester, None if is_open else self._clock(), reported=connection is None)

    def behind(self, session: str) -> Tester | None:
        """Who uses the session; None where nobody has logged in there."""
        with self._lock:
            visitor = self._sessions.get(session)
        return None if visitor is None else visitor.tester

    def is_open(self, session: str) -> bool:
        """Whether a browser is connected to the session."""
        with self._lock:
            visitor = self._sessions.get(session)
            return visitor is not None and visitor.left is None

    def gone(self, seconds: float) -> list[str]:
        """Members all of whose tabs closed at least ``seconds`` ago, by name; each once for each time they leave."""
        now = self._clock()
        with self._lock:
            of: dict[str, list[_Visitor]] = {}
            for visitor in self._sessions.values():
                if visitor.tester is not None:
                    of.setdefault(visitor.tester.name, []).append(visitor)
            found = []
            for name, tabs in of.items():
                left = [tab for tab in tabs if tab.left is not None and tab.left <= now - seconds]
                if len(left) == len(tabs) and not all(tab.reported for tab in left):
                    found.append(name)
                    for tab in left:
                        tab.reported = True
        return found

    def has_member(self, connection: str) -> bool:
        """Whether somebody has logged in at this connection's other end."""
        with self._lock:
            visitor = self._sessions.get(self._of_connection.get(connection) or "")
            return visitor is not None and visitor.tester is not None


visitors = Visitors()
"""Those of this server."""


IDLE_SECONDS, PAGE_IDLE_SECONDS = 60.0, 600.0
"""How long a connection may do nothing before a login. A page that reconnects takes the focus from whoever types a password,
and what is typed sends nothing: so it has longer."""

MOST_OF_AN_ADDRESS = 128
"""Connections of one address before a login: a lecture hall behind one address, each with a page and its scripts to load."""

MOST_OF_ALL, DESCRIPTORS_EACH, HTTP_PER_PAGE = 1024, 16, 2
"""Pages before a login: one for every 16 descriptors, and twice as many connections of HTTP. They take 3/8 of all at most."""

ANSWER_SECONDS = 5.0
"""How long a request is taken for one being answered after a part of its answer was sent: some never read theirs."""

SWEEP_SECONDS = 5.0

_log = logging.getLogger(__name__)


@dataclass(eq=False)
class BrowserConnection:
    """One connection, how it is cut, where it comes from, and when it last got further.

    ``is_page`` : it is the WebSocket of a page. ``name`` : its name among the visitors then. ``requests`` : of HTTP, being
    answered. ``uploads`` : files of leads on their way.
    """

    cut: Callable[[], None]
    address: str
    active: float
    is_page: bool = False
    name: str = ""
    requests: int = 0
    uploads: int = 0


CURRENT: ContextVar[BrowserConnection | None] = ContextVar("connection", default=None)
"""The connection that a request came by."""


class Connections:
    """The open connections of a server, touched by its event loop alone.

    ``most`` : pages before a login. ``clock`` : the time in seconds.
    """

    def __init__(self, visitors: Visitors, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._visitors, self._most, self._clock = visitors, most, clock
        self._open: dict[BrowserConnection, None] = {}  # in the order of opening

    def open(self, cut: Callable[[], None], address: str) -> BrowserConnection:
        """Adds a connection; where there are too many before a login, another one gives way."""
        connection = BrowserConnection(cut, address, self._clock())
        self._open[connection] = None
        self._make_room(connection)
        return connection

    def close(self, connection: BrowserConnection) -> None:
        """Forgets a connection that ended."""
        self._open.pop(connection, None)

    def got_further(self, connection: BrowserConnection) -> None:
        """Notes that it did something."""
        connection.active = self._clock()

    def request(self, connection: BrowserConnection, address: str, *, is_page: bool) -> None:
        """Notes a request by it: whose it is as a proxy says, and whether a page begins with it."""
        connection.active = self._clock()
        if (address or connection.address, is_page) != (connection.address, connection.is_page):
            connection.address, connection.is_page = address or connection.address, is_page
            self._make_room(connection)

    def cut_idle(self) -> None:
        """Cuts what did nothing for too long before a login."""
        now = self._clock()
        idle = [
            stranger
            for stranger in self._strangers()
            if stranger.active < now - (PAGE_IDLE_SECONDS if stranger.is_page else IDLE_SECONDS)
        ]
        self._cut(idle, "was idle")

    def _strangers(self) -> list[BrowserConnection]:
        """The connections of nobody who is logged in."""
        return [
            connection
            for connection in self._open
            if not connection.uploads and not (connection.name and self._visitors.has_member(connection.name))
        ]

    def _make_room(self, new: BrowserConnection) -> None:
        """Cuts a stranger's connection if there are too many of this kind with this one, at its address or in all.

        It is the one that was idle longest: of those that wait for a request, as a page that misses one of its scripts stays
        empty; of pages, at the address that has most.
        """
        most = self._most if new.is_page else HTTP_PER_PAGE * self._most
        if len(self._open) <= min(most, MOST_OF_AN_ADDRESS):
            return
        strangers = [stranger for stranger in self._strangers() if stranger.is_page == new.is_page]
        address = new.address
        if len(strangers) > most and new.is_page:
            [(address, _)] = Counter(stranger.address for stranger in strangers).most_common(1)
        of_address = [stranger for stranger in strangers if stranger.address == address]
        if len(strangers) > most:
            choice = of_address if new.is_page else strangers
        # a proxy on this computer brings everybody's connections from one address
        elif len(of_address) > MOST_OF_AN_ADDRESS and not is_loopback(address):
            choice = of_address
        else:
            return
        others = [stranger for stranger in choice if stranger is not new] or [new]
        stale = self._clock() - ANSWER_SECONDS
        waiting = [stranger for stranger in others if not stranger.requests or stranger.active < stale]
        self._cut([min(waiting or others, key=lambda stranger: stranger.active)], "made room for another")

    def _cut(self, strangers: list[BrowserConnection], why: str) -> None:
        for stranger in strangers:
            self._open.pop(stranger, None)
            stranger.cut()
            _log.warning("A connection without a login from %s %s.", stranger.address, why)

    @contextlib.asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Watches what every server of this event loop accepts that is made from now on."""
        loop = asyncio.get_running_loop()
        make = loop.create_server

        def make_watched(protocol: Callable[[], asyncio.Protocol], *args: Any, **options: Any) -> Any:
            return make(lambda: _Watched(protocol(), self), *args, **options)

        # uvicorn asks nobody before it accepts, and a connection that sends nothing never reaches the app
        vars(loop)["create_server"] = make_watched
        sweeping = asyncio.create_task(self._sweep())
        try:
            yield
        finally:
            sweeping.cancel()
            del vars(loop)["create_server"]

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            self.cut_idle()


class _Transport:
    """A transport whose writing counts as activity of an HTTP connection, and which a WebSocket cannot take from the watch."""

    def __init__(self, transport: asyncio.Transport, watched: "_Watched") -> None:
        self._transport, self._watched = transport, watched

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Writes it."""
        self._watched.wrote()
        self._transport.write(data)

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Hands the connection over, such as to a WebSocket."""
        self._watched.inner = cast(asyncio.Protocol, protocol)


class _Watched(asyncio.Protocol):
    """The server's protocol with its connection among those that are watched."""

    def __init__(self, inner: asyncio.Protocol, connections: Connections) -> None:
        self.inner, self._connections = inner, connections
        self._connection: BrowserConnection | None = None

    def wrote(self) -> None:
        """Notes an answer of HTTP; on a WebSocket it may be a ping, which any program answers."""
        if self._connection is not None and not self._connection.is_page:
            self._connections.got_further(self._connection)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begins to watch."""
        stream = cast(asyncio.Transport, transport)
        peer = stream.get_extra_info("peername")
        self._connection = self._connections.open(stream.abort, str(peer[0]) if peer else "")
        self.inner.connection_made(cast(asyncio.BaseTransport, _Transport(stream, self)))

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends the watch."""
        if self._connection is not None:
            self._connections.close(self._connection)
        self.inner.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Passes it on; a request that begins with it knows by which connection it came."""
        token = CURRENT.set(self._connection)
        try:
            self.inner.data_received(data)
        finally:
            CURRENT.reset(token)

    def eof_received(self) -> bool | None:
        """Passes it on."""
        return self.inner.eof_received()

    def pause_writing(self) -> None:
        """Passes it on."""
        self.inner.pause_writing()

    def resume_writing(self) -> None:
        """Passes it on."""
        self.inner.resume_writing()


class Activity:
    """ASGI: notes when a request came, and each message of a browser: a half of a request is no activity, nor is a pong."""

    def __init__(self, app: ASGIApp, connections: Connections) -> None:
        self._app, self._connections = app, connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request, or one WebSocket from its start to its end."""
        connection = CURRENT.get()
        if connection is None or scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        client = scope.get("client")
        is_page = scope["type"] == "websocket"
        self._connections.request(connection, client[0] if client else "", is_page=is_page)

        async def receive_noted() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive":
                self._connections.got_further(connection)
            return message

        connection.requests += not is_page
        try:
            await self._app(scope, receive_noted, send)
        finally:
            connection.requests -= not is_page


EVERY = 60.0  # seconds

LOGGERS = (
    "asyncio",  # no descriptor left to accept a connection with
    "uvicorn.error",  # requests that are none
    "streamlit.web.server.starlette.starlette_websocket",
    "testimate.ui.network.connections",
)


class OnceAMinute(logging.Filter):
    """Lets the first line of a kind through, and after a minute the next with the number of those between.

    ``clock`` : the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._kinds: dict[
            tuple[str, str], list[float]
        ] = {}  # when a line of the kind was last written, and how many since

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written."""
        now = self._clock()
        kind = record.name, str(record.msg).split("\n", 1)[0]
        written, more = self._kinds.get(kind, (now - EVERY, 0))
        if now - written < EVERY:
            self._kinds[kind] = [written, more + 1]
            return False
        if len(self._kinds) > 1_000:
            self._kinds.clear()
        self._kinds[kind] = [now, 0]
        if more:
            record.msg, record.args = f"{record.getMessage()} ({more:.0f} more since the last such line)", None
        return True


def write_once_a_minute() -> None:
    """Puts the filter before what strangers can make the server write."""
    once = OnceAMinute()
    for name in LOGGERS:
        logging.getLogger(name).addFilter(once)
