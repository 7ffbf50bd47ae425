"""What a reviewer says a cluster is: found again with the clustering, or wherever a cluster holds the same inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from testimate.core.words import spaced
from testimate.labels.notes import ClusterNote, ClusterNotes

if TYPE_CHECKING:  # what finds clusters takes a second to load, and a report needs none of it
    from testimate.project.clusters import ClusterCard, ClusterView


@dataclass(frozen=True)
class CardNote:
    """The note on one card, as it is shown.

    Attributes
    ----------
    note : as it was written, of this clustering or of another one whose cluster holds the same inputs.
    beware : that the cluster no longer holds the inputs it held then, in a sentence; "" where it does.
    """

    note: ClusterNote
    beware: str

    @property
    def text(self) -> str:
        """The note as it was written: its first line is the cluster's name. Untrusted text."""
        return self.note.text

    @property
    def name(self) -> str:
        """What the cluster is called: the note's first line, at most 60 characters."""
        first = self.text.strip().splitlines()[0].strip()
        return first if len(first) <= LONGEST_NAME else f"{first[: LONGEST_NAME - 1].rstrip()}…"


LONGEST_NAME = 60
"""Characters."""


def notes_on(view: ClusterView, notes: Sequence[ClusterNote]) -> dict[int, CardNote]:
    """The notes on this view's cards, by the card's number; one written on the clustering itself comes first.

    A note from other settings is shown where a card holds exactly the inputs it was written about; of several, the
    newest.
    ``notes`` : the newest first.
    """
    found = {}
    for note in notes:
        if note.clustering == view.fingerprint and note.cluster < len(view.cards):
            card = view.cards[note.cluster]
            beware = "" if card.members == note.members else _changed(note.size, len(card.rows))
            found[note.cluster] = CardNote(note, beware)
    holding = {card.members: card.number for card in view.cards}
    for note in notes:
        if note.members in holding:
            found.setdefault(holding[note.members], CardNote(note, ""))
    return found


def notes_elsewhere(view: ClusterView, notes: Sequence[ClusterNote]) -> list[ClusterNote]:
    """The subject's notes that stand on no card of this view, the newest first."""
    shown = [one.note for one in notes_on(view, notes).values()]
    return [note for note in notes if note.clustering != view.fingerprint and note not in shown]


def called(view: ClusterView, number: int, notes: Mapping[int, CardNote]) -> str:
    """What a card is called, untrusted text: "cluster 3", or "cluster 3: loops" where a note names it."""
    plain = f"{view.group} {number + 1}"
    return f"{plain}: {notes[number].name}" if number in notes else plain


def write_note(
    notes: ClusterNotes, view: ClusterView, card: ClusterCard, text: str, *, subject: str, tester: str
) -> None:
    """Keeps what was written about the card; an empty text takes the note back. Raises as ``ClusterNotes.write`` does.

    A note that came from other settings is written, or taken back, where it stands: there is one note on the same inputs.
    """
    new = ClusterNote(
        subject=subject,
        clustering=view.fingerprint,
        cluster=card.number,
        text=text.strip(),
        tester=tester,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        members=card.members,
        size=len(card.rows),
        settings=asdict(view.settings),
    )
    there = notes_on(view, notes.of(subject)).get(card.number)
    if there is not None and there.note.clustering != view.fingerprint:
        old = there.note
        new = replace(new, clustering=old.clustering, cluster=old.cluster, settings=old.settings)
    notes.write(new)


def _changed(then: int, now: int) -> str:
    return (
        f"When this was written the cluster held other inputs ({spaced(then)} then, {spaced(now)} now): see whether it still "
        "holds."
    )
