"""The progress of long work: reported, stopped, forecast, and divided into independent blocks.

Of time alone: memory is mostly taken at a part's beginning, so its growth over the first steps says nothing about the rest.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar


class Progress(Protocol):
    """Called now and then by long work with what is done, out of how much, and of what; raises Canceled to stop it."""

    def __call__(self, done: int, total: int, what: str = "") -> None:
        """Report that ``done`` of ``total`` steps of ``what`` are done."""
        ...


def silent(done: int, total: int, what: str = "") -> None:
    """The progress of work nobody watches."""


LOOKED = 1.0
"""Seconds of a part after which its pace is shown; what comes before is noise, or loads what the rest uses."""

LONG = 10.0
"""Seconds that a part takes in all from which it is announced."""

A_MINUTE = 60.0
"""Seconds that a part takes in all from which a quicker way is offered, where there is one."""


@dataclass(frozen=True)
class Ahead:
    """What a part takes at its pace so far: ``seconds`` from its first step to its last, and those that are ``left``."""

    seconds: float
    left: float

    @property
    def long(self) -> bool:
        """Whether somebody who waits wants to know."""
        return self.seconds >= LONG


class WorkPace:
    """How far work is, and what its present part will take: from steps of equal work and what they took.

    ``clock`` : seconds that only rise.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.done, self.total, self.what = 0, 0, ""
        self._begun, self._first = clock(), 0
        self._reported = False

    def step(self, done: int, total: int, what: str = "") -> None:
        """As ``Progress``; another ``what``, or fewer steps done, begins another part."""
        if what != self.what or done < self.done:
            self._begun, self._first = self._clock(), done  # what an earlier run did says nothing about the pace
            self._reported = False
        self.done, self.total, self.what = done, total, what

    def ahead(self) -> Ahead | None:
        """What the present part takes; None before its second step."""
        steps, left = self.done - self._first, self.total - self.done
        if steps <= 0 or left < 0:
            return None
        took = self._clock() - self._begun
        return Ahead(took * (steps + left) / steps, took * left / steps)

    def forecast(self) -> Ahead | None:
        """What a long part takes, once, as soon as its pace can be told; else None."""
        ahead = None if self._reported or self._clock() - self._begun < LOOKED else self.ahead()
        if ahead is None:
            return None
        self._reported = True
        return ahead if ahead.long else None


def time_in_words(seconds: float) -> str:
    """A duration, for people.

    >>> time_in_words(7.4), time_in_words(100), time_in_words(5700), time_in_words(2e5)
    ('7 s', '2 min', '1.6 h', '56 h')
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 36_000 else f"{seconds / 3600:.0f} h"


Block = TypeVar("Block")
Answer = TypeVar("Answer")


class OnBlocks(Protocol):
    """Calls ``work`` once for every block, here or elsewhere, and gives each answer with its place among the blocks.

    In whatever order they are done. Where ``work`` is done on other machines, the first block is also done here, and has to
    come out the same there. What ``work`` or ``progress`` raises stops the blocks not begun yet and is raised.
    """

    def __call__(
        self, work: Callable[[Any], Any], blocks: Sequence[Any], progress: Progress, what: str
    ) -> Iterator[tuple[int, Any]]:
        """The place of each block and the answer for it."""
        ...


def one_by_one(
    work: Callable[[Block], Answer], blocks: Sequence[Block], progress: Progress, what: str
) -> Iterator[tuple[int, Answer]]:
    """Each block in order, in this thread.

    >>> from testimate.core.progress import silent
    >>> list(one_by_one(abs, [-1, 2], silent, "numbers"))
    [(0, 1), (1, 2)]
    """
    for place, block in enumerate(blocks):
        progress(place, len(blocks), what)
        yield place, work(block)
    progress(len(blocks), len(blocks), what)
