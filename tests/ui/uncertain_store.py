"""A database whose connection breaks now and then, for stories in which anything may go wrong."""

from typing import Any

from testimate.core.errors import StoreUnavailable
from testimate.labels import SqlStore


class UncertainStore(SqlStore):
    """A database whose connection breaks now and then: after it stored something, or before it is asked for turns."""

    breaks = ""  # at the next call of this method

    def add(self, session: str, events: Any) -> tuple[str, ...]:
        stored = super().add(session, events)
        self.broken("add")
        return stored

    def take_turns(self, *given: Any, **until: Any) -> tuple[int, ...]:
        self.broken("take_turns")
        return super().take_turns(*given, **until)

    def broken(self, method: str) -> None:
        if self.breaks == method:
            self.breaks = ""
            raise StoreUnavailable("The labels cannot be reached (connection lost). Labels need a database. Try again.")
