"""A team that labels a session without a browser: people with a pace, pauses, logouts and mistakes, on a clock of their own.

``python -m research.methods.labeling_team [CAMPAIGNS]`` prints the table of decision 175, what it costs that a team has more
rounds open than one tester: by the default technique, the error by 2 to 20 testers over that by one who labels alone, the
time waited over the time labeled, and answers beyond those wanted.
"""

import heapq
import itertools
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from research.methods.exact import variance_of, watched
from research.studies.study_subjects import inputs_of
from testimate.core.inputs import Inputs
from testimate.core.selector import Request, Selector
from testimate.core.session_record import ChooseTurns, Event, SessionRecord
from testimate.core.subject import Shown
from testimate.planning.build import build, resolve
from testimate.session.next_inputs import HAND, HAND_KEPT_OPEN, IDLE_SECONDS
from testimate.session.session import Session
from testimate.studies.campaign import known_losses

LOOK, LOOK_AT_THE_END = 2.0, 5.0
"""Seconds between two looks of a page on which nothing is to be labeled, as the labeling surface asks."""


@dataclass(frozen=True)
class Habits:
    """What the people are like.

    Attributes
    ----------
    seconds : median time of an answer; each person's own pace is up to ``apart`` times faster or slower.
    pause : chance of a pause after an answer, of one to five minutes, away from an open page.
    logout : chance of leaving after an answer, for five minutes.
    mistake : chance that an answer is another class than the right one.
    """

    seconds: float = 5.0
    apart: float = 2.0
    pause: float = 0.01
    logout: float = 0.005
    mistake: float = 0.05


@dataclass
class Waits:
    """What came of it: seconds labeled and waited, of all testers together, and answers beyond those wanted.

    ``waited`` : at an open page without an input, though more may come. ``without`` : from an answer until the next input came,
    whatever the page said meanwhile.
    """

    labeled: float = 0.0
    waited: float = 0.0
    without: float = 0.0
    answers: int = 0
    too_many: int = 0
    disputes: int = 0

    @property
    def share(self) -> float:
        """Time waited over the time labeled."""
        return self.waited / self.labeled

    @property
    def share_without(self) -> float:
        """Time without an input that came later, over the time labeled."""
        return self.without / self.labeled


class MemoryStore:
    """A session store that forgets everything with the process; turns as in ``SqlStore``."""

    def __init__(self) -> None:
        self._records: dict[str, SessionRecord] = {}
        self._events: dict[str, list[Event]] = {}
        self._turns: dict[str, dict[tuple[int, str], float]] = {}

    def create(self, record: SessionRecord) -> None:
        """Stores a new session."""
        self._records[record.id] = record

    def record(self, session: str) -> SessionRecord:
        """The session's record."""
        return self._records[session]

    def records(self) -> list[SessionRecord]:
        """Every session."""
        return list(self._records.values())

    def add(self, session: str, events: Sequence[Event]) -> Sequence[str]:
        """Stores the events."""
        self._events.setdefault(session, []).extend(events)
        return tuple(event.id for event in events)

    def history(self, session: str, after: int = 0) -> Sequence[Event]:
        """The events, without the first ``after``."""
        return self._events.get(session, [])[after:]

    def take_turns(
        self, session: str, tester: str, choose: ChooseTurns, *, now: float, until: float, first_until: float = 0.0
    ) -> tuple[int, ...]:
        """The rows chosen are this tester's until then; see ``SessionStore``."""
        turns = {
            who: end for who, end in self._turns.get(session, {}).items() if end > now and who[1] != tester
        }  # (row, tester) -> end
        held: dict[int, frozenset[str]] = {}
        for row, other in turns:
            held[row] = held.get(row, frozenset()) | {other}
        rows = tuple(choose(held))
        ends = [max(until, first_until), *[until] * len(rows)]
        self._turns[session] = {**turns, **{(row, tester): end for row, end in zip(rows, ends, strict=False)}}
        return rows


def team_session(
    inputs: Inputs,
    request: Request,
    votes_per_input: int | None,
    clock: "Clock",
    *,
    selector: Selector | None = None,
    resolved: Mapping[str, object] | None = None,
) -> Session:
    """A new session in a store of its own; of a team where ``votes_per_input`` is given. ``selector``: another one built so."""
    settings = {**resolve(inputs, request), **({} if votes_per_input is None else {HAND_KEPT_OPEN: HAND})}
    settings |= resolved or {}
    record = SessionRecord(
        "s", "set", "The set", inputs.fingerprint, request, "", votes_per_input=votes_per_input, resolved=settings
    )
    store = MemoryStore()
    store.create(record)
    made = selector or build(inputs, request, settings)
    return Session(record, inputs, made, store, lambda row: Shown("text", text=str(row)), clock)


class Clock:
    """The time of the simulation, in seconds."""

    def __init__(self) -> None:
        self.now = 1e9

    def __call__(self) -> float:
        """Now."""
        return self.now


def label_by_team(session: Session, clock: Clock, testers: int, *, seed: int, habits: Habits | None = None) -> Waits:
    """The team labels the session to its end; disputes wait until then for a lead, who settles them by the truth.

    They come one after the other within a minute. Waiting is the time in which somebody at an open page has nothing to label
    though more may come. Who reads that nothing may come stays all the same, and looks again until all is answered.
    """
    habits, rng, found = habits or Habits(), np.random.default_rng(seed), Waits()
    task, wrong_places = session.inputs.task, known_losses(session.inputs) > 0
    truth = (np.asarray(session.inputs.predictions) + wrong_places) % len(task.classes)  # any other class will do
    paces = habits.seconds * habits.apart ** rng.uniform(-1, 1, testers)
    numbers, needed = itertools.count(), session.session_record.votes_per_input or 1
    queue = [(clock.now + 60.0 * place / testers, place, "look", -1, 0.0) for place in range(testers)]
    heapq.heapify(queue)
    given: Counter[int] = Counter()
    late: dict[int, set[str]] = {}
    empty_since: dict[str, float] = {}

    def say(row: int, tester: str, answer: int, kind: str = "answer") -> None:
        event = Event(f"e{next(numbers)}", kind, row, tester, "2026-01-01T00:00:00Z", answer=answer)  # type: ignore[arg-type] # by the caller
        refused = session.record([event], lead=kind == "adjudication").refused
        assert not refused, refused

    while queue:
        clock.now, place, what, row, seconds = heapq.heappop(queue)
        name = f"tester {place}"
        if what == "idle":  # the page asks by itself after a minute without a key
            session.upcoming(HAND, name)
            continue
        if what == "answer":
            right = int(truth[row])
            wrong = rng.random() < habits.mistake
            answer = (right + 1 + int(rng.integers(len(task.classes) - 1))) % len(task.classes) if wrong else right
            say(row, name, answer)
            given[row] += 1
            found.labeled, found.answers = found.labeled + seconds, found.answers + 1
            if given[row] > needed and name not in late.get(row, ()):
                found.too_many += 1
            away = rng.random()
            if away < habits.logout:
                session.give_back(name)
                heapq.heappush(queue, (clock.now + 300.0, place, "look", -1, 0.0))
                continue
        draws = session.upcoming(HAND, name)
        if not draws:
            if session.session_record.votes_per_input is not None and session.votes_left():
                empty_since.setdefault(name, clock.now)
                over = session.still_open(name).over
                found.waited += 0.0 if over else LOOK
                again = LOOK_AT_THE_END if over else LOOK
                heapq.heappush(queue, (clock.now + again, place, "look", -1, 0.0))
            continue
        found.without += clock.now - empty_since.pop(name, clock.now)
        seconds = float(paces[place] * rng.lognormal(0.0, 0.4))
        rest = float(rng.uniform(60, 300)) if what == "answer" and rng.random() < habits.pause else 0.0
        if rest:
            heapq.heappush(queue, (clock.now + IDLE_SECONDS + 1, place, "idle", -1, 0.0))
            late.setdefault(draws[0].row, set()).add(name)
        heapq.heappush(queue, (clock.now + rest + seconds, place, "answer", draws[0].row, seconds))
    found.disputes = len(session.disputed())
    for disputed in session.disputed():
        say(disputed, "lead", int(truth[disputed]), "adjudication")
    return found


SUBJECTS, TEAMS, BUDGETS = ("D", "G", "CN12"), (2, 5, 10, 20), (200, 400)


def campaign(inputs: Inputs, budget: int, seed: int, testers: int, votes: int | None) -> tuple[float, Waits]:
    """The variance of the estimate after one campaign, and the waits; ``votes`` None: one who labels alone."""
    request, clock = Request("rra", budget, seed), Clock()
    selector = watched(inputs, request)
    session = team_session(inputs, request, votes, clock, selector=selector)
    waits = label_by_team(session, clock, testers, seed=seed)
    return variance_of(selector), waits


def team_error(variances: Sequence[float]) -> tuple[float, float]:
    """The root of the mean variance, and its standard error."""
    root = float(np.sqrt(np.mean(variances)))
    return root, float(np.std(variances, ddof=1) / np.sqrt(len(variances)) / (2 * root))


def print_team_error(campaigns: int) -> None:
    """Prints a row for each subject, budget, number of answers and size of the team."""
    print("| subject | budget | answers | testers | error over one tester's | ± | waited, mean | most | too many |")
    print(9 * "|---" + "|")
    for subject in SUBJECTS:
        inputs = inputs_of(subject)
        for budget in BUDGETS:
            alone, scatter = team_error([campaign(inputs, budget, seed, 1, None)[0] for seed in range(campaigns)])
            for votes in (1, 2):
                for team in TEAMS:
                    found = [campaign(inputs, budget, seed, team, votes) for seed in range(campaigns)]
                    ours, more = team_error([variance for variance, _ in found])
                    ratio, off = ours / alone, 2 * ours / alone * float(np.hypot(more / ours, scatter / alone))
                    shares = [100 * waits.share for _, waits in found]
                    waited = f"{np.mean(shares):.2f}% | {max(shares):.2f}%"
                    extra = sum(waits.too_many for _, waits in found)
                    cells = f"{subject} | {budget} | {votes} | {team} | {ratio:.3f} | {off:.3f}"
                    print(f"| {cells} | {waited} | {extra} |", flush=True)


if __name__ == "__main__":
    print_team_error(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
