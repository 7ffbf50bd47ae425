"""The rungs of a ladder of confidences, and how far labels climb it: from the surest tenth of the inputs toward all.

Angelopoulos and others 2021, "Learn then test", section 3: tests in an order that is fixed before any label may each have the
whole risk, because the first one that fails is the last.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from testimate.core.errors import BadInput

Floats = NDArray[np.float64]

RIGHT = "right"
"""The option of a ladder's request: the share that is to be right."""

USUAL = 0.95
"""That share, where nobody says another."""

RUNGS = 10
"""Of which each has a tenth of the inputs more than the one before."""

RISK, LOOKS = 0.05, 3
"""Of a ladder: the chance that it certifies too much, and how often it looks at a rung, with a third of the risk each time."""


@dataclass(frozen=True, eq=False)
class Rungs:
    """The inputs that are sure enough, from few to all; equal confidences stay together.

    Attributes
    ----------
    least : (K,) the lowest confidence of each rung, falling.
    sizes : (K,) inputs that are at least so sure, rising to N.
    ring : (N,) the first rung that each input is in.
    """

    least: Floats
    sizes: NDArray[np.intp]
    ring: NDArray[np.intp]

    @property
    def rings(self) -> tuple[int, ...]:
        """Inputs of each rung that the one before does not have."""
        return tuple(np.diff(self.sizes, prepend=0).tolist())


def rungs_of(confidence: Floats) -> Rungs:
    """Return the rungs of inputs with these confidences, (N,).

    >>> rungs_of(np.array([0.9, 0.5, 0.9, 0.7])).sizes.tolist()
    [2, 3, 4]
    """
    rising = np.sort(confidence)
    ends = [rising[len(rising) - ceil(len(rising) * tenth / RUNGS)] for tenth in range(1, RUNGS + 1)]
    least = np.unique(ends)[::-1]
    sizes = len(rising) - np.searchsorted(rising, least, side="left")
    ring = np.searchsorted(-least, -confidence, side="left")
    return Rungs(least, sizes.astype(np.intp), ring.astype(np.intp))


def check_share(share: float) -> float:
    """Return the share; BadInput unless it is at least one half and below 1.

    From one half on the exact binomial bound holds for labels of several rings, too (Hoeffding 1956, theorem 4).
    """
    if not 0.5 <= share < 1:
        raise BadInput(
            f"The share that is to be right is {share:g}. Expected at least one half and less than 1. Give 0.95 for 95%."
        )
    return float(share)


def faultless_labels(share: float, risk: float = RISK) -> int:
    """Return how many labels without a fault it takes to show that at least this share is right.

    >>> faultless_labels(0.95), faultless_labels(0.99), faultless_labels(0.95, RISK / LOOKS)
    (59, 299, 80)
    """
    return ceil(log(risk) / log(check_share(share)))


Ended = Literal["", "all", "failed", "budget"]
"""Why a ladder ended: all rungs are certified, the last look failed, or the next one takes more labels than are planned."""


@dataclass(frozen=True)
class Climb:
    """How far a ladder came.

    Attributes
    ----------
    certified : rungs. labels, wrong : of each ring of the last one, and how many of all are wrong.
    wanted : labels that each ring is to have for the next look; () once it ended.
    """

    certified: int = 0
    labels: tuple[int, ...] = ()
    wrong: int = 0
    wanted: tuple[int, ...] = ()
    ended: Ended = ""


def evenness(rings: Sequence[int], labels: Sequence[int]) -> float:
    """Return the labels that as large a share of each ring as of the first would be, over those there are, at most 1."""
    return labels[0] * sum(rings[: len(labels)]) / (rings[0] * sum(labels))


@dataclass(frozen=True)
class Ladder:
    """A sequence of looks that is known before any label.

    The first look at the first rung has as many labels as are needed without a fault; the others up to two and four times as
    many, as far as the labels planned allow. A rung that is certified is widened by a ring, of which as large a share is
    labeled. One that is not is looked at again with more labels, at most ``LOOKS`` times.

    Attributes
    ----------
    share : that is to be right. rings : inputs of each.
    budget : labels in all. aimed_at : labels by which the looks are laid out, known before the first of them.
    """

    share: float
    rings: tuple[int, ...]
    budget: int
    aimed_at: int

    @property
    def looks(self) -> tuple[int, ...]:
        """Labels in the first rung at each look."""
        first = faultless_labels(self.share, RISK / LOOKS)
        wider = min(2.0, sqrt(max(self.aimed_at / first, 1.0)))
        return tuple(floor(first * wider**look + 1e-9) for look in range(LOOKS))

    def labels(self, rung: int, look: int) -> tuple[int, ...]:
        """Labels of each ring of a rung at a look; an equal share of each, rounded up."""
        first, inner = min(self.looks[look], self.rings[0]), self.rings[0]
        return tuple(-(-first * size // inner) for size in self.rings[: rung + 1])

    def certifies(self, wrong: int, labels: tuple[int, ...]) -> bool:
        """Return whether a rung with these labels is right often enough, by the exact binomial test.

        The number of faults in labels of several rings varies less than a binomial one with the same mean (Hoeffding 1956);
        that mean may be smaller by what the rings' labels were rounded up.
        """
        inputs, known, most = sum(self.rings[: len(labels)]), sum(labels), 1 - self.share
        if known == inputs:
            return wrong <= most * inputs + 1e-9
        return bool(bdtr(wrong, known, most * evenness(self.rings, labels)) <= RISK / LOOKS)

    def climb(self, wrong: Sequence[Sequence[bool]]) -> Climb:
        """Return how far it comes by the labels of each ring, in random order, as far as they are known."""
        found, look = Climb(), 0
        for rung in range(len(self.rings)):
            while True:
                labels = self.labels(rung, look)
                if sum(labels) > self.budget:
                    return replace(found, ended="budget")
                if len(wrong) < len(labels) or any(len(one) < count for one, count in zip(wrong, labels, strict=False)):
                    return replace(found, wanted=labels)
                faults = sum(sum(one[:count]) for one, count in zip(wrong, labels, strict=False))
                if self.certifies(faults, labels):
                    found = Climb(rung + 1, labels, faults)
                    break
                look += 1
                if look == LOOKS:
                    return replace(found, ended="failed")
        return replace(found, ended="all")
