"""What kind of table a file is, by its first bytes and never by its name; without the libraries that read it."""

import codecs
import re
from pathlib import Path

from testimate.core.files import END

PARQUET = b"PAR1"
ARROW, ARROW_STREAM, OLD_FEATHER = b"ARROW1", b"\xff\xff\xff\xff", b"FEA1"
SQLITE = b"SQLite format 3\0"
ZIP, EMPTY_ZIP = b"PK\x03\x04", END
OLD_WORKBOOK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
GZIP = b"\x1f\x8b"

NOT_TEXT = (PARQUET, ARROW, ARROW_STREAM, OLD_FEATHER, SQLITE, OLD_WORKBOOK)
"""First bytes of tables that are no text: those of a new kind stand here too."""

TABLE_ENDINGS = (
    *("csv", "tsv", "txt", "json", "jsonl", "ndjson", "parquet", "pq", "arrow", "feather", "xlsx", "xlsm", "xls"),
    *("sqlite", "sqlite3", "db", "eval", "gz", "zip"),
)
"""Endings of files that may be tables, for fields that ask for some; what is inside decides."""


def without_ending(name: str) -> str:
    """Return the name of a table's file, for people.

    >>> without_ending("mnist test.csv.gz"), without_ending("v1.2")
    ('mnist test', 'v1.2')
    """
    endings = "|".join(TABLE_ENDINGS)
    return re.sub(rf"(\.({endings}))(\.gz)?$", "", name, flags=re.IGNORECASE) or name


TABLE_KINDS = "CSV, TSV, Excel, JSON, JSON Lines, Parquet, Arrow or SQLite, also in a gzip or a zip"
"""The kinds, for people."""

UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_OPENS_RECORDS = b"{[]"


def begins(start: bytes, *kinds: bytes) -> bool:
    """Return whether a file that begins so is of one of these kinds."""
    return start.startswith(kinds)


def is_parquet(path: Path) -> bool:
    """Return whether a file is Parquet, whose columns are read from it when they are asked for; False where there is none."""
    try:
        with path.open("rb") as file:
            return begins(file.read(len(PARQUET)), PARQUET)
    except OSError:
        return False


def is_json(start: bytes) -> bool:
    """Return whether a file that begins so holds JSON; the header of a CSV may begin with a bracket, too.

    >>> is_json(b'[ {"a": 1}]'), is_json(b'{"a": 1}'), is_json(b"[id],name")
    (True, True, False)
    """
    if begins(start, *UTF_16_MARKS):
        start = start.decode("utf-16", errors="ignore").encode()
    text = start.removeprefix(codecs.BOM_UTF8).lstrip()
    following = text[1:].lstrip()[:1]
    if not following:
        return text[:1] in (b"{", b"[")
    return (text[:1] == b"{" and following in (b'"', b"}")) or (text[:1] == b"[" and following in _OPENS_RECORDS)


def is_separated_text(start: bytes) -> bool:
    """Return whether a file that begins so may be a CSV: neither another kind of table nor JSON.

    >>> is_separated_text(b"row,label"), is_separated_text(b"PAR1"), is_separated_text(b'[{"row": 1}]')
    (True, False, False)
    """
    return not begins(start, *NOT_TEXT, ZIP, EMPTY_ZIP, GZIP) and not is_json(start)
