"""A classifier's outputs as the weights of the other classes relative to the most probable one."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_features
from testimate.core.errors import BadInput

_SUM_TOLERANCE = 0.01  # rounded table columns and float16 models still count as probabilities
_BLOCK = 1 << 20  # numbers worked on at a time


def check_outputs(outputs: ArrayLike, name: str = "outputs") -> NDArray[np.floating]:
    """The outputs as a finite (N, C) array with C >= 2; BadInput otherwise."""
    array = check_features(outputs, name)
    if array.shape[1] < 2:
        raise BadInput(
            f"The {name} have one number per input; expected one per class, at least 2. "
            "Give two columns (p and 1 - p), or treat it as a regression."
        )
    return array


def score_rows(
    formula: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    probabilities: ArrayLike,
    logits: ArrayLike | None,
) -> NDArray[np.float64]:
    """``formula`` of each input's rivals, block by block, (N,).

    The formula gets (n, C) rivals: p_j / p_top for each class, but 0 at the most probable class itself. From them, 1 - p_top
    is rivals / (1 + rivals) without any subtraction, so that it does not vanish where p_top is 1 up to rounding. They come
    from the logits where there are any.
    """
    source = _checked_probabilities(probabilities) if logits is None else check_outputs(logits, "logits")
    if logits is not None and np.shape(probabilities) != source.shape:
        raise BadInput(
            f"The probabilities have shape {np.shape(probabilities)} and the logits {source.shape}; expected the same "
            "for both. Take both from one run of the model."
        )
    step = max(_BLOCK // source.shape[1], 1)
    scores = np.empty(len(source))
    for top in range(0, len(source), step):
        block = source[top : top + step].astype(np.float64)
        scores[top : top + step] = formula(_rivals(block, are_logits=logits is not None))
    return scores


def _rivals(block: NDArray[np.float64], *, are_logits: bool) -> NDArray[np.float64]:
    best = block.argmax(axis=1)[:, None]  # (n, 1)
    largest = np.take_along_axis(block, best, axis=1)
    rivals = np.exp(2.0 * np.maximum(block / 2.0 - largest / 2.0, -1000.0)) if are_logits else block / largest
    np.put_along_axis(rivals, best, 0.0, axis=1)
    return rivals


def _checked_probabilities(probabilities: ArrayLike) -> NDArray[np.floating]:
    array = check_outputs(probabilities, "probabilities")
    sums = _sums(array)
    wrong = (array < 0).any(axis=1) | (np.abs(sums - 1.0) > _SUM_TOLERANCE)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise BadInput(
            f"The probabilities of {int(wrong.sum())} inputs are below 0 or do not sum to 1, the first in row {row} "
            f"(sum {sums[row]:g}); expected probabilities. Pass the model's outputs through softmax first."
        )
    return array


def _sums(array: NDArray[Any]) -> NDArray[np.float64]:
    with np.errstate(over="ignore", invalid="ignore"):  # sums of huge logits: infinite or nan, and so not 1
        sums: NDArray[np.float64] = array.sum(axis=1, dtype=np.float64)
    return sums
