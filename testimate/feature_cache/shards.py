"""The shards of a run over the data: the model on one row range after another, by batches, into the cache's files."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.progress import Progress
from testimate.core.subject import Dataset, Model
from testimate.feature_cache.role_file import RangeWriter, RoleFile
from testimate.feature_cache.storing import storing


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
            f"Layer {layer!r:.60} gives an array of shape {values.shape} for {count} inputs; expected one row of "
            "numbers per input. Choose another layer."
        )
    if width is not None and values.shape[1] != width:
        raise BadInput(
            f"Layer {layer!r:.60} is of varying width ({width} and {values.shape[1]}); expected one width for all "
            "inputs. Bring the inputs to one size, or choose another layer."
        )
    if not np.isfinite(values).all():
        row = first + int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
        raise BadInput(
            f"Layer {layer!r:.60} gives nan or infinity for row {row}; expected finite numbers. Check how the inputs "
            "are scaled, or repair the model."
        )
    return values
