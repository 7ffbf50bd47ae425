"""Blocks of work on the machines of a Ray cluster; see ``core.blocks.OnBlocks``."""

import hashlib
import pickle
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from testimate.core.progress import Progress
from testimate.engines.crew import LEAST_PATIENCE, Crew, SaidOnce
from testimate.engines.ray_cluster import Connection, Proof, Ready
from testimate.structure.cores import on_cores, one_thread

BUNDLES = 64
"""Parts into which the blocks are put: each costs a message, and what a lost machine was at is repeated."""

FIRST = "the first block"


class OnCluster:
    """An ``OnBlocks`` on the cluster that RAY_ADDRESS names; what the work looks at is sent to each machine once.

    ``tell`` : hears which machines are left out, and why. ``connection`` : one that is shared with other runs.
    """

    def __init__(
        self,
        tell: Callable[[str], object] = warnings.warn,
        *,
        connection: Connection | None = None,
        least_patience: float = LEAST_PATIENCE,
    ) -> None:
        self._tell, self._least_patience = SaidOnce(tell), least_patience
        self.connection = connection or Connection()

    def __call__(
        self, work: Callable[[Any], Any], blocks: Sequence[Any], progress: Progress, what: str
    ) -> Iterator[tuple[int, Any]]:
        """The place of each block and the answer for it.

        Raises what ``work`` raises, and BadInput where no machine can be used.
        """
        if not blocks:
            return
        worker = BlockWorker(work, blocks[0])
        size = -(-len(blocks) // BUNDLES)
        bundles = [list(blocks[start : start + size]) for start in range(0, len(blocks), size)]
        done = 0

        def look(waits: str) -> None:
            progress(done, len(blocks), waits or what)

        with self.connection.opened() as ray:
            crew = Crew(ray, worker, worker.ready().proof, self._tell, least_patience=self._least_patience)
            for one in crew.run(bundles, look):
                yield from enumerate(one.answer, start=one.place * size)
                done += len(one.answer)
        progress(len(blocks), len(blocks), what)


@dataclass(frozen=True)
class BlockWorker:
    """What is sent to a machine: the work, and a block by which it proves that it does it as here."""

    work: Callable[[Any], Any]
    first: Any

    def ready(self) -> Ready:
        """Does the first block."""
        with one_thread():
            answer = self.work(self.first)
        return Ready(Proof({FIRST: hashlib.sha256(pickle.dumps(answer)).hexdigest()[:12]}))

    def run(self, bundle: Sequence[Any]) -> list[Any]:
        """The answers for some blocks, on all cores of the machine."""
        return on_cores(bundle, self.work)
