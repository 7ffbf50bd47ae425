"""The auxiliary variables of a table, each read on demand and then kept."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from testimate.core.words import commas
from testimate.tables.cells import Array, Column, pa, pc
from testimate.tables.parquet import pieces_of

CONFIDENCE = "confidence"


class TableScores(Mapping[str, NDArray[np.float64]]):
    """Scores by name, (N,) float64 each.

    Parameters
    ----------
    columns : the table's. names : those of them that are scores. confidence : (N,) of the predictions, whose score is 1
        - confidence; None if unknown.
    """

    def __init__(
        self, columns: Mapping[str, Array], names: Sequence[str], confidence: NDArray[np.float64] | None
    ) -> None:
        self._columns, self._confidence = columns, confidence
        self._names = dict.fromkeys([*([] if confidence is None else [CONFIDENCE]), *names])
        self._own = frozenset(names)
        self._read: dict[str, NDArray[np.float64]] = {}

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._read:
            if name == CONFIDENCE and name not in self._own:
                assert self._confidence is not None
                self._read[name] = 1.0 - self._confidence
            else:
                self._read[name] = Column(name, self._columns[name]).numbers()
        return self._read[name]


@dataclass(frozen=True)
class FoundScores:
    """The columns of numbers among some, ``names``, and why others of numbers are ``left_out``."""

    names: tuple[str, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)


NO_NUMBER = "no number in"
"""How the reason begins why a column of numbers with gaps is left out."""


def scores_among(columns: Mapping[str, Array], names: Sequence[str], *, whole: bool = False) -> FoundScores:
    """The columns of numbers among these, checked some rows at a time.

    ``whole`` : whether BadInput is raised where one has a cell that is not a number; else it is left out with the reason.
    """
    found, left_out = [], {}
    for name in names:
        gaps = _gaps(columns, name)
        if gaps is None:
            continue
        if not gaps:
            found.append(name)
            continue
        if whole:
            Column(name, columns[name]).numbers()
        left_out[name] = gaps
    return FoundScores(tuple(found), left_out)


def _gaps(columns: Mapping[str, Array], name: str) -> str | None:
    """Which cells of a column of numbers are none, in words; "" where all are numbers, None where the column is of words."""
    total = numbers = words = 0
    for piece in pieces_of(columns, name):
        total += len(piece)
        if _all_finite(piece):
            numbers += len(piece)
            continue
        one = Column(name, pa.chunked_array([piece]))
        numbers += (found := int(one.is_number.sum()))
        if found < len(piece):
            words += int((~(one.is_number | one.is_empty | one.is_not_finite)).sum())
        if words > _length(columns, name, total) / 2:
            return None  # more than half are words, however the rest is
    if numbers <= words:
        return None
    return f"{NO_NUMBER} {commas(total - numbers)} of {commas(total)} rows" if numbers < total else ""


def _all_finite(piece: Array) -> bool:
    """Whether a piece is of numbers alone, as its type says it."""
    if piece.null_count:
        return False
    if pa.types.is_floating(piece.type):
        return pc.all(pc.is_finite(piece)).as_py() is not False
    return bool(pa.types.is_integer(piece.type))


def is_numeric(columns: Mapping[str, Array], name: str) -> bool:
    """Whether a column is meant as numbers, judged from its first rows if it holds nothing else."""
    for piece in pieces_of(columns, name):
        if not (pa.types.is_floating(piece.type) or pa.types.is_integer(piece.type)):
            return Column(name, columns[name]).is_numeric
        if pc.any(pc.is_finite(piece)).as_py():
            return True
    return False


def _length(columns: Mapping[str, Array], name: str, least: int) -> int:
    ends = getattr(columns, "ends", None)
    return max(int(ends[-1]) if ends is not None else len(columns[name]), least)
