"""Actors that stay on their machines between two runs over one connection: to start them takes seconds."""

import threading
from contextlib import suppress
from typing import Any


class Staff:
    """The idle actors of the connection that is open, by their machine.

    They hold their machine's cores, so they are kept only when no other crew of this process is at work.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._job = ""
        self._idle: dict[str, list[Any]] = {}
        self._crews = 0

    def begin(self, ray: Any) -> None:
        """A crew begins; actors of a former connection are forgotten, for they ended with it."""
        job = _job(ray)
        with self._lock:
            self._crews += 1
            if job != self._job:
                self._job, self._idle = job, {}

    def take(self, node: str) -> Any:
        """An actor on that machine; None where there is none."""
        with self._lock:
            idle = self._idle.get(node)
            return idle.pop() if idle else None

    def end(self, ray: Any, idle: dict[str, list[Any]]) -> None:
        """A crew ends; its idle actors forget their work and stay, or are ended where another crew may need their cores."""
        with self._lock:
            self._crews -= 1
            stay = bool(self._job) and not self._crews
            for node, actors in idle.items():
                for actor in actors:
                    if stay:
                        actor.rest.remote()
                        self._idle.setdefault(node, []).append(actor)
                    else:
                        ray.kill(actor)


def _job(ray: Any) -> str:
    """The name of the connection; "" where it has none."""
    with suppress(AttributeError):
        return str(ray.get_runtime_context().get_job_id())
    return ""


STAFF = Staff()
"""That of this process, which has at most one connection."""
