"""Gates between versions of a project that ask until they are decided: begun, continued, and where they stand."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.session_record import SessionRecord
from testimate.planning.margin_gate import POINTS, RISK, Margin, MarginGate, gains_of, gate_plan, is_gate, margin_gate
from testimate.planning.plan import Plan, make_plan, plan_of_json
from testimate.planning.reused_labels import LabeledPlan, renumbered
from testimate.project.kept_labels import keep_labels_of, labeled_plan, standing_labels
from testimate.project.project import Project
from testimate.project.versions import versions_of
from testimate.selectors.following import TopUp
from testimate.session.session import Session

AGAINST = "against"
"""In what a gate's plan resolved: the key of the version that the new one is compared with."""


@dataclass(frozen=True, eq=False)
class GateBetween:
    """A gate between two versions: where it stands, what it is about, and the session that asks, once it is begun."""

    gate: MarginGate
    new: Inputs
    old: Inputs
    gains: Mapping[int, float]
    like: Plan
    record: SessionRecord | None


def gate_between(project: Project, key: str, against: str, margin: Margin) -> GateBetween:
    """Return where the gate stands by all labels of these inputs; one that was begun keeps its margin."""
    for one in versions_of(project, key):
        keep_labels_of(project, one.key)
    new, old = _in_one_numbering(project, key, against)
    labeled = _labeled(project, key)
    gains = gains_of(labeled, new, old)
    record = _begun(project, key, against)
    if record is None:
        plans = [one.plan for one in labeled if not is_gate(one.plan)]
    else:
        plans = [plan_of_session(record)]
        margin = _margin_of(plans[0])
    like = plans[0] if plans else make_plan(old, Request("srs", 1, 1))
    return GateBetween(margin_gate(new, old, gains, plans, margin), new, old, gains, like, record)


def _in_one_numbering(project: Project, *keys: str) -> list[Inputs]:
    """The versions' predictions in one numbering of all their classes."""
    found = [project.inputs(key) for key in keys]
    classes = tuple(dict.fromkeys(name for one in found for name in one.task.classes))
    return [renumbered(one, classes) for one in found]


def _labeled(project: Project, key: str, *, without: str = "", but: Collection[int] = frozenset()) -> list[LabeledPlan]:
    """The plans of these inputs with every label of their sessions, done or not: known labels count however they came.

    ``without`` : a session that is left out. ``but`` : rows that are.
    """
    dataset = project.dataset_of(key)
    labels = [one for one in project.known_labels.of(dataset) if one.source != "imported" and one.session != without]
    standing = standing_labels(labels)
    found = []
    for drawn in project.known_labels.plans(dataset):
        rows = [one.row for one in labels if one.session == drawn.session and one.row not in but]
        if rows:
            plan = plan_of_json(drawn.plan, f"The plan of session {drawn.session}")
            found.append(labeled_plan(plan, {row: standing[row].answer or "" for row in rows}, drawn.classes))
    return found


def _margin_of(plan: Plan) -> Margin:
    return Margin(plan.resolved[POINTS], plan.resolved[RISK])


def is_gate_session(record: SessionRecord) -> bool:
    """Whether the session asks until a gate is decided."""
    return record.request.technique == TopUp.name and record.request.options.get("purpose") == "gate"


def plan_of_session(record: SessionRecord) -> Plan:
    """The plan of a gate's session."""
    return plan_of_json(record.request.options["plan"], f"The plan of session {record.id}")


def _begun(project: Project, key: str, against: str) -> SessionRecord | None:
    """The newest session of a gate between these versions."""
    return next(
        (
            one
            for one in project.sessions()
            if one.subject == key and is_gate_session(one) and plan_of_session(one).resolved.get(AGAINST) == against
        ),
        None,
    )


def start_gate(project: Project, key: str, against: str, margin: Margin, *, level: float = 0.95) -> Session:
    """A session over all inputs on which the versions differ and that have no label, in random order.

    Raises BadInput if the gate is decided already or was begun before.
    """
    found = gate_between(project, key, against, margin)
    seed = sum(is_gate_session(record) for record in project.sessions()) + 1
    plan = gate_plan(found.gate, found.new, found.old, found.gains, found.like, seed)
    plan = replace(plan, resolved={**plan.resolved, AGAINST: against})
    rows = [draw.row for draw in plan.draws[: plan.request.budget]]
    options = {"rows": rows, "plan": plan.to_json(), "purpose": "gate"}
    mine = {one.key for one in versions_of(project, key)}
    latest = next((record for record in project.sessions() if record.subject in mine), None)
    team = latest is not None and latest.votes_per_input is not None
    request = Request(TopUp.name, budget=len(rows), seed=seed, options=options)
    return project.start_session(key, request, level=level, votes_per_input=1 if team else None)


def gate_of_session(project: Project, session: Session) -> MarginGate:
    """Where the gate stands by the labels that were there when it was begun, and the session's own as they are now."""
    record, task = session.session_record, session.inputs.task
    plan = plan_of_session(record)
    new, old = _in_one_numbering(project, record.subject, str(plan.resolved[AGAINST]))
    standing = session.answers()
    rows = [verdict.draw.row for verdict in session.verdicts()]
    votes = {row: task.answer_text(standing[row], in_full=True) if row in standing else "" for row in rows}
    others = _labeled(project, record.subject, without=record.id, but=frozenset(rows))
    labeled = [*others, labeled_plan(plan, votes, task.classes)]
    return margin_gate(new, old, gains_of(labeled, new, old), [plan], _margin_of(plan))
