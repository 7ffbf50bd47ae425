"""Maps of the inputs in the plane, the nearest neighbors they rest on, and how well they keep them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput
from testimate.core.machine import cores
from testimate.core.progress import Progress, silent
from testimate.core.words import commas
from testimate.structure.cores import on_cores
from testimate.structure.near_pairs import distances
from testimate.structure.reduction import independent_components, min_max_scaled, principal_components
from testimate.structure.shadows import cast_shadow
from testimate.structure.spanning_tree import equal_rows, first_neighbors

EXACT_UP_TO = 4096
"""Up to this many points all pairs are measured; beyond, a point's neighbors are searched near its group."""

_ROWS = 256


def near_neighbors(
    space: NDArray[Any], count: int, *, threads: int | None = None, progress: Progress = silent
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The ``count`` nearest of every point, itself left out, the nearest first, and their distances, (P, count) each.

    Parameters
    ----------
    space : (P, d) finite, no two rows equal. count : 1 to P - 1.

    Notes
    -----
    Beyond ``EXACT_UP_TO`` points a few neighbors may be missed: these are the first guess of ``first_neighbors``.
    """
    size = len(space)
    if size <= EXACT_UP_TO:
        rows = np.arange(size)
        return nearest_of(space, rows, count, threads=threads)
    shadow = cast_shadow(space, count, threads=threads)
    one, other = first_neighbors(shadow, size, count, threads=threads, progress=progress)
    found = (
        other[np.argsort(one, kind="stable")].astype(np.intp).reshape(size, count)
    )  # groups are large enough to give each as many

    def measured(top: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        near = found[top : top + _ROWS]
        rows = np.repeat(np.arange(top, top + len(near)), count)
        apart = distances(space, rows, space, near.ravel()).reshape(near.shape)
        order = np.lexsort((near, apart), axis=1)
        return np.take_along_axis(near, order, axis=1), np.take_along_axis(apart, order, axis=1)

    parts = on_cores(range(0, size, _ROWS), measured, threads=threads)
    return np.concatenate([near for near, _ in parts]), np.concatenate([apart for _, apart in parts])


def nearest_of(
    space: NDArray[Any],
    rows: NDArray[np.intp],
    count: int,
    *,
    among: NDArray[np.intp] | None = None,
    threads: int | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The ``count`` nearest of some rows, themselves left out, the nearest first, and their distances, (rows, count) each.

    All distances are measured. ``among`` : (M,) the rows to search, rising; None for all.
    """
    others = space if among is None else space[among]
    others = others.astype(np.float32) - others.mean(axis=0, dtype=np.float64).astype(np.float32)
    half = np.einsum("ij,ij->i", others, others) / 2
    center = (space if among is None else space[among]).mean(axis=0, dtype=np.float64).astype(np.float32)
    places = np.arange(len(space)) if among is None else among

    def work(top: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        mine = rows[top : top + _ROWS]
        scores = (
            space[mine].astype(np.float32) - center
        ) @ others.T  # the largest the nearest, once ``half`` is taken off
        scores -= half
        own = np.searchsorted(places, mine)
        held = np.flatnonzero((own < len(places)) & (places[np.minimum(own, len(places) - 1)] == mine))
        scores[held, own[held]] = -np.inf
        spare = min(count + 8, len(places) - (among is None))  # float32 may swap neighbors at almost the same distance
        near = np.argpartition(scores, len(places) - spare, axis=1)[:, -spare:]
        found = places[near]
        apart = distances(space, np.repeat(mine, spare), space, found.ravel()).reshape(found.shape)
        order = np.lexsort((found, apart), axis=1)[:, :count]
        return np.take_along_axis(found, order, axis=1), np.take_along_axis(apart, order, axis=1)

    parts = on_cores(range(0, len(rows), _ROWS), work, threads=threads)
    return np.concatenate([near for near, _ in parts]), np.concatenate([apart for _, apart in parts])


NEIGHBORS = 15
ASKED = 2000
"""Inputs, drawn by a seed, whose neighbors are compared; the share is then accurate to within a percentage point."""


def neighbors_kept(
    space: NDArray[Any],
    points: NDArray[np.float64],
    *,
    seed: int,
    count: int = NEIGHBORS,
    asked: int = ASKED,
    threads: int | None = None,
) -> float | None:
    """The mean share, 0..1, of an input's ``count`` nearest on the map that are among its ``count`` nearest in the features.

    Parameters
    ----------
    space : (N, d) features between which distances are computed. points : (N, 2) their places on the map.
    asked : most inputs whose neighbors are compared.

    Returns
    -------
    The share, or None with fewer inputs than two. Inputs at the same distance as the last neighbor count as
    neighbors, too. If there are at most ``count`` others, all are neighbors and the share is 1.

    Notes
    -----
    Venna and Kaski 2001 compare ranks instead (trustworthiness); the plain share matches how people use a map: they
    look at the points beside a point.
    """
    from scipy.spatial import KDTree

    size = len(space)
    if size < 2:
        return None
    count = min(count, size - 1)
    rows = np.arange(size)
    if size > asked:
        rows = np.sort(np.random.default_rng([seed, 0x6B65]).choice(size, asked, replace=False))
    _, apart = nearest_of(space, rows, count, threads=threads)
    reach = apart[:, -1] * (1 + 1e-9)
    beside = KDTree(points).query(points[rows], k=count + 1)[1]  # (rows, count + 1), itself among them or a copy of it
    own = beside == rows[:, None]
    own[~own.any(axis=1), -1] = True  # more copies than neighbors: it is any of them
    others = beside[~own].reshape(len(rows), count)
    lengths = np.linalg.norm(
        space[others].astype(np.float64) - space[rows, None].astype(np.float64), axis=2
    )  # (rows, count)
    return float((lengths <= reach[:, None]).mean())


Method = Literal["neighbors", "fastica", "pca"]
Linear = Literal["fastica", "pca"]

EARLIER_NAMES: Mapping[str, Method] = {"neighbours": "neighbors"}
"""Of methods, as commands and programs of earlier versions have them."""


def method_named(text: str, setting: str = "map") -> Method:
    """The method of that name, or of that earlier one; BadInput where there is none, ``setting`` being what gave it."""
    known: tuple[Method, ...] = get_args(Method)
    method = next((one for one in known if one == EARLIER_NAMES.get(text, text)), None)
    if method is None:
        raise BadInput(f"{setting} is {text!r:.60}. Expected one of {', '.join(known)}. Choose one of these.")
    return method


@dataclass(frozen=True, eq=False)
class PlanarMap:
    """Where each input lies in the picture.

    Attributes
    ----------
    points : (N, 2) float64; axes have no unit.
    method : "neighbors" (``neighbor_map``), "fastica" or "pca".
    warning : one or more sentences for the reader of the picture; "" if there is nothing to say.
    kept : the share of an input's 15 nearest on the map that are among its 15 nearest in the features, 0..1; None where
        it was not measured.
    """

    points: NDArray[np.float64]
    method: Method
    warning: str = ""
    kept: float | None = None


def planar_map(features: ArrayLike, *, seed: int, method: Linear = "pca", measured: bool = False) -> PlanarMap:
    """The min-max scaled features reduced to two dimensions, by FastICA as in PACE, or by PCA.

    Where the features have fewer than two directions, the axes left over are 0 and the warning says so. ``measured`` :
    whether to measure the share of neighbors that the map keeps, which takes longer than the map.

    Raises
    ------
    BadInput : features not finite, or an unknown method.
    """
    if method not in get_args(Linear):
        raise BadInput(f"The method of the map is {method!r:.60}. Expected fastica or pca. Choose one of these.")
    scaled = min_max_scaled(features)
    columns: NDArray[Any]
    if method == "fastica":
        columns, warning = independent_components(scaled, 2, seed=seed)
    else:
        columns, warning = principal_components(scaled, 2), ""
    if columns.shape[1] < 2:
        warning = flat_words(scaled)
    points = in_the_plane(columns, len(scaled))
    kept = neighbors_kept(scaled, points, seed=seed) if measured else None
    return PlanarMap(points=points, method=method, warning=warning, kept=kept)


def in_the_plane(columns: NDArray[Any], size: int) -> NDArray[np.float64]:
    """The columns as (N, 2) places; an axis that is left over is 0."""
    points = np.zeros((size, 2))
    points[:, : columns.shape[1]] = columns
    return points


def flat_words(scaled: NDArray[Any]) -> str:
    """The warning about features with fewer than two directions, or too few distinct inputs to lay out."""
    line = (scaled != scaled[0]).any()
    return (
        f"The features vary in fewer than two directions: all inputs lie {'on one line' if line else 'on one point'}."
    )


LAID_OUT = 100_000
"""Most inputs that are laid out; of more, a sample is, and the others are placed beside their neighbors."""

# Why openTSNE, and how much of the neighborhood it keeps: decision 130.
PERPLEXITY = 30.0
EARLY, LATER = 60, 150
"""Rounds with exaggerated attraction, which untangle the groups, and plain rounds, which settle them."""

_EXAGGERATION = 12.0
_PER_LOOK = 10  # rounds between two looks at the map
_BESIDE = 5  # laid-out neighbors between which another input is placed
_FIRST_SPREAD = 1e-4  # standard deviation of the map from which t-SNE starts (Kobak and Berens 2019)
_SHARED_FROM = 20_000  # points from which threads gain more than they cost on a busy machine
_FEW = 4  # distinct inputs below which there is nothing to lay out
_SO_FEW = 30  # up to this many inputs, most are among each other's 15 nearest
_MANY_COPIES = 0.1  # share of copies above which the map has clumps


def neighbor_map(
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
    PlanarMap with ``method`` "neighbors" and the share of neighbors it keeps. Equal inputs lie on one point.

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
            f"The map to start from has shape {start.shape}. Expected two finite numbers for each of {len(space)} inputs. "
            "Start from PCA's map instead."
        )
    progress(0, EARLY + LATER, "looking for neighbors")
    alike = equal_rows(space, threads=threads)
    distinct = space[alike.first]
    first = in_the_plane(principal_components(space, 2) if start is None else start, len(space))
    if len(distinct) < _FEW:
        return PlanarMap(first, "neighbors", flat_words(space), neighbors_kept(space, first, seed=seed))
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
    kept = neighbors_kept(space, points, seed=seed, threads=threads)
    warnings = _odd_words(space, len(distinct))
    if beside is not None:
        warnings.append(
            f"A sample of {commas(laid_out)} of the {commas(len(distinct))} distinct inputs was laid out; the others lie "
            "between their nearest neighbors in it."
        )
    return PlanarMap(points, "neighbors", " ".join(warnings), kept)


def _odd_words(space: NDArray[Any], distinct: int) -> list[str]:
    """What a reader of the map must know if the inputs are few, alike, or vary in one direction."""
    warnings = []
    if len(space) <= _SO_FEW:
        warnings.append(f"Of {commas(len(space))} inputs nearly all are neighbors of each other: the map says little.")
    if len(space) - distinct >= _MANY_COPIES * len(space):
        warnings.append(
            f"{commas(len(space) - distinct)} of the {commas(len(space))} inputs have the same features as another one; equal "
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
    near, apart = near_neighbors(space, min(int(3 * perplexity), len(space) - 1), threads=threads, progress=progress)
    affinities = PerplexityBasedNN(
        knn_index=PrecomputedNeighbors(near, apart), perplexity=perplexity, n_jobs=jobs, random_state=seed
    )
    centered = begun - begun.mean(axis=0)
    spread = float(centered.std(axis=0).max())
    # places that lie on one line would never leave it
    jitter = np.random.default_rng([seed, 0x6A69]).normal(scale=0.01 * _FIRST_SPREAD, size=begun.shape)
    centered = centered * (_FIRST_SPREAD / spread if spread > 0 else 0.0) + jitter
    done = 0

    def callback(rounds: int, _: float, embedding: Any) -> bool:
        look(done + rounds, np.asarray(embedding))
        return False

    options = {"callbacks": callback, "callbacks_every_iters": _PER_LOOK, "use_callbacks": True, "n_jobs": jobs}
    places = TSNEEmbedding(centered, affinities, negative_gradient_method="fft", random_state=seed, **options)
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
