"""The feature cache: what a model's layers say about every input, computed once and then read from disk."""

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent
from testimate.core.subject import Subject
from testimate.feature_cache.filling import (
    Engine,
    LocalEngine,
    Recomputed,
    check_has_model,
    fill,
    opened_model,
    recomputed,
)
from testimate.feature_cache.records import (
    CacheRecord,
    Damage,
    check_free,
    damages_in,
    damages_left_in_peace,
    record_of,
    removed,
    touch,
)
from testimate.feature_cache.role_file import Values
from testimate.feature_cache.shards import Manifest, RoleRecord, load_manifest, locked, storing

LIMIT_BYTES = 100_000_000_000
"""Bytes the cache may take before the least recently used entries are removed."""

LARGEST_BYTES = 2_000_000_000
"""Bytes of a role that is computed without having been asked for by name; a first layer may take a hundred times that."""


class FeatureCache:
    """What models said, under one folder: ``<fingerprint of model and dataset>/<role>.npy`` beside a manifest.

    The manifest names the finished row ranges with a digest each, and is written only after their values: a killed run
    goes on at the range where it stopped, and half an array is never taken for a whole one. Several
    processes may use one folder; one of them fills an entry while the others wait. What is held by any process is never
    removed to make room.

    Parameters
    ----------
    folder : made when something is kept. limit_bytes : what all entries may take; those longest unused go first.
    """

    def __init__(self, folder: Path, *, limit_bytes: int = LIMIT_BYTES) -> None:
        self.folder, self.limit_bytes = folder, limit_bytes

    def outputs(
        self,
        subject: Subject,
        *,
        roles: Sequence[str] | None = None,
        progress: Progress = silent,
        batch_size: int = 256,
        engine: Engine | None = None,
        largest: int = LARGEST_BYTES,
    ) -> Mapping[str, Values]:
        """What the layers of these roles say about every input, each (N, width) float32, read-only and mapped from disk.

        The model is opened only where something is missing; it is run on ``batch_size`` inputs at a time, and no more
        than what it says about them is held in memory. The model's fingerprint has to cover which layer plays which role.

        Parameters
        ----------
        roles : by name; None for every role the model has whose values take at most ``largest`` bytes.
        engine : who runs the model; this process by default.

        Raises
        ------
        BadInput : the subject has no model or no inputs, the model has no such role, or gives nan or infinity.
        SubjectChanged : the model opened is not the one of the subject's fingerprint.
        StoreUnavailable : the folder cannot be written, or the disk is full.
        Canceled : ``progress`` asked to stop; what is finished stays.
        """
        check_has_model(subject)
        if batch_size < 1 or not len(subject.dataset):
            raise BadInput(
                f"{len(subject.dataset)} inputs in batches of {batch_size} were asked for. Expected at least 1 of "
                "both. Choose a dataset that is not empty and a batch size from 1 on."
            )
        size = len(subject.dataset)
        folder = self.folder / self.entry_of(subject)

        def make() -> None:
            fill(
                folder,
                subject,
                roles,
                largest=largest,
                engine=engine or LocalEngine(),
                make_room=lambda entry, to_come: self._make_room(folder, entry, to_come),
                progress=progress,
                batch_size=batch_size,
            )

        return self._found_or_made(folder, subject.name, size, roles, largest, make, progress)

    def scores(
        self,
        key: str,
        compute: Callable[[], Mapping[str, NDArray[np.float64]]],
        *,
        names: Sequence[str],
        name: str,
        size: int,
        progress: Progress = silent,
    ) -> Mapping[str, NDArray[np.float64]]:
        """Scores that took long to compute, each (size,) float64, read-only; kept under ``key``, computed where missing.

        Parameters
        ----------
        key : fingerprint of all that the scores follow from. names : of the scores. name : of the entry, for people.
        compute : gives all of them, each (size,).
        """
        folder = self.folder / key

        def make() -> None:
            _keep_scores(folder, compute(), name, size)

        found = self._found_or_made(folder, name, size, names, 0, make, progress)
        return MappingProxyType({role: values[:, 0] for role, values in found.items()})

    def roles_of(self, subject: Subject) -> tuple[str, ...]:
        """The roles that the subject's model has; it is opened only where it never was."""
        with storing(self.folder):
            manifest = load_manifest(self.folder / self.entry_of(subject))
        if manifest is not None and manifest.layers:
            return tuple(manifest.layers)
        return tuple(opened_model(subject).roles)

    def entry_of(self, subject: Subject) -> str:
        """The fingerprint of the subject's model and dataset together, which names their folder."""
        return fingerprint.of_bytes((subject.model_fingerprint or "").encode(), subject.dataset.fingerprint.encode())

    def list(self) -> tuple[CacheRecord, ...]:
        """A record of every entry in the cache, by name."""
        records: list[CacheRecord] = []
        with storing(self.folder):
            for folder, manifest in self._entries():
                with contextlib.suppress(FileNotFoundError):  # another process removed it just now
                    records.append(record_of(folder, manifest))
        return tuple(sorted(records, key=lambda record: (record.name, record.fingerprint)))

    def verify(self, progress: Progress = silent) -> tuple[Damage, ...]:
        """Reads every finished value and returns those that are not what was written.

        What seems not to be is read once more while no other process fills or removes it.
        """
        with storing(self.folder):
            entries = list(self._entries())
        damages: list[Damage] = []
        for done, (folder, manifest) in enumerate(entries):
            progress(done, len(entries), "verifying features")
            with storing(folder):
                if any(damages_in(folder, manifest)):
                    damages += damages_left_in_peace(folder, progress, len(entries))
        progress(len(entries), len(entries), "verifying features")
        return tuple(damages)

    def recompute(
        self, subject: Subject, count: int, *, seed: int, progress: Progress = silent
    ) -> tuple[Recomputed, ...]:
        """At most ``count`` row ranges of the subject, drawn by ``seed``, computed again and compared with what is kept.

        Raises as ``outputs`` does; BadInput where nothing is kept.
        """
        folder = self.folder / self.entry_of(subject)
        with storing(folder):
            manifest = load_manifest(folder)
        if manifest is None or manifest.size != len(subject.dataset):
            raise BadInput(
                f"The cache contains nothing of {subject.name!r:.60}. Expected its features. Compute them first."
            )
        return recomputed(folder, manifest, subject, count, seed=seed, progress=progress)

    def forget(self, damage: Damage) -> None:
        """Lets the damaged rows be computed again when they are next asked for; the others of that role are kept."""
        folder = self.folder / damage.fingerprint
        with storing(folder), locked(folder, silent, 0):
            manifest = load_manifest(folder)
            if manifest is not None and damage.role in manifest.roles:
                kept = manifest.roles[damage.role].digests
                first, last = damage.rows
                manifest.roles[damage.role].digests = {
                    start: digest for start, digest in kept.items() if not first <= start <= last
                }
                manifest.save(folder)

    def prune(self, limit_bytes: int | None = None) -> tuple[CacheRecord, ...]:
        """Removes what was not used for longest until the rest takes at most that many bytes; returns what went.

        What some process fills or holds is never removed, so more than the limit may stay. Entries of an earlier version,
        which no one can read, go too.
        """
        with storing(self.folder):
            for folder in self._folders():
                if load_manifest(folder) is None:
                    removed(folder)
            return self._drop(self.limit_bytes if limit_bytes is None else limit_bytes, self.list())

    def remove(self, entry: str) -> None:
        """Deletes one model's features on one dataset, by fingerprint; BadInput where there are none or they are in use."""
        if entry not in [folder.name for folder, _ in self._entries()]:
            raise BadInput(
                f"The cache contains nothing named {entry!r:.60}. Expected a fingerprint it lists. Choose one."
            )
        with storing(self.folder):
            if not removed(self.folder / entry):
                raise BadInput(
                    f"The features {entry!r:.60} are in use. Expected an entry nobody works with. Close the programs that "
                    "use it, then remove it."
                )

    def _found_or_made(
        self,
        folder: Path,
        name: str,
        size: int,
        roles: Sequence[str] | None,
        largest: int,
        make: Callable[[], None],
        progress: Progress,
    ) -> Mapping[str, Any]:
        ready = _whole(folder, size, roles, largest)
        if ready is None:
            with locked(folder, progress, size):
                ready = _whole(folder, size, roles, largest)  # whoever held the lock before may have filled it
                if ready is None:
                    make()
                    ready = _whole(folder, size, roles, largest)
        if ready is None:
            raise BadInput(
                f"The features of {name!r:.60} were removed while they were made. Expected a cache nobody else "
                "clears meanwhile. Compute them again."
            )
        touch(folder)
        return ready

    def _make_room(self, folder: Path, entry_bytes: int, to_come: int) -> None:
        """Removes what is longest unused until an entry of that many bytes fits; StoreUnavailable where the disk is full."""
        others = tuple(record for record in self.list() if record.fingerprint != folder.name)
        self._drop(self.limit_bytes - entry_bytes, others)
        check_free(folder, to_come)

    def _drop(self, limit_bytes: int, records: Sequence[CacheRecord]) -> tuple[CacheRecord, ...]:
        total = sum(record.bytes for record in records)
        gone = []
        for record in sorted(records, key=lambda record: record.last_used):
            if total > limit_bytes and removed(self.folder / record.fingerprint):
                total -= record.bytes
                gone.append(record)
        return tuple(gone)

    def _folders(self) -> Iterator[Path]:
        """Folders that are, or were, entries; nothing else in the cache's folder is ever touched."""
        for folder in sorted(self.folder.glob("*/")):
            if re.fullmatch(r"[0-9a-f]{32}", folder.name):
                yield folder

    def _entries(self) -> Iterator[tuple[Path, Manifest]]:
        for folder in self._folders():
            manifest = load_manifest(folder)
            if manifest is not None:
                yield folder, manifest


def _whole(folder: Path, size: int, roles: Sequence[str] | None, largest: int) -> Mapping[str, Any] | None:
    """The values of these roles where all are whole and their files of the right size, else None."""
    with storing(folder):
        manifest = load_manifest(folder)
        if manifest is None or manifest.size != size:
            return None
        wanted = manifest.below(largest) if roles is None else roles
        if wanted is None:
            return None
        found: dict[str, Any] = {}
        for role in wanted:
            values = manifest.file(folder, role).read() if manifest.is_whole(role) else None
            if values is None:
                return None
            found[role] = values
    return MappingProxyType(found)


def _keep_scores(folder: Path, scores: Mapping[str, NDArray[np.float64]], name: str, size: int) -> None:
    """Puts (size,) scores on disk, each as a role of its own with one range; to be called with the folder locked."""
    with storing(folder):
        manifest = load_manifest(folder)
        if manifest is None or manifest.size != size:
            manifest = Manifest(name=name, model="", dataset="", size=size, step=size)
        for role, values in scores.items():
            manifest.roles[role] = RoleRecord(layer=role, width=1, dtype="<f8")
            file = manifest.file(folder, role)
            file.reopen()
            with file.writing(range(size)) as writer:
                writer.add(np.asarray(values, dtype=np.float64).reshape(size, 1))
                manifest.roles[role].digests[0] = writer.finish()
            manifest.save(folder)
            file.finish()
