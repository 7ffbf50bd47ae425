"""Decides what a table's file is, by its name and its content, and reads it, or says in one sentence why it cannot.

Identifies inputs by a digest of what a person sees, which is the same in every set that has the input.
"""

import hashlib
from dataclasses import replace
from pathlib import Path

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent
from testimate.core.subject import Dataset, Shown
from testimate.tables import limits
from testimate.tables.cells import Cells
from testimate.tables.csv import SAVE_AS, by_mark, unpack
from testimate.tables.csv_cells import read_csv
from testimate.tables.parquet import read_parquet

PARQUET_NAMES = (".parquet", ".pq")
GZIP, PARQUET = b"\x1f\x8b", b"PAR1"

FOREIGN = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or an Excel workbook"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x93NUMPY", "a NumPy array"),
)
"""First bytes of files that people take for a CSV, and what to call them."""


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
        f"{path.name!r:.200} could not be read ({error.strerror}); expected a file that exists and may be read. Check "
        "its name and permissions."
    )


def read_table_file(path: Path, called: str = "") -> tuple[Cells, str]:
    """The columns of a file and the fingerprint of its content; Parquet columns are read on demand.

    ``called`` : the name whose ending says what it is, where it is kept under another. BadInput as for ``read_cells``.
    """
    called = called or path.name
    if called.lower().endswith(PARQUET_NAMES) and path.is_file():
        digest = digest_of(path)
        if path.stat().st_size:
            with path.open("rb") as file:
                _check_is_parquet(file.read(len(PARQUET)), called)
            return read_parquet(path), digest
    content = file_bytes(path)
    return read_cells(content, called), fingerprint.of_bytes(content)


def digest_of(path: Path) -> str:
    """The fingerprint of a file's content, read in pieces; BadInput where it cannot be read."""
    try:
        return fingerprint.of_content(path)
    except OSError as error:
        raise _unreadable(path, error) from error


def read_cells(content: bytes, file_name: str) -> Cells:
    """The columns of a CSV (also packed by gzip) or a Parquet file.

    The name says which of the two it is, and the content has to agree. Only the content shows whether a CSV is packed,
    because browsers unpack some files without changing their names.

    Raises
    ------
    BadInput : the content does not match the name, is truncated, empty, ragged or above the limits, or has two columns
        of one name.
    """
    name = file_name.lower()
    if name.endswith(".zip"):
        raise BadInput(
            f"{file_name!r:.200} is a zip; expected a table, or the folder of a dataset. Unpack it, or open it in the browser."
        )
    if not name.endswith((".csv", ".csv.gz", ".parquet", ".pq")):
        raise BadInput(
            f"{file_name!r:.200} is of an unknown kind; expected a name that ends in .csv, .csv.gz or .parquet. "
            f"{SAVE_AS}"
        )
    if not content:
        raise BadInput(f"{file_name!r:.200} is empty (0 bytes); expected a table with a header. Export it again.")
    if name.endswith(PARQUET_NAMES):
        _check_is_parquet(content, file_name)
        return read_parquet(content)
    packed = content.startswith(GZIP)
    text = by_mark(unpack(content) if packed else content)
    _check_is_text(text.content, file_name)
    cells = read_csv(text)
    return replace(cells, format="CSV in gzip") if packed else cells


def _check_is_parquet(start: bytes, file_name: str) -> None:
    if not start.startswith(PARQUET):
        raise BadInput(
            f"{file_name!r:.200} is not Parquet although its name says so; expected a name that fits the content. "
            "Rename it (a CSV ends in .csv) or save the table as Parquet."
        )


def _check_is_text(content: bytes, file_name: str) -> None:
    if content.startswith(PARQUET):
        raise BadInput(
            f"{file_name!r:.200} holds Parquet although its name says CSV; expected a name that fits the content. "
            "Unpack it if it is compressed, and rename it to end in .parquet."
        )
    for start, what in FOREIGN:
        if content.startswith(start):
            raise BadInput(f"{file_name!r:.200} holds {what}; expected a table as text in UTF-8. {SAVE_AS}")
    if b"\0" in content[: 1 << 16]:
        raise BadInput(f"{file_name!r:.200} holds binary data; expected a table as text in UTF-8. {SAVE_AS}")


def digests_of(dataset: Dataset, progress: Progress = silent) -> list[str]:
    """A digest of each input's content, (N,); inputs that look the same have the same digest.

    Each input is rendered as a tester would see it: some 5 000 pictures per second. Raises BadInput where a person sees
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
            "Nothing is shown of these inputs, so nothing tells one from another; expected a column 'key', or pictures, "
            "sounds, texts or columns that may be seen. Add one."
        )
    return digest.hexdigest()[:24]
