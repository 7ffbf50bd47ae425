"""What a lead does with the team: pause, take inputs back, assign sessions, give instructions, and say something to all."""

from collections.abc import Callable, Sequence
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.stored_record import time_now
from testimate.labels.sql_store import SqlStore
from testimate.labels.testers import TeamDesk, TeamWord, TeamWordKind, TeamWords, Testers
from testimate.session.session import Session


class Team:
    """The lead's desk of a project.

    ``sessions`` : call that gives those held open by this process; what a lead said elsewhere reaches them at the next look.
    """

    def __init__(self, store: SqlStore, testers: Testers, sessions: Callable[[], Sequence[Session]]) -> None:
        self._store, self._testers, self._sessions = store, testers, sessions
        self._words = TeamWords(store)
        self._followed = TeamDesk()

    def desk(self) -> TeamDesk:
        """The lead's decisions now in force.

        Anyone paused since the last look, or whose inputs were taken back, loses their open inputs by this call.
        """
        desk = self._words.desk()
        before, self._followed = self._followed, desk
        for member, word in desk.held_up.items():
            if before.held_up.get(member) != word:
                for session in self._sessions():
                    session.give_back(member)
        return desk

    def pause(self, member: str, lead: str) -> None:
        """The member gets no inputs until a lead lets them go on; BadInput where there is none of that name."""
        self._say("paused", lead, member=self._checked(member))
        self._store.give_up_turns(member)

    def take_back(self, member: str, lead: str) -> int:
        """Gives the member's open inputs to others and returns how many they were; the member gets new ones on request.

        BadInput where there is none of that name.
        """
        paused = self._words.desk().held_up.get(self._checked(member))
        if paused is None or paused.kind != "paused":
            self._say("taken back", lead, member=member)
        return self._store.give_up_turns(member)

    def go_on(self, member: str, who: str) -> None:
        """The member gets inputs again; ``who``: a lead, or the member whose inputs were taken back.

        BadInput where there is no member of that name, or a member who was paused says so themselves.
        """
        held_up = self._words.desk().held_up.get(self._checked(member))
        if held_up is not None and held_up.kind == "paused" and who == member and held_up.tester != who:
            raise BadInput(f"{held_up.tester} has paused you; only a lead can end that. Ask your lead.")
        self._say("goes on", who, member=member)

    def assign(self, session: str, names: Sequence[str], lead: str) -> None:
        """Only these members label the session from now on; everybody where ``names`` is empty. BadInput for unknown ones."""
        self._check_session(session)
        chosen = tuple(dict.fromkeys(self._checked(name) for name in names))
        self._say("assigned", lead, session=session, names=chosen)

    def instruct(self, session: str, text: str, lead: str) -> None:
        """What testers read while they label the session; "" takes it away. BadInput where it is too long."""
        self._check_session(session)
        self._say("instructions", lead, session=session, text=text.strip())

    def tell_all(self, text: str, lead: str) -> None:
        """What everybody reads on the Label page; "" takes it away. BadInput where it is too long."""
        self._say("message", lead, text=text.strip())

    def _checked(self, member: str) -> str:
        if self._testers.find(member) is None:
            raise BadInput(f"There is no tester {member!r:.60} in the team. List them first.")
        return member

    def _check_session(self, session: str) -> None:
        if self._store.record(session).votes_per_input is None:
            raise BadInput(
                f"The session {session!r:.80} is labeled by one person; expected one that a team labels. Choose another."
            )

    def _say(self, kind: TeamWordKind, who: str, **about: Any) -> None:
        self._words.keep(TeamWord(kind, who, time_now(), **about))
