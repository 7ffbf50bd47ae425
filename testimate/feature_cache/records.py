"""What the cache says about its entries: a record of each, and where one is not what was written."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from testimate.core.progress import Progress
from testimate.feature_cache.cache_space import bytes_in, last_used
from testimate.feature_cache.manifest import Manifest, load_manifest
from testimate.feature_cache.storing import locked


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
