"""Which models predict the same for an input, without comparing every pair."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class AgreeingModels:
    """For each input the models in groups that predict the same class.

    Attributes
    ----------
    group : (n, M) the group of each model, 0.. by rising class.
    size : (n, M) models in each group; 0 for groups that are not there.
    count : (n,) groups, which is distinct predictions.
    """

    group: NDArray[np.intp]
    size: NDArray[np.intp]
    count: NDArray[np.intp]

    @property
    def majority(self) -> NDArray[np.intp]:
        """The largest group of each input, that of the lowest class where two are as large; (n,)."""
        largest: NDArray[np.intp] = self.size.argmax(axis=1)
        return largest

    @property
    def with_majority(self) -> NDArray[np.bool_]:
        """Which models are in the largest group; (n, M)."""
        together: NDArray[np.bool_] = self.group == self.majority[:, None]
        return together

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of ``values`` (n, M) over the models of each group; (n, M), 0 for groups that are not there."""
        n, models = self.group.shape
        places = (np.arange(n)[:, None] * models + self.group).ravel()
        found = np.bincount(places, weights=values.ravel(), minlength=n * models).astype(np.float64, copy=False)
        return found.reshape(n, models)


def agreeing_models(labels: NDArray[np.intp]) -> AgreeingModels:
    """The groups, from predicted classes (n, M).

    >>> found = agreeing_models(np.array([[3, 1, 3], [2, 2, 2]]))
    >>> found.group.tolist(), found.size.tolist(), found.count.tolist()
    ([[1, 0, 1], [0, 0, 0]], [[1, 2, 0], [3, 0, 0]], [2, 1])
    """
    n, models = labels.shape
    order = np.argsort(labels, axis=1, kind="stable")
    ordered = np.take_along_axis(labels, order, axis=1)
    new = np.zeros((n, models), dtype=np.intp)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    numbered = new.cumsum(axis=1)
    group = np.empty((n, models), dtype=np.intp)
    np.put_along_axis(group, order, numbered, axis=1)
    places = (np.arange(n)[:, None] * models + group).ravel()
    size = np.bincount(places, minlength=n * models).reshape(n, models)
    return AgreeingModels(group, size, numbered[:, -1] + 1)
