"""Names by which a server answers: those of this computer and those it was started with; pages of its own site alone."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from testimate.ui.network import hosts
from testimate.ui.network.hosts import Hosts

ADDRESSES = ("/", "/media/picture.png", "/_stcore/upload_file/s/f")


@pytest.fixture
def client(monkeypatch) -> TestClient:
    """A client of a server that everything reaches which passes the wall."""
    monkeypatch.setattr(hosts.socket, "gethostname", lambda: "Office-PC")

    async def page(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text("a page")

    routes = [*(Route(address, lambda _: PlainTextResponse("taken"), methods=["GET", "PUT"]) for address in ADDRESSES)]
    return TestClient(Starlette(routes=[*routes, WebSocketRoute("/stream", page)], middleware=[Middleware(Hosts)]))


def opens(client: TestClient, **headers: str) -> bool:
    """Whether pages, media, uploads and the WebSocket are all answered; they all agree."""
    plain = {
        client.request(method, address, headers=headers).status_code
        for address in ADDRESSES
        for method in ("GET", "PUT")
    }
    try:
        with client.websocket_connect("/stream", headers=headers) as socket:
            page = socket.receive_text() == "a page"
    except WebSocketDisconnect:
        page = False
    assert len(plain) == 1
    assert (plain == {200}) == page
    return page


@pytest.mark.parametrize(
    "host", ["localhost:8501", "127.0.0.1:8501", "[::1]:8501", "LOCALHOST", "app.localhost:1", "127.1.2.3"]
)
def test_a_server_for_one_person_answers_to_the_names_of_its_own_computer(client, host):
    assert opens(client, host=host)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8501",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "192.0.2.7",
        "office-pc",
        "",
        "a@localhost",
        "x:y",
    ],
)
def test_a_server_for_one_person_answers_to_no_other_name(client, host):
    assert not opens(client, host=host)
    answer = client.get("/", headers={"host": host})
    assert answer.status_code == 421
    assert "--host" in answer.text


def test_names_it_was_started_with_are_answered_to(client, monkeypatch):
    monkeypatch.setenv("TESTIMATE_HOSTS", "testimate.example.org Other.example")
    assert opens(client, host="testimate.example.org")
    assert opens(client, host="OTHER.example:443")
    assert not opens(client, host="www.testimate.example.org")


@pytest.mark.parametrize(
    ("host", "expected"),
    [("192.0.2.7:8501", True), ("office-pc:8501", True), ("office-pc.local", True), ("evil.example", False)],
)
def test_a_team_reaches_its_server_by_addresses_and_by_the_computers_name(client, monkeypatch, host, expected):
    monkeypatch.setenv("TESTIMATE_TEAM", "yes")
    assert opens(client, host=host) == expected


@pytest.mark.parametrize(
    ("host", "origin", "expected"),
    [
        ("localhost:8501", "http://localhost:8501", True),
        ("localhost:8501", "http://localhost:8502", False),
        ("localhost:8501", "http://127.0.0.1:8501", False),
        ("localhost", "https://localhost", True),
        ("localhost:443", "https://localhost", True),
        ("localhost", "https://localhost:8443", False),
        ("localhost:8501", "http://evil.example", False),
        ("localhost:8501", "null", False),
    ],
)
def test_a_page_of_another_site_or_port_reaches_nothing(client, host, origin, expected):
    assert opens(client, host=host, origin=origin) == expected
