"""The walls below the pages: what a stranger sends is refused before it is read, and what a page needs goes through."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit.proto.BackMsg_pb2 import BackMsg

from testimate.core.session_record import Tester
from testimate.ui.network import payloads
from testimate.ui.network.connections import CONNECTION, KEPT_SECONDS, Visitors
from testimate.ui.network.payloads import ADDRESS, MOST_OF_A_STRANGER, BrowserMessages, Uploads
from testimate.ui.network.response_headers import HEADERS, ResponseHeaders
from tests.each import each

LEAD, ANN = Tester("Lea", "lead"), Tester("Ann", "tester")


def rerun(letters: int = 0) -> bytes:
    message = BackMsg()
    message.rerun_script.query_string = "x" * letters
    return message.SerializeToString()


@pytest.fixture
def visitors() -> Visitors:
    return Visitors()


class Server:
    """A server with the walls, which answers each message with its length and the name of its connection."""

    def __init__(self, visitors: Visitors, *, held: tuple[int, int] = (0, 0), leads: Callable[[Tester], bool]) -> None:
        self.received: list[bytes] = []
        walls = [
            Middleware(ResponseHeaders),
            Middleware(BrowserMessages, visitors=visitors),
            Middleware(Uploads, visitors=visitors, held=lambda _: held, still_leads=leads),
        ]
        routes = [
            Route(f"{ADDRESS}{{session}}/{{file}}", self._take, methods=["PUT", "DELETE"]),
            Route("/_stcore/metrics", lambda _: PlainTextResponse("secret")),
            Route("/_stcore/bidi-components/testimate.{file:path}", self._component),
            Route("/page", lambda _: PlainTextResponse("a page", headers={"Referrer-Policy": "no-referrer"})),
            WebSocketRoute("/stream", self._echo),
        ]
        self.client = TestClient(Starlette(routes=routes, middleware=walls))

    async def _component(self, request: Request) -> PlainTextResponse:
        there = request.path_params["file"] == "wall/wall-ABC.js"
        return PlainTextResponse("export {}", 200 if there else 404, headers={"Cache-Control": "public"})

    async def _take(self, request: Request) -> PlainTextResponse:
        self.received.append(await request.body())
        return PlainTextResponse("taken")

    async def _echo(self, socket: WebSocket) -> None:
        await socket.accept()
        while True:
            try:
                content = await socket.receive_bytes()
            except WebSocketDisconnect:
                return
            await socket.send_text(f"{len(content)} {socket.headers[CONNECTION]}")


@pytest.fixture
def server(visitors) -> Server:
    return Server(visitors, leads=lambda _: True)


def test_every_answer_forbids_frames_of_other_sites_guessed_types_and_telling_addresses(server):
    headers = server.client.get("/page").headers
    assert {name: headers[name] for name in HEADERS} == {**HEADERS, "Referrer-Policy": "no-referrer"}
    assert (
        HEADERS["X-Content-Type-Options"]
        == server.client.get("/nowhere").headers["X-Content-Type-Options"]
        == "nosniff"
    )


def test_the_servers_own_numbers_are_for_nobody(server):
    answer = server.client.get("/_stcore/metrics")
    assert (answer.status_code, "secret" in answer.text) == (404, False)


def test_only_a_lead_uploads_and_nothing_of_a_refused_upload_is_read(server, visitors):
    visitors.recognize("of a lead", LEAD, "one")
    visitors.recognize("of a tester", ANN, "two")
    visitors.recognize("before the login", None, "three")
    statuses = {
        session: server.client.put(f"{ADDRESS}{session}/f", content=b"abc").status_code
        for session in ("of a lead", "of a tester", "before the login", "made up")
    }
    assert statuses == {"of a lead": 200, "of a tester": 403, "before the login": 403, "made up": 403}
    assert server.received == [b"abc"]
    assert server.client.delete(f"{ADDRESS}made up/f").status_code == 403
    visitors.recognize("of a lead", None, "one")
    assert server.client.put(f"{ADDRESS}of a lead/f", content=b"abc").status_code == 403, "after the logout"


def test_who_led_when_the_page_was_drawn_and_does_no_more_uploads_nothing(visitors):
    asked: list[Tester] = []
    server = Server(visitors, leads=lambda tester: bool(asked.append(tester)))
    visitors.recognize("of a lead", LEAD, "one")
    assert server.client.put(f"{ADDRESS}of a lead/f", content=b"abc").status_code == 403
    assert (asked, server.received) == ([LEAD], [])


def test_uploads_fit_into_what_a_tab_and_all_may_take_together(visitors, monkeypatch):
    monkeypatch.setattr(payloads, "MOST_OF_A_SESSION", 100)
    monkeypatch.setattr(payloads, "MOST_OF_ALL", 150)
    visitors.recognize("s", LEAD, "one")

    def put(size: int, held: tuple[int, int]) -> tuple[int, str]:
        answer = Server(visitors, held=held, leads=lambda _: True).client.put(f"{ADDRESS}s/f", content=b"x" * size)
        return answer.status_code, answer.text

    assert put(60, (40, 90)) == (200, "taken")
    status, why = put(61, (40, 40))
    assert (status, "this tab would take 101 bytes. Expected at most 100" in why) == (413, True)
    status, why = put(60, (0, 91))
    assert (status, "all people would take 151 bytes" in why) == (413, True)


def test_uploads_that_come_at_the_same_time_are_counted_together(visitors, monkeypatch):
    monkeypatch.setattr(payloads, "MOST_OF_A_SESSION", 100)
    visitors.recognize("s", LEAD, "one")
    statuses: list[int] = []

    async def at_once() -> None:
        third = asyncio.Event()

        async def app(scope, receive, send):
            if len(statuses) == 0:
                await third.wait()
            await PlainTextResponse("taken")(scope, receive, send)

        wall = Uploads(app, visitors, lambda _: (0, 0), lambda _: True)

        async def put() -> None:
            headers = [(b"content-length", b"40")]
            scope = {"type": "http", "method": "PUT", "path": f"{ADDRESS}s/f", "headers": headers}

            async def sent(message):
                if message["type"] == "http.response.start":
                    statuses.append(message["status"])

            await wall(scope, None, sent)
            third.set()

        await asyncio.gather(put(), put(), put())
        await put()

    with ThreadPoolExecutor(1) as thread:  # a browser test's loop may run in this one
        thread.submit(asyncio.run, at_once()).result()
    assert sorted(statuses) == [200, 200, 200, 413]


def test_an_upload_that_does_not_say_its_size_is_refused(server, visitors):
    visitors.recognize("s", LEAD, "one")
    answer = server.client.put(f"{ADDRESS}s/f", content=iter([b"abc"]))
    assert (answer.status_code, server.received) == (411, [])


@pytest.mark.parametrize("kind", ["clear_cache", "load_git_info", "set_run_on_save", "debug_shutdown_runtime"])
def test_a_browser_cannot_empty_the_caches_of_all_or_learn_of_the_repository(server, kind):
    forbidden = BackMsg()
    setattr(forbidden, kind, True)
    with server.client.websocket_connect("/stream") as socket:
        socket.send_bytes(forbidden.SerializeToString())
        socket.send_bytes(rerun())
        assert socket.receive_text().split()[0] == str(len(rerun())), "the first message the app saw"


def component(**sent: str) -> bytes:
    message = BackMsg()
    message.rerun_script.widget_states.widgets.add(id="surface", **sent)
    return message.SerializeToString()


@each("name", ["json_value", "json_trigger_value"])
@each("sent", ["[" * 50_000, "[" * 900 + "]" * 900, "1" * 5_000, "{", '[{"event": ' + "9" * 4_301 + "}]"])
def test_json_on_which_a_parser_would_fail_ends_the_connection_with_a_sentence(server, name, sent):
    with server.client.websocket_connect("/stream") as socket:
        socket.send_bytes(component(**{name: sent}))
        with pytest.raises(WebSocketDisconnect) as ended:
            socket.receive_text()
    assert ended.value.code == 1003
    assert "Expected one as a page sends it" in ended.value.reason


def test_a_message_of_a_component_passes_as_it_is(server):
    sent = component(json_trigger_value='[{"event": "events", "value": {"events": [{"answer": [1, NaN]}]}}]')
    with server.client.websocket_connect("/stream") as socket:
        socket.send_bytes(sent)
        assert socket.receive_text().split()[0] == str(len(sent))


@pytest.mark.parametrize("content", ["a text", b"\xff\xff\xff", b""], ids=["text", "no message", "nothing"])
def test_what_is_no_message_ends_the_connection(server, content):
    with server.client.websocket_connect("/stream") as socket:
        (socket.send_text if isinstance(content, str) else socket.send_bytes)(content)
        with pytest.raises(WebSocketDisconnect) as ended:
            socket.receive_text()
    assert ended.value.code == 1003


def test_a_stranger_sends_a_password_and_a_member_a_selection_of_the_map(server, visitors):
    with server.client.websocket_connect("/stream", headers={CONNECTION: "forged"}) as socket:
        socket.send_bytes(rerun(2_000))
        connection = socket.receive_text().split()[1]
        assert connection != "forged"
        visitors.recognize("s", ANN, connection)
        socket.send_bytes(rerun(MOST_OF_A_STRANGER))
        assert int(socket.receive_text().split()[0]) > MOST_OF_A_STRANGER
        visitors.recognize("s", None, connection)
        socket.send_bytes(rerun(MOST_OF_A_STRANGER))
        with pytest.raises(WebSocketDisconnect) as ended:
            socket.receive_text()
    assert ended.value.code == 1009


def test_a_browser_that_comes_back_to_its_session_is_known_by_it(server, visitors):
    visitors.recognize("s", ANN, None)
    with server.client.websocket_connect("/stream", subprotocols=["streamlit", "token", "s"]) as socket:
        socket.send_bytes(rerun(MOST_OF_A_STRANGER))
        assert int(socket.receive_text().split()[0]) > MOST_OF_A_STRANGER


def test_a_session_without_a_connection_is_forgotten_after_a_while():
    now = [0.0]
    visitors = Visitors(lambda: now[0])
    visitors.recognize("s", ANN, visitors.arrive(None))
    again = visitors.arrive("s")
    assert visitors.has_member(again)
    visitors.leave(again)
    now[0] += KEPT_SECONDS + 1
    assert visitors.behind("s") == ANN, "its first connection is still there"
    for connection in list(visitors._of_connection):
        visitors.leave(connection)
    now[0] += KEPT_SECONDS + 1
    visitors.arrive(None)
    assert visitors.behind("s") is None


def test_a_page_that_still_runs_when_its_browser_has_left_leaves_nothing_behind_for_good():
    now = [0.0]
    visitors = Visitors(lambda: now[0])
    for number in range(100):
        connection = visitors.arrive(None)
        visitors.leave(connection)
        visitors.recognize(f"s{number}", None, connection)
    now[0] += KEPT_SECONDS + 1
    visitors.arrive(None)
    assert (len(visitors._sessions), len(visitors._of_connection)) == (0, 1)


def test_a_member_is_gone_a_while_after_the_last_tab_closed_and_told_once():
    now = [0.0]
    visitors = Visitors(lambda: now[0])
    first, second = visitors.arrive(None), visitors.arrive(None)
    visitors.recognize("one", ANN, first)
    visitors.recognize("two", ANN, second)
    visitors.leave(first)
    now[0] = 60.0
    assert visitors.gone(5.0) == [], "there is another tab"
    assert (visitors.is_open("one"), visitors.is_open("two")) == (False, True)
    visitors.leave(second)
    now[0] = 64.0
    assert visitors.gone(5.0) == [], "a reload is over by then"
    now[0] = 65.0
    assert visitors.gone(5.0) == ["Ann"]
    assert visitors.gone(5.0) == []
    third = visitors.arrive("two")
    assert visitors.is_open("two")
    visitors.leave(third)
    now[0] = 70.0
    assert visitors.gone(5.0) == ["Ann"], "who came back has left again"


def test_who_comes_past_the_walls_is_never_taken_for_gone():
    now = [0.0]
    visitors = Visitors(lambda: now[0])
    visitors.recognize("s", ANN, None)
    now[0] = 60.0
    assert visitors.gone(5.0) == []


def test_a_components_file_is_kept_for_good_and_one_that_is_missing_is_not(visitors):
    client = Server(visitors, leads=lambda _: True).client
    address = "/_stcore/bidi-components/testimate.wall/wall-ABC.js"
    assert "immutable" in client.get(address).headers["Cache-Control"]
    assert client.get(address.replace("ABC", "OLD")).headers["Cache-Control"] == "public"
