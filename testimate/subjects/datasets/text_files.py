"""Texts and source code in one file: CSV, Parquet or JSON Lines, read line by line within limits."""

import csv
import gzip
import json
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from testimate.core.errors import BadInput, TestimateError
from testimate.core.words import counted, spaced
from testimate.subjects.arrow import pa, parquet
from testimate.subjects.cells import Column
from testimate.subjects.datasets import limits
from testimate.subjects.datasets.answers import from_column
from testimate.subjects.datasets.opened_dataset import OpenedDataset
from testimate.subjects.datasets.preprocessing import Preprocessing
from testimate.subjects.datasets.table_dataset import LABEL_NAMES, TEXT_NAMES, find_name
from testimate.subjects.datasets.text_dataset import CONVERT, TextDataset, checked_text, text_list
from testimate.subjects.parquet_pages import check_pages
from testimate.subjects.spreadsheet_text import csv_lines

GZIP = b"\x1f\x8b"


@dataclass
class _Texts:
    """Texts and labels as they are read, with their memory counted; ``others`` : further columns."""

    label: str | None
    others: tuple[str, ...] = ()
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

    def opened(self, name: str, preprocessing: Preprocessing) -> OpenedDataset:
        limits.check_rows(len(self.texts))
        known = None
        if self.label is not None:
            known = from_column(Column(self.label, pa.chunked_array([pa.array(self.labels, pa.large_string())])))
        others = self.others if self.label is None else ()
        return OpenedDataset(name, TextDataset(text_list(self.texts), preprocessing), known, columns=others)


def text_column_of_csv(path: Path) -> str | None:
    """The name of the column with texts in a CSV, judged only by its header; None where no name says so."""
    try:
        with closing(_lines(path)) as lines:
            header = next(csv_lines([next(lines, "")]), [])
    except csv.Error:  # reading the whole table will say what is wrong
        return None
    return find_name(tuple(header), TEXT_NAMES)


def open_csv_texts(path: Path, text: str, preprocessing: Preprocessing, label: str | None) -> OpenedDataset:
    """The texts in a column of a CSV, packed by gzip or not.

    BadInput for ragged rows, a quotation mark that is never closed, characters that are not UTF-8, or more than the limits.
    """
    with closing(_lines(path)) as lines:
        reader = csv_lines(lines, strict=True)
        try:
            header = [name.strip() for name in next(reader, [])]
            found = find_name(tuple(header), LABEL_NAMES, label)
            place = header.index(text.strip())
            texts = _Texts(found, tuple(name for name in header if name != text.strip()))
            for cells in reader:
                if not cells:
                    continue
                if len(cells) != len(header):
                    raise BadInput(
                        f"Row {len(texts.texts)} (counted from 0) has {counted(len(cells), 'cell')}; expected "
                        f"{len(header)}, as many as the header. Put texts with commas in quotation marks."
                    )
                texts.add(cells[place], None if found is None else cells[header.index(found)])
        except csv.Error as error:
            raise BadInput(
                f"Line {reader.line_num} is not valid CSV ({error!s:.80}); expected cells of at most "
                f"{spaced(limits.MAX_TEXT_LENGTH)} characters with quotation marks in pairs. Correct it."
            ) from error
    return texts.opened(path.name, preprocessing)


def open_json_lines(path: Path, preprocessing: Preprocessing, label: str | None) -> OpenedDataset:
    """The texts of a JSON Lines file, packed by gzip or not: one object per line with a text and, where known, a label."""
    texts: _Texts | None = None
    key: str | None = None
    with closing(_lines(path)) as lines:
        for number, line in enumerate(lines):
            if not line.strip():
                continue
            record = _record(line, number)
            if texts is None:
                names = tuple(record)
                key = find_name(names, TEXT_NAMES) or _only_words(record, label)
                texts = _Texts(find_name(names, LABEL_NAMES, label), tuple(name for name in names if name != key))
            text = record.get(key or "")
            if not isinstance(text, str):
                raise BadInput(f"Line {number + 1} has no text under {key!r:.60}; expected one in every line. Add it.")
            texts.add(text, None if texts.label is None else _word(record.get(texts.label)))
    return (texts or _Texts(None)).opened(path.name, preprocessing)


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
        texts = _Texts(found, tuple(name for name in names if name != text))
        wanted = [text] if found is None else [text, found]
        for name in wanted:
            check_pages(reader, file.metadata, name)
        for batch in file.iter_batches(batch_size=256, columns=wanted, use_threads=False):
            batch.validate(full=True)
            answers = [None] * len(batch) if found is None else batch.column(found).to_pylist()
            for one, answer in zip(batch.column(text), answers, strict=True):
                texts.add(one.as_py() or "", _word(answer))
    return texts.opened(path.name, preprocessing)


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
            f"The Parquet file is damaged or cut off ({(str(error).splitlines() or [''])[0]:.120}); expected a complete one. "
            "Copy or download it again."
        ) from error


def _is_words(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_words(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _lines(path: Path) -> Generator[str, None, None]:
    """The lines of a UTF-8 text, packed by gzip or not; BadInput where one is too long, damaged or not UTF-8."""
    count = 0
    with path.open("rb") as file:
        packed = file.read(2) == GZIP
        file.seek(0)
        stream: Any = gzip.GzipFile(fileobj=file) if packed else file
        while line := _line(stream):
            if len(line) > limits.MAX_LINE_BYTES:
                raise limits.too_large("or more bytes in a line", len(line), limits.MAX_LINE_BYTES)
            try:
                yield (line if count else line.removeprefix(b"\xef\xbb\xbf")).decode("utf-8")
            except UnicodeDecodeError as error:
                raise BadInput(
                    f"Line {count + 1} holds characters that are not UTF-8; expected text in UTF-8. {CONVERT}."
                ) from error
            count += 1


def _line(stream: IO[bytes]) -> bytes:
    try:
        return stream.readline(limits.MAX_LINE_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(
            f"The file is damaged or cut off ({error!s:.80}); expected a complete one. Copy or download it again."
        ) from error


def _record(line: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"Line {number + 1} is not valid JSON ({error!s:.80}); expected one object per line. Correct it."
        ) from error
    if not isinstance(record, dict):
        raise BadInput(
            f'Line {number + 1} is not an object; expected lines like {{"text": "...", "label": "..."}}. Correct it.'
        )
    return record


def _only_words(record: dict[str, Any], label: str | None) -> str:
    answers = {label, find_name(tuple(record), LABEL_NAMES)}
    words = [name for name, value in record.items() if isinstance(value, str) and name not in answers]
    if len(words) != 1:
        raise BadInput(
            f"The first line has the keys {', '.join(map(repr, record))!s:.200}; expected the text under 'text' and the "
            "label under 'label'. Rename them."
        )
    return words[0]


def _word(value: Any) -> str | None:
    return None if value is None else str(value)
