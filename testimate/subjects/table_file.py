"""Decides what a table's file is, by its name and its content, and has it read; or says in one sentence why not."""

from dataclasses import replace
from pathlib import Path

from testimate.core.errors import BadInput
from testimate.subjects import limits
from testimate.subjects.cells import Cells
from testimate.subjects.csv_file import SAVE_AS, read_csv, unpack
from testimate.subjects.parquet_file import read_parquet
from testimate.subjects.spreadsheet_text import from_utf16

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
            raise BadInput(
                f"{source.name!r:.200} could not be read ({error.strerror}); expected a file that exists and may be "
                "read. Check its name and its rights."
            ) from error
    if len(content) > limits.MAX_FILE_BYTES:
        raise limits.too_large("bytes", len(content), limits.MAX_FILE_BYTES)
    return content


def read_cells(content: bytes, file_name: str) -> Cells:
    """The columns of a CSV (also packed by gzip) or a Parquet file.

    The name says which of the two is meant, and the content has to agree. Whether a CSV is packed the content alone
    says: browsers unpack some files without changing their names.

    Raises
    ------
    BadInput : the content is not what the name says, cut off, empty, ragged, larger than the limits, or has two columns
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
    if name.endswith((".parquet", ".pq")):
        if not content.startswith(PARQUET):
            raise BadInput(
                f"{file_name!r:.200} is not Parquet although its name says so; expected a name that fits the content. "
                "Rename it (a CSV ends in .csv) or save the table as Parquet."
            )
        return read_parquet(content)
    if content.startswith(GZIP):
        content = unpack(content)
    decoded = from_utf16(content)
    _check_is_text(decoded or content, file_name)
    if decoded is None:
        return read_csv(content)
    cells = read_csv(decoded)
    return replace(cells, taken=("text in UTF-16", *cells.taken))


def _check_is_text(content: bytes, file_name: str) -> None:
    if content.startswith(PARQUET):
        raise BadInput(
            f"{file_name!r:.200} holds Parquet although its name says CSV; expected a name that fits the content. "
            "Unpack it where it is packed, and rename it to end in .parquet."
        )
    for start, what in FOREIGN:
        if content.startswith(start):
            raise BadInput(f"{file_name!r:.200} holds {what}; expected a table as text in UTF-8. {SAVE_AS}")
    if b"\0" in content[: 1 << 16]:
        raise BadInput(f"{file_name!r:.200} holds binary data; expected a table as text in UTF-8. {SAVE_AS}")
