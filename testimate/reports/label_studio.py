"""Labels as Label Studio's JSON: a session's votes as tasks with annotations, and annotations made there as votes."""

import json
from datetime import UTC, datetime
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.session_record import Event
from testimate.core.task import Task
from testimate.core.words import read_number
from testimate.planning.label_exchange import label_studio_result
from testimate.reports.exports import flag_notes, named
from testimate.session.session import Session
from testimate.session.settling_votes import ballots_of
from testimate.tasks.boxes import Boxes
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.verdict import Judgement

MOST_TASKS = 1_000_000


def label_studio_json(session: Session) -> str:
    """Every input with a vote as a task, each tester's latest vote as an annotation, the model's answer as a prediction.

    ``data.row`` is the place in the dataset; a text is in ``data.text``. "Cannot tell" is a cancelled annotation, which is what
    Label Studio calls a task that was skipped; a lead's word on a dispute is one marked as ground truth.
    """
    inputs, latest, notes = session.inputs, _latest(session), flag_notes(session)
    tasks = []
    for row, votes in latest.items():
        shown = session.show(row)
        data: dict[str, Any] = {"row": row, "subject": session.session_record.subject_name, **named(inputs, row)}
        if shown.text is not None:
            data["text"] = shown.text
        elif shown.cells:
            data["cells"] = dict(shown.cells)
        if row in notes:
            data["notes"] = [f"{who}: {note}" for who, note in notes[row]]
        guess = [inputs.task.prediction_text(inputs.predictions[row])]
        prediction: dict[str, Any] = {"model_version": session.session_record.subject_name, "result": []}
        if isinstance(inputs.task, Classification):
            prediction["result"] = [label_studio_result(inputs.task, guess)]
        if inputs.confidence is not None:
            prediction["score"] = float(inputs.confidence[row])
        annotations = [_annotation(inputs.task, vote) for vote in votes]
        tasks.append({"id": row, "data": data, "annotations": annotations, "predictions": [prediction]})
    return json.dumps(tasks, indent=1, ensure_ascii=False)


def _latest(session: Session) -> dict[int, list[Event]]:
    """The votes that count for each input, by row in draw order: each tester's latest vote, and last a lead's word."""
    ballots = ballots_of(session)
    said = {row: list(ballot.votes.values()) for row, ballot in ballots.items()}
    for row, ballot in ballots.items():
        if ballot.adjudication is not None:
            said[row].append(ballot.adjudication)
    rows = [row for row, events in said.items() if events]
    return {row: said[row] for row in sorted(rows, key=session.position_of)}


def _annotation(task: Task, vote: Event) -> dict[str, Any]:
    answered = vote.answer is not None
    return {
        "unique_id": vote.id,
        "completed_by": {"email": vote.tester},
        "created_at": vote.at,
        "lead_time": vote.seconds,
        "was_cancelled": not answered,
        "ground_truth": vote.kind == "adjudication",
        "result": [label_studio_result(task, _named(task, vote.answer))] if answered else [],
    }


def _named(task: Task, answer: Any) -> list[Any]:
    if isinstance(task, MultiLabel):
        return [task.classes[place] for place in answer]
    if isinstance(task, Boxes):
        return [task.answer_text(answer)]
    return [task.classes[answer]] if isinstance(task, Classification | Judgement) else [answer]


def votes_from_label_studio(text: str, task: Task) -> list[Event]:
    """The annotations of an export, as votes; of each tester's several on one task the last counts, as here.

    A task names its input by ``data.row`` and its annotations the classes by name, or a number; an annotation marked as ground
    truth is a lead's word. Ids are made from the task's and the annotation's, so that reading the same export twice
    stores nothing twice. Raises BadInput if it is not such an export, or names an unknown class.
    """
    try:
        tasks = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"Expected an export of Label Studio, found no JSON ({error!s:.80}). Export it as JSON."
        ) from None
    if not isinstance(tasks, list) or len(tasks) > MOST_TASKS:
        raise BadInput("Expected a list of tasks, as Label Studio exports it. Export it as JSON, not JSON-MIN.")
    events = []
    for place, one in enumerate(tasks):
        try:
            row = one["data"]["row"]
            for number, annotation in enumerate(one["annotations"]):
                events.append(_vote(annotation, row, task, f"{one.get('id', place)}-{number}"))
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise BadInput(
                f"Task {place} of the export lacks {error!s:.60}; expected data.row and annotations. "
                "Export the tasks with their annotations."
            ) from None
    return events


def _vote(annotation: dict[str, Any], row: Any, task: Task, name: str) -> Event:
    by = annotation.get("completed_by", "Label Studio")
    tester = str(by.get("email", by.get("id")) if isinstance(by, dict) else by)
    seconds = annotation.get("lead_time")
    answered = bool(annotation.get("result")) and not annotation.get("was_cancelled", False)
    settles = annotation.get("ground_truth") is True
    return Event(
        id=str(annotation.get("unique_id") or f"label-studio-{name}"),
        kind="adjudication" if settles else "answer" if answered else "cannot tell",
        row=row,
        tester=tester,
        at=str(annotation.get("created_at") or datetime.now(UTC).isoformat()),
        answer=_answer(annotation["result"][0]["value"], task) if answered else None,
        seconds=_number(seconds, "lead_time") if isinstance(seconds, int | float) and seconds >= 0 else None,
        detail={"from": "Label Studio"},
    )


def _number(value: Any, what: str) -> float:
    """The number as a tester would type it: what could be two numbers is refused, and so is what is none or too large."""
    try:
        return read_number(value if isinstance(value, str) else repr(value))
    except BadInput as error:
        raise BadInput(f"The export has the {what} {value!r:.60}; expected a number. {error}") from None


def _answer(value: dict[str, Any], task: Task) -> Any:
    if task.numeric:
        return _number(value["number"], "number")
    if isinstance(task, Boxes):
        return task.answer_of(" ".join(str(one) for one in value["text"]))
    places = {name: place for place, name in enumerate(task.classes)}
    unknown = [name for name in value["choices"] if name not in places]
    if unknown:
        raise BadInput(
            f"The export names the class {unknown[0]!r:.60}; there are {', '.join(task.classes[:12])} ... Use these names."
        )
    found = [places[name] for name in value["choices"]]
    return found if isinstance(task, MultiLabel) else found[0]
