"""Long work in the background of the process, made once per key: its progress, its end, its result.

A page that is being drawn goes before work that nobody waits for: on two cores both at once make the page twice as slow.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from testimate.core.errors import BadInput, Canceled, TestimateError
from testimate.core.progress import Ahead, Progress, WorkPace
from testimate.core.words import commas

if TYPE_CHECKING:
    from testimate.subjects.occlusion import Explained


JobState = Literal["running", "done", "failed", "canceled"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class JobStatus:
    """How far a job is.

    Attributes
    ----------
    done, total, what : as the work reported last; 0 of 0 before it has.
    seconds : since it began, until now or until it ended.
    seconds_left : at the pace of the present ``what``; None while unknown, 0 when over.
    ahead : what the present ``what`` takes in all; None while that is unknown, and when it is over.
    error : one sentence where it failed; else empty.
    """

    key: str
    state: JobState
    done: int
    total: int
    what: str
    seconds: float
    seconds_left: float | None
    error: str = ""
    ahead: Ahead | None = None


class _Job:
    """One piece of work and what it has reported; its fields change under ``lock`` only."""

    def __init__(self, key: str, work: Callable[[Progress], Any]) -> None:
        self.key, self._work = key, work
        self._lock = threading.Lock()
        self._cancel = threading.Event()
        self._state: JobState = "running"
        self._pace = WorkPace()
        self._began = time.monotonic()
        self._ended: float | None = None
        self._result: Any = None
        self._error: Exception | None = None
        self.thread = threading.Thread(target=self._run, name=f"job {key}", daemon=True)

    def _run(self) -> None:
        state: JobState = "done"
        result: Any = None
        error: Exception | None = None
        try:
            result = self._work(self._progress)
        except Canceled as stopped:
            state, error = "canceled", stopped
        except Exception as failure:  # whatever it is, the person who waits has to see it
            state, error = "failed", failure
            _log.exception("The job %s failed", self.key)
        with self._lock:
            self._state, self._result, self._error, self._ended = state, result, error, time.monotonic()

    def _progress(self, done: int, total: int, what: str = "") -> None:
        if self._cancel.is_set():
            raise Canceled(
                f"{what or self.key} was stopped after {commas(done)} of {commas(total)}, as asked. Start it again."
            )
        with self._lock:
            self._pace.step(done, total, what)

    def cancel(self) -> None:
        self._cancel.set()

    def status(self) -> JobStatus:
        with self._lock:
            now = self._ended or time.monotonic()
            running, pace = self._state == "running", self._pace
            ahead = pace.ahead() if running else None
            left = (None if ahead is None else ahead.left) if running else 0.0
            sentence = _sentence(self.key, self._error) if self._state == "failed" else ""
            seconds = now - self._began
            return JobStatus(self.key, self._state, pace.done, pace.total, pace.what, seconds, left, sentence, ahead)

    def result(self) -> Any:
        with self._lock:
            if self._state == "running":
                raise BadInput(f"The job {self.key!r:.60} is still running; its result comes at its end. Wait for it.")
            if self._error is not None:
                raise self._error
            return self._result


class Jobs:
    """The background jobs of one process, by key; shared by all its threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, _Job] = {}

    def start(self, key: str, work: Callable[[Progress], Any]) -> JobStatus:
        """Begins the work in a thread of its own, unless one of that key runs or is done; a failed one begins again.

        ``work`` is called with a progress and should report often: that is where it is canceled.
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.status().state in ("failed", "canceled"):
                job = self._jobs[key] = _Job(key, work)
                job.thread.start()
        return job.status()

    def status(self, key: str) -> JobStatus | None:
        """How far the job is; None where none of that key was started."""
        with self._lock:
            job = self._jobs.get(key)
        return None if job is None else job.status()

    def cancel(self, key: str) -> None:
        """Asks the job to stop: its next report of progress raises Canceled. Nothing where it is over."""
        self._job(key).cancel()

    def wait(self, key: str, seconds: float | None = None) -> JobStatus:
        """Waits until the job is over, at most ``seconds``; how far it is then."""
        job = self._job(key)
        job.thread.join(seconds)
        return job.status()

    def result(self, key: str) -> Any:
        """What the work returned. Raises its own error where it failed, Canceled where it was, BadInput while it runs."""
        return self._job(key).result()

    def forget(self, key: str) -> None:
        """Drops a job that is over, so that its memory is freed and its key may be started again."""
        job = self._job(key)
        if job.status().state == "running":
            raise BadInput(f"The job {key!r:.60} is still running; only one that is over can go. Cancel it first.")
        with self._lock:
            self._jobs.pop(key, None)

    def _job(self, key: str) -> _Job:
        with self._lock:
            job = self._jobs.get(key)
        if job is None:
            raise BadInput(f"There is no job {key!r:.60}. Start it first.")
        return job


def _sentence(key: str, error: Exception | None) -> str:
    """An error as a person reads it."""
    if isinstance(error, TestimateError):
        return str(error)
    return f"{key} failed ({type(error).__name__}: {error!s:.200}); the log contains the details. Try it again."


Key = TypeVar("Key")
Made = TypeVar("Made")


class MadeOnce(Generic[Key, Made]):
    """Values by key, each made by the first caller; only callers who ask for the same key wait for it.

    ``lock`` : of the dictionaries alone, never held while something is made; several may share one.
    """

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock
        self._made: dict[Key, Made] = {}
        self._making: dict[Key, threading.RLock] = {}

    def __contains__(self, key: object) -> bool:
        return key in self._made

    def get(self, key: Key) -> Made | None:
        """What was made; None where nothing was yet."""
        with self._lock:
            return self._made.get(key)

    def get_or_make(self, key: Key, make: Callable[[], Made]) -> Made:
        """What was made, or is made now; after an error of ``make`` nothing is kept, and the next caller makes it."""
        with self._lock:
            if key in self._made:
                return self._made[key]
            making = self._making.setdefault(key, threading.RLock())
        with making:
            with self._lock:
                if key in self._made:
                    return self._made[key]
            made = make()
            with self._lock:
                return self._made.setdefault(key, made)

    def put(self, key: Key, made: Made) -> None:
        """Stores a value made elsewhere, in place of the one that was there."""
        with self._lock:
            self._made[key] = made

    def all(self) -> list[Made]:
        """Everything made so far."""
        with self._lock:
            return list(self._made.values())

    def drop(self, key: Key) -> None:
        """Drops the value, so that it is made again for the next who asks."""
        with self._lock:
            self._made.pop(key, None)


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


MOST_EXPLANATIONS = 200


class Explanations:
    """Explanations by the fingerprint of the inputs and the row; the oldest make room for new ones. Safe between threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int], Explained] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, fingerprint: str, row: int) -> Explained | None:
        """The explanation of an input; None where nobody asked for it yet."""
        with self._lock:
            return self._kept.get((fingerprint, row))

    def keep(self, fingerprint: str, row: int, found: Explained) -> None:
        """Keeps the explanation of an input, in the place of an earlier one."""
        with self._lock:
            self._kept[fingerprint, row] = found
            while len(self._kept) > MOST_EXPLANATIONS:
                self._kept.popitem(last=False)
