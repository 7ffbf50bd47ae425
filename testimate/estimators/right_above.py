"""Say above which confidence at least a given share of the inputs is right, by a ladder's labels or by those of any plan.

The order of the tests is that of ``structure.confidence_ladder``. One-sided bounds: Clopper and Pearson 1934; of unequal
chances Korn and Graubard 1998.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import check_level
from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.core.words import commas, counted, decimal_ends, percent
from testimate.estimators.intervals import clopper_pearson, korn_graubard_ends
from testimate.estimators.weights import WEIGHED, draw_weights, effective_labels, ratios
from testimate.structure.confidence_ladder import (
    LOOKS,
    RISK,
    Climb,
    Ladder,
    evenness,
    faultless_labels,
    rungs_of,
)

Floats = NDArray[np.float64]

LEAST_LEVEL = 0.01
"""Of both ends together, where the level of one end is one half or less."""


@dataclass(frozen=True, repr=False)
class RightAbove:
    """What is certified: of the ``inputs`` with a confidence of ``least`` or more at least ``share`` is right.

    It prints as a sentence.

    >>> RightAbove(0.95, 1000, 0.83, 300, 80, 0, 0.95)
    Above confidence 0.8300, at least 95.0% of the inputs are right: 300 of 1,000 inputs (30.0%).

    Attributes
    ----------
    share : that was asked for. size : N.
    least : None if nothing is certified.
    labeled, wrong : labels there, and how many of them are wrong.
    low : of the share that is right there, with the risk of the whole procedure.
    why : what is missing, or why it goes no further, in sentences; "" if all is certified.
    wanted : labels in all that the next look of a ladder takes; 0 once it ended.
    """

    share: float
    size: int
    least: float | None = None
    inputs: int = 0
    labeled: int = 0
    wrong: int = 0
    low: float | None = None
    why: str = ""
    wanted: int = 0

    def __repr__(self) -> str:
        return f"{self.words}. {self.why}".rstrip()

    @property
    def words(self) -> str:
        """What is certified, without what is missing and without a full stop."""
        share = percent(self.share)
        if self.least is None:
            return f"The labels show no confidence above which at least {share} of the inputs are right"
        many = f"{commas(self.inputs)} of {counted(self.size, 'input')} ({percent(self.inputs / self.size)})"
        return f"Above confidence {decimal_ends(0, self.least)[1]}, at least {share} of the inputs are right: {many}"


def of_ladder(ladder: Ladder, verdicts: Sequence[Verdict], confidence: Floats) -> RightAbove:
    """Return what the labels of a ladder certify; an answer that nobody could give counts as wrong.

    ``verdicts`` : in drawing order; the stratum of a draw is its ring. ``confidence`` : (N,), by which the rings were made.
    """
    wrong: list[list[bool]] = [[] for _ in ladder.rings]
    for one in verdicts:
        wrong[one.draw.stratum].append(one.loss is None or one.loss > 0)
    found, size = ladder.climb(wrong), sum(ladder.rings)
    why = _why_it_ended(ladder, found)
    wanted = sum(found.wanted)
    if not found.certified:
        return RightAbove(ladder.share, size, why=why, wanted=wanted)
    inputs = sum(ladder.rings[: found.certified])
    least = float(np.partition(confidence, size - inputs)[size - inputs])
    low = _low(ladder.rings, found.labels, found.wrong)
    return RightAbove(ladder.share, size, least, inputs, sum(found.labels), found.wrong, low, why, wanted)


def _low(rings: Sequence[int], labels: tuple[int, ...], wrong: int) -> float:
    """Return the least share that is right by these labels: the bound that belongs to ``Ladder.certifies``."""
    inputs, known = sum(rings[: len(labels)]), sum(labels)
    if known == inputs:
        return 1 - wrong / inputs
    return 1 - clopper_pearson(wrong, known, 1 - 2 * RISK / LOOKS).high / evenness(rings, labels)


def _why_it_ended(ladder: Ladder, found: Climb) -> str:
    """Return why a ladder goes no further, or what it waits for, in a sentence."""
    if found.ended == "all":
        return ""
    if found.ended == "failed":
        return f"The next {commas(ladder.rings[found.certified])} inputs failed too often for more."
    if found.ended == "budget":
        return f"The next look takes more than the {counted(ladder.budget, 'label')} planned."
    return f"The next look takes {counted(sum(found.wanted), 'label')} in all."


def right_above(
    design: Design, verdicts: Sequence[Verdict], confidence: Floats, share: float, *, level: float = 0.95
) -> RightAbove:
    """Return what labels certify that were drawn for another purpose; losses are 0 or 1.

    Rungs in which even faultless labels would be too few are passed over: how many there are does not depend on what they
    show. Bounds are Clopper and Pearson's, of unequal chances Korn and Graubard's. An answer that nobody could give counts as
    wrong.

    Parameters
    ----------
    confidence : (N,) chance that each input is right, 0..1.
    level : chance with which it does not certify too much.
    """
    needed, size = faultless_labels(share, 1 - check_level(level)), len(confidence)
    lacking = f"It takes at least {commas(needed)} labels without a fault."
    if not isinstance(design, WEIGHED):
        return RightAbove(share, size, why=f"A {design.kind} design has no honest bound for a part of the set.")
    settled = [one if one.loss is not None else replace(one, loss=1.0) for one in verdicts]
    try:
        weights = draw_weights(design, settled)
    except NotEnoughLabels as error:
        return RightAbove(share, size, why=f"{error} {lacking}")
    places = weights.positions.tolist()
    wrong = np.array([settled[place].loss for place in places], dtype=np.float64) > 0
    rungs, rows = rungs_of(confidence), np.array([settled[place].draw.row for place in places], dtype=np.intp)
    inside = rungs.ring[rows][:, None] <= np.arange(len(rungs.least))
    found = ratios(weights, (inside & wrong[:, None]).astype(np.float64), inside.astype(np.float64))
    labels, rates = found.labels, np.nan_to_num(found.values)
    census = np.cumsum(np.bincount(rungs.ring[np.unique(rows)], minlength=len(rungs.least))) == rungs.sizes
    effective = np.where(census, np.inf, np.minimum(effective_labels(found, rates, level), labels))
    high = np.asarray(korn_graubard_ends(rates, effective, max(2 * level - 1, LEAST_LEVEL)).high)
    worth = np.where(found.squares > 0, 1 / np.where(found.squares > 0, found.squares, 1.0), np.inf)  # of rows alone
    begun = np.flatnonzero(census | (np.minimum(worth, labels) >= needed))
    if not begun.size:
        return RightAbove(share, size, why=lacking)
    held = 1 - high[begun[0] :] >= share
    certified = int(begun[0]) + int(np.argmin(np.append(held, False))) - 1
    if certified < begun[0]:
        return RightAbove(share, size, why=f"{lacking} The surest inputs that have as many failed too often.")
    more = "" if certified == len(high) - 1 else "Less sure inputs failed too often for more."
    return RightAbove(
        share,
        size,
        float(rungs.least[certified]),
        int(rungs.sizes[certified]),
        int(labels[certified]),
        int(wrong[inside[:, certified]].sum()),
        float(1 - high[certified]),
        more,
    )
