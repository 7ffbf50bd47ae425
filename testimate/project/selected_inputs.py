"""Inputs that a reviewer selected: chosen by what is known of them, summed up, named, and labeled in part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.session_record import HALF_WIDTH, SessionRecord
from testimate.core.words import spaced
from testimate.labels.notes import COLUMN, Selection
from testimate.project.clusters import ClusterView
from testimate.project.project import Project
from testimate.selectors.following import OfSelection
from testimate.session.session import Session
from testimate.tasks.classification import Classification

MINORITY = -1
"""The minority space, where clusters are named by their numbers."""

FAULTS = ("any", "labeled", "not labeled", "wrong", "right")


@dataclass(frozen=True)
class Summary:
    """What a selection holds.

    Attributes
    ----------
    size : inputs in it, n; ``share`` : of all inputs, 0..1.
    predicted : the predicted classes and their counts, the commonest first; empty where there are none.
    clusters : the clusters and their counts, the largest part first; ``MINORITY`` for the minority space.
    mean_confidence : 0..1, or None.
    labeled, right : inputs with a tester's answer, and those of them that are right.
    known_accuracy : where the truth is known, 0..1 (1 - mean outcome), else None.
    """

    size: int
    share: float
    predicted: tuple[tuple[str, int], ...]
    clusters: tuple[tuple[int, int], ...]
    mean_confidence: float | None
    labeled: int
    right: int
    known_accuracy: float | None


def summary_of(rows: NDArray[np.intp], view: ClusterView, inputs: Inputs, losses: NDArray[np.float64]) -> Summary:
    """Summarizes the rows; ``losses`` : (N,) by the testers' answers, nan where nobody has labeled."""
    labels, counts = np.unique(view.labels[rows], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    found = losses[rows][np.isfinite(losses[rows])]
    known = inputs.losses
    return Summary(
        size=len(rows),
        share=len(rows) / len(inputs),
        predicted=_predicted(rows, inputs),
        clusters=tuple((int(labels[place]), int(counts[place])) for place in order),
        mean_confidence=None if inputs.confidence is None or not len(rows) else float(inputs.confidence[rows].mean()),
        labeled=len(found),
        right=len(found) - int(inputs.task.failed(found).sum()),
        known_accuracy=None if known is None or not len(rows) else float(1 - inputs.task.outcomes(known[rows]).mean()),
    )


def _predicted(rows: NDArray[np.intp], inputs: Inputs) -> tuple[tuple[str, int], ...]:
    task = inputs.task
    if not isinstance(task, Classification) or inputs.predictions.ndim != 1:
        return ()
    counts = np.bincount(inputs.predictions[rows], minlength=len(task.classes))
    order = np.argsort(-counts, kind="stable")
    return tuple((task.classes[place], int(counts[place])) for place in order if counts[place])


@dataclass(frozen=True)
class Filter:
    """The conditions inputs have to meet, all of those that are given.

    ``classes`` : places of predicted classes, () for all. ``confidence`` : least and most, 0..1. ``clusters`` : numbers,
    ``MINORITY`` among them, () for all. ``fault`` : one of ``FAULTS``, by testers' answers and, where it is known, the
    truth. ``column``, ``values`` : of the tags, "" for none.
    """

    classes: Sequence[int] = ()
    confidence: tuple[float, float] = (0.0, 1.0)
    clusters: Sequence[int] = ()
    fault: str = "any"
    column: str = ""
    values: Sequence[str] = ()


def filtered(
    wanted: Filter,
    view: ClusterView,
    inputs: Inputs,
    losses: NDArray[np.float64],
    tags: Mapping[str, NDArray[np.object_]],
) -> NDArray[np.intp]:
    """The rows that meet all conditions, ascending; empty if none does.

    ``losses`` : (N,), nan where nothing is known. BadInput for a column that is not there.
    """
    kept = np.ones(len(inputs), dtype=bool)
    if wanted.classes:
        kept &= np.isin(inputs.predictions, list(wanted.classes))
    if inputs.confidence is not None:
        least, most = wanted.confidence
        kept &= (inputs.confidence >= least) & (inputs.confidence <= most)
    if wanted.clusters:
        kept &= np.isin(view.labels, list(wanted.clusters))
    if wanted.fault != "any":
        known = np.isfinite(losses)
        failed = np.zeros(len(inputs), dtype=bool)
        failed[known] = inputs.task.failed(losses[known])
        kept &= {"labeled": known, "not labeled": ~known, "wrong": failed, "right": known & ~failed}[wanted.fault]
    if wanted.column:
        if wanted.column not in tags:
            raise BadInput(
                f"There is no column {wanted.column!r:.60} here; expected one of {', '.join(tags) or 'none'}. Choose another."
            )
        kept &= np.isin(tags[wanted.column], list(wanted.values))
    return np.flatnonzero(kept)


def keep_selection(
    project: Project, subject: str, rows: Sequence[int], name: str, *, tester: str, column: str = ""
) -> Selection:
    """Names the rows, so that the name is their value in a column; raises as ``Selections.keep`` does."""
    kept = Selection(subject, column.strip() or COLUMN, name.strip(), tuple(map(int, rows)), tester, _now())
    project.selections.keep(kept, size=len(project.inputs(subject)))
    return kept


def take_back_selection(project: Project, selection: Selection, *, tester: str) -> None:
    """The rows lose the name, and the column no longer holds it; what was kept stays in the store."""
    project.selections.take_back(selection, tester=tester, at=_now())


def label_some(
    project: Project,
    subject: str,
    rows: Sequence[int],
    count: int,
    *,
    called: str,
    seed: int,
    labeled: Sequence[int] = (),
    like: SessionRecord | None = None,
    half_width: float = HALF_WIDTH,
) -> Session:
    """A new session over ``count`` of the rows, drawn at random from those that are not ``labeled`` yet.

    The labeled ones among the rows are stored with it as known, so that its labels represent all of the rows. ``like``
    : a session whose team, question, colours, level and way to show predictions it takes over. ``half_width`` : 0..1,
    at which one may stop. BadInput where fewer are left.
    """
    done = set(labeled)
    left = [int(row) for row in rows if row not in done]
    known = [int(row) for row in rows if row in done]
    if count < 1 or count > len(left):
        raise BadInput(
            f"{spaced(count)} inputs were to be labeled and {spaced(len(left))} of the selection have no label yet; "
            "expected 1 to that many. Choose fewer, or a larger selection."
        )
    return project.start_session(
        subject,
        Request(OfSelection.name, count, seed, options={"rows": left, "called": called, "known": known}),
        half_width=half_width,
        level=0.95 if like is None else like.level,
        show_prediction=like is not None and like.show_prediction,
        votes_per_input=None if like is None else like.votes_per_input,
        question="" if like is None else like.question,
        rubric="" if like is None else like.rubric,
        reasons="never" if like is None else like.reasons,
        colours=None if like is None else like.colours,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
