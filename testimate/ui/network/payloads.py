"""What a browser may send to the server: messages over its WebSocket, and files.

Streamlit accepts more from any browser than Testimate's pages ever send: requests to empty everybody's caches, and for the
state of the Git repository around the app. Such messages are dropped. What components send is JSON, which Streamlit parses
before any of our code sees it: one that its parser would fail on goes no further. How large a message may be depends on its
sender; who may put a file into memory, and how much all files may take, is limited, too.
"""

import threading
from collections.abc import Callable

from anyio import to_thread
from google.protobuf.message import DecodeError
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from testimate.core.bounded_json import read_json
from testimate.core.session_record import Tester
from testimate.core.words import commas
from testimate.ui.network.connections import CONNECTION, CURRENT, Visitors

TAKEN = frozenset({"rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request"})
"""Kinds of messages that pages need."""

MOST_OF_A_STRANGER = 65_536
"""Bytes of one message before the login, for which a name and a password are enough. Members may send what Streamlit takes."""

MOST_VALUES = 1_000_000
"""Values in what one component sends; twenty sessions of answers kept in a browser have a tenth."""

TOO_BIG, NOT_UNDERSTOOD = 1009, 1003  # RFC 6455, section 7.4.1
REASONS = {
    TOO_BIG: "The message is too large. Expected a name and a password. Log in first.",
    NOT_UNDERSTOOD: "The message cannot be read. Expected one as a page sends it. Reload the page.",
}
"""Why a connection ends, in a sentence of at most 123 bytes, as the protocol has it."""


class BrowserMessages:
    """ASGI: passes on those messages, and ends a connection that sends too much or anything that is not a message."""

    def __init__(self, app: ASGIApp, visitors: Visitors) -> None:
        self._app, self._visitors = app, visitors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request, or one WebSocket from its start to its end."""
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        connection = self._visitors.arrive(_session_before(scope))
        if (below := CURRENT.get()) is not None:
            below.name = connection
        others = [header for header in scope["headers"] if header[0].lower() != CONNECTION.encode()]
        marked = {**scope, "headers": [*others, (CONNECTION.encode(), connection.encode())]}

        async def receive_allowed() -> Message:
            while True:
                message = await receive()
                if message["type"] != "websocket.receive":
                    return message
                content = message.get("bytes") or b""
                if len(content) > MOST_OF_A_STRANGER and not self._visitors.has_member(connection):
                    return await _ended(send, TOO_BIG)
                kind = _kind(content)
                if kind is None:
                    return await _ended(send, NOT_UNDERSTOOD)
                if kind in TAKEN:
                    return message

        try:
            await self._app(marked, receive_allowed, send)
        finally:
            self._visitors.leave(connection)


def _kind(content: bytes) -> str | None:
    """Which kind of message it is; None if it is not one, such as an empty one, a text, or one with JSON nested too deep."""
    message = BackMsg()
    try:
        message.ParseFromString(content)
        for state in message.rerun_script.widget_states.widgets:
            for sent in (state.json_value, state.json_trigger_value):
                if sent:
                    read_json(sent, MOST_VALUES)
    except (DecodeError, ValueError):
        return None
    kind: str | None = message.WhichOneof("type")
    return kind


async def _ended(send: Send, code: int) -> Message:
    """Closes the connection; returns what the app then receives, as if the browser had left."""
    await send({"type": "websocket.close", "code": code, "reason": REASONS[code]})
    return {"type": "websocket.disconnect", "code": code}


def _session_before(scope: Scope) -> str | None:
    """The session that a browser names when it comes back: the third of the protocols it offers."""
    for name, value in scope["headers"]:
        if name.lower() == b"sec-websocket-protocol":
            offered = [part.strip() for part in value.decode("latin-1").split(",")]
            return offered[2] if len(offered) > 2 else None
    return None


ADDRESS = "/_stcore/upload_file/"
"""Streamlit's address for uploads; the session and the file follow it."""

MOST_OF_A_SESSION, MOST_OF_ALL = 1_600_000_000, 4_000_000_000
"""Bytes that the uploads of one tab, and of all, may take: a model, a dataset and training data of 500 MB each."""

Held = Callable[[str], tuple[int, int]]
"""Bytes that Streamlit holds for a session and for all, those of closed tabs included until it forgets them."""


# What people who are not logged in may send: decision 160.
class Uploads:
    """ASGI: takes an upload only from a tab where a lead has logged in, and only while there is room for it.

    ``held`` : what the server holds already. ``still_leads`` : whether someone who led when the page was drawn leads now.
    """

    def __init__(self, app: ASGIApp, visitors: Visitors, held: Held, still_leads: Callable[[Tester], bool]) -> None:
        self._app, self._visitors, self._held, self._still_leads = app, visitors, held, still_leads
        self._lock = threading.Lock()
        self._coming: dict[str, int] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request: refuses it before its content is read, or passes it on."""
        if scope["type"] != "http" or ADDRESS not in scope["path"] or scope["method"] == "OPTIONS":
            await self._app(scope, receive, send)
            return
        session = scope["path"].partition(ADDRESS)[2].partition("/")[0]
        tester = self._visitors.behind(session)
        if tester is None or not tester.leads or not await to_thread.run_sync(self._still_leads, tester):
            refused = "Only a lead who is logged in uploads files. Log in as a lead, and try again."
            await PlainTextResponse(refused, 403)(scope, receive, send)
            return
        if scope["method"] != "PUT":
            await self._app(scope, receive, send)
            return
        size = _announced(scope)
        if size is None:
            await PlainTextResponse("The upload came without its size. Send a Content-Length.", 411)(
                scope, receive, send
            )
            return
        refused = self._expect(session, size)
        if refused:
            await PlainTextResponse(refused, 413)(scope, receive, send)
            return
        connection = CURRENT.get()
        try:
            if connection is not None:
                connection.uploads += 1
            await self._app(scope, receive, send)
        finally:
            self._arrived(session, size)
            if connection is not None:
                connection.uploads -= 1

    def _expect(self, session: str, size: int) -> str:
        """Counts an upload that is about to come; returns why it cannot if there is no room for it."""
        of_session, of_all = self._held(session)
        with self._lock:
            of_session += self._coming.get(session, 0) + size
            of_all += sum(self._coming.values()) + size
            for taken, most, whose in (
                (of_session, MOST_OF_A_SESSION, "this tab"),
                (of_all, MOST_OF_ALL, "all people"),
            ):
                if taken > most:
                    return (
                        f"With this file, the uploads of {whose} would take {commas(taken)} bytes. Expected at most "
                        f"{commas(most)}. Put the file into the project's folder instead, and choose it on the page."
                    )
            self._coming[session] = self._coming.get(session, 0) + size
        return ""

    def _arrived(self, session: str, size: int) -> None:
        with self._lock:
            self._coming[session] -= size
            if not self._coming[session]:
                del self._coming[session]


def _announced(scope: Scope) -> int | None:
    """The size that the request announces, in bytes; None if it does not."""
    for name, value in scope["headers"]:
        if name.lower() == b"content-length" and value.isdigit():
            return int(value)
    return None


def held_by_streamlit(session: str) -> tuple[int, int]:
    """``Held`` by the running server."""
    from streamlit import runtime
    from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

    manager = runtime.get_instance().uploaded_file_mgr
    assert isinstance(manager, MemoryUploadedFileManager), "Streamlit keeps uploads in memory"
    sizes = {
        name: sum(len(file.data) for file in list(files.values())) for name, files in list(manager.file_storage.items())
    }
    return sizes.get(session, 0), sum(sizes.values())
