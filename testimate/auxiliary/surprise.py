"""Surprise adequacy: how unlike the traces that the network was trained with the trace of an input is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

from testimate.auxiliary.nearest import Nearest, NearestTraces, drawn_references, on_all_cores, sampled_words
from testimate.core.checks import check_features
from testimate.core.errors import BadInput
from testimate.core.progress import OnBlocks, Progress, silent


@dataclass(frozen=True, eq=False)
class Traces:
    """The traces of the inputs and of the training set, with their predicted classes.

    Attributes
    ----------
    inputs : (N, d) float32 or float64, finite.
    classes : (N,) predicted classes.
    training, training_classes : (M, d) and (M,); the inputs themselves where there is no training set.
    own : (N,) where the training set is of the inputs themselves, the place of each among it, so that it is left out of its
        own comparison, or -1; None where the training set is another one.
    """

    inputs: NDArray[Any]
    classes: NDArray[np.intp]
    training: NDArray[Any]
    training_classes: NDArray[np.intp]
    own: NDArray[np.intp] | None

    def against(self, references: NDArray[np.intp] | None) -> "Traces":
        """The same inputs with only these rows, (m,), of the training set, or of the inputs where there is none."""
        if references is None:
            return self
        own = None
        if self.own is not None:
            own = np.full(len(self.inputs), -1, dtype=np.intp)
            own[references] = np.arange(len(references))
        return replace(
            self, training=self.training[references], training_classes=self.training_classes[references], own=own
        )


def checked_traces(
    traces: ArrayLike,
    predictions: ArrayLike | None,
    training_traces: ArrayLike | None,
    training_predictions: ArrayLike | None,
) -> Traces:
    """The four as ``Traces``; no predictions mean one class. BadInput where shapes or values do not fit."""
    inputs = check_features(traces, "traces")
    classes = _classes(predictions, len(inputs), "predictions")
    if training_traces is None:
        if training_predictions is not None:
            raise BadInput("There are training predictions without training traces; both are needed. Add the traces.")
        return Traces(inputs, classes, inputs, classes, own=np.arange(len(inputs)))
    training = check_features(training_traces, "training traces")
    if training.shape[1] != inputs.shape[1]:
        raise BadInput(
            f"The traces are {inputs.shape[1]} wide and the training traces {training.shape[1]}. Expected one width. "
            "Take both from the same layer."
        )
    if (training_predictions is None) is not (predictions is None):
        raise BadInput(
            "Only the inputs or only the training traces have predictions. Expected both, or none for a regression. "
            "Predict both sets with the same model."
        )
    training_classes = _classes(training_predictions, len(training), "training predictions")
    return Traces(inputs, classes, training, training_classes, own=None)


def _classes(predictions: ArrayLike | None, size: int, name: str) -> NDArray[np.intp]:
    if predictions is None:
        return np.zeros(size, dtype=np.intp)
    array = np.asarray(predictions)
    if array.shape != (size,):
        raise BadInput(
            f"The {name} have shape {array.shape}. Expected one class for each of the {size} traces, ({size},). "
            "Pass the predicted class of every trace."
        )
    if array.dtype.kind not in "iub":
        whole = array.dtype.kind == "f" and bool((np.isfinite(array) & (array == np.floor(array))).all())
        if not whole:
            raise BadInput(f"The {name} are of type {array.dtype}. Expected classes as whole numbers. Convert them.")
    return array.astype(np.intp)


def with_largest(scores: NDArray[np.float64], otherwise: float) -> NDArray[np.float64]:
    """The scores with infinity replaced by the largest of the others, or by ``otherwise`` where there are none."""
    finite = np.isfinite(scores)
    return np.where(finite, scores, scores[finite].max() if finite.any() else otherwise)


_BLOCK = 512  # inputs compared with the training traces at a time


def dsa(
    traces: ArrayLike,
    predictions: ArrayLike,
    training_traces: ArrayLike | None = None,
    training_predictions: ArrayLike | None = None,
    *,
    second_from: Literal["neighbor", "input"] = "neighbor",
    references: NDArray[np.intp] | None = None,
    progress: Progress = silent,
    on_blocks: OnBlocks = on_all_cores,
) -> NDArray[np.float64]:
    """Distance to the nearest training trace of the predicted class, over the distance from there to another class.

    Kim, Feldt and Yoo, "Guiding deep learning system testing using surprise adequacy", ICSE 2019, eqs. 3 to 5, with
    the training traces grouped by predicted class.

    Parameters
    ----------
    traces : (N, d) activations of one layer, convolution maps averaged over space.
    predictions : (N,) predicted classes, whole numbers.
    training_traces, training_predictions : (M, d) and (M,) of the training set; without them each input is compared
        with the other inputs.
    second_from : where the second distance starts: at the "neighbor", the nearest trace of the predicted class (Kim et
        al.), or at the "input" itself (Guerriero et al., "DeepSample", ICSE 2024, section 2.2).
    references : (m,) the only rows to compare with, of the training set or, without one, of the inputs; see
        ``nearest.drawn_references``. None for all of them.
    on_blocks : what runs the blocks of inputs.

    Returns
    -------
    (N,) from 0, finite; larger = more likely to fail.

    Raises
    ------
    BadInput : traces not finite, predictions not whole numbers, shapes that do not fit.

    Notes
    -----
    Euclidean distances, equal to those of the double loop over all pairs. What the definition leaves open:

    - both distances 0: 1, as near to another class as to its own;
    - only the second one 0, or no other trace of the predicted class: the largest value of the other inputs, or 1
      where there is none;
    - traces of one class only: the second distance is the spread, the root of the mean squared distance of the
      training traces to their mean.

    All cores; memory is one float32 copy of the training traces and a few megabytes per core.

    Examples
    --------
    >>> dsa([[1.0], [2.0]], [0, 0], [[0.0], [4.0]], [0, 1])
    array([0.25, 0.5 ])
    """
    if second_from not in ("neighbor", "input"):
        raise BadInput(f"second_from is {second_from!r:.60}. Expected neighbor or input. Choose one of these.")
    known = checked_traces(traces, predictions, training_traces, training_predictions).against(references)
    largest = max(float(end) for array in (known.inputs, known.training) for end in (array.max(), -array.min()))
    search = NearestTraces(known.training, known.training_classes, 2.0 ** np.clip(-np.frexp(largest)[1], -1000, 1000))
    first = _to_own_class(known, search, progress, on_blocks)
    if search.classes[0] == search.classes[-1]:
        second = np.full(len(known.inputs), search.spread())
    elif second_from == "neighbor":
        second = _from_neighbors(first, search, progress, on_blocks)
    else:
        second = _from_inputs(known, search, progress, on_blocks)
    return _ratio(first.distances, second)


def _to_own_class(known: Traces, search: NearestTraces, progress: Progress, on_blocks: OnBlocks) -> Nearest:
    left_out = None
    if known.own is not None:  # an input with a twin is not left out: the twin has the same trace and stays
        places = search.place_of_row[known.own]
        left_out = np.where((known.own >= 0) & (search.copies[places] == 1), places, -1)

    def find(rows: NDArray[np.intp]) -> Nearest:
        without = None if left_out is None else left_out[rows]
        return search.of_class(known.inputs[rows], int(known.classes[rows[0]]), without)

    order = np.argsort(known.classes, kind="stable")
    borders = np.flatnonzero(np.diff(known.classes[order])) + 1
    blocks = [block for rows in np.split(order, borders) for block in _blocks(rows)]
    return _gathered(blocks, find, len(known.inputs), progress, on_blocks, "distances to the same class")


def _from_neighbors(
    first: Nearest, search: NearestTraces, progress: Progress, on_blocks: OnBlocks
) -> NDArray[np.float64]:
    """The distance from each input's neighbor to the nearest trace of another class, (N,)."""

    def find(places: NDArray[np.intp]) -> Nearest:
        return search.of_other_classes(search.traces(places), search.classes[places])

    places = np.unique(first.places[first.places >= 0])  # several inputs share a neighbor; rising, and so by class
    found = _gathered(_blocks(places), find, len(search.rows), progress, on_blocks, "distances to other classes")
    return found.distances[first.places]


def _from_inputs(known: Traces, search: NearestTraces, progress: Progress, on_blocks: OnBlocks) -> NDArray[np.float64]:
    """The distance from each input to the nearest trace of another class, (N,)."""

    def find(rows: NDArray[np.intp]) -> Nearest:
        return search.of_other_classes(known.inputs[rows], known.classes[rows])

    blocks = _blocks(np.argsort(known.classes, kind="stable"))
    return _gathered(blocks, find, len(known.inputs), progress, on_blocks, "distances to other classes").distances


def _ratio(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    nothing = np.isinf(first) | (second == 0)
    ratio = np.divide(first, second, out=np.full(len(first), np.inf), where=~nothing)  # eq. 5
    ratio[(first == 0) & (second == 0)] = 1.0
    return with_largest(ratio, otherwise=1.0)


def _gathered(
    blocks: list[NDArray[np.intp]],
    find: Callable[[NDArray[np.intp]], Nearest],
    size: int,
    progress: Progress,
    on_blocks: OnBlocks,
    what: str,
) -> Nearest:
    """The results of ``find`` for all blocks, joined, (size,)."""
    whole = Nearest(np.full(size, -1, dtype=np.intp), np.full(size, np.inf))
    for place, found in on_blocks(find, blocks, progress, what):
        whole.places[blocks[place]], whole.distances[blocks[place]] = found.places, found.distances
    return whole


def _blocks(rows: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    return [rows[top : top + _BLOCK] for top in range(0, len(rows), _BLOCK)]


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
        ``nearest.drawn_references``. None for all of them.
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

    columns : (k',) those kept. mean : (k',). turn : (k', k) to the coordinates. centers : (m, k) of the kernels.
    log_volume : log of the kernels' normalizing factor, sqrt(det(2 pi covariance)).
    """

    columns: NDArray[np.intp]
    mean: NDArray[np.float64]
    turn: NDArray[np.float64]
    centers: NDArray[np.float64]
    log_volume: float

    def surprise(self, points: NDArray[np.float64], own: NDArray[np.intp] | None) -> NDArray[np.float64]:
        """-log of the kernels' mean at (n, d) points, (n,); ``own`` (n,) names a kernel that each leaves out, or -1."""
        turned = (points[:, self.columns] - self.mean) @ self.turn  # (n, k)
        largest = np.full(len(points), -np.finfo(np.float64).max)  # of the exponents so far
        sums = np.zeros(len(points))
        for left in range(0, len(self.centers), _KERNELS):
            centers = self.centers[left : left + _KERNELS]
            exponents = turned @ centers.T  # (n, m'), becomes |x|^2 / 2 - |x - c|^2 / 2
            exponents -= np.einsum("ij,ij->i", centers, centers) / 2.0
            if own is not None:
                here = np.flatnonzero((own >= left) & (own < left + len(centers)))
                exponents[here, own[here] - left] = -np.inf
            larger = np.maximum(largest, exponents.max(axis=1))
            exponents -= larger[:, None]
            sums = sums * np.exp(largest - larger) + np.exp(exponents, out=exponents).sum(axis=1)
            largest = larger
        kernels = len(self.centers)
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
    centered = traces[:, columns]  # (m, k')
    mean = centered.mean(axis=0)
    centered -= mean
    variances, directions = _principal(centered)
    count = len(variances)
    factor = size ** (-1.0 / (count + 4))  # Scott 1992, eq. 6.42
    turn = directions / (np.sqrt(variances) * factor)
    log_volume = 0.5 * float(np.log(variances).sum()) + count * float(np.log(factor * np.sqrt(2.0 * np.pi)))
    return _Density(columns, mean, turn, centered @ turn, log_volume)


def _principal(centered: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Variances above rounding, (k,), and their directions, (k', k), from the smaller of the two matrices of products."""
    size, width = centered.shape
    wide = width > size
    values, vectors = eigh(centered @ centered.T if wide else centered.T @ centered)
    kept = values > _NO_VARIANCE * values[-1]
    values, vectors = values[kept], vectors[:, kept]
    directions = centered.T @ vectors / np.sqrt(values) if wide else vectors
    return values / (size - 1), directions


def _moderate(traces: NDArray[Any]) -> NDArray[np.float64]:
    moderate: NDArray[np.float64] = np.clip(traces.astype(np.float64), -_EXTREME, _EXTREME)
    return moderate


SURPRISES: dict[str, Callable[..., NDArray[np.float64]]] = {"dsa": dsa, "lsa": lsa}
"""The surprise adequacies by name."""


@dataclass(frozen=True, eq=False)
class SurpriseScore:
    """One auxiliary variable and what a tester should know about it.

    Attributes
    ----------
    values : (N,) finite, larger = more likely to fail.
    note : sentences on what is unusual about it, such as a missing training set; empty where nothing is.
    """

    values: NDArray[np.float64]
    note: str


def surprise_scores(
    features: ArrayLike,
    predictions: ArrayLike | None,
    training_features: ArrayLike | None = None,
    training_predictions: ArrayLike | None = None,
    which: Sequence[str] = ("dsa", "lsa"),
    *,
    most_references: int | None = None,
    seed: int | None = None,
    progress: Progress = silent,
    on_blocks: OnBlocks = on_all_cores,
) -> dict[str, SurpriseScore]:
    """DSA and LSA of every input from the features of one layer.

    Parameters
    ----------
    features : (N, d) of the inputs, such as the last hidden layer's.
    predictions : (N,) predicted classes; None for a regression, which has LSA alone.
    training_features, training_predictions : (M, d) and (M,) of the training set; without them each input is compared
        with the other inputs, and the note says so.
    which : names in ``SURPRISES``.
    most_references : traces that each input is compared with at most, drawn by ``seed``; None for all. The note says so.
    on_blocks : what runs the blocks of inputs.

    Raises
    ------
    BadInput : an unknown name, dsa without predictions, and what ``dsa`` and ``lsa`` refuse.

    Examples
    --------
    >>> scores = surprise_scores([[0.0], [0.5], [3.0], [4.0]], [0, 0, 1, 1], which=["dsa"])
    >>> scores["dsa"].values.round(2), scores["dsa"].note
    (array([0.2 , 0.17, 0.29, 0.4 ]),
     'There is no training set: each input was compared with the other inputs.')
    """
    unknown = [name for name in which if name not in SURPRISES]
    if unknown:
        raise BadInput(
            f"There is no surprise {unknown[0]!r:.60}. Expected one of {', '.join(SURPRISES)}. Choose from these."
        )
    if predictions is None and "dsa" in which:
        raise BadInput("DSA compares classes and a regression has none. Expected predicted classes. Use lsa.")
    known = checked_traces(features, predictions, training_features, training_predictions)
    references = None
    if most_references is not None:
        if seed is None or most_references < 1:
            raise BadInput(
                f"{most_references} references by the seed {seed} were asked for. Expected at least 1 and a seed. Give both."
            )
        references = drawn_references(known.training_classes, most_references, seed=seed)
    note = _note(known, references)
    return {
        name: SurpriseScore(
            SURPRISES[name](
                features,
                predictions,
                training_features,
                training_predictions,
                references=references,
                progress=progress,
                on_blocks=on_blocks,
            ),
            note,
        )
        for name in which
    }


def _note(whole: Traces, references: NDArray[np.intp] | None) -> str:
    """What is unusual about the training traces: none, a sample of them, a class without any, one class alone."""
    sentences = []
    known = whole.against(references)
    if references is not None:
        sentences.append(sampled_words(len(references), len(whole.training)))
    if known.own is not None:
        sentences.append("There is no training set: each input was compared with the other inputs.")
    classes, counts = np.unique(known.training_classes, return_counts=True)
    comparable = classes[counts > (known.own is not None)]
    alone = int((~np.isin(known.classes, comparable)).sum())
    if alone:
        sentences.append(
            f"{alone} of {len(known.classes)} inputs have a predicted class that nothing they are compared with has; "
            "they get the largest score."
        )
    return " ".join(sentences)
