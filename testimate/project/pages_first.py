"""A page that is being drawn goes before work that nobody waits for: on two cores both at once make the page twice as slow."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

AFTER = 0.8
"""Seconds after a page's script in which its browser, perhaps on the same machine, still draws."""

LONGEST_WAIT, REST = 1.2, 0.6
"""Seconds that work makes way at most, and goes on before it makes way again: many visitors slow it down and never stop it."""

LOOK = 0.02


class PagesFirst:
    """Which pages are being drawn; for work that is reported on a page while it goes on, such as a map that settles."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._drawing = 0
        self._quiet_from = 0.0  # monotonic seconds
        self._next = 0.0

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """While a page's script runs; the work makes way until a moment after it."""
        with self._lock:
            self._drawing += 1
        try:
            yield
        finally:
            with self._lock:
                self._drawing -= 1
                self._quiet_from = time.monotonic() + AFTER

    def make_way(self) -> None:
        """Called by the work between two steps: waits while a page is being drawn, at most MOST seconds."""
        begun = now = time.monotonic()
        if now < self._next:
            return
        while now < begun + LONGEST_WAIT and self._drawn(now):
            time.sleep(LOOK)
            now = time.monotonic()
        if now > begun:
            self._next = now + REST

    def _drawn(self, now: float) -> bool:
        with self._lock:
            return self._drawing > 0 or now < self._quiet_from
