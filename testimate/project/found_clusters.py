"""The clusters and maps of a project's subjects, held once they are found; found in the background where that is asked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from testimate.core.inputs import Inputs
from testimate.core.progress import Progress
from testimate.project.cluster_settings import ClusterSettings, suited_settings
from testimate.project.jobs import Jobs, JobStatus
from testimate.project.made_once import MadeOnce

if TYPE_CHECKING:
    from testimate.project.clusters import ClusterView
    from testimate.structure.maps import Linear, PlanarMap


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
