"""Do two sets of inputs look alike? Standard two-sample tests of features, of one number per input, and of classes.

Are the errors of one technique smaller than those of another? Wilcoxon's test, Vargha and Delaney's A12, and the gain.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_features
from testimate.core.errors import BadInput
from testimate.structure.rbf_kernel import median_heuristic

SAMPLE = 1000
"""Most inputs of each set that the kernel test compares: a matrix of 2,000 by 2,000."""

SHUFFLES = 999
"""Random reassignments of inputs to the two sets; the smallest p-value is 1 / (SHUFFLES + 1)."""


@dataclass(frozen=True)
class TwoSamples:
    """The result of a test of two samples.

    Attributes
    ----------
    statistic : MMD^2, the largest gap between two distribution functions, or the total variation distance of class shares.
    p_value : the probability of a statistic at least this large if both sets are drawn alike, 0..1.
    compared : inputs of each set that were compared.
    """

    statistic: float
    p_value: float
    compared: tuple[int, int]


def features_alike(
    first: ArrayLike, second: ArrayLike, *, seed: int, sample: int = SAMPLE, shuffles: int = SHUFFLES
) -> TwoSamples:
    """The kernel two-sample test: squared maximum mean discrepancy, with a permutation test.

    Gretton, Borgwardt, Rasch, Schoelkopf and Smola, "A kernel two-sample test", JMLR 13 (2012), eq. 5 (the biased estimate,
    which is never below 0), with k(x, y) = exp(-gamma |x - y|^2), gamma by the median heuristic of section 8. Set
    membership is shuffled, so the p-value is exact for any kernel: (1 + shuffles at least as large) / (1 + shuffles)
    (Phipson and Smyth 2010).

    Parameters
    ----------
    first, second : (n, width) and (m, width) features of two sets; at most ``sample`` rows of each are drawn.

    Raises BadInput for sets of another width, with fewer than 2 rows, or with values that are not finite.
    """
    from scipy.spatial.distance import cdist  # loads scipy.optimize, too; the first screen needs neither

    a, b = (check_features(one).astype(np.float64, copy=False) for one in (first, second))
    if a.shape[1] != b.shape[1] or min(len(a), len(b)) < 2:
        raise BadInput(
            f"The features of the two sets have the shapes {a.shape} and {b.shape}. Expected the same width and 2 inputs each. "
            "Take the same layer of the same model for both."
        )
    rng = np.random.default_rng([seed, 0x2542])
    a, b = (one if len(one) <= sample else one[rng.choice(len(one), sample, replace=False)] for one in (a, b))
    both = np.concatenate([a, b])
    gamma = median_heuristic(both, seed=seed)
    kernel = np.exp(-gamma * cdist(both, both, "sqeuclidean"))  # (n + m, n + m)
    # MMD^2 = w' K w, w = 1 / n in the first set and -1 / m in the second
    weights = np.concatenate([np.full(len(a), 1 / len(a)), np.full(len(b), -1 / len(b))])
    found = float(weights @ kernel @ weights)
    shuffled = rng.permuted(np.tile(weights, (shuffles, 1)), axis=1)  # (shuffles, n + m)
    others = np.einsum("ij,ij->i", shuffled @ kernel, shuffled)
    as_large = int((others >= found - 1e-12).sum())
    return TwoSamples(max(found, 0.0), (1 + as_large) / (1 + shuffles), (len(a), len(b)))


def numbers_alike(first: ArrayLike, second: ArrayLike) -> TwoSamples:
    """The test of Kolmogorov and Smirnov (Hodges 1958) of one number of each input, such as its confidence."""
    from scipy.stats import ks_2samp  # loads scipy.optimize, too; the first screen needs neither

    a, b = (np.asarray(one, dtype=np.float64) for one in (first, second))
    if not (a.size and b.size and np.isfinite(a).all() and np.isfinite(b).all()):
        raise BadInput("A set is empty, or has a number that is not finite. Expected numbers. Correct the table.")
    found = ks_2samp(a, b)
    return TwoSamples(float(found.statistic), float(found.pvalue), (a.size, b.size))


def classes_alike(first: NDArray[np.intp], second: NDArray[np.intp]) -> TwoSamples:
    """The chi-squared test of homogeneity of two sets of classes (Pearson 1900); the statistic is the total variation
    distance, half the sum of the differences of shares: the share of one set whose class would have to change."""
    from scipy.stats import chi2_contingency  # loads scipy.optimize, too; the first screen needs neither

    if not (first.size and second.size):
        raise BadInput("A set is empty. Expected the classes of its inputs. Give both tables.")
    width = int(max(first.max(), second.max())) + 1
    counts = np.stack([np.bincount(one, minlength=width) for one in (first, second)])
    counts = counts[:, counts.any(axis=0)]
    shares = counts / counts.sum(axis=1, keepdims=True)
    p_value = 1.0 if counts.shape[1] == 1 else float(chi2_contingency(counts, correction=False).pvalue)
    return TwoSamples(float(np.abs(shares[0] - shares[1]).sum() / 2), p_value, (first.size, second.size))


@dataclass(frozen=True)
class Smaller:
    """Whether the errors of one technique are smaller than those of another.

    Attributes
    ----------
    p_value : of Wilcoxon's signed-rank test, one-sided; small where the first are smaller, pair by pair.
    a12 : Vargha and Delaney's effect size, the chance that one of the first is smaller than one of the second, ties half.
    gain : 1 - the first's root mean square over the second's; None where the second are all 0. Of pairs, 1 - the geometric mean
        of their ratios, so that each subject counts as one; None where an error is 0.
    gain_low, gain_high : its 95% interval; None where a side has fewer than 2 errors (of pairs 3), or none but 0.
    """

    p_value: float
    a12: float
    gain: float | None
    gain_low: float | None
    gain_high: float | None

    def words(self) -> str:
        """For a terminal."""
        gain = "no gain can be said" if self.gain is None else f"gain {100 * self.gain:.1f}%"
        ends = ""
        if self.gain_low is not None and self.gain_high is not None:
            ends = f" (95% interval {100 * self.gain_low:.1f} to {100 * self.gain_high:.1f})"
        return f"{gain}{ends}, one-sided p of Wilcoxon's test {self.p_value:.2g}, A12 {self.a12:.3f}"


def smaller_errors(first: ArrayLike, second: ArrayLike, *, paired: bool = False) -> Smaller:
    """Compare the sizes of two techniques' errors; a side of one error is paired with each of the other.

    Parameters
    ----------
    paired : whether two errors of one place belong together, as those on one subject do.

    Source: Wilcoxon (1945); Vargha and Delaney (2000); the interval by the delta method for the logarithm of a ratio of means,
    of pairs by Student's t for the mean of their logarithms.

    >>> found = smaller_errors([1, 2, 3, 4], [2, 4, -6, 8])
    >>> found.p_value, found.a12, found.gain
    (0.0625, 0.8125, 0.5)
    """
    from scipy.stats import rankdata, wilcoxon  # loads scipy.optimize, too; the first screen needs neither

    a, b = (np.abs(np.asarray(one, dtype=np.float64)) for one in (first, second))
    if not (a.size and b.size) or (a.size != b.size and 1 not in (a.size, b.size)):
        raise BadInput(
            f"There are {a.size} and {b.size} errors. Expected as many of each, or one of a technique that always chooses "
            "the same. Run both as often."
        )
    pairs = np.broadcast_arrays(a, b)
    alike = bool((pairs[0] == pairs[1]).all())
    p_value = 1.0 if alike else float(wilcoxon(*pairs, alternative="less").pvalue)
    ranks = rankdata(np.concatenate([a, b]))[a.size :]
    a12 = float((ranks.mean() - (b.size + 1) / 2) / a.size)
    return Smaller(p_value, a12, *(_gain_of_pairs(a, b) if paired else _gain(a, b)))


Gain = tuple[float | None, float | None, float | None]
"""A gain and the ends of its interval."""


def _gain(first: NDArray[np.float64], second: NDArray[np.float64]) -> Gain:
    squares = first**2, second**2
    if not squares[1].any():
        return None, None, None
    ratio = float(np.sqrt(squares[0].mean() / squares[1].mean()))
    if min(first.size, second.size) < 2 or not squares[0].any():
        return 1 - ratio, None, None
    relative = sum(one.var(ddof=1) / one.size / one.mean() ** 2 for one in squares)
    return _around(ratio, 1.96 * float(np.sqrt(relative)) / 2)


def _gain_of_pairs(first: NDArray[np.float64], second: NDArray[np.float64]) -> Gain:
    from scipy.stats import t  # loads scipy.optimize, too; the first screen needs neither

    if not (first.all() and second.all()):
        return None, None, None
    logarithms = np.log(first / second)
    ratio = float(np.exp(logarithms.mean()))
    if logarithms.size < 3:
        return 1 - ratio, None, None
    deviation = float(logarithms.std(ddof=1) / np.sqrt(logarithms.size))
    return _around(ratio, float(t.ppf(0.975, logarithms.size - 1)) * deviation)


def _around(ratio: float, half_width: float) -> Gain:
    """The gain of a ratio with the interval that is symmetric for its logarithm."""
    return 1 - ratio, 1 - ratio * float(np.exp(half_width)), 1 - ratio * float(np.exp(-half_width))
