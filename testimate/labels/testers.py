"""Who belongs to the team: names, roles and the hashes of their passwords, beside the labels."""

import hashlib
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, insert, select, update

from testimate.core.errors import BadInput
from testimate.core.session_record import Role, Tester
from testimate.core.visible_text import check_line
from testimate.core.words import spaced
from testimate.labels.login_tries import LoginTries, checked_in_turn
from testimate.labels.sql_store import SqlStore
from testimate.labels.tables import LOGINS, TEAM_WORDS, TESTERS, TURNS

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
        tester = Tester(name, role, datetime.now(UTC).isoformat(timespec="seconds"))
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
            f"The password has {len(password)} characters; expected {SHORTEST_PASSWORD} to {spaced(LONGEST_PASSWORD)}. "
            "Choose another."
        )


def _check_name(name: str) -> None:
    check_line(name, "name", LONGEST_NAME)
    if name.strip() != name:
        raise BadInput(f"The name is {name!r:.60}. Expected no space at either end. Take it out.")
