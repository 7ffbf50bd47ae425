"""Blocks of rows worked on by all cores, each with one thread per numeric library."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from testimate.core.machine import cores
from testimate.core.progress import Progress
from testimate.structure.cores import one_thread

Block = TypeVar("Block")
Answer = TypeVar("Answer")


def on_all_cores(
    work: Callable[[Block], Answer], blocks: Sequence[Block], progress: Progress, what: str
) -> Iterator[tuple[int, Answer]]:
    """Yields each block's place and result as it finishes, on all cores; see ``core.blocks.OnBlocks``."""
    with one_thread(), ThreadPoolExecutor(max_workers=max(min(cores(), len(blocks)), 1)) as pool:
        waiting = {pool.submit(work, block): place for place, block in enumerate(blocks)}
        try:
            progress(0, len(blocks), what)
            for done, finished in enumerate(as_completed(waiting), start=1):
                yield waiting[finished], finished.result()
                progress(done, len(blocks), what)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
