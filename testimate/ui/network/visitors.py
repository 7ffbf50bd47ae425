"""Who is at the other end of each browser tab, as the pages found; checked before the server accepts much from it."""

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from testimate.core.session_record import Tester

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
