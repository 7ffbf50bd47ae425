"""Votes on the inputs of a plan in the forms used from Python: a file, a DataFrame, or answers by row."""

import io
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from testimate.charts.html import paragraphs, table
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput
from testimate.core.files import write_whole
from testimate.core.inputs import Inputs
from testimate.core.spreadsheet_cells import SpreadsheetWriter
from testimate.core.words import spaced
from testimate.planning.votes_file import KINDS, KINDS_IN_WORDS, read_votes, verdicts_of_votes
from testimate.subjects.data_frame import Columns, DataFrame, PandasSeries, columns_of
from testimate.subjects.spreadsheet_text import Tell

VoteKind = Literal["failed", "loss", "label"]


@dataclass(frozen=True, repr=False)
class Votes:
    """What was found for the inputs of a plan.

    Attributes
    ----------
    kind : "label", the true class or number; "failed", 1 where the prediction is wrong and 0 where it is right; or "loss".
    cells : row -> the vote as VOTES.csv holds it; "" is "cannot tell".

    >>> Votes.of({8041: "owl", 17: None})
    Votes: 2 inputs with the true label, of which 1 is "cannot tell".
    """

    kind: VoteKind
    cells: Mapping[int, str]

    @classmethod
    def read(cls, path: str | Path, tell: Tell = warnings.warn) -> "Votes":
        """The votes in a VOTES.csv; BadInput where it is none. ``tell`` is called with what an unusual CSV was taken for."""
        kind, cells = read_votes(Path(path), tell)
        return cls(_kind(kind), cells)

    @classmethod
    def of(cls, votes: "VotesSource", kind: VoteKind = "label") -> "Votes":
        """The votes of whatever holds them.

        Parameters
        ----------
        votes : Votes; the path of a VOTES.csv; a DataFrame, or a dataset of the datasets library, with the columns ``row`` and
            one of ``failed``, ``loss`` and ``label``; or row -> answer, also as a Series whose index holds the rows. None and
            nan are "cannot tell".
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
                f"The votes have the columns {', '.join(columns)!s:.200}; expected row and exactly one of {KINDS_IN_WORDS}. "
                "Rename or drop columns."
            )
        return cls(_kind(kinds[0]), _cells(kinds[0], zip(columns["row"], columns[kinds[0]], strict=True)))

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        said = {"label": "the true label", "failed": "right or wrong", "loss": "a loss"}[self.kind]
        unsure = sum(cell == "" for cell in self.cells.values())
        inputs = f"{spaced(len(self))} input{'' if len(self) == 1 else 's'}"
        which = f', of which {spaced(unsure)} {"is" if unsure == 1 else "are"} "cannot tell"' if unsure else ""
        return f"Votes: {inputs} with {said}{which}."

    def _repr_html_(self) -> str:
        return paragraphs([repr(self)]) + table(("row", self.kind), self.cells.items(), len(self))

    def verdicts(self, draws: Sequence[Draw], inputs: Inputs | None = None) -> tuple[Verdict, ...]:
        """A verdict for each draw up to the last one voted on, as ``Selector.tell`` takes them.

        ``inputs`` turn labels into losses. Raises UnknownRow where a vote is on a row that was not drawn.
        """
        return verdicts_of_votes(draws, self.kind, dict(self.cells), inputs)

    def to_frame(self) -> Any:
        """A pandas DataFrame with the columns row and the kind of vote."""
        import pandas as pd

        return pd.DataFrame({"row": list(self.cells), self.kind: list(self.cells.values())})

    def write(self, path: str | Path) -> None:
        """Writes VOTES.csv; a file that was there before stays whole until the new one is."""
        text = io.StringIO()
        lines = SpreadsheetWriter(text)
        lines.writerow(("row", self.kind))
        lines.writerows(self.cells.items())
        write_whole(Path(path), text.getvalue())


VotesSource: TypeAlias = Votes | str | Path | Mapping[int, Any] | PandasSeries | Columns
"""What ``Votes.of`` takes."""


_KINDS: dict[str, VoteKind] = {"failed": "failed", "loss": "loss", "label": "label"}


def _kind(kind: str) -> VoteKind:
    if kind not in _KINDS:
        raise BadInput(f"The kind of vote is {kind!r:.40}; expected failed, loss or label. Choose one of these.")
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
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        whole = isinstance(value, float) and value.is_integer()
        if not whole:
            raise BadInput(
                f"A vote is on row {value!r:.40}; expected the place of an input, a whole number from 0 on, as the plan's "
                "draws have it. Give that."
            )
    row = int(value)
    if row < 0:
        raise BadInput(f"A vote is on row {row}; rows are places from 0 on. Correct it.")
    return row


def _cell(kind: str, answer: Any) -> str:
    """The answer as a cell of VOTES.csv."""
    if answer is None or type(answer).__name__ == "NAType" or answer != answer:  # of pandas, which cannot be compared
        return ""
    if isinstance(answer, bool | np.bool_):
        return str(answer).lower() if kind == "label" else str(int(answer))
    if isinstance(answer, list | tuple | set | frozenset):
        return ";".join(sorted(str(one) for one in answer)) or "none"
    return str(answer).strip()
