"""What every response of the server tells the browser, and addresses of Streamlit that no page needs."""

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "X-Content-Type-Options": "nosniff",  # an uploaded picture is never read as a script
    "Referrer-Policy": "same-origin",  # addresses name projects and sessions, which other sites must not learn
    "Content-Security-Policy": "frame-ancestors 'self'",  # no other site may show a page in a frame and catch the clicks
}

BUNDLE, FOR_GOOD = "/_stcore/bidi-components/testimate.", "public, max-age=31536000, immutable"
"""Addresses of the components' files, whose names tell what is in them, and how long a browser may keep one."""

CLOSED = ("/_stcore/metrics", "/_stcore/script-health-check", "/_stcore/agent/")
"""Closed to everybody: figures about memory and sessions, and a way to operate pages without a browser."""


class ResponseHeaders:
    """ASGI: adds the headers to every response, and responds "not found" at the closed addresses."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if message["status"] == 200 and BUNDLE in scope["path"]:
                    headers["Cache-Control"] = FOR_GOOD
            await send(message)

        closed = scope["type"] == "http" and any(address in scope["path"] for address in CLOSED)
        answer = PlainTextResponse("Not found", 404) if closed else self._app
        await answer(scope, receive, send_with_headers)
