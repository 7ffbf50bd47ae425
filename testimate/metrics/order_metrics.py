"""The metrics of a labeling order: of the whole order, and while only its first inputs are labeled.

APFD: how early, on average, an order of all inputs shows the faults, whatever the budget.

ATRC: the share found of what could have been found, averaged over the steps up to the budget.

FDRO: the share of the faults that the budget finds.

RAUC: the area under the curve of faults found, over that of the ideal order.

WFDR: faults found, each weighted by how hard it was to find a fault at that step.

SFDR: whether an order shows the severe faults first.

While only the first inputs are labeled, WFDR and SFDR rest on an estimate of the number of faults and their severity.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_scores
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.metrics.order import CheckedOrder, check_failed, checked_order
from testimate.metrics.severity import (
    LEVELS,
    SeverityCounts,
    SeverityShares,
    fdro_by_severity,
    judged_severity,
    level_counts,
    severity_counts,
    severity_level,
)


def apfd(failed: ArrayLike, *, size: int | None = None, faults: int | None = None) -> float:
    """Average percentage of faults detection, 0..1 (Al-Qadasi et al. 2023, eq. 1); the best order gives 1 - m / (2 N).

    Arguments and errors as in `checked_order`; there is no budget in it. It needs the place of every fault:
    NotEnoughLabels where the order ends before the last one.

    >>> apfd([1, 1, 0, 0])
    0.75
    """
    order = checked_order(failed, size=size, faults=faults)
    places = np.flatnonzero(order.failed) + 1  # TF_i, from 1 on
    if places.size < order.faults:
        raise NotEnoughLabels(
            f"The order shows {places.size} of {order.faults} faults; APFD needs the place of every fault. "
            "Give the whole order."
        )
    return float(1 - places.sum() / (order.faults * order.size) + 1 / (2 * order.size))  # eq. 1


def trc_curve(
    failed: ArrayLike, *, size: int | None = None, faults: int | None = None, budget: int | None = None
) -> NDArray[np.float64]:
    """Test relative coverage after each of the first m inputs, (m,), 0..1: found over min(i, faults).

    Arguments and errors as in `checked_order`.

    >>> trc_curve([1, 0, 1, 1], size=9, faults=4).round(2)
    array([1.  , 0.5 , 0.67, 0.75])
    """
    order = checked_order(failed, size=size, faults=faults, budget=budget)
    return order.found / order.ideal_found


def atrc(failed: ArrayLike, *, size: int | None = None, faults: int | None = None, budget: int | None = None) -> float:
    """Average test relative coverage, 0..1 (TestRank's; Al-Qadasi et al. 2023, eq. 3); the ideal gives 1.

    Arguments and errors as in `checked_order`.

    >>> round(atrc([1, 1, 1, 1, 1, 1, 0, 0, 0, 0], size=100, faults=10), 4)
    0.8874
    """
    return float(trc_curve(failed, size=size, faults=faults, budget=budget).mean())  # eq. 3


def fdro(failed: ArrayLike, *, size: int | None = None, faults: int | None = None, budget: int | None = None) -> float:
    """Faults detection ratio: faults among the first m over m, 0..1 (Al-Qadasi et al. 2023, section II-B).

    With a ``budget`` other than the number of faults, the divisor is the smaller of the two: what could have been found.
    Arguments and errors as in `checked_order`.

    >>> fdro([1, 0, 1, 1], size=50, faults=4)
    0.75
    """
    order = checked_order(failed, size=size, faults=faults, budget=budget)
    return float(order.found[-1] / order.steps)


@dataclass(frozen=True, eq=False)
class FoundCurve:
    """Faults found after each of the first m inputs: by the order judged and by the ideal one, both (m,)."""

    practical: NDArray[np.intp]
    ideal: NDArray[np.intp]


def found_curve(
    failed: ArrayLike, *, size: int | None = None, faults: int | None = None, budget: int | None = None
) -> FoundCurve:
    """The two curves whose areas RAUC compares (Al-Qadasi et al. 2023, figure 1); arguments as in `checked_order`.

    >>> found_curve([1, 0, 1], size=9, faults=3).practical
    array([1, 1, 2])
    """
    order = checked_order(failed, size=size, faults=faults, budget=budget)
    return FoundCurve(order.found, order.ideal_found)


def rauc(failed: ArrayLike, *, size: int | None = None, faults: int | None = None, budget: int | None = None) -> float:
    """Ratio of the area under the curve, 0..1 (Al-Qadasi et al. 2023, eq. 2); the ideal order gives 1.

    Arguments and errors as in `checked_order`.

    >>> round(rauc([1, 1, 1, 1, 1, 1, 0, 0, 0, 0], size=100, faults=10), 4)
    0.8182
    """
    curve = found_curve(failed, size=size, faults=faults, budget=budget)
    return float(curve.practical.sum() / curve.ideal.sum())  # eq. 2


@dataclass(frozen=True, eq=False)
class WfdrCurve:
    """WFDR step by step, each (m,): ``weights`` of the steps, 0..1, and both sums so far, ``actual`` and ``ideal``."""

    weights: NDArray[np.float64]
    actual: NDArray[np.float64]
    ideal: NDArray[np.float64]


def wfdr(failed: ArrayLike, *, size: int | None = None, faults: int | None = None, budget: int | None = None) -> float:
    """Weighted faults detection ratio, 0..1 (Al-Qadasi et al. 2023, eq. 4-6); the ideal order gives 1.

    In the paper m is both the budget and the number of faults. Here the weights take the number of faults, and both sums
    stop at ``budget``, or at the number of faults where that is smaller. Arguments and errors as in `checked_order`;
    NotEnoughLabels also where every input is a fault: then no order is better than another.

    >>> round(wfdr([1, 1, 1, 1, 1, 1, 0, 0, 0, 0], size=100, faults=10), 4)
    0.5873
    """
    curve = wfdr_curve(failed, size=size, faults=faults, budget=budget)
    return float(curve.actual[-1] / curve.ideal[-1])  # eq. 6


def wfdr_curve(
    failed: ArrayLike, *, size: int | None = None, faults: int | None = None, budget: int | None = None
) -> WfdrCurve:
    """The weights and running sums of WFDR, for a chart; its last ``actual`` over its last ``ideal`` is WFDR."""
    return curve_of(checked_order(failed, size=size, faults=faults, budget=budget))


def curve_of(order: CheckedOrder) -> WfdrCurve:
    """The curve of an order checked before; NotEnoughLabels where every input is a fault."""
    if order.faults == order.size:
        raise NotEnoughLabels(
            f"All {order.size} inputs are faults; WFDR needs at least 1 correct input, or every order is ideal. "
            "Look at FDRO instead."
        )
    left = order.size - np.arange(order.steps)  # n - (i - 1), (steps,)
    found = order.found[: order.steps]  # d_i
    found_before = np.concatenate([[0], found[:-1]])  # d_{i-1}
    weights = (left - (order.faults - found_before)) / left  # eq. 4: 1 - (m - d_{i-1}) / (n - (i - 1))
    actual = np.cumsum(order.failed[: order.steps] * weights)  # eq. 4
    ideal = np.cumsum((order.size - order.faults) / left)  # eq. 5
    return WfdrCurve(weights, actual, ideal)


def sfdr(
    failed: ArrayLike,
    probability: ArrayLike,
    *,
    size: int | None = None,
    faults: int | None = None,
    budget: int | None = None,
    all_faults: ArrayLike | None = None,
    gamma: float = 0.5,
) -> float:
    """Severe faults detection rate, 0..1 (Al-Qadasi et al. 2023, eq. 7); faults by falling level give 1.

    Parameters
    ----------
    failed, size, faults, budget : as in `checked_order`; the mean stops at the number of faults.
    probability : (n,) probability of the predicted class, in labeling order; that of correct inputs does not count.
    all_faults : (faults,) probabilities of all faults, in any order; needed where the order ends before the last fault.
    gamma : what a step at a correct input keeps of its value, above 0 and below 1; smaller punishes more.

    Raises
    ------
    NotEnoughLabels
        Where the severity of some faults is unknown, or there is none.
    BadInput
        Where a probability or gamma is out of range, or the arguments contradict each other.

    >>> round(sfdr([1] * 8, [0.90, 0.88, 0.81, 0.75, 0.70, 0.69, 0.62, 0.99], size=100, faults=8), 4)
    0.8009
    """
    curve = sfdr_curve(failed, probability, size=size, faults=faults, budget=budget, all_faults=all_faults, gamma=gamma)
    return float(curve.mean())  # eq. 7


def sfdr_curve(
    failed: ArrayLike,
    probability: ArrayLike,
    *,
    size: int | None = None,
    faults: int | None = None,
    budget: int | None = None,
    all_faults: ArrayLike | None = None,
    gamma: float = 0.5,
) -> NDArray[np.float64]:
    """y_1 ... y_m of the paper's table I, (m,), 0..1, whose mean is SFDR; arguments as in `sfdr`."""
    judged = judged_severity(failed, probability, size=size, faults=faults, budget=budget, all_faults=all_faults)
    return steps_of(judged.levels[: judged.order.steps], judged.level_counts_of_all(all_faults), gamma)


def steps_of(levels: NDArray[np.intp], fault_counts: NDArray[np.number], gamma: float) -> NDArray[np.float64]:
    """y_i for the first inputs of an order, (steps,): gamma if correct, times |A[0:i] with B[0:i]| / i.

    ``levels`` : (steps,) of B, the order judged, 0 where correct. ``fault_counts`` : (11,) of A, all faults by falling
    level. Expected numbers of faults, which need not be whole, do as well.
    """
    if not 0 < gamma < 1:
        raise BadInput(f"gamma is {gamma}. Expected a number above 0 and below 1. Use 0.5, as the paper does.")
    place = np.arange(1, levels.size + 1)[:, None]  # i, (steps, 1)
    counts = fault_counts[1:].astype(np.float64)  # (10,), of levels 1..10
    more_severe = counts[::-1].cumsum()[::-1] - counts  # faults of higher levels, which A lists before
    ideal = np.clip(place - more_severe, 0, counts)  # multiset A[0:i] as counts per level, (steps, 10)
    judged = np.cumsum(levels[:, None] == np.arange(1, LEVELS + 1), axis=0)  # the same of B[0:i], (steps, 10)
    shared = np.minimum(ideal, judged).sum(axis=1)  # x_i
    keep = np.where(levels == 0, gamma, 1.0)  # gamma ** f(x_i); here the paper's f is 1 for a correct input
    steps: NDArray[np.float64] = keep * shared / place[:, 0]  # eq. 7
    return steps


Metric = TypeVar("Metric")


@dataclass(frozen=True)
class OrderMetrics:
    """What the metrics say about one order; fractions, 0..1.

    Attributes
    ----------
    faults, size : in the whole set.
    fdro, rauc, atrc : over the first m inputs.
    apfd, sfdr : None where the order ends before the last fault.
    wfdr : None where every input is a fault.
    severity : the faults that the order shows, by band.
    fdro_by_severity : the share of the faults of each band within the first m; None where the order ends before the last
        fault.
    why : (metric, sentence) for every None.
    """

    faults: int
    size: int
    fdro: float
    apfd: float | None
    rauc: float
    atrc: float
    wfdr: float | None
    sfdr: float | None
    severity: SeverityCounts
    fdro_by_severity: SeverityShares | None = None
    why: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, every field by its name but ``why``."""
        record = asdict(self)
        del record["why"]
        return record


def order_metrics(
    failed: ArrayLike,
    probability: ArrayLike,
    *,
    size: int | None = None,
    faults: int | None = None,
    budget: int | None = None,
    gamma: float = 0.5,
) -> OrderMetrics:
    """FDRO, APFD, RAUC, ATRC, WFDR, SFDR and the severity of an order, all inputs or its first ones.

    Parameters
    ----------
    failed : (n,) of 1 / 0 or bool, in labeling order.
    probability : (n,) probability of the predicted class, 0..1.
    size, faults, budget : as in `checked_order`.
    gamma : as in `sfdr`.

    Raises
    ------
    BadInput, NotEnoughLabels
        As `checked_order` does. A metric that alone is undefined is None, and ``why`` says so.

    >>> metrics = order_metrics([1, 1, 0, 0], [0.9, 0.4, 0.8, 0.99])
    >>> metrics.wfdr, metrics.apfd, metrics.severity
    (1.0, 0.75, SeverityCounts(low=1, moderate=0, high=1))
    """
    order = checked_order(failed, size=size, faults=faults, budget=budget)
    failed, size, faults, budget = order.failed, order.size, order.faults, order.budget
    why: list[tuple[str, str]] = []

    def known(name: str, metric: Callable[[], Metric]) -> Metric | None:
        try:
            return metric()
        except NotEnoughLabels as error:
            why.append((name, str(error)))
            return None

    return OrderMetrics(
        faults=faults,
        size=size,
        fdro=fdro(failed, size=size, faults=faults, budget=budget),
        apfd=known("apfd", lambda: apfd(failed, size=size, faults=faults)),
        rauc=rauc(failed, size=size, faults=faults, budget=budget),
        atrc=atrc(failed, size=size, faults=faults, budget=budget),
        wfdr=known("wfdr", lambda: wfdr(failed, size=size, faults=faults, budget=budget)),
        sfdr=known("sfdr", lambda: sfdr(failed, probability, size=size, faults=faults, budget=budget, gamma=gamma)),
        severity=severity_counts(failed, probability),
        fdro_by_severity=known(
            "fdro_by_severity", lambda: fdro_by_severity(failed, probability, size=size, faults=faults, budget=budget)
        ),
        why=tuple(why),
    )


@dataclass(frozen=True)
class LiveMetrics:
    """Running metrics after k labels; fractions, 0..1.

    Attributes
    ----------
    labeled, size : k of N.
    found : faults among the labeled.
    faults : m, the faults the whole set is thought to have; at least ``found``.
    wfdr : None where every input is thought to be a fault.
    sfdr : running, like ``wfdr`` over the first min(k, m) labels.
    severity : the faults found, by band.
    estimated : True until everything is labeled, then False: the figures are the exact ones.
    """

    labeled: int
    size: int
    found: int
    faults: int
    wfdr: float | None
    sfdr: float
    severity: SeverityCounts
    estimated: bool

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, every field by its name."""
        return asdict(self)


def live_metrics(
    failed: ArrayLike,
    probability: ArrayLike,
    *,
    size: int,
    failure_rate: float,
    weights: ArrayLike | None = None,
    expected: ArrayLike | None = None,
    gamma: float = 0.5,
) -> LiveMetrics:
    """Running WFDR and SFDR of the labels given so far (for the definitions see `wfdr` and `sfdr`).

    m = max(faults found, N times the estimated failure rate, rounded), and never more than found + unlabeled; both sums
    stop at min(k, m). SFDR's ideal list also holds the faults not seen yet: m - found of them, over the levels as
    ``weights`` or ``expected`` say. Without those an order that finds the mild faults first would look perfect.

    Parameters
    ----------
    failed : (k,) of 1 / 0 or bool, in labeling order, only inputs that were settled.
    probability : (k,) probability of the predicted class, 0..1.
    size : N.
    failure_rate : estimated share of faults in the whole set, 0..1.
    weights : (k,) how many inputs of the whole set each labeled one stands for, itself included, 0 for one that stands for
        none: the design weights, where the labels are a random sample. None: all stand for equally many.
    expected : (11,) faults expected among the *unlabeled* per severity level 0..10 (place 0 is ignored), such as sums of a
        learned chance of failure; instead of ``weights``. Only the proportions count: the sum is m - found.
    gamma : as in `sfdr`.

    Raises
    ------
    NotEnoughLabels
        Where neither the labels nor the estimate show a fault.
    BadInput
        Where the arguments contradict each other or are out of range.
    """
    outcomes = check_failed(failed)
    k, found = outcomes.size, int(outcomes.sum())
    if k > size:
        raise BadInput(f"There are {k} labels and {size} inputs; the size counts all inputs. Raise it.")
    if not 0 <= failure_rate <= 1:
        raise BadInput(f"The failure rate is {failure_rate}. Expected a share from 0 to 1. Give 1 - accuracy.")
    faults = min(max(found, int(np.floor(size * failure_rate + 0.5))), found + size - k)
    if faults == 0:
        raise NotEnoughLabels(
            f"No fault is known after {k} labels; WFDR and SFDR need at least 1, found or expected. Label more."
        )
    levels = severity_level(probability, outcomes)  # (k,)
    unseen = _unseen_levels(levels, faults - found, weights, expected)
    order = CheckedOrder(outcomes, size, faults, budget=min(k, faults))
    steps = steps_of(levels[: order.steps], level_counts(levels) + unseen, gamma)
    running = None
    if faults < size:
        curve = curve_of(order)
        running = float(curve.actual[-1] / curve.ideal[-1])
    return LiveMetrics(
        labeled=k,
        size=size,
        found=found,
        faults=faults,
        wfdr=running,
        sfdr=float(steps.mean()),
        severity=severity_counts(outcomes, probability),
        estimated=k < size,
    )


def _unseen_levels(
    levels: NDArray[np.intp], count: int, weights: ArrayLike | None, expected: ArrayLike | None
) -> NDArray[np.float64]:
    """The ``count`` faults not seen yet, spread over the severity levels, (11,); they need not be whole numbers."""
    if weights is not None and expected is not None:
        raise BadInput("Both weights and expected faults were given. Expected one of them. Leave one out.")
    seen: NDArray[np.float64] = level_counts(levels).astype(np.float64)
    share = seen
    if weights is not None:
        stands_for = _not_negative(weights, "weights", levels.size)
        others = np.maximum(stands_for - 1, 0) * (levels > 0)  # unlabeled faults like this one
        share = np.bincount(levels, weights=others, minlength=LEVELS + 1).astype(np.float64)
    if expected is not None:
        share = _not_negative(expected, "expected faults per level", LEVELS + 1).copy()
        share[0] = 0
    if share.sum() == 0:
        share = seen  # nothing is known of the others: they are thought to be like those found
    if share.sum() == 0:
        return share  # no fault found either: SFDR is 0 whatever the levels of the others
    spread: NDArray[np.float64] = share * (count / share.sum())
    return spread


def _not_negative(values: ArrayLike, name: str, length: int) -> NDArray[np.float64]:
    array = check_scores(values, name)
    if array.size != length or (array < 0).any():
        raise BadInput(
            f"The {name} are {array.size} numbers from {array.min(initial=0)} on. "
            f"Expected {length}, none below 0. Correct them."
        )
    return array
