"""The minority space in groups: which cluster an outlying input is nearest to, and what it is predicted as."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.inputs import Inputs
from testimate.project.clusters import ClusterView
from testimate.tasks.classification import Classification


@dataclass(frozen=True, eq=False)
class MinorityGroup:
    """Outlying inputs that belong together.

    ``nearest`` : number of the cluster whose prototypes are nearest in the features, -1 where there is no cluster.
    ``predicted`` : the predicted class, or None where there are no classes. ``rows`` : the most outlying first.
    """

    nearest: int
    predicted: int | None
    rows: NDArray[np.intp]


def minority_groups(view: ClusterView, inputs: Inputs) -> list[MinorityGroup]:
    """The minority space by nearest cluster and predicted class, the largest group first; each input in one group.

    Nearest is the cluster with the prototype at the least Euclidean distance in the space that was clustered.
    """
    rows = view.minority
    if not len(rows):
        return []
    nearest = _nearest_cluster(view)
    classes = isinstance(inputs.task, Classification) and inputs.predictions.ndim == 1
    predicted = inputs.predictions[rows].astype(np.intp) if classes else np.full(len(rows), -1)
    pairs, group = np.unique(np.stack([nearest, predicted], axis=1), axis=0, return_inverse=True)
    found = [
        MinorityGroup(int(cluster), int(said) if classes else None, rows[group.ravel() == place])
        for place, (cluster, said) in enumerate(pairs)
    ]
    return sorted(found, key=lambda one: -len(one.rows))


def _nearest_cluster(view: ClusterView) -> NDArray[np.intp]:
    """The number of the cluster nearest to each input of the minority space, (n,); -1 where there is none."""
    rows = view.minority
    if not view.cards or view.trouble:
        return np.full(len(rows), -1, dtype=np.intp)
    space = view.clustering.space
    outside = space[rows].astype(np.float64)  # (n, d)
    distances = np.empty((len(rows), len(view.cards)))  # squared, without what all clusters share
    for card in view.cards:
        stand = space[card.prototypes].astype(np.float64)
        distances[:, card.number] = ((stand**2).sum(axis=1) - 2 * outside @ stand.T).min(axis=1)
    found: NDArray[np.intp] = distances.argmin(axis=1)
    return found
