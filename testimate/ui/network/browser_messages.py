"""What a browser may send to the server over its WebSocket: what pages need, in messages of a size that depends on the sender.

Streamlit accepts more from any browser than Testimate's pages ever send: requests to empty everybody's caches, and for
the state of the Git repository around the app. Such messages are dropped. What components send is JSON, which Streamlit parses
before any of our code sees it: one that its parser would fail on goes no further.
"""

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from testimate.core.bounded_json import read_json
from testimate.ui.network.connections import CURRENT
from testimate.ui.network.visitors import CONNECTION, Visitors

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
