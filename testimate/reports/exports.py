"""A session's labels and plan as files that other programs, and the command line, read.

Labels as Label Studio's JSON: a session's votes as tasks with annotations, and annotations made there as votes.
"""

import io
import json
from dataclasses import replace
from typing import Any

import numpy as np

from testimate.core.draw import is_exploit
from testimate.core.errors import BadInput
from testimate.core.failure_codes import SEPARATOR
from testimate.core.inputs import Inputs
from testimate.core.reading import CHOSEN
from testimate.core.session_record import CODES, Event
from testimate.core.spreadsheet_cells import SpreadsheetWriter
from testimate.core.stored_record import time_now
from testimate.core.task import Task
from testimate.core.words import read_number
from testimate.metrics import fault_severity, severity_level
from testimate.planning.label_exchange import Annotation, ExportedTask, exported_tasks, label_studio_results
from testimate.planning.votes import own_key
from testimate.reports.words import reasons_given
from testimate.session.session import Session, ballots_of, plan_of, settling_vote


def labels_table(session: Session) -> list[dict[str, Any]]:
    """One record per row voted on or put off, in draw order; a row whose votes were all taken back has none.

    ``state`` is "answered", "cannot tell", "skipped" (to come back) or "not settled" (disputed, or short of votes); only what
    is answered has a loss, and where it is open nobody is named. ``notes`` are those of the input's flags.
    ``tester``, ``at`` and ``seconds`` are of the vote that settled the row: of those with the answer that stands the last, or
    a lead's word.

    ``reason`` is what the tester gave with a verdict on an output; other tasks have no such column. ``codes`` are why the input
    failed, there once a failure has one.

    ``pick`` says how the row came into the list: "at random", "chosen" (a technique without chances), or "exploit": because
    it was thought to fail, so that its loss stands for no other input.
    """
    inputs, chosen = session.inputs, not session.selector.design.at_random
    needed, ballots, answers = session.session_record.votes_per_input, ballots_of(session), session.answers()
    notes = flag_notes(session)
    reasons = reasons_given(session) if inputs.task.graded else None
    codes = session.codes()
    records: dict[int, dict[str, Any]] = {}
    for verdict in session.verdicts():
        row = verdict.draw.row
        if row in records or row not in ballots or not ballots[row].acts:
            continue
        vote = settling_vote(ballots[row], inputs.task, needed)
        records[row] = {
            "row": row,
            "loss": verdict.loss,
            "state": session.state_of(row),
            "answer": inputs.task.answer_text(answers.get(row), in_full=True),
            **criteria_columns(inputs.task, answers.get(row)),
            "prediction": inputs.task.prediction_text(inputs.predictions[row], in_full=True),
            "confidence": None if inputs.confidence is None else float(inputs.confidence[row]),
            "pick": "exploit" if is_exploit(verdict.draw) else "chosen" if chosen else "at random",
            "tester": None if vote is None else vote.tester,
            "at": None if vote is None else vote.at,
            "seconds": None if vote is None else vote.seconds,
            "why": verdict.draw.reason,
            **({"reason": reasons.get(row, "")} if reasons is not None else {}),
            **({CODES: SEPARATOR.join(codes.get(row, ()))} if codes else {}),
            "notes": " | ".join(note for _, note in notes.get(row, ())),
            **keyed(inputs, row),
        }
    return list(records.values())


def criteria_columns(task: Task, answer: Any) -> dict[str, str]:
    """The grade by each criterion under its name, "" for one left out; empty where one question is asked."""
    return task.grades_given(answer)


def flag_notes(session: Session) -> dict[int, list[tuple[str, str]]]:
    """Who flagged each row with which note, by row, oldest first; a flag without a note reads "flagged"."""
    notes: dict[int, list[tuple[str, str]]] = {}
    for event in session.history():
        if event.kind == "flag":
            notes.setdefault(event.row, []).append((event.tester, str(event.detail.get("note") or "flagged")))
    return notes


def named(inputs: Inputs, row: int) -> dict[str, str]:
    """The name of the row's file under "file", where its inputs have names."""
    return {} if inputs.names is None else {"file": inputs.name_of(row)}


def keyed(inputs: Inputs, row: int) -> dict[str, str]:
    """The name of the row's file, and the cells by which the owner's table numbers or names it."""
    return named(inputs, row) | {own_key(name): keys[row] for name, keys in inputs.keys.items()}


def labels_csv(session: Session) -> str:
    """The labels as CSV, with the columns row and loss that ``testimate estimate`` reads; an empty loss is "cannot tell".

    A row that is open has an empty loss too, since the estimate counts it as asked, and no tester, so that no import takes
    it for a vote.
    """
    text = io.StringIO()
    records = labels_table(session)
    columns = list(records[0]) if records else ["row", "loss"]
    writer = SpreadsheetWriter(text)
    writer.writerow(columns)
    writer.writerows(record.values() for record in records)
    return text.getvalue()


def faults_csv(session: Session) -> str:
    """The faults, the most severe first, as CSV for retraining: which input, its label, the prediction, and its confidence.

    ``level`` is the severity level 1..10 of the predicted class's probability (Al-Qadasi et al. 2023, section III-D), or of
    a regression's error, from one to three tolerances.
    """
    inputs, answers, codes = session.inputs, session.answers(), session.codes()
    records = [record for record in labels_table(session) if record["loss"] is not None]
    faults = [record for record in records if inputs.task.failed([record["loss"]])[0]]
    faults.sort(key=lambda record: (-(record["confidence"] or record["loss"]), record["row"]))
    text = io.StringIO()
    writer = SpreadsheetWriter(text)
    file = [] if inputs.names is None else ["file"]
    keys = map(own_key, inputs.keys)
    why = [CODES] if codes else []
    writer.writerow(["row", "label", "prediction", "probability", "level", "loss", "pick", *why, "notes", *file, *keys])
    for record in faults:
        chance = record["confidence"]
        severity = fault_severity(inputs, np.array([record["row"]]), np.array([record["loss"]]))
        label = inputs.task.answer_text(answers[record["row"]], in_full=True)
        level = "" if severity is None else int(severity_level(severity)[0])
        cells = [record["row"], label, record["prediction"], chance, level, record["loss"], record["pick"]]
        cells += [*(record[name] for name in why), record["notes"], *keyed(inputs, record["row"]).values()]
        writer.writerow(cells)
    return text.getvalue()


def labels_parquet(session: Session) -> bytes:
    """The records of ``labels_table`` as a Parquet file; BadInput while there are none."""
    return records_parquet(labels_table(session), "labels")


def records_parquet(records: list[dict[str, Any]], what: str) -> bytes:
    """Records as a Parquet file; BadInput while there are none, as its columns lack types."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not records:
        raise BadInput(f"There are no {what} yet. Expected at least 1. Label an input first.")
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(records), buffer)
    return buffer.getvalue()


def plan_json(session: Session) -> dict[str, Any]:
    """The session's plan as PLAN.json holds it: the draws made so far, and the outcomes the technique learned.

    Its table may stay with the project, so the plan has the keys of its rows, and how the table was read.
    """
    plan, reading = plan_of(session), session.inputs.reading
    rows = dict.fromkeys(draw.row for draw in plan.draws)
    plan = replace(plan, keys={name: {row: keys[row] for row in rows} for name, keys in session.inputs.keys.items()})
    if reading is not None:
        chosen = tuple((one.role, name) for name, one in reading.roles.items() if one.reason == CHOSEN)
        plan = replace(plan, reading=reading, answered=reading.read, rules=reading.rules, columns=chosen)
    return plan.to_json()


def label_studio_json(session: Session) -> str:
    """Every input with a vote as a task, each tester's latest vote as an annotation, the model's answer as a prediction.

    ``data.row`` is the place in the dataset; a text is in ``data.text``. "Cannot tell" is a canceled annotation, which is what
    Label Studio calls a task that was skipped; a lead's word on a dispute is one marked as ground truth.
    """
    inputs, latest, notes = session.inputs, _latest(session), flag_notes(session)
    tasks = []
    for row, votes in latest.items():
        shown = session.show(row)
        data: dict[str, Any] = {"row": row, "subject": session.session_record.subject_name, **keyed(inputs, row)}
        if shown.text is not None:
            data["text"] = shown.text
        elif shown.cells:
            data["cells"] = dict(shown.cells)
        if row in notes:
            data["notes"] = [f"{who}: {note}" for who, note in notes[row]]
        guess = [inputs.task.prediction_text(inputs.predictions[row])]
        prediction: dict[str, Any] = {"model_version": session.session_record.subject_name, "result": []}
        if inputs.task.one_class:
            prediction["result"] = label_studio_results(inputs.task, guess)
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
        "result": label_studio_results(task, task.answer_names(vote.answer)) if answered else [],
    }


def votes_from_label_studio(text: str, task: Task) -> list[Event]:
    """The annotations of an export, as votes; of each tester's several on one task the last counts, as here.

    A task names its input by ``data.row`` and its annotations the classes by name, or a number; an annotation marked as ground
    truth is a lead's word. Ids are made from the task's and the annotation's, so that reading the same export twice
    stores nothing twice. Raises BadInput if it is not such an export, or names an unknown class.
    """
    return [
        _vote(annotation, one, task, f"{one.place if one.id is None else one.id}-{number}")
        for one in exported_tasks(text)
        for number, annotation in enumerate(one.annotations)
    ]


def _vote(annotation: Annotation, of: ExportedTask, task: Task, name: str) -> Event:
    by, seconds = annotation.completed_by, annotation.lead_time
    tester = str(by.get("email", by.get("id")) if isinstance(by, dict) else by)
    said = annotation.values(task, of)
    return Event(
        id=str(annotation.unique_id or f"label-studio-{name}"),
        kind="adjudication" if annotation.ground_truth else "cannot tell" if said is None else "answer",
        row=of.named("row"),
        tester=tester,
        at=str(annotation.created_at or time_now("milliseconds")),
        answer=None if said is None else task.answer_named(said),
        seconds=_number(seconds, "lead_time") if isinstance(seconds, int | float) and seconds >= 0 else None,
        detail={"from": "Label Studio"},
    )


def _number(value: Any, what: str) -> float:
    """The number as a tester would type it: what could be two numbers is refused, and so is what is none or too large."""
    try:
        return read_number(value if isinstance(value, str) else repr(value))
    except BadInput as error:
        raise BadInput(f"The export has the {what} {value!r:.60}. Expected a number. {error}") from None
