"""Files in folders and archives by name, and the row of a table each belongs to: none is followed, or read beyond its limit.

A file that is mapped into memory is watched, because its rows would change silently.
"""

import errno
import os
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from testimate.core.errors import BadInput, SubjectChanged, TestimateError
from testimate.core.files import check_directory, check_member, read_member
from testimate.core.fingerprint import of_content
from testimate.core.visible_text import is_line
from testimate.core.words import commas
from testimate.datasets import limits

CLUTTER = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})
"""Names that file managers leave behind."""


def is_hidden(part: str) -> bool:
    """Whether a file or folder of that name is not part of the data."""
    return part.startswith(".") or part in CLUTTER


def check_member_name(name: str) -> None:
    """BadInput where a name in an archive is absolute, climbs out of its folder, or is not printable.

    >>> check_member_name("train/cat/1.png")
    """
    tricks = not name or name.startswith("/") or "\\" in name or ".." in name.split("/") or re.match("[A-Za-z]:", name)
    if tricks or not is_line(name):
        raise BadInput(
            f"The archive names a file {name!a:.100}, which lies outside it or cannot be printed. Expected plain "
            "names inside the archive. Do not trust its maker; make the archive again from the files themselves."
        )


NO_LINK = getattr(os, "O_NOFOLLOW", 0)
PLAIN = os.O_RDONLY | NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""How a file is opened that might be a link or a pipe. Windows has no such flags: there a link is looked for first, and a
file would be taken for text without a flag of its own."""


def small_text(path: Path, most: int) -> str:
    """The UTF-8 text of a file of at most ``most`` bytes; BadInput otherwise."""
    content = file_content(path, most)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{path.name!r:.100} is no UTF-8 text ({error.reason}). Expected that. Save it as UTF-8."
        ) from error


def file_content(path: Path, most: int) -> bytes:
    """The bytes of a plain file of at most ``most`` bytes; BadInput for a link, a pipe, or a larger or missing file."""
    try:
        if not NO_LINK and path.is_symlink():
            raise OSError(errno.ELOOP, "it is a link", str(path))
        handle = os.open(path, PLAIN)
        with open(handle, "rb") as file:
            seen = os.fstat(handle)
            if not stat.S_ISREG(seen.st_mode):
                raise BadInput(f"{path.name!r:.100} is not a plain file. Expected one. Take it out of the folder.")
            content = file.read(min(seen.st_size, most) + 1)  # memory is allocated for the full size requested
    except OSError as error:
        raise BadInput(
            f"{path.name!r:.100} could not be read ({error.strerror}). Expected a plain file that may be read, not a "
            "link. Check its name and permissions."
        ) from error
    if len(content) > most:
        raise BadInput(
            f"{path.name!r:.100} has more than {commas(most)} bytes. Expected at most that many. Make it smaller."
        )
    return content


class FolderFiles:
    """All plain files under a folder, in order of their names; hidden ones are left out.

    ``names`` : with "/" between folders. ``sizes`` : bytes by name. BadInput where there is a link, a pipe or a device,
    or more than ``limits.MAX_FILES``.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            sizes = _sizes(folder)
        except OSError as error:
            raise BadInput(
                f"The folder {folder.name!r:.100} could not be read ({error.strerror}). Expected one that exists and "
                "may be read. Check its name and permissions."
            ) from error
        self.names = tuple(sorted(sizes))
        self.sizes = sizes

    def read(self, name: str) -> bytes:
        """The file's bytes, at most ``limits.MAX_ITEM_BYTES``; BadInput otherwise."""
        return file_content(self._folder / name, limits.MAX_ITEM_BYTES)


def _sizes(folder: Path) -> dict[str, int]:
    waiting, found, seen = [""], dict[str, int](), 0
    while waiting:
        inside = waiting.pop()
        with os.scandir(folder / inside) as entries:
            for entry in entries:
                seen += 1
                if seen > limits.MAX_FILES:
                    raise limits.too_large("or more files and folders", seen, limits.MAX_FILES)
                if is_hidden(entry.name):
                    continue
                name = inside + entry.name
                if entry.is_symlink():
                    raise BadInput(
                        f"{name!r:.100} is a link. Expected files in the folder itself. Copy what it "
                        "points to in its place."
                    )
                if not is_line(name):
                    raise BadInput(
                        f"The file name {name!a:.100} is not printable. Expected printable characters. Rename it."
                    )
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(name + "/")
                elif entry.is_file(follow_symlinks=False):
                    found[name] = entry.stat(follow_symlinks=False).st_size
                else:
                    raise BadInput(f"{name!r:.100} is a pipe or a device. Expected files. Take it out of the folder.")
    return found


class ZipFiles:
    """All files inside a zip, in order of their names; hidden ones are left out.

    ``names`` : with "/" between folders. ``sizes`` : unpacked bytes by name, as the zip claims; they are counted again
        on reading. BadInput for a damaged zip, malicious names, links, encryption, unusual compression, or more than
        the limits.
    """

    def __init__(self, path: Path) -> None:
        with reading_zip(path.name), path.open("rb") as file:
            check_directory(file, path.name, limits.MAX_FILES)
        with reading_zip(path.name):
            self._zip = zipfile.ZipFile(path)
        self.members: dict[str, zipfile.ZipInfo] = {}
        for member in self._zip.infolist():
            check_member_name(member.filename)
            check_member(member)
            if member.is_dir() or any(is_hidden(part) for part in member.filename.split("/")):
                continue
            if member.filename in self.members:
                raise BadInput(
                    f"The zip contains {member.filename!r:.100} twice. Expected each name once. Make it again."
                )
            self.members[member.filename] = member
        self.names = tuple(sorted(self.members))
        self.sizes = {name: self.members[name].file_size for name in self.names}
        total = sum(self.sizes.values())
        if total > limits.MAX_UNFOLDED_BYTES:
            raise limits.too_large("bytes when unpacked", total, limits.MAX_UNFOLDED_BYTES)

    def open(self, name: str) -> IO[bytes]:
        """The file's bytes as a stream; read it inside ``reading_zip``."""
        return self._zip.open(self.members[name])

    def read(self, name: str) -> bytes:
        """The file's bytes, at most ``limits.MAX_ITEM_BYTES``; BadInput otherwise."""
        if self.sizes[name] > limits.MAX_ITEM_BYTES:
            raise limits.too_large(f"bytes in {name!r:.60}", self.sizes[name], limits.MAX_ITEM_BYTES)
        with reading_zip(name):
            return read_member(self._zip, name)


@contextmanager
def reading_zip(name: str) -> Iterator[None]:
    """Turns the errors of a damaged zip into BadInput."""
    try:
        yield
    except TestimateError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        NotImplementedError,  # a compression that zipfile does not know
        ValueError,
        struct.error,
    ) as error:
        raise BadInput(
            f"{name!r:.100} is damaged or cut off ({error!s:.80}). Expected a complete zip. Copy or make it again."
        ) from error


class WatchedFile:
    """A file as it was when this was made: its place on the disk, its size and the time of its last change.

    On another machine, where places and times differ, the file at the same path counts as the same if its content is.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = _state(path)
        self._content = ""  # its fingerprint, if it came from another process and was not checked yet

    def __getstate__(self) -> tuple[Path, str]:
        self.check()
        return self._path, self._content or of_content(self._path)

    def __setstate__(self, sent: tuple[Path, str]) -> None:
        self._path, self._content = sent
        self._seen = None

    def check(self) -> None:
        """Raises SubjectChanged if the file has changed."""
        if self._content:
            self._check_sent()
        if _state(self._path) != self._seen:
            raise SubjectChanged(
                f"{self._path.name!r:.100} was changed or removed after the dataset was opened. Expected the file as it was. "
                "Open the dataset again."
            )

    def _check_sent(self) -> None:
        """Compares the content once with that of the original file."""
        before = _state(self._path)
        try:
            found = of_content(self._path)
        except OSError as error:
            raise SubjectChanged(
                f"{str(self._path)!r:.200} could not be read on this machine ({error.strerror}). Expected the same file under "
                "the same path everywhere. Copy it there."
            ) from error
        if found != self._content:
            raise SubjectChanged(
                f"{str(self._path)!r:.200} is another file on this machine. Expected the same content under the same path "
                "everywhere. Copy it there."
            )
        self._seen, self._content = before, ""


def _state(path: Path) -> tuple[int, ...] | None:
    try:
        seen = os.stat(path)
    except OSError:
        return None
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns


@dataclass(frozen=True, eq=False)
class MatchedFiles:
    """The files of N rows.

    ``files`` : the file of each row, None where there is none. ``missing`` : (row, name) of rows without one.
        ``superfluous`` : files that belong to no row.
    """

    files: tuple[str | None, ...]
    missing: tuple[tuple[int, str], ...]
    superfluous: tuple[str, ...]


def match_files(cells: Sequence[str], files: Sequence[str]) -> MatchedFiles:
    """Finds the file that each cell names: by its path, else by its own name with or without ending.

    If the name itself is unambiguous, folders before it may differ between table and files. The way Unicode composes
    letters may differ, too, and so may case if no two files differ only in case, as on Windows and macOS. BadInput
    where a cell may mean several files.

    >>> match_files(["/data/cat/1.png", "2"], ["pictures/1.png", "pictures/2.png", "pictures/3.png"])
    MatchedFiles(files=('pictures/1.png', 'pictures/2.png'), missing=(), superfluous=('pictures/3.png',))
    """
    paths = {_plain(file): file for file in files}
    if len(paths) < len(files):
        twice = next(file for file in files if paths[_plain(file)] != file)
        raise BadInput(
            f"Two files are called {twice!r:.100}, in different Unicode forms. Expected each name once. Rename one."
        )
    names = _by_name(paths)
    meant: dict[str, str | None] = {}  # of each cell
    asked = _counted({_plain(cell) for cell in cells})
    for row, cell in enumerate(cells):
        if cell not in meant:
            meant[cell] = _file_of(_plain(cell), row, cell, paths, names, asked)
    if None in meant.values():
        _match_without_case(cells, paths, meant)
    found = tuple(meant[cell] for cell in cells)
    used = set(found)
    return MatchedFiles(
        files=found,
        missing=tuple((row, cell) for row, cell in enumerate(cells) if meant[cell] is None),
        superfluous=tuple(file for file in files if file not in used),
    )


def _match_without_case(cells: Sequence[str], paths: Mapping[str, str], meant: dict[str, str | None]) -> None:
    """Fills in the files of cells that differ in case; does nothing if two files differ only in case."""
    folded = {path.casefold(): file for path, file in paths.items()}
    if len(folded) < len(paths):
        return
    names, asked = _by_name(folded), _counted({_plain(cell).casefold() for cell in meant})
    for row, cell in enumerate(cells):
        if meant[cell] is None:
            meant[cell] = _file_of(_plain(cell).casefold(), row, cell, folded, names, asked)


def _file_of(
    path: str,
    row: int,
    cell: str,
    paths: Mapping[str, str],
    names: Mapping[str, Sequence[str]],
    asked: Mapping[str, int],
) -> str | None:
    if not path:
        return None
    if path in paths:
        return paths[path]
    own = path.rsplit("/", 1)[-1]
    candidates = names.get(own, ())
    ends = [one for one in candidates if one.endswith(f"/{path}") or path.endswith(f"/{one}")]
    if len(ends) == 1:
        return paths[ends[0]]
    if len(candidates) > 1 and ("/" not in path or len(ends) > 1):
        two = " and ".join(repr(paths[one]) for one in (ends or candidates)[:2])
        raise BadInput(
            f"Row {row} (counted from 0) names the file {cell!r:.100}, and {len(ends or candidates)} are called so, {two}. "
            "Expected one. Write the folder before the name in that column."
        )
    return paths[candidates[0]] if len(candidates) == 1 and asked[own] == 1 else None


def _by_name(paths: Mapping[str, str]) -> dict[str, list[str]]:
    """The paths by their own name, and by that without its ending where no file has just this name."""
    names: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        names[path.rsplit("/", 1)[-1]].append(path)
    stems: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        stem, dot, _ = path.rsplit("/", 1)[-1].rpartition(".")
        if dot and stem and stem not in names:
            stems[stem].append(path)
    return {**names, **stems}


def _counted(paths: set[str]) -> Mapping[str, int]:
    """How many distinct paths end in each name."""
    counts: dict[str, int] = defaultdict(int)
    for path in paths:
        counts[path.rsplit("/", 1)[-1]] += 1
    return counts


def _plain(name: str) -> str:
    """The name with "/" between folders, without "." parts, in composed Unicode form."""
    return unicodedata.normalize("NFC", name.strip().replace("\\", "/")).removeprefix("./").lstrip("/")
