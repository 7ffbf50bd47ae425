"""A session's votes and plan as files that other programs, and the command line, read."""

import csv
import io
from typing import Any

from testimate.core.errors import BadInput
from testimate.plans.plan import Plan
from testimate.sessions.session import Session

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would run as a formula when a cell begins with it."""


def votes_table(session: Session) -> list[dict[str, Any]]:
    """One record per row voted on, in draw order; a loss of None means "cannot tell"."""
    inputs = session.inputs
    latest = {event.row: event for event in session.history() if event.kind in ("answer", "cannot tell")}
    records, seen = [], set()
    answers = session.answers()
    for verdict in session.verdicts():
        row = verdict.draw.row
        if row in seen or row not in latest:
            continue
        seen.add(row)
        event = latest[row]
        records.append(
            {
                "row": row,
                "loss": verdict.loss,
                "answer": in_words(session, answers.get(row)),
                "prediction": in_words(session, inputs.predictions[row].tolist()),
                "confidence": None if inputs.confidence is None else float(inputs.confidence[row]),
                "tester": event.tester,
                "at": event.at,
                "seconds": event.seconds,
                "why": verdict.draw.reason,
            }
        )
    return records


def in_words(session: Session, answer: Any) -> str:
    """An answer or prediction by the names of its classes; empty where there is none."""
    classes = getattr(session.inputs.task, "classes", None)
    if answer is None:
        return ""
    if classes is None:
        return f"{answer!r}"
    if session.inputs.task.kind == "multi-label":
        return ", ".join(name for name, present in zip(classes, answer, strict=True) if present)
    return str(classes[answer if isinstance(answer, int) else answer[0]])


def votes_csv(session: Session) -> str:
    """The votes as CSV, with the columns row and loss that ``testimate estimate`` reads; an empty loss is "cannot tell"."""
    text = io.StringIO()
    records = votes_table(session)
    columns = list(records[0]) if records else ["row", "loss"]
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow({name: quoted(value) for name, value in record.items()})
    return text.getvalue()


def quoted(value: Any) -> Any:
    """Text that a spreadsheet would take for a formula, with an apostrophe before it; everything else as it is."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def votes_parquet(session: Session) -> bytes:
    """The same records as Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    records = votes_table(session)
    if not records:
        raise BadInput("There are no votes yet; a file of votes needs at least 1. Label an input first.")
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(records), buffer)
    return buffer.getvalue()


def plan_json(session: Session) -> dict[str, Any]:
    """The session's plan as PLAN.json holds it, with the draws made so far."""
    record = session.session_record
    return Plan(
        request=record.request,
        fingerprint=record.fingerprint,
        loss_bound=session.inputs.task.loss_bound,
        design=session.selector.design,
        draws=session.draws,
        table=f"{record.subject_name} (a session of the app)",
    ).to_json()
