"""Fills one folder of the cache: runs the model over the row ranges that are missing, and resumes what was begun."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from testimate.core.errors import BadInput, SubjectChanged
from testimate.core.progress import Progress
from testimate.core.subject import Model, Subject
from testimate.feature_cache.engines import Engine, Work
from testimate.feature_cache.manifest import Manifest, RoleRecord, SavedBehind, load_manifest
from testimate.feature_cache.role_file import RoleFile
from testimate.feature_cache.shards import CacheEntry, Shard, checked
from testimate.feature_cache.storing import storing
from testimate.feature_cache.writers import DEVICE, Writers, device_of, load_writers, writer_here

MOST_RANGES, LEAST_BATCHES = 64, 2
"""Most row ranges of an entry, because the manifest is written again after each; and fewest batches of each held in memory."""


def fill(
    folder: Path,
    subject: Subject,
    roles: Sequence[str] | None,
    *,
    largest: int,
    engine: Engine,
    make_room: Callable[[int, int], None],
    progress: Progress,
    batch_size: int,
) -> None:
    """Makes these roles whole, or all that are not too large; to be called with the folder locked.

    ``make_room`` gets the bytes the entry will have and those of them that are still to be written. Raises as
    ``FeatureCache.outputs`` does.
    """
    model = opened_model(subject, roles or ())
    with storing(folder):
        manifest = _begun(folder, subject, model, batch_size)
    _learn_widths(manifest, model, subject, tuple(model.roles) if roles is None else roles)
    wanted = manifest.below(largest) or () if roles is None else tuple(roles)
    files = {role: manifest.file(folder, role) for role in wanted}
    with storing(folder):
        writers = load_writers(folder)
        for role, file in files.items():
            _keep_sound_ranges(manifest, role, file)
            _keep_ranges_of(manifest, role, writers, device_of(model))
        shards = _shards(manifest, wanted)
        to_come = sum(len(shard.rows) * files[role].row_bytes for shard in shards for role in shard.layers)
        make_room(sum(manifest.bytes_of(role) for role in {*wanted, *manifest.begun()}), to_come)
        for role, file in files.items():
            if not manifest.is_whole(role):
                file.reopen()
        manifest.save(folder)
    work = Work(model, check_has_model(subject), subject.dataset, CacheEntry(folder, files, batch_size))
    with SavedBehind(folder, manifest, writers) as behind:
        for done in engine.run(work, shards, progress):
            writer = writer_here(model, batch_size, done.machine)
            for role, digest in done.digests.items():
                manifest.roles[role].digests[done.shard.rows.start] = digest
                writers.note(role, done.shard.rows.start, writer)
            behind.save()
    with storing(folder):
        for role, file in files.items():
            if manifest.is_whole(role) and file.is_partial():
                file.finish()
    progress(manifest.size, manifest.size, "running the model")


def check_has_model(subject: Subject) -> Callable[[], Model]:
    """What opens the subject's model; BadInput where there is none."""
    if subject.open_model is None or subject.model_fingerprint is None:
        raise BadInput(
            f"{subject.name!r:.60} has no model to ask for features; expected a model with its dataset, not a prediction "
            "table. Add a features file, or choose a technique that needs none."
        )
    return subject.open_model


def opened_model(subject: Subject, roles: Sequence[str] = ()) -> Model:
    """The subject's model; SubjectChanged where it is another one, BadInput where it lacks one of these roles."""
    model = check_has_model(subject)()
    if model.fingerprint != subject.model_fingerprint:
        raise SubjectChanged(
            f"The model of {subject.name!r:.60} is not the one the subject was opened with; expected the same. "
            "Open the subject again."
        )
    for role in roles:
        if role not in model.roles:
            raise BadInput(
                f"The model has no layer that plays {role!r:.60}; expected one of {', '.join(model.roles):.200}. "
                "Choose another layer or technique."
            )
    return model


def _begun(folder: Path, subject: Subject, model: Model, batch_size: int) -> Manifest:
    """The folder's manifest, without what another layer said; a new one where there is none."""
    for path in folder.glob("*.part"):  # half a manifest that a killed run left
        path.unlink()
    size = len(subject.dataset)
    batches = -(-size // batch_size)
    manifest = load_manifest(folder)
    if manifest is None or manifest.size != size:
        manifest = Manifest(
            name=subject.name,
            model=subject.model_fingerprint or "",
            dataset=subject.dataset.fingerprint,
            size=size,
            step=batch_size * max(LEAST_BATCHES, -(-batches // MOST_RANGES)),
        )
    manifest.layers = dict(model.roles)
    manifest.roles = {
        role: record for role, record in manifest.roles.items() if record.layer == manifest.layers.get(role)
    }
    return manifest


def _keep_sound_ranges(manifest: Manifest, role: str, file: RoleFile) -> None:
    """Forgets the finished ranges of a role that are not on disk as they were written; a whole file is not read again."""
    if manifest.is_whole(role) and file.is_whole():
        return
    digests = manifest.roles[role].digests
    manifest.roles[role].digests = {
        rows.start: digests[rows.start]
        for rows in manifest.ranges()
        if rows.start in digests and file.digest(rows) == digests[rows.start]
    }


def _keep_ranges_of(manifest: Manifest, role: str, writers: Writers, device: str) -> None:
    """Forgets the ranges that another kind of device wrote, for values of a processor and of CUDA are never in one array."""
    if manifest.is_whole(role):
        return
    digests = manifest.roles[role].digests
    manifest.roles[role].digests = {
        start: digest
        for start, digest in digests.items()
        if (writer := writers.of(role, start)) is None or writer.had.get(DEVICE, device) == device
    }


def _learn_widths(manifest: Manifest, model: Model, subject: Subject, roles: Sequence[str]) -> None:
    """Runs the first input through the layers whose width is not known yet."""
    unknown = {role: model.roles[role] for role in roles if role not in manifest.roles}
    if unknown:
        said = model.run(subject.dataset.batch(np.arange(1)), list(dict.fromkeys(unknown.values())))
        for role, layer in unknown.items():
            manifest.roles[role] = RoleRecord(layer=layer, width=checked(layer, said[layer], 0, 1).shape[1])


def _shards(manifest: Manifest, roles: Sequence[str]) -> list[Shard]:
    """The row ranges where something is missing."""
    shards = []
    for rows in manifest.ranges():
        lacking = {role: manifest.layers[role] for role in roles if rows.start not in manifest.roles[role].digests}
        if lacking:
            shards.append(Shard(rows, lacking))
    return shards
