"""Limits BLAS and OpenMP to one thread for a while, so that sums run in the same order on any number of cores."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from threadpoolctl import OpenBLASController, ThreadpoolController

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
