"""What keeps a file whole: atomic replacement, flushing to disk, a lock between processes, one error for all failures."""

import fcntl
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from testimate.core.errors import StoreUnavailable
from testimate.core.progress import Progress

POLL_SECONDS = 0.05
LOCK = "lock"


@contextmanager
def storing(folder: Path) -> Iterator[None]:
    """Turns every failure of the disk inside into StoreUnavailable."""
    try:
        yield
    except StoreUnavailable:
        raise
    except OSError as error:
        raise StoreUnavailable(
            f"The feature cache in {folder} cannot be used ({error.strerror or error}); expected a folder that can be "
            "written and has room. Free space, or choose another project folder."
        ) from error


def replace_whole(path: Path, content: bytes) -> None:
    """Writes a file so that it is there whole or not at all, and on disk when this returns."""
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            file.write(content)
            flush(file.fileno())
        move(part, path)
    finally:
        part.unlink(missing_ok=True)


def move(source: Path, target: Path) -> None:
    """Renames within one folder, on disk when this returns."""
    os.replace(source, target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        flush(folder)
    finally:
        os.close(folder)


def flush(handle: int) -> None:
    """Returns when all that was written is on disk."""
    os.fsync(handle)


@contextmanager
def locked(folder: Path, progress: Progress, total: int) -> Iterator[None]:
    """Waits until no other process or thread fills this folder, then holds it; a killed holder lets go by itself."""
    while (handle := try_lock(folder)) is None:
        progress(0, total, "waiting for another run of the same model")
        time.sleep(
            POLL_SECONDS
        )  # a file lock does not announce that it is free, and one that waits could not be cancelled
    try:
        yield
    finally:
        os.close(handle)  # lets go of the lock


def try_lock(folder: Path) -> int | None:
    """A handle that holds the folder until it is closed, or None where somebody else does; makes the folder."""
    with storing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        except FileNotFoundError:  # the folder was removed just now
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(handle), os.stat(folder / LOCK)):  # else it was removed while we waited
                return handle
        except (BlockingIOError, FileNotFoundError):
            pass
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        return None
