"""Every answer of a session as a file, one row each: who said what about which input, when, and what became of it."""

import io
from typing import Any

from testimate.core.draw import RoundDraw
from testimate.core.errors import BadInput
from testimate.core.spreadsheet_cells import SpreadsheetWriter
from testimate.planning.label_exchange import plan_mark
from testimate.reports.exports import named
from testimate.session.session import Session, plan_of
from testimate.session.settling_votes import ballots_of

COLUMNS = ("row", "key", "tester", "answer", "loss", "at", "seconds", "round", "counts", "settled by")


def votes_table(session: Session) -> list[dict[str, Any]]:
    """One record per standing answer, "cannot tell" (an empty answer) included, in draw order; what was taken back has none.

    ``key`` names plan and row, as in ``plan export``. ``loss`` is of the prediction under this answer. ``round`` counts from 1;
    None with techniques that draw in no rounds. ``counts`` says whether the input's label is this answer; ``settled by`` names
    the lead whose word stands, whose own answer is no record here.
    """
    inputs, mark = session.inputs, plan_mark(plan_of(session))
    ballots, answers, leads = ballots_of(session), session.answers(), session.adjudicated()
    alone = session.session_record.votes_per_input is None
    records = []
    for row in dict.fromkeys(draw.row for draw in session.draws):
        if row not in ballots:
            continue
        ballot, draw = ballots[row], session.draw_of(row)
        given = [ballot.standing] if alone else list(ballot.votes.values())
        for vote in given:
            if vote is None:
                continue
            settled = session.state_of(row) in ("answered", "cannot tell")
            records.append(
                {
                    "row": row,
                    "key": f"{mark}-{row}",
                    "tester": vote.tester,
                    "answer": inputs.task.answer_text(vote.answer, in_full=True),
                    "loss": None if vote.answer is None else inputs.loss(row, vote.answer),
                    "at": vote.at,
                    "seconds": vote.seconds,
                    "round": draw.round + 1 if isinstance(draw, RoundDraw) else None,
                    "counts": settled and answers.get(row) == vote.answer,
                    "settled by": leads.get(row),
                    **named(inputs, row),
                }
            )
    return records


def votes_csv(session: Session) -> str:
    """The answers as CSV; ``testimate sessions import --into`` reads it."""
    text, records = io.StringIO(), votes_table(session)
    writer = SpreadsheetWriter(text)
    writer.writerow(records[0] if records else COLUMNS)
    writer.writerows(record.values() for record in records)
    return text.getvalue()


def votes_parquet(session: Session) -> bytes:
    """The same records as Parquet; BadInput where there are none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    records = votes_table(session)
    if not records:
        raise BadInput("There are no votes yet; a file of votes needs at least 1. Label an input first.")
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(records), buffer)
    return buffer.getvalue()
