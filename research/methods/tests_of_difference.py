"""Whether techniques differ by more than chance: Friedman, Dunn with Holm, Wilcoxon with Vargha and Delaney's A12."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from testimate.core.errors import BadInput

Alternative = Literal["two-sided", "less", "greater"]


@dataclass(frozen=True)
class Friedman:
    """Friedman's test of k techniques in b blocks.

    ``statistic`` and ``p`` are of the chi-squared form, ``iman_davenport`` and ``iman_davenport_p`` of Iman and
    Davenport's (1980) less conservative F, None where every block ranks alike (F is infinite: p is 0). ``mean_ranks``
    by technique, 1 = smallest.
    """

    statistic: float
    p: float
    iman_davenport: float | None
    iman_davenport_p: float
    mean_ranks: Mapping[str, float]


@dataclass(frozen=True)
class Pair:
    """Dunn's comparison of two techniques: z below 0 where ``first`` has the smaller ranks; p after Holm's adjustment."""

    first: str
    second: str
    z: float
    p: float


@dataclass(frozen=True)
class Paired:
    """Wilcoxon's signed-rank test with the effect size: ``a12`` is the chance that a value of the first is larger."""

    statistic: float
    p: float
    a12: float


def friedman(values: Mapping[str, ArrayLike]) -> Friedman:
    """Friedman's test, ties ranked in the middle, of k >= 3 techniques with (b,) values each, block by block.

    BadInput for fewer than 3 techniques or 2 blocks, unequal lengths, values that are not finite, or all alike.

    Source: Friedman 1937; Iman and Davenport 1980; DeepSample, section 5.1.

    >>> found = friedman({"a": [1, 2, 1, 2], "b": [2, 1, 2, 3], "c": [3, 3, 3, 4]})
    >>> round(found.statistic, 6), found.mean_ranks["c"]
    (6.5, 3.0)
    """
    table = _columns(values, least=3)  # (b, k)
    blocks, count = table.shape
    ranks = stats.rankdata(table, axis=1)
    if np.ptp(ranks) == 0:
        raise BadInput(
            "Every technique has the same value in every block. Expected some that differ. Leave the test out."
        )
    statistic, p = stats.friedmanchisquare(*table.T)
    left = blocks * (count - 1) - statistic
    if left <= 1e-9:
        f, f_p = None, 0.0
    else:
        f = float((blocks - 1) * statistic / left)
        f_p = float(stats.f.sf(f, count - 1, (count - 1) * (blocks - 1)))
    means = dict(zip(values, ranks.mean(axis=0).tolist(), strict=True))
    return Friedman(float(statistic), float(p), f, f_p, means)


def dunn_holm(values: Mapping[str, ArrayLike]) -> list[Pair]:
    """Dunn's test of every pair of techniques, corrected for ties, p-values two-sided and adjusted by Holm.

    ``values`` : (n_i,) numbers of each technique, independent of each other, n_i may differ. Pairs come in the order of
    the techniques. BadInput for fewer than 2 techniques, an empty one, values not finite, or all alike.

    Source: Dunn 1964; Holm 1979; DeepSample, section 5.1.
    """
    groups = {name: _numbers(name, numbers) for name, numbers in values.items()}
    if len(groups) < 2 or any(not numbers.size for numbers in groups.values()):
        raise BadInput(
            f"There are {len(groups)} techniques to compare, or one has no values. Expected 2 with a value each. Add some."
        )
    pooled = np.concatenate(list(groups.values()))
    total = pooled.size
    ties = np.unique(pooled, return_counts=True)[1].astype(np.float64)
    variance = total * (total + 1) / 12 - (ties**3 - ties).sum() / (12 * (total - 1)) if total > 1 else 0.0
    if variance <= 1e-12 * total**2:
        raise BadInput("All values are alike. Expected some that differ. Leave the test out.")
    ranks = np.split(stats.rankdata(pooled), np.cumsum([numbers.size for numbers in groups.values()])[:-1])
    means = {name: (float(own.mean()), own.size) for name, own in zip(groups, ranks, strict=True)}
    names, zs = list(combinations(groups, 2)), []
    for first, second in names:
        (mean, size), (other, other_size) = means[first], means[second]
        zs.append((mean - other) / np.sqrt(variance * (1 / size + 1 / other_size)))  # Dunn 1964, eq. 7
    adjusted = holm(2 * stats.norm.sf(np.abs(zs)))
    return [Pair(*pair, float(z), float(p)) for pair, z, p in zip(names, zs, adjusted, strict=True)]


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Holm's adjustment of (m,) p-values: the i-th smallest times m - i + 1, never falling, at most 1.

    >>> holm([0.01, 0.04, 0.03]).round(6)
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * (p.size - np.arange(p.size))), 1.0)
    return adjusted


def wilcoxon_a12(first: ArrayLike, second: ArrayLike, *, alternative: Alternative = "two-sided") -> Paired:
    """Wilcoxon's signed-rank test of paired values (n,) each, zero differences left out, with A12.

    ``alternative="less"`` asks whether the first are smaller, as SSOA does (section 6.1). Pairs without a difference at
    all have p = 1.

    Source: Wilcoxon 1945; Vargha and Delaney 2000.
    """
    one, other = _numbers("first", first), _numbers("second", second)
    if one.shape != other.shape or not one.size:
        raise BadInput(
            f"There are {one.size} and {other.size} values. Expected pairs, at least one. Give as many of each."
        )
    if (one == other).all():
        return Paired(0.0, 1.0, a12(one, other))
    statistic, p = stats.wilcoxon(one, other, alternative=alternative)
    return Paired(float(statistic), float(p), a12(one, other))


def a12(first: ArrayLike, second: ArrayLike) -> float:
    """Vargha and Delaney's A: P(X > Y) + P(X = Y) / 2 over all pairs of (m,) and (n,) values; 1/2 means no effect.

    >>> a12([3, 4], [1, 3])
    0.875
    """
    one, other = _numbers("first", first), _numbers("second", second)
    if not (one.size and other.size):
        raise BadInput("One of the two has no values. Expected at least one of each. Add some.")
    ranks = stats.rankdata(np.concatenate([one, other]))[: one.size]
    return float((ranks.sum() / one.size - (one.size + 1) / 2) / other.size)  # Vargha and Delaney 2000, eq. 14


def _numbers(name: str, values: ArrayLike) -> NDArray[np.float64]:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise BadInput(
            f"The values of {name!r:.40} are not numbers in a row. Expected one finite number for each block. Repair them."
        )
    return numbers


def _columns(values: Mapping[str, ArrayLike], least: int) -> NDArray[np.float64]:
    """The values side by side, (b, k)."""
    columns = [_numbers(name, numbers) for name, numbers in values.items()]
    if len(columns) < least or len({len(column) for column in columns}) != 1 or len(columns[0]) < 2:
        raise BadInput(
            f"There are {len(columns)} techniques with {[len(column) for column in columns]!r:.60} values. Expected at least "
            f"{least} with as many each, 2 or more. Add some."
        )
    return np.column_stack(columns)
