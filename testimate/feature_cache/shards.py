"""The shards of a run: written under a lock by a named machine, and recorded when they are finished."""

import json
import platform
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Self

import numpy as np
from filelock import BaseFileLock, FileLock, Timeout
from msgspec import Meta
from numpy.typing import NDArray

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.files import replace_file
from testimate.core.progress import Progress
from testimate.core.stored_record import From0, From1, read_record
from testimate.core.subject import Dataset, Model
from testimate.engines.host import installed
from testimate.feature_cache.role_file import RangeWriter, RoleFile

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
            f"The feature cache in {folder} cannot be used ({error.strerror or error}). Expected a folder that can be "
            "written and has room. Free space, or choose another project folder."
        ) from error


@contextmanager
def locked(folder: Path, progress: Progress, total: int) -> Iterator[None]:
    """Waits until no other process or thread fills this folder, then holds it; a killed holder releases it."""
    while (lock := try_lock(folder)) is None:
        progress(0, total, "waiting for another run of the same model")
        time.sleep(
            POLL_SECONDS
        )  # a file lock does not announce that it is free, and one that waits could not be canceled
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


@dataclass(frozen=True)
class Shard:
    """A row range and what is missing of it: the layer to ask, by role."""

    rows: range
    layers: Mapping[str, str]


@dataclass(frozen=True)
class CacheEntry:
    """Where the shards of one run are written: a folder, its open files by role, and the batches the model is run on."""

    folder: Path
    files: Mapping[str, RoleFile]
    batch_size: int


@dataclass(frozen=True)
class Finished:
    """A shard whose rows are written, with the digest of each role's, and the machine that wrote them; "" for this one."""

    shard: Shard
    digests: Mapping[str, str]
    machine: str = ""


@dataclass(frozen=True, eq=False)
class SentBatch:
    """A batch for a model elsewhere: its rows, the layers to ask, and the inputs; None where they can be seen there."""

    rows: range
    layers: Sequence[str]
    inputs: NDArray[Any] | None


@dataclass(frozen=True)
class _Batch:
    """Some rows of a shard; ``last`` : those it ends with."""

    shard: Shard
    rows: range
    last: bool


def run_shards(
    model: Model, dataset: Dataset, entry: CacheEntry, shards: Sequence[Shard], progress: Progress
) -> Iterator[Finished]:
    """Each shard once it is written, in order; no more than three batches are in memory.

    While the model runs on one batch, the next is read and its output for the last is written, also across the end of a
    shard. Where ``progress`` or the model stops the run, what was finished by then is still given. Raises BadInput
    where a layer does not say one row of finite numbers per input, always of the same width.
    """
    batches = [batch for shard in shards for batch in _batches(shard, entry.batch_size)]
    kept: Future[Finished | None] | None = None
    # left in the other order, so that the writer's thread ends before its files are closed
    with _Keeper(entry) as keeper, ThreadPoolExecutor(1) as behind, ThreadPoolExecutor(1) as ahead:
        try:
            read = ahead.submit(_read, dataset, batches[0]) if batches else None
            for batch, following in zip(batches, [*batches[1:], None], strict=True):
                assert read is not None
                progress(batch.rows.start, len(dataset), "running the model")
                inputs = read.result()
                read = None if following is None else ahead.submit(_read, dataset, following)
                said = model.run(inputs, list(dict.fromkeys(batch.shard.layers.values())))
                del inputs
                waited, kept = kept, None
                yield from _finished(waited)
                kept = behind.submit(keeper.keep, batch, said)
                del said
        except Exception:
            yield from _finished(kept)
            raise
        yield from _finished(kept)


def shard_in_steps(
    dataset: Dataset, entry: CacheEntry, shard: Shard, *, inputs: bool
) -> "Generator[SentBatch, Mapping[str, NDArray[Any]], Mapping[str, str]]":
    """A shard by a model elsewhere, batch by batch: yields a batch, takes its layers, and puts these on disk.

    ``inputs`` : whether the inputs are sent along. One batch is in memory. Returns the digests of the shard's rows by role.
    Raises as ``run_shards`` does.
    """
    layers = list(dict.fromkeys(shard.layers.values()))
    with _Keeper(entry) as keeper:
        for batch in _batches(shard, entry.batch_size):
            said = yield SentBatch(batch.rows, layers, _read(dataset, batch) if inputs else None)
            done = keeper.keep(batch, said)
            del said
    assert done is not None  # the last batch ends the shard
    return done.digests


def _batches(shard: Shard, size: int) -> Iterator[_Batch]:
    for start in range(shard.rows.start, shard.rows.stop, size):
        stop = min(start + size, shard.rows.stop)
        yield _Batch(shard, range(start, stop), stop == shard.rows.stop)


def _read(dataset: Dataset, batch: _Batch) -> NDArray[Any]:
    return dataset.batch(np.arange(batch.rows.start, batch.rows.stop))


def _finished(kept: "Future[Finished | None] | None") -> Iterator[Finished]:
    """Waits until the batch is kept; gives the shard that ended with it."""
    done = None if kept is None else kept.result()
    if done is not None:
        yield done


class _Keeper:
    """Writes the model's outputs for one batch after another."""

    def __init__(self, entry: CacheEntry) -> None:
        self._entry = entry
        self._opened = ExitStack()
        self._writers: dict[str, RangeWriter] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._opened.close()

    def keep(self, batch: _Batch, said: Mapping[str, NDArray[Any]]) -> Finished | None:
        """Writes the outputs for a batch; returns the shard if it ends with this batch."""
        files, layers = self._entry.files, batch.shard.layers
        with storing(self._entry.folder):
            if not self._writers:
                for role in layers:
                    self._writers[role] = self._opened.enter_context(files[role].writing(batch.shard.rows))
            for role, layer in layers.items():
                values = checked(layer, said[layer], batch.rows.start, len(batch.rows), files[role].width)
                self._writers[role].add(values)
            if not batch.last:
                return None
            digests = {role: writer.finish() for role, writer in self._writers.items()}
            self._opened.close()
            self._writers = {}
        return Finished(batch.shard, digests)


def checked(layer: str, said: NDArray[Any], first: int, count: int, width: int | None = None) -> NDArray[np.float32]:
    """What a layer says about the rows from ``first`` on as (count, width) float32; BadInput where it is not that."""
    values = np.asarray(said, dtype=np.float32)
    if values.ndim != 2 or len(values) != count or not values.shape[1]:
        raise BadInput(
            f"Layer {layer!r:.60} gives an array of shape {values.shape} for {count} inputs. Expected one row of "
            "numbers per input. Choose another layer."
        )
    if width is not None and values.shape[1] != width:
        raise BadInput(
            f"Layer {layer!r:.60} is of varying width ({width} and {values.shape[1]}). Expected one width for all "
            "inputs. Bring the inputs to one size, or choose another layer."
        )
    if not np.isfinite(values).all():
        row = first + int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
        raise BadInput(
            f"Layer {layer!r:.60} gives nan or infinity for row {row}. Expected finite numbers. Check how the inputs "
            "are scaled, or repair the model."
        )
    return values


FILE_NAME = "writers.json"

DEVICE = "the device"


@dataclass(frozen=True)
class Writer:
    """A machine as it was when it wrote: its ``name``, and ``had`` its versions and device by the name of each.

    ``batch_size`` : of the batches the model was run on, which may change last bits.
    """

    name: str
    had: Mapping[str, str]
    batch_size: int

    def words(self) -> str:
        """For a sentence.

        >>> Writer("node-2", {"Testimate": "0a1b", "Python": "3.12.1", "torch": "none"}, 256).words()
        'node-2 (Testimate 0a1b, Python 3.12.1)'
        """
        said = ", ".join(f"{name} {version}" for name, version in self.had.items() if version != "none")
        return f"{self.name} ({said})"


@dataclass
class Writers:
    """The writers of an entry's ranges.

    ``known`` : in the order they came. ``ranges`` : by role and first row, the place of the writer among them.
    """

    known: list[Writer] = field(default_factory=list)
    ranges: dict[str, dict[int, From0]] = field(default_factory=dict)

    def note(self, role: str, start: int, writer: Writer) -> None:
        """Remembers who wrote a range."""
        if writer not in self.known:
            self.known.append(writer)
        self.ranges.setdefault(role, {})[start] = self.known.index(writer)

    def of(self, role: str, start: int) -> Writer | None:
        """Who wrote a range; None where that was not kept, as before it was."""
        place = self.ranges.get(role, {}).get(start)
        return None if place is None else self.known[place]

    def content(self) -> bytes:
        """What is in the file."""
        return json.dumps({"known": [asdict(one) for one in self.known], "ranges": self.ranges}).encode()


def load_writers(folder: Path) -> Writers:
    """The writers of an entry; nobody where the file is not there or cannot be understood."""
    try:
        kept = read_record(Writers, json.loads((folder / FILE_NAME).read_bytes()))
    except (OSError, ValueError):
        return Writers()
    ranges = {
        role: {start: place for start, place in places.items() if place < len(kept.known)}
        for role, places in kept.ranges.items()
    }
    return Writers(kept.known, ranges)


def writer_here(model: Model, batch_size: int, name: str = "") -> Writer:
    """This computer, or a machine of that name that proved itself to be like it."""
    return Writer(name or platform.node() or "this computer", {**_installed(), DEVICE: device_of(model)}, batch_size)


def device_of(model: Model) -> str:
    """The kind of device a model runs on: cpu or cuda."""
    return str(getattr(model, "device", None) or "cpu").split(":")[0]


@lru_cache(maxsize=1)
def _installed() -> Mapping[str, str]:
    """What is installed; it does not change while a process runs."""
    return installed()


VERSION = 2
MANIFEST_NAME = "manifest.json"
BETWEEN = 0.1
"""Seconds between two saves of a run: what a killed one loses of finished ranges, and time that quick models do not spend."""


@dataclass
class RoleRecord:
    """What is finished of one role.

    Attributes
    ----------
    layer : that plays it. width : numbers per input. dtype : of them, as numpy writes it into a file's header.
    digests : of finished row ranges, by their first row; empty where the role is known but was never asked for.
    """

    layer: str
    width: int
    dtype: Annotated[str, Meta(pattern=r"\A<f[48]\Z")] = "<f4"
    digests: dict[int, str] = field(default_factory=dict)


@dataclass
class Manifest:
    """One model on one dataset.

    Attributes
    ----------
    name : of the subject, for people. model, dataset : their fingerprints. size : N.
    step : rows in a range; ranges begin at 0, step, 2 step and so on, and the last one ends at N.
    layers : every role the model has, with the layer that plays it.
    roles : those whose width is known, and what is finished of them.
    """

    name: str
    model: str
    dataset: str
    size: int
    step: From1
    layers: dict[str, str] = field(default_factory=dict)
    roles: dict[str, RoleRecord] = field(default_factory=dict)

    def ranges(self) -> list[range]:
        """All row ranges, in order."""
        return [range(start, min(start + self.step, self.size)) for start in range(0, self.size, self.step)]

    def is_whole(self, role: str) -> bool:
        """Whether every range of the role is finished."""
        return role in self.roles and all(rows.start in self.roles[role].digests for rows in self.ranges())

    def begun(self) -> tuple[str, ...]:
        """The roles of which something is finished."""
        return tuple(role for role, record in self.roles.items() if record.digests)

    def file(self, folder: Path, role: str) -> RoleFile:
        """The file of a role whose width is known."""
        return RoleFile(folder, role, self.size, self.roles[role].width, self.roles[role].dtype)

    def below(self, largest: int) -> tuple[str, ...] | None:
        """The model's roles whose files take at most ``largest`` bytes; None where a width is not known yet."""
        if not self.layers or any(role not in self.roles for role in self.layers):
            return None
        return tuple(role for role in self.layers if self.bytes_of(role) <= largest)

    def bytes_of(self, role: str) -> int:
        """Bytes of all values of a role whose width is known."""
        record = self.roles[role]
        return self.size * record.width * int(record.dtype[-1])

    def save(self, folder: Path) -> None:
        """Replaces the manifest on disk; called only after the values it names were written."""
        replace_file(folder / MANIFEST_NAME, self.content())

    def content(self) -> bytes:
        """What is in the file."""
        for record in self.roles.values():
            record.digests = dict(sorted(record.digests.items()))  # the same bytes, in whatever order they came
        roles = {role: vars(record) for role, record in self.roles.items()}
        return json.dumps({"version": VERSION, **vars(self), "roles": roles}).encode()


class SavedBehind:
    """Saves a manifest and who wrote what again and again in a thread of its own, ``BETWEEN`` seconds apart and when the block
    ends.

    Raises StoreUnavailable where the one before could not be saved.
    """

    def __init__(self, folder: Path, manifest: Manifest, writers: Writers) -> None:
        self._folder, self._manifest, self._writers = folder, manifest, writers
        self._thread = ThreadPoolExecutor(1)
        self._last: Future[None] | None = None
        self._next, self._waits = 0.0, False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._waits:
            self._submit()
        self._thread.shutdown()
        if error is None:
            self._check()

    def save(self) -> None:
        """Replaces the manifest on disk soon, by its content then."""
        self._waits = True
        if time.monotonic() >= self._next:
            self._check()
            self._submit()

    def _submit(self) -> None:
        contents = {FILE_NAME: self._writers.content(), MANIFEST_NAME: self._manifest.content()}
        self._last = self._thread.submit(self._replace, contents)
        self._next, self._waits = time.monotonic() + BETWEEN, False

    def _replace(self, contents: dict[str, bytes]) -> None:
        for name, content in contents.items():
            replace_file(self._folder / name, content)

    def _check(self) -> None:
        if self._last is not None:
            with storing(self._folder):
                self._last.result()


def load_manifest(folder: Path) -> Manifest | None:
    """The folder's manifest, or None where there is none that can be understood."""
    try:
        kept = json.loads((folder / MANIFEST_NAME).read_bytes())
        return read_record(Manifest, kept) if kept.pop("version") == VERSION else None
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError, AttributeError):
        return None
