"""What guards the files of the cache: a lock between processes, and one error for all failures of the disk."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

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
    """Waits until no other process or thread fills this folder, then holds it; a killed holder releases it."""
    while (lock := try_lock(folder)) is None:
        progress(0, total, "waiting for another run of the same model")
        time.sleep(
            POLL_SECONDS
        )  # a file lock does not announce that it is free, and one that waits could not be cancelled
    try:
        yield
    finally:
        lock.release()


def try_lock(folder: Path) -> BaseFileLock | None:
    """The lock of the folder, held until it is released, or None where somebody else holds it; makes the folder.

    The system's own lock, which a killed process loses. A file system that has none is an error and not a reason for a lock
    that would outlive its holder.
    """
    with storing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / LOCK, mode=0o644, thread_local=False, fallback_to_soft=False)
        try:
            lock.acquire(blocking=False)
        except (Timeout, FileNotFoundError):  # the second: the folder was removed just now
            return None
        return lock
