"""What each label of a design stands for, and the variance of a total that is weighted so."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, PerDraw, Rounds, SimpleRandom, Stratified
from testimate.core.draw import Verdict
from testimate.core.errors import NotEnoughLabels, WrongDesign
from testimate.estimators.adaptive_rounds import inputs_spoken_for, standing_sample
from testimate.estimators.round_sample import RoundSample, round_sample_of
from testimate.estimators.sample import need_labels, need_probabilities, sample_of

WEIGHED = (SimpleRandom, Stratified, PerDraw, Rounds)
"""The designs whose labels have weights that do not depend on what was found."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DrawWeights(ABC):
    """n labels with their weights.

    Attributes
    ----------
    positions : (n,) places of these labels among the verdicts; what was skipped, or is not counted yet, is not there.
    weights : (n,) w, so that sum w y estimates the total of y over all inputs but for a factor common to all.
    left : (n,) 1 - sampling fraction where each was drawn; 1 with replacement.
    """

    positions: NDArray[np.intp]
    weights: Numbers
    left: Numbers

    @abstractmethod
    def variance(self, parts: Numbers) -> Numbers:
        """Of sum w u for each column u of ``parts`` (n, K), whose weighted sum is 0; (K,)."""


@dataclass(frozen=True, eq=False)
class StrataWeights(DrawWeights):
    """Labels of simple random samples inside ``strata`` (n,), or of independent draws, which are one stratum."""

    strata: NDArray[np.intp]

    def variance(self, parts: Numbers) -> Numbers:
        """Sum of (1 - f_h) n_h S_h^2 of w u; one label alone in its stratum is set against 0.

        Sarndal, Swensson and Wretman 1992, eq. 5.8.6 with the linearised u of eq. 5.5.9, as R's survey computes it.
        """
        order = np.argsort(self.strata, kind="stable")
        starts = np.flatnonzero(np.r_[True, np.diff(self.strata[order]) != 0])
        counts = np.diff(np.r_[starts, len(order)])[:, None].astype(np.float64)  # (strata met, 1)
        terms = (self.weights[:, None] * parts)[order]  # (n, K)
        squares = np.add.reduceat(terms**2, starts) - np.add.reduceat(terms, starts) ** 2 / counts * (counts > 1)
        factors = self.left[order][starts][:, None] * counts / np.maximum(counts - 1, 1)
        found: Numbers = np.maximum((factors * squares).sum(axis=0), 0)
        return found


@dataclass(frozen=True, eq=False)
class RoundsWeights(DrawWeights):
    """Labels of adaptive rounds; ``sample`` holds all draws that count, with those nobody could settle."""

    sample: RoundSample

    def variance(self, parts: Numbers) -> Numbers:
        """Sum of shares^2 X(u)^2 n / (n - 1) over the random draws, X the terms that the draws would have with losses u.

        Given the past X averages to the same total in every round, so terms of different rounds are not correlated.
        """
        of, size = self.sample, self.sample.size
        full = np.zeros((len(of.losses), parts.shape[1]))
        full[self.positions] = parts
        starts = of.drawn_before
        totals = np.add.reduceat(full, starts)  # (T, K)
        bases = np.cumsum(totals, axis=0) - totals
        random = of.random
        own = full[random] * (of.zones[of.rounds] / of.probabilities)[random, None]
        terms = (bases[of.rounds[random]] + own) / size
        count = int(random.sum())
        found: Numbers = (of.shares[random, None] ** 2 * terms**2).sum(axis=0) * count / max(count - 1, 1)
        return found


def draw_weights(design: Design, verdicts: Sequence[Verdict], loss_bound: float | None = 1.0) -> DrawWeights:
    """The labels among the verdicts, in drawing order, with their weights.

    N_h / n_h in strata, 1 / p of draws with replacement, and in rounds what the estimate counts for each. An input that
    nobody could settle stands for none.

    Raises
    ------
    WrongDesign : another design than those in ``WEIGHED``.
    NotEnoughLabels : none is settled, a stratum has no label, or the first round is not whole.
    """
    if isinstance(design, Rounds):
        sample = round_sample_of(design, verdicts, loss_bound)
        need_labels(sample)
        standing, _ = standing_sample(sample, verdicts)
        positions = np.flatnonzero(sample.settled[: len(standing.losses)])
        left = np.full(len(positions), max(1 - len(positions) / design.size, 0.0))
        return RoundsWeights(positions, inputs_spoken_for(standing)[positions] / design.size, left, standing)
    if not isinstance(design, SimpleRandom | Stratified | PerDraw):
        raise WrongDesign(
            f"The labels of a {design.kind or type(design).__name__} design have no weights that hold for parts of the set; "
            f"there are some for these designs: {', '.join(one.kind for one in WEIGHED)}. Count the labels, or select with a "
            "technique of one of these."
        )
    drawn = sample_of(design, verdicts, loss_bound)
    need_labels(drawn)
    positions = np.flatnonzero(drawn.settled)
    settled = drawn.only_settled()
    if isinstance(design, PerDraw):
        need_probabilities(settled, "weight of a draw")
        return StrataWeights(
            positions,
            1 / (settled.probabilities * design.size),
            np.ones(len(positions)),
            np.zeros(len(positions), dtype=np.intp),
        )
    sizes = np.asarray(design.stratum_sizes, dtype=np.float64)
    counts = np.bincount(settled.strata, minlength=len(sizes))
    if not counts.all():
        raise NotEnoughLabels(
            f"{int((counts == 0).sum())} of the {len(sizes)} strata have no settled label yet; each needs one before a part of "
            "the set can be judged. Label more."
        )
    fractions = np.zeros(len(sizes)) if design.replacement else counts / sizes
    return StrataWeights(
        positions, (sizes / counts / design.size)[settled.strata], (1 - fractions)[settled.strata], settled.strata
    )
