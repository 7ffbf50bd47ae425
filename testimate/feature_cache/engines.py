"""Who runs the shards: this process, or the machines of a Ray cluster; either writes the same bytes."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from testimate.core.plug_ins import LazyMapping
from testimate.core.progress import OnBlocks, Progress
from testimate.core.subject import Dataset, Model
from testimate.feature_cache.shards import CacheEntry, Finished, Shard, run_shards


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
    __package__, {"local": "engines:LocalEngine", "ray": "ray_engine:RayEngine"}, "engine"
)
"""Engines by the name the command line takes; Ray is imported when it is looked up."""
