"""The evidence for clusters and prototypes, found in the background on request: other settings, and other choices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.project.cluster_settings import ClusterSettings
from testimate.project.jobs import Jobs, JobStatus

if TYPE_CHECKING:
    from testimate.project.clusters import ClusterView
    from testimate.structure.density_clusters import Reduction
    from testimate.structure.prototypes import PrototypeProof
    from testimate.structure.settings_table import SettingRow

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
    from testimate.structure.rbf_kernel import KERNEL_GAMMA, l2_normalised

    vectors = l2_normalised(view.clustering.space)
    apart = np.unique(np.concatenate([card.prototypes for card in view.cards]))
    classes = inputs.predictions if inputs.task.kind == "classification" and inputs.predictions.ndim == 1 else None
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
