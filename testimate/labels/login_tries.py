"""How often passwords may be tried, so that guessing is hopeless, locks no member out and costs the server little."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import delete
from sqlalchemy.dialects import postgresql, sqlite

from testimate.core.errors import BadInput
from testimate.labels.sql_store import SqlStore
from testimate.labels.tables import LOGIN_TRIES

MOST_REFUSALS, REFUSED_SECONDS = 5, 60.0
"""After this many wrong passwords in a row for a name from one place, further tries from there wait this long."""

FORGOTTEN_SECONDS = 3600.0
"""How long the tries of a name are kept after the last one."""

MOST_STRANGERS, STRANGERS_SECONDS = 120, 60.0
"""Most tries in that time, for all names together, from browsers in which nobody has logged in: a class may come at once."""

AT_ONCE, LONGEST_TURN = 2, 20.0
"""Passwords checked at the same time, each with 64 MB and four threads, and the seconds that another waits for its turn."""

_turns = threading.BoundedSemaphore(AT_ONCE)


class RateLimit:
    """At most ``most`` in any ``seconds``; safe to share between threads."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most, self._seconds = most, seconds
        self._lock = threading.Lock()
        self._lately: deque[float] = deque()

    def admits(self, now: float) -> bool:
        """Whether one more may come now; it counts if it may."""
        with self._lock:
            # one farther ahead than the time it counts for is from before the clock was set back
            while self._lately and not -self._seconds < now - self._lately[0] < self._seconds:
                self._lately.popleft()
            if len(self._lately) >= self._most:
                return False
            self._lately.append(now)
            return True


strangers = RateLimit(MOST_STRANGERS, STRANGERS_SECONDS)
"""Tries from browsers in which nobody has logged in, at this server."""


class LoginTries:
    """The passwords tried for a name from one place, of which ``key`` is a hash; safe to use on several servers at once."""

    def __init__(self, store: SqlStore, key: str, clock: Callable[[], float] = time.time) -> None:
        self._store, self._key, self._clock = store, key, clock

    def count(self, *, stranger: bool) -> None:
        """Counts a try before it is known to be wrong, in one statement, so that tries at the same time are all counted.

        ``stranger`` : nobody has logged in with this browser. BadInput where the try may not be made; it is not
        counted then, so the wait also ends for those who go on trying.
        """
        now = self._clock()
        if stranger and not strangers.admits(now):
            raise BadInput("Too many people are logging in at this moment. Wait a minute, and try again.")
        tries, last = LOGIN_TRIES.c.tries, LOGIN_TRIES.c.last
        # A last try farther ahead than a refusal lasts is from before the clock was set back; a little ahead is another
        # server's clock, or a thread that read it later and was here first.
        lately = (last > now - REFUSED_SECONDS) & (last <= now + REFUSED_SECONDS)
        with self._store.transaction(writes=True) as connection:
            insert_or_update = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
            counted = (
                insert_or_update(LOGIN_TRIES)
                .values(name_hash=self._key, tries=1, last=now)
                .on_conflict_do_update(
                    index_elements=[LOGIN_TRIES.c.name_hash],
                    set_={"tries": tries + 1, "last": now},
                    where=~((tries >= MOST_REFUSALS) & lately),
                )
                .returning(tries)
            )
            may_try = connection.scalar(counted) is not None
            connection.execute(delete(LOGIN_TRIES).where(last < now - FORGOTTEN_SECONDS))
        if not may_try:
            raise BadInput(
                f"A password for this name was tried {MOST_REFUSALS} times in a row and was wrong each time. "
                "Wait a minute."
            )

    def forget(self) -> None:
        """The password was right: those before it do not count."""
        with self._store.transaction(writes=True) as connection:
            connection.execute(delete(LOGIN_TRIES).where(LOGIN_TRIES.c.name_hash == self._key))


@contextmanager
def checked_in_turn() -> Iterator[None]:
    """Waits for one of the places in which a password is checked; BadInput where none comes free in time."""
    if not _turns.acquire(timeout=LONGEST_TURN):
        raise BadInput("Many passwords are being checked at this moment. Wait a minute, and try again.")
    try:
        yield
    finally:
        _turns.release()
