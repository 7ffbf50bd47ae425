"""The feature cache: what a model's layers say of every input, computed once and read from disk ever after."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent
from testimate.core.subject import Subject
from testimate.feature_cache.filling import fill
from testimate.feature_cache.manifest import Manifest, load_manifest
from testimate.feature_cache.role_file import RoleFile, Values
from testimate.feature_cache.storing import locked, storing

ROLES = ("ORI", "FL", "LHL", "CON", "logits")


@dataclass(frozen=True)
class CacheRecord:
    """One model on one dataset in the cache.

    Attributes
    ----------
    fingerprint : of the two; the name of its folder. name : of the subject, for people. size : N.
    roles : those that are whole. bytes : on disk. whole : whether nothing is half done.
    """

    fingerprint: str
    name: str
    size: int
    roles: tuple[str, ...]
    bytes: int
    whole: bool


@dataclass(frozen=True)
class Damage:
    """A role in the cache whose file is not what was written; ``rows`` are the first and last row concerned."""

    fingerprint: str
    name: str
    role: str
    rows: tuple[int, int]


class FeatureCache:
    """What models said, under one folder: ``<fingerprint of model and dataset>/<role>.npy`` beside a manifest.

    The manifest names the finished row ranges with a digest each, and is written only after their values are on disk:
    a killed run goes on at the range where it stopped, and half an array is never taken for a whole one. Several
    processes may use one folder; one of them fills an entry while the others wait.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def outputs(
        self,
        subject: Subject,
        *,
        roles: Sequence[str] = ROLES,
        progress: Progress = silent,
        batch_size: int = 256,
    ) -> Mapping[str, Values]:
        """What the layers of these roles say of every input, each (N, width) float32, read-only and mapped from disk.

        The model is opened only where something is missing; it is run on ``batch_size`` inputs at a time. The model's
        fingerprint has to cover which layer plays which role.

        Raises
        ------
        BadInput : the subject has no model or no inputs, the model has no such role, or says nan or infinity.
        SubjectChanged : the model opened is not the one of the subject's fingerprint.
        StoreUnavailable : the folder cannot be written, or the disk is full.
        Cancelled : ``progress`` asked to stop; what is finished stays.
        """
        if subject.open_model is None or subject.model_fingerprint is None:
            raise BadInput(
                f"{subject.name!r:.60} has no model to ask for features; needed is a model with its dataset, not a "
                "prediction table. Add a features file, or choose a technique that needs none."
            )
        if batch_size < 1 or not len(subject.dataset):
            raise BadInput(
                f"{len(subject.dataset)} inputs in batches of {batch_size} were asked for; needed are at least 1 of "
                "both. Choose a dataset that is not empty and a batch size from 1 on."
            )
        folder = self.folder / self.entry_of(subject)
        ready = self._whole(folder, subject, roles)
        if ready is None:
            with locked(folder, progress, len(subject.dataset)):
                # whoever held the lock before may have filled it
                ready = self._whole(folder, subject, roles)
                if ready is None:
                    fill(folder, subject, roles, progress=progress, batch_size=batch_size)
                    ready = self._whole(folder, subject, roles)
        if ready is None:
            raise BadInput(
                f"The features of {subject.name!r:.60} were removed while they were made; needed is a cache nobody else "
                "clears meanwhile. Compute them again."
            )
        return ready

    def entry_of(self, subject: Subject) -> str:
        """The fingerprint of the subject's model and dataset together, which names their folder."""
        return fingerprint.of_bytes((subject.model_fingerprint or "").encode(), subject.dataset.fingerprint.encode())

    def list(self) -> tuple[CacheRecord, ...]:
        """Everything in the cache, by name."""
        with storing(self.folder):
            records = [_record(folder, manifest) for folder, manifest in self._entries()]
        return tuple(sorted(records, key=lambda record: (record.name, record.fingerprint)))

    def verify(self, progress: Progress = silent) -> tuple[Damage, ...]:
        """Reads every finished value and returns those that are not what was written."""
        with storing(self.folder):
            entries = list(self._entries())
        damages: list[Damage] = []
        for done, (folder, manifest) in enumerate(entries):
            progress(done, len(entries), "verifying features")
            with storing(folder):
                damages += _damages(folder, manifest)
        progress(len(entries), len(entries), "verifying features")
        return tuple(damages)

    def remove(self, entry: str) -> None:
        """Deletes one model's features on one dataset, by fingerprint; BadInput where there are none."""
        if entry not in [folder.name for folder, _ in self._entries()]:
            raise BadInput(
                f"The cache holds nothing named {entry!r:.60}; needed is a fingerprint it lists. Choose one."
            )
        with storing(self.folder), locked(self.folder / entry, silent, 0):
            shutil.rmtree(self.folder / entry)

    def _whole(self, folder: Path, subject: Subject, roles: Sequence[str]) -> Mapping[str, Values] | None:
        """The values of these roles where all are whole and their files of the right size, else None."""
        with storing(folder):
            manifest = load_manifest(folder)
            if manifest is None or manifest.size != len(subject.dataset):
                return None
            found: dict[str, Values] = {}
            for role in roles:
                if not manifest.is_whole(role):
                    return None
                values = RoleFile(folder, role, manifest.size, manifest.roles[role].width).read()
                if values is None:
                    return None
                found[role] = values
        return MappingProxyType(found)

    def _entries(self) -> Iterator[tuple[Path, Manifest]]:
        for folder in sorted(self.folder.glob("*/")):
            manifest = load_manifest(folder)
            if manifest is not None:
                yield folder, manifest


def _record(folder: Path, manifest: Manifest) -> CacheRecord:
    whole = tuple(role for role in manifest.roles if manifest.is_whole(role))
    return CacheRecord(
        fingerprint=folder.name,
        name=manifest.name,
        size=manifest.size,
        roles=whole,
        bytes=sum(path.stat().st_size for path in folder.iterdir()),
        whole=len(whole) == len(manifest.roles),
    )


def _damages(folder: Path, manifest: Manifest) -> Iterator[Damage]:
    """One record per damaged role: from the first damaged row range to the end of the last."""
    for role, record in manifest.roles.items():
        file = RoleFile(folder, role, manifest.size, record.width)
        finished = [rows for rows in manifest.ranges() if rows.start in record.digests]
        bad = [rows for rows in finished if file.digest(rows) != record.digests[rows.start]]
        if bad:
            yield Damage(folder.name, manifest.name, role, (bad[0].start, bad[-1].stop - 1))
