"""Files: written whole or left as they were, and a zip whose table of contents is read before it is unpacked.

A file that is written whole or, after an error, is as it was before.

What a zip says about itself, asked before it is unpacked: a small file may claim a million members.
"""

import errno
import io
import os
import secrets
import stat
import struct
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from testimate.core.errors import BadInput, TestimateError
from testimate.core.words import commas

OPEN_ELSEWHERE = (5, 32, 33)
"""Windows's numbers for access denied, a sharing violation and a lock violation: what it says about a file that is open."""

NO_SPACE = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
"""The disk is full, or the system allows a file or a person no more."""

PATIENCE = 2.0
"""Seconds for which a file that is open elsewhere is waited for."""


def check_no_folder(path: Path) -> None:
    """BadInput where a folder is in the place of the file to write."""
    if path.is_dir():
        raise BadInput(f"{str(path)!r:.200} is a folder. Expected the file to write. Add a name to it.")


@contextmanager
def replacing(path: Path, *, flushed: bool = True) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of ``path`` when the block has ended; after an error it is gone.

    ``flushed`` : it is on disk then, whatever happens to the power. What the system refuses is raised as it is, an OSError.
    """
    part = path.with_name(f"{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            yield file
            if flushed:
                file.flush()
                os.fsync(file.fileno())
        if flushed:
            move(part, path)
        else:
            _replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def replace_file(path: Path, content: bytes, *, flushed: bool = True) -> None:
    """Writes a file by ``replacing``: it is there whole or, after an OSError, as it was before."""
    with replacing(path, flushed=flushed) as file:
        file.write(content)


def move(source: Path, target: Path) -> None:
    """Renames within one folder, on disk when this returns; OSError."""
    _replace(source, target)
    try:
        folder = os.open(target.parent, os.O_RDONLY)
    except PermissionError:  # Windows opens no folder, and writes down by itself what a name means
        return
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _replace(source: Path, target: Path) -> None:
    """Gives a file its name; where Windows refuses because another program has the old one open, until that is closed.

    A virus scanner or a synchronizer has a new file open for a moment, Excel for as long as it shows it.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            source.replace(target)
            return
        except PermissionError as error:
            if getattr(error, "winerror", None) not in OPEN_ELSEWHERE:
                raise
            if time.monotonic() >= until:
                sentence = "another program has it open; close it there and try again"
                raise PermissionError(error.errno, sentence, str(target)) from error
        time.sleep(0.02)  # Windows does not say when a file is closed


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of the one at ``path`` when the block has ended without an error.

    A link is followed, so that it stays one. What is there and no plain file, such as a pipe, is written as it stands: to
    put a file in its place would destroy it. Raises BadInput where a folder is there, or the file cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder, "one.txt")) as file:
    ...         _ = file.write(b"all of it")
    ...     [place.name for place in Path(folder).iterdir()]
    ['one.txt']
    """
    check_no_folder(path)
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as file:
                yield file
            return
        with replacing(Path(os.path.realpath(path))) as file:
            yield file
    except TestimateError:  # of what is written, such as a database that is gone: some of them are an OSError, too
        raise
    except OSError as error:
        remedy = (
            "Free space, or choose another folder." if error.errno in NO_SPACE else "Choose a folder you may write to."
        )
        raise BadInput(f"{path} could not be written ({error.strerror}). {remedy}") from None


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file (text as UTF-8) so that it is there whole or, after an error, as it was before; BadInput then."""
    with whole_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


END, END_64, LOCATOR_64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
OF_MEMBER = 128
"""Bytes of the table of contents for each member, its name among them."""

PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def check_directory(file: IO[bytes], name: str, members: int) -> None:
    """BadInput where the zip has no table of contents, or a longer one than that many members need.

    APPNOTE.TXT, section 4.3.16 (and 4.3.14 for the large form): its size is in the record at the end of the file.
    """
    size = file.seek(0, io.SEEK_END)
    file.seek(max(size - (1 << 16) - 22 - 76, 0))
    tail = file.read()
    place = tail.rfind(END)
    if place < 0 or len(tail) - place < 22:
        raise BadInput(f"{name!r:.100} is damaged or cut off. Expected a complete zip. Copy or make it again.")
    (directory,) = struct.unpack_from("<I", tail, place + 12)
    if place >= 76 and tail[place - 20 : place - 16] == LOCATOR_64 and tail[place - 76 : place - 72] == END_64:
        directory = max(directory if directory < 0xFFFFFFFF else 0, struct.unpack_from("<Q", tail, place - 76 + 40)[0])
    if directory > members * OF_MEMBER:
        raise BadInput(
            f"{name!r:.100} has a table of contents of {commas(directory)} bytes. Expected one of at most "
            f"{commas(members)} files ({commas(members * OF_MEMBER)} bytes). Make it again from fewer files."
        )


def check_member(member: zipfile.ZipInfo) -> None:
    """BadInput if a member is a link, encrypted, or packed in a way that other programs do not use."""
    name = member.filename
    if stat.S_ISLNK(member.external_attr >> 16):
        raise BadInput(
            f"The zip contains the link {name!r:.100}. Expected files. Make it again from the files themselves."
        )
    if member.flag_bits & 0x1:
        raise BadInput(f"{name!r:.100} is encrypted in the zip. Expected one without a password. Make it again.")
    if member.compress_type not in PACKINGS:
        raise BadInput(
            f"{name!r:.100} is compressed in an unusual way. Expected deflate or no compression. Make the zip again."
        )


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The content of a member, no more than it claims; without a number zipfile unpacks all there is before it looks."""
    with archive.open(name) as stream:
        return stream.read(archive.getinfo(name).file_size)
