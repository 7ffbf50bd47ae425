"""Runs pieces of work on all cores, each with one thread per numeric library, and gives their results in order.

Limits BLAS and OpenMP to one thread for a while, so that sums run in the same order on any number of cores.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar

from threadpoolctl import OpenBLASController, ThreadpoolController

from testimate.core.machine import cores

# The limit holds for the whole process: the first to come sets it, the last to leave lifts it, and nobody waits.
# threadpoolctl lets only the thread that came first change OpenBLAS's threads and is silent when another tries; the last
# to leave need not be the first, so control is given up before and after. A library that was imported meanwhile is not
# under the limit yet, so whoever comes after an import sets it again.
_lock = Lock()
_inside: list[None] = []
_limits: list[Any] = []
_limited: list[int] = []  # how many modules there were at each
# How many modules there were, and the libraries found: a search takes 7 ms.
_found: list[tuple[int, ThreadpoolController]] = []


def _libraries() -> ThreadpoolController:
    """The numeric libraries that are loaded; looked for again once something was imported."""
    modules = len(sys.modules)
    if not _found or _found[-1][0] != modules:
        _found[:] = [(modules, ThreadpoolController())]
    return _found[-1][1]


@contextmanager
def one_thread() -> Iterator[None]:
    """Runs the block with one thread per numeric library, so that its result does not depend on the machine's cores."""
    with _lock:
        if not _limited or _limited[-1] != len(sys.modules):
            OpenBLASController.clear_controlling_thread(force=True)
            _limits.append(_libraries().limit(limits=1))
            _limited.append(len(sys.modules))
        _inside.append(None)
    try:
        yield
    finally:
        with _lock:
            _inside.pop()
            if not _inside:
                _limited.clear()
                while _limits:
                    OpenBLASController.clear_controlling_thread(force=True)
                    _limits.pop().restore_original_limits()
                OpenBLASController.clear_controlling_thread(force=True)


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
