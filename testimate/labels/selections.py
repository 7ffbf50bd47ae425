"""Inputs that reviewers chose and named: kept beside the labels, every version, the latest one counting."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import insert, select

from testimate.core.errors import BadInput
from testimate.core.visible_text import check_line
from testimate.core.words import spaced
from testimate.labels.sql_store import SqlStore
from testimate.labels.tables import SELECTIONS

LONGEST_SELECTION_NAME = 80
"""Characters of a name or a column: what a table and a legend can show."""

COLUMN = "tag"
"""The column of a selection whose reviewer named none."""


@dataclass(frozen=True)
class Selection:
    """Inputs that a reviewer chose and named.

    Attributes
    ----------
    subject : key of the subject in the project.
    column, name : the name is the value that these inputs have in this column; untrusted text.
    rows : the inputs, ascending; none where the selection was taken back.
    tester, at : who and when, ISO 8601 in UTC.
    """

    subject: str
    column: str
    name: str
    rows: tuple[int, ...]
    tester: str
    at: str


class Selections:
    """The selections in a label store; append-only, safe between threads and processes as the store is."""

    def __init__(self, store: SqlStore) -> None:
        self._store = store

    def keep(self, selection: Selection, *, size: int) -> None:
        """Keeps the selection, in place of one of the same column and name; ``size`` : N.

        Raises BadInput where it holds no input or one that is not there, or where a name cannot be shown, StoreUnavailable
        where it could not be made durable; then nothing is kept.
        """
        check_line(selection.name, "name of the selection", LONGEST_SELECTION_NAME)
        check_line(selection.column, "column of the selection", LONGEST_SELECTION_NAME)
        rows = sorted(set(selection.rows))
        if not rows or rows[0] < 0 or rows[-1] >= size:
            held = "no input" if not rows else f"input {spaced(rows[0] if rows[0] < 0 else rows[-1])}"
            raise BadInput(
                f"The selection {selection.name!r:.60} holds {held}; expected some of the {spaced(size)} inputs. Choose them "
                "again."
            )
        self._write(selection, rows)

    def take_back(self, selection: Selection, *, tester: str, at: str) -> None:
        """The selection no longer counts; what was kept stays in the store. StoreUnavailable as above."""
        self._write(Selection(selection.subject, selection.column, selection.name, (), tester, at), [])

    def of(self, subject: str) -> list[Selection]:
        """The selections that stand, the newest first."""
        newest_first = select(SELECTIONS).where(SELECTIONS.c.subject == subject).order_by(SELECTIONS.c.sequence.desc())
        with self._store.transaction() as connection:
            found = connection.execute(newest_first).mappings().all()
        standing: dict[tuple[str, str], Selection] = {}
        for row in found:
            fields = {name: value for name, value in row.items() if name != "sequence"}
            one = Selection(**{**fields, "rows": tuple(fields["rows"])})
            standing.setdefault((one.column, one.name), one)
        return [one for one in standing.values() if one.rows]

    def _write(self, selection: Selection, rows: Sequence[int]) -> None:
        with self._store.transaction(writes=True) as connection:
            connection.execute(insert(SELECTIONS), {**asdict(selection), "rows": [int(row) for row in rows]})


def tag_columns(selections: Sequence[Selection], size: int) -> dict[str, NDArray[np.object_]]:
    """The columns that the selections make, by name: the name of each input's selection, (N,), "" where it has none.

    Where two selections of a column share an input, the newer one names it. ``selections`` : the newest first; rows beyond
    ``size``, of a subject that has shrunk, are left out.

    >>> tag_columns([Selection("d", "light", "night", (0, 2), "Ann", "")], 3)["light"].tolist()
    ['night', '', 'night']
    """
    columns: dict[str, NDArray[np.object_]] = {}
    for one in reversed(selections):
        if one.column not in columns:
            columns[one.column] = np.full(size, "", dtype=object)
        columns[one.column][[row for row in one.rows if row < size]] = one.name
    return dict(reversed(columns.items()))
