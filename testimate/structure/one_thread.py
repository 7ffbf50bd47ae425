"""One BLAS and OpenMP thread for a while, so that sums run in one order whatever the number of cores."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

from threadpoolctl import threadpool_limits

# The limit holds for the whole process; without the lock, two threads leaving in the wrong order would keep it for good.
_lock = RLock()


@contextmanager
def one_thread() -> Iterator[None]:
    """Runs the block with one thread per numeric library, so that its result does not depend on the machine's cores."""
    with _lock, threadpool_limits(limits=1):
        yield
