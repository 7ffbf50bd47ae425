"""The content of the rows of a prediction table: pictures, sounds and texts, read only when they are shown."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Protocol, overload

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.subject import Modality, Shown
from testimate.core.words import commas
from testimate.datasets import limits
from testimate.datasets.file_sets import ENDINGS_OF, PLURALS
from testimate.datasets.folders import FolderFiles, MatchedFiles, ZipFiles, match_files
from testimate.datasets.pictures import SEEN_ON, decoded, shown_png
from testimate.datasets.rows import Files
from testimate.datasets.sounds import is_sound, read_sound, sound_bytes
from testimate.datasets.texts import text_of
from testimate.tables.cells import Array, Cells, Column, Embedded
from testimate.tables.roles import Roles

NAMED = 5
"""Most file names in a sentence; the rest are counted."""


class Media(Protocol):
    """What a person sees of each row of a table."""

    modality: Modality

    def show(self, row: int) -> Shown:
        """The content of a row; BadInput where it cannot be shown."""
        ...

    def name(self, row: int) -> str:
        """The owner's name for it, such as that of its file; empty if it has none."""
        ...


class Names(Sequence[str]):
    """The names of a table's rows, looked up on demand.

    ``remarks`` : sentences about rows without a file and files without a row; none if all is well.
    """

    def __init__(self, name: Callable[[int], str], size: int, remarks: tuple[str, ...] = ()) -> None:
        self._name, self._size = name, size
        self.remarks = remarks

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, row: int) -> str: ...

    @overload
    def __getitem__(self, row: slice) -> list[str]: ...

    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            return [self._name(one) for one in range(*row.indices(self._size))]
        if not -self._size <= row < self._size:  # iteration over a sequence stops at this error
            raise IndexError(f"There is no row {row}; there are {self._size}.")
        return self._name(row)


class TextCells:
    """Texts in a column of the table."""

    modality: Modality = "text"

    def __init__(self, column: Array, *, code: bool = False) -> None:
        self._column, self._code = column, code

    def show(self, row: int) -> Shown:
        """The text of the cell."""
        return Shown(modality="text", text=self._column[row].as_py() or "", code=self._code)

    def name(self, row: int) -> str:  # noqa: ARG002 - texts have none
        """None: a text has no name."""
        return ""


class EmbeddedMedia:
    """Pictures or sounds in the table itself."""

    def __init__(self, cells: Embedded, modality: Modality) -> None:
        self._cells, self.modality = cells, modality

    def show(self, row: int) -> Shown:
        """The row's picture or sound."""
        return seen(self._cells.read(row), self.name(row) or f"row {row}", self.modality)

    def name(self, row: int) -> str:
        """The name of the file when it was put into the table."""
        return self._cells.name(row)

    def ending(self, row: int) -> str:  # noqa: ARG002 - of all rows the same
        """The ending of a file with the row's content."""
        return ".wav" if self.modality == "audio" else ".png"

    def content(self, row: int) -> bytes:
        """The row's picture as PNG or its sound as WAV; BadInput where it is damaged."""
        shown = self.show(row)
        return shown.audio or shown.image or b""


class NamedFiles:
    """Files of a folder or zip that the rows name.

    ``matched`` : which file belongs to which row. ``fingerprint`` : of the files' names and sizes, in a zip also of
        their checksums, so that changes are noticed without reading the files.
    """

    def __init__(self, files: Files, cells: Array, role: str, where: str) -> None:
        self._files, self._cells, self._where = files, cells, where
        texts = cells.to_pylist()
        self.matched: MatchedFiles = match_files(texts, files.names)
        if len(self.matched.missing) == len(texts):
            some = f", such as {files.names[0]!r:.60}" if files.names else ""
            raise BadInput(
                f"None of the names in the table, such as {texts[0]!r:.60}, is that of a file in {where!r:.100}. "
                "Expected names of "
                f"its {commas(len(files.names))} files{some}. Choose the folder or zip of this table, or the column "
                "with the names."
            )
        self._role: Modality | None = "image" if role == "image" else "audio" if role == "audio" else None
        kinds = Counter(kind for name in self.matched.files if name and (kind := self._kind_of(name)) is not None)
        if not kinds:
            raise BadInput(
                f"The files that the table names in {where!r:.100} are neither pictures nor sounds nor texts, by "
                "their endings. "
                "Expected PNG, JPEG, BMP, WebP, WAV, FLAC, MP3, OGG or texts. Convert them."
            )
        self.modality: Modality = kinds.most_common(1)[0][0]
        self.fingerprint = _fingerprint(files)

    def show(self, row: int) -> Shown:
        """The row's file, read now; BadInput names one that is missing or cannot be decoded.

        It names no folder, which may be called as the row's class is.
        """
        name = self._file(row)
        kind, called = self._kind_of(name), PurePosixPath(name).name
        if kind is None:
            raise BadInput(
                f"{called!r:.100} is neither a picture (PNG, JPEG, BMP, WebP) nor a sound (WAV, FLAC, MP3, OGG) nor a text, by "
                "its ending. Convert it."
            )
        return seen(self._files.read(name), called, kind)

    def name(self, row: int) -> str:
        """The name of the file as given in the table."""
        return self._cells[row].as_py() or ""

    def ending(self, row: int) -> str:
        """The ending of the row's file, such as ".png"; BadInput where there is none."""
        return PurePosixPath(self._file(row)).suffix

    def content(self, row: int) -> bytes:
        """The unchanged bytes of the row's file; BadInput where there is none."""
        return self._files.read(self._file(row))

    def _file(self, row: int) -> str:
        name = self.matched.files[row]
        if name is None:
            raise BadInput(
                f"There is no such file in {self._where!r:.100}. Expected it there. Add it, or answer can't tell."
            )
        return name

    def _kind_of(self, name: str) -> Modality | None:
        if self._role is not None:
            return self._role
        return next((kind for kind, endings in ENDINGS_OF.items() if name.lower().endswith(endings)), None)

    def facts(self) -> tuple[tuple[str, str], ...]:
        """(name, value) pairs: how many rows have a file, which have none, which files belong to no row."""
        found = [
            (PLURALS[self.modality], f"{commas(len(self.matched.files) - len(self.matched.missing))} in {self._where}")
        ]
        if self.matched.missing:
            found.append((MISSING, counted_names([name for _, name in self.matched.missing])))
        if self.matched.superfluous:
            found.append((SUPERFLUOUS, counted_names(self.matched.superfluous)))
        return tuple(found)

    def remarks(self) -> tuple[str, ...]:
        """What is wrong, in one sentence each."""
        return tuple(f"{what.capitalize()}: {names}" for what, names in self.facts() if what in (MISSING, SUPERFLUOUS))


MISSING, SUPERFLUOUS = "rows without a file", "files of no row"


def counted_names(names: Sequence[str]) -> str:
    """The number of names, and the first of them.

    >>> counted_names(["a.png", "b.png"])
    '2 (a.png, b.png)'
    """
    more = f" and {commas(len(names) - NAMED)} more" if len(names) > NAMED else ""
    return f"{commas(len(names))} ({', '.join(name or 'empty' for name in names[:NAMED])}{more})"


# A cell names a file that was given, and is never opened as a path: decision 35.
def media_of(cells: Cells, roles: Roles, source: Path | None) -> Media | None:
    """The content of the rows; None if the table holds only predictions.

    Names of files are only looked up in ``source``, a folder or zip that was given; never elsewhere.

    Raises
    ------
    BadInput : files are given but no column names them or none belongs to a row; or ``source`` cannot be read.
    """
    if roles.file is not None and roles.file[1] in cells.embedded:
        if source is not None:
            raise BadInput(
                f"The column {roles.file[1]!r:.60} contains the files themselves, and {source.name!r:.100} was given as well. "
                "Expected one of the two. Leave the files out."
            )
        return _embedded(cells, *roles.file)
    if source is not None:
        files = open_media(source)
        if roles.file is None:
            raise _unnamed(cells, roles, files, source)
        role, name = roles.file
        return NamedFiles(files, Column(name, cells.columns[name]).texts, role, source.name)
    if roles.text is not None:
        return TextCells(Column(roles.text, cells.columns[roles.text]).texts, code=roles.text in roles.code)
    if roles.file is None and len(cells.embedded) == 1:
        return _embedded(cells, "file", next(iter(cells.embedded)))
    return None


def names_of(cells: Cells, roles: Roles, media: Media | None) -> Names | None:
    """The names of the rows' files, whether the files exist or not."""
    if isinstance(media, NamedFiles):
        return Names(media.name, cells.size, media.remarks())
    if isinstance(media, EmbeddedMedia):
        return Names(media.name, cells.size)
    if roles.file is None:
        return None
    column = Column(roles.file[1], cells.columns[roles.file[1]]).texts
    return Names(lambda row: str(column[row].as_py()), cells.size)


def open_media(source: Path) -> Files:
    """The files of a folder or zip, none of them read; BadInput where it is neither or damaged."""
    try:
        if source.is_dir():
            return FolderFiles(source)
        with source.open("rb") as file:
            start = file.read(2)
    except OSError as error:
        raise BadInput(
            f"{source.name!r:.100} could not be read ({error.strerror}). Expected a folder or a zip with the inputs. "
            "Check its name and permissions."
        ) from error
    if start != b"PK":
        raise BadInput(
            f"{source.name!r:.100} is not a zip. Expected a folder or a zip of pictures, sounds or texts. "
            "Pack them as a zip."
        )
    return ZipFiles(source)


def seen(content: bytes, name: str, kind: Modality) -> Shown:
    """What a person sees of a file's bytes; BadInput where they are damaged or of another kind."""
    if len(content) > limits.MAX_ITEM_BYTES:
        raise limits.too_large(f"bytes in {name!r:.60}", len(content), limits.MAX_ITEM_BYTES)
    if kind == "image":
        return Shown(modality="image", image=shown_png(decoded(content, name, SEEN_ON)))
    if kind == "audio":
        return Shown(modality="audio", audio=sound_bytes(read_sound(content, name)))
    return Shown(modality="text", text=text_of(content, name))


def _embedded(cells: Cells, role: str, name: str) -> EmbeddedMedia:
    """The column's files; if the kind is not given, the first byte distinguishes sounds from pictures."""
    column = cells.embedded[name]
    if role == "file":
        role = "audio" if is_sound(column.read(0)) else "image"
    return EmbeddedMedia(column, "audio" if role == "audio" else "image")


def _unnamed(cells: Cells, roles: Roles, files: Files, source: Path) -> BadInput:
    """The error for files that no column is known to name, with the column that seems to."""
    for name in roles.others:
        some = Column(name, cells.columns[name].slice(0, 100)).texts.to_pylist()
        try:
            found = len(some) - len(match_files(some, files.names).missing)
        except BadInput:
            continue
        if found > len(some) / 2:
            return BadInput(
                f"No column is called image, audio or file, and {source.name!r:.100} has {commas(len(files.names))} files. "
                f"Expected a column with their names. Column {name!r:.60} names {found} of the first {len(some)}: choose it "
                f"for the role file."
            )
    return BadInput(
        f"No column names the {commas(len(files.names))} files in {source.name!r:.100}. Expected a column image, audio or file "
        "with their names. Add one, or say which column it is."
    )


def _fingerprint(files: Files) -> str:
    checks: Any = {name: member.CRC for name, member in files.members.items()} if isinstance(files, ZipFiles) else {}
    return fingerprint.of_bytes(
        *(
            f"{name}\0{files.sizes[name]}\0{checks.get(name, '')}".encode("utf-8", "surrogatepass")
            for name in files.names
        )
    )
