"""What a reviewer says a cluster is: written under the clustering's name, found again with it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from testimate.core.rounding import spaced
from testimate.labels.cluster_notes import ClusterNote, ClusterNotes
from testimate.project.clusters import ClusterCard, ClusterView


@dataclass(frozen=True)
class CardNote:
    """The note on one card, as it is shown.

    Attributes
    ----------
    text, tester, at : as written.
    beware : that the cluster no longer holds the inputs it held then, in a sentence; "" where it does.
    """

    text: str
    tester: str
    at: str
    beware: str


def notes_on(view: ClusterView, notes: Sequence[ClusterNote]) -> dict[int, CardNote]:
    """The notes on this view's cards, by the card's number."""
    found = {}
    for note in notes:
        if note.clustering == view.fingerprint and note.cluster < len(view.cards):
            card = view.cards[note.cluster]
            beware = "" if card.members == note.members else _changed(note.size, len(card.rows))
            found[note.cluster] = CardNote(note.text, note.tester, note.at, beware)
    return found


def notes_elsewhere(view: ClusterView, notes: Sequence[ClusterNote]) -> list[ClusterNote]:
    """The subject's notes that are on clusters of other settings, the newest first."""
    return [note for note in notes if note.clustering != view.fingerprint]


def write_note(
    notes: ClusterNotes, view: ClusterView, card: ClusterCard, text: str, *, subject: str, tester: str
) -> None:
    """Keeps what was written of the card; an empty text takes the note back. Raises as ``ClusterNotes.write`` does."""
    notes.write(
        ClusterNote(
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
    )


def _changed(then: int, now: int) -> str:
    return (
        f"When this was written the cluster held other inputs ({spaced(then)} then, {spaced(now)} now): see whether it still "
        "holds."
    )
