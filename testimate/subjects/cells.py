"""The cells of a table as the file has them, and the columns of numbers and words made from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.rounding import spaced
from testimate.subjects import limits
from testimate.subjects.arrow import Array, pa, pc

NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
NOT_FINITE = r"^[+-]?(nan|inf|infinity)$"


class Embedded(Protocol):
    """A column of encoded pictures or sounds."""

    def read(self, row: int) -> bytes:
        """The bytes of a row; BadInput where there are none."""
        ...

    def name(self, row: int) -> str:
        """What the file of a row was called; empty where it is not known."""
        ...


@dataclass(frozen=True, eq=False)
class Cells:
    """A table as the file has it.

    ``columns`` : by name (stripped of spaces, no two alike when case is ignored), each of ``size`` cells: text from a
        CSV; text, numbers or truth values from Parquet. ``left_out`` : names of columns that can be neither. ``embedded`` :
        columns that hold a picture or a sound in each row, none of which is read yet. ``class_names`` : of columns whose
        numbers count through a list of classes, that list. ``taken`` : what a file that does not say it was taken
        for, such as "columns separated by semicolons".
    """

    columns: dict[str, Array]
    size: int
    left_out: tuple[str, ...] = ()
    embedded: Mapping[str, Embedded] = field(default_factory=dict)
    class_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    taken: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that may play a role, those with embedded files last."""
        return (*self.columns, *self.embedded)


def listed_classes(features: object) -> dict[str, tuple[str, ...]]:
    """The class names by column, from what the datasets library says about its columns (``ClassLabel``); untrusted.

    >>> listed_classes({"label": {"_type": "ClassLabel", "names": ["ant", "bee"]}, "text": {"_type": "Value"}})
    {'label': ('ant', 'bee')}
    """
    found: dict[str, tuple[str, ...]] = {}
    for name, said in features.items() if isinstance(features, dict) else ():
        names = said.get("names") if isinstance(said, dict) and said.get("_type") == "ClassLabel" else None
        if isinstance(names, list) and all(isinstance(one, str) and one.strip() for one in names):
            stripped = tuple(one.strip() for one in names)
            if 0 < len(set(stripped)) == len(stripped) <= limits.MAX_CLASSES:
                found[str(name).strip()] = stripped
    return found


def check_names(names: list[str]) -> None:
    """BadInput where two names are alike, upper or lower case."""
    seen: dict[str, str] = {}
    for place, name in enumerate(names):
        other = seen.setdefault(name.casefold(), name)
        if len(seen) == place + 1:
            continue
        if other == name:
            raise BadInput(f"There are two columns {name!r:.60}; expected each name once. Rename or remove one.")
        raise BadInput(
            f"The columns {other!r:.60} and {name!r:.60} differ only in upper and lower case; expected each name "
            "once. Rename or remove one."
        )


def check_cell_length(name: str, texts: Any) -> None:
    """BadInput where a text of the column is longer than ``limits.MAX_CELL_LENGTH``; it names the row."""
    lengths = pc.utf8_length(texts)
    longest = pc.max(lengths).as_py() or 0
    if longest > limits.MAX_CELL_LENGTH:
        row = pc.index(lengths, longest).as_py()
        raise BadInput(
            f"Column {name!r:.60}, row {spaced(row)} (the first is 0) has {spaced(longest)} characters; expected at most "
            f"{spaced(limits.MAX_CELL_LENGTH)}. Shorten it or remove the column."
        )


class Column:
    """One column, read as numbers or as words.

    Attributes
    ----------
    name : as the file has it.
    values : (N,) float64; nan where the cell is not a number, too.
    is_number : (N,) cells that are finite numbers. is_empty : (N,) cells with nothing in them.
    is_not_finite : (N,) cells that say nan or infinity.
    """

    def __init__(self, name: str, cells: Array) -> None:
        self.name = name
        self._cells = cells
        if pa.types.is_floating(cells.type) or pa.types.is_integer(cells.type):
            self.is_empty: NDArray[np.bool_] = cells.is_null().to_numpy()
            self.values: NDArray[np.float64] = pc.cast(cells, pa.float64(), safe=False).to_numpy().astype(np.float64)
            unknown = np.isnan(self.values)
        else:
            self.is_empty = pc.equal(self.texts, "").to_numpy()
            self.values = _parsed(self.texts)
            unknown = pc.match_substring_regex(self.texts, NOT_FINITE, ignore_case=True).to_numpy()
        self.is_number: NDArray[np.bool_] = np.isfinite(self.values)
        self.is_not_finite: NDArray[np.bool_] = (unknown | np.isinf(self.values)) & ~self.is_empty

    @cached_property
    def texts(self) -> Array:
        """The cells as text without spaces around them, (N,); empty where there is none."""
        return pc.utf8_trim_whitespace(pc.fill_null(pc.cast(self._cells, pa.large_string()), ""))

    def cell(self, row: int) -> str:
        """The text of one cell, quoted for a sentence and cut to 40 characters."""
        return repr(self.texts[row].as_py()[:40])

    @property
    def is_numeric(self) -> bool:
        """Whether the column is meant as numbers: more than half of its filled cells are."""
        words = ~(self.is_number | self.is_empty | self.is_not_finite)
        return bool(self.is_number.any() and self.is_number.sum() > words.sum())

    @property
    def is_whole(self) -> bool:
        """Whether every number in the column is whole."""
        return bool((self.values[self.is_number] % 1 == 0).all())

    def check_filled(self) -> None:
        """BadInput naming the first empty, nan or infinite cell."""
        bad = np.flatnonzero(self.is_empty | self.is_not_finite)
        if bad.size:
            found = "is empty" if self.is_empty[bad[0]] else f"is {self.cell(int(bad[0]))}"
            more = f", as {'is' if bad.size == 2 else 'are'} {spaced(bad.size - 1)} more" if bad.size > 1 else ""
            raise BadInput(
                f"Column {self.name!r:.60}, row {bad[0]} (the first is 0) {found}{more}; expected a value in every row. "
                "Fill or remove these rows or the column."
            )

    def numbers(self) -> NDArray[np.float64]:
        """The column as (N,) finite float64; BadInput naming the first cell that is none."""
        self.check_filled()
        bad = np.flatnonzero(~self.is_number)
        if bad.size:
            raise BadInput(
                f"Column {self.name!r:.60}, row {bad[0]} (the first is 0) holds the text {self.cell(int(bad[0]))}; "
                "expected numbers. Correct it or remove the column."
            )
        return self.values

    def numbers_between_0_and_1(self) -> NDArray[np.float64]:
        """The column as (N,) float64 in [0, 1], what rounding puts beyond set to the border; BadInput otherwise."""
        values = self.numbers()
        bad = np.flatnonzero((values < -1e-6) | (values > 1 + 1e-6))
        if bad.size:
            raise BadInput(
                f"Column {self.name!r:.60}, row {bad[0]} (the first is 0) is {values[bad[0]]:g}; expected "
                "probabilities from 0 to 1. Correct it, or rename a column that means something else."
            )
        return np.clip(values, 0.0, 1.0)


def _parsed(texts: Array) -> NDArray[np.float64]:
    """Each text as a number, nan where it is none, (N,)."""
    try:
        values = pc.cast(texts, pa.float64())
    except pa.ArrowInvalid:  # some cells are not numbers: the others are still wanted
        values = pc.cast(pc.if_else(pc.match_substring_regex(texts, NUMBER), texts, "nan"), pa.float64())
    return np.array(values.to_numpy(), dtype=np.float64)
