"""How a login reaches the browser's cookie, which no script may read: by a ticket, changed for the cookie at the server.

Streamlit lets a page set no cookie. So the page hands its script a ticket that is good once and for a minute; the script shows
it to the server's own address, and the answer to that sets the cookie.
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
"""Below the server's own address."""

TICKET, SECURE = "X-Testimate-Ticket", "X-Testimate-Secure"
"""Headers of the script's request; a page of another site cannot send them without this server's leave."""

TICKET_SECONDS = 60.0


@dataclass(frozen=True)
class Handover:
    """What the cookie is to hold, for so many seconds; 0 forgets the cookie."""

    token: str
    seconds: float


class Tickets:
    """Tickets given out and not used so far; may be shared by threads.

    ``clock`` : seconds, by which a ticket runs out.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._open: dict[str, tuple[Handover, float]] = {}

    def give(self, handover: Handover) -> str:
        """A new ticket for it."""
        ticket, now = secrets.token_urlsafe(32), self._clock()
        with self._lock:
            self._open = {name: kept for name, kept in self._open.items() if kept[1] > now}
            self._open[ticket] = (handover, now + TICKET_SECONDS)
        return ticket

    def take(self, ticket: str) -> Handover | None:
        """What the ticket stands for, once; None where there is no such ticket, or no more."""
        with self._lock:
            handover, until = self._open.pop(ticket, (None, 0.0))
        return handover if until > self._clock() else None


tickets = Tickets()
"""Of this server, whose pages give them and whose address takes them."""


async def set_cookie(request: Request) -> Response:
    """The answer to a ticket: the cookie, which only the server reads; 403 where the ticket is not good."""
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
