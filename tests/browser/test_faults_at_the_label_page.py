"""The app itself in a browser while the world fails: killed servers, cut lines, full disks, a lost file, two at once."""

import contextlib
import random
import socket
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.labels import SqlStore
from testimate.project.project import Project
from testimate.ui.label.notices import DONE
from tests.browser.app_steps import GONE, let_it_be_seen, still
from tests.browser.surface_steps import press, until

resource = pytest.importorskip("resource")  # Windows has none

ROOT = Path(__file__).parents[2]
WITNESS = """
window.pressed = []; window.events = []; window.acknowledged = [];
window.surface = () => [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]
  .map((host) => host.shadowRoot?.querySelector('.surface')).find(Boolean);
// before anything of the page sees the key: what the tester has before their eyes
addEventListener('keydown', (event) => {
  const row = window.surface()?.querySelector('.input td')?.textContent;
  if (row) window.pressed.push([Number(row), event.key]);
}, true);
const { setItem, removeItem } = Storage.prototype;
Storage.prototype.setItem = function (name, value) {
  if (name.startsWith('testimate ')) window.events.push(JSON.parse(value).event);
  return setItem.call(this, name, value);
};
Storage.prototype.removeItem = function (name) {
  if (name.startsWith('testimate ')) window.acknowledged.push(name.split(' ').at(-1));
  return removeItem.call(this, name);
};
"""


@dataclass
class Served:
    """The app on a project of its own, with a session open; ``store`` reads beside it what is on disk."""

    app: object
    folder: Path
    session: str
    subject: str
    store: SqlStore

    @property
    def url(self) -> str:
        return f"{self.app.url}/label?subject={self.subject}&session={self.session}"

    def events(self) -> list[Event]:
        return list(self.store.history(self.session))


@pytest.fixture
def serve(run_app, tmp_path):
    """A call that plans a session over a table of 900 rows and serves it: ``serve(budget, votes_per_input)``."""
    running = []

    def start(
        budget: int, votes_per_input: int | None = None, database: str | None = None, **environment: str
    ) -> Served:
        folder = tmp_path / "project"
        project = Project(folder, database)
        environment |= {"TESTIMATE_DATABASE": database} if database else {}
        lines = [f"{row % 3},{(row + (row % 7 == 0)) % 3},0.{60 + row % 40}" for row in range(900)]
        subject = project.add_table("rows.csv", "\n".join(["label,prediction,confidence", *lines]).encode())
        session = project.start_session(subject.key, Request("srs", budget, seed=1), votes_per_input=votes_per_input)
        for name, role in (("Ann", "tester"), ("Bob", "tester"), ("Lea", "lead")) if votes_per_input else ():
            project.testers.add(name, "long enough", role)
        app = run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(folder), **environment)
        running.append((app, project.store))
        return Served(app, folder, session.session_record.id, subject.key, project.store)

    yield start
    for app, store in running:
        app.kill()
        store.close()


def visit(page, served: Served, *, port: int | None = None) -> None:
    page.add_init_script(WITNESS)
    page.goto(served.url if port is None else served.url.replace(str(served.app.port), str(port)))
    page.wait_for_selector(".surface:not([data-row=''])", timeout=60_000)
    let_it_be_seen(page)


def label(page, count: int, keys: random.Random, pause: int = 85) -> None:
    for _ in range(count):
        page.keyboard.press(keys.choice("012"))
        page.wait_for_timeout(pause)  # the pace of a tester


def settled(page) -> bool:
    return bool(
        page.evaluate(
            "() => window.events.length > 0 && window.events.every(({ id }) => window.acknowledged.includes(id))"
        )
    )


def banner(page) -> str:
    return str(page.locator(".surface .banner").text_content())


def each_label_is_there_once_on_the_input_that_was_on_the_screen(page, served: Served, tester: str = "tester") -> int:
    """Compares what was pressed, what the browser told and what is on disk; returns how many labels there are."""
    pressed, events = page.evaluate("() => [window.pressed, window.events]")
    on_disk = [(event.id, event.row, event.answer) for event in served.events() if event.tester == tester]
    assert sorted(on_disk) == sorted((event["id"], event["row"], event["answer"]) for event in events)
    assert len({row for _, row, _ in on_disk}) == len(on_disk)
    # a key that came too early left its input on the screen; the last one pressed before it is the answer
    assert {row: answer for _, row, answer in on_disk} == {row: int(key) for row, key in pressed if key in "012"}
    return len(on_disk)


@pytest.mark.parametrize("kills", [1, pytest.param(50, marks=pytest.mark.slow)])
def test_a_server_killed_at_random_moments_loses_no_label_and_doubles_none(serve, page, expected_errors, kills):
    expected_errors += GONE
    served = serve(budget=880)
    visit(page, served)
    moments = random.Random(kills)
    for _ in range(kills):
        fatal = threading.Timer(moments.uniform(0.1, 1.0), served.app.process.kill)
        fatal.start()
        label(page, 12, moments)
        fatal.join()
        served.app.kill()
        acknowledged = set(page.evaluate("() => window.acknowledged"))
        assert acknowledged <= {event.id for event in served.events()}
        served.app.start()
        until(lambda: settled(page), page, seconds=90)
        page.wait_for_selector(".surface:not([data-row=''])", timeout=60_000)
    assert each_label_is_there_once_on_the_input_that_was_on_the_screen(page, served) >= 6 * kills


@pytest.mark.slow
def test_a_page_whose_server_was_restarted_before_the_first_label_stores_what_is_labeled_then(
    serve, page, expected_errors
):
    expected_errors += GONE
    served = serve(budget=30)
    visit(page, served)
    still(page)
    served.app.kill()
    page.locator("[data-test-connection-state=CONNECTED]").wait_for(state="detached")
    served.app.start()
    still(page)
    label(page, 6, random.Random(1))
    until(lambda: settled(page), page, seconds=60)
    assert each_label_is_there_once_on_the_input_that_was_on_the_screen(page, served) == 6


class Line:
    """The line between browser and server, a port of its own, which can be cut and mended."""

    def __init__(self, port: int) -> None:
        self.server = port
        self.cut = False
        self.ends: list[socket.socket] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def drop(self) -> None:
        self.cut = True
        for end in self.ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self.ends = []

    def _serve(self) -> None:
        with contextlib.suppress(OSError):  # until the listener is closed
            while True:
                near, _ = self.listener.accept()
                if self.cut:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self.server))
                self.ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    @staticmethod
    def _carry(one: socket.socket, other: socket.socket) -> None:
        with one, contextlib.suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_RDWR)


@pytest.mark.slow  # test_labeling_surface.py has a server that is gone and comes back
@pytest.mark.parametrize("seconds", [5, 30])
def test_a_dropped_socket_is_said_aloud_and_loses_nothing(serve, page, expected_errors, seconds):
    expected_errors += GONE
    served = serve(budget=100)
    line = Line(served.app.port)
    visit(page, served, port=line.port)
    label(page, 4, random.Random(1))
    until(lambda: settled(page), page)
    before = len(served.events())
    line.drop()
    label(page, 5, random.Random(2))
    until(lambda: "not saved yet. Keep this page open" in banner(page), page)
    page.wait_for_timeout(1000 * seconds - 3000)  # what is left of the time without a line
    assert len(served.events()) == before
    line.cut = False
    until(lambda: settled(page), page, seconds=90)
    assert each_label_is_there_once_on_the_input_that_was_on_the_screen(page, served) >= before + 4
    until(lambda: banner(page) == "", page)
    page.goto("about:blank")
    line.drop()
    line.listener.close()


def test_labels_wait_for_a_full_disk_and_for_a_file_that_is_gone(serve, page):
    served = serve(budget=100)
    visit(page, served)
    label(page, 3, random.Random(1))
    until(lambda: settled(page), page)
    before = len(served.events())

    _, hard = resource.prlimit(served.app.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(served.app.process.pid, resource.RLIMIT_FSIZE, (1, hard))  # no file may grow: a disk without room
    label(page, 3, random.Random(2))
    until(lambda: "cannot be reached" in banner(page), page)
    assert len(served.events()) == before
    resource.prlimit(served.app.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
    until(lambda: settled(page), page, seconds=40)
    between = each_label_is_there_once_on_the_input_that_was_on_the_screen(page, served)
    assert between == before + 3

    file, aside = served.folder / "labels.sqlite", served.folder / "aside"
    file.rename(aside)
    label(page, 3, random.Random(3))
    until(lambda: "is gone" in banner(page), page)
    assert page.evaluate("() => window.surface().dataset.row") != ""  # labeling goes on meanwhile
    aside.rename(file)
    until(lambda: settled(page), page, seconds=40)
    assert each_label_is_there_once_on_the_input_that_was_on_the_screen(page, served) == between + 3


@pytest.mark.slow  # tests/session does the same without a browser
def test_labels_wait_for_a_database_server_that_stops_and_comes_back(serve, own_postgresql, page):
    served = serve(budget=100, database=f"{own_postgresql.url}/postgres")
    visit(page, served)
    label(page, 3, random.Random(1))
    until(lambda: settled(page), page)
    own_postgresql.stop()
    label(page, 3, random.Random(2))
    until(lambda: "cannot be reached" in banner(page), page, seconds=40)
    assert own_postgresql.url not in page.locator("body").inner_text()
    own_postgresql.start()
    until(lambda: settled(page), page, seconds=60)
    served.store.close()  # this process, too, still holds a connection of before
    assert each_label_is_there_once_on_the_input_that_was_on_the_screen(page, served) == 6


@pytest.mark.slow
def test_forged_events_are_refused_aloud_and_never_stored(serve, page):
    served = serve(budget=20)
    visit(page, served)
    drawn = int(page.locator(".surface").get_attribute("data-row"))
    at = "2026-01-01T00:00:00.000Z"
    sound = {"kind": "answer", "row": drawn, "position": 0, "answer": 1, "seconds": 1, "at": at}
    rows = {int(event) for event in range(900)} - {
        draw.row for draw in Project(served.folder).session(served.session).draws
    }
    forged = [
        {**sound, "id": "forged-row-1", "row": 10**9},
        {**sound, "id": "forged-row-2", "row": min(rows)},  # there, but never drawn
        {**sound, "id": "forged-kind", "kind": "adjudication"},
        {**sound, "id": "forged-name", "tester": "Lea"},
        {**sound, "id": "forged-answer", "answer": 3},
        {**sound, "id": "<script>alert(1)</script>"},
    ]
    for place, event in enumerate(forged):
        page.evaluate(
            "([name, kept]) => localStorage.setItem(name, JSON.stringify(kept))",
            [f"testimate {served.session} tester {event['id']}", {"event": event, "place": place}],
        )
    page.reload()
    page.wait_for_selector(".surface .banner:not([hidden])", timeout=60_000)
    until(lambda: "Not saved" in banner(page), page)
    page.wait_for_timeout(1500)  # what was let through would be on disk by now
    assert served.events() == []
    left = page.evaluate("() => Object.keys(localStorage).filter((name) => name.includes('forged'))")
    assert left == []
    press(page, "2")
    until(lambda: len(served.events()) == 1, page)
    assert served.events()[0].answer == 2


@pytest.mark.slow  # test_team_walk.py goes the same way with the lead
def test_two_testers_at_once_answer_each_input_once_and_wait_for_the_lead(serve, browser):
    served = serve(budget=10, votes_per_input=2, TESTIMATE_TEAM="yes")
    session = Project(served.folder).session(served.session)
    disputed = min(draw.row for draw in session.draws)  # of which Bob says something else
    pages = {}
    for name in ("Ann", "Bob"):
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        pages[name] = context.new_page()
        pages[name].add_init_script(WITNESS)
        pages[name].goto(served.url)
        pages[name].get_by_role("textbox", name="Name").fill(name)
        pages[name].get_by_role("textbox", name="Password").fill("long enough")
        pages[name].get_by_role("button", name="Log in").click()
        pages[name].wait_for_selector(".surface:not([data-row=''])", timeout=60_000)
        let_it_be_seen(pages[name])
    for turn in range(60):  # in turns, each through one's own queue
        if all(page.evaluate("() => window.surface().dataset.row") == "" for page in pages.values()) and turn > 12:
            break
        for name, page in pages.items():
            row = page.evaluate("() => window.surface().dataset.row")
            if row:
                page.keyboard.press("1" if name == "Bob" and int(row) == disputed else "0")
            page.wait_for_timeout(150)  # the pace of a tester
    words = "You are done: 1 dispute waits for a lead."
    for name, page in pages.items():
        until(lambda page=page: page.locator(".surface .calm").text_content() == words, page, seconds=40)
        assert each_label_is_there_once_on_the_input_that_was_on_the_screen(page, served, name) == 10
    session.refresh()
    assert session.disputed() == (disputed,)
    session.record([Event("adjudication-1", "adjudication", disputed, "Lea", "2026-01-01T00:00:00Z", 0)], lead=True)
    for page in pages.values():  # each looks again by itself
        until(lambda page=page: page.locator(".surface .calm").text_content() == DONE, page, seconds=40)
        page.context.close()
