"""Room in the cache: when an entry was last used, whether it is in use now, and the removal of those longest unused."""

import contextlib
import shutil
from datetime import UTC, datetime
from pathlib import Path

from testimate.core.errors import StoreUnavailable
from testimate.feature_cache.in_use import is_used
from testimate.feature_cache.manifest import FILE_NAME
from testimate.feature_cache.storing import LOCK, try_lock

USED = "used"
"""An empty file beside an entry's values; its time of change says when they were last asked for."""


def touch(folder: Path) -> None:
    """Records that the entry is used now; a folder that may only be read is used all the same."""
    with contextlib.suppress(OSError):
        (folder / USED).touch()


def last_used(folder: Path) -> datetime:
    """When the entry was last asked for; where that is not known, when it was made."""
    for path in (folder / USED, folder):
        with contextlib.suppress(FileNotFoundError):
            return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return datetime.fromtimestamp(0, UTC)


def bytes_in(folder: Path) -> int:
    """Bytes of all files of an entry; files that go meanwhile count nothing."""
    total = 0
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


def removed(folder: Path) -> bool:
    """Deletes an entry unless somebody fills it or holds its values; whether it is gone."""
    lock = try_lock(folder)
    if lock is None:
        return False
    try:
        if any(is_used(path) for path in folder.glob("*.npy")):
            return False
        (folder / FILE_NAME).unlink(missing_ok=True)  # first of all: nobody shall find half an entry
        _empty(folder)
    finally:
        lock.release()
    with contextlib.suppress(OSError):  # not empty: whoever waited for the lock fills it again
        folder.rmdir()
    return True


def _empty(folder: Path) -> None:
    """Deletes all in a folder that is locked; the lock itself goes last."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != LOCK:
            path.unlink()
    with contextlib.suppress(PermissionError):  # Windows removes it when it is released
        (folder / LOCK).unlink()


def check_free(folder: Path, needed: int) -> None:
    """StoreUnavailable where the disk has less room than that many bytes."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise StoreUnavailable(
            f"The features need {needed / 1e9:.1f} GB and the disk of {folder} has {free / 1e9:.1f} GB free. Free space, "
            "choose fewer layers, or choose another project folder."
        )
