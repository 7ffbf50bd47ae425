"""The parts of a subject's inputs that reviewers named, clusters and selections, with what labels say about each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from testimate.core.errors import BadInput
from testimate.project.cluster_settings import settings_of
from testimate.project.project import Project
from testimate.session.session import Session


@dataclass(frozen=True)
class NamedPart:
    """Inputs under a name.

    Attributes
    ----------
    what : "cluster 3" or the column of a selection; ``text`` : the name, or the whole note; untrusted text.
    size : inputs in it. ``labeled``, ``right`` : of these by the session's answers, explored ones included; None where the
        clusters would have to be found first.
    tester, at : who named it and when, ISO 8601 in UTC.
    """

    what: str
    text: str
    size: int
    labeled: int | None
    right: int | None
    tester: str
    at: str


def named_parts(project: Project, session: Session) -> list[NamedPart]:
    """The notes on clusters, then the selections that were kept, the newest first."""
    subject, inputs = session.session_record.subject, session.inputs
    answers = {**session.explored(), **session.answers()}
    failed = dict(zip(answers, inputs.task.failed(inputs.losses_of(answers)).tolist(), strict=True))

    def counts(rows: Sequence[int]) -> tuple[int, int]:
        found = [failed[row] for row in rows if row in failed]
        return len(found), len(found) - sum(found)

    parts = []
    for note in project.cluster_notes.of(subject):
        try:
            view = project.clusters_if_found(subject, settings_of(note.settings))
        except BadInput:  # settings of another version
            view = None
        card = next((card for card in view.cards if card.members == note.members), None) if view else None
        labeled, right = (None, None) if card is None else counts(np.asarray(card.rows).tolist())
        parts.append(
            NamedPart(f"cluster {note.cluster + 1}", note.text, note.size, labeled, right, note.tester, note.at)
        )
    for one in project.selections.of(subject):
        labeled, right = counts(one.rows)
        parts.append(NamedPart(one.column, one.name, len(one.rows), labeled, right, one.tester, one.at))
    return parts
