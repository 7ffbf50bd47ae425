"""Distance-based surprise adequacy: how much nearer the trace of an input is to another class than to its own."""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.auxiliary.nearest import Nearest, NearestTraces
from testimate.auxiliary.row_blocks import on_all_cores
from testimate.auxiliary.traces import Traces, checked_traces, with_largest
from testimate.core.errors import BadInput
from testimate.core.progress import OnBlocks, Progress, silent

_BLOCK = 512  # inputs compared with the training traces at a time


def dsa(
    traces: ArrayLike,
    predictions: ArrayLike,
    training_traces: ArrayLike | None = None,
    training_predictions: ArrayLike | None = None,
    *,
    second_from: Literal["neighbour", "input"] = "neighbour",
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
    second_from : where the second distance starts: at the "neighbour", the nearest trace of the predicted class (Kim et
        al.), or at the "input" itself (Guerriero et al., "DeepSample", ICSE 2024, section 2.2).
    references : (m,) the only rows to compare with, of the training set or, without one, of the inputs; see
        ``references.drawn_references``. None for all of them.
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
    if second_from not in ("neighbour", "input"):
        raise BadInput(f"second_from is {second_from!r:.60}; expected neighbour or input. Choose one of these.")
    known = checked_traces(traces, predictions, training_traces, training_predictions).against(references)
    largest = max(float(end) for array in (known.inputs, known.training) for end in (array.max(), -array.min()))
    search = NearestTraces(known.training, known.training_classes, 2.0 ** np.clip(-np.frexp(largest)[1], -1000, 1000))
    first = _to_own_class(known, search, progress, on_blocks)
    if search.classes[0] == search.classes[-1]:
        second = np.full(len(known.inputs), search.spread())
    elif second_from == "neighbour":
        second = _from_neighbours(first, search, progress, on_blocks)
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


def _from_neighbours(
    first: Nearest, search: NearestTraces, progress: Progress, on_blocks: OnBlocks
) -> NDArray[np.float64]:
    """The distance from each input's neighbour to the nearest trace of another class, (N,)."""

    def find(places: NDArray[np.intp]) -> Nearest:
        return search.of_other_classes(search.traces(places), search.classes[places])

    places = np.unique(first.places[first.places >= 0])  # several inputs share a neighbour; rising, and so by class
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
