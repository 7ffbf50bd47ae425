"""Long work in the background of the process, so that it survives a page change: its progress, its end, its result."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from testimate.core.errors import BadInput, Cancelled, TestimateError
from testimate.core.progress import Ahead, Progress, WorkPace
from testimate.core.words import spaced

JobState = Literal["running", "done", "failed", "cancelled"]

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
        except Cancelled as stopped:
            state, error = "cancelled", stopped
        except Exception as failure:  # whatever it is, the person who waits has to see it
            state, error = "failed", failure
            _log.exception("The job %s failed", self.key)
        with self._lock:
            self._state, self._result, self._error, self._ended = state, result, error, time.monotonic()

    def _progress(self, done: int, total: int, what: str = "") -> None:
        if self._cancel.is_set():
            raise Cancelled(
                f"{what or self.key} was stopped after {spaced(done)} of {spaced(total)}, as asked. Start it again."
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

        ``work`` is called with a progress and should report often: that is where it is cancelled.
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.status().state in ("failed", "cancelled"):
                job = self._jobs[key] = _Job(key, work)
                job.thread.start()
        return job.status()

    def status(self, key: str) -> JobStatus | None:
        """How far the job is; None where none of that key was started."""
        with self._lock:
            job = self._jobs.get(key)
        return None if job is None else job.status()

    def cancel(self, key: str) -> None:
        """Asks the job to stop: its next report of progress raises Cancelled. Nothing where it is over."""
        self._job(key).cancel()

    def wait(self, key: str, seconds: float | None = None) -> JobStatus:
        """Waits until the job is over, at most ``seconds``; how far it is then."""
        job = self._job(key)
        job.thread.join(seconds)
        return job.status()

    def result(self, key: str) -> Any:
        """What the work returned. Raises its own error where it failed, Cancelled where it was, BadInput while it runs."""
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
    return f"{key} failed ({type(error).__name__}: {error!s:.200}); the log holds the details. Try it again."
