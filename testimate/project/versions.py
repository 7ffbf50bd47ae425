"""Versions of a model: which subjects are on the same inputs, in which order, what each says, and how one joins them."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from testimate.core.errors import BadInput, TestimateError
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.subject import Subject
from testimate.planning.other_models import agrees_by_chance
from testimate.planning.reused_labels import LabeledPlan, judged_classes, renumbered
from testimate.project.deleted import delete_subject
from testimate.project.kept_labels import keep_labels_of, labeled_plans
from testimate.project.project import Project
from testimate.project.subject_records import VersionFacts
from testimate.project.subjects import SubjectEntry


@dataclass(frozen=True)
class Version:
    """A subject as a version of a model: its key, its name for people, its place, and whether labels trained or chose it."""

    key: str
    name: str
    place: int
    knew_labels: bool


def versions_of(project: Project, key: str) -> list[Version]:
    """The subjects on the same inputs as this one, itself among them, in their order; it alone where it has no classes.

    They are recognized by the content of their dataset. A subject that does not open is left out.
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
    single = subject.task.one_class and subject.task.top_k == 1
    return single and not (subject.inputs is not None and subject.inputs.compared)


def recognized(project: Project, key: str) -> list[tuple[Version, int]]:
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
    not have, unless a label is none of the classes: without it nobody could have answered that.
    """
    subject = project.subject(key)
    if not can_be_version(subject):
        raise BadInput(
            f"{subject.name!r:.60} is not a model with one class per input, and old labels judge only these. Expected one "
            "that is. Open it."
        )
    strange = np.flatnonzero(other.predictions < 0)
    if strange.size > len(other.unknown) or (strange.size and not _none_of_these_was_said(project, key)):
        raise BadInput(
            f"{other.name!r:.60} predicts a class that {subject.name!r:.60} does not have, first for input "
            f"{strange[0]}. Expected its classes, because no other could have been answered. Use the same names, or "
            "add it as a test set of its own."
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


def _none_of_these_was_said(project: Project, key: str) -> bool:
    """Whether a label of these inputs is none of the classes, so that one which a version learned could be told."""
    for one in versions_of(project, key):
        keep_labels_of(project, one.key)
    dataset = project.dataset_of(key)
    plans = labeled_plans(project.known_labels.plans(dataset), project.known_labels.of(dataset))
    return any(one.outside for one in plans)


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


Known = dict[str, Inputs | str]
"""What each version says about the inputs, in the numbering of classes that was answered in; or why that is not known."""


def inputs_of_versions(project: Project, versions: Sequence[Version], plans: Sequence[LabeledPlan]) -> Known:
    """What each of the versions says, numbered as these plans judge; a sentence where it cannot be said."""
    found: Known = {}
    classes = classes_of_versions(project, versions, plans)
    for one in versions:
        if project.compute(one.key) is not None:
            found[one.key] = "Its model is still running over the inputs. Try again in a while."
            continue
        try:
            inputs = project.inputs(one.key)
            found[one.key] = renumbered(inputs, classes) if plans else inputs
        except TestimateError as error:
            found[one.key] = str(error)
    return found


def classes_of_versions(project: Project, versions: Sequence[Version], plans: Sequence[LabeledPlan]) -> tuple[str, ...]:
    """The classes by which labels of these plans judge the versions; see ``judged_classes``."""
    return judged_classes(plans, [project.subject(one.key).task.classes for one in versions])


def inputs_in(known: Known, key: str) -> Inputs:
    """What the version of that key says, where this is known."""
    inputs = known[key]
    assert isinstance(inputs, Inputs)
    return inputs


def other_of_version(known: Known, one: Version) -> OtherModel:
    """The version as another model, which helps to judge the others."""
    inputs = inputs_in(known, one.key)
    return OtherModel(one.name, inputs.predictions, inputs.confidence)


@dataclass(frozen=True)
class FamilyMember:
    """A subject in a list of versions: its entry, and what testers call it."""

    entry: SubjectEntry
    name: str


@dataclass(frozen=True)
class Family:
    """The subjects on the same inputs, in their order; one alone where there is no other."""

    members: tuple[FamilyMember, ...]

    @property
    def name(self) -> str:
        """The name of the inputs: that of the first subject on them."""
        return self.members[0].name


def families(project: Project) -> list[Family]:
    """The subjects that were added, by the data they are on, each family in the order of the page Versions.

    A demo is among them where versions were added to it. Models that were joined with the same dataset's file are on the same
    data; whether they are read alike is seen when they are opened.
    """
    grouped: dict[str, list[SubjectEntry]] = defaultdict(list)
    for entry in project.entries():
        grouped[project.data_named(entry.key)].append(entry)
    begun = {record.subject: record.created for record in project.sessions()}  # newest first, so the earliest stays
    found = []
    for entries in grouped.values():
        if all(one.demo for one in entries):
            continue
        members = []
        for one in entries:
            facts = project.version_facts.of(one.key)
            name = facts.name or one.name
            members.append((place_in_order(facts, begun.get(one.key), name), FamilyMember(one, name)))
        found.append(Family(tuple(member for _, member in sorted(members, key=lambda pair: pair[0]))))
    return sorted(found, key=lambda one: one.name)
