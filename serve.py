"""Streamlit's server around app.py; `testimate app` runs it.

Opened by its address, a page of Streamlit first looks for the server below that address and leaves two failed requests in the
browser's console. Here each page says where the server is, and an address of its own sets the cookie of a login. What strangers
may not send is stopped before Streamlit takes it (testimate.ui.network).
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse
from starlette.routing import Route
from streamlit.runtime.pages_manager import PagesManager

from testimate.core.machine import raise_descriptor_limit
from testimate.ui.components import page_scripts
from testimate.ui.components.component import preloads
from testimate.ui.error_messages import show_unexpected
from testimate.ui.member import still_leads
from testimate.ui.network.connections import (
    DESCRIPTORS_EACH,
    MOST_OF_ALL,
    Activity,
    Connections,
    visitors,
    write_once_a_minute,
)
from testimate.ui.network.hosts import Hosts
from testimate.ui.network.payloads import BrowserMessages, Uploads, held_by_streamlit
from testimate.ui.network.response_headers import ResponseHeaders
from testimate.ui.pages import PAGES

FIRST_PAGE = ""
"""The address of the first page, below the server's own."""

BASE_URL = "<script>window.__streamlit = { BACKEND_BASE_URL: new URL('.', location.href).href };</script>"
COMPONENTS = preloads("labeling_surface", "late_answers", "command_palette", "server_away", "window_changes")
INDEX = (
    (Path(st.__file__).parent / "static" / "index.html")
    .read_text(encoding="utf-8")
    .replace("<head>", f"<head>{BASE_URL}{COMPONENTS}", 1)
)


def index(_: Request) -> HTMLResponse:
    """Streamlit's one HTML document, which its script turns into the page requested."""
    return HTMLResponse(INDEX, headers={"Cache-Control": "no-cache"})


def by_its_name(request: Request) -> RedirectResponse:
    """To the first page, which Streamlit knows by no name: asked for by that of its file it would say "Page not found"."""
    return RedirectResponse(f"./?{request.url.query}" if request.url.query else "./")


# Streamlit takes the folder pages/ for navigation of its own until app.py has run, and would show its list of files first
PagesManager.uses_pages_directory = False

connections = Connections(visitors, min(MOST_OF_ALL, raise_descriptor_limit() // DESCRIPTORS_EACH))


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Watches connections for as long as the server runs."""
    write_once_a_minute()
    async with connections.watched():
        yield


addresses = [FIRST_PAGE, *(page.address for page in PAGES[1:])]
first_by_name = Route(f"/{PAGES[0].address}", by_its_name)
login_cookie = Route(f"/{page_scripts.ADDRESS}", page_scripts.set_cookie, methods=["POST"])
walls = [
    Middleware(Activity, connections=connections),
    Middleware(ResponseHeaders),
    Middleware(Hosts),
    Middleware(BrowserMessages, visitors=visitors),
    Middleware(Uploads, visitors=visitors, held=held_by_streamlit, still_leads=still_leads),
]
pages = [Route(f"/{address}", index) for address in addresses]
routes = [*pages, first_by_name, login_cookie]
app = st.App("app.py", lifespan=lifespan, routes=routes, middleware=walls, on_script_error=show_unexpected)
