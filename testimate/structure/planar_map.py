"""Every input as a point of the plane, for the picture."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput
from testimate.structure.reduction import independent_components, min_max_scaled, principal_components

Method = Literal["fastica", "pca"]


@dataclass(frozen=True, eq=False)
class PlanarMap:
    """Where each input lies in the picture.

    Attributes
    ----------
    points : (N, 2) float64; axes have no unit.
    method : "fastica" or "pca".
    warning : one or more sentences for the reader of the picture; "" if there is nothing to say.
    """

    points: NDArray[np.float64]
    method: Method
    warning: str = ""


def planar_map(features: ArrayLike, *, seed: int, method: Method = "fastica") -> PlanarMap:
    """The min-max scaled features squeezed to two dimensions, by FastICA as PACE does, or by PCA.

    Where the features have fewer than two directions, the axes left over are 0 and the warning says so.

    Raises
    ------
    BadInput : features not finite, or an unknown method.
    """
    if method not in get_args(Method):
        raise BadInput(f"The method of the map is {method!r:.60}; expected fastica or pca. Choose one of these.")
    scaled = min_max_scaled(features)
    columns: NDArray[Any]
    if method == "fastica":
        columns, told = independent_components(scaled, 2, seed=seed)
    else:
        columns, told = principal_components(scaled, 2), ""
    if columns.shape[1] < 2:
        flat = "on one line" if columns.shape[1] else "on one point"
        told = f"The features vary in fewer than two directions: all inputs lie {flat}."
    points = np.zeros((len(columns), 2))
    points[:, : columns.shape[1]] = columns
    return PlanarMap(points=points, method=method, warning=told)
