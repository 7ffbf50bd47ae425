"""Other sets of inputs that a subject's may be compared with: its training set, or another subject's with the same classes."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from testimate.core.errors import BadInput, TestimateError
from testimate.core.inputs import Inputs
from testimate.planning.changed_sets import By, Reweighted, reweight
from testimate.planning.reused_labels import renumbered
from testimate.project.kept_labels import keep_labels_of, labeled_plans
from testimate.project.project import Project
from testimate.project.version_history import KNEW_LABELS
from testimate.project.versions import can_be_version

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
            "The other set's model is still running over its inputs; expected it done. Try again in a while."
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
    old = renumbered(project.inputs(other), drawn[0].classes)
    return partial(reweight, old, plans, project.inputs(key), by=by)
