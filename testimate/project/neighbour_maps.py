"""The neighbour maps of a project's subjects: laid out in the background, seen while they settle, kept once they are there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.project.jobs import Jobs, JobStatus
from testimate.project.made_once import MadeOnce
from testimate.project.pages_first import PagesFirst

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from testimate.structure.maps import PlanarMap

MAP_SEED = 0


@dataclass(frozen=True, eq=False)
class MapNow:
    """A map as it is at this moment.

    ``settled`` : whether it is final. ``turn`` : a number that changes whenever the points do.
    """

    planar: PlanarMap
    settled: bool
    turn: int


def map_job_of(fingerprint: str, features: str) -> str:
    """The name of the job that lays out the inputs of that fingerprint by these features."""
    return f"map {fingerprint} {features}"


class NeighbourMaps:
    """By subject and features; ``on_the_same`` says whether two subjects are on the same inputs, so that one map can start
    from the other's."""

    def __init__(
        self,
        inputs_of: Callable[[str, Progress], Inputs],
        on_the_same: Callable[[str, str], bool],
        jobs: Jobs,
        lock: threading.RLock,
        pages_first: PagesFirst,
    ) -> None:
        self._inputs_of, self._on_the_same, self._jobs, self._lock = inputs_of, on_the_same, jobs, lock
        self._pages_first = pages_first
        self._maps: MadeOnce[str, PlanarMap] = MadeOnce(lock)
        self._first: MadeOnce[str, PlanarMap] = MadeOnce(lock)  # where each begins
        self._moving: dict[str, tuple[int, NDArray[np.float64]]] = {}
        self._made: list[tuple[str, str, str]] = []  # subject, features, job; the newest last

    def now(self, key: str, features: str) -> MapNow:
        """The map, or, until it is there, the places so far; before there are any, those it begins with."""
        inputs = self._inputs_of(key, silent)
        job = map_job_of(inputs.fingerprint, features)
        made = self._maps.get(job)
        if made is not None:
            return MapNow(made, True, -1)
        first = self.begins_with(inputs, key, features)
        status = self._jobs.status(job)
        with self._lock:
            moving = self._moving.get(job)
        if moving is None or status is None or status.state != "running":
            return MapNow(first, False, 0)
        from testimate.structure.maps import PlanarMap

        return MapNow(PlanarMap(moving[1], "neighbours"), False, moving[0])

    def find(self, key: str, features: str, *, again: bool = False) -> JobStatus | None:
        """How far the map is; None where it is there. The first call begins the work, in the background; ``again`` begins it
        again after it failed or was cancelled."""
        inputs = self._inputs_of(key, silent)
        job = map_job_of(inputs.fingerprint, features)

        def work(progress: Progress) -> None:
            self._maps.get_or_make(job, lambda: self._laid_out(inputs, key, features, job, progress))

        with self._lock:
            if job in self._maps:
                return None
            status = self._jobs.status(job)
            return status if status is not None and not again else self._jobs.start(job, work)

    def begins_with(self, inputs: Inputs, key: str, features: str) -> PlanarMap:
        """Where the inputs lie before anything has moved: on the newest map of another subject on the same inputs, in their
        order, or else on PCA's."""
        from testimate.structure.maps import planar_map

        def begun() -> PlanarMap:
            with self._lock:
                others = [(other, job) for other, of, job in reversed(self._made) if other != key and of == features]
            for other, job in others:
                made = self._maps.get(job)
                if made is not None and len(made.points) == len(inputs) and self._on_the_same(key, other):
                    return made
            return planar_map(inputs.feature(features), seed=MAP_SEED, method="pca")

        return self._first.get_or_make(map_job_of(inputs.fingerprint, features), begun)

    def _laid_out(self, inputs: Inputs, key: str, features: str, job: str, progress: Progress) -> PlanarMap:
        from testimate.structure.maps import neighbour_map

        first = self.begins_with(inputs, key, features)

        def moved(points: NDArray[np.float64]) -> None:
            with self._lock:
                self._moving[job] = (self._moving.get(job, (0, points))[0] + 1, points)

        def courteous(done: int, total: int, what: str = "") -> None:
            self._pages_first.make_way()
            progress(done, total, what)

        try:
            found = neighbour_map(
                inputs.feature(features),
                seed=MAP_SEED,
                start=first.points if first.method == "neighbours" else None,
                progress=courteous,
                moved=moved,
            )
        finally:
            with self._lock:
                self._moving.pop(job, None)
        with self._lock:
            self._made.append((key, features, job))
        return found
