"""The team: who belongs to it, how it logs in, and what leads say to it.

How often passwords may be tried, so that guessing is hopeless, locks no member out and costs the server little.
"""

import hashlib
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Literal

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from testimate.core.errors import BadInput
from testimate.core.session_record import Role, Tester
from testimate.core.stored_record import time_now
from testimate.core.visible_text import check_line, check_text
from testimate.core.words import commas
from testimate.labels.database import LOGIN_TRIES, LOGINS, TEAM_WORDS, TESTERS, TURNS
from testimate.labels.sql_store import SqlStore

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


SHORTEST_PASSWORD, LONGEST_PASSWORD, LONGEST_NAME = 8, 1000, 100

LOGIN_SECONDS = 12 * 3600.0
"""How long a browser stays logged in."""

KNOWN_SECONDS = 90 * 24 * 3600.0
"""How long a browser is known as one in which a member has logged in, so that what strangers try does not keep them out."""

_HASHER = PasswordHasher()


class Testers:
    """The team of a store. Passwords are kept only as argon2 hashes, what browsers show for a login only as a hash too."""

    def __init__(self, store: SqlStore, clock: Callable[[], float] = time.time) -> None:
        self._store, self._clock = store, clock

    def add(self, name: str, password: str | None, role: Role = "tester") -> Tester:
        """A new member; without a password one whom an identity provider knows by that name.

        BadInput where the name is taken or no name, or the password is too short.
        """
        _check_name(name)
        if password is not None:
            _check_password(password)
        tester = Tester(name, role, time_now())
        hashed = "" if password is None else _HASHER.hash(password)
        row = {"name": name, "role": role, "password_hash": hashed, "created": tester.created}
        with self._store.transaction(writes=True) as connection:
            if connection.scalar(select(TESTERS.c.name).where(TESTERS.c.name == name)) is not None:
                raise BadInput(f"There is already a tester {name!r}; each needs a name of their own. Choose another.")
            connection.execute(insert(TESTERS), row)
        return tester

    def new_password(self, name: str, password: str) -> None:
        """The member logs in with this one from now on, and is logged out everywhere; what they said stays.

        BadInput where there is none of that name, or the password is too short or too long.
        """
        _check_password(password)
        changed = update(TESTERS).where(TESTERS.c.name == name).values(password_hash=_HASHER.hash(password))
        with self._store.transaction(writes=True) as connection:
            if connection.execute(changed).rowcount == 0:
                raise BadInput(f"There is no tester {name!r:.60} in the team. List them first.")
            connection.execute(delete(LOGINS).where(LOGINS.c.tester == name))

    def remove(self, name: str) -> None:
        """The member can no longer log in; their answers stay. BadInput if there is no member of that name."""
        with self._store.transaction(writes=True) as connection:
            if connection.execute(delete(TESTERS).where(TESTERS.c.name == name)).rowcount == 0:
                raise BadInput(f"There is no tester {name!r:.60} in the team. List them first.")
            # another person may come under that name
            connection.execute(delete(TEAM_WORDS).where(TEAM_WORDS.c.member == name))
            connection.execute(delete(TURNS).where(TURNS.c.tester == name))

    def list(self) -> list[Tester]:
        """Every member, by name."""
        columns = (TESTERS.c.name, TESTERS.c.role, TESTERS.c.created)
        with self._store.transaction() as connection:
            return [Tester(*row) for row in connection.execute(select(*columns).order_by(TESTERS.c.name))]

    def find(self, name: str) -> Tester | None:
        """The member of that name, as one known to an identity provider is found; None where there is none."""
        return next((tester for tester in self.list() if tester.name == name), None)

    def check(self, name: str, password: str, *, browser: str = "", address: str = "") -> Tester | None:
        """The member whose name and password these are; None otherwise, after as long a time.

        ``browser`` : the token that this browser kept of its last login, if any. ``address`` : where it is. Tries are counted
        for each name together with the browser it is known in, or else with the address: wrong passwords from elsewhere keep
        nobody out. Raises BadInput, whatever the password, after too many wrong ones or while too many are checked.
        """
        known = self._known(browser, name)
        tries = LoginTries(self._store, _hash(f"{name}\n{browser if known else address}"), self._clock)
        tries.count(stranger=not known)
        with checked_in_turn():
            found = self._verified(name, password)
        if found is not None:
            tries.forget()
        return found

    def _known(self, browser: str, name: str) -> bool:
        """Whether that member logged in with this browser within the last months, and was not removed since."""
        if not browser:
            return False
        asked = (LOGINS.c.token_hash == _hash(browser), LOGINS.c.tester == name)
        with self._store.transaction() as connection:
            return connection.scalar(select(LOGINS.c.tester).where(*asked)) is not None

    def _verified(self, name: str, password: str) -> Tester | None:
        nobodys = _nobodys_hash()  # whoever it is: the first answer of a process takes longer for all names alike
        with self._store.transaction() as connection:
            found = connection.execute(select(TESTERS).where(TESTERS.c.name == name)).mappings().one_or_none()
        kept = nobodys if found is None else str(found["password_hash"])
        try:
            _HASHER.verify(kept, password[:LONGEST_PASSWORD])
        except (VerificationError, InvalidHashError):
            return None
        return None if found is None else Tester(found["name"], found["role"], found["created"])

    # Browsers

    def open_login(self, tester: Tester) -> str:
        """A new token by which a browser is logged in as this member from now on: 43 letters that nobody can guess."""
        token, now = secrets.token_urlsafe(32), self._clock()
        with self._store.transaction(writes=True) as connection:
            connection.execute(delete(LOGINS).where(LOGINS.c.until <= now - KNOWN_SECONDS))
            row = {"token_hash": _hash(token), "tester": tester.name, "until": now + LOGIN_SECONDS}
            connection.execute(insert(LOGINS), row)
        return token

    def logged_in(self, token: str) -> Tester | None:
        """The member whom a browser with this token belongs to; None where it was closed, expired or never existed."""
        columns = (TESTERS.c.name, TESTERS.c.role, TESTERS.c.created)
        asked = (LOGINS.c.token_hash == _hash(token), LOGINS.c.until > self._clock())
        with self._store.transaction() as connection:
            found = connection.execute(select(*columns).join(LOGINS).where(*asked)).one_or_none()
        return None if found is None else Tester(*found)

    def close_login(self, token: str) -> None:
        """The token no longer logs anyone in; it only shows that this browser is known."""
        ended = update(LOGINS).where(LOGINS.c.token_hash == _hash(token), LOGINS.c.until > self._clock())
        with self._store.transaction(writes=True) as connection:
            connection.execute(ended.values(until=self._clock()))


@cache
def _nobodys_hash() -> str:
    """Verified for names that are not there, so that the time an answer takes does not show who is a member."""
    return _HASHER.hash("the password of nobody")  # 0.1 s, which an app without a login need not wait for


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def _check_password(password: str) -> None:
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise BadInput(
            f"The password has {len(password)} characters. Expected {SHORTEST_PASSWORD} to {commas(LONGEST_PASSWORD)}. "
            "Choose another."
        )


def _check_name(name: str) -> None:
    check_line(name, "name", LONGEST_NAME)
    if name.strip() != name:
        raise BadInput(f"The name is {name!r:.60}. Expected no space at either end. Take it out.")


LONGEST_TEXT = 4_000
"""Characters of instructions or of a message: as much as people read before labeling."""

TeamWordKind = Literal["paused", "taken back", "goes on", "assigned", "instructions", "message"]


@dataclass(frozen=True)
class TeamWord:
    """One word of a lead; a tester whose inputs were taken back says "goes on" themselves.

    Attributes
    ----------
    kind : what was said.
    tester, at : who said it and when, ISO 8601 in UTC.
    session : its id, of "assigned" and "instructions"; "" of the others.
    member : whom "paused", "taken back" and "goes on" are about; "" of the others.
    text : instructions or a message, untrusted text; "" takes the earlier one away.
    names : of "assigned", who labels the session; nobody in particular where it is empty, and then everybody does.
    """

    kind: TeamWordKind
    tester: str
    at: str
    session: str = ""
    member: str = ""
    text: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class TeamDesk:
    """What counts now.

    Attributes
    ----------
    held_up : member -> the word that paused them or took their inputs back.
    assigned : session -> who labels it; sessions that everybody labels are absent.
    instructions : session -> the word that holds them.
    message : the word that holds it; None where there is none.
    """

    held_up: Mapping[str, TeamWord] = field(default_factory=dict)
    assigned: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    instructions: Mapping[str, TeamWord] = field(default_factory=dict)
    message: TeamWord | None = None

    def may_label(self, member: str, session: str) -> bool:
        """Whether the member may label the session."""
        names = self.assigned.get(session)
        return names is None or member in names


class TeamWords:
    """The words in a label store; append-only, safe between threads and processes as the store is."""

    def __init__(self, store: SqlStore) -> None:
        self._store = store
        self._known: tuple[tuple[int | None, int], TeamDesk] | None = None

    def keep(self, word: TeamWord) -> None:
        """Keeps the word, which counts from now on.

        Raises BadInput if the text is too long or does not show, StoreUnavailable if it could not be made durable; then
        nothing is kept.
        """
        check_text(word.text, "text", LONGEST_TEXT)
        with self._store.transaction(writes=True) as connection:
            connection.execute(insert(TEAM_WORDS), {**asdict(word), "names": list(word.names)})

    def desk(self) -> TeamDesk:
        """What counts now; as cheap as a count while nobody has said anything since the last look."""
        with self._store.transaction() as connection:
            last, count = connection.execute(select(func.max(TEAM_WORDS.c.sequence), func.count())).one()
            known = self._known
            if known is not None and known[0] == (last, count):
                return known[1]
            rows = connection.execute(select(TEAM_WORDS).order_by(TEAM_WORDS.c.sequence)).mappings().all()
        words = [TeamWord(**{name: row[name] for name in TeamWord.__dataclass_fields__}) for row in rows]
        desk = _desk_of(words)
        self._known = (last, count), desk
        return desk


def _desk_of(words: list[TeamWord]) -> TeamDesk:
    """What counts of these words, oldest first."""
    held_up: dict[str, TeamWord] = {}
    assigned: dict[str, tuple[str, ...]] = {}
    instructions: dict[str, TeamWord] = {}
    message: TeamWord | None = None
    for word in words:
        if word.kind in ("paused", "taken back"):
            held_up[word.member] = word
        elif word.kind == "goes on":
            held_up.pop(word.member, None)
        elif word.kind == "assigned":
            assigned[word.session] = tuple(word.names)
        elif word.kind == "instructions":
            instructions[word.session] = word
        else:
            message = word
    return TeamDesk(
        held_up,
        {session: names for session, names in assigned.items() if names},
        {session: word for session, word in instructions.items() if word.text},
        message if message is not None and message.text else None,
    )
