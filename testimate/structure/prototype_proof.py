"""How good a choice of prototypes is: what it leaves unexplained, how well it classifies, and how it depends on the kernel."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from testimate.core.progress import Progress, silent
from testimate.structure.k_medoids import k_medoids
from testimate.structure.mmd_critic import prototypes
from testimate.structure.rbf_kernel import KernelPoints, mean_kernel

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
    features : (N, width), already normalised if ``gamma`` is meant for normalised rows.
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

    Rows of class -1 are left out, also as neighbours. Of equally near rows the one chosen first decides. 0 where no row
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
