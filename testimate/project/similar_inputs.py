"""Inputs that are similar for the network to a given one: its nearest neighbours, and the prototypes nearest to it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.inputs import Inputs
from testimate.project.clusters import ClusterView

NEIGHBOURS = 6
CHUNK = 4_096
"""Rows of features that are read at a time."""


@dataclass(frozen=True)
class Alike:
    """An input like another one: its ``row``, and its Euclidean ``distance`` in the features, 0 and above."""

    row: int
    distance: float


def distances_to(row: int, features: NDArray[np.float32]) -> NDArray[np.float64]:
    """The Euclidean distance of each of the (N, width) features from those of the row, (N,)."""
    one = np.asarray(features[row], dtype=np.float64)
    parts = [
        np.linalg.norm(np.asarray(features[start : start + CHUNK], dtype=np.float64) - one, axis=1)
        for start in range(0, len(features), CHUNK)
    ]
    return np.concatenate(parts)


def neighbours(row: int, distances: NDArray[np.float64], count: int = NEIGHBOURS) -> list[Alike]:
    """The nearest inputs without itself, the nearest first; of equally near ones the one with the smaller row."""
    order = np.argsort(distances, kind="stable")
    return [Alike(int(other), float(distances[other])) for other in order[: count + 1] if other != row][:count]


def nearest_prototype(
    predicted: int, row: int, view: ClusterView, inputs: Inputs, distances: NDArray[np.float64]
) -> Alike | None:
    """The prototype nearest to the input among those that are predicted as this class; None where there is none."""
    stand = [
        int(one)
        for card in view.cards
        for one in card.prototypes
        if one != row and inputs.predictions[one] == predicted
    ]
    if not stand:
        return None
    best = min(stand, key=lambda one: (distances[one], one))
    return Alike(best, float(distances[best]))
