"""Every input as a point of the plane, for the picture."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput
from testimate.structure.neighbours_kept import neighbours_kept
from testimate.structure.reduction import independent_components, min_max_scaled, principal_components

Method = Literal["neighbours", "fastica", "pca"]
Linear = Literal["fastica", "pca"]


@dataclass(frozen=True, eq=False)
class PlanarMap:
    """Where each input lies in the picture.

    Attributes
    ----------
    points : (N, 2) float64; axes have no unit.
    method : "neighbours" (``neighbour_map``), "fastica" or "pca".
    warning : one or more sentences for the reader of the picture; "" if there is nothing to say.
    kept : the share of an input's 15 nearest on the map that are among its 15 nearest in the features, 0..1; None where
        it was not measured.
    """

    points: NDArray[np.float64]
    method: Method
    warning: str = ""
    kept: float | None = None


def planar_map(features: ArrayLike, *, seed: int, method: Linear = "pca", measured: bool = False) -> PlanarMap:
    """The min-max scaled features reduced to two dimensions, by FastICA as in PACE, or by PCA.

    Where the features have fewer than two directions, the axes left over are 0 and the warning says so. ``measured`` :
    whether to measure the share of neighbours that the map keeps, which takes longer than the map.

    Raises
    ------
    BadInput : features not finite, or an unknown method.
    """
    if method not in get_args(Linear):
        raise BadInput(f"The method of the map is {method!r:.60}; expected fastica or pca. Choose one of these.")
    scaled = min_max_scaled(features)
    columns: NDArray[Any]
    if method == "fastica":
        columns, warning = independent_components(scaled, 2, seed=seed)
    else:
        columns, warning = principal_components(scaled, 2), ""
    if columns.shape[1] < 2:
        warning = flat_words(scaled)
    points = in_the_plane(columns, len(scaled))
    kept = neighbours_kept(scaled, points, seed=seed) if measured else None
    return PlanarMap(points=points, method=method, warning=warning, kept=kept)


def in_the_plane(columns: NDArray[Any], size: int) -> NDArray[np.float64]:
    """The columns as (N, 2) places; an axis that is left over is 0."""
    points = np.zeros((size, 2))
    points[:, : columns.shape[1]] = columns
    return points


def flat_words(scaled: NDArray[Any]) -> str:
    """The warning about features with fewer than two directions, or too few distinct inputs to lay out."""
    line = (scaled != scaled[0]).any()
    return (
        f"The features vary in fewer than two directions: all inputs lie {'on one line' if line else 'on one point'}."
    )
