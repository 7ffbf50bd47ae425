"""The weighted mean of adaptive rounds: what was guessed, corrected by what the random draws show (rra)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import check_level
from testimate.core.design import Design, IntervalVersion, Rounds
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.estimators.intervals import (
    EVEN_SHARE_AT_FEW_LABELS,
    EVEN_SHARE_OF_ROUNDS,
    OF_GRADES,
    Interval,
    counts_of_draws,
    is_graded,
    korn_graubard,
    no_spread,
    possible,
    rounds_variance_at,
    score_upper_end,
    skewed_t_interval,
    wilson,
)
from testimate.estimators.sample import (
    MeanLoss,
    RoundSample,
    all_labeled,
    as_accuracy,
    need_first_round,
    need_labels,
    round_sample_of,
    wrong_design,
)
from testimate.estimators.skipped_draws import holding_with_skips

WAITED_FOR = 2
"""Last rounds in which an input without a verdict holds up the estimate; in earlier ones it counts as skipped."""

PSEUDO_DRAWS = 2  # draws that went as predicted, which smooth a variance
OF_ROUNDS = "corrected mean of adaptive rounds"  # how the name of an estimate's method begins
ROUNDS_TOGETHER = 3  # neighboring rounds whose draws in the same place are compared


@dataclass(frozen=True)
class AdaptiveMean:
    """Sum of w X over sum of w, X = (losses so far + sum of mu) / N + (z - mu) B / (p N) of each random draw.

    Each X is unbiased given the past (see ``RoundSample.terms``), and w depends on the number of labels alone, so the mean
    is unbiased too, whatever the technique learned and picked; it needs one whole round. A round is labeled in random
    order, so the part of a round that is labeled counts as well. Where every input is labeled the estimate is their mean.

    For pass or fail the interval has the upper end of the score interval and the lower one of Wilson's with the effective
    n, t (1 - t) / variance: both are smoothed as if two more draws had gone as predicted, so that a sample without failures
    has one too. Version 2 of the interval, which new sessions have, takes ``places_error`` into account (see
    ``proportion_of_rounds``). The standard error is the plain one; where that is 0, the smoothed one. Grades have the same
    interval with the standard error of ``places_error``. Other losses take Student's interval, corrected for skewness.
    ``interval="korn-graubard"`` is the conservative choice. In a small set the corrections can move the mean beyond
    what the labels leave possible; then the nearest possible mean is reported, and the interval always contains it.

    An input of the last two rounds that nobody could settle yet holds up its round and what follows: the estimate
    stays at the last complete state before it, and ``why`` says so. Once two later rounds have labels, it counts as
    skipped, with a loss as guessed for it; ``skipped_low`` and ``skipped_high`` are the bounds, and the always-valid
    interval holds whatever its loss is.
    """

    interval: Literal["score", "korn-graubard"] = "score"

    @holding_with_skips
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
        standing, why = standing_sample(sample, verdicts)
        if settled.size == design.size:
            found = all_labeled(limits.low)
        elif sample.is_pass_or_fail(loss_bound):
            found = proportion_of_rounds(
                standing,
                limits,
                level=level,
                conservative=self.interval != "score",
                version=design.interval_version,
            )
        elif is_graded(settled, loss_bound) and self.interval == "score":
            found = graded_mean_of_rounds(standing, limits, level=level)
        else:
            found = _mean_of_any(standing, limits, level)
        return as_accuracy(
            replace(found, why=why or found.why),
            design,
            sample,
            level=level,
            loss_bound=loss_bound,
            mean_of=weighted_mean,
        )


def proportion_of_rounds(
    sample: RoundSample,
    limits: Interval,
    *,
    level: float = 0.95,
    even: float | None = None,
    conservative: bool = False,
    version: IntervalVersion = 1,
) -> MeanLoss:
    """The failure rate with its interval, within the rates that the labels leave possible (``limits``).

    In version 2 of the interval its variance is the mean of that of all draws and that of ``places_error``. Where the guesses
    say little, the first is too large; where failures sit in a few places, the second is too small.

    ``even`` : the part of every additional failure that may lie anywhere, see ``score_interval``; by the version where None.
    """
    if even is None:
        even = EVEN_SHARE_OF_ROUNDS if version == 1 else EVEN_SHARE_AT_FEW_LABELS
    mean, error = weighted_mean(sample), standard_error(sample)
    rate, variance = smoothed(sample)
    if version > 1:
        both = (variance + smoothed(sample, places_error(sample))[1]) / 2
        variance = max(both, variance) if conservative else both
    shown = Interval(mean, mean).within(*limits).low
    ends = rounds_ends(sample, shown, rate, variance, level=level, even=even, conservative=conservative)
    name = "Korn-Graubard interval joined with the score interval" if conservative else "score interval"
    return MeanLoss(
        shown,
        float(np.sqrt(variance)) if no_spread(error, mean) else error,
        ends.within(*limits),
        f"{OF_ROUNDS}, {name}",
    )


def graded_mean_of_rounds(
    sample: RoundSample, limits: Interval, *, level: float = 0.95, even: float = EVEN_SHARE_OF_ROUNDS
) -> MeanLoss:
    """The mean loss of grades as a share of full marks, with the score interval around it, within ``limits``.

    As for pass or fail, but with the variance of ``places_error``: differences between zones are fixed, and are not
    counted as chance (decision 221).
    """
    mean, error = weighted_mean(sample), places_error(sample)
    rate, variance = smoothed(sample, error)
    shown = Interval(mean, mean).within(*limits).low
    stood_for = inputs_stood_for(sample)[sample.random]
    low = wilson(shown, rate * (1 - rate) / variance, level).low
    high = float(score_upper_end(shown, rounds_variance_at(rate, variance, stood_for, sample.size, even=even), level))
    return MeanLoss(
        shown,
        float(np.sqrt(variance)) if no_spread(error, mean) else error,
        Interval(low, high).within(*limits),
        f"{OF_ROUNDS}, {OF_GRADES}",
    )


def rounds_ends(
    sample: RoundSample,
    mean: float,
    rate: float,
    variance: float,
    *,
    level: float = 0.95,
    even: float = EVEN_SHARE_OF_ROUNDS,
    conservative: bool = False,
) -> Interval:
    """The ends of the failure rate around a ``mean`` that is possible, from the smoothed ``rate`` and ``variance``.

    No end excludes a count of failures under which what was found is not unlikely: see ``counts_of_draws``. The
    conservative one is the hull of this interval, Korn and Graubard's, and the score interval that ignores the guesses.
    """
    stood_for = inputs_stood_for(sample)
    effective, moving = (
        rate * (1 - rate) / variance,
        rounds_variance_at(rate, variance, stood_for[sample.random], sample.size, even=even),
    )
    low, high = wilson(mean, effective, level).low, float(score_upper_end(mean, moving, level))
    if conservative:
        ignoring = rounds_variance_at(rate, variance, stood_for[sample.random], sample.size, even=1.0)
        careful = korn_graubard(mean, effective, level)
        low, high = min(low, careful.low), max(high, careful.high, float(score_upper_end(mean, ignoring, level)))
    counts = counts_of_draws(sample.losses > 0, inputs_spoken_for(sample), sample.size, level, worst=conservative)
    return Interval(min(low, counts.least / sample.size), max(high, counts.greatest / sample.size))


def weighted_mean(sample: RoundSample) -> float:
    """Sum of w X over sum of w, over the random draws."""
    terms, shares = _terms_and_shares(sample)
    return float((shares * terms).sum())


def standard_error(sample: RoundSample) -> float:
    """The root of sum w^2 (X - mean)^2 / (sum w)^2 n / (n - 1); 0 where there is one random draw only."""
    terms, shares = _terms_and_shares(sample)
    n, mean = terms.size, (shares * terms).sum()
    squares = (shares**2 * (terms - mean) ** 2).sum()
    return float(np.sqrt(squares * n / max(n - 1, 1)))


def places_error(sample: RoundSample) -> float:
    """The standard error of the weighted mean from draws in the same place of neighboring rounds.

    Zones are cut by guessed chance, so the expectation of X differs from zone to zone by the error of the guesses
    there. That difference is fixed, and averages out over the zones of a round. So ``ROUNDS_TOGETHER`` or more rounds in a
    row are taken together, and their draws in the same place by guess are a stratum of n: n / (n - 1) sum w^2 (X - its
    mean)^2. Its expectation is the variance plus what the places' expectations change from round to round: collapsed
    strata (Cochran 1977, section 5A.12), collapsed over rounds and not over zones. One round alone has its zones in pairs.
    """
    terms, shares = _terms_and_shares(sample)
    if terms.size < 2:
        return 0.0
    rounds, guesses = sample.rounds[sample.random], sample.guesses[sample.random]
    counts = np.bincount(rounds)  # (T,) random draws of each round, above 0
    by_guess = np.lexsort((guesses, rounds))
    place = np.empty(terms.size)
    place[by_guess] = (np.arange(terms.size) - np.repeat(np.cumsum(counts) - counts, counts) + 0.5) / np.repeat(
        counts, counts
    )
    blocks = max(counts.size // ROUNDS_TOGETHER, 1)
    block = np.arange(counts.size) * blocks // counts.size  # (T,) block of each round
    order = np.lexsort((place, block[rounds]))
    drawn, several = np.bincount(block[rounds]), np.maximum(np.bincount(block), 2)  # (blocks,)
    strata = [
        np.minimum(np.arange(count) // size, max(count // size, 1) - 1)
        for count, size in zip(drawn.tolist(), several.tolist(), strict=True)
    ]
    sizes = np.concatenate([np.bincount(one) for one in strata])
    starts = np.cumsum(sizes) - sizes
    shares, terms = shares[order], terms[order]
    means = np.add.reduceat(shares * terms, starts) / np.add.reduceat(shares, starts)
    squares = np.add.reduceat((shares * (terms - np.repeat(means, sizes))) ** 2, starts)
    return float(np.sqrt((squares * sizes / np.maximum(sizes - 1, 1)).sum()))


def inputs_stood_for(sample: RoundSample) -> NDArray[np.float64]:
    """How many inputs of the whole set each draw stands for, (n,): a random one for w B / p of them, w summing to 1.

    An exploit pick stands for itself.
    """
    stood_for = sample.shares * sample.zones[sample.rounds] / sample.probabilities
    return np.where(sample.random, stood_for, 1.0)


def inputs_spoken_for(sample: RoundSample) -> NDArray[np.float64]:
    """How many failures of the whole set the estimate counts for each draw if it failed, (n,).

    Those that a random draw stands for in its own round, and itself in the rounds after it, which represent only the
    inputs that were left.
    """
    through = np.cumsum(np.bincount(sample.rounds, sample.shares, sample.sizes.size))  # (T,)
    own = np.where(sample.random, sample.shares * sample.zones[sample.rounds] / sample.probabilities, 0.0)
    return np.asarray(own + (1 - through)[sample.rounds])


def _terms_and_shares(sample: RoundSample) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """X and w of the random draws, each (draws,), w summing to 1."""
    return sample.terms[sample.random], sample.shares[sample.random]


def smoothed(sample: RoundSample, error: float | None = None) -> tuple[float, float]:
    """Failure rate and variance as if PSEUDO_DRAWS more draws had gone as predicted; neither is 0.

    ``error`` : the standard error of the mean; None for the plain one.
    """
    error = standard_error(sample) if error is None else error
    shares, rounds = sample.shares[sample.random], sample.rounds[sample.random]
    share = PSEUDO_DRAWS / (shares.size + PSEUDO_DRAWS)
    predicted_rate = (shares * sample.bases[rounds]).sum()
    predicted_variance = (shares**2 * sample.variance[rounds]).sum()
    rate = (1 - share) * np.clip(weighted_mean(sample), 0, 1) + share * predicted_rate
    variance = (1 - share) * error**2 + share * predicted_variance
    return float(np.clip(rate, 1e-12, 1 - 1e-12)), float(variance)


def _mean_of_any(sample: RoundSample, limits: Interval, level: float) -> MeanLoss:
    """The mean of losses of any size with Student's interval, corrected for skewness."""
    mean, error, method = weighted_mean(sample), standard_error(sample), OF_ROUNDS
    if no_spread(error, mean):
        why = "The corrected losses do not differ so far, so their spread cannot be estimated; label more inputs."
        return MeanLoss(mean, None, None, method, why)
    n = int(sample.random.sum())
    interval = skewed_t_interval(mean, error, n - 1, _skewness(sample, error), level)
    return MeanLoss(mean, error, interval.within(*limits), f"{method}, skewness-corrected t interval")


def _skewness(sample: RoundSample, standard_error: float) -> float:
    """Skewness of the weighted mean of the random draws; 0 where there are fewer than 3."""
    terms, shares = _terms_and_shares(sample)
    n = terms.size
    if n < 3:
        return 0.0
    thirds = (shares**3 * (terms - shares @ terms) ** 3).sum() * n**2 / ((n - 1) * (n - 2))
    return float(thirds / standard_error**3)


def standing_sample(sample: RoundSample, verdicts: Sequence[Verdict]) -> tuple[RoundSample, str]:
    """The sample up to the last whole state, every loss known or guessed, and a sentence where that is not all of it.

    Raises NotEnoughLabels where no whole round comes before it.
    """
    stop, why = int(np.flatnonzero(sample.settled)[-1]) + 1, ""  # what comes after the last label is yet to be reached
    reached = int(sample.rounds[stop - 1])
    waiting = np.flatnonzero(~sample.settled[:stop] & (sample.rounds[:stop] > reached - WAITED_FOR))
    if waiting.size:
        number, row = int(sample.rounds[waiting[0]]), verdicts[waiting[0]].draw.row
        stop = int(sample.drawn_before[number])
        why = f"Row {row} of round {number + 1} has no verdict yet, so the estimate stays as it was when round {number} ended."
        if number == 0:
            raise NotEnoughLabels(
                f"Row {row} of the first round has no verdict yet. The estimate needs the whole round. Settle it, or "
                "label more: after two more rounds it counts as skipped."
            )
    need_first_round(sample, stop)
    filled = np.where(sample.settled, sample.losses, sample.guesses)
    return replace(sample, losses=filled).first(stop), why
