"""One shard of a run over the data: the model on one row range, batch by batch, into the files of the cache."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.progress import Progress
from testimate.core.subject import Dataset, Model
from testimate.feature_cache.role_file import RoleFile
from testimate.feature_cache.storing import storing


@dataclass(frozen=True)
class Shard:
    """A row range and what is missing of it: the layer to ask, by role."""

    rows: range
    layers: Mapping[str, str]


@dataclass(frozen=True)
class Entry:
    """Where the shards of one run are written: a folder, its open files by role, and the batches the model is run on."""

    folder: Path
    files: Mapping[str, RoleFile]
    batch_size: int


def run_shard(model: Model, dataset: Dataset, entry: Entry, shard: Shard, progress: Progress) -> Mapping[str, str]:
    """Puts a shard on disk and returns the digest of each role's rows; no more than three batches are in memory.

    While the model runs on one batch, the next is read and what it said of the last is written. Raises BadInput where a
    layer does not say one row of finite numbers per input, always of the same width.
    """
    layers = list(dict.fromkeys(shard.layers.values()))
    starts = range(shard.rows.start, shard.rows.stop, entry.batch_size)
    batches = [np.arange(start, min(start + entry.batch_size, shard.rows.stop)) for start in starts]
    with ExitStack() as opened:
        with storing(entry.folder):
            writers = {role: opened.enter_context(entry.files[role].writing(shard.rows)) for role in shard.layers}
        # entered last, so that on an error their threads end before the files they write to are closed
        ahead, behind = (opened.enter_context(ThreadPoolExecutor(1)) for _ in range(2))

        def keep(said: Mapping[str, NDArray[Any]], first: int, count: int) -> None:
            for role, layer in shard.layers.items():
                values = checked(layer, said[layer], first, count, entry.files[role].width)
                with storing(entry.folder):
                    writers[role].add(values)

        read, kept = ahead.submit(dataset.batch, batches[0]), None
        for rows, following in zip(batches, [*batches[1:], None], strict=True):
            progress(int(rows[0]), len(dataset), "running the model")
            batch = read.result()
            if following is not None:
                read = ahead.submit(dataset.batch, following)
            said = model.run(batch, layers)
            if kept is not None:
                kept.result()
            kept = behind.submit(keep, said, int(rows[0]), len(rows))
        assert kept is not None
        kept.result()
        with storing(entry.folder):
            return {role: writer.finish() for role, writer in writers.items()}


def checked(layer: str, said: NDArray[Any], first: int, count: int, width: int | None = None) -> NDArray[np.float32]:
    """What a layer says of the rows from ``first`` on as (count, width) float32; BadInput where it is not that."""
    values = np.asarray(said, dtype=np.float32)
    if values.ndim != 2 or len(values) != count or not values.shape[1]:
        raise BadInput(
            f"Layer {layer!r:.60} says an array of shape {values.shape} for {count} inputs; needed is one row of numbers "
            "per input. Choose another layer."
        )
    if width is not None and values.shape[1] != width:
        raise BadInput(
            f"Layer {layer!r:.60} is of varying width ({width} and {values.shape[1]}); needed is one width for all "
            "inputs. Bring the inputs to one size, or choose another layer."
        )
    if not np.isfinite(values).all():
        row = first + int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
        raise BadInput(
            f"Layer {layer!r:.60} says nan or infinity for row {row}; needed are finite numbers. Check how the inputs are "
            "scaled, or repair the model."
        )
    return values
