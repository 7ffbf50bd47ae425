"""The clusters and maps of a project's subjects, held once they are found; found in the background where that is asked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.project.cluster_settings import ClusterSettings, suited_settings
from testimate.project.jobs import Jobs, JobStatus, MadeOnce, PagesFirst

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from testimate.project.clusters import ClusterView
    from testimate.structure.density_clusters import Reduction
    from testimate.structure.maps import Linear, PlanarMap
    from testimate.structure.prototypes import PrototypeProof
    from testimate.structure.settings_table import SettingRow


def cluster_job_of(fingerprint: str) -> str:
    """The name of the job that finds the clusters of that fingerprint."""
    return f"clusters {fingerprint}"


class FoundClusters:
    """By subject and setting; ``inputs_of`` gives what is known of a subject's inputs, ``jobs`` runs what takes long."""

    def __init__(self, inputs_of: Callable[[str, Progress], Inputs], jobs: Jobs, lock: threading.RLock) -> None:
        self._inputs_of, self._jobs, self._lock = inputs_of, jobs, lock
        self._clusters: MadeOnce[str, ClusterView] = MadeOnce(lock)
        self._maps: MadeOnce[tuple[str, str, Linear], PlanarMap] = MadeOnce(lock)

    def clusters(self, key: str, settings: ClusterSettings | None, progress: Progress) -> ClusterView:
        """The clusters of a subject, as ``Project.clusters`` gives them; made once, while others who ask wait."""
        # what finds them takes a second to load; the first screen needs none of it
        from testimate.project.clusters import view_clusters

        inputs = self._inputs_of(key, progress)
        chosen = settings or suited_settings(inputs)
        name = chosen.fingerprint(inputs)
        return self._clusters.get_or_make(name, lambda: view_clusters(inputs, chosen, progress=progress))

    def if_found(self, name: str) -> ClusterView | None:
        """As ``Project.clusters_if_found``; ``name`` : the fingerprint of the settings on these inputs."""
        return self._clusters.get(name)

    def find(self, key: str, name: str, settings: ClusterSettings, *, again: bool) -> JobStatus | None:
        """As ``Project.find_clusters``; ``name`` : the fingerprint of the settings on these inputs."""

        def work(progress: Progress) -> None:
            self.clusters(key, settings, progress)

        with self._lock:
            if name in self._clusters:
                return None
            status = self._jobs.status(cluster_job_of(name))
            if status is not None and not again:
                return status
            return self._jobs.start(cluster_job_of(name), work)

    def planar_map(self, inputs: Inputs, features: str, method: Linear) -> PlanarMap:
        """The inputs on a plane by a linear method, (N, 2), made once for each method and layer."""
        from testimate.structure.maps import planar_map

        name = (inputs.fingerprint, features, method)
        return self._maps.get_or_make(
            name, lambda: planar_map(inputs.feature(features), seed=0, method=method, measured=True)
        )


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


class NeighborMaps:
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

        return MapNow(PlanarMap(moving[1], "neighbors"), False, moving[0])

    def find(self, key: str, features: str, *, again: bool = False) -> JobStatus | None:
        """How far the map is; None where it is there. The first call begins the work, in the background; ``again`` begins it
        again after it failed or was canceled."""
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
        from testimate.structure.maps import neighbor_map

        first = self.begins_with(inputs, key, features)

        def moved(points: NDArray[np.float64]) -> None:
            with self._lock:
                self._moving[job] = (self._moving.get(job, (0, points))[0] + 1, points)

        def courteous(done: int, total: int, what: str = "") -> None:
            self._pages_first.make_way()
            progress(done, total, what)

        try:
            found = neighbor_map(
                inputs.feature(features),
                seed=MAP_SEED,
                start=first.points if first.method == "neighbors" else None,
                progress=courteous,
                moved=moved,
            )
        finally:
            with self._lock:
                self._moving.pop(job, None)
        with self._lock:
            self._made.append((key, features, job))
        return found


FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Of the min_cluster_size in use, that are tried."""


@dataclass(frozen=True, eq=False)
class ProvenPrototypes:
    """Prototypes of all inputs together, beside those of each cluster.

    Attributes
    ----------
    together : as many prototypes of all inputs as the clusters have together.
    apart : how many prototypes the clusters have together. apart_left : MMD^2 between all inputs and these.
    apart_error, apart_true : error of the nearest-prototype classifier with these, on predicted classes and on the truth.
    """

    together: PrototypeProof
    apart: int
    apart_left: float
    apart_error: float | None
    apart_true: float | None


class ClusterStudies:
    """The studies of a project's clusters, run in the background; results are kept until the program ends."""

    def __init__(
        self,
        inputs_of: Callable[[str, Progress], Inputs],
        clusters_of: Callable[[str, ClusterSettings | None, Progress], ClusterView],
        jobs: Jobs,
    ) -> None:
        self._inputs_of, self._clusters_of, self._jobs = inputs_of, clusters_of, jobs

    def settings_job(self, key: str, settings: ClusterSettings) -> str:
        """The name of the job that tries other settings."""
        return f"settings {settings.fingerprint(self._inputs_of(key, silent))}"

    def prototypes_job(self, key: str, settings: ClusterSettings) -> str:
        """The name of the job that looks at the prototypes."""
        return f"prototypes {settings.fingerprint(self._inputs_of(key, silent))}"

    def try_settings(self, key: str, settings: ClusterSettings) -> JobStatus:
        """Starts trying each layer with smaller and larger clusters, or starts again after a failure or a stop."""

        def work(progress: Progress) -> list[SettingRow]:
            from testimate.structure.settings_table import settings_table

            inputs = self._inputs_of(key, progress)
            failed = None if inputs.losses is None else np.asarray(inputs.task.failed(inputs.losses), dtype=bool)
            layers = dict.fromkeys([settings.features, *inputs.features])  # the one in use may be several side by side
            return settings_table(
                {name: inputs.feature(name) for name in layers},
                sizes_to_try(settings, len(inputs)),
                seed=settings.seed,
                min_samples=settings.min_samples,
                reduction=cast("Reduction", settings.reduction),
                components=settings.components,
                failed=failed,
                progress=progress,
            )

        return self._jobs.start(self.settings_job(key, settings), work)

    def prove_prototypes(self, key: str, settings: ClusterSettings) -> JobStatus:
        """Starts testing the prototypes, or starts again after a failure or a stop."""

        def work(progress: Progress) -> ProvenPrototypes:
            return proven(self._inputs_of(key, progress), self._clusters_of(key, settings, progress), progress)

        return self._jobs.start(self.prototypes_job(key, settings), work)

    def tried_settings(self, key: str, settings: ClusterSettings) -> list[SettingRow] | None:
        """What other settings find; None where that is not known yet."""
        return cast("list[SettingRow] | None", self._made(self.settings_job(key, settings)))

    def proven_prototypes(self, key: str, settings: ClusterSettings) -> ProvenPrototypes | None:
        """The evidence for the prototypes; None where that is not known yet."""
        return cast("ProvenPrototypes | None", self._made(self.prototypes_job(key, settings)))

    def _made(self, job: str) -> Any:
        status = self._jobs.status(job)
        return self._jobs.result(job) if status is not None and status.state == "done" else None


def sizes_to_try(settings: ClusterSettings, size: int) -> list[int]:
    """A quarter, half, twice and four times the min_cluster_size, itself among them; from 2 to half of the inputs.

    >>> sizes_to_try(ClusterSettings(min_cluster_size=80), 10_000), sizes_to_try(ClusterSettings(min_cluster_size=4), 20)
    ([20, 40, 80, 160, 320], [2, 4, 8])
    """
    found = {max(2, round(factor * settings.min_cluster_size)) for factor in FACTORS}
    return sorted({one for one in found if one <= size // 2} | {settings.min_cluster_size})


def proven(inputs: Inputs, view: ClusterView, progress: Progress = silent) -> ProvenPrototypes:
    """Looks at the prototypes of all inputs together, and at those of the clusters."""
    from testimate.structure.prototypes import discrepancies_of, nearest_prototype_error, prove_prototypes
    from testimate.structure.rbf_kernel import KERNEL_GAMMA, l2_normalized

    vectors = l2_normalized(view.clustering.space)
    apart = np.unique(np.concatenate([card.prototypes for card in view.cards]))
    classes = inputs.predictions if inputs.single_class else None
    truth = None if classes is None or inputs.truth is None else np.asarray(inputs.truth, dtype=np.intp)
    together = prove_prototypes(
        vectors,
        len(apart),
        gamma=KERNEL_GAMMA,
        seed=view.settings.seed,
        predicted=classes,
        true=truth,
        progress=progress,
    )
    rows = np.union1d(together.looked_at, apart)
    space, places = vectors[rows], np.searchsorted(rows, apart)

    def error(of: Any) -> float | None:
        return None if of is None else nearest_prototype_error(space, places, of[rows])

    left = float(discrepancies_of(space, places, gamma=KERNEL_GAMMA)[-1])
    return ProvenPrototypes(together, len(apart), left, error(classes), error(truth))
