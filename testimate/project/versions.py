"""Versions of a model: subjects on the same inputs, each judged by every label those have, and top-ups that tell more."""

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput, TestimateError
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.selector import Request
from testimate.core.session_record import SessionRecord
from testimate.core.subject import Subject
from testimate.core.task import Classification
from testimate.labels.known_labels import DrawnPlan, KnownLabel
from testimate.planning.class_numbers import renumbered
from testimate.planning.moved_classes import MovedClass, moved_classes
from testimate.planning.other_models import agrees_by_chance
from testimate.planning.reused_labels import LabeledPlan, Reused, reuse_labels
from testimate.planning.shared_sample import shared_sample
from testimate.planning.top_up import Purpose, top_up
from testimate.project.kept_labels import labeled_plans, standing_labels
from testimate.project.project import Project
from testimate.project.version_records import VersionFacts
from testimate.selectors.shared_sample import SharedSample
from testimate.selectors.top_up import TopUp
from testimate.session.session import Session

NO_PLAN = "No plan has labels enough for an estimate yet. Plan the first ones on the Plan page, or label on."

KNEW_LABELS = (
    "Labels of these inputs trained or chose it, so it looks better on them than it is; no number is shown. Label inputs "
    "that it has not seen."
)


@dataclass(frozen=True)
class Version:
    """A subject as a version of a model: its key, its name for people, its place, and whether labels trained or chose it."""

    key: str
    name: str
    place: int
    knew_labels: bool


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
    """

    version: Version
    before: str
    reused: Reused | None
    why: str
    truth: float | None
    worse: tuple[int, ...] = ()
    better: tuple[int, ...] = ()
    earlier: str = ""


@dataclass(frozen=True, eq=False)
class History:
    """Versions on the same inputs, in order, and what is known of these inputs.

    Attributes
    ----------
    versions : as judged. labels : what each labeled input is, by row. plans : by which they were drawn.
    imported, agreeing : labels brought from elsewhere on inputs that a plan drew, too, and those of them that say the same.
    """

    versions: tuple[JudgedVersion, ...]
    labels: dict[int, KnownLabel]
    plans: tuple[LabeledPlan, ...]
    imported: int
    agreeing: int


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
    """By which versions are sorted: the place somebody gave it, else when its first session was begun; then its name."""
    return facts.place == 0, facts.place, begun or "9", name


def can_be_version(subject: Subject) -> bool:
    """Whether old labels can judge the subject: one class per input, and one model."""
    single = isinstance(subject.task, Classification) and subject.task.top_k == 1
    return single and not (subject.inputs is not None and subject.inputs.compared)


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
            f"{other.name!r:.60} predicts a class that {subject.name!r:.60} does not have, first for input {strange[0]}; "
            "expected its classes, because nobody could have answered another one. Name them alike, or add it as a subject of "
            "its own."
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


def history_of(project: Project, key: str, *, only: Collection[str] | None = None, level: float = 0.95) -> History:
    """The versions on the subject's inputs, judged by the labels that the sessions of all of them gave.

    ``only`` : keys of those to judge, because each costs a part of a second; all of them where None.
    """
    versions = versions_of(project, key)
    for one in versions:
        project.keep_labels_of(one.key)
    dataset = project.dataset_of(key)
    labels, drawn = project.known_labels.of(dataset), project.known_labels.plans(dataset)
    plans = labeled_plans(drawn, labels)
    standing = standing_labels(labels)
    classes = _classes(drawn, plans)
    known = _known_inputs(project, versions, classes)
    usable = [one for one in versions if not one.knew_labels and isinstance(known[one.key], Inputs)]
    judged = []
    for one in (one for one in versions if only is None or one.key in only):
        earlier = usable[: usable.index(one)] if one in usable else []
        before = earlier[-1] if earlier else None
        judged.append(_judged(project, one, before, usable, known, plans, standing, level))
    drawn_rows = {label.row: label.answer for label in labels if label.source == "drawn"}
    brought = [label for label in labels if label.source == "imported" and drawn_rows.get(label.row) is not None]
    return History(
        tuple(judged),
        standing,
        tuple(plans),
        len(brought),
        sum(label.answer == drawn_rows[label.row] for label in brought),
    )


def classes_moved(project: Project, history: History, one: JudgedVersion, level: float = 0.95) -> list[MovedClass]:
    """Its accuracy by predicted class, beside that of the version before; nothing where it has none or no number."""
    if not one.earlier or one.reused is None:
        return []
    dataset = project.dataset_of(one.version.key)
    classes = _classes(project.known_labels.plans(dataset), history.plans)
    assert classes is not None, "a version with a number has plans"
    old, new = (renumbered(project.inputs(key), classes) for key in (one.earlier, one.version.key))
    return moved_classes(old, new, history.plans, level)


def start_top_up(project: Project, key: str, purpose: Purpose, count: int, *, level: float = 0.95) -> Session:
    """A new session over ``count`` more inputs, for a version's accuracy or its difference from the one before.

    Raises BadInput where fewer inputs are left, or where there is no earlier plan or version.
    """
    versions = versions_of(project, key)
    for one in versions:
        project.keep_labels_of(one.key)
    dataset = project.dataset_of(key)
    drawn = project.known_labels.plans(dataset)
    plans = labeled_plans(drawn, project.known_labels.of(dataset))
    if not plans:
        raise BadInput(
            "No label was drawn by a plan yet, so there is nothing to add to; expected an earlier plan with labels. Plan "
            "the first labels on the Plan page."
        )
    classes = _classes(drawn, plans)
    known = _known_inputs(project, versions, classes)
    mine = known[key]
    if not isinstance(mine, Inputs):
        raise BadInput(mine)
    others = [one for one in versions if one.key != key and not one.knew_labels and isinstance(known[one.key], Inputs)]
    place = [one.key for one in versions].index(key)
    earlier = [one for one in versions[:place] if one in others]
    against = earlier[-1] if earlier else None
    if purpose == "difference" and against is None:
        raise BadInput("There is no earlier version to compare with; expected two. Add the other one first.")
    seed = sum(is_top_up(record) for record in project.sessions()) + 1
    as_models = [_as_other(known, one) for one in others]
    plan = top_up(
        mine,
        plans,
        count,
        purpose=purpose,
        seed=seed,
        against=None if against is None else _inputs(known, against.key),
        others=as_models,
    )
    options = {
        "rows": [draw.row for draw in plan.draws[:count]],
        "plan": plan.to_json(),
        "purpose": purpose,
    }
    latest = next((record for record in project.sessions() if record.subject in {one.key for one in versions}), None)
    team = latest is not None and latest.votes_per_input is not None
    request = Request(TopUp.name, budget=count, seed=seed, options=options)
    return project.start_session(key, request, level=level, votes_per_input=1 if team else None)


def shared_request(project: Project, keys: Sequence[str], budget: int, seed: int) -> Request:
    """The request for one sample that serves several subjects on the same inputs, the session's own first.

    Raises BadInput as ``shared_sample``, where one of them is on other inputs, or predicts a class the first does not have.
    """
    first = project.inputs(keys[0])
    dataset = project.dataset_of(keys[0])
    strange = next((key for key in keys if project.dataset_of(key) != dataset), None)
    if strange is not None:
        raise BadInput(
            f"{project.subject(strange).name!r:.60} is on other inputs than {project.subject(keys[0]).name!r:.60}; one sample "
            "serves models on the same dataset. Choose these."
        )
    models = [renumbered(project.inputs(key), first.task.classes) for key in keys]
    drawn = shared_sample(models, budget, seed)
    return Request(SharedSample.name, budget=budget, seed=seed, options={**drawn, "models": list(keys)})


def shared_models(record: SessionRecord) -> tuple[str, ...]:
    """The subjects that a session's sample is for; none where it is for its own alone."""
    return tuple(record.request.options["models"]) if record.request.technique == SharedSample.name else ()


def is_top_up(record: SessionRecord) -> bool:
    """Whether the session adds a few labels to earlier plans, and has no estimate of its own."""
    return record.request.technique == TopUp.name


def recognised(project: Project, key: str) -> list[tuple[Version, int]]:
    """The other versions on the subject's inputs, and how many inputs were labeled by sessions of each; empty where none."""
    if not can_be_version(project.subject(key)):
        return []
    others = [one for one in versions_of(project, key) if one.key != key]
    for one in others:
        project.keep_labels_of(one.key)
    plans = project.known_labels.plans(project.dataset_of(key))
    of_session = {plan.session: plan.subject for plan in plans}
    labels = [label for label in project.known_labels.of(project.dataset_of(key)) if label.answer is not None]
    return [(one, len({label.row for label in labels if of_session.get(label.session) == one.key})) for one in others]


def state_of(project: Project, key: str) -> Hashable:
    """What ``history_of`` depends on: where it is the same, so is the history."""
    versions = versions_of(project, key)
    mine = {one.key for one in versions}
    events = tuple((one.id, project.store.count(one.id)) for one in project.sessions() if one.subject in mine)
    return tuple(versions), events, project.known_labels.count(project.dataset_of(key))


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
    project.delete_subject(key)
    return added


Known = dict[str, Inputs | str]
"""What each version says about the inputs, in the numbering of classes that was answered in; or why that is not known."""


def _known_inputs(project: Project, versions: Sequence[Version], classes: Sequence[str] | None) -> Known:
    found: Known = {}
    for one in versions:
        if project.compute(one.key) is not None:
            found[one.key] = "Its model is still running over the inputs. Look again in a while."
            continue
        try:
            inputs = project.inputs(one.key)
            found[one.key] = inputs if classes is None else renumbered(inputs, classes)
        except TestimateError as error:
            found[one.key] = str(error)
    return found


def _inputs(known: Known, key: str) -> Inputs:
    inputs = known[key]
    assert isinstance(inputs, Inputs)
    return inputs


def _classes(drawn: Sequence[DrawnPlan], plans: Sequence[LabeledPlan]) -> tuple[str, ...] | None:
    """The classes that could be answered in every plan, in the first one's order; None without a plan."""
    if not plans:
        return None
    used = [one.classes for one in drawn]
    return tuple(name for name in used[0] if all(name in other for other in used))


def _as_other(known: Known, one: Version) -> OtherModel:
    inputs = _inputs(known, one.key)
    return OtherModel(one.name, inputs.predictions, inputs.confidence)


def _judged(
    project: Project,
    one: Version,
    before: Version | None,
    usable: Sequence[Version],
    known: Known,
    plans: Sequence[LabeledPlan],
    standing: dict[int, KnownLabel],
    level: float,
) -> JudgedVersion:
    """One version by the labels; a sentence where they give no number."""
    truth = None
    with suppress(TestimateError):
        truth = project.inputs(one.key).known_accuracy if project.compute(one.key) is None else None
    nothing = partial(JudgedVersion, one, "" if before is None else before.name, None, truth=truth)
    if one.knew_labels:
        return nothing(why=KNEW_LABELS)
    inputs = known[one.key]
    if isinstance(inputs, str):
        return nothing(why=inputs)
    if not plans:
        return nothing(why=NO_PLAN)
    earlier = None if before is None else _inputs(known, before.key)
    others = [_as_other(known, other) for other in usable if other not in (one, before)]
    try:
        reused = reuse_labels(inputs, plans, old=earlier, others=others, level=level)
    except TestimateError as error:
        return nothing(why=str(error))
    worse: tuple[int, ...] = ()
    better: tuple[int, ...] = ()
    if earlier is not None:
        rows = np.array([row for row, label in standing.items() if label.answer in inputs.task.classes], dtype=np.intp)
        places = {name: place for place, name in enumerate(inputs.task.classes)}
        true = np.array([places[str(standing[row].answer)] for row in rows.tolist()], dtype=np.intp)
        now, then = inputs.predictions[rows] == true, earlier.predictions[rows] == true
        worse, better = _rows(rows[then & ~now]), _rows(rows[now & ~then])
    called, key = ("", "") if before is None else (before.name, before.key)
    return JudgedVersion(one, called, reused, "", truth, worse, better, key)


def _rows(rows: NDArray[np.intp]) -> tuple[int, ...]:
    return tuple(sorted(rows.tolist()))
