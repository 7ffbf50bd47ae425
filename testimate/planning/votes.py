"""Votes on the inputs of a plan in the forms used from Python: a file, a DataFrame, or answers by row.

VOTES.csv: what was found for the inputs of a plan, read into verdicts in the order they were drawn.
"""

import csv
import io
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from testimate.charts.html import paragraphs, table
from testimate.core.checks import is_whole
from testimate.core.class_index import UNKNOWN
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput, UnknownRow
from testimate.core.failure_codes import SEPARATOR
from testimate.core.files import write_whole
from testimate.core.inputs import Inputs
from testimate.core.reading import Tell
from testimate.core.spreadsheet_cells import SpreadsheetWriter
from testimate.core.task import Task
from testimate.core.words import commas, counted, is_or_are
from testimate.planning.draws import reached_by
from testimate.tables.data_frame import Columns, DataFrame, PandasSeries, columns_of
from testimate.tables.lines import table_lines

KINDS = ("failed", "loss", "label")
KINDS_IN_WORDS = "failed (1 / 0), loss or label"

LARGEST_LOSS = 1e100
"""No error of a network is larger; squared, weighted and summed, a larger one could overflow."""

LONGEST_ROW = 18
"""Digits of a row: more than any table has rows, and few enough for a whole number of 64 bits."""


ROW = "row"
"""The column of votes that says which input each is on."""

CODES = "codes"
"""The column of votes that says why inputs failed: names with ``failure_codes.SEPARATOR`` between them."""

EXPORTED = frozenset(
    {
        *("row", "key", "file", "text", "cells", "subject", "loss", "failed", "label", "answer", "state", "level"),
        *("prediction", "confidence", "probability", "pick", "tester", "at", "seconds", "why", "reason", "notes"),
        *("round", "counts", "settled by", CODES),
    }
)
"""Columns of Testimate's own files of labels."""


def own_key(name: str) -> str:
    """Return what an export calls a column by which the owner's table numbers its rows.

    >>> own_key("index"), own_key("Row")
    ('index', 'Row (table)')
    """
    return f"{name} (table)" if name.casefold() in EXPORTED else name


def read_votes(path: Path, tell: Tell = warnings.warn) -> tuple["VoteKind", dict[int, str]]:
    """The kind of vote (failed, loss or label) and the cell of each row; an empty cell is "cannot tell".

    ``tell`` : called with what a file was taken for that is not in UTF-8 with commas; see ``table_lines``.
    """
    votes = votes_of_lines(path, *vote_lines(path, tell))
    return votes.kind, dict(votes.cells)


def vote_lines(path: Path, tell: Tell = warnings.warn) -> tuple[list[str], list[list[str]]]:
    """The names of the columns of a file of votes, in lower case, and the cells of its lines; BadInput where it is no table."""
    try:
        lines = table_lines(path, tell)
    except FileNotFoundError:
        raise BadInput(
            f"No file {path}. Expected votes with the columns row and one of {KINDS_IN_WORDS}. Check the path."
        ) from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path} is not a readable CSV file ({error}). Export the votes again as UTF-8 CSV.") from None
    header = [name.strip().lower() for name in lines[0]] if lines else []
    if not {*header} & {*KINDS} and header.count("accept") == 1:
        header[header.index("accept")] = "label"  # of Prodigy's choices
    return header, lines[1:]


def check_line(path: Path, number: int, line: Sequence[str], header: Sequence[str]) -> None:
    """BadInput where a line has not as many cells as the header."""
    if len(line) != len(header):
        raise BadInput(
            f"Line {number} of {path} has {counted(len(line), 'cell')}. Expected {len(header)}, as many as the header. "
            "Repair it."
        )


def votes_of_lines(path: Path, header: Sequence[str], lines: Sequence[Sequence[str]]) -> "Votes":
    """The votes in these lines of a file; BadInput where a column lacks, or a row is none or occurs twice."""
    kinds = [name for name in header if name in KINDS]
    if header.count(ROW) != 1 or len(kinds) != 1:
        raise BadInput(
            f"{path} has the columns {', '.join(header) or 'none'}. Expected row and exactly one of {KINDS_IN_WORDS}, "
            "separated by commas. Rename or remove columns, or save it as CSV with commas."
        )
    row_at, vote_at = header.index(ROW), header.index(kinds[0])
    codes_at = header.index(CODES) if header.count(CODES) == 1 else None
    votes, codes = dict[int, str](), dict[int, str]()
    for number, line in enumerate(lines, start=2):
        check_line(path, number, line, header)
        place = line[row_at].strip()
        if not place.isdecimal() or len(place) > LONGEST_ROW:
            raise BadInput(f"Line {number} of {path} has row {line[row_at]!r:.40}. Expected a whole number. Repair it.")
        row = int(place)
        if row in votes:
            raise BadInput(f"Row {row} appears twice in {path}. Expected one answer per input. Remove one.")
        votes[row] = line[vote_at].strip()
        if codes_at is not None and line[codes_at].strip():
            codes[row] = line[codes_at].strip()
    return Votes(_kind(kinds[0]), votes, codes=codes)


def verdicts_of_votes(
    draws: Sequence[Draw],
    kind: str,
    votes: dict[int, str],
    inputs: Inputs | None,
    outside: Collection[str] = (),
    known: Mapping[int, str] | None = None,
) -> tuple[Verdict, ...]:
    """A verdict for each draw up to the last input voted on, in drawing order, and for the settled ones right after it.

    A draw before it without a vote counts as skipped, as an empty cell does. ``inputs`` are needed to turn labels into losses.
    ``outside`` : names of labels that are no class, and so make the prediction wrong; others are refused. ``known`` : labels
    that were there before the plan, by row; a vote on such an input counts in its place.

    Raises
    ------
    UnknownRow : a vote on a row that was not drawn.
    BadInput : a cell that is no such vote.
    """
    losses = losses_of_votes(draws, kind, votes, inputs, outside)
    drawn = {draw.row for draw in draws} & (known or {}).keys() - votes.keys()
    before = losses_of_known({row: label for row, label in (known or {}).items() if row in drawn}, inputs)
    first: dict[int, int] = {}
    for position, draw in enumerate(draws):
        first.setdefault(draw.row, position)
    settled = {**before, **losses}
    reached = reached_by(draws, max((first[row] + 1 for row in losses), default=0), settled)
    return tuple(Verdict(draw, settled.get(draw.row)) for draw in draws[:reached])


def names_outside(labels: Iterable[str], task: Task) -> frozenset[str]:
    """The names in these labels that are no class of the task."""
    return frozenset(name for label in {*labels} for name in task.typed_names(label)) - {*task.classes}


def losses_of_known(known: Mapping[int, str], inputs: Inputs | None) -> dict[int, float]:
    """The losses that labels known before a plan state, by row; a name that is no class makes the prediction wrong."""
    if not known:
        return {}
    if inputs is None:
        raise BadInput(
            f"The plan has {counted(len(known), 'known label')}, and its table was not found to compare them with. Restore the "
            "table."
        )
    task = inputs.task
    outside = names_outside(known.values(), task)
    cells = {cell: row for row, cell in known.items()}  # each label once: a table may have millions of them
    wrong = {cell for cell in cells if outside and not outside.isdisjoint(task.typed_names(cell))}
    answers = {cell: task.typed_answer(cell, row) for cell, row in cells.items() if cell not in wrong}
    given = {row: answers[cell] for row, cell in known.items() if cell not in wrong}
    losses = dict(zip(given, inputs.losses_of(given).tolist(), strict=True))
    strange = next((row for row, loss in losses.items() if not loss <= LARGEST_LOSS), None)
    if strange is not None:
        raise BadInput(
            f"The known label of row {strange} is {known[strange]:.40}, too far from the prediction to be squared. Correct it."
        )
    return {row: losses.get(row, 1.0) for row in known}


def losses_of_votes(
    draws: Sequence[Draw],
    kind: str,
    votes: Mapping[int, str],
    inputs: Inputs | None,
    outside: Collection[str] = (),
) -> dict[int, float | None]:
    """The loss of each row voted on, None for "cannot tell"; the errors are those of ``verdicts_of_votes``."""
    drawn = {draw.row for draw in draws}
    for row in votes:
        if row not in drawn:
            raise UnknownRow(
                f"Row {row} has an answer, but the plan did not pick it. Expected only rows of the plan, whose chance is "
                "known. Remove that row."
            )
    return {row: _loss(kind, cell, row, inputs, outside) for row, cell in votes.items()}


def answers_of_labels(votes: Mapping[int, str], inputs: Inputs) -> dict[int, Any]:
    """The answers that these label cells mean, by row; empty cells, "cannot tell", are left out."""
    return {row: inputs.task.typed_answer(cell, row) for row, cell in votes.items() if cell != ""}


def class_of_label(cell: str, row: int, inputs: Inputs) -> int:
    """The place of the class that a label names; BadInput where there is no such class."""
    answer = inputs.task.typed_answer(cell, row)
    assert isinstance(answer, int)
    return answer


def is_failed(kind: str, cell: str, row: int) -> bool:
    """Whether a verdict or a loss of 0 or 1 says that the prediction is wrong; BadInput where it is neither."""
    loss = _loss(kind, cell, row, None)
    if loss not in (0.0, 1.0):
        raise BadInput(
            f"The loss of row {row} is {cell:.40}. Expected 0 or 1, because a class is right or wrong. Correct it."
        )
    return loss == 1.0


def _loss(kind: str, cell: str, row: int, inputs: Inputs | None, outside: Collection[str] = ()) -> float | None:
    """The loss that a cell states, or None for "cannot tell"."""
    if cell == "":
        return None
    if kind == "failed":
        if cell.lower() in ("1", "1.0", "true", "fail"):
            return 1.0
        if cell.lower() in ("0", "0.0", "false", "pass"):
            return 0.0
        raise BadInput(
            f"The vote of row {row} is {cell!r:.40}. Expected 1 or 0 under failed, or nothing for can't tell. Correct it."
        )
    if kind == "loss":
        loss = _number(cell, row)
        if not 0 <= loss <= LARGEST_LOSS:
            raise BadInput(
                f"The loss of row {row} is {cell:.40}; a loss is a number from 0 to {LARGEST_LOSS:g}. Correct it."
            )
        return loss
    if inputs is None:
        raise BadInput(
            "The votes are labels, and the plan's table was not found to compare them with. Restore the table."
        )
    if outside and any(name in outside for name in inputs.task.typed_names(cell)):
        return 1.0
    loss = inputs.loss(row, inputs.task.typed_answer(cell, row))
    if not loss <= LARGEST_LOSS:
        raise BadInput(
            f"The label of row {row} is {cell:.40} and the prediction {inputs.predictions[row]}. Expected a loss of at most "
            f"{LARGEST_LOSS:g}. Correct the label."
        )
    return loss


def _number(cell: str, row: int) -> float:
    try:
        return float(cell)
    except ValueError:
        raise BadInput(f"The vote of row {row} is {cell!r:.40}. Expected a number, or nothing. Correct it.") from None


VoteKind = Literal["failed", "loss", "label"]


@dataclass(frozen=True, repr=False)
class Votes:
    """What was found for the inputs of a plan.

    Attributes
    ----------
    kind : "label", the true class or number; "failed", 1 where the prediction is wrong and 0 where it is right; or "loss".
    cells : row -> the vote as VOTES.csv holds it; "" is "cannot tell".
    outside : names among the labels that are no class of the network, and so make its prediction wrong.
    codes : row -> why its input failed, such as "blur;dark"; checked when it is used.
    criteria : of a plan with several, the cells of each by its name; then ``cells`` say "right" where none has a fault.

    >>> Votes.of({8041: "owl", 17: None})
    Votes: 2 inputs with the true label, of which 1 is can't tell.
    """

    kind: VoteKind
    cells: Mapping[int, str]
    outside: frozenset[str] = frozenset()
    codes: Mapping[int, str] = field(default_factory=dict)
    criteria: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str | Path, tell: Tell = warnings.warn) -> "Votes":
        """The votes in a VOTES.csv; BadInput where it is none. ``tell`` is called with what an unusual CSV was taken for."""
        return votes_of_lines(Path(path), *vote_lines(Path(path), tell))

    @classmethod
    def of(cls, votes: "VotesSource", kind: VoteKind = "label") -> "Votes":
        """The votes of whatever holds them.

        Parameters
        ----------
        votes : Votes; the path of a VOTES.csv; a DataFrame, or a dataset of the datasets library, with the columns ``row`` and
            one of ``failed``, ``loss`` and ``label``, and perhaps ``codes``; or row -> answer, also as a Series whose index
            holds the rows. None and nan are "cannot tell".
        kind : what the answers of a mapping or a Series are.

        Raises
        ------
        BadInput : another column, a row that is not a whole number from 0 on or that occurs twice.
        """
        if isinstance(votes, Votes):
            return votes
        if isinstance(votes, str | Path):
            return cls.read(votes)
        if isinstance(votes, Mapping):
            return cls(_kind(kind), _cells(kind, votes.items()))
        if isinstance(votes, PandasSeries) and not isinstance(votes, DataFrame):
            return cls(_kind(kind), _cells(kind, votes.items()))
        columns = columns_of(votes)
        kinds = [name for name in columns if name in KINDS]
        if "row" not in columns or len(kinds) != 1:
            raise BadInput(
                f"The votes have the columns {', '.join(columns)!s:.200}. Expected row and exactly one of {KINDS_IN_WORDS}. "
                "Rename or drop columns."
            )
        cells = _cells(kinds[0], zip(columns["row"], columns[kinds[0]], strict=True))
        return cls(_kind(kinds[0]), cells, codes=coded_rows(columns))

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        said = {"label": "the true label", "failed": "right or wrong", "loss": "a loss"}[self.kind]
        unsure = sum(cell == "" for cell in self.cells.values())
        inputs = counted(len(self), "input")
        which = f", of which {commas(unsure)} {is_or_are(unsure)} can't tell" if unsure else ""
        return f"Votes: {inputs} with {said}{which}."

    def _repr_html_(self) -> str:
        return paragraphs([repr(self)]) + table(("row", self.kind), self.cells.items(), len(self))

    def verdicts(
        self, draws: Sequence[Draw], inputs: Inputs | None = None, known: Mapping[int, str] | None = None
    ) -> tuple[Verdict, ...]:
        """A verdict for each draw up to the last one voted on, as ``Selector.tell`` takes them.

        ``inputs`` turn labels into losses; ``known`` are those of the plan. Raises UnknownRow where a vote is on a row that
        was not drawn.
        """
        return verdicts_of_votes(draws, self.kind, dict(self.cells), inputs, self.outside, known)

    def classes(self, inputs: Inputs) -> dict[int, int]:
        """The place of the class that each label names, UNKNOWN of one that is ``outside``; empty of other votes."""
        labels = {row: cell for row, cell in self.cells.items() if cell} if self.kind == "label" else {}
        return {
            row: UNKNOWN if cell in self.outside else class_of_label(cell, row, inputs) for row, cell in labels.items()
        }

    def to_frame(self) -> Any:
        """A pandas DataFrame with the columns row, the kind of vote and, where there are any, codes."""
        import pandas as pd

        columns, lines = self._lines()
        return pd.DataFrame(lines, columns=list(columns))

    def write(self, path: str | Path) -> None:
        """Writes VOTES.csv; a file that was there before stays whole until the new one is."""
        text = io.StringIO()
        lines = SpreadsheetWriter(text)
        header, cells = self._lines()
        lines.writerow(header)
        lines.writerows(cells)
        write_whole(Path(path), text.getvalue())

    def _lines(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """The names of the columns, and the cells of each vote."""
        if not self.codes:
            return (ROW, self.kind), list(self.cells.items())
        lines = [(row, cell, self.codes.get(row, "")) for row, cell in self.cells.items()]
        return (ROW, self.kind, CODES), lines


VotesSource: TypeAlias = Votes | str | Path | Mapping[int, Any] | PandasSeries | Columns
"""What ``Votes.of`` takes."""


_KINDS: dict[str, VoteKind] = {"failed": "failed", "loss": "loss", "label": "label"}


def _kind(kind: str) -> VoteKind:
    if kind not in _KINDS:
        raise BadInput(f"The kind of vote is {kind!r:.40}. Expected failed, loss or label. Choose one of these.")
    return _KINDS[kind]


def _cells(kind: str, pairs: Iterable[tuple[Any, Any]]) -> dict[int, str]:
    """The votes as text, by row."""
    cells: dict[int, str] = {}
    for said, answer in pairs:
        row = _row(said)
        if row in cells:
            raise BadInput(f"Row {row} has two votes; each input has one. Remove one of them.")
        cells[row] = _cell(kind, answer)
    return cells


def _row(value: Any) -> int:
    if not (is_whole(value) or (isinstance(value, float) and value.is_integer())):
        raise BadInput(
            f"A vote is on row {value!r:.40}. Expected the place of an input, a whole number from 0 on, as the plan's "
            "draws have it. Give that."
        )
    row = int(value)
    if row < 0:
        raise BadInput(f"A vote is on row {row}; rows are places from 0 on. Correct it.")
    return row


def coded_rows(columns: Mapping[str, Any]) -> dict[int, str]:
    """The codes of each row in these columns, as a cell of VOTES.csv has them; empty where there is no such column."""
    given = zip(columns[ROW], columns[CODES], strict=True) if CODES in columns else ()
    codes = {_row(row): _codes_cell(said) for row, said in given}
    return {row: cell for row, cell in codes.items() if cell}


def _codes_cell(said: Any) -> str:
    """The codes of an input as a cell of VOTES.csv, from a text or a list of names."""
    return SEPARATOR.join(map(str, said)) if isinstance(said, list | tuple | np.ndarray) else _cell(CODES, said)


def _cell(kind: str, answer: Any) -> str:
    """The answer as a cell of VOTES.csv."""
    if answer is None or type(answer).__name__ == "NAType" or answer != answer:  # of pandas, which cannot be compared
        return ""
    if isinstance(answer, bool | np.bool_):
        return str(answer).lower() if kind == "label" else str(int(answer))
    if isinstance(answer, list | tuple | set | frozenset):
        return ";".join(sorted(str(one) for one in answer)) or "none"
    return str(answer).strip()
