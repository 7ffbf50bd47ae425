"""Which of several compared models is best by the labels already kept for their inputs, without new ones.

A few more labels for versions: top-ups to earlier plans, and one sample that serves several models.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from testimate.comparison import compared_predictions
from testimate.comparison.differences import level_of_pair
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.session_record import SessionRecord
from testimate.core.words import commas
from testimate.planning.reused_labels import LabeledPlan, Reused, as_other, judged_classes, renumbered, reuse_labels
from testimate.planning.top_up import MOST_MODELS, Purpose, shared_sample, top_up
from testimate.project.kept_labels import keep_labels_of, labeled_plans
from testimate.project.project import Project
from testimate.project.versions import inputs_in, inputs_of_versions, other_of_version, versions_of
from testimate.selectors.following import SharedSample, TopUp
from testimate.session.session import Session


@dataclass(frozen=True, eq=False)
class JudgedModel:
    """A compared model by the labels kept: its name, and its accuracy with the difference of the first one from it.

    The difference is that of the model with the highest estimate, minus this one's accuracy; None of that model itself.
    """

    model: str
    accuracy: Reused
    first_minus_this: Reused | None


@dataclass(frozen=True, eq=False)
class KeptContest:
    """Compared models by the labels kept, the highest estimate first; ``level`` shared among the rivals of a model."""

    models: tuple[JudgedModel, ...]
    labels: int
    level: float


def kept_contest(project: Project, key: str, *, level: float = 0.95) -> KeptContest | None:
    """What labels of the same inputs say about the models of a comparison; None where no plan of these inputs has labels.

    Each model's interval is at ``level``. The differences from the first are at ``level_of_pair``, so that the best one is
    ruled out with a chance of at most 1 - level, although the first is found by the same labels: it can be ruled out by its
    rivals alone. Raises BadInput for more than ten models, and for a model that predicts a class nobody could answer.
    """
    classes, plans = _plans(project, key)
    if not plans:
        return None
    compared = compared_predictions(project.inputs(key))
    if len(compared.models) > MOST_MODELS:
        raise BadInput(
            f"{commas(len(compared.models))} models are compared; labels that are there already judge at most {MOST_MODELS} at "
            "once, because the best of many looks better than it is. Compare fewer."
        )
    known = [renumbered(_of_model(project.inputs(key), place), classes) for place in range(len(compared.models))]
    single = [
        reuse_labels(one, plans, others=[as_other(other) for other in known if other is not one], level=level)
        for one in known
    ]
    order = np.argsort([-one.estimate.accuracy for one in single], kind="stable").tolist()
    first, shared = known[order[0]], level_of_pair(level, len(known))
    judged = [JudgedModel(compared.models[order[0]], single[order[0]], None)]
    for place in order[1:]:
        others = [as_other(other) for other in known if other is not known[place]]
        gap = reuse_labels(first, plans, against=known[place], others=others, level=shared)
        judged.append(JudgedModel(compared.models[place], single[place], gap))
    rows = {row for one in plans for row, cell in one.votes.items() if cell}
    return KeptContest(tuple(judged), len(rows), level)


def state_of_kept(project: Project, key: str) -> Hashable:
    """What ``kept_contest`` depends on: where it is the same, so is what it says."""
    mine = {one.key for one in versions_of(project, _owner(project, key))}
    return key, tuple((one.id, project.store.count(one.id)) for one in project.sessions() if one.subject in mine)


def _plans(project: Project, key: str) -> tuple[tuple[str, ...], list[LabeledPlan]]:
    """The classes that were answered in, and the plans with labels of the inputs that the comparison is about."""
    owner = _owner(project, key)
    if owner == key:
        return (), []
    for one in versions_of(project, owner):
        keep_labels_of(project, one.key)
    dataset = project.dataset_of(key)
    plans = labeled_plans(project.known_labels.plans(dataset), project.known_labels.of(dataset))
    return judged_classes(plans, [project.inputs(key).task.classes]), plans


def _owner(project: Project, key: str) -> str:
    """The subject by which the comparison shows its inputs; itself where it has only its table."""
    return project.shows_inputs_of(key) or key


def _of_model(inputs: Inputs, place: int) -> Inputs:
    """One compared model's predictions as inputs of their own."""
    compared = compared_predictions(inputs)
    return Inputs(f"{inputs.fingerprint} {place}", inputs.task, compared.labels[:, place])


def start_top_up(project: Project, key: str, purpose: Purpose, count: int, *, level: float = 0.95) -> Session:
    """A new session over ``count`` more inputs, for a version's accuracy or its difference from the one before.

    Raises BadInput where fewer inputs are left, or where there is no earlier plan or version.
    """
    versions = versions_of(project, key)
    for one in versions:
        keep_labels_of(project, one.key)
    dataset = project.dataset_of(key)
    drawn = project.known_labels.plans(dataset)
    plans = labeled_plans(drawn, project.known_labels.of(dataset))
    if not plans:
        raise BadInput(
            "No label was drawn by a plan yet, so there is nothing to add to. Expected an earlier plan with labels. Plan "
            "the first labels on the Plan page."
        )
    known = inputs_of_versions(project, versions, plans)
    mine = known[key]
    if not isinstance(mine, Inputs):
        raise BadInput(mine)
    others = [one for one in versions if one.key != key and not one.knew_labels and isinstance(known[one.key], Inputs)]
    place = [one.key for one in versions].index(key)
    earlier = [one for one in versions[:place] if one in others]
    against = earlier[-1] if earlier else None
    if purpose == "difference" and against is None:
        raise BadInput("There is no earlier version to compare with. Expected two. Add the other one first.")
    seed = sum(is_top_up(record) for record in project.sessions()) + 1
    as_models = [other_of_version(known, one) for one in others]
    plan = top_up(
        mine,
        plans,
        count,
        purpose=purpose,
        seed=seed,
        against=None if against is None else inputs_in(known, against.key),
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


def is_top_up(record: SessionRecord) -> bool:
    """Whether the session adds a few labels to earlier plans, and has no estimate of its own."""
    return record.request.technique == TopUp.name


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
