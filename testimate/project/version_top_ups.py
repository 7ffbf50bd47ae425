"""A few more labels for versions: top-ups to earlier plans, and one sample that serves several models."""

from collections.abc import Sequence

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.session_record import SessionRecord
from testimate.planning.reused_labels import renumbered
from testimate.planning.top_up import Purpose, shared_sample, top_up
from testimate.project.kept_labels import keep_labels_of, labeled_plans
from testimate.project.project import Project
from testimate.project.version_inputs import answered_classes, as_other, inputs_in, inputs_of_versions
from testimate.project.versions import versions_of
from testimate.selectors.following import SharedSample, TopUp
from testimate.session.session import Session


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
            "No label was drawn by a plan yet, so there is nothing to add to; expected an earlier plan with labels. Plan "
            "the first labels on the Plan page."
        )
    classes = answered_classes(drawn, plans)
    known = inputs_of_versions(project, versions, classes)
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
    as_models = [as_other(known, one) for one in others]
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
