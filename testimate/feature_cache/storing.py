"""What guards the files of the cache: a lock between processes, and one error for all failures of the disk."""

import fcntl
import os
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
