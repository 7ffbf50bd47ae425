"""What the scores of a detector's boxes predict for a picture: how many errors to expect, and the chance of none."""

import numpy as np
from numpy.typing import NDArray


def expected_errors(
    pictures: NDArray[np.intp], scores: NDArray[np.float64], kept: NDArray[np.bool_], size: int
) -> NDArray[np.float64]:
    """The number of errors to expect in each picture, (size,): larger = sooner to be judged.

    A judged box is wrong with probability 1 - score; a box below the least score is a missed object with probability
    equal to its score. A picture without any box counts 0 if boxes below the least score are known, because an object
    nearly detected would have one. If none are known, it counts as the median of the others, because nothing says what
    it missed (decision 181).

    Parameters
    ----------
    pictures : (b,) the picture of each box, 0..size - 1.
    scores : (b,) of the boxes, 0..1.
    kept : (b,) whether the box is one of those that are judged.

    Examples
    --------
    >>> expected_errors(np.array([0, 0, 1]), np.array([0.9, 0.5, 0.2]), np.array([True, True, False]), 3).round(2)
    array([0.6, 0.2, 0. ])
    >>> expected_errors(np.array([0, 1]), np.array([0.9, 0.5]), np.array([True, True]), 3).round(2)
    array([0.1, 0.5, 0.3])
    """
    each = np.where(kept, 1 - scores, scores)
    found = np.bincount(pictures, each, minlength=size).astype(np.float64)
    if kept.all():
        seen = np.bincount(pictures, minlength=size) > 0
        found[~seen] = np.median(found[seen])
    return found


def chance_all_right(
    pictures: NDArray[np.intp], scores: NDArray[np.float64], kept: NDArray[np.bool_], size: int
) -> NDArray[np.float64]:
    """The chance that a picture holds no error, (size,), 0..1, by the same scores taken as chances of independent boxes.

    They say nothing about a picture without any box, which counts as the mean of the others. Parameters as for
    ``expected_errors``.

    >>> chance_all_right(np.array([0, 0, 1]), np.array([0.9, 0.5, 0.2]), np.array([True, True, False]), 3).round(3)
    array([0.45 , 0.8  , 0.625])
    """
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(np.where(kept, scores, 1 - scores)), -700.0)
    found: NDArray[np.float64] = np.exp(np.maximum(np.bincount(pictures, logs, minlength=size), -700.0))
    seen = np.bincount(pictures, minlength=size) > 0
    found[~seen] = found[seen].mean() if seen.any() else 0.5
    return found
