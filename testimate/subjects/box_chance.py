"""How likely a picture's boxes are all right and nothing is missed, from the scores that the detector gives its boxes."""

import numpy as np
from numpy.typing import NDArray


def chance_all_right(
    pictures: NDArray[np.intp], scores: NDArray[np.float64], kept: NDArray[np.bool_], size: int
) -> NDArray[np.float64]:
    """The chance that a picture holds no error, (size,), 0..1: smaller = more likely to fail.

    A box that is kept is right with the chance that its score says, and one below the least score is an object that was missed
    with that chance; so the picture is right with the product of the first and of one minus the second. Where a detector
    sees nothing at all its scores say nothing either: such a picture counts as the most doubtful tenth of the others does,
    since what it misses is seen nowhere else (decision 181).

    Parameters
    ----------
    pictures : (b,) the picture of each box, 0..size - 1.
    scores : (b,) of the boxes, 0..1.
    kept : (b,) whether the box is one of those that are judged.

    Examples
    --------
    >>> chance_all_right(np.array([0, 0, 1]), np.array([0.9, 0.5, 0.8]), np.array([True, True, False]), 3).round(2)
    array([0.45, 0.2 , 0.22])
    """
    with np.errstate(divide="ignore"):
        logs = np.log(np.where(kept, scores, 1 - scores))
    seen = np.bincount(pictures, minlength=size) > 0
    found: NDArray[np.float64] = np.exp(np.bincount(pictures, np.maximum(logs, -700.0), minlength=size))
    if seen.any() and not seen.all():
        found[~seen] = np.quantile(found[seen], 0.1)
    elif not seen.any():
        found[:] = 0.5
    return found
