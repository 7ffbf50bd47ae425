"""The verdicts of adaptive rounds as arrays: each draw with its round, and what was predicted at the round's start."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Rounds
from testimate.core.draw import RoundDraw, Verdict
from testimate.core.errors import BadInput
from testimate.estimators.sample import Sample, sample_of


@dataclass(frozen=True, eq=False)
class RoundSample(Sample):
    """Verdicts in drawing order; of T rounds begun, all but perhaps the last are whole.

    Attributes
    ----------
    probabilities : (n,) chance of the draw in its zone, nan for an exploit pick.
    rounds : (n,) place of each draw's round, 0..T-1, not falling.
    guesses : (n,) mu of each draw.
    size : N.
    zones, sizes : (T,) random draws of each round, and all its draws.
    guessed : (T,) sum of mu over the inputs not drawn before the round.
    smallest, largest, variance : (T,) as the design predicts them of (z - mu) B / (p N).
    """

    rounds: NDArray[np.intp]
    guesses: NDArray[np.float64]
    size: int
    zones: NDArray[np.intp]
    sizes: NDArray[np.intp]
    guessed: NDArray[np.float64]
    smallest: NDArray[np.float64]
    largest: NDArray[np.float64]
    variance: NDArray[np.float64]

    @cached_property
    def random(self) -> NDArray[np.bool_]:
        """(n,) which draws were drawn at random, not picked."""
        return ~np.isnan(self.probabilities)

    @cached_property
    def drawn_before(self) -> NDArray[np.intp]:
        """(T,) k, how many inputs were drawn before each round."""
        before: NDArray[np.intp] = np.cumsum(self.sizes) - self.sizes
        return before

    @property
    def whole(self) -> int:
        """How many rounds are whole, whether or not their inputs have a loss."""
        return int((np.bincount(self.rounds, minlength=self.sizes.size) == self.sizes).sum())

    def first(self, count: int) -> "RoundSample":
        """The first ``count`` verdicts, at least 1."""
        begun = int(self.rounds[count - 1]) + 1
        return RoundSample(
            self.losses[:count],
            self.strata[:count],
            self.probabilities[:count],
            self.rounds[:count],
            self.guesses[:count],
            self.size,
            self.zones[:begun],
            self.sizes[:begun],
            self.guessed[:begun],
            self.smallest[:begun],
            self.largest[:begun],
            self.variance[:begun],
        )

    @cached_property
    def bases(self) -> NDArray[np.float64]:
        """(T,) the mean loss as known and guessed at the start of each round: (losses so far + sum of mu) / N."""
        totals = np.bincount(self.rounds, weights=self.losses, minlength=self.sizes.size)
        return (np.cumsum(totals) - totals + self.guessed) / self.size

    @cached_property
    def terms(self) -> NDArray[np.float64]:
        """(n,) X of each draw, nan for an exploit pick: (losses so far + sum of mu) / N + (z - mu) B / (p N).

        Given the past, the X of a round average over its zones to the mean loss of all N inputs, whatever mu and p are:
        Cassel, Sarndal and Wretman 1976 with one draw per zone.
        """
        corrections = (self.losses - self.guesses) * self.zones[self.rounds] / (self.probabilities * self.size)
        return self.bases[self.rounds] + corrections

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """(n,) w of each draw: it rises as the variance of its X falls."""
        before, zones = self.drawn_before, self.zones  # k and B, (T,)
        left, after = self.size - before, before + zones
        weights: NDArray[np.float64] = np.sqrt(after / (after + 10)) / (left * (left - zones) + 1)
        return weights[self.rounds]

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """(n,) w over the sum of w over the random draws; 0 for an exploit pick."""
        shares: NDArray[np.float64] = np.where(self.random, self.weights, 0) / self.weights[self.random].sum()
        return shares


def round_sample_of(design: Rounds, verdicts: Sequence[Verdict], loss_bound: float | None) -> RoundSample:
    """The verdicts as arrays; BadInput where they are no draws of these rounds in their order. See ``sample_of``."""
    sample = sample_of(design, verdicts, loss_bound)
    draws = [verdict.draw for verdict in verdicts if isinstance(verdict.draw, RoundDraw)]
    rounds = np.array([draw.round for draw in draws], dtype=np.intp)
    begun = design.rounds[: int(rounds.max(initial=-1)) + 1]
    sizes = np.array([one.zones + one.exploit for one in begun], dtype=np.intp)
    expected = np.repeat(np.arange(len(begun)), sizes)[: len(verdicts)]
    if len(draws) < len(verdicts) or not np.array_equal(rounds, expected):
        raise BadInput(
            f"{len(verdicts)} verdicts do not follow the {len(design.rounds)} rounds of the design in the order of drawing; "
            "expected one for each draw up to the last, None where nobody could tell. Use the draws of this plan."
        )
    return RoundSample(
        sample.losses,
        sample.strata,
        sample.probabilities,
        rounds,
        np.array([draw.guess for draw in draws], dtype=np.float64),
        design.size,
        np.array([one.zones for one in begun], dtype=np.intp),
        sizes,
        np.array([one.guessed for one in begun], dtype=np.float64),
        np.array([one.smallest for one in begun], dtype=np.float64),
        np.array([one.largest for one in begun], dtype=np.float64),
        np.array([one.variance for one in begun], dtype=np.float64),
    )
