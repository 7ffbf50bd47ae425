"""Runs the model again over a sample of what is kept, and reports where the values differ now."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from testimate.core.errors import BadInput
from testimate.core.progress import Progress
from testimate.core.subject import Subject
from testimate.feature_cache.filling import opened_model
from testimate.feature_cache.manifest import Manifest
from testimate.feature_cache.records import Damage
from testimate.feature_cache.shards import CacheEntry, Shard, run_shards
from testimate.feature_cache.storing import storing
from testimate.feature_cache.writers import load_writers


@dataclass(frozen=True)
class Recomputed:
    """A row range of an entry that was computed again.

    Attributes
    ----------
    fingerprint, name : of the entry. rows : first and last. writer : who wrote it, in words; "" where that is not known.
    others : the roles that come out otherwise now; none where all is as it was written.
    """

    fingerprint: str
    name: str
    rows: tuple[int, int]
    writer: str
    others: tuple[str, ...]

    def damages(self) -> tuple[Damage, ...]:
        """The rows to forget, so that they are computed again."""
        return tuple(Damage(self.fingerprint, self.name, role, self.rows) for role in self.others)


def recomputed(
    folder: Path, manifest: Manifest, subject: Subject, count: int, *, seed: int, progress: Progress
) -> tuple[Recomputed, ...]:
    """At most ``count`` finished row ranges of the entry in ``folder``, drawn by ``seed``, computed again in this process.

    In the batches in which they were written. Raises as ``FeatureCache.outputs`` does.
    """
    writers = load_writers(folder)
    finished = [rows for rows in manifest.ranges() if _roles(manifest, rows)]
    if not finished:
        raise BadInput(
            f"Nothing of {manifest.name!r:.60} is finished; expected a row range. Compute its features first."
        )
    places = np.random.default_rng(seed).choice(len(finished), min(count, len(finished)), replace=False)
    model = opened_model(subject)
    found = []
    for done, rows in enumerate(finished[place] for place in sorted(places)):
        progress(done, len(places), "computing again")
        roles = _roles(manifest, rows)
        writer = writers.of(roles[0], rows.start)
        with tempfile.TemporaryDirectory(prefix="testimate-") as name, storing(Path(name)):
            files = {role: manifest.file(Path(name), role) for role in roles}
            for file in files.values():
                file.reopen()
            entry = CacheEntry(Path(name), files, 256 if writer is None else writer.batch_size)
            shard = Shard(rows, {role: manifest.layers[role] for role in roles})
            (again,) = run_shards(model, subject.dataset, entry, [shard], progress)
        others = tuple(role for role in roles if again.digests[role] != manifest.roles[role].digests[rows.start])
        where = "" if writer is None else writer.words()
        found.append(Recomputed(folder.name, manifest.name, (rows.start, rows.stop - 1), where, others))
    progress(len(places), len(places), "computing again")
    return tuple(found)


def _roles(manifest: Manifest, rows: range) -> Sequence[str]:
    """The roles that a layer plays and of which these rows are finished."""
    return [role for role in manifest.layers if role in manifest.begun() and rows.start in manifest.roles[role].digests]
