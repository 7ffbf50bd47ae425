"""The auxiliary variables of a softmax: confidence, entropy, Gini impurity and margin, all from the predicted probabilities."""

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
            f"The {name} have one number per input. Expected one per class, at least 2. "
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
            f"The probabilities have shape {np.shape(probabilities)} and the logits {source.shape}. Expected the same "
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
            f"(sum {sums[row]:g}). Expected probabilities. Pass the model's outputs through softmax first."
        )
    return array


def _sums(array: NDArray[Any]) -> NDArray[np.float64]:
    with np.errstate(over="ignore", invalid="ignore"):  # sums of huge logits: infinite or nan, and so not 1
        sums: NDArray[np.float64] = array.sum(axis=1, dtype=np.float64)
    return sums


def confidence(probabilities: ArrayLike, logits: ArrayLike | None = None) -> NDArray[np.float64]:
    """1 - the largest probability of each input, (N,), from 0 to 1 - 1 / C; larger = more likely to fail.

    Summed over the other classes rather than subtracted from 1, so that it stays above 0 where the largest probability
    is 1 in floating point: down to 1e-38 from float32 softmax, to 1e-300 from logits.

    Parameters
    ----------
    probabilities : (N, C) rows summing to 1.
    logits : (N, C) what softmax was applied to, where known.

    Examples
    --------
    >>> confidence([[0.75, 0.25], [0.5, 0.5]])
    array([0.25, 0.5 ])
    >>> bool(confidence([[1.0, 0.0]], logits=[[100.0, 0.0]])[0] > 0)
    True
    """
    return score_rows(_confidence_score, probabilities, logits)


def _confidence_score(rivals: NDArray[np.float64]) -> NDArray[np.float64]:
    others = rivals.sum(axis=1)
    score: NDArray[np.float64] = others / (1.0 + others)  # 1 - p_top, p_top = 1 / (1 + others)
    return score


def entropy(probabilities: ArrayLike, logits: ArrayLike | None = None) -> NDArray[np.float64]:
    """-sum p log p of each input, divided by log C, (N,), 0..1; larger = more likely to fail.

    Shannon 1948. The division changes no order; it makes scores of models with different numbers of classes comparable.
    Every term is summed above 0, as in ``confidence``.

    Parameters
    ----------
    probabilities : (N, C) rows summing to 1.
    logits : (N, C) what softmax was applied to, where known.

    Examples
    --------
    >>> entropy([[0.5, 0.5], [1.0, 0.0]])
    array([1., 0.])
    """
    return score_rows(_entropy_score, probabilities, logits)


def _entropy_score(rivals: NDArray[np.float64]) -> NDArray[np.float64]:
    others = rivals.sum(axis=1)
    # With p_j = r_j p_top and log p_top = -log(1 + others): H = log(1 + others) + sum p_j (-log r_j)
    gaps = -np.log(np.where(rivals > 0, rivals, 1.0))
    nats = np.log1p(others) + (rivals * gaps).sum(axis=1) / (1.0 + others)
    score: NDArray[np.float64] = np.minimum(nats / np.log(rivals.shape[1]), 1.0)
    return score


def gini(probabilities: ArrayLike, logits: ArrayLike | None = None) -> NDArray[np.float64]:
    """1 - sum p^2 of each input, (N,), from 0 to 1 - 1 / C; larger = more likely to fail.

    Feng et al., "DeepGini", ISSTA 2020. Summed as p (1 - p), without subtraction near 1, as ``confidence``.

    Parameters
    ----------
    probabilities : (N, C) rows summing to 1.
    logits : (N, C) what softmax was applied to, where known.

    Examples
    --------
    >>> gini([[0.5, 0.5], [1.0, 0.0]])
    array([0.5, 0. ])
    """
    return score_rows(_gini_score, probabilities, logits)


def _gini_score(rivals: NDArray[np.float64]) -> NDArray[np.float64]:
    others = rivals.sum(axis=1)
    top = 1.0 / (1.0 + others)
    rest = rivals * top[:, None]  # (n, C) probabilities, 0 at the most probable class
    score: NDArray[np.float64] = top * (others * top) + (rest * (1.0 - rest)).sum(axis=1)
    return score


def margin(probabilities: ArrayLike, logits: ArrayLike | None = None) -> NDArray[np.float64]:
    """1 - (p_1 - p_2) of each input, p_1 and p_2 its two largest probabilities, (N,), 0..1; larger = likelier to fail.

    Scheffer, Decomain and Wrobel 2001. Without subtraction, as ``confidence``.

    Parameters
    ----------
    probabilities : (N, C) rows summing to 1.
    logits : (N, C) what softmax was applied to, where known.

    Examples
    --------
    >>> margin([[0.5, 0.25, 0.25], [0.5, 0.5, 0.0]])
    array([0.75, 1.  ])
    """
    return score_rows(_margin_score, probabilities, logits)


def _margin_score(rivals: NDArray[np.float64]) -> NDArray[np.float64]:
    others, second = rivals.sum(axis=1), rivals.max(axis=1)
    score: NDArray[np.float64] = (others + second) / (1.0 + others)  # p_1 = 1 / (1 + others), p_2 = second p_1
    return score
