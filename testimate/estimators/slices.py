"""The accuracy of parts of the set whose members are known before any label: a predicted class, a column's value."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.estimators.draw_weights import WEIGHED, draw_weights
from testimate.estimators.grades import is_graded
from testimate.estimators.ratios import FEWEST, PartEstimate, mean_ends, part_estimates, ratios, share_ends


def spread_of_slices(
    design: Design, verdicts: Sequence[Verdict], groups: NDArray[np.intp], count: int
) -> NDArray[np.float64]:
    """The variance that an outcome of variance 1 would give the estimate of each slice, (count,), inf where it has no label.

    It follows from the draws alone: no loss is used. Arguments as of ``slice_estimates``.
    """
    if not isinstance(design, WEIGHED):
        return np.full(count, np.inf)
    try:
        weights = draw_weights(design, verdicts, None)
    except NotEnoughLabels:
        return np.full(count, np.inf)
    of_labels = groups[[verdicts[place].draw.row for place in weights.positions.tolist()]]
    inside = of_labels >= 0
    places, each = of_labels[inside], weights.weights[inside]
    totals = np.bincount(places, each, count)
    squares = np.bincount(places, weights.left[inside] * each**2, count)
    unknown: NDArray[np.float64] = np.full(count, np.inf)
    return np.asarray(np.divide(squares, totals**2, out=unknown, where=totals > 0), dtype=np.float64)


def slice_estimates(
    design: Design,
    verdicts: Sequence[Verdict],
    groups: NDArray[np.intp],
    count: int,
    *,
    level: float = 0.95,
    simultaneous: bool = False,
    loss_bound: float | None = 1.0,
) -> tuple[PartEstimate, ...]:
    """The accuracy, 1 - mean loss, of each of ``count`` groups: the ratio (Hajek) estimate of a domain.

    Sarndal, Swensson and Wretman 1992, section 10.3: sum over the group's labels of w (1 - z) over sum of w. For pass or
    fail the interval is that of ``share_ends``, else Student's. A group all of whose inputs are labeled is known.

    Parameters
    ----------
    groups : (N,) the group of each input, 0..count - 1, or -1 where it is in none; chosen without looking at the labels.
    simultaneous : whether all intervals hold together with chance ``level``.

    Returns
    -------
    One for each group. Below ``FEWEST`` labels, and for a design without weights, it holds the count alone.

    Raises
    ------
    BadInput : groups that are not one for each input, or out of range.

    >>> from testimate.core.design import SimpleRandom
    >>> from testimate.core.draw import Draw
    >>> labels = [Verdict(Draw(row), float(row % 5 == 0)) for row in range(20)]
    >>> night = np.where(np.arange(100) < 10, 0, 1)
    >>> one, other = slice_estimates(SimpleRandom((100,), 20), labels, night, 2)
    >>> one.value, one.low, round(other.low, 3), round(other.value, 3)
    (0.8, 0.8, 0.518, 0.8)
    """
    if groups.shape != (design.size,) or (groups.size and not -1 <= groups.min() <= groups.max() < count):
        raise BadInput(
            f"The groups have shape {groups.shape}; expected one for each of the {design.size} inputs, from 0 to "
            f"{count - 1}, or -1. Name a column of the plan's table."
        )
    settled = np.array([one.loss is not None for one in verdicts], dtype=bool)
    rows = np.array([one.draw.row for one in verdicts], dtype=np.intp)
    counts = np.bincount(groups[rows[settled]] + 1, minlength=count + 1)[1:]
    if not isinstance(design, WEIGHED):
        why = f"a {design.kind} design has no honest interval for parts of the set"
        return tuple(PartEstimate(labels, why=why) for labels in counts.tolist())
    try:
        weights = draw_weights(design, verdicts, loss_bound)
    except NotEnoughLabels as error:
        return tuple(PartEstimate(labels, why=str(error)) for labels in counts.tolist())
    losses = np.array([verdicts[place].loss for place in weights.positions.tolist()], dtype=np.float64)
    of_labels = groups[rows[weights.positions]]
    inside = (of_labels[:, None] == np.arange(count)).astype(np.float64)  # (n, count)
    ends_of = share_ends if is_graded(losses, loss_bound) else mean_ends
    found = ratios(weights, inside * (1 - losses)[:, None], inside)
    estimates = list(part_estimates(found, level=level, simultaneous=simultaneous, ends_of=ends_of))
    sizes = np.bincount(groups + 1, minlength=count + 1)[1:]
    known = (found.labels == sizes) & (sizes >= FEWEST) & (not design.replacement)
    for group in np.flatnonzero(known).tolist():
        mean = float(1 - losses[of_labels == group].mean())
        estimates[group] = PartEstimate(int(sizes[group]), mean, 0.0, mean, mean)
    return tuple(estimates)
