"""Testers label while everything else breaks: what was acknowledged, and what is on disk in the end.

`python -m benchmarks endurance` takes some minutes, as a part of `make bench`. ENDURANCE_KILLS=1000, ENDURANCE_MINUTES=60 (at
most, of the kills) and ENDURANCE_SECONDS=600 (of an outage) make it hours; ENDURANCE_SEED and ENDURANCE_ROWS (a part of the
names) change what is run.
The same seed gives the same moments.
"""

import asyncio
import ctypes
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from benchmarks.earlier_results import earlier
from benchmarks.labeling_page.faults import (
    A_SECOND,
    QUICK,
    SHIFT,
    World,
    a_shift,
    clocks,
    full_disk,
    kills,
    moved_away,
    read_only,
    reloads,
    restarted_database,
    start,
)
from benchmarks.labeling_page.lasting_tester import LastingTester
from benchmarks.labeling_page.session import new_session, true_answer
from benchmarks.measured import ROOT
from testimate.labels import SqlStore
from tests.browser.app_server import App, is_free
from tests.postgresql_server import PostgresqlServer, binaries

PAGE = ROOT / "benchmarks" / "labeling_page" / "page.py"
SEED = int(os.environ.get("ENDURANCE_SEED", "1"))
TESTERS = ("ann", "ben")
SETTLED_WITHIN = 90.0
"""Seconds after the last fault in which the browsers must get rid of what they hold."""
AT_ONCE = 2
"""Rows measured side by side: most of an outage is waiting."""

Disturb = Callable[[World], Awaitable[int]]


@dataclass(frozen=True)
class Row:
    """One row: ``what`` happens to how many ``servers`` on which ``database``, behind a ``proxy`` or not."""

    what: str
    disturb: Disturb
    servers: int = 1
    database: str = "SQLite"
    proxy: bool = False
    testers: tuple[str, ...] = TESTERS


def _lasting_port(moments: random.Random) -> int:
    """A free port that stays free while the server is down: from 32768 on the system gives them to outgoing connections."""
    return next(port for port in iter(lambda: moments.randrange(20_000, 32_000), None) if is_free(port))


COLUMNS = (
    "| what | faults | keys | acknowledged | stored | lost | twice | wrong | refused | left | errors shown | minutes |"
)
RULE = "|---|" + 11 * "---:|"

KILLED = "SIGKILL of the server"
RESTARTED = "PostgreSQL restarted every 20 s"
LONG, LONGER = {KILLED: 1_000, RESTARTED: 30}, "### Longer runs"
"""Faults from which a row counts as a longer run, whose last result is kept."""

ROWS = (
    Row(KILLED, kills),
    Row("disk full for 1 to 5 s", full_disk),
    Row("read-only for 1 to 5 s", read_only),
    Row("labels' folder moved away for 1 to 5 s", moved_away),
    Row(RESTARTED, restarted_database, database="PostgreSQL"),
    Row("SIGKILL of one of two servers on one folder", kills, servers=2),
    Row("SIGKILL of one of two servers behind a proxy", kills, servers=2, database="PostgreSQL", proxy=True),
    Row("clocks of browsers and server jump by an hour", clocks),
    Row("page reloaded, connection cut", reloads),
    Row("eight hours of one tester", a_shift, testers=("ann",)),
)


def main() -> None:
    """Prints the table."""
    print("## Endurance: labels while everything else breaks\n")
    print(
        f"Two testers of one team, {A_SECOND:g} keys a second each. Their browsers have no screen; outbox and sender are the\n"
        "surface's own JavaScript, run by Node, and speak to real servers over web sockets. Each answer follows from what was\n"
        "on the screen, so that an answer on a wrong input shows. *Lost*: acknowledged, and not in the database in the end;\n"
        "*twice*: one key stored twice, or a second answer of the same tester; *wrong*: stored on another input, or another\n"
        f"answer, than the key's; *left*: still in a browser {SETTLED_WITHIN:.0f} s after the last fault.\n"
        f"Seed {SEED}: the same moments again.\n"
    )
    print(f"{COLUMNS} |\n{RULE}---|")
    wanted = os.environ.get("ENDURANCE_ROWS", "")
    named = [row for row in ROWS if wanted in row.what and (row.database == "SQLite" or binaries())]
    with ThreadPoolExecutor(AT_ONCE) as some:
        lines = []
        for line in some.map(_in_a_process, named):
            lines.append(line)
            print(line, flush=True)
    print(
        "\nA full disk is a limit on the size of the server's files (RLIMIT_FSIZE): it writes up to the limit and no further."
    )
    print(f"The eight hours are {SHIFT:,} keys, one in three seconds, pressed {QUICK:g} times a second.\n")
    print(_longer_runs(lines))


def _longer_runs(lines: Sequence[str]) -> str:
    """The rows of this run with as many faults as ``LONG`` asks for, and of the others what the last such run left."""
    head = (
        f"{LONGER}\n\n`ENDURANCE_KILLS=1000 ENDURANCE_MINUTES=60 ENDURANCE_SECONDS=600 python -m benchmarks endurance`"
    )
    found = {_cells_of(line)[0]: line for line in earlier(LONGER).splitlines() if line.startswith("|")}
    for line in lines:
        what, faults, *_ = _cells_of(line)
        if faults.isdigit() and int(faults) >= LONG.get(what, sys.maxsize):
            found[what] = f"{line.rstrip('| ')} | {date.today()} |"
    kept = [found[what] for what in LONG if what in found]
    return "\n".join([f"{head} repeats their moments.\n", f"{COLUMNS} measured on |", f"{RULE}---|", *kept])


def _cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def _in_a_process(row: Row) -> str:
    command = [sys.executable, "-m", "benchmarks.endurance", row.what]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    return (
        done.stdout.strip()
        if not done.returncode
        else f"| {row.what} | failed: {done.stderr.strip().splitlines()[-1]:.200} |"
    )


# One row


async def played(row: Row) -> str:
    """Its line of the table."""
    moments, ports = random.Random(f"{SEED} {row.what}"), random.Random()
    begun = time.monotonic()
    with _database(row) as (url, place, postgresql), tempfile.TemporaryDirectory(prefix="testimate-project-") as folder:
        environment = {
            "LABELING_DATABASE": url,
            "LABELING_BUDGET": "40000",
            "LABELING_TEAM": "yes",
            "TESTIMATE_TEAM": "yes",
        }
        environment |= {"TESTIMATE_DATABASE": url, "TESTIMATE_PROJECT": folder, "LABELING_CLOCK": str(place / "clock")}
        new_session(url, "srs", 40_000, 1)
        apps = [App(PAGE, _lasting_port(ports), environment) for _ in range(row.servers)]
        for app in apps:
            start(app)
        world = World(place, apps, [], moments, postgresql)
        proxy = await asyncio.start_server(_spread(apps), "127.0.0.1", 0) if row.proxy else None
        port = _ports(apps, moments) if proxy is None else lambda: int(proxy.sockets[0].getsockname()[1])
        world.testers += [LastingTester(name, port) for name in row.testers]
        for tester in world.testers:
            await tester.open()
        pressing = asyncio.create_task(_press(world))
        try:
            faults = await row.disturb(world)
            await asyncio.sleep(2)
            pressing.cancel()
            until = time.monotonic() + SETTLED_WITHIN
            while any(tester.waiting for tester in world.testers) and time.monotonic() < until:
                await asyncio.sleep(0.1)
            for tester in world.testers:
                await tester.close()
        finally:
            for app in apps:
                app.kill()
        if proxy is not None:
            proxy.close()
        cells = _cells(world, url)
    says = ", ".join(f"{value:.0f} {name}" for name, value in world.says.items())
    return f"| {row.what} | {faults} | {cells} | {(time.monotonic() - begun) / 60:.1f} | {says} |"


async def _press(world: World) -> None:
    """Each tester a key, again and again, not in step."""
    while True:
        for tester in world.testers:
            tester.press()
            await asyncio.sleep(1 / world.rate / len(world.testers))


def _ports(apps: list[App], moments: random.Random) -> Callable[[], int]:
    return lambda: moments.choice(apps).port


def _spread(apps: list[App]) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
    """A proxy that gives each connection to the next server, or to the one after where that is down."""
    turn = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal turn
        for _ in apps:
            turn += 1
            try:
                inner, outer = await asyncio.open_connection("127.0.0.1", apps[turn % len(apps)].port)
                break
            except OSError:
                continue
        else:
            writer.close()
            return
        await asyncio.gather(_pump(reader, outer), _pump(inner, writer))

    return serve


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    writer.close()


@contextmanager
def _database(row: Row) -> Iterator[tuple[str, Path, PostgresqlServer | None]]:
    """The URL of an empty database, the folder it is in, and its server."""
    with tempfile.TemporaryDirectory(prefix="testimate-labels-") as folder:
        place = Path(folder, "labels")
        place.mkdir()
        if row.database == "SQLite":
            yield f"sqlite:///{place}/labels.sqlite", place, None
            return
        programs, data = binaries(), Path(folder, "data")
        assert programs is not None
        Path(folder).chmod(0o755)  # the server's own user has to pass
        data.mkdir()
        server = PostgresqlServer(data, programs)
        server.start(durable=True)
        try:
            yield f"{server.url}/postgres", place, server
        finally:
            server.stop()


def _cells(world: World, url: str) -> str:
    """What the testers saw, beside what is in the database."""
    store = SqlStore(url)
    events = [event for event in store.history("s") if event.kind == "answer"]
    store.close()
    pressed = {id: key for tester in world.testers for id, key in tester.pressed.items()}
    settled = {id for tester in world.testers for id in tester.settled}
    refused = {id for tester in world.testers for id in tester.refused}
    stored = {event.id: event for event in events}
    lost = settled - stored.keys()
    answered = Counter((event.tester, event.row) for event in events)
    twice = {of: count for of, count in answered.items() if count > 1}
    wrong = {
        id: event
        for id, event in stored.items()
        if id not in pressed or (event.row, event.answer) != pressed[id][:2] or event.answer != true_answer(event.row)
    }
    left = sum(tester.waiting for tester in world.testers)
    errors = sum(len(tester.errors) for tester in world.testers)
    for words in sorted({words for tester in world.testers for words in tester.errors}):
        print(words, file=sys.stderr)
    for name, found in {"lost": [pressed.get(id) for id in lost], "twice": twice, "wrong": wrong}.items():
        if found:
            print(f"{name}: {found}", file=sys.stderr)
    again = len(events) - len(stored) + sum(twice.values()) - len(twice)
    counts = [len(pressed), len(settled), len(stored), len(lost), again, len(wrong), len(refused), left, errors]
    return " | ".join(map(str, counts))


def _bound_by_rights() -> None:
    """The superuser may write anything; what is started from here may not (Linux)."""
    for right in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        ctypes.CDLL(None).prctl(24, right, 0, 0, 0)


if __name__ == "__main__":
    _bound_by_rights()
    print(asyncio.run(played(next(one for one in ROWS if one.what == sys.argv[1]))))
