"""Tables as datasets: rows of numbers, and texts in one file."""

import codecs
import csv
import gzip
import re
import zlib
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput, TestimateError
from testimate.core.reading import (
    PLAIN,
    READ_AS,
    ROW_NUMBER,
    UNUSABLE,
    UTF_8,
    WINDOWS_1252,
    ColumnRole,
    Reading,
    TextFormat,
)
from testimate.core.subject import Modality, Shown, series_of
from testimate.core.words import commas, counted, first_line
from testimate.datasets import limits
from testimate.datasets.array_files import StoredArray
from testimate.datasets.dataset import OpenedDataset, from_column
from testimate.datasets.label_columns import words_of_labels
from testimate.datasets.pictures import ENDINGS, scaled
from testimate.datasets.preprocessing import Preprocessing, prepared_fingerprint
from testimate.datasets.rows import checked_row, checked_rows
from testimate.datasets.texts import CONVERT, TextDataset, checked_text, text_list
from testimate.tables.cells import Cells, Column, pa, parquet, pc
from testimate.tables.column_names import words_of
from testimate.tables.csv import NotUtf8, csv_rows, windows_1252_example
from testimate.tables.csv_cells import with_points
from testimate.tables.few_rows_evidence import OF_KEYS
from testimate.tables.first_cells import SOUND_ENDINGS
from testimate.tables.first_row import with_first_row
from testimate.tables.json_lines import is_object_line, records_of_lines
from testimate.tables.kinds import PARQUET
from testimate.tables.parquet import ParquetColumns, check_pages, is_text
from testimate.tables.records import is_list
from testimate.tables.roles import SHOWN, TableRows, is_index_name
from testimate.tables.rules import FOUND, LATEST

ShowRow = Callable[[int], Shown]


class NumberDataset:
    """(N, width) or (N,) numbers prepared for a model.

    ``names`` : of the columns, if they have any. ``taken`` : places of those given to the model; None for all. ``gaps`` : what
        is wrong in columns besides these, which a model may not take.
        ``show_row`` : what a person sees of a row; None for the numbers themselves. Unscaled whole numbers stay whole,
        because they may be the tokens of a text.
    """

    modality: Modality = "tabular"

    def __init__(
        self,
        stored: StoredArray,
        preprocessing: Preprocessing,
        show_row: ShowRow | None = None,
        *,
        names: tuple[str, ...] = (),
        taken: tuple[int, ...] | None = None,
        gaps: Mapping[str, BadInput] | None = None,
    ) -> None:
        self.gaps = dict(gaps or {})
        self._stored, self.preprocessing, self._show_row = stored, preprocessing, show_row
        self.names, self._columns = names, taken
        self.content_fingerprint = stored.fingerprint
        self.fingerprint = prepared_fingerprint(stored.fingerprint, preprocessing)
        if taken is not None:
            self.fingerprint = fingerprint.of_bytes(self.fingerprint.encode(), repr(taken).encode())

    def __len__(self) -> int:
        return len(self._stored.values)

    @property
    def width(self) -> int:
        """How many numbers a row has."""
        return len(self._columns) if self._columns is not None else self._stored.values[:1].size

    def with_preprocessing(self, preprocessing: Preprocessing) -> "NumberDataset":
        """The same rows with another preprocessing."""
        return self._with(preprocessing, self._columns)

    def _with(self, preprocessing: Preprocessing, taken: tuple[int, ...] | None) -> "NumberDataset":
        return NumberDataset(self._stored, preprocessing, self._show_row, names=self.names, taken=taken, gaps=self.gaps)

    def with_columns(self, wanted: Sequence[str]) -> "NumberDataset":
        """The same rows with the columns of these names in this order; BadInput where one is missing.

        Rows without column names stay as they are.
        """
        if not self.names or tuple(wanted) == self.names:
            return self
        lacking = [name for name in wanted if name not in self.names]
        for name in lacking:
            if name in self.gaps:
                raise self.gaps[name]
        if lacking:
            raise BadInput(
                f"The table has numbers in {', '.join(self.names)!s:.200}. Expected the column {lacking[0]!r:.60}, which the "
                "model takes, too. Name the columns as in the model's training."
            )
        taken = tuple(self.names.index(name) for name in wanted)
        return self._with(self.preprocessing, taken)

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that name or count the rows: whole numbers, all different, that count by one or are called so."""
        found = []
        for place, name in enumerate(self.names):
            values = np.asarray(self._stored.rows(slice(None))[:, place], dtype=np.float64)
            distinct = len(np.unique(values)) >= LEAST_DISTINCT * len(values) and not (values % 1).any()
            if distinct and ((np.diff(values) == 1).all() or OF_KEYS & words_of(name)):
                found.append(name)
        return tuple(found)

    def digests(self) -> Iterator[bytes]:
        """A digest of each row's numbers, without those of columns that name or count the rows."""
        keys = self.keys
        if not keys:
            return self._stored.digests()
        rest = [place for place, name in enumerate(self.names) if name not in keys]
        return (row.tobytes() for row in self._stored.rows(slice(None))[:, rest])

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The numbers of these rows, (len(rows), width) float32, or int64 if they are whole and not scaled."""
        values = self._taken(checked_rows(rows, len(self)))
        if values.dtype.kind in "ui" and self.preprocessing.is_identity:
            return values.astype(np.int64)
        return scaled(values, self.preprocessing)

    def show(self, row: int) -> Shown:
        """The cells of the row without its answer, at most ``limits.SHOWN_CELLS``; many numbers without names as a line."""
        row = checked_row(row, len(self))
        if self._show_row is not None:
            shown = self._show_row(row)
            return Shown(modality="tabular", cells=shortened(shown.cells))
        taken = self._taken(np.array([row]))[0]
        if len(taken) >= limits.SERIES_FROM and not (taken.dtype.kind in "ui" and self.preprocessing.is_identity):
            return Shown(modality="tabular", series=series_of(taken[:, None]))
        numbers = taken[: limits.SHOWN_CELLS + 1]
        cells = [("row", str(row)), *((str(place), f"{number:.6g}") for place, number in enumerate(numbers.tolist()))]
        return Shown(modality="tabular", cells=shortened(tuple(cells), len(taken) + 1))

    def _taken(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The numbers of these rows, (n, width) also where the array is (N,)."""
        values = self._stored.rows(rows).reshape(len(rows), -1)
        return values if self._columns is None else values[:, list(self._columns)]


LEAST_DISTINCT = 0.99
"""Share of the numbers of a key that are different as they are held, which long ones may not all be."""


def shortened(cells: tuple[tuple[str, str], ...], count: int | None = None) -> tuple[tuple[str, str], ...]:
    """The first ``limits.SHOWN_CELLS`` cells and how many more of ``count`` there are."""
    more = (len(cells) if count is None else count) - limits.SHOWN_CELLS
    return cells if more <= 0 else (*cells[: limits.SHOWN_CELLS], ("more", f"{commas(more)} cells are not shown"))


LABEL_NAMES = ("label", "target", "class", "answer", "truth", "y", "category")
"""Names of the column with the true answers, the likeliest first."""

TEXT_NAMES = ("text", "sentence", "review", "content", "code", "source", "func", "function", "document", "comment")
"""Names of the column with the text, the likeliest first."""


@dataclass(frozen=True)
class TableColumns:
    """The columns by role: the one with the answers, those of numbers, those of words."""

    label: str | None
    numbers: tuple[str, ...]
    words: tuple[str, ...]


def find_name(names: tuple[str, ...], wanted: tuple[str, ...], asked: str | None = None) -> str | None:
    """The requested name, else the first wanted one, ignoring case; BadInput where the requested one is missing."""
    folded = {name.strip().casefold(): name for name in names}
    if asked is not None:
        if asked.strip().casefold() not in folded:
            raise BadInput(
                f"There is no column {asked!r:.60}. Expected one of {', '.join(names)!s:.200}. Choose one of these."
            )
        return folded[asked.strip().casefold()]
    return next((folded[name] for name in wanted if name in folded), None)


def open_cells(
    path: Path,
    cells: Cells,
    preprocessing: Preprocessing,
    label: str | None,
    rules: int = LATEST,
    *,
    text: str | None = None,
) -> OpenedDataset:
    """A table of any kind as a dataset: the texts of a column that is named like one, or asked for, else as ``open_table``."""
    cells = cells.by(rules)
    text = find_name(tuple(cells.columns), TEXT_NAMES, text)
    if text is None or not is_text(cells.columns[text].type):
        return open_table(path, cells, preprocessing, label, rules)
    limits.check_rows(cells.size)
    found = find_name(tuple(cells.columns), LABEL_NAMES, label)
    others = tuple(name for name in cells.columns if name != text)
    texts = _Texts(text, found, others, {} if found is not None else words_of_labels(cells, others))
    answers = [None] * cells.size if found is None else Column(found, cells.columns[found]).texts.to_pylist()
    for one, answer in zip(cells.columns[text].to_pylist(), answers, strict=True):
        texts.add(one or "", answer)
    return texts.opened(Reading(path.name, cells.format, cells.written), preprocessing)


def is_json_lines(path: Path) -> bool:
    """Whether the first line of a file, packed by gzip or not, is an object by itself."""
    with closing(_lines(path, errors="replace")) as lines:
        first = next((line for line in lines if line.strip()), "")
    return is_object_line(first.encode())


def open_table(
    path: Path,
    cells: Cells,
    preprocessing: Preprocessing,
    label: str | None,
    rules: int = LATEST,
    *,
    lists: bool = False,
) -> OpenedDataset:
    """The table as a dataset, in the file's order.

    Every column of numbers is a feature, in the file's order, except the label and columns that only number the rows. A
    table without such columns and with a single column of words holds texts.
    ``lists`` : whether the only column of lists of numbers in a Parquet file without such columns has the features.

    Raises
    ------
    BadInput : there is nothing a model could take, or a feature is empty or not a number in some row.
    """
    limits.check_rows(cells.size)
    cells = _of_plain_columns(cells.by(rules))
    if rules >= FOUND:
        cells = with_first_row(cells, rules)
    columns = sorted_columns(cells, find_name(tuple(cells.columns), LABEL_NAMES, label), rules)
    known = None if columns.label is None else from_column(Column(columns.label, cells.columns[columns.label]))
    digest = fingerprint.of_file(path)
    gaps = _gaps(cells, columns.numbers)
    columns = replace(columns, numbers=tuple(name for name in columns.numbers if name not in gaps))
    others = () if columns.label is not None else (*columns.words, *columns.numbers)
    words = {} if columns.label is not None else words_of_labels(cells, columns.words)
    reading = reading_of(path.name, cells, columns, gaps)
    if gaps and not columns.numbers:
        raise next(iter(gaps.values()))
    found = lists_of_numbers(path) if lists and not columns.numbers else None
    shown = TableRows(cells.columns, [name for name in cells.columns if name != columns.label], cells.size, digest)
    if found is not None:
        name, values = found
        words_shown = dict.fromkeys(columns.words, ColumnRole(SHOWN, "a column of words"))
        roles = {
            **reading.roles,
            **words_shown,
            name: ColumnRole(FEATURE, f"lists of {commas(values.shape[1])} numbers"),
        }
        left_out = {one: why for one, why in reading.left_out.items() if one != name}
        reading = replace(reading, roles=roles, left_out=left_out)
        numbers = NumberDataset(StoredArray(path.name, values, digest), preprocessing, shown.show)
        facts = (*_facts(reading), *_read_as(reading))
        return OpenedDataset(path.name, numbers, known, facts, columns=others, words=words, reading=reading)
    if not columns.numbers and len(columns.words) == 1:
        texts = Column(columns.words[0], cells.columns[columns.words[0]]).texts.to_pylist()
        if lists and all(text.lower().endswith((*ENDINGS, *SOUND_ENDINGS)) for text in texts):
            raise BadInput(
                f"{path.name!r:.100} names files, such as {texts[0]!r:.100}. Expected the folder that has them, with this "
                "table in it. Give that folder, or a zip of it, in place of the table."
            )
        dataset = TextDataset(text_list(texts), preprocessing)
        return OpenedDataset(path.name, dataset, known, _read_as(reading), reading=reading)
    if not columns.numbers:
        raise BadInput(
            f"The table's columns are {', '.join(map(repr, cells.columns))!s:.200}, none of numbers except the label. "
            f"Expected numbers a model can take, or one column of text. {_bytes_as_files(path, cells) or 'Export these.'}"
        )
    stored = StoredArray(path.name, features_of(cells, columns.numbers), digest)
    numbers = NumberDataset(stored, preprocessing, shown.show, names=columns.numbers, gaps=gaps)
    facts = (*_facts(reading), *_read_as(reading))
    return OpenedDataset(path.name, numbers, known, facts, columns=others, words=words, reading=reading)


def lists_of_numbers(path: Path) -> tuple[str, NDArray[np.float32]] | None:
    """The only column of lists of numbers in a Parquet file, such as embeddings, (N, width); None where lengths differ."""
    with path.open("rb") as file:
        if file.read(len(PARQUET)) != PARQUET:
            return None
    with _reading_parquet():
        reader = pa.OSFile(str(path))
        read = parquet.ParquetFile(reader, page_checksum_verification=True)
        names = [one.name for one in read.schema_arrow if is_list(one.type) and _is_number(one.type.value_type)]
        if len(names) != 1 or not read.metadata.num_rows:
            return None
        check_pages(reader, read.metadata, names[0])
        found: NDArray[np.float32] | None = None
        done = 0
        for batch in read.iter_batches(batch_size=1024, columns=names, use_threads=False):
            batch.validate(full=True)
            numbers, count = batch.column(0).flatten(), len(batch)
            lengths = pc.unique(pc.list_value_length(batch.column(0))).to_pylist()
            if batch.column(0).null_count or numbers.null_count or len(lengths) != 1 or not lengths[0]:
                return None
            if found is None:
                if (
                    lengths[0] > limits.MAX_VALUES
                    or lengths[0] * read.metadata.num_rows * 4 > limits.MAX_UNFOLDED_BYTES
                ):
                    raise limits.too_large("numbers in an input", lengths[0], limits.MAX_VALUES)
                found = np.empty((read.metadata.num_rows, lengths[0]), dtype=np.float32)
            if lengths[0] != found.shape[1]:
                return None
            found[done : done + count] = numbers.to_numpy(zero_copy_only=False).reshape(count, -1)
            done += count
    return None if found is None or not np.isfinite(found).all() else (names[0], found)


def _is_number(kind: Any) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def _gaps(cells: Cells, names: Sequence[str]) -> dict[str, BadInput]:
    """The columns of numbers that have a cell without one, and what is wrong in each."""
    found = {}
    for name in names:
        if not pa.types.is_boolean(cells.columns[name].type) or cells.columns[name].null_count:
            try:
                Column(name, cells.columns[name]).numbers()
            except BadInput as error:
                found[name] = error
    return found


def _bytes_as_files(path: Path, cells: Cells) -> str:
    """How bytes in cells of a database become files, where it has a column that was left out; "" elsewhere."""
    if not (cells.left_out and cells.format.startswith("SQLite")):
        return ""
    column, table = f"{cells.left_out[0]:.60}", cells.format.partition("table ")[2].strip("'")
    return (
        f"If {column!r} holds pictures or sounds, in Python: for row, content in sqlite3.connect({path.name!r:.60})"
        f".execute('SELECT rowid, {column} FROM {table:.60}'): pathlib.Path(f'{{row}}.png').write_bytes(content)."
    )


def _of_plain_columns(cells: Cells) -> Cells:
    """The table without what was made of lists and structs of Parquet: a model was never given their fields."""
    if not isinstance(cells.columns, ParquetColumns):
        return cells
    plain = cells.columns.without_made()
    nested = dict.fromkeys(re.split(r"[.\[]", name)[0] for name in cells.columns if name not in plain)
    return replace(cells, columns=plain, left_out=(*cells.left_out, *nested))


FEATURE, TEXT, LABEL = "feature", "text", "label"
"""Roles of columns in a dataset: a number or the text that the model takes, or the answer."""


HAS_GAPS = "has no number in some row"
"""Why a column of numbers is left out where a model does not take it."""


def reading_of(name: str, cells: Cells, columns: TableColumns, gaps: Collection[str] = ()) -> Reading:
    """How a table was read as a dataset; ``gaps`` : columns of numbers that lack some."""
    roles = dict.fromkeys(columns.numbers, ColumnRole(FEATURE, "a column of numbers"))
    alone = not columns.numbers and len(columns.words) == 1
    words = ColumnRole(TEXT, "the only column of words") if alone else ColumnRole(SHOWN, "a column of words")
    roles |= dict.fromkeys(columns.words, words)
    if columns.label is not None:
        roles[columns.label] = ColumnRole(LABEL, "its name")
    used = [column for column in cells.columns if column not in gaps]
    found = {column: roles.get(column, ColumnRole(ROW_NUMBER, "its name")) for column in used}
    left_out = dict.fromkeys(cells.left_out, UNUSABLE) | dict.fromkeys(gaps, HAS_GAPS)
    return Reading(name, cells.format, cells.written, found, left_out=left_out)


def _facts(reading: Reading) -> Iterator[tuple[str, str]]:
    """The columns of a table of numbers, in words."""
    yield "features", ", ".join(reading.with_role(FEATURE))
    if words := reading.with_role(SHOWN):
        yield "shown but not given to the model", ", ".join(words)
    if unusable := reading.left_out_because(UNUSABLE):
        yield "columns left out", ", ".join(unusable)


def _read_as(reading: Reading) -> tuple[tuple[str, str], ...]:
    """What was assumed about the file, in words."""
    return ((READ_AS, "; ".join(reading.taken)),) if reading.taken else ()


def sorted_columns(cells: Cells, label: str | None, rules: int = LATEST) -> TableColumns:
    """The columns sorted by their cells, without those that only number the rows by these rules; ``label`` : its column."""
    numbers: list[str] = []
    words: list[str] = []
    for name, values in cells.columns.items():
        if name == label or is_index_name(name, rules):
            continue
        (numbers if pa.types.is_boolean(values.type) or Column(name, values).is_numeric else words).append(name)
    return TableColumns(label, tuple(numbers), tuple(words))


def features_of(cells: Cells, names: tuple[str, ...]) -> NDArray[np.float32]:
    """(N, d) numbers, truth values as 0 and 1."""
    table = np.empty((cells.size, len(names)), dtype=np.float32)
    for place, name in enumerate(names):
        values = cells.columns[name]
        if pa.types.is_boolean(values.type):
            values = pc.cast(values, pa.uint8())
        table[:, place] = Column(name, values).numbers()
    return table


GZIP = b"\x1f\x8b"


@dataclass
class _Texts:
    """Texts and labels as they are read, with their memory counted.

    ``text``, ``label`` : the columns with these. ``others`` : all columns but that of the text. ``words`` : the classes
        in those that may hold labels, where they were looked at.
    """

    text: str
    label: str | None
    others: tuple[str, ...] = ()
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    _bytes: int = 0

    def add(self, text: str, label: str | None) -> None:
        row = len(self.texts)
        self.texts.append(checked_text(text, f"row {row}"))
        self.labels.append(None if label is None else checked_text(label, f"the label of row {row}"))
        self._bytes += len(text) + len(label or "")
        if self._bytes > limits.MAX_TEXT_BYTES:
            raise limits.too_large("or more characters", self._bytes, limits.MAX_TEXT_BYTES)
        if row >= limits.MAX_ROWS:
            raise limits.too_large("or more texts", row + 1, limits.MAX_ROWS)

    def opened(self, reading: Reading, preprocessing: Preprocessing) -> OpenedDataset:
        limits.check_rows(len(self.texts))
        known, text = None, reading.text
        if self.label is not None:
            answers = pa.chunked_array([pa.array(self.labels, pa.large_string())])
            pointed = None if text is None or text.separator == "," else with_points(answers)
            if text is not None and pointed is not None:
                answers, text = pointed, replace(text, decimal_commas=(self.label,))
            known = from_column(Column(self.label, answers))
        reading = replace(reading, text=text, roles=self._roles(), left_out=self._left_out())
        others = self.others if self.label is None else ()
        dataset = TextDataset(text_list(self.texts), preprocessing)
        said = _read_as(reading)
        return OpenedDataset(reading.source, dataset, known, said, columns=others, words=self.words, reading=reading)

    def _roles(self) -> dict[str, ColumnRole]:
        label = {} if self.label is None else {self.label: ColumnRole(LABEL, "its name")}
        return {self.text: ColumnRole(TEXT, "its name"), **label}

    def _left_out(self) -> dict[str, str]:
        return {name: "neither the text nor the label" for name in self.others if name != self.label}


def text_column_of_csv(path: Path) -> str | None:
    """The name of the column with texts in a CSV, judged only by its header; None where no name says so."""
    try:
        with closing(_lines(path, errors="replace")) as lines:
            header = next(csv_rows(lines), [])
    except csv.Error:  # reading the whole table will say what is wrong
        return None
    return find_name(tuple(header), TEXT_NAMES)


def open_csv_texts(path: Path, text: str, preprocessing: Preprocessing, label: str | None) -> OpenedDataset:
    """The texts in a column of a CSV, packed by gzip or not; see ``testimate.tables.csv`` for how it may be written.

    BadInput for ragged rows, a quotation mark that is never closed, characters in no known encoding, or more than the limits.
    """
    try:
        return _csv_texts(path, text, preprocessing, label, PLAIN)
    except NotUtf8:
        with closing(_pieces(path)) as pieces:
            example = windows_1252_example(_bounded(pieces))
        if example is None:
            raise
    return _csv_texts(path, text, preprocessing, label, TextFormat(WINDOWS_1252, example=example))


def _csv_texts(
    path: Path, text: str, preprocessing: Preprocessing, label: str | None, written: TextFormat
) -> OpenedDataset:
    with closing(_lines(path, written.encoding)) as lines:
        rows = csv_rows(lines, strict=True)
        try:
            header = [name.strip() for name in next(rows, [])]
            found = find_name(tuple(header), LABEL_NAMES, label)
            place = header.index(text.strip())
            texts = _Texts(text.strip(), found, tuple(name for name in header if name != text.strip()))
            for cells in rows:
                if not cells:
                    continue
                if len(cells) != len(header):
                    raise BadInput(
                        f"Row {len(texts.texts)} (counted from 0) has {counted(len(cells), 'cell')}. Expected "
                        f"{len(header)}, as many as the header. Put texts with commas in quotation marks."
                    )
                # with other separators than commas they were first read as a table's, without the spaces around them
                cell = cells[place] if rows.separator == "," else cells[place].strip()
                texts.add(cell, None if found is None else cells[header.index(found)])
        except csv.Error as error:
            raise BadInput(
                f"Line {rows.line_num} is not valid CSV ({error!s:.80}). Expected cells of at most "
                f"{commas(limits.MAX_TEXT_LENGTH)} characters with quotation marks in pairs. Correct it."
            ) from error
    return texts.opened(Reading(path.name, "CSV", replace(written, separator=rows.separator)), preprocessing)


def open_json_lines(path: Path, preprocessing: Preprocessing, label: str | None) -> OpenedDataset:
    """The texts of a JSON Lines file, packed by gzip or not: one object per line with a text and, where known, a label."""
    texts: _Texts | None = None
    key: str | None = None
    with closing(_lines(path)) as lines:
        for number, record in records_of_lines(lines, path.name):
            if texts is None:
                names = tuple(record)
                key = find_name(names, TEXT_NAMES) or _only_words(record, label)
                texts = _Texts(key, find_name(names, LABEL_NAMES, label), tuple(name for name in names if name != key))
            text = record.get(key or "")
            if not isinstance(text, str):
                raise BadInput(f"Line {number} has no text under {key!r:.60}. Expected one in every line. Add it.")
            texts.add(text, None if texts.label is None else _word(record.get(texts.label)))
    return (texts or _Texts("", None)).opened(Reading(path.name, "JSON Lines"), preprocessing)


def text_column_of_parquet(path: Path) -> str | None:
    """The name of a Parquet file's column with texts, None where no name says so."""
    with _reading_parquet():
        schema = parquet.read_schema(path)
    found = find_name(tuple(schema.names), TEXT_NAMES)
    return found if found is not None and _is_words(schema.field(found).type) else None


def open_parquet_texts(path: Path, text: str, preprocessing: Preprocessing, label: str | None) -> OpenedDataset:
    """The texts in a column of a Parquet file, read some rows at a time within limits."""
    with _reading_parquet():
        # Equal texts are held once: a small file can claim a long text in each of a million rows.
        reader = pa.OSFile(str(path))
        file = parquet.ParquetFile(reader, read_dictionary=[text], page_checksum_verification=True)
        names = tuple(file.schema_arrow.names)
        found = find_name(names, LABEL_NAMES, label)
        if file.metadata.num_rows > limits.MAX_ROWS:
            raise limits.too_large("texts", file.metadata.num_rows, limits.MAX_ROWS)
        texts = _Texts(text, found, tuple(name for name in names if name != text))
        wanted = [text] if found is None else [text, found]
        for name in wanted:
            check_pages(reader, file.metadata, name)
        for batch in file.iter_batches(batch_size=256, columns=wanted, use_threads=False):
            batch.validate(full=True)
            answers = [None] * len(batch) if found is None else batch.column(found).to_pylist()
            for one, answer in zip(batch.column(text), answers, strict=True):
                texts.add(one.as_py() or "", _word(answer))
    return texts.opened(Reading(path.name, "Parquet"), preprocessing)


@contextmanager
def _reading_parquet() -> Iterator[None]:
    """Turns the errors of a damaged Parquet file into BadInput."""
    try:
        yield
    except TestimateError:
        raise
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"The Parquet file is damaged or cut off ({first_line(error):.120}). Expected a complete one. "
            "Copy or download it again."
        ) from error


def _is_words(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_words(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _lines(path: Path, encoding: str = UTF_8, errors: str = "strict") -> Generator[str, None, None]:
    """The lines of a text in this encoding; NotUtf8 where one is not, BadInput as ``_pieces``."""
    with closing(_pieces(path)) as pieces:
        for count, line in enumerate(pieces):
            try:
                yield (line if count else line.removeprefix(codecs.BOM_UTF8)).decode(encoding, errors)
            except UnicodeDecodeError as error:
                raise NotUtf8(
                    f"Line {count + 1} contains characters that are not UTF-8. Expected text in UTF-8. {CONVERT}."
                ) from error


def _pieces(path: Path) -> Generator[bytes, None, None]:
    """The bytes of each line, packed by gzip or not; BadInput where one is too long or the file is damaged."""
    with path.open("rb") as file:
        packed = file.read(2) == GZIP
        file.seek(0)
        stream: Any = gzip.GzipFile(fileobj=file) if packed else file
        while line := _line(stream):
            if len(line) > limits.MAX_LINE_BYTES:
                raise limits.too_large("or more bytes in a line", len(line), limits.MAX_LINE_BYTES)
            yield line


def _bounded(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces; BadInput where they are more than a table may unpack to: a small gzip file may hold terabytes."""
    total = 0
    for piece in pieces:
        total += len(piece)
        if total > limits.MAX_TEXT_BYTES:
            raise limits.too_large("or more bytes of text", total, limits.MAX_TEXT_BYTES)
        yield piece


def _line(stream: IO[bytes]) -> bytes:
    try:
        return stream.readline(limits.MAX_LINE_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(
            f"The file is damaged or cut off ({error!s:.80}). Expected a complete one. Copy or download it again."
        ) from error


def _only_words(record: dict[str, Any], label: str | None) -> str:
    answers = {label, find_name(tuple(record), LABEL_NAMES)}
    words = [name for name, value in record.items() if isinstance(value, str) and name not in answers]
    if len(words) != 1:
        raise BadInput(
            f"The first line has the keys {', '.join(map(repr, record))!s:.200}. Expected the text under 'text' and the "
            "label under 'label'. Rename them."
        )
    return words[0]


def _word(value: Any) -> str | None:
    return None if value is None else str(value)
