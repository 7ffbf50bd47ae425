"""A map that keeps neighbours in the features together: t-SNE, started from PCA's map or an earlier version's."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput
from testimate.core.machine import cores
from testimate.core.progress import Progress, silent
from testimate.core.words import spaced
from testimate.structure.near_neighbours import near_neighbours, nearest_of
from testimate.structure.neighbours_kept import neighbours_kept
from testimate.structure.planar_map import PlanarMap, flat_words, in_the_plane
from testimate.structure.reduction import min_max_scaled, principal_components
from testimate.structure.spanning_tree import equal_rows

LAID_OUT = 100_000
"""Most inputs that are laid out; of more, a sample is, and the others are placed beside their neighbours."""

# Why openTSNE, and how much of the neighborhood it keeps: decision 130.
PERPLEXITY = 30.0
EARLY, LATER = 60, 150
"""Rounds with exaggerated attraction, which untangle the groups, and plain rounds, which settle them."""

_EXAGGERATION = 12.0
_PER_LOOK = 10  # rounds between two looks at the map
_BESIDE = 5  # laid-out neighbours between which another input is placed
_FIRST_SPREAD = 1e-4  # standard deviation of the map from which t-SNE starts (Kobak and Berens 2019)
_SHARED_FROM = 20_000  # points from which threads gain more than they cost on a busy machine
_FEW = 4  # distinct inputs below which there is nothing to lay out
_SO_FEW = 30  # up to this many inputs, most are among each other's 15 nearest
_MANY_COPIES = 0.1  # share of copies above which the map has clumps


def neighbour_map(
    features: ArrayLike,
    *,
    seed: int,
    start: NDArray[np.float64] | None = None,
    laid_out: int = LAID_OUT,
    threads: int | None = None,
    progress: Progress = silent,
    moved: Callable[[NDArray[np.float64]], None] | None = None,
) -> PlanarMap:
    """The min-max scaled features laid out by t-SNE (van der Maaten and Hinton 2008; FFT gradient: Linderman et al. 2019).

    Parameters
    ----------
    features : (N, width) finite.
    seed : of the sample, and of the first places where the features have one direction only; same seed, same map.
    start : (N, 2) initial places, such as those on an earlier version's map; None for PCA's map.
    laid_out : with more inputs than this, a sample of that many is laid out. Every other input goes to the median of
        the places of its 5 nearest inputs in the sample.
    threads : at most; None = all cores. The map does not depend on it.
    progress : called every few rounds; raises to stop.
    moved : called from time to time with the (N, 2) places so far, so that one can watch the map settle.

    Returns
    -------
    PlanarMap with ``method`` "neighbours" and the share of neighbours it keeps. Equal inputs lie on one point.

    Raises
    ------
    BadInput : features not finite, or a start of another shape.

    Notes
    -----
    PCA's map as the start keeps groups that are far apart in the features far apart on the map (Kobak and Linderman 2021);
    with the learning rate N / exaggeration (Belkina et al. 2019). Even so, distances between groups mean little.
    """
    space = min_max_scaled(features)
    if start is not None and (start.shape != (len(space), 2) or not np.isfinite(start).all()):
        raise BadInput(
            f"The map to start from has shape {start.shape}; expected two finite numbers for each of {len(space)} inputs. "
            "Start from PCA's map instead."
        )
    progress(0, EARLY + LATER, "looking for neighbours")
    alike = equal_rows(space, threads=threads)
    distinct = space[alike.first]
    first = in_the_plane(principal_components(space, 2) if start is None else start, len(space))
    if len(distinct) < _FEW:
        return PlanarMap(first, "neighbours", flat_words(space), neighbours_kept(space, first, seed=seed))
    rows = np.arange(len(distinct))
    if len(distinct) > laid_out:
        rows = np.sort(np.random.default_rng([seed, 0x6D61]).choice(len(distinct), laid_out, replace=False))
    begun = first[alike.first]
    beside = _beside(distinct, rows, threads)
    looked_from = first.std(axis=0).max() or 1.0

    def whole(places: NDArray[np.float64]) -> NDArray[np.float64]:
        """The places of all inputs, from those of the sample."""
        if beside is None:
            return np.ascontiguousarray(places[alike.point])
        every = np.empty((len(distinct), 2))
        every[rows] = places
        every[beside[0]] = np.median(places[beside[1]], axis=1)
        return np.ascontiguousarray(every[alike.point])

    def look(done: int, places: NDArray[np.float64]) -> None:
        progress(done, EARLY + LATER, "the map settles")
        if moved is not None:
            spread = places.std(axis=0).max()
            # t-SNE starts tiny, so the view grows from its first size
            moved(whole(places) * (looked_from / spread if spread < looked_from else 1.0))

    points = whole(_settled(distinct[rows], begun[rows], seed, threads, look, progress))
    progress(EARLY + LATER, EARLY + LATER, "measuring the map")
    kept = neighbours_kept(space, points, seed=seed, threads=threads)
    warnings = _odd_words(space, len(distinct))
    if beside is not None:
        warnings.append(
            f"A sample of {spaced(laid_out)} of the {spaced(len(distinct))} distinct inputs was laid out; the others lie "
            "between their nearest neighbours in it."
        )
    return PlanarMap(points, "neighbours", " ".join(warnings), kept)


def _odd_words(space: NDArray[Any], distinct: int) -> list[str]:
    """What a reader of the map must know if the inputs are few, alike, or vary in one direction."""
    warnings = []
    if len(space) <= _SO_FEW:
        warnings.append(f"Of {spaced(len(space))} inputs nearly all are neighbours of each other: the map says little.")
    if len(space) - distinct >= _MANY_COPIES * len(space):
        warnings.append(
            f"{spaced(len(space) - distinct)} of the {spaced(len(space))} inputs have the same features as another one; equal "
            "inputs lie on one point."
        )
    if (space != space[0]).any(axis=0).sum() == 1:
        warnings.append("The features vary in one direction only: across it, places on the map mean nothing.")
    return warnings


def _settled(
    space: NDArray[Any],
    begun: NDArray[np.float64],
    seed: int,
    threads: int | None,
    look: Callable[[int, NDArray[np.float64]], None],
    progress: Progress,
) -> NDArray[np.float64]:
    """t-SNE's places of distinct points, (P, 2), starting from these."""
    from openTSNE import TSNEEmbedding  # over a second to load; nothing but this map needs it
    from openTSNE.affinity import PerplexityBasedNN
    from openTSNE.nearest_neighbors import PrecomputedNeighbors

    jobs = (threads or cores()) if len(space) >= _SHARED_FROM else 1
    perplexity = min(PERPLEXITY, (len(space) - 1) / 3)
    near, apart = near_neighbours(space, min(int(3 * perplexity), len(space) - 1), threads=threads, progress=progress)
    affinities = PerplexityBasedNN(
        knn_index=PrecomputedNeighbors(near, apart), perplexity=perplexity, n_jobs=jobs, random_state=seed
    )
    centred = begun - begun.mean(axis=0)
    spread = float(centred.std(axis=0).max())
    # places that lie on one line would never leave it
    jitter = np.random.default_rng([seed, 0x6A69]).normal(scale=0.01 * _FIRST_SPREAD, size=begun.shape)
    centred = centred * (_FIRST_SPREAD / spread if spread > 0 else 0.0) + jitter
    done = 0

    def callback(rounds: int, _: float, embedding: Any) -> bool:
        look(done + rounds, np.asarray(embedding))
        return False

    options = {"callbacks": callback, "callbacks_every_iters": _PER_LOOK, "use_callbacks": True, "n_jobs": jobs}
    places = TSNEEmbedding(centred, affinities, negative_gradient_method="fft", random_state=seed, **options)
    places = places.optimize(EARLY, exaggeration=_EXAGGERATION, momentum=0.5, inplace=True)
    done = EARLY
    places = places.optimize(LATER, exaggeration=1.0, momentum=0.8, inplace=True)
    return np.array(places, dtype=np.float64)


def _beside(
    space: NDArray[Any], rows: NDArray[np.intp], threads: int | None
) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """The points that are not laid out, (R,), and the places in ``rows`` of the nearest that are, (R, few); None without."""
    if len(rows) == len(space):
        return None
    rest = np.setdiff1d(np.arange(len(space)), rows, assume_unique=True)
    near, _ = nearest_of(space, rest, _BESIDE, among=rows, threads=threads)
    return rest, np.searchsorted(rows, near)
