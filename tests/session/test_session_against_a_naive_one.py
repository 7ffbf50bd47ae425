"""Whatever testers do, in whatever order, the session agrees with one written without any care for speed."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.session_record import Event, SessionRecord
from testimate.labels import SqlStore
from testimate.selectors import SELECTORS
from testimate.session.session import Session
from testimate.tasks.classification import Classification

SIZE, BUDGET = 12, 9
INPUTS = Inputs("f" * 32, Classification(("a", "b")), predictions=np.zeros(SIZE, int))


def naive(drawn: list[int], events: list[Event]) -> tuple[list[int], list[float | None], dict[int, int]]:
    """Rows upcoming, losses of the verdicts and standing answers, from the rows drawn and everything that was done."""
    first_drawn = list(dict.fromkeys(drawn))
    acts: dict[int, list[Event]] = {row: [] for row in first_drawn}
    place = {row: (1, position) for position, row in enumerate(first_drawn)}  # where a row stands in the queue
    for time, event in enumerate(events):
        own = [act for act in acts[event.row] if act.tester == event.tester]
        if event.kind == "undo" and own:
            acts[event.row].remove(own[-1])
            place[event.row] = (0, -time)
        elif event.kind != "undo":
            acts[event.row].append(event)
            if event.kind == "skip":
                place[event.row] = (2, time)
    votes = {row: [act for act in done if act.kind != "skip"] for row, done in acts.items()}
    upcoming = sorted((row for row in first_drawn if not votes[row]), key=place.__getitem__)
    losses = {row: None if vote[-1].answer is None else float(vote[-1].answer) for row, vote in votes.items() if vote}
    reached = max((drawn.index(row) + 1 for row in first_drawn if acts[row]), default=0)
    while reached < len(drawn) and drawn[reached] in losses:
        reached += 1
    answers = {row: int(loss) for row, loss in losses.items() if loss is not None}
    return upcoming, [losses.get(row) for row in drawn[:reached]], answers


class Labeling(RuleBasedStateMachine):
    """Two tabs in two processes, two testers, and a store that is opened again now and then."""

    @initialize(replacement=st.booleans(), seed=st.integers(0, 50))
    def begin(self, replacement: bool, seed: int) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.store = SqlStore(f"sqlite:///{Path(self.folder.name) / 'labels.sqlite'}")
        self.request = Request("srs", BUDGET, seed, options={"replacement": replacement})
        self.record = SessionRecord(
            "s", "set", "The set", INPUTS.fingerprint, self.request, "2024-05-01T10:00:00+00:00"
        )
        self.store.create(self.record)
        self.tabs = [self.opened(), self.opened()]
        self.drawn = [draw.row for draw in self.tabs[0].draws]
        self.events: list[Event] = []

    def opened(self) -> Session:
        selector = SELECTORS["srs"](SIZE, budget=BUDGET, seed=self.request.seed, **self.request.options)
        return Session(self.record, INPUTS, selector, self.store, lambda _: None)

    @rule(
        tab=st.integers(0, 1),
        place=st.integers(0, BUDGET - 1),
        kind=st.sampled_from(["answer", "answer", "cannot tell", "skip", "undo", "undo", "flag"]),
        answer=st.integers(0, 1),
        tester=st.sampled_from(["Ann", "Bob"]),
    )
    def act(self, tab: int, place: int, kind: str, answer: int, tester: str) -> None:
        id = f"e{len(self.events)}-{place}-{kind}"
        given = answer if kind == "answer" else None
        event = Event(id, kind, self.drawn[place], tester, "now", answer=given)
        assert self.tabs[tab].record([event]).acknowledged == (id,)
        if kind != "flag":
            self.events.append(event)

    @rule(tab=st.integers(0, 1), count=st.integers(1, 4))
    def label_what_is_upcoming(self, tab: int, count: int) -> None:
        self.tabs[tab].refresh()
        for draw in self.tabs[tab].upcoming(count):
            self.act(tab, self.drawn.index(draw.row), "answer", draw.row % 2, "Ann")

    @rule(tab=st.integers(0, 1))
    def send_again(self, tab: int) -> None:
        again = self.events[-3:]
        assert set(self.tabs[tab].record(again).acknowledged) == {event.id for event in again}

    @rule(tab=st.integers(0, 1))
    def answer_what_was_not_drawn(self, tab: int) -> None:
        strange = next(row for row in range(SIZE) if row not in self.drawn)
        assert self.tabs[tab].record([Event("x", "answer", strange, "Ann", "now", answer=0)]).refused

    @rule(tab=st.integers(0, 1))
    def reopen(self, tab: int) -> None:
        self.tabs[tab] = self.opened()

    @invariant()
    def agrees_with_the_naive_session(self) -> None:
        upcoming, losses, answers = naive(self.drawn, self.events)
        for tab in self.tabs:
            tab.refresh()
            assert [draw.row for draw in tab.upcoming(100)] == upcoming
            assert [draw.row for draw in tab.upcoming(2)] == upcoming[:2]
            assert [verdict.loss for verdict in tab.verdicts()] == losses
            assert tab.answers() == answers
            assert (tab.labeled, tab.skipped) == (len(losses) - losses.count(None), losses.count(None))
            assert tab.finished == (not upcoming)

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()


@pytest.mark.parametrize("stories", [15, pytest.param(150, marks=pytest.mark.slow)])
def test_a_session_agrees_with_a_naive_one_after_every_act(stories):
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large]
    run_state_machine_as_test(
        Labeling,
        settings=settings(
            max_examples=stories,
            stateful_step_count=30,
            derandomize=True,
            database=None,
            suppress_health_check=checks,
        ),
    )
