"""The entries of the cache: what each holds, whether it is as it was written, and when it was last used."""

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from testimate.core.errors import StoreUnavailable
from testimate.core.progress import Progress
from testimate.feature_cache.role_file import is_used
from testimate.feature_cache.shards import LOCK, MANIFEST_NAME, Manifest, load_manifest, locked, try_lock

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
        (folder / MANIFEST_NAME).unlink(missing_ok=True)  # first of all: nobody shall find half an entry
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


@dataclass(frozen=True)
class CacheRecord:
    """One model on one dataset in the cache.

    Attributes
    ----------
    fingerprint : of the two; the name of its folder. name : of the subject, for people. size : N.
    roles : those that are whole. bytes : on disk. whole : whether nothing is half done.
    last_used : when its values were last asked for, in UTC.
    """

    fingerprint: str
    name: str
    size: int
    roles: tuple[str, ...]
    bytes: int
    whole: bool
    last_used: datetime


@dataclass(frozen=True)
class Damage:
    """A role in the cache whose file is not what was written; ``rows`` are the first and last row concerned."""

    fingerprint: str
    name: str
    role: str
    rows: tuple[int, int]


def record_of(folder: Path, manifest: Manifest) -> CacheRecord:
    """The entry in this folder."""
    whole = tuple(role for role in manifest.roles if manifest.is_whole(role))
    return CacheRecord(
        fingerprint=folder.name,
        name=manifest.name,
        size=manifest.size,
        roles=whole,
        bytes=bytes_in(folder),
        whole=not any(folder.glob("*.partial")),
        last_used=last_used(folder),
    )


def damages_in(folder: Path, manifest: Manifest) -> Iterator[Damage]:
    """One record per damaged role: from the first damaged row range to the end of the last."""
    for role, record in manifest.roles.items():
        file = manifest.file(folder, role)
        finished = [rows for rows in manifest.ranges() if rows.start in record.digests]
        bad = [rows for rows in finished if file.digest(rows) != record.digests[rows.start]]
        if bad:
            yield Damage(folder.name, manifest.name, role, (bad[0].start, bad[-1].stop - 1))


def damages_left_in_peace(folder: Path, progress: Progress, total: int) -> tuple[Damage, ...]:
    """The damages that an entry has while nobody else fills or removes it, for which is waited; none where it is gone."""
    if load_manifest(folder) is None:  # to lock it would make it again
        return ()
    with locked(folder, progress, total):
        manifest = load_manifest(folder)
        return () if manifest is None else tuple(damages_in(folder, manifest))
