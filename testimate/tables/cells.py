"""The cells of a table as they are in the file, and the columns of numbers and words made from them.

The only import of pyarrow, which has no types yet and makes its functions at run time: to the type checker it is Any.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.reading import TextFormat
from testimate.core.words import commas
from testimate.tables import limits
from testimate.tables.rules import TRANSLATED

pa: Any = import_module("pyarrow")
pc: Any = import_module("pyarrow.compute")
arrow_csv: Any = import_module("pyarrow.csv")
arrow_json: Any = import_module("pyarrow.json")
parquet: Any = import_module("pyarrow.parquet")

Array: TypeAlias = Any
"""A pyarrow ChunkedArray: the N cells of one column."""


INPUT, OUTPUT = ".input", ".output"
"""What the names of the two columns of a chat end in: all turns but the last, and the last, which a model gave."""

NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
NOT_FINITE = r"^[+-]?(nan|inf|infinity)$"


class Embedded(Protocol):
    """A column of encoded pictures or sounds."""

    def read(self, row: int) -> bytes:
        """The bytes of a row; BadInput where there are none."""
        ...

    def name(self, row: int) -> str:
        """The name of a row's file; empty where it is not known."""
        ...


@dataclass(frozen=True, eq=False)
class Cells:
    """A table as the file has it.

    ``columns`` : by name (stripped of spaces, no two alike when case is ignored), each of ``size`` cells: text from a
        CSV; text, numbers or truth values from Parquet, where a column is read when it is looked up. ``left_out`` :
        names of columns that cannot be used. ``embedded`` : columns that hold a picture or a sound in each row, not
        read yet. ``class_names`` : the list of classes of columns whose numbers are places in one. ``written`` : how the
        file's text is written; None where it is not text. ``format`` : what the file is, for people. ``notes`` : sentences
        on what a person should know of the file, such as merged cells. ``before`` : gives the table as it was read before the
        rules ``since``; None where that is the same. ``changes`` : what is read otherwise than then, for the fingerprint.
        ``truth`` : the column that the file itself calls the class; "" where it does not. ``repeated`` : names that stand
        above several columns, of which the first is read. ``looked_at`` : what ``first_column`` keeps.
    """

    columns: Mapping[str, Array]
    size: int
    left_out: tuple[str, ...] = ()
    embedded: Mapping[str, Embedded] = field(default_factory=dict)
    class_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    written: TextFormat | None = None
    format: str = "table in memory"
    notes: tuple[str, ...] = ()
    before: "Callable[[], Cells] | None" = None
    since: int = TRANSLATED
    changes: tuple[str, ...] = ()
    truth: str = ""
    repeated: tuple[str, ...] = ()
    looked_at: dict[str, "Column"] = field(default_factory=dict, init=False, repr=False)

    @property
    def taken(self) -> tuple[str, ...]:
        """What was assumed about the file's format, such as "columns separated by semicolons"."""
        return () if self.written is None else self.written.in_words()

    @property
    def chats(self) -> tuple[str, ...]:
        """The paths that held a chat: its last turn is the column with ``OUTPUT`` behind the path, the rest with ``INPUT``."""
        whole = [name.removesuffix(OUTPUT) for name in self.columns if name.endswith(OUTPUT)]
        return tuple(name for name in whole if f"{name}{INPUT}" in self.columns)

    def by(self, rules: int) -> "Cells":
        """The table as it was read by these rules."""
        cells = self
        while cells.before is not None and rules < cells.since:
            cells = cells.before()
        return cells

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that may have a role, those with embedded files last."""
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


def second_columns(names: Sequence[str], cells: Callable[[int], Array]) -> tuple[int, ...]:
    """Return the places of columns whose name an earlier one has, in other capitals perhaps; none where the first line may be
    no header.

    ``cells`` : the texts of the column at a place. A line of cells has numbers, or words that stand below them, too. A column
    without a name is a second one only if it is empty.
    """
    first = {name.casefold(): place for place, name in reversed([*enumerate(names)])}
    found = [place for place, name in enumerate(names) if first[name.casefold()] < place]
    for name in {names[place] for place in found}:
        places = [place for place, other in enumerate(names) if other == name and (name or place in found)]
        if re.match(NUMBER, name) or any(pc.any(pc.equal(cells(place), name)).as_py() for place in places if name):
            return ()
        if not name and any(pc.any(pc.not_equal(cells(place), "")).as_py() for place in places):
            return ()
    return tuple(found)


def check_one_column_each(cells: Cells, names: Iterable[str]) -> None:
    """BadInput where a column that is needed has a name that stands above several."""
    second = {name.casefold(): name for name in cells.repeated}
    for name in names:
        if name.casefold() in second:
            check_names([name, second[name.casefold()]])


def check_names(names: list[str]) -> None:
    """BadInput where two names are equal when case is ignored."""
    seen: dict[str, str] = {}
    for place, name in enumerate(names):
        other = seen.setdefault(name.casefold(), name)
        if len(seen) == place + 1:
            continue
        if other == name:
            raise BadInput(f"Two columns are named {name!r:.60}. Expected unique names. Rename or remove one.")
        raise BadInput(
            f"The columns {other!r:.60} and {name!r:.60} differ only in upper and lower case. Expected each name "
            "once. Rename or remove one."
        )


def check_cell_length(name: str, texts: Any) -> None:
    """BadInput where a text of the column is longer than ``limits.MAX_CELL_LENGTH``; it names the row."""
    if texts.nbytes <= limits.MAX_CELL_LENGTH:
        return
    lengths = pc.utf8_length(texts)
    longest = pc.max(lengths).as_py() or 0
    if longest > limits.MAX_CELL_LENGTH:
        row = pc.index(lengths, longest).as_py()
        mend = (
            "Keep the boxes with the highest scores, or give what the detector wrote as COCO's JSON."
            if name.casefold() == "boxes"
            else "Shorten it or remove the column."
        )
        raise BadInput(
            f"Column {name!r:.60}, row {commas(row)} (counted from 0) has {commas(longest)} characters. Expected at most "
            f"{commas(limits.MAX_CELL_LENGTH)}. {mend}"
        )


class Column:
    """One column, read as numbers or as words; what is not asked for is not computed.

    ``name`` : as the file has it. ``cells`` : its N cells; words may lie in a dictionary, each once. ``codes`` : whether
        digits in it are words, as 007 is.
    """

    def __init__(self, name: str, cells: Array, *, codes: bool = False) -> None:
        self.name = name
        self.cells = cells
        self.codes = codes
        self._of_numbers = bool(pa.types.is_floating(cells.type) or pa.types.is_integer(cells.type))

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """(N,) numbers; nan where the cell is not a number, too. Not to be written to."""
        if self._of_numbers:
            values: NDArray[np.float64] = pc.cast(self.cells, pa.float64(), safe=False).to_numpy()
            return values
        return _parsed(self.words)[self.places] if self._in_words else _parsed(self.texts)

    @cached_property
    def is_empty(self) -> NDArray[np.bool_]:
        """(N,) cells with nothing in them."""
        if not self._of_numbers:
            return self._of_words(pc.equal, "")
        if not self.cells.null_count:
            return np.zeros(len(self.cells), dtype=np.bool_)
        empty: NDArray[np.bool_] = self.cells.is_null().to_numpy()
        return empty

    @cached_property
    def is_number(self) -> NDArray[np.bool_]:
        """(N,) cells that are finite numbers."""
        if self.codes:
            return np.zeros(len(self.cells), dtype=np.bool_)
        if self._in_words:
            return np.isfinite(_parsed(self.words))[self.places]
        return np.isfinite(self.values)

    @cached_property
    def is_not_finite(self) -> NDArray[np.bool_]:
        """(N,) cells that say nan or infinity, or among numbers one too large for a float."""
        if self._of_numbers:
            return ~self.is_number & ~self.is_empty
        if not self._in_words and not self.codes and self.is_number.all():
            return np.zeros(len(self.cells), dtype=np.bool_)
        unknown = self._of_words(pc.match_substring_regex, NOT_FINITE, ignore_case=True)
        huge = np.isinf(_parsed(self.words))[self.places] if self._in_words else np.isinf(self.values)
        words = ~(self.is_number | self.is_empty | unknown | huge)
        if words.sum() > self.is_number.sum():
            return unknown & ~self.is_empty  # 1E94386 is a code among others
        return (unknown | huge) & ~self.is_empty

    @cached_property
    def texts(self) -> Array:
        """The cells as text without spaces around them, (N,); BadInput where they take too much memory."""
        if self._in_words:
            lengths = pc.binary_length(self.words).to_numpy(zero_copy_only=False)
            total = int(np.bincount(self.places, minlength=len(lengths)) @ lengths)
            if total > limits.MAX_UNPACKED_BYTES:
                raise limits.too_large("or more bytes of text", total, limits.MAX_UNPACKED_BYTES)
        cells = self.cells if self.cells.type == pa.large_string() else self.cells.cast(pa.large_string())
        return _trimmed(cells)

    @property
    def words(self) -> Array:
        """The distinct texts, without spaces around them, (K,); "" is one of them if a cell is empty."""
        return self._words_and_places[0]

    @property
    def places(self) -> NDArray[np.intp]:
        """Which of ``words`` each cell is, (N,)."""
        return self._words_and_places[1]

    @property
    def _in_words(self) -> bool:
        return bool(pa.types.is_dictionary(self.cells.type))

    @cached_property
    def _words_and_places(self) -> tuple[Array, NDArray[Any]]:
        given = self.cells.unify_dictionaries() if self._in_words else self.texts.dictionary_encode()
        if isinstance(given, pa.ChunkedArray):
            chunks = given.chunks
            held = chunks[0].dictionary if chunks else pa.array([], given.type.value_type)
        else:
            chunks, held = [given], given.dictionary
        there = [_filled(chunk.indices, len(held)) for chunk in chunks]
        codes = there[0] if len(there) == 1 else np.concatenate([np.zeros(0, dtype=np.int32), *there])
        if not self._in_words:  # texts are trimmed and filled, and each word is one of them
            return held, codes
        trimmed = _trimmed(held.cast(pa.large_string()))
        whole = pa.concat_arrays([trimmed, pa.array([""], pa.large_string())]).dictionary_encode()
        used = np.zeros(len(whole), dtype=np.bool_)
        used[codes] = True  # texts that differ only in spaces count as one
        merged = whole.indices.to_numpy()
        kept = np.unique(merged[used])
        number = np.zeros(len(whole.dictionary), dtype=np.int32)
        number[kept] = np.arange(kept.size)
        # a cell without a value stands behind the last word, and may be the same as an empty one in front of it
        same = not used[-1] and kept.size == len(held) and bool((number[merged[:-1]] == np.arange(len(held))).all())
        return whole.dictionary.take(pa.array(kept)), codes if same else number[merged][codes]

    def _of_words(self, ask: Any, *asked: Any, **named: Any) -> NDArray[np.bool_]:
        """A property of each cell's text, (N,), computed once per word where words are known."""
        if self._in_words:
            said: NDArray[np.bool_] = ask(self.words, *asked, **named).to_numpy(zero_copy_only=False)[self.places]
            return said
        found: NDArray[np.bool_] = ask(self.texts, *asked, **named).to_numpy()
        return found

    @cached_property
    def distinct(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The distinct numbers, rising, and how often each occurs, both (K,); nan is left out."""
        counted = pc.value_counts(pa.array(self.values))
        numbers, counts = (counted.field(place).to_numpy(zero_copy_only=False) for place in (0, 1))
        order = np.argsort(numbers)
        order = order[~np.isnan(numbers[order])]
        return numbers[order], counts[order]

    def cell(self, row: int) -> str:
        """The text of one cell, quoted for a sentence and cut to 40 characters."""
        return repr(Column(self.name, self.cells.slice(row, 1)).texts[0].as_py()[:40])

    @property
    def is_numeric(self) -> bool:
        """Whether the column is meant as numbers: more than half of its filled cells are."""
        if self._of_numbers:
            return bool(self.is_number.any())
        if not self.has_numbers:
            return False
        words = ~(self.is_number | self.is_empty | self.is_not_finite)
        return bool(self.is_number.sum() > words.sum())

    @property
    def has_numbers(self) -> bool:
        """Whether any cell is a finite number."""
        return bool(self._distinct.is_number.any())

    @property
    def has_numbers_alone(self) -> bool:
        """Whether every cell is a finite number."""
        return bool(self._distinct.is_number.all())

    @cached_property
    def _distinct(self) -> "Column":
        """Each word once, as a column, where words are known; else the column: a mask of tens of millions of rows is costly."""
        return Column(self.name, pa.chunked_array([self.words]), codes=self.codes) if self._in_words else self

    @property
    def is_whole(self) -> bool:
        """Whether every number in the column is whole."""
        if pa.types.is_integer(self.cells.type):
            return True
        if self._in_words:
            numbers = _parsed(self.words)
            return bool((numbers[np.isfinite(numbers)] % 1 == 0).all())
        return bool((self.values[self.is_number] % 1 == 0).all())

    def check_filled(self, *, words: bool = False) -> None:
        """BadInput naming the first empty, nan or infinite cell; ``words`` : whether nan and infinity are words like others."""
        if not (self._distinct.is_empty | (self._distinct.is_not_finite & (not words))).any():
            return
        bad = np.flatnonzero(self.is_empty | (self.is_not_finite & (not words)))
        if bad.size:
            found = "is empty" if self.is_empty[bad[0]] else f"is {self.cell(int(bad[0]))}"
            more = f", as {'is' if bad.size == 2 else 'are'} {commas(bad.size - 1)} more" if bad.size > 1 else ""
            raise BadInput(
                f"Column {self.name!r:.60}, row {bad[0]} (counted from 0) {found}{more}. Expected a value in every row. "
                "Fill or remove these rows or the column."
            )

    def numbers(self) -> NDArray[np.float64]:
        """The column as (N,) finite float64; BadInput names the first cell that is not one."""
        if self._of_numbers and not self.cells.null_count and np.isfinite(self.values).all():
            return self.values
        self.check_filled()
        bad = np.flatnonzero(~self.is_number)
        if bad.size:
            raise BadInput(
                f"Column {self.name!r:.60}, row {bad[0]} (counted from 0) contains the text {self.cell(int(bad[0]))}. "
                "Expected a number. Correct it, or leave the column out."
            )
        return self.values

    def numbers_between_0_and_1(self) -> NDArray[np.float64]:
        """The column as (N,) float64 in [0, 1], with rounding errors clipped; BadInput otherwise."""
        values = self.numbers()
        if values.size and values.min() >= 0 and values.max() <= 1:
            return values
        bad = np.flatnonzero((values < -1e-6) | (values > 1 + 1e-6))
        if bad.size:
            mend = "Divide percentages by 100" if values[bad[0]] > 0 else "Take the exponential of logarithms"
            raise BadInput(
                f"Column {self.name!r:.60}, row {bad[0]} (counted from 0) is {values[bad[0]]:g}. Expected a "
                f"probability from 0 to 1. {mend}, or give the column another role."
            )
        return np.clip(values, 0.0, 1.0)


def _trimmed(texts: Array) -> Array:
    """The texts without spaces around them; empty where there is none."""
    return pc.utf8_trim_whitespace(pc.fill_null(texts, "") if texts.null_count else texts)


def _filled(places: Array, instead: int) -> NDArray[Any]:
    """The whole numbers, (n,), with a substitute where there is none."""
    filled: NDArray[Any] = (places.fill_null(instead) if places.null_count else places).to_numpy()
    return filled


def _parsed(texts: Array) -> NDArray[np.float64]:
    """Each text as a number, nan where it is none, (N,)."""
    try:
        values = pc.cast(texts, pa.float64())
    except pa.ArrowInvalid:  # some cells are not numbers, but the others are still needed
        values = pc.cast(pc.if_else(pc.match_substring_regex(texts, NUMBER), texts, "nan"), pa.float64())
    return np.array(values.to_numpy(), dtype=np.float64)
