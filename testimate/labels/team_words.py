"""What leads say to their team: who pauses, whose inputs go back, who labels which session, instructions and a message."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

from sqlalchemy import func, insert, select

from testimate.core.visible_text import check_text
from testimate.labels.sql_store import SqlStore
from testimate.labels.tables import TEAM_WORDS

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
