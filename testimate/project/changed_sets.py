"""A subject whose inputs hold those of another one and more: a dataset that grew, judged by the labels of both parts.

Other sets of inputs that a subject's may be compared with: its training set, or another subject's with the same classes.
"""

from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import SimpleRandom
from testimate.core.errors import BadInput, TestimateError
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.progress import Progress, silent
from testimate.core.selector import Request
from testimate.core.subject import Subject
from testimate.planning.changed_sets import By, Grown, Reweighted, added_rows, judge_grown, places_of, reweight
from testimate.planning.estimate import EXTENDED
from testimate.planning.plan import Plan
from testimate.planning.reused_labels import LabeledPlan, judged_classes, renumbered
from testimate.project.deleted import delete_subject, is_deletable
from testimate.project.kept_labels import keep_labels_of, labeled_plan, labeled_plans
from testimate.project.project import Project
from testimate.project.selections import is_of_selection, label_some
from testimate.project.version_history import KNEW_LABELS
from testimate.project.versions import add_version, can_be_version
from testimate.session.session import Session

CALLED = "the new inputs"
"""What a session of the inputs that came is drawn from, for people."""

ENOUGH_ALIKE = 0.5
"""Share of a labeled set that has to be in another one before it is mentioned."""


@dataclass(frozen=True, eq=False)
class LabeledPart:
    """Another subject's labeled inputs, found in a set that holds more.

    Attributes
    ----------
    key, name : of that subject. labeled : how many of its inputs have a label.
    places : (N,) row of each of its inputs in the set that grew, -1 where it is gone.
    added : rows of the set that grew which are none of these; empty where inputs are gone.
    """

    key: str
    name: str
    labeled: int
    places: NDArray[np.intp]
    added: NDArray[np.intp]

    @property
    def gone(self) -> int:
        """How many of the part's inputs are missing from the set that grew."""
        return int((self.places < 0).sum())


def labeled_part(project: Project, key: str, progress: Progress = silent) -> LabeledPart | None:
    """The labeled subject whose inputs lie in this one's, by a key that both tables have or by what is shown of them.

    Of several the one with the most labels. At least ``ENOUGH_ALIKE`` of its inputs have to be there, and fewer than this one
    has in all; None where there is none.
    """
    found = []
    mine, here = project.dataset_of(key), project.subject(key)
    for other in {record.subject for record in project.sessions()} - {key}:
        with suppress(TestimateError):
            subject = project.subject(other)
            if not _comparable(subject, here) or project.dataset_of(other) == mine:
                continue
            if not len(subject.dataset) < len(here.dataset):
                continue
            keep_labels_of(project, other)
            rows = {one.row for one in project.known_labels.of(project.dataset_of(other)) if one.answer is not None}
            if rows:
                places = places_of(*project.columns.contents(other, key, progress))
                if (places >= 0).mean() >= ENOUGH_ALIKE:
                    came = np.setdiff1d(np.arange(len(here.dataset)), places) if (places >= 0).all() else places[:0]
                    found.append(LabeledPart(other, subject.name, len(rows), places, came))
    return max(found, key=lambda one: (one.labeled, one.key), default=None)


def _comparable(subject: Subject, other: Subject) -> bool:
    """Whether their inputs may be the same, as far as that is known before any is looked at."""
    kinds = can_be_version(subject) and subject.dataset.modality == other.dataset.modality
    return kinds and bool(set(subject.task.classes) & set(other.task.classes))


@dataclass(frozen=True, eq=False)
class SameInputs:
    """A labeled subject on the very same inputs in another order: its key and name, and the row of each of its inputs."""

    key: str
    name: str
    places: NDArray[np.intp]


def same_in_another_order(project: Project, key: str, progress: Progress = silent) -> SameInputs | None:
    """The labeled subject whose inputs are this one's, each once, in another order; None where there is none.

    A subject with sessions of its own, and one by which others show their inputs, are left as they are.
    """
    planned = {record.subject for record in project.sessions()}
    if key in planned or not is_deletable(project, key):
        return None
    mine, here = project.dataset_of(key), project.subject(key)
    for other in sorted(planned):
        with suppress(TestimateError):
            subject = project.subject(other)
            if not _comparable(subject, here) or project.dataset_of(other) == mine:
                continue
            if len(subject.dataset) == len(here.dataset):
                places = places_of(*project.columns.contents(other, key, progress))
                if (places >= 0).all():
                    return SameInputs(other, subject.name, places)
    return None


def become_ordered_version(project: Project, key: str, same: SameInputs) -> Subject:
    """The subject becomes a version on the inputs of the other one, its predictions put in that order.

    Its predictions are kept under its name, and the subject itself is removed. BadInput as ``add_version``; then
    nothing has changed.
    """
    subject, old = project.subject(key), project.inputs(same.key)
    inputs = renumbered(project.inputs(key), old.task.classes)
    sure = None if inputs.confidence is None else inputs.confidence[same.places]
    added = add_version(project, same.key, OtherModel(subject.name, inputs.predictions[same.places], sure))
    delete_subject(project, key)
    return added


def judged_parts(project: Project, key: str, part: LabeledPart, *, level: float = 0.95) -> Grown:
    """What the labels of both parts say about the subject's model.

    Raises BadInput where inputs of the old part are gone, or labels of these inputs trained or chose the model.
    """
    if project.version_facts.of(key).knew_labels:
        raise BadInput(KNEW_LABELS)
    added_rows(part.places, len(project.subject(key).dataset))
    dataset = project.dataset_of(part.key)
    drawn = project.known_labels.plans(dataset)
    plans = labeled_plans(drawn, project.known_labels.of(dataset))
    inputs = project.inputs(key)
    classes = judged_classes(plans, [inputs.task.classes]) or project.inputs(part.key).task.classes
    added = _labels_of_added(project, key, part)
    old_knew = project.version_facts.of(part.key).knew_labels  # then its predictions depend on the labels
    before = None if old_knew else renumbered(project.inputs(part.key), classes)
    numbered = replace(renumbered(inputs, classes), names=None)
    return judge_grown(numbered, part.places, plans, added, old=before, level=level)


def label_added(project: Project, key: str, part: LabeledPart, count: int) -> Session:
    """A new session over ``count`` of the inputs that came and that no session drew yet, each with the same chance."""
    drawn = [draw.row for one in _sessions_of_added(project, key, part) for draw in one.draws]
    return label_some(
        project,
        key,
        part.added.tolist(),
        count,
        called=CALLED,
        seed=len(drawn) + 1,
        labeled=drawn,
        like=next((record for record in project.sessions() if record.subject == part.key), None),
    )


def left_to_draw(project: Project, key: str, part: LabeledPart) -> int:
    """How many of the inputs that came no session drew yet."""
    return len(part.added) - sum(len(one.draws) for one in _sessions_of_added(project, key, part))


def state_of_parts(project: Project, key: str, part: LabeledPart) -> Hashable:
    """What ``judged_parts`` depends on: where it is the same, so is what it says."""
    counts = tuple(
        (one.id, project.store.count(one.id)) for one in project.sessions() if one.subject in (key, part.key)
    )
    return key, part.key, counts


def _sessions_of_added(project: Project, key: str, part: LabeledPart) -> list[Session]:
    """The sessions that drew from the inputs that came, the first from all of them, each later one from what was left."""
    found, left = [], set(part.added.tolist())
    for record in reversed(project.sessions()):
        drawn_from = record.request.options.get("rows", ())
        if record.subject == key and is_of_selection(record) and left and set(drawn_from) == left:
            session = project.session(record.id)
            session.refresh()
            found.append(session)
            left -= {draw.row for draw in session.draws}
    return found


def _labels_of_added(project: Project, key: str, part: LabeledPart) -> list[LabeledPlan]:
    """The labels of the inputs that came, as one simple random sample of them: what is drawn from the rest goes on with it.

    A second session was decided on after the first was seen, so only the stop-safe interval holds then.
    """
    sessions = _sessions_of_added(project, key, part)
    place = {int(row): at for at, row in enumerate(part.added)}
    draws = [replace(draw, row=place[draw.row]) for one in sessions for draw in one.draws]
    keep_labels_of(project, key)
    given = {one.session_record.id: {draw.row for draw in one.draws} for one in sessions}
    votes = {
        place[one.row]: one.answer or ""
        for one in project.known_labels.of(project.dataset_of(key))
        if one.row in given.get(one.session, ())
    }
    if not any(votes.values()):
        return []
    plan = Plan(
        Request("srs", len(draws), sessions[0].session_record.request.seed),
        "",
        1.0,
        SimpleRandom((len(part.added),), len(draws), aimed_at=sessions[0].planned),
        tuple(draws),
        resolved={EXTENDED: True} if len(sessions) > 1 else {},
    )
    return [labeled_plan(plan, votes, project.subject(key).task.classes)]


TRAINING = "training set"
"""The key of the set that the subject's model was trained on."""


def sets_to_compare(project: Project, key: str) -> dict[str, str]:
    """Names of the sets by key: the subject's training set where available, then subjects with a class in common, those with
    a plan of labels first."""
    found: dict[str, str] = {}
    if project.compute(key) is None and project.inputs(key).training is not None:
        found[TRAINING] = "its training set"
    classes, mine = set(project.subject(key).task.classes), project.dataset_of(key)
    labeled = planned(project)
    others = [entry.key for entry in project.entries() if not entry.demo or entry.key in labeled]
    for other in sorted(others, key=lambda one: one not in labeled):
        with suppress(TestimateError):
            subject = project.subject(other)
            common = classes & set(subject.task.classes)
            if other != key and common and can_be_version(subject) and project.dataset_of(other) != mine:
                found[other] = subject.name
    return found


def planned(project: Project) -> set[str]:
    """The keys of the subjects that have a session."""
    return {record.subject for record in project.sessions()}


def inputs_of_set(project: Project, key: str, other: str) -> Inputs:
    """What is known of that set's inputs. Raises BadInput where its model still runs over them."""
    if other == TRAINING:
        training = project.inputs(key).training
        assert training is not None, "offered only where it is there"
        return training
    if project.compute(other) is not None:
        raise BadInput(
            "The other set's model is still running over its inputs. Expected it done. Try again in a while."
        )
    return project.inputs(other)


def weighted_labels(project: Project, key: str, other: str, by: By) -> Callable[[], Reweighted] | None:
    """A call that weights the labels of another subject to this one's mix; None where that has no labeled plan.

    Raises BadInput where these labels trained or chose the model.
    """
    if other == TRAINING:
        return None
    if any(project.version_facts.of(one).knew_labels for one in (key, other)):
        raise BadInput(KNEW_LABELS)
    keep_labels_of(project, other)
    dataset = project.dataset_of(other)
    drawn = project.known_labels.plans(dataset)
    plans = labeled_plans(drawn, project.known_labels.of(dataset))
    if not plans:
        return None
    inputs = project.inputs(other)
    old = renumbered(inputs, judged_classes(plans, [inputs.task.classes]))
    return partial(reweight, old, plans, project.inputs(key), by=by)
