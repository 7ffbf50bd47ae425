"""What kind of table a file is, by its first bytes and never by its name; without the libraries that read it."""

import codecs
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from testimate.core.files import END
from testimate.core.plug_ins import LazyMapping

if TYPE_CHECKING:  # PyArrow, which telling a kind does without
    from testimate.tables.cells import Cells

PARQUET = b"PAR1"
ARROW, ARROW_STREAM, OLD_FEATHER = b"ARROW1", b"\xff\xff\xff\xff", b"FEA1"
SQLITE = b"SQLite format 3\0"
ZIP, EMPTY_ZIP = b"PK\x03\x04", END
WORKBOOK = "Excel workbook"
"""How the format of a sheet begins."""

OLD_WORKBOOK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
GZIP = b"\x1f\x8b"


class BinaryTable(NamedTuple):
    """A kind of table that is no text.

    ``called`` : its name, for people. ``starts`` : its first bytes, any of them. ``endings`` : of files that may be of it.
    ``reader`` : "module:function" in this package, which takes a file's content and name, and returns its ``Cells``; it is
    imported when the first of them is read.
    """

    called: str
    starts: tuple[bytes, ...]
    endings: tuple[str, ...]
    reader: str


BINARY_TABLES = (
    BinaryTable("Excel", (OLD_WORKBOOK,), ("xlsx", "xlsm", "xls"), "workbooks:cells_of_workbook"),
    BinaryTable("Parquet", (PARQUET,), ("parquet", "pq"), "parquet:cells_of_parquet"),
    BinaryTable("Arrow", (ARROW, ARROW_STREAM, OLD_FEATHER), ("arrow", "feather"), "arrow_tables:cells_of_arrow"),
    BinaryTable("SQLite", (SQLITE,), ("sqlite", "sqlite3", "db"), "sqlite_tables:cells_of_database"),
)
"""The kinds that are no text; Excel's newer files begin as a zip. A new kind is one more line."""

BINARY_READERS: LazyMapping[str, "Callable[[bytes, str], Cells]"] = LazyMapping(
    "testimate.tables", {kind.called: kind.reader for kind in BINARY_TABLES}, "kind of table"
)

NOT_TEXT = tuple(start for kind in BINARY_TABLES for start in kind.starts)
"""First bytes of tables that are no text."""

TABLE_ENDINGS = (
    *("csv", "tsv", "txt", "json", "jsonl", "ndjson"),
    *(ending for kind in BINARY_TABLES for ending in kind.endings),
    *("eval", "gz", "zip"),
)
"""Endings of files that may be tables, for fields that ask for some; what is inside decides."""


def without_ending(name: str) -> str:
    """Return the name of a table's file, for people.

    >>> without_ending("mnist test.csv.gz"), without_ending("v1.2")
    ('mnist test', 'v1.2')
    """
    endings = "|".join(TABLE_ENDINGS)
    return re.sub(rf"(\.({endings}))(\.gz)?$", "", name, flags=re.IGNORECASE) or name


TABLE_KINDS = (
    f"CSV, TSV, JSON, JSON Lines, {', '.join(kind.called for kind in BINARY_TABLES[:-1])} or {BINARY_TABLES[-1].called}, also "
    "in a gzip or a zip"
)
"""The kinds, for people."""

START_BYTES = 512
"""First bytes of a file that say its kind."""

UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_OPENS_RECORDS = b'{[]"0123456789'


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


_COMMENTS = re.compile(rb"\A(?:%[^\n]*\n\s*)+")
"""Lines before the first of a file of Weka's."""


class ForeignKind(NamedTuple):
    """A kind of file that is neither a table nor inputs that are read: people drop it for either.

    ``starts`` : the bytes that stand at the place ``at``, any of them. ``called`` : the kind, for people. ``table``,
    ``inputs`` : what to do if a table, or inputs, were expected; the same if ``inputs`` is empty.
    """

    starts: tuple[bytes, ...]
    called: str
    table: str
    inputs: str = ""
    at: int = 0

    def knows(self, start: bytes) -> bool:
        """Return whether a file that begins so is of this kind; white space before its first bytes says nothing."""
        text = start.lstrip() if not self.at else start[self.at :]
        return text.startswith(self.starts) or (not self.at and _COMMENTS.sub(b"", text).startswith(self.starts))


_AS_PICTURE, _MORE_PICTURES = (
    "Choose it as a picture, in a zip or a folder.",
    "Put the pictures into a folder or a zip.",
)
GIF_TO_PNG, TIFF_TO_PNG = "Convert to PNG: mogrify -format png *.gif.", "Convert to PNG: mogrify -format png *.tif."
HEIC_TO_JPEG = "Convert to JPEG, as phones and most picture viewers do on export."
DICOM_TO_ARRAY = (
    "In Python: numpy.savez('data.npz', x_test=[pydicom.dcmread(file).pixel_array for file in sorted(glob('*.dcm'))])."
)

_OF_HDF5 = "In Python: f = h5py.File(FILE); numpy.savez('data.npz', x_test=f['X'][()], y_test=f['Y'][()]), named as in list(f)."

FOREIGN = (
    ForeignKind((b"\x89PNG",), "a PNG picture", _AS_PICTURE, _MORE_PICTURES),
    ForeignKind((b"\xff\xd8\xff",), "a JPEG picture", _AS_PICTURE, _MORE_PICTURES),
    ForeignKind((b"GIF8",), "a GIF picture", GIF_TO_PNG),
    ForeignKind((b"II*\x00", b"MM\x00*"), "a TIFF picture", TIFF_TO_PNG),
    ForeignKind((b"ftypheic", b"ftypheix", b"ftypmif1"), "a HEIC picture", HEIC_TO_JPEG, at=4),
    ForeignKind((b"DICM",), "a DICOM picture", DICOM_TO_ARRAY, at=128),
    ForeignKind(
        (b"RIFF", b"fLaC", b"ID3\x02", b"ID3\x03", b"ID3\x04", b"OggS"),
        "a sound or a picture",
        "Choose it as an input, in a zip or a folder.",
        "Put the sounds or pictures into a folder or a zip.",
    ),
    ForeignKind((b"%PDF",), "a PDF document", "Save the table in it as CSV.", "Save the texts as CSV or JSON Lines."),
    ForeignKind((b"%!PS",), "a PostScript program", "Save the table in it as CSV.", "Save the pictures as PNG."),
    ForeignKind(
        (b"\x89HDF",),
        "an HDF5 file",
        "In pandas: pandas.read_hdf(...).to_parquet('table.parquet').",
        _OF_HDF5,
    ),
    ForeignKind((b"\x93NUMPY",), "a NumPy array", "Choose it as data for a model, or save predictions as CSV."),
    ForeignKind(
        (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"),
        "a pickle, which can run any program on this computer",
        "In pandas: frame.to_parquet('table.parquet').",
        "In Python, if you trust it: numpy.savez('data.npz', **pickle.load(open(FILE, 'rb'))), for a dictionary of arrays.",
    ),
    ForeignKind((b"<!DOCTYPE", b"<html"), "an HTML page", "Download the file itself, not the page around it."),
    ForeignKind((b"<?xml",), "an XML document", "In pandas: pandas.read_xml(...).to_parquet('table.parquet')."),
    ForeignKind((b"ORC",), "an ORC file", "In pandas: pandas.read_orc(...).to_parquet('table.parquet')."),
    ForeignKind((b"Obj\x01",), "an Avro file", "In DuckDB: COPY (FROM read_avro('...')) TO 'table.parquet'."),
    ForeignKind((b"$FL2",), "an SPSS file", "In pandas: pandas.read_spss(...).to_parquet('table.parquet')."),
    ForeignKind((b"<stata_dta>",), "a Stata file", "In pandas: pandas.read_stata(...).to_parquet('table.parquet')."),
    ForeignKind(
        (b"MATLAB 5",),
        "a MATLAB file",
        "In MATLAB: writetable(T, 'table.csv').",
        "In Python: m = scipy.io.loadmat(FILE); numpy.savez('data.npz', x_test=m['X'], y_test=m['y'].ravel()), with the names "
        "in m. Where the inputs lie along the last axis: numpy.moveaxis(m['X'], -1, 0).",
    ),
    ForeignKind(
        (b"MATLAB 7",),
        "a MATLAB file of version 7.3, which is HDF5",
        "In MATLAB: writetable(T, 'table.csv').",
        _OF_HDF5,
    ),
    ForeignKind(
        (b"@relation", b"@RELATION", b"@Relation"),
        "a file of Weka's, ARFF",
        "In Weka: Save as CSV. In Python: pandas.DataFrame(scipy.io.arff.loadarff(FILE)[0]).map(lambda cell: cell.decode() if "
        "isinstance(cell, bytes) else cell).to_parquet('table.parquet').",
    ),
    ForeignKind(
        (b"ustar",),
        "a tar archive",
        "Unpack it with tar -xf.",
        "Unpack it with tar -xf, and choose the folder, or a zip of it.",
        257,
    ),
    ForeignKind(
        (b"RDX", b"RDA", b"X\n\x00\x00\x00"),
        "an R object",
        "In R: write.csv(frame, 'table.csv', row.names = FALSE).",
    ),
    ForeignKind((b"GGUF",), "the weights of a language model", "Save what it said as CSV or JSON Lines."),
    ForeignKind((b"BZh",), "a bzip2 archive", "Unpack it with bunzip2."),
    ForeignKind((b"\xfd7zXZ",), "an xz archive", "Unpack it with unxz."),
    ForeignKind((b"\x28\xb5\x2f\xfd",), "a Zstandard archive", "Unpack it with unzstd."),
    ForeignKind((b"7z\xbc\xaf",), "a 7z archive", "Unpack it with 7z x."),
    ForeignKind((b"Rar!",), "a RAR archive", "Unpack it with unrar x."),
)
"""The kinds that are read neither as tables nor as inputs, in one list for tables, inputs and models."""


def foreign_kind(start: bytes) -> ForeignKind | None:
    """Return the kind of a file that begins so; None where it may be a table or inputs.

    >>> foreign_kind(b"%PDF-1.7").called, foreign_kind(b"a,b")
    ('a PDF document', None)
    """
    return next((kind for kind in FOREIGN if kind.knows(start)), None)
