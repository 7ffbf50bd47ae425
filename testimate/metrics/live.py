"""WFDR and SFDR while only the first inputs are labeled: the number of faults and their severity are estimated."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_scores
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.metrics.order import CheckedOrder, check_failed
from testimate.metrics.order_metrics import curve_of, steps_of
from testimate.metrics.severity import LEVELS, SeverityCounts, level_counts, severity_counts, severity_level


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
        raise BadInput(f"The failure rate is {failure_rate}; expected a share from 0 to 1. Give 1 - accuracy.")
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
        raise BadInput("Both weights and expected faults were given; expected one of them. Leave one out.")
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
            f"The {name} are {array.size} numbers from {array.min(initial=0)} on; "
            f"expected {length}, none below 0. Correct them."
        )
    return array
