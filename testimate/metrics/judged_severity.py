"""The severity of the faults that a labeling order shows, and of all faults of the set."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.metrics.order import CheckedOrder, checked_order
from testimate.metrics.severity import LEVELS, check_probability, severity_level


@dataclass(frozen=True, eq=False)
class JudgedSeverity:
    """A labeling order with the severity level of each input, (n,), 0 where it is correct."""

    order: CheckedOrder
    levels: NDArray[np.intp]

    def level_counts_of_all(self, all_faults: ArrayLike | None) -> NDArray[np.intp]:
        """Faults of the whole set per severity level, (11,); ``all_faults`` and errors as in `sfdr`."""
        shown = level_counts(self.levels)
        if all_faults is None:
            if shown.sum() < self.order.faults:
                raise NotEnoughLabels(
                    f"The order shows {shown.sum()} of {self.order.faults} faults; expected the severity of all of them. "
                    "Give the whole order or the probabilities of all faults."
                )
            return shown
        known = level_counts(severity_level(check_probability(all_faults)))
        if known.sum() != self.order.faults or (known < shown).any():
            raise BadInput(
                f"The probabilities given for all faults are {known.sum():.0f} and do not hold the {shown.sum()} faults of "
                f"the order among {self.order.faults}; expected one per fault. Correct them."
            )
        return known


def judged_severity(
    failed: ArrayLike,
    probability: ArrayLike,
    *,
    size: int | None,
    faults: int | None,
    budget: int | None,
    all_faults: ArrayLike | None,
) -> JudgedSeverity:
    """The order, checked, with its severity levels; arguments and errors as in `sfdr`."""
    if all_faults is not None and faults is None:
        faults = int(np.size(all_faults))
    order = checked_order(failed, size=size, faults=faults, budget=budget)
    return JudgedSeverity(order, severity_level(probability, order.failed))


def level_counts(levels: NDArray[np.intp]) -> NDArray[np.intp]:
    """Faults per severity level, (11,): place 0 stays empty, correct inputs count nowhere."""
    counts = np.bincount(levels, minlength=LEVELS + 1)
    counts[0] = 0
    return counts
