"""What a part of long work will take, by its own first steps: one forecast for every job, at the terminal and on pages."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LOOKED = 1.0
"""Seconds of a part after which its pace is shown; what comes before is noise, or loads what the rest uses."""

LONG = 10.0
"""Seconds that a part takes in all from which it is announced."""

A_MINUTE = 60.0
"""Seconds that a part takes in all from which a quicker way is offered, where there is one."""

_STATM = Path("/proc/self/statm")


@dataclass(frozen=True)
class Ahead:
    """What a part takes at its pace so far.

    Attributes
    ----------
    seconds, left : from its first step to its last, and from now on.
    megabytes : of memory that it holds at its end beyond what was held at its beginning, at least 0; None where the system
        does not say.
    """

    seconds: float
    left: float
    megabytes: float | None

    @property
    def long(self) -> bool:
        """Whether somebody who waits wants to know."""
        return self.seconds >= LONG

    def words(self) -> str:
        """For people.

        >>> Ahead(130, 120, 1234.5).words(), Ahead(20, 18, 40.0).words()
        ('about 2 min in all, 1.2 GB of memory', 'about 20 s in all')
        """
        return f"about {in_words(self.seconds)} in all{memory_words(self.megabytes)}"


class WorkPace:
    """How far work is, and what its present part will take: from steps of equal work and what they took.

    ``clock`` : seconds that only rise. ``held`` : bytes that the process holds now, None where the system does not say.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, held: Callable[[], int | None] | None = None
    ) -> None:
        self._clock, self._held = clock, held or held_bytes
        self.done, self.total, self.what = 0, 0, ""
        self._begun, self._first, self._held_first = clock(), 0, self._held()
        self._told = False

    def step(self, done: int, total: int, what: str = "") -> None:
        """As ``Progress``; another ``what``, or fewer steps done, begins another part."""
        if what != self.what or done < self.done:
            self._begun, self._held_first = self._clock(), self._held()
            self._first = done  # what an earlier run did tells nothing of the pace
            self._told = False
        self.done, self.total, self.what = done, total, what

    def ahead(self) -> Ahead | None:
        """What the present part takes; None before its second step."""
        steps, left = self.done - self._first, self.total - self.done
        if steps <= 0 or left < 0:
            return None
        took, now = self._clock() - self._begun, self._held()
        grown = None if now is None or self._held_first is None else max(now - self._held_first, 0) / 1e6
        whole = (steps + left) / steps
        return Ahead(took * whole, took * left / steps, None if grown is None else grown * whole)

    def forecast(self) -> Ahead | None:
        """What a long part takes, once, as soon as its pace can be told; else None."""
        ahead = None if self._told or self._clock() - self._begun < LOOKED else self.ahead()
        if ahead is None:
            return None
        self._told = True
        return ahead if ahead.long else None


def held_bytes(statm: Path = _STATM) -> int | None:
    """Bytes of memory that this process holds; None where the system does not say (Linux does)."""
    try:
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return None


def in_words(seconds: float) -> str:
    """How long, for people.

    >>> in_words(7.4), in_words(100), in_words(3700), in_words(2e5)
    ('7 s', '2 min', '1.0 h', '56 h')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 36_000 else f"{seconds / 3600:.0f} h"


def memory_words(megabytes: float | None) -> str:
    """Memory beside a time, where it is worth a word: from 100 MB on.

    >>> memory_words(250.0), memory_words(4200.0), memory_words(12.0), memory_words(None)
    (', 250 MB of memory', ', 4.2 GB of memory', '', '')
    """
    if megabytes is None or megabytes < 100:
        return ""
    return f", {megabytes / 1000:.1f} GB of memory" if megabytes >= 1000 else f", {megabytes:.0f} MB of memory"
