"""What happens to servers, databases, disks, clocks and pages while testers label."""

import asyncio
import os
import random
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.labeling_page.lasting_tester import LastingTester
from tests.browser.app_server import App
from tests.postgresql_server import PostgresqlServer

KILLS = int(os.environ.get("ENDURANCE_KILLS", "100"))
SECONDS = float(os.environ.get("ENDURANCE_SECONDS", "60"))
MINUTES = float(os.environ.get("ENDURANCE_MINUTES", "5"))
"""The most that a row of kills may take: on a busy machine a server takes long to start, and there are fewer kills."""
A_SECOND = 4.0
"""Keys of each tester."""
SHIFT = 9_600
"""Keys of eight hours, one in three seconds."""
QUICK = 20.0
"""Keys a second with which they are pressed: the server sees the same messages, only sooner."""


@dataclass
class World:
    """Servers, testers and the database of one row of the table, while it is being disturbed."""

    place: Path
    apps: list[App]
    testers: list[LastingTester]
    moments: random.Random
    postgresql: PostgresqlServer | None = None
    rate: float = A_SECOND
    says: dict[str, Any] = field(default_factory=dict)

    def process(self, number: int = 0) -> int:
        """The process id of a server."""
        process = self.apps[number].process
        assert process is not None
        assert process.pid is not None
        return process.pid

    def rests(self, least: float, most: float) -> Awaitable[None]:
        """A random time, in seconds."""
        return asyncio.sleep(self.moments.uniform(least, most))


Disturb = Callable[[World], Awaitable[int]]


async def kills(world: World) -> int:
    """SIGKILL at a random moment, of a random server, and a start right after; half the time the page is opened again.

    Of five kills four fall into labeling, up to three seconds after the page is there again, one anywhere from the start on.
    """
    times = KILLS if len(world.apps) == 1 else max(1, KILLS // 10)
    until = time.monotonic() + 60 * MINUTES
    for number in range(times):
        if time.monotonic() > until:
            return number
        if world.moments.random() < 0.8:
            await _until_delivered(world)
        await world.rests(0.0, 3.0)
        app = world.moments.choice(world.apps)
        await asyncio.to_thread(app.kill)
        for tester in world.testers:
            tester.deliveries = 0
            if world.moments.random() < 0.5:
                await tester.reload()
        await asyncio.to_thread(start, app)
        if number % 50 == 49:
            keys, settled = (
                sum(map(len, sizes)) for sizes in zip(*((t.pressed, t.settled) for t in world.testers), strict=True)
            )
            print(f"{number + 1} kills, {keys} keys, {settled} acknowledged", file=sys.stderr, flush=True)
    return times


def start(app: App) -> None:
    """As whoever watches over a server does: on a busy machine a start may take longer than it is given."""
    for _ in range(5):
        try:
            app.start()
            return
        except RuntimeError as error:
            print(error, file=sys.stderr, flush=True)
            app.kill()
    app.start()


async def _until_delivered(world: World) -> None:
    """Until a page is there again."""
    until = time.monotonic() + 20
    while not any(tester.deliveries for tester in world.testers) and time.monotonic() < until:
        await asyncio.sleep(0.01)


async def full_disk(world: World) -> int:
    """No byte may be added to any file for some seconds, again and again."""
    return await _by_turns(world, lambda: _most_bytes(world, 4096), lambda: _most_bytes(world, resource.RLIM_INFINITY))


async def read_only(world: World) -> int:
    """Neither the folder nor its files may be written for some seconds, again and again."""
    return await _by_turns(world, lambda: _rights(world, 0o555, 0o444), lambda: _rights(world, 0o755, 0o644))


async def moved_away(world: World) -> int:
    """The folder of the labels gets another name for some seconds, and its own again."""
    aside = world.place.with_name("elsewhere")
    return await _by_turns(world, lambda: world.place.rename(aside), lambda: aside.rename(world.place))


async def restarted_database(world: World) -> int:
    """PostgreSQL is cut off every 20 seconds and comes back after one or two."""
    server = world.postgresql
    assert server is not None
    times = max(1, round(SECONDS / 20))
    for _ in range(times):
        await asyncio.sleep(18)
        await asyncio.to_thread(server.stop)
        await world.rests(1, 2)
        await asyncio.to_thread(lambda: server.start(durable=True))
    return times


async def clocks(world: World) -> int:
    """The clocks of browsers and server jump by an hour, forwards or back, each for itself."""

    def jump() -> None:
        for tester in world.testers:
            tester.set_clock(world.moments.choice([-3600, 0, 3600]))
        (world.place / "clock").write_text(str(world.moments.choice([-3600, 0, 3600])))

    return await _by_turns(world, jump, jump)


async def reloads(world: World) -> int:
    """The page is opened again, or loses its connection, at random moments."""
    times = round(SECONDS / 2)
    for _ in range(times):
        await world.rests(0.1, 1.9)
        tester = world.moments.choice(world.testers)
        await (tester.reload() if world.moments.random() < 0.5 else tester.cut())
    return times


async def a_shift(world: World) -> int:
    """Eight hours of keys in some minutes; what server and browser hold after a tenth of them and at the end."""
    world.rate = QUICK
    [tester] = world.testers
    for share in (0.1, 1.0):
        while len(tester.pressed) < share * SHIFT:
            await asyncio.sleep(0.2)
        world.says[f"MB of the server after {share:.0%}"] = _megabytes(world.process())
        world.says[f"MB of the browser after {share:.0%}"] = await tester.megabytes_held()
    return 0


async def _by_turns(world: World, away: Callable[[], Any], back: Callable[[], Any]) -> int:
    times = max(1, round(SECONDS / 40))
    for _ in range(times):
        await world.rests(1, 5)
        away()
        await world.rests(1, 5)
        back()
    return 2 * times


def _most_bytes(world: World, most: int) -> None:
    """No file of the server may grow beyond that, as where a disk is full; Linux."""
    for number in range(len(world.apps)):
        resource.prlimit(world.process(number), resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))


def _rights(world: World, folder: int, files: int) -> None:
    for file in world.place.iterdir():
        file.chmod(files)
    world.place.chmod(folder)


def _megabytes(process: int) -> float:
    text = Path(f"/proc/{process}/status").read_text()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("VmRSS")) * 1024 / 1e6
