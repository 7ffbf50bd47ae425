"""Prototypes and criticisms of a group, and how good a choice of them is.

MMD-critic: the inputs that represent a group (prototypes) and those the prototypes leave unexplained (criticisms).

Kim, Khanna and Koyejo, "Examples are not enough, learn to criticize!", NIPS 2016, with the kernel
k(x, y) = exp(-gamma |x - y|^2). The N x N kernel matrix is never held: its column means come tile by tile, and each pick
adds one column. Picks within rounding of each other count as tied, and the lowest row wins.

What prototypes that were chosen by a sample of the rows leave unexplained of all of them.

k-medoids: inputs chosen so that every other input is near one of them, one for each group.

How good a choice of prototypes is: what it leaves unexplained, how well it classifies, and how it depends on the kernel.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from testimate.core.checks import check_features
from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent
from testimate.core.words import commas
from testimate.structure.orders import lowest_best
from testimate.structure.rbf_kernel import KERNEL_GAMMA, KernelPoints, l2_normalized, mean_kernel, median_heuristic

__all__ = [
    "KERNEL_GAMMA",
    "criticisms",
    "l2_normalized",
    "mean_kernel",
    "median_heuristic",
    "prototypes",
    "witness",
]

_NOTHING_NEW = 1e-13  # residual variance below which a criticism lies in the span of those before, up to rounding


def prototypes(
    features: ArrayLike, count: int, *, gamma: float, means: NDArray[np.float64] | None = None
) -> NDArray[np.intp]:
    """The rows whose distribution comes nearest to that of all rows, in greedy order.

    Parameters
    ----------
    features : (N, width), already normalized if ``gamma`` is meant for normalized rows.
    count : 1 to N; the first k of a larger count are the prototypes of count k.
    gamma : of the kernel, above 0.
    means : (N,) what ``mean_kernel`` gives for the same features and gamma, if already computed.

    Returns
    -------
    (count,) rows, each the one that lowers MMD^2 between prototypes and all rows most (section 3,
    the set function J_b).

    Raises
    ------
    BadInput : features not finite, count or gamma outside their range.

    Examples
    --------
    >>> prototypes(np.array([[0.0], [0.1], [0.2], [5.0]]), 2, gamma=1.0)
    array([1, 3])
    """
    size = len(check_features(features))
    _check_count(count, size, "prototypes")
    means = mean_kernel(features, gamma=gamma) if means is None else means
    space = KernelPoints.of(features, gamma)
    picked = np.empty(count, dtype=np.intp)
    likeness = np.zeros(size)  # (N,) sum of the kernel with the prototypes so far
    gone = np.zeros(size)  # -inf where picked
    for position in range(count):
        # J_b, what depends on the candidate j: 2 mean_j - (2 sum_S k(s, j) + k(j, j)) / (|S| + 1), k(j, j) = 1
        gain = 2.0 * means - (2.0 * likeness + 1.0) / (position + 1) + gone
        row = lowest_best(gain)
        picked[position], gone[row] = row, -np.inf
        likeness += space.column(row)
    return picked


def witness(
    features: ArrayLike, prototypes: ArrayLike, *, gamma: float, means: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """How much denser all rows are than the prototypes at each row (section 2, the witness function):
    (N,), between -1 and 1.

    Above 0 where there are too few prototypes, below 0 where there are too many. ``means`` as in ``prototypes``.
    """
    rows = _check_rows(prototypes, len(check_features(features)))
    means = mean_kernel(features, gamma=gamma) if means is None else means
    return _witness(KernelPoints.of(features, gamma), rows, means)


def criticisms(
    features: ArrayLike,
    prototypes: ArrayLike,
    count: int,
    *,
    gamma: float,
    means: NDArray[np.float64] | None = None,
) -> NDArray[np.intp]:
    """The rows that the prototypes explain worst and that differ from each other, in greedy order.

    Each maximizes |witness| + the gain in log det of the kernel matrix of the criticisms (section 3, L(C) with its
    log-determinant regularizer).

    Parameters
    ----------
    features, gamma, means : as in ``prototypes``.
    prototypes : rows of the prototypes, at least one; they are never criticisms.
    count : 0 to N less the number of prototypes.

    Returns
    -------
    (count,) rows.
    """
    size = len(check_features(features))
    rows = _check_rows(prototypes, size)
    if count == 0:
        return np.empty(0, dtype=np.intp)
    _check_count(count, size - len(rows), "criticisms")
    means = mean_kernel(features, gamma=gamma) if means is None else means
    space = KernelPoints.of(features, gamma)
    unexplained = np.abs(_witness(space, rows, means))
    unexplained[rows] = -np.inf
    factor = np.zeros((count, size))  # Cholesky: row c holds what criticism c explains of every row
    residual = np.ones(size)  # (N,) variance of each row given the criticisms so far; det grows by this factor
    picked = np.empty(count, dtype=np.intp)
    for position in range(count):
        row = lowest_best(unexplained + np.log(np.maximum(residual, _NOTHING_NEW)))
        picked[position], unexplained[row] = row, -np.inf
        if residual[row] <= _NOTHING_NEW:
            continue  # an input equal to an earlier criticism adds nothing
        explained = factor[:position, row] @ factor[:position]  # (N,)
        factor[position] = (space.column(row) - explained) / np.sqrt(residual[row])
        residual = residual - factor[position] ** 2
    return picked


def _witness(space: KernelPoints, rows: NDArray[np.intp], means: NDArray[np.float64]) -> NDArray[np.float64]:
    difference: NDArray[np.float64] = means - space.likeness(rows) / len(rows)
    return difference


def _check_count(count: int, available: int, what: str) -> None:
    if not 1 <= count <= available:
        raise BadInput(
            f"{count} {what} are wanted. Expected a number from 1 to {available}, the inputs there are. Change it."
        )


def _check_rows(prototypes: ArrayLike, size: int) -> NDArray[np.intp]:
    rows = np.asarray(prototypes, dtype=np.intp)
    if rows.ndim != 1 or not rows.size or rows.min() < 0 or rows.max() >= size or len(np.unique(rows)) < len(rows):
        raise BadInput(
            f"The prototypes are {rows.tolist()!r:.60}. Expected one or more different rows from 0 to {size - 1}. "
            "Choose them first."
        )
    return rows


JUDGES = 1_000
"""Rows at which it is measured how much is left unexplained; they are drawn independently of the sample."""

_ROWS = 512  # of a tile: 4 MB


@dataclass(frozen=True)
class SampledObjective:
    """What prototypes that were chosen by sampled means leave unexplained.

    Attributes
    ----------
    size, drawn : rows there are, and rows in the sample. prototypes : how many were chosen.
    found : MMD^2 between all rows and the prototypes. error : its standard error, 0 where it is exact.
    overrated : how much lower MMD^2 is by the sampled means than by those of all rows, both measured from an average
    row.
    by_chance : MMD^2 of as many rows drawn at random, on average.
    """

    size: int
    drawn: int
    prototypes: int
    found: float
    error: float
    overrated: float
    by_chance: float

    def words(self) -> str:
        """What a person has to know about the sample, in three sentences."""
        look = f"{abs(self.overrated):.1g} {'better' if self.overrated >= 0 else 'worse'} than they are"
        return (
            f"The prototypes were chosen by the kernel's means over {commas(self.drawn)} of {commas(self.size)} inputs, "
            f"drawn by the seed, by which they look {look}. Over all inputs they leave a squared discrepancy (MMD²) of "
            f"{self.found:.2g} ± {2 * self.error:.1g}; as many inputs drawn at random would leave {self.by_chance:.2g} on "
            f"average. Prototypes chosen by the means over all inputs could leave {self.found:.2g} less at most."
        )


def sampled_objective(
    features: ArrayLike,
    chosen: NDArray[np.intp],
    means: NDArray[np.float64],
    drawn: int,
    *,
    gamma: float,
    seed: int,
) -> SampledObjective:
    """MMD^2 (Kim et al. 2016, equation 1) of m prototypes chosen by sampled means: N (m + 1,000) width products.

    Its terms are the mean of k over all pairs of rows, over pairs of a row and a prototype, and over pairs of prototypes. The
    second and the third are computed as they are. The first is the mean over all rows of what the prototypes explain, and over
    ``JUDGES`` rows of what they do not: the difference estimator (Cochran 1977, section 7.2), unbiased because these rows do
    not depend on the prototypes, and sharp because these explain most.

    Parameters
    ----------
    features, gamma : as in ``prototypes``. chosen : (m,) rows. means : (N,) those they were chosen by, the kernel's over
        ``drawn`` rows.
    seed : decides which rows judge.

    Raises
    ------
    BadInput : no prototype.
    """
    count = len(chosen)
    if not count:
        raise BadInput("There is no prototype. Expected at least one. Choose them first.")
    space = KernelPoints.of(features, gamma)
    size = len(space)
    explained = space.likeness(chosen) / count  # (N,) mean of k with the prototypes
    rows = np.arange(size)
    if size > JUDGES:
        rows = np.sort(np.random.default_rng([seed, 0x4A55]).choice(size, JUDGES, replace=False))
    judges = KernelPoints(space.points[rows], space.squares[rows], space.gamma)
    over_all = np.zeros(len(rows))  # the mean of k of each judge with all rows
    for top in range(0, size, _ROWS):
        over_all += space.between(slice(top, top + _ROWS), judges, slice(None)).sum(axis=0) / size
    off = over_all - explained[rows]  # the witness function
    pairs, among = float(off.mean() + explained.mean()), float(explained[chosen].mean())
    return SampledObjective(
        size=size,
        drawn=drawn,
        prototypes=count,
        found=max(pairs - 2 * float(explained.mean()) + among, 0.0),
        error=0.0 if len(rows) == size else float(off.std(ddof=1) / np.sqrt(len(rows))),
        overrated=2 * float(means[chosen].mean() - means.mean() - explained.mean() + pairs),
        by_chance=(1 - pairs) / count,
    )


_ROUNDS = 20


def k_medoids(space: NDArray[Any], count: int, *, seed: int) -> NDArray[np.intp]:
    """Rows of ``count`` medoids of the (N, d) points, by Euclidean distance, rising.

    Started as in k-means++ (Arthur and Vassilvitskii 2007) and improved in turns (Park and Jun 2009): every input joins
    its nearest medoid, and every group takes the member with the smallest sum of distances to the others; until nothing
    changes, 20 times at most.
    """
    points, rng = space.astype(np.float64, copy=False), np.random.default_rng(seed)
    medoids = [int(rng.integers(len(points)))]
    nearest = cdist(points, points[medoids], "sqeuclidean")[:, 0]
    while len(medoids) < count:
        free = np.setdiff1d(np.arange(len(points)), medoids)
        weights = nearest[free]
        total = weights.sum()
        chosen = int(rng.choice(free, p=weights / total) if total > 0 else free[0])
        medoids.append(chosen)
        nearest = np.minimum(nearest, cdist(points, points[[chosen]], "sqeuclidean")[:, 0])
    found = np.sort(medoids)
    for _ in range(_ROUNDS):
        home = cdist(points, points[found]).argmin(axis=1)
        home[found] = np.arange(count)  # a copy of another medoid stays its own group
        better = found.copy()
        for group in range(count):
            members = np.flatnonzero(home == group)
            better[group] = members[lowest_best(-cdist(points[members], points[members]).sum(axis=1))]
        better = np.sort(better)
        if (better == found).all():
            break
        found = better
    return found.astype(np.intp)


RANDOM = 20
"""Random choices with which a choice is compared."""

MOST = 10_000
"""Most inputs that are examined; of more, a seeded sample."""


@dataclass(frozen=True)
class ChoiceError:
    """Error of the nearest-prototype classifier, 0..1: of MMD-critic's prototypes, of as many random ones (mean, least and
    most of 20 choices), of as many medoids."""

    prototypes: float
    random: float
    random_least: float
    random_most: float
    medoids: float


@dataclass(frozen=True, eq=False)
class PrototypeProof:
    """The evidence for a choice of prototypes.

    Attributes
    ----------
    looked_at : (n,) rows the prototypes stand for: all, or a sample.
    chosen : (m,) rows in the order they were picked; the first ``used`` are in use.
    used : how many are in use.
    discrepancies : (m,) MMD^2 between all inputs and the first k prototypes, k = 1..m.
    elbow : the number from which further prototypes explain little more.
    predicted, true : error of the nearest-prototype classifier with ``used`` prototypes, on predicted classes and, where it
        is known, on the truth; None without classes.
    stay_half, stay_twice : share of the first ``used`` prototypes that are also chosen with a kernel half and twice as
        wide.
    """

    looked_at: NDArray[np.intp]
    chosen: NDArray[np.intp]
    used: int
    discrepancies: NDArray[np.float64]
    elbow: int
    predicted: ChoiceError | None
    true: ChoiceError | None
    stay_half: float
    stay_twice: float


def prove_prototypes(
    features: ArrayLike,
    used: int,
    *,
    gamma: float,
    seed: int,
    predicted: NDArray[np.intp] | None = None,
    true: NDArray[np.intp] | None = None,
    most: int = MOST,
    progress: Progress = silent,
) -> PrototypeProof:
    """Examines MMD-critic's choice of prototypes for all rows together.

    Parameters
    ----------
    features : (N, width), already normalized if ``gamma`` is meant for normalized rows.
    used : how many are in use, 1 to N. gamma : of the kernel, above 0; half its width is four times gamma.
    predicted, true : (N,) classes, -1 where not known.
    """
    array = np.asarray(features)
    rows = np.arange(len(array))
    if len(array) > most:
        rows = np.sort(np.random.default_rng([seed, 0x7070]).choice(len(array), most, replace=False))
    space = array[rows]
    used = min(used, len(space))
    shown = min(len(space), max(2 * used, used + 10))
    progress(0, 5, "choosing prototypes of all inputs")
    means = mean_kernel(space, gamma=gamma)
    chosen = prototypes(space, shown, gamma=gamma, means=means)
    discrepancies = discrepancies_of(space, chosen, gamma=gamma, means=means)
    in_use = chosen[:used]
    stay = []
    for turn, other in enumerate((4 * gamma, gamma / 4)):
        progress(1 + turn, 5, "choosing them with other kernels")
        stay.append(float(np.isin(in_use, prototypes(space, used, gamma=other)).mean()))
    progress(3, 5, "choosing medoids")
    errors = {
        name: None if classes is None else choice_error(space, in_use, classes[rows], seed=seed)
        for name, classes in (("predicted", predicted), ("true", true))
    }
    progress(5, 5, "prototypes looked at")
    return PrototypeProof(
        looked_at=rows,
        chosen=rows[chosen],
        used=used,
        discrepancies=discrepancies,
        elbow=elbow(discrepancies),
        predicted=errors["predicted"],
        true=errors["true"],
        stay_half=stay[0],
        stay_twice=stay[1],
    )


def discrepancies_of(
    features: ArrayLike, chosen: NDArray[np.intp], *, gamma: float, means: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """MMD^2 between all rows and the first k of the chosen ones, k = 1..m (Kim et al. 2016, equation 1): (m,), at least 0.

    ``means`` : as in ``prototypes``.
    """
    space = KernelPoints.of(features, gamma)
    means = mean_kernel(features, gamma=gamma) if means is None else means
    found, likeness, between = np.empty(len(chosen)), np.zeros(len(space)), 0.0
    for place, row in enumerate(chosen.tolist()):
        between += 2 * likeness[row] + 1.0  # the sum of the kernel over all pairs of the first place + 1, k(x, x) = 1
        likeness += space.column(row)
        count = place + 1
        found[place] = means.mean() - 2 * means[chosen[:count]].mean() + between / count**2
    return np.maximum(found, 0.0)


def elbow(curve: Sequence[float] | NDArray[np.float64]) -> int:
    """The number, 1..m, at which a falling curve bends most: farthest below the line from its first value to its last.

    Satopää, Albrecht, Irwin and Raghavan 2011 ("Kneedle"), without smoothing. 1 for a curve that does not fall.

    >>> elbow([1.0, 0.5, 0.1, 0.09, 0.08, 0.07])
    3
    """
    values = np.asarray(curve, dtype=np.float64)
    if len(values) < 3 or values[0] <= values[-1]:
        return 1
    line = np.linspace(values[0], values[-1], len(values))
    return int(np.argmax(np.round(line - values, 12))) + 1


def nearest_prototype_error(features: ArrayLike, chosen: NDArray[np.intp], classes: NDArray[np.intp]) -> float:
    """Share of the other rows whose class is not that of the nearest chosen row (Kim et al. 2016, section 5.1), 0..1.

    Rows of class -1 are left out, also as neighbors. Of equally near rows the one chosen first decides. 0 where no row
    is left.
    """
    space = np.asarray(features, dtype=np.float64)
    deciding = chosen[classes[chosen] >= 0]
    asked = np.setdiff1d(np.flatnonzero(classes >= 0), chosen)
    if not asked.size or not deciding.size:
        return 0.0
    near = cdist(space[asked], space[deciding], "sqeuclidean").argmin(axis=1)
    return float((classes[deciding[near]] != classes[asked]).mean())


def choice_error(features: ArrayLike, chosen: NDArray[np.intp], classes: NDArray[np.intp], *, seed: int) -> ChoiceError:
    """The error with these prototypes, with as many random rows, and with as many medoids."""
    space, rng = np.asarray(features), np.random.default_rng([seed, 0x7271])
    random = [
        nearest_prototype_error(space, rng.choice(len(space), len(chosen), replace=False), classes)
        for _ in range(RANDOM)
    ]
    return ChoiceError(
        nearest_prototype_error(space, chosen, classes),
        float(np.mean(random)),
        min(random),
        max(random),
        nearest_prototype_error(space, k_medoids(space, len(chosen), seed=seed), classes),
    )
