"""A session's answers looked at again: a session of its own, which corrects the estimate of the first."""

from collections.abc import Sequence
from typing import Any

from testimate.core.draw import Verdict
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.selector import Request
from testimate.core.session_record import SessionRecord
from testimate.estimators.second_look import Corrected, SecondLook
from testimate.planning.estimate import value_words
from testimate.planning.second_look import SecondLooks, corrected, corrected_words, second_looks
from testimate.planning.task_estimates import outcomes_of
from testimate.project.project import Project
from testimate.selectors.following import SecondLookSampling
from testimate.session.session import Session

TECHNIQUE = SecondLookSampling.name


def is_second_look(record: SessionRecord) -> bool:
    """Whether the session looks again at the answers of another one."""
    return record.request.technique == TECHNIQUE


def first_session_of(record: SessionRecord) -> str:
    """The id of the session whose answers a second look is about."""
    return str(record.request.options["of"])


def second_looks_at(project: Project, session: str) -> list[SessionRecord]:
    """The second looks at a session's answers, newest first."""
    records = (record for record in project.sessions() if is_second_look(record))
    return [record for record in records if first_session_of(record) == session]


def start_second_look(project: Project, session: Session, count: int) -> Session:
    """A new session over ``count`` answers of this one, drawn as ``planning.second_look.second_looks`` draws them.

    In a team an answer goes to somebody who did not give it, where one of the testers of the first session did not.

    Raises
    ------
    BadInput : there are fewer answers, or their losses are not right and wrong.
    WrongDesign : a second look cannot correct the estimate from such draws.
    NotEnoughLabels : there is no estimate yet.
    """
    record = session.session_record
    seed = record.request.seed + len(second_looks_at(project, record.id))
    drawn = second_looks(session.inputs, session.selector.design, _counted(session), count, seed)
    options: dict[str, Any] = {
        "of": record.id,
        "looks": [[look.row, look.chance] for look in drawn.looks],
        "answers": drawn.of,
    }
    if record.votes_per_input is not None:
        options["not_by"] = _first_testers(session, [look.row for look in drawn.looks])
    request = Request(TECHNIQUE, budget=count, seed=seed, options=options)
    return project.start_session(
        record.subject,
        request,
        show_prediction=record.show_prediction,
        level=record.level,
        half_width=record.half_width,
        votes_per_input=None if record.votes_per_input is None else 1,
        question=record.question,
        rubric=record.rubric,
        reasons=record.reasons,
        colors=record.colors,
    )


def _first_testers(session: Session, rows: Sequence[int]) -> list[list[str]]:
    """Who answered each row, in the order of their names; nobody where that was the whole team."""
    votes = session.votes()
    team = {name for given in votes.values() for name in given}
    return [sorted(votes[row]) if team - set(votes[row]) else [] for row in rows]


def corrections(project: Project, session: Session) -> list[str]:
    """What each finished second look at a session's answers says about its accuracy, in sentences, the newest first.

    One that no longer fits the answers says why.
    """
    said = []
    for record in second_looks_at(project, session.session_record.id):
        second = project.session(record.id)
        second.refresh()
        if second.finished:
            try:
                said.append(_correction_words(session, corrected_by(session, second)))
            except (BadInput, NotEnoughLabels) as error:
                said.append(f"A second look at the answers can no longer correct anything. {error}")
    return said


def _correction_words(session: Session, found: Corrected) -> str:
    value = value_words(found.estimate, session.inputs.task.measure)
    return f"Corrected for testers' errors: {value}. {corrected_words(found)}"


def corrected_by(session: Session, second: Session) -> Corrected:
    """The estimate of a session as a finished second look at its answers corrects it.

    Where the second look could not tell, the first answer stands.

    Raises
    ------
    BadInput : the second look is not finished, or the session has other answers than those it was drawn from.
    """
    if not second.finished:
        raise BadInput(
            f"{second.remaining} of {second.planned} answers are still to be looked at again. Expected all, because "
            "leaving some out would bias the estimate. Label more."
        )
    options = second.session_record.request.options
    chances = {int(row): float(chance) for row, chance in options["looks"]}
    first = {verdict.draw.row: verdict.loss for verdict in _counted(session)}
    losses = {verdict.draw.row: verdict.loss for verdict in _counted(second)}
    looks = []
    for row, chance in chances.items():
        loss = losses.get(row)
        standing = first.get(row)
        looks.append(SecondLook(row, chance, float(loss if loss is not None else standing or 0.0)))
    drawn = SecondLooks(tuple(looks), int(options["answers"]))
    return corrected(session.inputs, session.selector.design, _counted(session), session.estimate(), drawn)


def _counted(session: Session) -> tuple[Verdict, ...]:
    """The verdicts as the accuracy counts them: of numbers within the tolerance or not."""
    return outcomes_of(session.inputs.task, session.verdicts())
