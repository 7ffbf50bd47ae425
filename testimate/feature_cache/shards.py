"""One shard of a run over the data: the model on one row range, batch by batch, into the files of the cache."""

from collections.abc import Mapping
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
    """Puts a shard on disk and returns the digest of each role's rows; one batch at a time is in memory.

    Raises BadInput where a layer does not say one row of finite numbers per input, always of the same width.
    """
    layers = list(dict.fromkeys(shard.layers.values()))
    with ExitStack() as open_files:
        with storing(entry.folder):
            writers = {role: open_files.enter_context(entry.files[role].writing(shard.rows)) for role in shard.layers}
        for start in range(shard.rows.start, shard.rows.stop, entry.batch_size):
            progress(start, len(dataset), "running the model")
            rows = np.arange(start, min(start + entry.batch_size, shard.rows.stop))
            said = model.run(dataset.batch(rows), layers)
            for role, layer in shard.layers.items():
                values = checked(layer, said[layer], start, len(rows), entry.files[role].width)
                with storing(entry.folder):
                    writers[role].add(values)
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
