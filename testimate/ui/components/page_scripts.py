"""What works on a page without being in it: steps back, the theme, what screen readers hear, the command palette, logins.

The palette is a dialog that Ctrl K opens on every page; some keys lead to a page at once. A Streamlit page cannot set a cookie.
So a login's page gives its script a ticket that is valid once and for a minute; the script posts it to an address of the
server, and the response sets a cookie that no script can read.
"""

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response

from testimate.ui.components.component import arrival, component, plain_text

_SCRIPT = """
const known = "testimate one step back";
export default function () {
  if (window[known]) return;
  window[known] = true;
  let acted = false; // whether the visitor has done anything on this page since it was reached
  for (const name of ["pointerdown", "keydown"]) window.addEventListener(name, () => { acted = true; }, true);
  window.addEventListener("popstate", () => { acted = false; });
  const push = history.pushState.bind(history);
  history.pushState = (state, title, url) => {
    const next = new URL(url ?? location.href, location.href);
    if (next.pathname !== location.pathname) acted = false;
    else if (!acted) { // the page itself says what is open: the same step, not another one
      history.replaceState(state, title, url);
      return;
    }
    push(state, title, url);
  };
}
"""

_one_step_back = st.components.v2.component("testimate.one_step_back", js=_SCRIPT)


def one_step_back() -> None:
    """Makes every page of this browser tab one step of its history; Streamlit makes a step of each change of address."""
    with st.container(key="one-step-back"):
        _one_step_back(key="one step back", height=1)


_server_away = component("server_away")


def server_away() -> None:
    """Watches the connection of this browser tab, and that no page comes empty; draws nothing while it holds."""
    with st.container(key="server-away"):
        _server_away(key="server away", height=1)


_window_changes = component("window_changes")


def window_changes() -> None:
    """Draws nothing. Call it outside a fragment: a change of the theme concerns the whole page."""
    with st.container(key="window-changes"):
        _window_changes(key="window changes", height=1, on_scheme_change=lambda: None)


_status = component("spoken_status")


def spoken_status(words: str, *, row: int | None, key: str) -> None:
    """Shows the words, untrusted text; takes the focus if ``row`` changed and the button that had the focus is gone."""
    _status(key=key, data=[{"words": words, "input": str(row)}])


_palette = component("command_palette")


@dataclass(frozen=True)
class Command:
    """One thing to go to or to do.

    Attributes
    ----------
    id : told to ``on_choose``.
    title : what is typed to find it; untrusted text.
    group : what kind of thing it is, in a word.
    digit : with Alt and Shift it chooses this at once, "0" to "9"; "" where no key does.
    """

    id: str
    title: str
    group: str
    digit: str = ""


def command_palette(
    commands: Sequence[Command], *, key: str, on_choose: Callable[[str], None], on_open: Callable[[], None]
) -> None:
    """Draws nothing until Ctrl K (Cmd K on a Mac) is pressed. Draw it in a fragment of its own.

    Parameters
    ----------
    commands : in the order in which they are listed while nothing is typed.
    on_choose : called with the id of the one chosen, before the fragment runs; ids that are not among the ``commands`` are
        passed over.
    on_open : called when the dialog opens, so that more commands can be sent along. What it holds stays until it is closed.
    """
    known = {command.id for command in commands}

    def choose(one: str) -> None:
        if one in known:
            on_choose(one)

    _palette(
        key=key,
        data={"commands": [asdict(command) for command in commands]},
        on_chosen_change=arrival(key, "chosen", plain_text, choose),
        on_opened_change=on_open,
    )


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
