"""Features on a common scale, and reduced to a few dimensions by FastICA, PCA, NMF or factor analysis."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

from testimate.core.checks import check_features
from testimate.core.errors import BadInput
from testimate.structure.cores import one_thread

_BLOCK = 4096  # rows or columns turned to float64 at a time
_NO_VARIANCE = 1e-12  # share of the total variance below which a direction is rounding
_ROUNDS = 1000

METHODS = {"fastica": "FastICA", "pca": "PCA", "nmf": "NMF", "fa": "factor analysis"}
"""Ways to reduce, by their names in settings."""


def min_max_scaled(features: ArrayLike) -> NDArray[Any]:
    """Every column scaled from its smallest value (0) to its largest (1), (N, width); a constant column becomes 0.

    PACE, section 3.2, eq. 1. float32 stays float32.
    """
    array = check_features(features)
    low = array.min(axis=0)
    span = array.max(axis=0) - low  # (width,)
    scaled: NDArray[Any] = array - low
    scaled /= np.where(span > 0, span, 1)  # in place: one copy of the features, not two
    return scaled


def reduced_features(features: ArrayLike, count: int, *, method: str, seed: int) -> tuple[NDArray[np.float64], str]:
    """The features in at most ``count`` dimensions, (N, k), and a warning for the screen ("" if none).

    Parameters
    ----------
    features : (N, width) finite; for "nmf" not negative, as min-max scaled ones are.
    method : "fastica", "pca", "nmf" or "fa", which PACE compares (Chen et al. 2020, section 5.4).

    Raises
    ------
    BadInput : an unknown method, or features that are not finite.
    """
    if method not in METHODS:
        raise BadInput(f"The reduction is {method!r:.60}. Expected one of {', '.join(METHODS)}. Choose one of these.")
    if method == "fastica":
        return independent_components(features, count, seed=seed)
    if method == "pca":
        return principal_components(features, count), ""
    array = check_features(features)
    array = array[:, array.max(axis=0) > array.min(axis=0)]  # a constant column has nothing to explain
    count = min(count, *array.shape)
    if not count:
        return np.empty((len(array), 0)), ""
    from sklearn.decomposition import NMF, FactorAnalysis

    if method == "nmf":
        model = NMF(count, init="nndsvda", max_iter=_ROUNDS, random_state=seed)
    else:
        model = FactorAnalysis(count, max_iter=_ROUNDS, random_state=seed)
    return _settled(model, array, METHODS[method])


def _settled(model: Any, array: NDArray[Any], name: str) -> tuple[NDArray[np.float64], str]:
    """The array transformed by scikit-learn's model, and a warning if the model did not converge."""
    from sklearn.exceptions import ConvergenceWarning

    with one_thread(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = model.fit_transform(array)
    unsettled = any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    warning = (
        f"{name} did not converge within {_ROUNDS} rounds; another seed may give another picture. If that matters, "
        "choose PCA, which always converges."
        if unsettled
        else ""
    )
    return np.ascontiguousarray(found, dtype=np.float64), warning


def principal_components(features: ArrayLike, count: int) -> NDArray[np.float64]:
    """The ``count`` directions of largest variance, (N, k), centered, the first the widest.

    k is below ``count`` where the features have fewer directions; it is 0 where all rows are equal. Each column's sign
    makes its largest value (by size) positive, so that a picture does not flip.
    """
    array = check_features(features)
    size, width = array.shape
    mean = array.mean(axis=0, dtype=np.float64)  # (width,)
    moments = np.zeros((min(size, width), min(size, width)))  # covariances of the columns, or products of the rows
    with one_thread():
        if width <= size:
            for top in range(0, size, _BLOCK):
                block = array[top : top + _BLOCK] - mean
                moments += block.T @ block
        else:
            for left in range(0, width, _BLOCK):
                block = array[:, left : left + _BLOCK] - mean[left : left + _BLOCK]
                moments += block @ block.T
        top_places = (max(len(moments) - count, 0), len(moments) - 1)
        values, vectors = eigh(moments, subset_by_index=top_places)  # rising
        kept = np.flatnonzero(values > _NO_VARIANCE * max(float(np.trace(moments)), np.finfo(float).tiny))[::-1]
        values, vectors = values[kept], vectors[:, kept]
        projected = vectors * np.sqrt(values) if width > size else np.empty((size, len(kept)))
        if width <= size:
            for top in range(0, size, _BLOCK):
                projected[top : top + _BLOCK] = (array[top : top + _BLOCK] - mean) @ vectors
    return _with_fixed_signs(projected)


def independent_components(features: ArrayLike, count: int, *, seed: int) -> tuple[NDArray[np.float64], str]:
    """FastICA's ``count`` independent components, (N, k), each of variance 1, and a warning ("" if none).

    Hyvarinen and Oja 2000, parallel, log cosh, whitened by the eigenvectors of the covariance (scikit-learn's
    ``whiten_solver="eigh"``, with less memory and without its loss of a component where the first column is constant).
    k as in ``principal_components``.
    """
    from sklearn.decomposition import FastICA

    projected = principal_components(features, count)
    known = projected.shape[1]
    if known < 2:
        spread = projected.std(axis=0)
        return projected / np.where(spread > 0, spread, 1.0), ""
    white = projected / projected.std(axis=0)
    start = np.random.default_rng(seed).normal(size=(known, known))
    return _settled(FastICA(whiten=False, w_init=start, max_iter=_ROUNDS), white, "FastICA")


def _with_fixed_signs(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    if not columns.size:
        return columns
    extreme = columns[np.argmax(np.abs(columns), axis=0), np.arange(columns.shape[1])]
    return columns * np.where(extreme < 0, -1.0, 1.0)
