"""The course of the estimate, after one label, two, and so on, kept so that one more label costs one estimate."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.session.session import Session

POINTS = 128
"""The most points a trail holds, apart from the newest; more than a chart can show apart."""


@dataclass(frozen=True, eq=False)
class Trail:
    """The estimate after more and more labels, each column (points,); the last is the newest.

    ``labels`` counts draws with a loss. Where an interval does not exist its ends are nan, so that a chart leaves a gap;
    draws after which there was no honest number have no point.
    """

    labels: NDArray[np.intp]
    accuracy: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    always_low: NDArray[np.float64]
    always_high: NDArray[np.float64]


class RunningTrail:
    """The trail of one session, updated at each look.

    An estimate is of the first k verdicts in draw order, with the votes as they stand now: a changed vote changes the
    estimates after it. k runs over the multiples of a step that doubles whenever there would be more than ``POINTS``.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._verdicts: tuple[Verdict, ...] = ()
        self._estimates: dict[int, Estimate | None] = {}  # verdicts counted -> estimate; None where there is none
        self._why = ""

    def look(self, session: Session) -> tuple[Trail, Estimate | str]:
        """The trail so far, and the estimate at its end, or the sentence that says why there is none yet."""
        with self._lock:
            verdicts = session.verdicts()
            count = len(verdicts)
            same = _same_until(self._verdicts, verdicts)
            step = _step(count)
            kept = {k: found for k, found in self._estimates.items() if k <= same and (k % step == 0 or k == count)}
            for k in (*range(step, count, step), count):
                if k not in kept:
                    kept[k] = self._estimate(session, verdicts[:k])
            self._verdicts, self._estimates = verdicts, dict(sorted(kept.items()))
            return _trail(list(self._estimates.values())), self._estimates[count] or self._why

    def _estimate(self, session: Session, verdicts: Sequence[Verdict]) -> Estimate | None:
        try:
            return session.estimate_of(verdicts)
        except NotEnoughLabels as error:
            self._why = str(error)  # the last one asked for is that of all verdicts
            return None


def _same_until(before: Sequence[Verdict], now: Sequence[Verdict]) -> int:
    """How many verdicts from the first one on are the same."""
    pairs = zip(before, now, strict=False)
    shorter = min(len(before), len(now))
    return next((place for place, (old, new) in enumerate(pairs) if old is not new and old != new), shorter)


def _step(count: int) -> int:
    """The least power of two that leaves at most ``POINTS`` multiples up to ``count``.

    >>> [_step(count) for count in (0, 128, 129, 2000)]
    [1, 1, 2, 16]
    """
    step = 1
    while count // step > POINTS:
        step *= 2
    return step


def _trail(estimates: Sequence[Estimate | None]) -> Trail:
    found = [estimate for estimate in estimates if estimate is not None]

    def column(name: str) -> NDArray[np.float64]:
        return np.array([getattr(estimate, name) for estimate in found], dtype=np.float64)  # None becomes nan

    return Trail(
        labels=np.array([estimate.labeled for estimate in found], dtype=np.intp),
        accuracy=column("accuracy"),
        low=column("low"),
        high=column("high"),
        always_low=column("always_low"),
        always_high=column("always_high"),
    )
