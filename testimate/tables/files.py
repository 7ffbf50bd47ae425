"""Opens every table of unknown origin: what kind it is, its content says and never its name; or one sentence says why not.

Identifies inputs by a digest of what a person sees, which is the same in every set that has the input.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent
from testimate.core.subject import Dataset, Shown
from testimate.tables import limits
from testimate.tables.archives import is_inspect_log, is_workbook, members_of, only_table, opened_zip, samples_of_log
from testimate.tables.array_tables import cells_of_arrays, is_arrays
from testimate.tables.cells import Cells, check_one_column_each
from testimate.tables.csv import SAVE_AS, by_mark, in_utf8, unpack
from testimate.tables.csv_cells import read_csv
from testimate.tables.html_tables import cells_of_html, is_table_in_html
from testimate.tables.json_tables import cells_of_records, read_json
from testimate.tables.kinds import (
    BINARY_READERS,
    BINARY_TABLES,
    EMPTY_ZIP,
    GZIP,
    NOT_TEXT,
    TABLE_KINDS,
    ZIP,
    begins,
    foreign_kind,
    is_json,
    is_parquet,
)
from testimate.tables.parquet import read_parquet
from testimate.tables.workbooks import cells_of_workbook

SEARCHED_BYTES = 1 << 16
"""First bytes of a file by which its kind is recognized."""

MOST_PACKINGS = 3
"""Packings inside each other that are opened: a gzip in a zip in a gzip."""


def file_bytes(source: Path | bytes) -> bytes:
    """The file's content; BadInput where it cannot be read or is larger than ``limits.MAX_FILE_BYTES``."""
    if isinstance(source, bytes):
        content = source
    else:
        try:
            if source.is_file() and source.stat().st_size > limits.MAX_FILE_BYTES:
                raise limits.too_large("bytes", source.stat().st_size, limits.MAX_FILE_BYTES)
            content = source.read_bytes()
        except OSError as error:
            raise _unreadable(source, error) from error
    if len(content) > limits.MAX_FILE_BYTES:
        raise limits.too_large("bytes", len(content), limits.MAX_FILE_BYTES)
    return content


def _unreadable(path: Path, error: OSError) -> BadInput:
    return BadInput(
        f"{path.name!r:.200} could not be read ({error.strerror}). Expected a file that exists and may be read. Check "
        "its name and permissions."
    )


def read_table_file(path: Path, called: str = "", *, repeated: bool = False) -> tuple[Cells, str]:
    """The columns of a file and the fingerprint of its content; Parquet columns are read on demand.

    ``called`` : the name of the file for people, where it is kept under another. ``repeated``, BadInput : see ``read_cells``.
    """
    if is_parquet(path):
        digest = digest_of(path)
        return read_parquet(path), digest
    content = file_bytes(path)
    return read_cells(content, called or path.name, repeated=repeated), fingerprint.of_bytes(content)


def digest_of(path: Path) -> str:
    """The fingerprint of a file's content, read in pieces; BadInput where it cannot be read."""
    try:
        return fingerprint.of_content(path)
    except OSError as error:
        raise _unreadable(path, error) from error


class TableReader(NamedTuple):
    """One kind of table: how its file begins, and how it is read; ``read`` takes the content and the name."""

    knows: Callable[[bytes], bool]
    read: Callable[[bytes, str], Cells]


def read_cells(content: bytes, file_name: str, *, repeated: bool = False) -> Cells:
    """The columns of a table of any of ``TABLE_KINDS``, also in a gzip or a zip.

    Only the content decides which it is: names are changed by hand and by browsers. ``file_name`` is for sentences.
    ``repeated`` : whether of text columns of one name the first is read, and the caller checks that it is not needed.

    Raises
    ------
    BadInput : the content is of no such kind, is truncated, empty, ragged or above the limits, or has two columns of one
        name.
    """
    cells = _read(content, file_name, MOST_PACKINGS)
    if not repeated:
        check_one_column_each(cells, cells.repeated)
    return cells


def _read(content: bytes, name: str, packings: int) -> Cells:
    if not content:
        raise BadInput(f"{name!r:.200} is empty (0 bytes). Expected a table with a header. Export it again.")
    start = content[:SEARCHED_BYTES]
    if begins(start, GZIP, ZIP, EMPTY_ZIP):
        if not packings:
            raise BadInput(f"{name!r:.200} is packed in itself again and again. Expected one table. Unpack it.")
        return (_in_gzip if begins(start, GZIP) else _in_zip)(content, name, packings - 1)
    return next(reader for reader in TABLE_READERS if reader.knows(start)).read(content, name)


def _in_gzip(content: bytes, name: str, packings: int) -> Cells:
    cells = _read(unpack(content) or b"\n", name, packings)
    return replace(cells, format=f"{cells.format} in gzip")


def _in_zip(content: bytes, name: str, packings: int) -> Cells:
    """A workbook, a log of inspect_ai, or the only file in the zip."""
    with opened_zip(content, name) as archive:
        members = members_of(archive)
        if is_inspect_log(members):
            return cells_of_records(samples_of_log(archive, members, name), "inspect_ai log")
        if is_arrays(members):
            return cells_of_arrays(archive, members, name)
        if not is_workbook(members):
            inner, unpacked = only_table(archive, members, name)
            cells = _read(unpacked, inner, packings)
            return replace(cells, format=f"{cells.format} in a zip")
    return cells_of_workbook(content, name)


def _binary(content: bytes, name: str) -> Cells:
    kind = next(kind for kind in BINARY_TABLES if begins(content, *kind.starts))
    return BINARY_READERS[kind.called](content, name)


def _json(content: bytes, name: str) -> Cells:
    text = in_utf8(by_mark(content))
    return read_json(text.content, name)


CONTROLS, MOST_CONTROLS = re.compile(rb"[\x01-\x08\x0e-\x1f]"), 10
"""Bytes that no text has, or few: with one in ten a file is none."""


def _csv(content: bytes, name: str) -> Cells:
    text = by_mark(content)
    start = text.content[:SEARCHED_BYTES]
    if b"\0" in start or MOST_CONTROLS * len(CONTROLS.findall(start)) > len(start):
        raise BadInput(f"{name!r:.200} contains binary data of an unknown kind. Expected {TABLE_KINDS}. {SAVE_AS}")
    return read_csv(text)


def _refuse(content: bytes, name: str) -> Cells:
    kind = foreign_kind(content[:SEARCHED_BYTES])
    assert kind is not None, "only a file of such a kind is refused"
    raise BadInput(f"{name!r:.200} is {kind.called}. Expected a table: {TABLE_KINDS}. {kind.table}")


TABLE_READERS = (
    TableReader(lambda start: begins(start, *NOT_TEXT), _binary),
    TableReader(is_table_in_html, cells_of_html),
    TableReader(lambda start: foreign_kind(start) is not None, _refuse),
    TableReader(is_json, _json),
    TableReader(lambda _: True, _csv),
)
"""The kinds of tables, in the order in which they are tried; the last takes any. A new kind
that is no text is one more line of ``BINARY_TABLES``."""


def digests_of(dataset: Dataset, progress: Progress = silent) -> list[str]:
    """A digest of each input's content, (N,); inputs that look the same have the same digest.

    Each input is rendered as a tester would see it: some 5,000 pictures per second. Raises BadInput where a person sees
    nothing of the inputs, for instance in a table without columns to show.
    """
    found = []
    for row in range(len(dataset)):
        if row % 500 == 0:
            progress(row, len(dataset), "inputs looked at")
        found.append(_digest(dataset.show(row)))
    return found


def _digest(shown: Shown) -> str:
    digest = hashlib.sha256(shown.modality.encode())
    cells = [(name, text) for name, text in shown.cells if name != "row"]
    if shown.image is not None:
        digest.update(shown.image)
    elif shown.audio is not None:
        digest.update(shown.audio)
    elif shown.series is not None:
        digest.update(shown.series.values.tobytes())
    elif shown.text is not None:
        digest.update(shown.text.encode(errors="surrogatepass"))
    elif cells:
        digest.update(repr(cells).encode(errors="surrogatepass"))
    else:
        raise BadInput(
            "Nothing is shown of these inputs, so nothing tells one from another. Expected a column 'key', or pictures, "
            "sounds, texts or columns that may be seen. Add one."
        )
    return digest.hexdigest()[:24]
