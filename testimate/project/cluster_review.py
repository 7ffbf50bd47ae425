"""What reviewers say about clusters and selections, found again by their inputs, and what labels say about each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput, TestimateError
from testimate.core.inputs import Inputs
from testimate.core.stored_record import time_now
from testimate.core.words import commas, first_line
from testimate.labels.notes import ClusterNote, ClusterNotes
from testimate.planning.parts import (
    MOST_VALUES,
    Grouping,
    Trait,
    crossed,
    grouping_of_numbers,
    grouping_of_words,
    traits_of_column,
    traits_of_grouping,
    traits_of_inputs,
    traits_of_numbers,
)
from testimate.project.cluster_settings import settings_of, suited_settings
from testimate.project.project import Project
from testimate.session.session import Session

if TYPE_CHECKING:
    from testimate.project.clusters import ClusterCard, ClusterView
    from testimate.tables.cells import Column


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
        first = first_line(self.text.strip()).strip()
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
        at=time_now(),
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
        f"When this was written the cluster held other inputs ({commas(then)} then, {commas(now)} now): see whether it still "
        "holds."
    )


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


NEIGHBORS = 6
CHUNK = 4_096
"""Rows of features that are read at a time."""


@dataclass(frozen=True)
class Alike:
    """An input like another one: its ``row``, and its Euclidean ``distance`` in the features, 0 and above."""

    row: int
    distance: float


def distances_to(row: int, features: NDArray[np.float32]) -> NDArray[np.float64]:
    """The Euclidean distance of each of the (N, width) features from those of the row, (N,)."""
    one = np.asarray(features[row], dtype=np.float64)
    parts = [
        np.linalg.norm(np.asarray(features[start : start + CHUNK], dtype=np.float64) - one, axis=1)
        for start in range(0, len(features), CHUNK)
    ]
    return np.concatenate(parts)


def neighbors(row: int, distances: NDArray[np.float64], count: int = NEIGHBORS) -> list[Alike]:
    """The nearest inputs without itself, the nearest first; of equally near ones the one with the smaller row."""
    order = np.argsort(distances, kind="stable")
    return [Alike(int(other), float(distances[other])) for other in order[: count + 1] if other != row][:count]


def nearest_prototype(
    predicted: int, row: int, view: ClusterView, inputs: Inputs, distances: NDArray[np.float64]
) -> Alike | None:
    """The prototype nearest to the input among those that are predicted as this class; None where there is none."""
    stand = [
        int(one)
        for card in view.cards
        for one in card.prototypes
        if one != row and inputs.predictions[one] == predicted
    ]
    if not stand:
        return None
    best = min(stand, key=lambda one: (distances[one], one))
    return Alike(best, float(distances[best]))


CLUSTER, FOLDER = "cluster", "folder"

Columns = Mapping[str, Callable[[], Grouping]]
"""By name, in the order they are offered; a call raises BadInput where the column groups nothing."""


def can_be_sliced(session: Session) -> bool:
    """Whether the session is about the whole set, and its accuracy a share."""
    return session.selector.design.size == len(session.inputs) and session.inputs.task.measure.is_share


def columns_of(project: Project, session: Session) -> Columns:
    """What every subject has, then the columns of its table that play no role, tags, and clusters once they are found.

    Nothing in them gives away an answer: a table's labels and outcomes are no columns to slice by.
    """
    return columns_of_subject(project, session.session_record.subject, session.inputs) if can_be_sliced(session) else {}


def columns_of_subject(project: Project, key: str, inputs: Inputs) -> Columns:
    """As ``columns_of``, for a subject on which no session was started."""
    found: dict[str, Callable[[], Grouping]] = {**of_predictions(inputs)}

    def add(name: str, made: Callable[[], Grouping], otherwise: str) -> None:
        found[name if name not in found else f"{name} ({otherwise})"] = made

    for name, column in project.columns.further(key).items():
        add(name, partial(_of_column, column), "column")
    for name, cells in project.columns.tags(key).items():
        add(name, partial(grouping_of_words, name, [str(one) for one in cells]), "tag")
    if folders := folders_of(inputs):
        add(FOLDER, partial(grouping_of_words, FOLDER, folders), "of the file")
    if (clusters := _clusters(project, key, inputs)) is not None:
        add(CLUSTER, lambda: clusters, "of the features")
    return found


def of_predictions(inputs: Inputs) -> Columns:
    """The predicted class, or bands of the predicted number, and bands of the confidence."""
    found: dict[str, Callable[[], Grouping]] = {}
    if inputs.single_class:
        found["predicted class"] = partial(_predicted, inputs, inputs.task.classes)
    elif inputs.task.numeric:
        numbers = np.asarray(inputs.predictions, dtype=np.float64)
        found["predicted number"] = partial(grouping_of_numbers, "predicted number", numbers)
    if inputs.confidence is not None:
        found["confidence"] = partial(grouping_of_numbers, "confidence", inputs.confidence.round(3))
    return found


def grouping_by(columns: Columns, first: str, second: str | None = None) -> Grouping:
    """The slices of one column, or the pairs of two; BadInput where it groups nothing."""
    one = columns[first]()
    return one if second is None or second == first else crossed(one, columns[second]())


def traits_of(project: Project, session: Session, descriptions: bool = True) -> list[Trait]:
    """The columns in which weak spots are searched for: the same ones, and simple descriptions of pictures, texts and sounds.

    Tags are left out: whoever made one may have seen labels, and parts made from labels cannot be measured by the same
    labels. So is a column that cannot be sliced by. ``descriptions`` : whether to look at each input for them, which
    may take minutes the first time.
    """
    key, inputs = session.session_record.subject, session.inputs
    if not can_be_sliced(session):
        return []
    own, tags = of_predictions(inputs), project.columns.tags(key)
    columns = {
        name: made
        for name, made in columns_of(project, session).items()
        if name not in own and name.removesuffix(" (tag)") not in tags
    }
    return traits_of_inputs(inputs) + _traits_of_columns(project, key, columns, descriptions)


def naming_traits(project: Project, key: str, inputs: Inputs, descriptions: bool) -> list[Trait]:
    """What clusters may be named by besides predictions: columns, tags and, with ``descriptions``, those of each input.

    The folders of files are left out, because they may be what the inputs are.
    """
    left_out = (*of_predictions(inputs), FOLDER, CLUSTER)
    columns = {
        name: made
        for name, made in columns_of_subject(project, key, inputs).items()
        if name.partition(" (")[0] not in left_out
    }
    return _traits_of_columns(project, key, columns, descriptions)


def _traits_of_columns(project: Project, key: str, columns: Columns, descriptions: bool) -> list[Trait]:
    """Those of columns that can be sliced by, then those of the descriptions of each input."""
    found: list[Trait] = []
    numeric = project.columns.further(key)
    for name, made in columns.items():
        column = numeric.get(name)
        if column is not None and column.is_numeric:
            found += traits_of_numbers(name, column.values)
            continue
        try:
            found += traits_of_grouping(made())
        except BadInput:
            continue
    for name, values in project.columns.descriptions(key).items() if descriptions else ():
        found += traits_of_column(name, values)
    return found


def _predicted(inputs: Inputs, classes: tuple[str, ...]) -> Grouping:
    groups = inputs.predictions.astype(np.intp)
    there = np.unique(groups)  # a class that is never predicted is no slice
    names = tuple(classes[place] for place in there.tolist())
    return Grouping("predicted class", names, np.searchsorted(there, groups).astype(np.intp))


def _of_column(column: Column) -> Grouping:
    if column.is_numeric:
        return grouping_of_numbers(column.name, column.values)
    return grouping_of_words(column.name, column.texts.to_pylist())


def folders_of(inputs: Inputs) -> list[str]:
    """The folders of files that lie in several, where these are not what the inputs are; else none."""
    if inputs.names is None or inputs.truth is not None:
        return []
    found = [name.rpartition("/")[0] for name in inputs.names]
    return found if 1 < len(set(found)) <= MOST_VALUES else []


def _clusters(project: Project, key: str, inputs: Inputs) -> Grouping | None:
    """The clusters where they are found already, by the names that notes give them; the minority space last."""
    if not inputs.features:
        return None
    try:
        view = project.clusters_if_found(key, suited_settings(inputs))
    except TestimateError:
        return None
    if view is None:
        return None
    notes = notes_on(view, project.cluster_notes.of(key))
    names = [called(view, card.number, notes).removeprefix("cluster ") for card in view.cards]
    groups = np.where(view.labels < 0, len(names), view.labels).astype(np.intp)
    return Grouping(CLUSTER, (*names, "minority space") if (view.labels < 0).any() else tuple(names), groups)
