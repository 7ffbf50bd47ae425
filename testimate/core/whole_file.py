"""A file that is written whole or, after an error, is as it was before."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from testimate.core.errors import BadInput


def check_no_folder(path: Path) -> None:
    """BadInput where a folder is in the place of the file to write."""
    if path.is_dir():
        raise BadInput(f"{str(path)!r:.200} is a folder; expected the file to write. Add a name to it.")


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
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def replace_file(path: Path, content: bytes, *, flushed: bool = True) -> None:
    """Writes a file by ``replacing``: it is there whole or, after an OSError, as it was before."""
    with replacing(path, flushed=flushed) as file:
        file.write(content)


def move(source: Path, target: Path) -> None:
    """Renames within one folder, on disk when this returns; OSError."""
    source.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


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
    except OSError as error:
        raise BadInput(f"{path} could not be written ({error.strerror}). Choose a folder you may write to.") from None


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file (text as UTF-8) so that it is there whole or, after an error, as it was before; BadInput then."""
    with whole_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)
