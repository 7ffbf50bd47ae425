"""Votes made elsewhere brought into a session: a CSV file of votes, or what Label Studio exported; all of them or none."""

import csv
import hashlib
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.failure_codes import codes_of_cell
from testimate.core.reading import Read, Tell, checked_read
from testimate.core.session_record import CODES, Event
from testimate.core.stored_record import time_now
from testimate.core.task import Task
from testimate.core.words import commas
from testimate.planning.build import build
from testimate.planning.labels_outside import with_answers_outside
from testimate.planning.plan_votes import VotedOn, with_rows
from testimate.planning.votes import EXPORTED, LONGEST_ROW
from testimate.project.bundle import rehearsal
from testimate.reports.exports import votes_from_label_studio
from testimate.session.session import Session
from testimate.tables.lines import table_lines

UNNAMED = "import"
"""The name under which votes without a tester's name are stored."""

NAMING = {"row", "key", "file", "text"}
"""Columns of exported votes that may say which input a vote is on."""


def votes_of_file(
    path: Path, task: Task, tell: Tell = warnings.warn, read: Read = (), *, on: VotedOn | None = None, key: str = ""
) -> list[Event]:
    """The votes in a file: .json as Label Studio exports it, .csv as ``votes_from_csv`` reads it.

    ``tell`` is called with what a CSV was taken for that is not in UTF-8 with commas, and with the labels that are no class.
    ``read`` : what such labels are, where a person said so. ``on``, ``key`` : as for ``votes_from_csv``. BadInput where it is
    no such file; ReadingUnclear where a label nearly is a class, or a vote may be on another input.
    """
    data, ending = path.read_bytes(), path.suffix.lower()
    if ending == ".csv":
        votes = votes_from_csv(data, task, path.name, tell, on=on, key=key)
        return votes_known_outside(votes, task, path.name, tell, read)
    if ending == ".json":
        try:
            votes = votes_from_label_studio(data.decode("utf-8-sig"), task)
            return votes_known_outside(votes, task, path.name, tell, read)
        except UnicodeDecodeError as error:
            raise BadInput(f"{path.name} is not UTF-8 text ({error.reason}). Export the votes again.") from None
    raise BadInput(f"A file that ends in {ending or 'nothing'} contains no votes. Expected .json or .csv. Rename it.")


def votes_known_outside(votes: Sequence[Event], task: Task, name: str, tell: Tell, read: Read = ()) -> list[Event]:
    """The votes with labels that are no class as ``with_answers_outside`` takes them."""
    answers = with_answers_outside([vote.answer for vote in votes], task, dict(checked_read(read)), name, tell)
    return [replace(vote, answer=answer) for vote, answer in zip(votes, answers, strict=True)]


def votes_from_csv(
    data: bytes,
    task: Task,
    name: str = "votes.csv",
    tell: Tell = warnings.warn,
    *,
    on: VotedOn | None = None,
    key: str = "",
) -> list[Event]:
    """A vote for each line: ``row`` and ``answer`` (a class by its name, classes joined by ", ", or a number).

    An empty answer is "cannot tell"; of a set of classes "none" is the empty set, as an empty answer is where the line has a
    ``loss``. ``tester``, ``at`` and ``seconds`` are optional, in the form the export writes; an exported line of an open input
    is not a vote. ``codes`` are why the input failed, "blur;dark"; they come after all votes, those of several lines on one
    input together. Ids are made from what the line says, so that reading the same file twice stores nothing twice.

    ``name`` and ``tell`` as for ``table_lines``. ``on`` : what the votes are matched with, where a key of the table may stand
    in place of ``row``; ``key`` as for ``read_plan_votes``. Raises BadInput if it is not such a file, ReadingUnclear where
    two columns say which input a vote is on.
    """
    try:
        header, *lines = table_lines(data, tell, name=name) or [[]]
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"This is not a CSV file of votes ({error}). Export them again.") from None
    names = [column.strip().lower() for column in header]
    if on is not None:
        names, lines = with_rows(names, lines, on, Path(name), key=key, kinds=EXPORTED - NAMING, tell=tell)
    if not {"row", "answer"} <= set(names):
        raise BadInput(
            f"The votes have the columns {', '.join(names) or 'none'}. Expected row and answer, or a key of the table in place "
            "of row. Name them so, and leave no vote out."
        )
    votes, codes = [], dict[int, dict[str, None]]()
    for number, line in enumerate(lines, start=2):
        cells = dict(zip(names, line, strict=False))
        if len(line) != len(names) or not re.fullmatch(rf"\s*\d{{1,{LONGEST_ROW}}}\s*", cells["row"]):
            raise BadInput(
                f"Line {number} of the votes is broken. Expected one cell per column of the header. Repair it."
            )
        if not _is_open(cells):
            votes.append(vote := _vote(cells, number, task))
            if given := _codes(cells, number):
                codes.setdefault(vote.row, {}).update(dict.fromkeys(given))
    testers = {vote.row: vote.tester for vote in votes}
    return [*votes, *(_given_codes(row, [*names], testers[row]) for row, names in codes.items())]


def _codes(cells: Mapping[str, str], number: int) -> tuple[str, ...]:
    try:
        return codes_of_cell(cells.get(CODES, ""))
    except BadInput as error:
        raise BadInput(f"Line {number} of the votes: {error}") from None


def _given_codes(row: int, names: list[str], tester: str) -> Event:
    said = "\t".join([str(row), *names])
    id = f"csv-{hashlib.sha256(said.encode()).hexdigest()[:32]}"
    return Event(id, "codes", row, tester, time_now("milliseconds"), detail={CODES: names, "from": "CSV"})


def _is_open(cells: Mapping[str, str]) -> bool:
    """Whether an export says by this line that the input is put off, disputed or short of votes: no loss, and of nobody."""
    return all(cells.get(name) == "" for name in ("answer", "loss", "tester", "at"))


def _vote(cells: Mapping[str, str], number: int, task: Task) -> Event:
    try:
        answer = _answer(cells, task, number)
        seconds = float(cells["seconds"]) if cells.get("seconds") else None
    except BadInput:
        raise
    except ValueError:
        raise BadInput(
            f"Line {number} of the votes has a cell that should be a number: {cells!s:.120}. Correct it."
        ) from None
    said = "\t".join(cells.get(name, "") for name in ("row", "tester", "answer", "at", "loss"))
    return Event(
        id=f"csv-{hashlib.sha256(said.encode()).hexdigest()[:32]}",
        kind="cannot tell" if answer is None else "answer",
        row=int(cells["row"]),
        tester=cells.get("tester") or UNNAMED,
        at=cells.get("at") or time_now("milliseconds"),
        answer=answer,
        seconds=seconds,
        detail={"from": "CSV"},
    )


def _answer(cells: Mapping[str, str], task: Task, number: int) -> Any:
    cell = cells["answer"]
    if not cell.strip():
        return [] if task.several and cells.get("loss") else None
    return task.written_answer(cell, number)


def add_votes(session: Session, votes: Sequence[Event]) -> int:
    """Stores the votes, and the codes of failures, under their testers' names; returns how many votes were new.

    They are tried on a copy of the session first: where one of them does not fit, BadInput says which and nothing is stored.
    With a technique that learns from the labels, votes on draws it has not made yet wait for those that lead to them.
    """
    session.refresh()
    alone = session.session_record.votes_per_input is None
    fitting = [_as_vote(vote) if alone else vote for vote in votes]
    record, inputs, before = session.session_record, session.inputs, _voted(session)
    with rehearsal(
        record, inputs, build(inputs, record.request, record.resolved), session.history(), session.show
    ) as copy:
        _record_in_turn(copy, fitting)
    _record_in_turn(session, fitting)
    return _voted(session) - before


def _voted(session: Session) -> int:
    """How many events are about what inputs are, and not why they failed."""
    return sum(event.kind != "codes" for event in session.history())


def _as_vote(event: Event) -> Event:
    """An adjudication as a plain vote, where there is no team to settle anything for."""
    if event.kind != "adjudication":
        return event
    return replace(event, kind="cannot tell" if event.answer is None else "answer")


def _record_in_turn(session: Session, votes: Sequence[Event]) -> None:
    """Records the votes, those that were refused again after the others, until all are in; BadInput where some never fit."""
    waiting = list(votes)
    while waiting:
        refused = session.record(waiting, lead=True).refused
        if len(refused) == len({vote.id for vote in waiting}):
            met = next(iter(refused.values()))
            raise BadInput(f"{commas(len(refused))} of the votes do not fit this session, so none is imported. {met}")
        waiting = [vote for vote in waiting if vote.id in refused]
