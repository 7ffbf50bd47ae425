"""What the scores of a detector's boxes say about a picture: how many errors to expect, and the chance that there is none."""

import numpy as np
from numpy.typing import NDArray


def expected_errors(
    pictures: NDArray[np.intp], scores: NDArray[np.float64], kept: NDArray[np.bool_], size: int
) -> NDArray[np.float64]:
    """The number of errors to expect in each picture, (size,): larger = sooner to be judged.

    A box that is judged is wrong with one minus its score, and one below the least score is an object that was missed with
    its score. A picture without any box counts 0, where boxes below the least score are known: what was nearly seen would have
    one. Where none are known, it counts as the middle one of the others, since nothing says what it missed (decision 181).

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

    Of a picture without any box they say nothing: it counts as the mean of the others. Parameters as of ``expected_errors``.

    >>> chance_all_right(np.array([0, 0, 1]), np.array([0.9, 0.5, 0.2]), np.array([True, True, False]), 3).round(3)
    array([0.45 , 0.8  , 0.625])
    """
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(np.where(kept, scores, 1 - scores)), -700.0)
    found: NDArray[np.float64] = np.exp(np.maximum(np.bincount(pictures, logs, minlength=size), -700.0))
    seen = np.bincount(pictures, minlength=size) > 0
    found[~seen] = found[seen].mean() if seen.any() else 0.5
    return found
