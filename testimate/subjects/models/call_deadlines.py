"""Ends calls that take too long: one thread per model's process, which sleeps until a deadline passes."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Watch:
    """Calls ``end`` if a block of work takes longer than allowed; ``late`` says whether it did."""

    def __init__(self, end: Callable[[], None]) -> None:
        self.late = False
        self._end = end
        self._deadline: float | None = None
        self._wakes = math.inf
        self._stopped = False
        self._changed = threading.Condition()
        threading.Thread(target=self._watch, name="deadline of a model", daemon=True).start()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Allows the block that many seconds."""
        with self._changed:
            self._deadline = time.monotonic() + seconds
            if self._deadline < self._wakes:
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._deadline = None

    def stop(self) -> None:
        """Ends the thread."""
        with self._changed:
            self._stopped = True
            self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while not self._stopped:
                now, deadline = time.monotonic(), self._deadline
                if deadline is not None and deadline <= now:
                    self.late, self._deadline = True, None
                    self._end()
                    continue
                # a later deadline need not wake the thread, which sees it when the earlier one has passed
                self._wakes = math.inf if deadline is None else deadline
                self._changed.wait(None if deadline is None else deadline - now)
