"""A large team: fifty testers on one session in PostgreSQL, each with a label a second.

`python -m benchmarks team` takes about four minutes; TEAM_SECONDS shortens the load.
"""

import asyncio
import os
import threading
import time

import numpy as np

from benchmarks.labeling import tester_at_work
from benchmarks.labeling_page.served import a_database, served
from benchmarks.labeling_page.session import new_session, true_answer
from benchmarks.labeling_page.tester import Tester, label_at_once
from testimate.core.session_record import Event
from testimate.reports.people import team_progress
from tests.postgresql_server import binaries

TESTERS, A_SECOND = 50, 1


def main() -> None:
    """Prints the section."""
    seconds = float(os.environ.get("TEAM_SECONDS", "60"))
    print(f"## {TESTERS} testers on one session in PostgreSQL, a label a second each\n")
    if binaries() is None:
        print("PostgreSQL is not installed here.")
        return
    print(
        "On disk: threads of one process take their next inputs, store an answer and look at the team's progress; 15 s, "
        "adaptive\nrounds.\n"
        "By the page: each has logged in and speaks the browser's side over a web socket, without drawing it, for "
        f"{seconds:.0f} s,\nbegun at moments of their own within the second; the wait runs from key to acknowledgment. "
        f"Server, database and\nall testers share this machine, whose load besides was {os.getloadavg()[0]:.1f}.\n"
    )
    print(
        "| what | labels sent | stored | lost or twice | errors shown | median ms | 95th percentile ms (target 300) |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|")
    print(f"| on disk | {on_disk()}", flush=True)
    for technique in ("srs", "rra"):
        print(f"| by the page, {technique} | {by_the_page(technique, seconds)}", flush=True)
    print(
        f"\nProcessor time of one answer on disk, the database's own left out: {processor_milliseconds():.1f} ms.",
        flush=True,
    )


def on_disk() -> str:
    """The cells of the first row, after its name."""
    with a_database("postgresql") as url:
        session = new_session(url, "rra", 3_000, 1)
        waits: list[float] = []
        threads = [
            threading.Thread(target=tester_at_work, args=(session, f"t{number}", waits, A_SECOND))
            for number in range(TESTERS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        votes = [(event.tester, event.row) for event in session.history()]
    return _cells(len(waits), votes, 0, waits)


def processor_milliseconds() -> float:
    """Of the server's process for one answer: the next inputs, storing, the team's progress; mean of eight by each tester."""
    with a_database("postgresql") as url:
        session = new_session(url, "rra", 3_000, 1)
        begun = time.thread_time()
        for count in range(8):
            for tester in map(str, range(TESTERS)):
                [draw, *_] = session.upcoming(8, tester)
                answer = true_answer(draw.row)
                event = Event(f"{tester:>04}-{count:06}", "answer", draw.row, tester, "2026-01-01T00:00:00Z", answer)
                session.record([event])
                team_progress(session)
        return 1000 * (time.thread_time() - begun) / (8 * TESTERS)


def by_the_page(technique: str, seconds: float) -> str:
    """The cells of a row for the page, after its name."""
    labels = int(TESTERS * A_SECOND * seconds * 1.5) + 500
    with served(a_database("postgresql"), labels=labels, technique=technique, team=True) as place:
        testers = [Tester(f"tester{number}", place.port) for number in range(TESTERS)]
        asyncio.run(label_at_once(testers, 1 / A_SECOND, seconds))
        votes = [(event.tester, event.row) for event in place.events()]
    answered = sum(len(tester.answers) for tester in testers)
    errors = sum(len(tester.errors) for tester in testers)
    return _cells(answered, votes, errors, [wait for tester in testers for wait in tester.waits])


def _cells(answered: int, votes: list[tuple[str, int]], errors: int, waits: list[float]) -> str:
    middle, late = 1000 * np.percentile(waits, [50, 95])
    odd = abs(answered - len(votes)) + len(votes) - len(set(votes))
    return f"{answered} | {len(votes)} | {odd} | {errors} | {middle:.0f} | {late:.0f} |"
