"""A labeling order as the metrics judge it: checked once, the same way for all of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import is_whole
from testimate.core.errors import BadInput, NotEnoughLabels


@dataclass(frozen=True, eq=False)
class CheckedOrder:
    """The first n inputs of a labeling order of N, with what is known of the rest.

    Attributes
    ----------
    failed : (n,) bool, in labeling order; True where the input is a fault (misclassified).
    size : N, inputs in the whole set, at least n.
    faults : faults in the whole set, 1..N.
    budget : labels that may be given, 1..n; the papers' m, where budget and faults are one number.
    """

    failed: NDArray[np.bool_]
    size: int
    faults: int
    budget: int

    @property
    def found(self) -> NDArray[np.intp]:
        """d_1 ... d_budget: faults among the first i inputs, (budget,)."""
        return np.cumsum(self.failed[: self.budget], dtype=np.intp)

    @property
    def ideal_found(self) -> NDArray[np.intp]:
        """Faults the ideal order has found after i inputs, min(i, faults), (budget,)."""
        return np.minimum(np.arange(1, self.budget + 1, dtype=np.intp), self.faults)

    @property
    def steps(self) -> int:
        """Where the sums of WFDR and SFDR stop: min(budget, faults); the ideal order has only faults until there."""
        return min(self.budget, self.faults)


def checked_order(
    failed: ArrayLike, *, size: int | None = None, faults: int | None = None, budget: int | None = None
) -> CheckedOrder:
    """The order, checked.

    Parameters
    ----------
    failed : (n,) of 1 / 0 or bool, in labeling order: all inputs, or the first ones.
    size : N; None means that the order holds all inputs.
    faults : faults in the whole set; None counts them, which needs the whole order.
    budget : labels that may be given; None means as many as there are faults, as the papers have it.

    Raises
    ------
    BadInput
        Where the numbers contradict each other or the order is shorter than the budget.
    NotEnoughLabels
        Where there is no fault: every metric divides by their number.
    """
    outcomes = check_failed(failed)
    n = outcomes.size
    whole = n if size is None else _whole_number(size, "size")
    if whole < n:
        raise BadInput(f"The order has {n} inputs and the size is {whole}; the size counts all inputs. Raise it.")
    total = _fault_count(outcomes, whole, faults)
    steps = total if budget is None else _whole_number(budget, "budget")
    if not 1 <= steps <= whole:
        raise BadInput(
            f"The budget is {steps}. Expected a number between 1 and the number of inputs, {whole}. Change it."
        )
    if n < steps:
        raise BadInput(
            f"The order has only its first {n} inputs; the metrics look at {steps}. Give the first {steps} or a budget "
            f"of at most {n}."
        )
    return CheckedOrder(outcomes, whole, total, steps)


def check_failed(failed: ArrayLike) -> NDArray[np.bool_]:
    """The outcomes as a (n,) bool array; BadInput where they are not 1 / 0, or where there are none."""
    array: NDArray[Any] = np.asarray(failed)
    if array.ndim != 1 or array.size == 0:
        raise BadInput(
            f"The outcomes have shape {array.shape}. Expected one per input in labeling order, (n,). Pass one column."
        )
    if array.dtype != np.bool_:
        values = array.tolist()
        bad = next((position for position, value in enumerate(values) if value not in (0, 1)), None)
        if bad is not None:
            raise BadInput(
                f"failed[{bad}] is {values[bad]!r:.60}. Expected 1 for a fault and 0 for a correct input. "
                "Leave out inputs nobody could tell."
            )
    return array.astype(np.bool_)


def _fault_count(failed: NDArray[np.bool_], size: int, faults: int | None) -> int:
    """The number of faults in the whole set, checked against those in the order."""
    n, found = failed.size, int(failed.sum())
    if faults is None:
        if n < size:
            raise BadInput(
                f"The order has the first {n} of {size} inputs, so the faults cannot be counted. Expected their "
                "number. Give it, or the whole order."
            )
        faults = found
    faults = _whole_number(faults, "number of faults")
    if faults == 0 and found == 0:
        raise NotEnoughLabels(
            f"There is no fault among the {size} inputs; the metrics compare orders of faults and need at least 1. "
            "Nothing is left to prioritize."
        )
    if not found <= faults <= found + size - n:
        raise BadInput(
            f"{faults} faults were given; the order shows {found} and leaves room for {size - n} more. "
            "Correct the number of faults or the size."
        )
    return faults


def _whole_number(value: int, name: str) -> int:
    if not is_whole(value):
        raise BadInput(f"The {name} is {value!r:.60}. Expected a whole number. Change it.")
    return int(value)
