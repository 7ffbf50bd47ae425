"""How the cache is filled: which row ranges are missing, who runs them, and whether they come out alike again."""

import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from testimate.core.errors import BadInput, SubjectChanged
from testimate.core.plug_ins import LazyMapping
from testimate.core.progress import OnBlocks, Progress
from testimate.core.subject import Dataset, Model, Subject
from testimate.feature_cache.records import Damage
from testimate.feature_cache.role_file import RoleFile
from testimate.feature_cache.shards import (
    DEVICE,
    CacheEntry,
    Finished,
    Manifest,
    RoleRecord,
    SavedBehind,
    Shard,
    Writers,
    checked,
    device_of,
    load_manifest,
    load_writers,
    run_shards,
    storing,
    writer_here,
)


@dataclass(frozen=True)
class Work:
    """What an engine needs: the model, opened here; how to open it elsewhere; the data; and where the values go."""

    model: Model
    open_model: Callable[[], Model]
    dataset: Dataset
    entry: CacheEntry


class Engine(Protocol):
    """Runs shards in any order and says which are finished as they are; stops when ``progress`` raises.

    ``where`` : of the last run on other machines, by their names, on what device the model ran there and behind which walls.
    """

    where: Mapping[str, str]
    blocks: OnBlocks | None
    """Who does other work of the subject, by blocks; None for this process."""

    def run(self, work: Work, shards: Sequence[Shard], progress: Progress) -> Iterator[Finished]:
        """Each shard once it is written."""
        ...

    def kept_ready(self) -> AbstractContextManager[None]:
        """While it lasts, what one run has started stays for the next."""
        ...


class LocalEngine:
    """Runs the shards one after another in this process; the model itself takes all cores or the accelerator.

    ``tell`` : as of every engine, is called with what is to be said about machines; here there is only this one.
    """

    def __init__(self, tell: Callable[[str], object] = warnings.warn) -> None:
        del tell
        self.where: Mapping[str, str] = {}
        self.blocks: OnBlocks | None = None

    def run(self, work: Work, shards: Sequence[Shard], progress: Progress) -> Iterator[Finished]:
        """Each shard once it is written, in order."""
        return run_shards(work.model, work.dataset, work.entry, shards, progress)

    def kept_ready(self) -> AbstractContextManager[None]:
        """Nothing has to be started here."""
        return nullcontext()


ENGINES: LazyMapping[str, Callable[..., Engine]] = LazyMapping(
    __package__, {"local": "filling:LocalEngine", "ray": "ray_engine:RayEngine"}, "engine"
)
"""Engines by the name the command line takes; Ray is imported when it is looked up."""


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
            f"{subject.name!r:.60} has no model to ask for features. Expected a model with its dataset, not a prediction "
            "table. Add a features file, or choose a technique that needs none."
        )
    return subject.open_model


def opened_model(subject: Subject, roles: Sequence[str] = ()) -> Model:
    """The subject's model; SubjectChanged where it is another one, BadInput where it lacks one of these roles."""
    model = check_has_model(subject)()
    if model.fingerprint != subject.model_fingerprint:
        raise SubjectChanged(
            f"The model of {subject.name!r:.60} is not the one the test set was opened with. Expected the same. "
            "Open the test set again."
        )
    for role in roles:
        if role not in model.roles:
            raise BadInput(
                f"The model has no layer that plays {role!r:.60}. Expected one of {', '.join(model.roles):.200}. "
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
            f"Nothing of {manifest.name!r:.60} is finished. Expected a row range. Compute its features first."
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


def where_it_ran(model: Model) -> str:
    """On which device the model ran, which limits its process keeps, and why it is not the accelerator that is there; "" of a
    model that runs in this process.

    >>> class Apart:
    ...     device, limits = "cpu", ()
    >>> where_it_ran(Apart())
    'the model ran on cpu in a process of its own, limits: '
    """
    found = getattr(model, "limits", None)
    if found is None:
        return ""
    limits = ", ".join(f"{limit.name} {'on' if limit.on else 'off'}" for limit in found)
    passed_over = getattr(model, "passed_over", "")
    ran = f"the model ran on {getattr(model, 'device', 'cpu')} in a process of its own, limits: {limits}"
    return f"{ran}; {passed_over}" if passed_over else ran
