"""A session's labels and plan as files that other programs, and the command line, read."""

import io
from typing import Any

import numpy as np

from testimate.core.draw import is_exploit
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.spreadsheet_cells import SpreadsheetWriter
from testimate.metrics import fault_severity, severity_level
from testimate.reports.verdicts import reasons_given
from testimate.session.session import Session, plan_of
from testimate.session.settling_votes import ballots_of, settling_vote
from testimate.tasks.verdict import Judgement


def labels_table(session: Session) -> list[dict[str, Any]]:
    """One record per row voted on or put off, in draw order; a row whose votes were all taken back has none.

    ``state`` is "answered", "cannot tell", "skipped" (to come back) or "not settled" (disputed, or short of votes); only what
    is answered has a loss, and where it is open nobody is named. ``notes`` are those of the input's flags.
    ``tester``, ``at`` and ``seconds`` are of the vote that settled the row: of those with the answer that stands the last, or
    a lead's word.

    ``reason`` is what the tester gave with a verdict on an output; other tasks have no such column.

    ``pick`` says how the row came into the list: "at random", "chosen" (a technique without chances), or "exploit": because
    it was thought to fail, so that its loss stands for no other input.
    """
    inputs, chosen = session.inputs, not session.selector.design.at_random
    needed, ballots, answers = session.session_record.votes_per_input, ballots_of(session), session.answers()
    notes = flag_notes(session)
    reasons = reasons_given(session) if isinstance(inputs.task, Judgement) else None
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
            "prediction": inputs.task.prediction_text(inputs.predictions[row], in_full=True),
            "confidence": None if inputs.confidence is None else float(inputs.confidence[row]),
            "pick": "exploit" if is_exploit(verdict.draw) else "chosen" if chosen else "at random",
            "tester": None if vote is None else vote.tester,
            "at": None if vote is None else vote.at,
            "seconds": None if vote is None else vote.seconds,
            "why": verdict.draw.reason,
            **({"reason": reasons.get(row, "")} if reasons is not None else {}),
            "notes": " | ".join(note for _, note in notes.get(row, ())),
            **named(inputs, row),
        }
    return list(records.values())


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
    inputs, answers = session.inputs, session.answers()
    records = [record for record in labels_table(session) if record["loss"] is not None]
    faults = [record for record in records if inputs.task.failed([record["loss"]])[0]]
    faults.sort(key=lambda record: (-(record["confidence"] or record["loss"]), record["row"]))
    text = io.StringIO()
    writer = SpreadsheetWriter(text)
    file = [] if inputs.names is None else ["file"]
    writer.writerow(["row", "label", "prediction", "probability", "level", "loss", "pick", "notes", *file])
    for record in faults:
        chance = record["confidence"]
        severity = fault_severity(inputs, np.array([record["row"]]), np.array([record["loss"]]))
        label = inputs.task.answer_text(answers[record["row"]], in_full=True)
        level = "" if severity is None else int(severity_level(severity)[0])
        cells = [record["row"], label, record["prediction"], chance, level, record["loss"], record["pick"]]
        cells += [record["notes"], *named(inputs, record["row"]).values()]
        writer.writerow(cells)
    return text.getvalue()


def labels_parquet(session: Session) -> bytes:
    """The records of ``labels_table`` as a Parquet file; BadInput while there are no labels, as its columns lack types."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    records = labels_table(session)
    if not records:
        raise BadInput("There are no labels yet; a file of labels needs at least 1. Label an input first.")
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(records), buffer)
    return buffer.getvalue()


def plan_json(session: Session) -> dict[str, Any]:
    """The session's plan as PLAN.json holds it: the draws made so far, and the outcomes the technique learned."""
    return plan_of(session).to_json()
