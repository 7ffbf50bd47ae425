"""How a login becomes a cookie that no script can read: the page gets a ticket, which the server exchanges for the cookie.

A Streamlit page cannot set a cookie. So the page gives its script a ticket that is valid once and for a minute; the script
posts it to an address of the server, and the response sets the cookie.
"""

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

COOKIE = "testimate-login"
ADDRESS = "login-cookie"
"""Path of that address, relative to the server's."""

TICKET, SECURE = "X-Testimate-Ticket", "X-Testimate-Secure"
"""Headers of the script's request; a page of another site cannot send them unless this server allows it."""

TICKET_SECONDS = 60.0


@dataclass(frozen=True)
class Handover:
    """The cookie's value and its lifetime in seconds; 0 deletes the cookie."""

    token: str
    seconds: float


class Tickets:
    """Tickets issued and not used yet; safe to share between threads.

    ``clock`` : the time in seconds, by which tickets expire.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._open: dict[str, tuple[Handover, float]] = {}

    def give(self, handover: Handover) -> str:
        """Issues a ticket for the cookie; expired tickets are dropped."""
        ticket, now = secrets.token_urlsafe(32), self._clock()
        with self._lock:
            self._open = {name: kept for name, kept in self._open.items() if kept[1] > now}
            self._open[ticket] = (handover, now + TICKET_SECONDS)
        return ticket

    def take(self, ticket: str) -> Handover | None:
        """The cookie that the ticket was issued for; None if the ticket is unknown, used or expired."""
        with self._lock:
            handover, until = self._open.pop(ticket, (None, 0.0))
        return handover if until > self._clock() else None


tickets = Tickets()
"""Those of this server: its pages issue them, and its address takes them."""


async def set_cookie(request: Request) -> Response:
    """The response to a ticket: it sets the cookie, which only the server can read; 403 if the ticket is not valid."""
    handover = tickets.take(request.headers.get(TICKET, ""))
    if handover is None:
        return Response(status_code=403)
    answer = Response(status_code=204, headers={"Cache-Control": "no-store"})
    answer.set_cookie(
        COOKIE,
        handover.token,
        max_age=round(handover.seconds),
        path="/",
        secure=request.headers.get(SECURE) == "yes",
        httponly=True,
        samesite="strict",
    )
    return answer
