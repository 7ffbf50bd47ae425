"""The history of versions: each judged by every label that its inputs have, and compared with the one before."""

from collections.abc import Collection, Hashable, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from testimate.core.draw import Estimate
from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.progress import Progress, silent
from testimate.core.session_record import SessionRecord
from testimate.labels.notes import KnownLabel
from testimate.planning.changed_sets import MovedClass, moved_classes
from testimate.planning.estimate import Headline
from testimate.planning.reused_labels import LabeledPlan, Reused, renumbered, reuse_labels
from testimate.project.kept_labels import keep_labels_of, labeled_plans, standing_labels
from testimate.project.project import Project
from testimate.project.versions import (
    Known,
    Version,
    classes_of_versions,
    inputs_in,
    inputs_of_versions,
    other_of_version,
    versions_of,
)
from testimate.selectors.following import SecondLookSampling
from testimate.session.session import headline

DEFAULT_LEVEL = 0.95

NO_PLAN = "No plan has enough labels for an estimate yet. Plan the first ones on the Plan page, or label more."


KNEW_LABELS = (
    "It was trained or chosen by labels of these inputs, so it looks better on them than it is; no number is shown. "
    "Label inputs that it has not seen."
)


@dataclass(frozen=True, eq=False)
class OwnSession:
    """What a session says about the version that it was made for, as Label, Results and the report show it.

    ``estimate`` is at the session's own level; ``headline`` says which of its intervals counts.
    """

    record: SessionRecord
    estimate: Estimate
    headline: Headline | None


@dataclass(frozen=True, eq=False)
class JudgedVersion:
    """What the labels of a dataset say about one version.

    Attributes
    ----------
    version : which.
    before : name of the version its difference is from; "" where it is the first.
    reused : its accuracy, and its difference from the one before; None where there is no number.
    why : then, the sentence that says why; else "".
    truth : its accuracy where every answer is known, else None.
    worse, better : labeled rows that it has wrong and the one before had right, and the other way round.
    earlier : key of the one before; "" where it is the first.
    own : the session of this version whose labels are all there are; None where labels of others judge it, too.
    latest : its latest session with an estimate, where that is another number.
    """

    version: Version
    before: str
    reused: Reused | None
    why: str
    truth: float | None
    worse: tuple[int, ...] = ()
    better: tuple[int, ...] = ()
    earlier: str = ""
    own: OwnSession | None = None
    latest: OwnSession | None = None

    @property
    def estimate(self) -> Estimate | None:
        """Its accuracy: by the session's own estimator where the labels are its alone, else by all labels of all plans."""
        source = self.own or self.reused
        return None if source is None else source.estimate

    @property
    def headline(self) -> Headline | None:
        """Which interval of ``estimate`` counts."""
        source = self.own or self.reused
        return None if source is None else source.headline


@dataclass(frozen=True, eq=False)
class History:
    """Versions on the same inputs, in order, and what is known of these inputs.

    Attributes
    ----------
    versions : as judged. labels : what each labeled input is, by row. plans : by which they were drawn.
    imported, agreeing : labels brought from elsewhere on inputs that a plan drew, too, and those of them that say the same.
    level : of the intervals.
    """

    versions: tuple[JudgedVersion, ...]
    labels: dict[int, KnownLabel]
    plans: tuple[LabeledPlan, ...]
    imported: int
    agreeing: int
    level: float = DEFAULT_LEVEL


@dataclass(frozen=True)
class JudgedBy:
    """All that a judged version depends on: its key, the one before it, those that help, the labels as they are, the level."""

    key: str
    before: str | None
    helping: tuple[str, ...]
    labels: Hashable
    level: float


def history_of(
    project: Project,
    key: str,
    *,
    only: Collection[str] | None = None,
    level: float | None = None,
    judged_before: MutableMapping[JudgedBy, JudgedVersion] | None = None,
    progress: Progress = silent,
) -> History:
    """The versions on the subject's inputs, judged by the labels that the sessions of all of them gave.

    Parameters
    ----------
    only : keys of those to judge, because each costs a part of a second; all of them where None.
    level : of the intervals; that of the session where the labels are of one alone, else 0.95, where None.
    judged_before : versions that were judged: one that is there is not judged again, one that is judged is put there, and
        those of other labels go.
    progress : told before each version is judged; what it raises ends the judging.
    """
    versions = versions_of(project, key)
    for one in versions:
        keep_labels_of(project, one.key)
    dataset = project.dataset_of(key)
    labels, drawn = project.known_labels.of(dataset), project.known_labels.plans(dataset)
    plans = labeled_plans(drawn, labels)
    standing = standing_labels(labels)
    known = inputs_of_versions(project, versions, plans)
    usable = [one for one in versions if not one.knew_labels and isinstance(known[one.key], Inputs)]
    if level is None:
        level = _level_of(project, plans)
    judging = _Judging(project, usable, known, tuple(plans), standing, level)
    wanted = [one for one in versions if only is None or one.key in only]
    labels_now = _labels_now(project, versions, dataset)
    kept = {} if judged_before is None else judged_before
    for old in [one for one in kept if one.labels != labels_now]:
        del kept[old]
    judged = []
    for place, one in enumerate(wanted):
        progress(place, len(wanted), f"version {place + 1} of {len(wanted)}: {one.name}")
        before = judging.before(one)
        helping = tuple(each.key for each in usable)  # one that knew the labels is not among them
        by = JudgedBy(one.key, None if before is None else before.key, helping, labels_now, level)
        if by in kept and one in usable:
            judged.append(replace(kept[by], version=one, before="" if before is None else before.name))
            continue
        judged.append(judging.of(one, before))
        if judged[-1].reused is not None:
            kept[by] = judged[-1]
    drawn_rows = {label.row: label.answer for label in labels if label.source == "drawn"}
    brought = [label for label in labels if label.source == "imported" and drawn_rows.get(label.row) is not None]
    return History(
        tuple(judged),
        standing,
        tuple(plans),
        len(brought),
        sum(label.answer == drawn_rows[label.row] for label in brought),
        level,
    )


def _level_of(project: Project, plans: Sequence[LabeledPlan]) -> float:
    """The level of the only session that gave labels, so that its intervals are its own; else the usual one."""
    session = plans[0].session if len(plans) == 1 else ""
    return next((record.level for record in project.sessions() if record.id == session), DEFAULT_LEVEL)


def classes_moved(project: Project, history: History, one: JudgedVersion, level: float = 0.95) -> list[MovedClass]:
    """Its accuracy by predicted class, compared with the version before; empty for the first one, and without a number."""
    if not one.earlier or one.reused is None:
        return []
    classes = classes_of_versions(project, versions_of(project, one.version.key), history.plans)
    old, new = (renumbered(project.inputs(key), classes) for key in (one.earlier, one.version.key))
    return moved_classes(old, new, history.plans, level)


def state_of(project: Project, key: str) -> Hashable:
    """What ``history_of`` depends on: where it is the same, so is the history."""
    versions = versions_of(project, key)
    return tuple(versions), _labels_now(project, versions, project.dataset_of(key))


def _labels_now(project: Project, versions: Sequence[Version], dataset: str) -> Hashable:
    """Other than before wherever a label came, went or changed."""
    mine = {one.key for one in versions}
    events = tuple((one.id, project.store.count(one.id)) for one in project.sessions() if one.subject in mine)
    return events, project.known_labels.count(dataset)


class _Judging:
    """What every version is judged by: those that may help, and the labels."""

    def __init__(
        self,
        project: Project,
        usable: Sequence[Version],
        known: Known,
        plans: Sequence[LabeledPlan],
        standing: dict[int, KnownLabel],
        level: float,
    ) -> None:
        self._project, self._usable, self._known, self._level = project, usable, known, level
        self._plans, self._standing = plans, standing
        self._others: dict[str, OtherModel] = {one.key: other_of_version(known, one) for one in usable}

    def before(self, one: Version) -> Version | None:
        """The version that its difference is from; None where it is the first, or no label may judge it."""
        earlier = self._usable[: self._usable.index(one)] if one in self._usable else []
        return earlier[-1] if earlier else None

    def of(self, one: Version, before: Version | None) -> JudgedVersion:
        """One version by the labels; a sentence where they give no number."""
        truth, project = None, self._project
        with suppress(TestimateError):
            truth = project.inputs(one.key).known_accuracy if project.compute(one.key) is None else None
        nothing = partial(JudgedVersion, one, "" if before is None else before.name, None, truth=truth)
        if one.knew_labels:
            return nothing(why=KNEW_LABELS)
        inputs = self._known[one.key]
        if isinstance(inputs, str):
            return nothing(why=inputs)
        if not self._plans:
            return nothing(why=NO_PLAN)
        earlier = None if before is None else inputs_in(self._known, before.key)
        others = [self._others[other.key] for other in self._usable if other not in (one, before)]
        try:
            reused = reuse_labels(inputs, self._plans, old=earlier, others=others, level=self._level)
        except TestimateError as error:
            return nothing(why=str(error))
        worse, better = ((), ()) if earlier is None else self._changed(inputs, earlier)
        called, key = ("", "") if before is None else (before.name, before.key)
        own, latest = self._own_sessions(one)
        return JudgedVersion(one, called, reused, "", truth, worse, better, key, own, latest)

    def _own_sessions(self, one: Version) -> tuple[OwnSession | None, OwnSession | None]:
        """The version's session whose labels are all there are, and its latest one where that shows another number."""
        alone = self._plans[0].session if len(self._plans) == 1 else ""
        latest: OwnSession | None = None
        for record in self._project.sessions():  # the newest first
            if record.subject != one.key or record.request.technique == SecondLookSampling.name:
                continue
            found = None if latest is not None and record.id != alone else self._estimated(record)
            if found is not None and record.id == alone:
                return found, latest
            latest = latest or found
        return None, latest

    def _estimated(self, record: SessionRecord) -> OwnSession | None:
        """What the session shows of its own inputs; None where that is no estimate of the whole set."""
        with suppress(TestimateError):
            session = self._project.session(record.id)
            session.refresh()
            design = session.selector.design
            if design.at_random and design.size == len(session.inputs):
                estimate = session.estimate()
                return OwnSession(record, estimate, headline(session, estimate))
        return None

    def _changed(self, inputs: Inputs, earlier: Inputs) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The labeled rows that got worse, and those that got better."""
        stored = inputs.task.stored_answer
        answers = {row: stored(label.answer) for row, label in self._standing.items() if label.answer is not None}
        labeled = {row: answer for row, answer in answers.items() if isinstance(answer, int)}
        rows, true = np.array(list(labeled), dtype=np.intp), np.array(list(labeled.values()), dtype=np.intp)
        now, then = inputs.predictions[rows] == true, earlier.predictions[rows] == true
        return _rows(rows[then & ~now]), _rows(rows[now & ~then])


def _rows(rows: NDArray[np.intp]) -> tuple[int, ...]:
    return tuple(sorted(rows.tolist()))
