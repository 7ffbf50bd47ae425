"""Blocks of rows worked on by all cores, each with one thread per numeric library."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from testimate.core.cores import cores
from testimate.core.progress import Progress
from testimate.structure.one_thread import one_thread

Block = TypeVar("Block")


def for_each_block(blocks: Sequence[Block], work: Callable[[Block], None], progress: Progress, what: str) -> None:
    """Calls ``work`` once for every block, on all cores; it writes where no other block writes.

    Reports the blocks done. What ``work`` or ``progress`` raises stops the blocks not begun yet and is raised here.
    """
    with one_thread(), ThreadPoolExecutor(max_workers=max(min(cores(), len(blocks)), 1)) as pool:
        waiting = [pool.submit(work, block) for block in blocks]
        try:
            progress(0, len(blocks), what)
            for done, finished in enumerate(as_completed(waiting), start=1):
                finished.result()
                progress(done, len(blocks), what)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
