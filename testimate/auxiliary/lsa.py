"""Likelihood-based surprise adequacy: how rare the trace of an input is among those of its predicted class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

from testimate.auxiliary.row_blocks import on_all_cores
from testimate.auxiliary.traces import Traces, checked_traces, with_largest
from testimate.core.progress import OnBlocks, Progress, silent

VARIANCE_THRESHOLD = 1e-5
"""Columns of a class whose variance is below this are dropped."""

_NO_VARIANCE = 1e-10  # share of a class's largest variance below which a direction is rounding
_ROWS, _KERNELS = 256, 4096  # inputs and kernels multiplied at a time: 8 MB
_EXTREME = 1e100  # traces are clipped to this, so that their squares stay finite


def lsa(
    traces: ArrayLike,
    predictions: ArrayLike | None,
    training_traces: ArrayLike | None = None,
    training_predictions: ArrayLike | None = None,
    *,
    references: NDArray[np.intp] | None = None,
    progress: Progress = silent,
    on_blocks: OnBlocks = on_all_cores,
) -> NDArray[np.float64]:
    """Minus the log of the density of the predicted class's training traces at each input.

    Kim, Feldt and Yoo, "Guiding deep learning system testing using surprise adequacy", ICSE 2019, eqs. 1 and 2: a Gaussian
    kernel density estimate per predicted class, with the covariance of its traces times the square of Scott's factor
    m^(-1 / (d + 4)), as in ``scipy.stats.gaussian_kde``.

    Parameters
    ----------
    traces : (N, d) activations of one layer, convolution maps averaged over space.
    predictions : (N,) predicted classes, whole numbers; None for a regression, which has one density for all.
    training_traces, training_predictions : (M, d) and (M,) of the training set; without them the density at each input
        is that of the other inputs.
    references : (m,) the only rows to compare with, of the training set or, without one, of the inputs; see
        ``references.drawn_references``. None for all of them.
    on_blocks : what runs the blocks of inputs.

    Returns
    -------
    (N,) finite, of either sign; larger = more likely to fail.

    Raises
    ------
    BadInput : traces not finite, predictions not whole numbers, shapes that do not fit.

    Notes
    -----
    What the definition leaves open:

    - Columns of variance below 1e-5 within the class are dropped. Where the covariance of the others is singular, so are
      the directions in which the class has no variance (below 1e-10 of its largest); d counts what is left.
    - An input of a class with fewer than two training traces, or without any variance, gets the largest value of
      the other inputs, or 0 where there is none.
    - Without a training set an input's own kernel is left out; covariance and factor are those of all inputs of the class.

    The sum of kernels is taken as log-sum-exp, so a density too small for a float still has its log.

    Examples
    --------
    >>> lsa([[0.0], [9.0]], [0, 0], [[-1.0], [1.0]], [0, 0]).round(3)
    array([ 1.457, 22.932])
    """
    known = checked_traces(traces, predictions, training_traces, training_predictions).against(references)
    densities = _densities(known, progress, on_blocks)
    scores = np.full(len(known.inputs), np.inf)
    own = None if known.own is None else _places_in_class(known, known.own)
    blocks = []
    for kind in np.unique(known.classes):
        rows = np.flatnonzero(known.classes == kind)
        if kind in densities:
            blocks += [rows[top : top + _ROWS] for top in range(0, len(rows), _ROWS)]

    def score(rows: NDArray[np.intp]) -> NDArray[np.float64]:
        density = densities[known.classes[rows[0]]]
        return density.surprise(_moderate(known.inputs[rows]), None if own is None else own[rows])

    for place, found in on_blocks(score, blocks, progress, "densities at the inputs"):
        scores[blocks[place]] = found
    return with_largest(scores, otherwise=0.0)


def _places_in_class(known: Traces, own: NDArray[np.intp]) -> NDArray[np.intp]:
    """The place of each input among the training traces of its class, (N,); -1 where it is none of them."""
    place_in_class = np.empty(len(known.training), dtype=np.intp)
    for kind in np.unique(known.training_classes):
        rows = np.flatnonzero(known.training_classes == kind)
        place_in_class[rows] = np.arange(len(rows))
    return np.where(own >= 0, place_in_class[own], -1)


def _densities(known: Traces, progress: Progress, on_blocks: OnBlocks) -> "dict[np.intp, _Density]":
    """The density of every class that has one and that an input needs."""
    kinds = np.unique(known.classes)

    def fit(kind: np.intp) -> "_Density | None":
        return _fitted(_moderate(known.training[known.training_classes == kind]))

    found = on_blocks(fit, list(kinds), progress, "densities of the classes")
    return {kinds[place]: density for place, density in found if density is not None}


@dataclass(frozen=True, eq=False)
class _Density:
    """A kernel density in coordinates in which each kernel is a standard normal.

    columns : (k',) those kept. mean : (k',). turn : (k', k) to the coordinates. centres : (m, k) of the kernels.
    log_volume : log of the kernels' normalising factor, sqrt(det(2 pi covariance)).
    """

    columns: NDArray[np.intp]
    mean: NDArray[np.float64]
    turn: NDArray[np.float64]
    centres: NDArray[np.float64]
    log_volume: float

    def surprise(self, points: NDArray[np.float64], own: NDArray[np.intp] | None) -> NDArray[np.float64]:
        """-log of the kernels' mean at (n, d) points, (n,); ``own`` (n,) names a kernel that each leaves out, or -1."""
        turned = (points[:, self.columns] - self.mean) @ self.turn  # (n, k)
        largest = np.full(len(points), -np.finfo(np.float64).max)  # of the exponents so far
        sums = np.zeros(len(points))
        for left in range(0, len(self.centres), _KERNELS):
            centres = self.centres[left : left + _KERNELS]
            exponents = turned @ centres.T  # (n, m'), becomes |x|^2 / 2 - |x - c|^2 / 2
            exponents -= np.einsum("ij,ij->i", centres, centres) / 2.0
            if own is not None:
                here = np.flatnonzero((own >= left) & (own < left + len(centres)))
                exponents[here, own[here] - left] = -np.inf
            larger = np.maximum(largest, exponents.max(axis=1))
            exponents -= larger[:, None]
            sums = sums * np.exp(largest - larger) + np.exp(exponents, out=exponents).sum(axis=1)
            largest = larger
        kernels = len(self.centres)
        log_kernels = (
            np.log(kernels) if own is None else np.where(own >= 0, np.log(max(kernels - 1, 1)), np.log(kernels))
        )
        nearest = np.einsum("ij,ij->i", turned, turned) / 2.0 - largest  # |x - c|^2 / 2 of the nearest kernel
        surprise: NDArray[np.float64] = nearest - np.log(sums) + log_kernels + self.log_volume  # eq. 2
        return surprise


def _fitted(traces: NDArray[np.float64]) -> _Density | None:
    """The density of one class's traces, (m, d); None where there are fewer than two, or they do not vary."""
    size = len(traces)
    if size < 2:
        return None
    columns = np.flatnonzero(traces.var(axis=0) >= VARIANCE_THRESHOLD)
    if not columns.size:
        return None
    centred = traces[:, columns]  # (m, k')
    mean = centred.mean(axis=0)
    centred -= mean
    variances, directions = _principal(centred)
    count = len(variances)
    factor = size ** (-1.0 / (count + 4))  # Scott 1992, eq. 6.42
    turn = directions / (np.sqrt(variances) * factor)
    log_volume = 0.5 * float(np.log(variances).sum()) + count * float(np.log(factor * np.sqrt(2.0 * np.pi)))
    return _Density(columns, mean, turn, centred @ turn, log_volume)


def _principal(centred: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Variances above rounding, (k,), and their directions, (k', k), from the smaller of the two matrices of products."""
    size, width = centred.shape
    wide = width > size
    values, vectors = eigh(centred @ centred.T if wide else centred.T @ centred)
    kept = values > _NO_VARIANCE * values[-1]
    values, vectors = values[kept], vectors[:, kept]
    directions = centred.T @ vectors / np.sqrt(values) if wide else vectors
    return values / (size - 1), directions


def _moderate(traces: NDArray[Any]) -> NDArray[np.float64]:
    moderate: NDArray[np.float64] = np.clip(traces.astype(np.float64), -_EXTREME, _EXTREME)
    return moderate
