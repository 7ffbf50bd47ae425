"""The weighted mean of adaptive rounds: what was guessed, corrected by what the random draws show (rra)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, Rounds
from testimate.core.draw import Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.core.estimate import Estimate
from testimate.estimators.always_valid import always_valid_now
from testimate.estimators.as_accuracy import MeanLoss, as_accuracy
from testimate.estimators.intervals import (
    Interval,
    check_level,
    korn_graubard,
    no_spread,
    possible,
    t_interval,
    wilson,
)
from testimate.estimators.round_sample import RoundSample, round_sample_of
from testimate.estimators.sample import need_labels, wrong_design

AHEAD = 2  # rounds that lie open at a time; a later one is drawn when all inputs of the one before these are told
PSEUDO_DRAWS = 2  # draws that went as foretold, which smooth a variance


@dataclass(frozen=True)
class AdaptiveMean:
    """Sum of w X over sum of w, X = (losses so far + sum of mu) / N + (z - mu) B / (p N) of each random draw.

    Each X is unbiased given the past (see ``RoundSample.terms``), and w depends on the number of labels alone, so the mean
    is unbiased too, whatever the technique learned and picked; it needs one whole round. A round is labeled in random
    order, so the part of a round that is labeled counts as well. Where every input is labeled the estimate is their mean.

    For pass or fail the interval is Wilson's with the effective n, t (1 - t) / variance: both are smoothed as if two more
    draws had gone as foretold, so that a sample without failures has one too. The standard error is the plain one; where
    that is 0, the smoothed one. Other losses take Student's interval. ``interval="korn-graubard"`` is the conservative
    choice.

    An input of the last two rounds that nobody could settle yet holds up its round and what follows: the estimate stands
    at the last whole state before, and ``why`` says so. Once the technique has gone on without it, it counts as skipped,
    with a loss as guessed for it; ``skipped_low`` and ``skipped_high`` are the bounds, and the always-valid interval
    holds whatever its loss is.
    """

    interval: Literal["wilson", "korn-graubard"] = "wilson"

    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy of the whole set from verdicts in drawing order; see the Estimator protocol."""
        if not isinstance(design, Rounds):
            raise wrong_design(design, Rounds, "mean of adaptive rounds")
        check_level(level)
        sample = round_sample_of(design, verdicts, loss_bound)
        need_labels(sample)
        settled = sample.losses[sample.settled]
        limits = possible(settled, design.size, loss_bound)
        standing, why = _standing(sample, verdicts)
        if settled.size == design.size:
            found = MeanLoss(limits.low, 0.0, Interval(*limits), "mean of every input, all labeled")
        elif sample.is_pass_or_fail(loss_bound):
            found = self._proportion(standing, limits, level)
        else:
            found = _mean_of_any(standing, limits, level)
        return as_accuracy(
            replace(found, why=why or found.why),
            design,
            sample,
            level=level,
            loss_bound=loss_bound,
            mean_of=weighted_mean,
            always=always_valid_now(design, sample, level, loss_bound),
        )

    def _proportion(self, sample: RoundSample, limits: Interval, level: float) -> MeanLoss:
        """The failure rate with its interval."""
        mean, error = weighted_mean(sample), standard_error(sample)
        rate, variance = _smoothed(sample)
        effective = rate * (1 - rate) / variance
        shown = float(np.clip(mean, 0, 1))
        if self.interval == "wilson":
            interval, name = wilson(shown, effective, level), "Wilson"
        else:
            interval, name = korn_graubard(shown, effective, level), "Korn-Graubard"
        return MeanLoss(
            mean,
            float(np.sqrt(variance)) if no_spread(error, mean) else error,
            interval.within(*limits),
            f"corrected mean of adaptive rounds, {name} interval with the effective n",
        )


def weighted_mean(sample: RoundSample) -> float:
    """Sum of w X over sum of w, over the random draws."""
    terms, weights = _terms_and_weights(sample)
    return float((weights * terms).sum() / weights.sum())


def standard_error(sample: RoundSample) -> float:
    """The root of sum w^2 (X - mean)^2 / (sum w)^2 n / (n - 1); 0 where there is one random draw only."""
    terms, weights = _terms_and_weights(sample)
    n, mean = terms.size, (weights * terms).sum() / weights.sum()
    squares = (weights**2 * (terms - mean) ** 2).sum() / weights.sum() ** 2
    return float(np.sqrt(squares * n / max(n - 1, 1)))


def inputs_stood_for(sample: RoundSample) -> NDArray[np.float64]:
    """How many inputs of the whole set each draw stands for, (n,): a random one for w B / p of them, w summing to 1.

    An exploit pick stands for itself.
    """
    weights = _weights(sample)
    shares = np.where(sample.random, weights, 0) / weights[sample.random].sum()
    stood_for = shares * sample.zones[sample.rounds] / sample.probabilities
    return np.where(sample.random, stood_for, 1.0)


def _weights(sample: RoundSample) -> NDArray[np.float64]:
    """w of each draw, (n,): it rises as the variance of its X falls."""
    before, zones = sample.drawn_before, sample.zones  # k and B, (T,)
    left, after = sample.size - before, before + zones
    weights: NDArray[np.float64] = np.sqrt(after / (after + 10)) / (left * (left - zones) + 1)
    return weights[sample.rounds]


def _terms_and_weights(sample: RoundSample) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """X and w of the random draws, each (draws,)."""
    return sample.terms()[sample.random], _weights(sample)[sample.random]


def _smoothed(sample: RoundSample) -> tuple[float, float]:
    """Failure rate and variance as if PSEUDO_DRAWS more draws had gone as foretold; neither is 0."""
    weights, rounds = _terms_and_weights(sample)[1], sample.rounds[sample.random]
    share = PSEUDO_DRAWS / (weights.size + PSEUDO_DRAWS)
    foretold_rate = (weights * sample.bases()[rounds]).sum() / weights.sum()
    foretold_variance = (weights**2 * sample.variance[rounds]).sum() / weights.sum() ** 2
    rate = (1 - share) * np.clip(weighted_mean(sample), 0, 1) + share * foretold_rate
    variance = (1 - share) * standard_error(sample) ** 2 + share * foretold_variance
    return float(np.clip(rate, 1e-12, 1 - 1e-12)), float(variance)


def _mean_of_any(sample: RoundSample, limits: Interval, level: float) -> MeanLoss:
    """The mean of losses of any size with Student's interval."""
    mean, error, method = weighted_mean(sample), standard_error(sample), "corrected mean of adaptive rounds"
    if no_spread(error, mean):
        why = "The corrected losses do not differ so far, so their spread cannot be told; label more inputs."
        return MeanLoss(mean, None, None, method, why)
    interval = t_interval(mean, error, int(sample.random.sum()) - 1, level)
    return MeanLoss(mean, error, interval.within(*limits), f"{method}, t interval")


def _standing(sample: RoundSample, verdicts: Sequence[Verdict]) -> tuple[RoundSample, str]:
    """The sample up to the last whole state, every loss known or guessed, and a sentence where that is not all of it.

    Raises NotEnoughLabels where no whole round comes before it.
    """
    stop, why = int(np.flatnonzero(sample.settled)[-1]) + 1, ""  # what comes after the last label is yet to be reached
    reached = int(sample.rounds[stop - 1])
    waiting = np.flatnonzero(~sample.settled[:stop] & (sample.rounds[:stop] > reached - AHEAD))
    if waiting.size:
        number, row = int(sample.rounds[waiting[0]]), verdicts[waiting[0]].draw.row
        stop = int(sample.drawn_before[number])
        why = f"Row {row} of round {number + 1} has no verdict yet, so the estimate stands where round {number} ended."
        if number == 0:
            raise NotEnoughLabels(
                f"Row {row} of the first round has no verdict yet; the estimate needs one whole round. Settle it, or label "
                "on: after two more rounds it counts as skipped."
            )
    if stop < sample.sizes[0]:
        raise NotEnoughLabels(
            f"{stop} of the {sample.sizes[0]} inputs of the first round are labeled; the estimate needs one whole round. "
            "Label on."
        )
    filled = np.where(sample.settled, sample.losses, sample.guesses)
    return replace(sample, losses=filled).first(stop), why
