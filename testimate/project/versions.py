"""Versions of a model: which subjects are on the same inputs, in which order, and how one joins them."""

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from testimate.core.errors import BadInput, TestimateError
from testimate.core.inputs import OtherModel
from testimate.core.subject import Subject
from testimate.planning.other_models import agrees_by_chance
from testimate.project.deleted_subjects import delete_subject
from testimate.project.kept_labels import keep_labels_of
from testimate.project.project import Project
from testimate.project.version_records import VersionFacts
from testimate.tasks.classification import Classification


@dataclass(frozen=True)
class Version:
    """A subject as a version of a model: its key, its name for people, its place, and whether labels trained or chose it."""

    key: str
    name: str
    place: int
    knew_labels: bool


def versions_of(project: Project, key: str) -> list[Version]:
    """The subjects on the same inputs as this one, itself among them, in their order; it alone where it has no classes.

    They are recognised by the content of their dataset. A subject that does not open is left out.
    """
    dataset, owner = project.dataset_of(key), project.owner_of_inputs(key)
    keys = {key, owner}  # a demo at another level of its shift is no entry
    for entry in project.entries():
        its = project.owner_of_inputs(entry.key)
        if its != owner and not (its.startswith("own-") and owner.startswith("own-")):
            continue  # another demo, or a table: only what was added to it is on its inputs
        with suppress(TestimateError):
            if can_be_version(project.subject(entry.key)) and project.dataset_of(entry.key) == dataset:
                keys.add(entry.key)
    begun = {record.subject: record.created for record in project.sessions()}  # newest first, so the earliest stays
    found = []
    for one in keys:
        facts = project.version_facts.of(one)
        version = Version(one, facts.name or project.subject(one).name, facts.place, facts.knew_labels)
        found.append((place_in_order(facts, begun.get(one), version.name), version))
    return [version for _, version in sorted(found, key=lambda pair: pair[0])]


def place_in_order(facts: VersionFacts, begun: str | None, name: str) -> tuple[bool, int, str, str]:
    """The key that orders versions: the place somebody gave one, else when its first session was begun; then its name."""
    return facts.place == 0, facts.place, begun or "9", name


def can_be_version(subject: Subject) -> bool:
    """Whether old labels can judge the subject: one class per input, and one model."""
    single = isinstance(subject.task, Classification) and subject.task.top_k == 1
    return single and not (subject.inputs is not None and subject.inputs.compared)


def recognised(project: Project, key: str) -> list[tuple[Version, int]]:
    """The other versions on the subject's inputs, and how many inputs were labeled by sessions of each; empty where none."""
    if not can_be_version(project.subject(key)):
        return []
    others = [one for one in versions_of(project, key) if one.key != key]
    for one in others:
        keep_labels_of(project, one.key)
    plans = project.known_labels.plans(project.dataset_of(key))
    of_session = {plan.session: plan.subject for plan in plans}
    labels = [label for label in project.known_labels.of(project.dataset_of(key)) if label.answer is not None]
    return [(one, len({label.row for label in labels if of_session.get(label.session) == one.key})) for one in others]


def add_version(project: Project, key: str, other: OtherModel) -> Subject:
    """A new subject of what another model predicts for the inputs of this one, placed behind the versions there are.

    Raises BadInput where old labels cannot judge this kind of task, and where the model predicts a class that this one does
    not have, which nobody could have answered.
    """
    subject = project.subject(key)
    if not can_be_version(subject):
        raise BadInput(
            f"{subject.name!r:.60} is not a model with one class per input, and old labels judge only these; expected such a "
            "subject. Open one."
        )
    strange = np.flatnonzero(other.predictions < 0)
    if strange.size:
        raise BadInput(
            f"{other.name!r:.60} predicts a class that {subject.name!r:.60} does not have, first for input "
            f"{strange[0]}; expected its classes, because no other could have been answered. Use the same names, or "
            "add it as a subject of its own."
        )
    if agrees_by_chance(project.inputs(key), other.predictions):
        raise BadInput(
            f"{other.name!r:.60} agrees with {subject.name!r:.60} about as often as by chance: its rows may be in another "
            "order, or of other inputs. Add a column 'key' to both tables."
        )
    there = versions_of(project, key)
    for place, one in enumerate(there, start=1):
        if one.place != place:
            project.version_facts.keep(
                one.key, VersionFacts(project.version_facts.of(one.key).name, place, one.knew_labels)
            )
    added = project.keep_version(key, other)
    project.version_facts.keep(added.key, VersionFacts("", len({*(one.key for one in there), added.key}), False))
    return added


@dataclass(frozen=True)
class SameKeys:
    """A table of the project whose rows have the keys of another one's: its key and name, and the share predicted alike."""

    key: str
    name: str
    agreement: float


def table_with_the_same_keys(project: Project, key: str) -> SameKeys | None:
    """The table whose inputs this one's seem to be, by their keys; of several the one with most labels. None where none is.

    They have to predict the same more often than by chance: whole numbers as keys are the same in any two tables.
    """
    if not key.startswith("table-") or not can_be_version(project.subject(key)):
        return None
    planned = Counter(record.subject for record in project.sessions())
    if planned[key]:
        return None  # it has labels of its own
    found = []
    for entry in project.entries():
        if entry.key == key or not entry.key.startswith("table-") or not planned[entry.key]:
            continue
        with suppress(TestimateError):
            if not can_be_version(project.subject(entry.key)) or not project.columns.same_keys(entry.key, key):
                continue
            inputs, said = project.inputs(entry.key), project.others.read_from_table(entry.key, key).predictions
            if not agrees_by_chance(inputs, said):
                agreement = float((said == inputs.predictions).mean())
                found.append((planned[entry.key], SameKeys(entry.key, entry.name, agreement)))
    return max(found, key=lambda one: one[0], default=(0, None))[1]


def become_version(project: Project, key: str, of: str) -> Subject:
    """A table without sessions becomes a version on the inputs of another table, its rows matched by their keys.

    BadInput as ``add_version``; then nothing has changed.
    """
    added = add_version(project, of, project.others.read_from_table(of, key))
    delete_subject(project, key)
    return added
