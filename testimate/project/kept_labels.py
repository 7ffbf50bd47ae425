"""The labels of a project by what they are about: what the inputs of a dataset are, whichever session said so.

Inputs whose answers are known before a session: by the dataset, by labels brought along, or by earlier sessions.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from testimate.core.draw import Verdict
from testimate.core.errors import BadInput, NotEnoughLabels, TestimateError
from testimate.core.inputs import Inputs
from testimate.core.words import commas
from testimate.estimators import estimator_of
from testimate.labels.notes import IMPORTED, DrawnPlan, KnownLabel, KnownLabels, Source
from testimate.planning.estimate import EXTENDED, is_complete
from testimate.planning.known_labels import with_known_labels
from testimate.planning.plan import Plan, plan_of_json
from testimate.planning.reused_labels import PURPOSE, LabeledPlan
from testimate.planning.votes import Votes
from testimate.project.project import Project
from testimate.selectors.following import SecondLookSampling, TopUp
from testimate.session.session import Session, ballots_of, plan_of, settling_vote


def says_what_inputs_are(session: Session) -> bool:
    """Whether the session's answers are classes, and its own: a second look corrects another session's."""
    technique = session.session_record.request.technique
    return session.inputs.task.one_class and technique != SecondLookSampling.name


def keep_labels(kept: KnownLabels, session: Session, dataset: str) -> None:
    """Keeps what a session's events say about the inputs by now, in the place of what was kept of it before."""
    record, task = session.session_record, session.inputs.task
    is_top_up = record.request.technique == TopUp.name
    plan: Mapping[str, Any] = record.request.options["plan"] if is_top_up else plan_of(session).to_json()
    source: Source = "drawn" if is_top_up or session.selector.design.at_random else "explored"

    def named(answer: Any) -> str | None:
        return None if answer is None else task.answer_text(answer, in_full=True)

    labels = []
    for row, ballot in ballots_of(session).items():
        vote = settling_vote(ballot, task, record.votes_per_input)
        if vote is not None:
            answer = session.answers().get(row)
            labels.append(KnownLabel(row, named(answer), vote.tester, vote.at, record.id, source))
    drawn = {label.row for label in labels}
    for event in session.history():
        if event.stream == "exploration" and event.row in session.explored() and event.row not in drawn:
            answer = session.explored()[event.row]
            labels.append(KnownLabel(event.row, named(answer), event.tester, event.at, record.id, "explored"))
            drawn.add(event.row)
    events = len(session.history())
    made = DrawnPlan(
        dataset, record.id, record.subject, record.subject_name, record.created, events, task.classes, dict(plan)
    )
    kept.keep(made, labels)


def keep_labels_of(project: Project, key: str) -> None:
    """Keeps what the subject's sessions say about its inputs, those of earlier versions of the program included.

    A session whose events are kept already is passed over, and so is one that no longer opens.
    """
    kept = project.known_labels.events_kept()
    for record in project.sessions():
        if record.subject != key or project.store.count(record.id) == kept.get(record.id, 0):
            continue
        with suppress(TestimateError):
            session = project.session(record.id)
            session.refresh()
            if says_what_inputs_are(session):
                keep_labels(project.known_labels, session, project.dataset_of(key))


def standing_labels(labels: Sequence[KnownLabel]) -> dict[int, KnownLabel]:
    """What each input is taken to be: the latest label that names a class; an imported one only where no other does."""
    ranked = sorted(labels, key=lambda one: (one.source != "imported", one.answer is not None, one.at))
    return {one.row: one for one in ranked}


def labeled_plans(plans: Sequence[DrawnPlan], labels: Sequence[KnownLabel]) -> list[LabeledPlan]:
    """The plans whose draws had known chances, each with its votes as they stand now.

    A row that was labeled again later has the later label in every plan. Plans of chosen inputs are left out. So is one that is
    still being labeled, where another one is done: its few labels would replace the number that there is. Where none is
    done, those that give an estimate are used; a top-up is used when it is done. None of this depends on what was
    answered.
    """
    standing = standing_labels([one for one in labels if one.source != "imported"])
    done, begun = [], []
    for one in plans:
        plan = plan_of_json(one.plan, f"The plan of session {one.session}")
        mine = {label.row: label for label in labels if label.session == one.session and label.source == "drawn"}
        votes = {row: standing[row].answer or "" for row in mine}
        if plan.design.at_random and any(votes.values()):
            votes = dict(with_known_labels(_among(plan, votes), Votes("label", votes)).cells)
            alone = all(standing[row].session == one.session for row in mine)
            labeled = labeled_plan(plan, votes, one.classes, one.session if alone else "")
            if _is_done(labeled):
                done.append(labeled)
            elif PURPOSE not in plan.resolved and _gives_an_estimate(labeled):
                begun.append(labeled)
    return done or begun


def labeled_plan(plan: Plan, votes: Mapping[int, str], classes: tuple[str, ...], session: str = "") -> LabeledPlan:
    """The plan with these labels, of testers who could choose among the classes; ``session`` : that gave them all."""
    return LabeledPlan(plan, "label", votes, frozenset(votes.values()) - {*classes, ""}, session, classes)


def _is_done(one: LabeledPlan) -> bool:
    """Whether every draw was answered, those of an extended plan included."""
    whole = {name: value for name, value in one.plan.resolved.items() if name != EXTENDED}
    return is_complete(replace(one.plan, resolved=whole), one.votes)


def _gives_an_estimate(one: LabeledPlan) -> bool:
    """Whether the design has an estimate from these draws, whatever was answered."""
    design, draws = one.plan.design, one.plan.draws
    reached = max(position + 1 for position, draw in enumerate(draws) if draw.row in one.votes)
    verdicts = [Verdict(draw, 0.0 if one.votes.get(draw.row) else None) for draw in draws[:reached]]
    try:
        estimator_of(design).estimate(design, verdicts)
    except NotEnoughLabels:
        return False
    return True


def _among(plan: Plan, votes: Mapping[int, str]) -> Plan:
    """The plan as it is; BadInput, with what to do, where a vote is outside its draws."""
    drawn = {draw.row for draw in plan.draws}
    strange = next((row for row in votes if row not in drawn), None)
    if strange is not None:
        raise BadInput(
            f"Input {commas(strange)} has a label and was not drawn by the plan it was kept with. Expected labels of its "
            "draws. Open the session they were given in, so that they are kept again."
        )
    return plan


def import_labels(kept: KnownLabels, dataset: str, answers: Mapping[int, str], tester: str, at: str) -> int:
    """Keeps labels from elsewhere, row -> class name, marked as not drawn; returns how many."""
    labels = [KnownLabel(row, answer, tester, at, IMPORTED, "imported") for row, answer in answers.items()]
    kept.add_imported(dataset, labels)
    return len(labels)


def available_known_answers(project: Project, key: str, inputs: Inputs) -> dict[int, Any]:
    """The answer of each input of the subject that is known, as a tester gives it, by row.

    Where the truth of all inputs is known it is used, without showing it to the tester; otherwise the labels kept for
    the same
    inputs, from whatever session or file, if they are classes.
    """
    task = inputs.task
    if inputs.truth is not None:
        return {row: task.true_answer(one) for row, one in enumerate(inputs.truth)}
    known = labels_that_exist(project, key, inputs)
    return {row: answer for row, answer in known.items() if not task.names_outside(answer)}


def labels_that_exist(project: Project, key: str, inputs: Inputs) -> dict[int, Any]:
    """The answers that the table has for some inputs, and those kept for the same inputs from sessions and files, by row.

    Where the two differ the table's stands: it is what the owner of the inputs says.
    """
    task = inputs.task
    own = {row: task.typed_answer(label, row) for row, label in inputs.known.items()}
    if not task.one_class:
        return own
    labels = standing_labels(project.known_labels.of(project.dataset_of(key)))
    kept = {
        row: task.stored_answer(one.answer)
        for row, one in labels.items()
        if one.answer is not None and row < len(inputs)
    }
    return {**kept, **own}


def chosen_known_answers(
    known: Mapping[int, Any], count: int, seed: int, drawn: Collection[int] = ()
) -> tuple[tuple[int, Any], ...]:
    """``count`` of the known answers, or all there are, in a random order by the seed; rows ``drawn`` are left out."""
    rows = sorted(set(known) - set(drawn))
    mixed = np.random.default_rng([seed, 0x4B1]).permutation(rows)[: max(count, 0)]
    return tuple((int(row), known[int(row)]) for row in mixed)
