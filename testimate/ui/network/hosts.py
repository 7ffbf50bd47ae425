"""By which names this server answers: a page of another site may point a name of its own at this computer (DNS rebinding)."""

import ipaddress
import os
import socket
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime

from testimate.ui.current_project import team

# Why names and connections are limited: decision 239.
HOSTS = "TESTIMATE_HOSTS"
"""Environment variable with the names of ``testimate app --host``, separated by spaces."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Addresses that only this computer can reach."""


class Hosts:
    """ASGI: answers only to names of this server, and to pages of no other site."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request, or refuses it before anything of it is read."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refused = why_refused(headers.get("host"))
        status = 421
        if not refused and not _same_site(headers.get("origin"), headers["host"]):
            refused, status = (
                f"This request comes from another site, {headers['origin']!r:.100}. Open this page itself.",
                403,
            )
        if not refused:
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await PlainTextResponse(refused, status)(scope, receive, send)
        else:  # answered with 403, as nothing was accepted yet
            await send({"type": "websocket.close", "code": 1008, "reason": "another name or site"})


def why_refused(host: str | None) -> str:
    """Why a request to this host is not answered; empty if it is."""
    name = "" if host is None else _name(host)
    if name and _is_ours(name):
        return ""
    command = "testimate app --team --host" if team() else "testimate app --host"
    expected = "this computer's name or address" if team() else "localhost"
    return (
        f"This server does not answer to the name {name or host or ''!r:.100}. Expected {expected}, or a name that it was "
        f"started with. If people are to open it by this name, start it with: {command} {name or 'NAME'}"
    )


def _is_ours(name: str) -> bool:
    names = {*os.environ.get(HOSTS, "").lower().split(), str(st.get_option("server.address") or "").lower()}
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        own = socket.gethostname().lower()
        names |= {own, f"{own}.local"} if team() else set()
        return name == "localhost" or name.endswith(".localhost") or name in names
    # nobody else can point an address at this computer, as a name can be; a container does not know the one it is reached by
    return team() or is_loopback(name) or str(address) in names


def is_loopback(address: str) -> bool:
    """Whether the address is one by which a computer reaches itself."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return found.is_loopback or (mapped is not None and mapped.is_loopback)


def _name(host: str) -> str:
    """The name in a Host header, without its port; empty if it is none."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # a ValueError if it is no number
    except ValueError:
        return ""
    plain = parts.netloc == host and "@" not in host
    return (parts.hostname or "").rstrip(".") if plain else ""


def _same_site(origin: str | None, host: str) -> bool:
    """Whether the page that sent the request came from this host and port; programs other than browsers send no origin."""
    if origin is None:
        return True
    scheme, _, site = origin.lower().partition("://")
    default = {"http": ":80", "https": ":443"}.get(scheme, "")
    return bool(default) and site.removesuffix(default) == host.lower().removesuffix(default)


def open_to_others() -> bool:
    """Whether a server without a team was started, not by ``testimate app``, on an address that other computers can reach."""
    return runtime.exists() and st.get_option("server.address") not in LOOPBACK
