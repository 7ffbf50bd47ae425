"""Who may put a file into the server's memory, and how much of it all files may take."""

import threading
from collections.abc import Callable

from anyio import to_thread
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from testimate.core.session_record import Tester
from testimate.core.words import spaced
from testimate.ui.network.connections import CURRENT
from testimate.ui.network.visitors import Visitors

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
                        f"With this file, the uploads of {whose} would take {spaced(taken)} bytes; expected at most "
                        f"{spaced(most)}. Put the file into the project's folder instead, and choose it on the page."
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
