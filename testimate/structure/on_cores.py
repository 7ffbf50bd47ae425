"""Runs pieces of work on all cores, each with one thread per numeric library, and gives their results in order."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from testimate.core.machine import cores
from testimate.structure.one_thread import one_thread

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def on_cores(
    pieces: Sequence[Piece],
    work: Callable[[Piece], Result],
    *,
    threads: int | None = None,
    on_finished: Callable[[Piece], None] | None = None,
) -> list[Result]:
    """``work`` of every piece, in the order of the pieces.

    ``threads`` : at most that many at a time; None = as many as the process may use. ``on_finished`` : called with each
        finished piece; an error in it or in ``work`` stops the pieces not yet begun and is raised here.
    """
    count = max(min(threads or cores(), len(pieces)), 1)
    with one_thread(), ThreadPoolExecutor(max_workers=count) as pool:
        waiting = {pool.submit(work, piece): piece for piece in pieces}
        try:
            for finished in as_completed(waiting):
                finished.result()
                if on_finished is not None:
                    on_finished(waiting[finished])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        return [finished.result() for finished in waiting]
