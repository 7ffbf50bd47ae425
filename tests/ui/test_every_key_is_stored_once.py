"""Whatever happens between a key and the disk, in whatever order: the label is stored once, for the input that was seen.

The browser's part is the surface's own JavaScript, run by Node without a screen; the server's part is the Label page's own
code and a real database. Between them stands a network that loses what it likes.
"""

import json
import shutil
import sqlite3
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import event as on

from testimate.core.errors import StoreUnavailable
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.session_record import ALONE, SessionRecord, Tester
from testimate.core.subject import Shown
from testimate.labels import SqlStore
from testimate.planning.build import build, resolve
from testimate.session.session import Session
from testimate.tasks.classification import Classification
from testimate.ui.components import component
from testimate.ui.components.labeling_surface import surface
from testimate.ui.label import labeling
from tests.typescript import LOADED
from tests.ui.uncertain_store import UncertainStore

BROWSERS = Path(__file__).parents[1] / "javascript" / "screenless_browsers.js"
INPUTS = Inputs("f" * 32, Classification(("a", "b", "c", "d")), predictions=np.zeros(30, int))
REQUEST = Request("srs", 16, 3)
HOUR = 3600
PAGES, SERVERS, TIMES = st.integers(0, 2), st.integers(0, 1), st.integers(0, 3)
"""Two tabs of one browser and one of another; two processes on one database; keys pressed one after the other."""


START: SimpleNamespace = SimpleNamespace()
"""What all stories share: the browsers, and an empty database of each kind of session."""


@dataclass
class Page:
    """One page and its connection: ``going`` are messages on their way to the server, ``coming`` deliveries on theirs."""

    tester: Tester
    server: int = 0
    connected: bool = False
    state: dict[str, Any] = field(default_factory=dict)
    arrived: Callable[[], None] | None = None
    going: list[Any] = field(default_factory=list)
    coming: list[Any] = field(default_factory=list)
    pressed: list[str] = field(default_factory=list)
    settled: set[str] = field(default_factory=set)


class Keys(RuleBasedStateMachine):
    """One person or a team of two at three pages, while everything between the keys and the disk goes wrong."""

    @initialize(team=st.booleans())
    def begin(self, team: bool) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.place, self.aside = Path(self.folder.name, "labels"), Path(self.folder.name, "elsewhere")
        self.place.mkdir()
        shutil.copy(START.databases[team], self.place / "labels.sqlite")
        self.record = START.records[team]
        self.fault, self.followed = "", set[int]()
        self.lock: sqlite3.Connection | None = None
        self.clock = 1_800_000_000.0
        self.stores: dict[int, UncertainStore] = {}
        self.sessions: dict[int, Session] = {}
        ann, ben = (Tester("ann", "tester"), Tester("ben", "tester")) if team else [Tester(ALONE, "lead")] * 2
        self.pages = [Page(ann), Page(ann), Page(ben)]
        self.keys: dict[str, dict[str, Any]] = {}
        self.browsers(begin=[0, 0, 1])
        for number in range(3):
            self.connect(number, 0)
            self.all_goes_well(number)

    # The browsers

    def browsers(self, **step: Any) -> None:
        """Moves the browsers and takes in what the pages say."""
        START.browsers.stdin.write(json.dumps(step) + "\n")
        START.browsers.stdin.flush()
        self.seen = json.loads(START.browsers.stdout.readline())
        for page, now in zip(self.pages, self.seen, strict=True):
            for said in now["said"]:
                if "send" in said and page.connected:
                    page.going.append(said["send"])
                if "pressed" in said:
                    key = said["pressed"]
                    self.keys[key["id"]] = key
                    page.pressed.append(key["id"])
                page.settled.update(said.get("settled", ()))
                assert "refused" not in said, said

    @rule(page=PAGES, times=TIMES)
    def press(self, page: int, times: int) -> None:
        for _ in range(times):
            if self.record.votes_per_input and page not in self.followed:
                assert self.seen[page]["row"] not in self.answers_of_page(page), "asked again"
            self.browsers(page=page, do="press")

    @rule(page=PAGES)
    def undo(self, page: int) -> None:
        self.followed |= {0, 1} - {page}  # what the tester's other tab took back may come again
        self.browsers(page=page, do="undo")

    @rule(page=PAGES, server=SERVERS)
    def reload(self, page: int, server: int) -> None:
        self.browsers(page=page, do="reload")
        self.cut(page, False, 0)
        self.connect(page, server)

    @rule(page=PAGES, times=TIMES, seconds=st.sampled_from([0.3, 3, 13]))
    def time_goes_by(self, page: int, times: int, seconds: float) -> None:
        self.press(page, times)
        self.clock += seconds
        self.browsers(forward=1000 * seconds)

    @rule(ahead=st.sampled_from([-HOUR, 0, HOUR]), servers=st.sampled_from([-HOUR, 0, 30, HOUR]))
    def clocks_jump(self, ahead: int, servers: int) -> None:
        self.clock += servers
        self.browsers(clock=ahead)

    # The network

    @rule(page=PAGES, times=TIMES, there=st.integers(0, 2), back=st.integers(0, 2))
    def some_arrive(self, page: int, times: int, there: int, back: int) -> None:
        """So many messages reach the server, and so many deliveries the page."""
        self.press(page, times)
        one = self.pages[page]
        for _ in one.going[:there]:
            self.receive(one)
        for _ in one.coming[:back]:
            self.browsers(page=page, do="deliver", view=one.coming.pop(0))

    @rule(page=PAGES)
    def all_goes_well(self, page: int) -> None:
        for _ in range(10):
            self.some_arrive(page, 0, 1, 2)

    @rule(page=PAGES, kept=st.booleans(), arrive=st.integers(0, 2))
    def cut(self, page: int, kept: bool, arrive: int) -> None:
        """The connection breaks; some messages still ``arrive``. ``kept`` : whether the server knows the page afterwards."""
        one = self.pages[page]
        for _ in one.going[:arrive]:
            self.receive(one)
        one.connected, one.arrived, one.going, one.coming = False, None, [], []
        if not kept:
            one.state = {}

    @precondition(lambda self: not all(page.connected for page in self.pages))
    @rule(page=PAGES, server=SERVERS)
    def connect(self, page: int, server: int) -> None:
        one = self.pages[page]
        if not one.connected:
            if server != one.server:
                one.state = {}
            one.server, one.connected = server, True
            self.run_script(one)

    # The servers

    def receive(self, page: Page) -> None:
        """The first message that is on its way arrives: Streamlit calls what the last run gave it, then runs again."""
        message = page.going.pop(0)
        assert page.arrived is not None
        START.streamlit.session_state = page.state
        page.state["surface"] = {"events": message}
        page.arrived()
        del page.state["surface"]
        self.run_script(page)

    def run_script(self, page: Page) -> None:
        """As ``surface_and_panel``; a page that cannot be shown loses its connection, for a person would load it again."""
        START.streamlit.session_state = page.state
        try:
            session = self.sessions.get(page.server) or self.open(page.server)
        except StoreUnavailable:
            page.connected, page.arrived, page.going = False, None, []
            return
        away, outcome = "", labeling.outcome_of(session)
        if not outcome.fresh:
            try:
                session.refresh()
            except StoreUnavailable as error:
                away = str(error)
        outcome.fresh = False
        labeling.surface(session, page.tester, away, SimpleNamespace(rest=0.0), None)
        page.arrived = START.streamlit.drawn["on_events_change"]
        page.coming.append(json.loads(json.dumps(START.streamlit.drawn["data"][0])))

    def open(self, server: int) -> Session:
        store = UncertainStore(f"sqlite:///{self.place}/labels.sqlite", wait=0.01)
        on.listen(store._engine, "connect", self.limit)
        self.stores[server] = store
        selector = build(INPUTS, REQUEST, self.record.resolved)
        session = Session(
            self.record, INPUTS, selector, store, lambda row: Shown("text", text=f"input {row}"), lambda: self.clock
        )
        self.sessions[server] = session
        return session

    def limit(self, connection: sqlite3.Connection, _: Any) -> None:
        if self.fault == "full":
            connection.execute("PRAGMA max_page_count = 1")  # as many as there are

    @rule(page=PAGES, times=TIMES, server=SERVERS)
    def a_server_starts_again(self, page: int, times: int, server: int) -> None:
        self.press(page, times)
        for number, page in enumerate(self.pages):
            if page.server == server:
                self.cut(number, False, 0)
        self.sessions.pop(server, None)
        if server in self.stores:
            self.stores.pop(server).close()

    @precondition(lambda self: self.stores)
    @rule(server=SERVERS, at=st.sampled_from(["add", "take_turns"]))
    def the_connection_to_the_database_breaks(self, server: int, at: str) -> None:
        if server in self.stores:
            self.stores[server].breaks = at

    # The disk

    @precondition(lambda self: not self.fault)
    @rule(page=PAGES, times=TIMES, how=st.sampled_from(["full", "locked", "moved"]))
    def the_disk_fails(self, page: int, times: int, how: str) -> None:
        self.press(page, times)
        self.fault = how
        for store in self.stores.values():
            store.close()  # a connection opened before would know no limit
        if how == "locked":
            self.lock = sqlite3.connect(self.place / "labels.sqlite", isolation_level=None)
            self.lock.execute("BEGIN IMMEDIATE")
        elif how == "moved":
            self.place.rename(self.aside)

    @precondition(lambda self: self.fault)
    @rule()
    def the_disk_works_again(self) -> None:
        how, self.fault = self.fault, ""
        for store in self.stores.values():
            store.close()
        if how == "locked":
            assert self.lock is not None
            self.lock.close()
        elif how == "moved":
            self.aside.rename(self.place)

    # What has to hold

    def stored(self) -> list[dict[str, Any]]:
        """The events on the disk, in their order."""
        place = self.aside if self.fault == "moved" else self.place
        with closing(sqlite3.connect(f"file:{place}/labels.sqlite?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            asked = "SELECT id, kind, row, CAST(answer AS text) AS answer, tester FROM events ORDER BY sequence"
            found = connection.execute(asked).fetchall()
        return [{**dict(one), "answer": json.loads(one["answer"] or "null")} for one in found]

    def answers_of_page(self, page: int) -> dict[int, int]:
        """The answers that stand by this page's keys alone."""
        said: dict[int, list[int]] = defaultdict(list)
        for key in map(self.keys.__getitem__, self.pages[page].pressed):
            if key["kind"] == "answer":
                said[key["row"]].append(key["answer"])
            elif said[key["row"]]:
                said[key["row"]].pop()
        return {row: answers[-1] for row, answers in said.items() if answers}

    @invariant()
    def what_is_stored_was_pressed_and_what_is_acknowledged_is_stored(self) -> None:
        if not hasattr(self, "keys"):
            return
        events = self.stored()
        place = {event["id"]: number for number, event in enumerate(events)}
        assert len(place) == len(events), "one key stored twice"
        for event in events:
            key = self.keys[event["id"]]
            assert (event["kind"], event["row"], event["answer"]) == (key["kind"], key["row"], key["answer"])
            assert key["kind"] == "undo" or key["seen"] == key["row"], "another input was on the screen"
        for page in self.pages:
            assert page.settled <= place.keys(), "acknowledged, and not on the disk"
            assert {events[place[id]]["tester"] for id in page.pressed if id in place} <= {page.tester.name}
            places = [place[id] for id in page.pressed if id in place]
            assert places == sorted(places), "an earlier key came after a later one"

    def teardown(self) -> None:
        """In the end everything works again: then every key gets to the disk."""
        if not hasattr(self, "keys"):
            return
        if self.fault:
            self.the_disk_works_again()
        for store in self.stores.values():
            store.breaks = ""
        for _ in range(4):
            for number in range(3):
                self.connect(number, 0)
                self.all_goes_well(number)
            self.time_goes_by(0, 0, 13)
        assert [now["waiting"] for now in self.seen] == [0, 0, 0]
        self.what_is_stored_was_pressed_and_what_is_acknowledged_is_stored()
        assert {event["id"] for event in self.stored()} == self.keys.keys(), "a key that never got to the disk"
        self.a_server_starts_again(0, 0, 0)
        votes = self.open(0).votes()
        if self.record.votes_per_input:
            mine = {row: said["ben"] for row, said in votes.items() if "ben" in said}
            assert mine == self.answers_of_page(2)
        for store in self.stores.values():
            store.close()
        self.folder.cleanup()


@pytest.fixture(scope="module")
def _start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("There is no Node on this machine; it plays the browser here. Run: apt-get install nodejs")
    folder = tmp_path_factory.mktemp("databases")
    START.databases, START.records = [folder / "alone.sqlite", folder / "team.sqlite"], []
    for file, votes in zip(START.databases, (None, 2), strict=True):
        record = SessionRecord(
            "s",
            "set",
            "The set",
            INPUTS.fingerprint,
            REQUEST,
            "2026-01-01T00:00:00+00:00",
            votes_per_input=votes,
            resolved=resolve(INPUTS, REQUEST),
        )
        store = SqlStore(f"sqlite:///{file}")
        store.create(record)
        store.close()
        START.records.append(record)
    START.browsers = subprocess.Popen(
        [node, *LOADED, BROWSERS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with START.browsers, pytest.MonkeyPatch.context() as patch:
        streamlit = START.streamlit = SimpleNamespace(session_state={}, drawn={})
        streamlit.toast = streamlit.toggle = lambda *_, **__: None
        patch.setattr(labeling, "st", streamlit)
        patch.setattr(labeling, "is_here", lambda _: True)
        patch.setattr(surface, "st", streamlit)
        patch.setattr(component, "st", streamlit)
        patch.setattr(surface, "_component", lambda **drawn: streamlit.drawn.update(drawn))
        yield
        START.browsers.terminate()


@pytest.mark.parametrize("stories", [25, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.usefixtures("_start")
def test_every_key_is_stored_once_for_the_input_that_was_seen(stories):
    run_state_machine_as_test(
        Keys,
        settings=settings(
            max_examples=stories,
            stateful_step_count=50,
            derandomize=True,
            database=None,
            report_multiple_bugs=False,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
        ),
    )


@pytest.mark.usefixtures("_start")
def test_a_server_that_came_back_is_sent_at_once_what_it_may_have_missed():
    keys = Keys()
    keys.begin(team=False)
    keys.press(0, 2)
    keys.time_goes_by(0, 0, 13)  # sent twice more, and now it would wait 12 seconds
    keys.a_server_starts_again(0, 0, 0)
    keys.connect(0, 0)
    keys.some_arrive(0, 0, 0, 1)
    [message] = keys.pages[0].going
    assert [event["id"] for event in message["events"]] == keys.pages[0].pressed
    keys.teardown()
