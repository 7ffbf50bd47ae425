"""Streamlit's server around app.py; `testimate app` runs it.

Opened by its address, a page of Streamlit first looks for the server below that address and leaves two failed requests in the
browser's console. Here each page is told where the server is. And here is the address that sets the cookie of a login.
"""

from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from testimate.widgets import login_handover

PAGES = ("", "subject", "clusters", "strata", "plan", "label", "results", "compare", "study", "disputes")
"""Addresses of the pages, below the server's own; "" is the first one."""

WHERE = "<script>window.__streamlit = { BACKEND_BASE_URL: new URL('.', location.href).href };</script>"
INDEX = (Path(st.__file__).parent / "static" / "index.html").read_text().replace("<head>", f"<head>{WHERE}", 1)


def page(_: Request) -> HTMLResponse:
    """Streamlit's one HTML document, which its script turns into the page asked for."""
    return HTMLResponse(INDEX, headers={"Cache-Control": "no-cache"})


login_cookie = Route(f"/{login_handover.ADDRESS}", login_handover.set_cookie, methods=["POST"])
app = st.App("app.py", routes=[*(Route(f"/{name}", page) for name in PAGES), login_cookie])
