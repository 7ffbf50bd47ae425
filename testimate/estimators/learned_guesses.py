"""Estimate the accuracy with the help of guesses learned from the labels, yet exactly unbiased.

Each label meets guesses that only the other labels taught: across folds of a sample, or before each round.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import check_level
from testimate.core.design import Design, Rounds, SimpleRandom, Stratified
from testimate.core.draw import Estimate, Verdict
from testimate.estimators import estimator_of
from testimate.estimators.adaptive_rounds import proportion_of_rounds, weighted_mean
from testimate.estimators.always_valid import with_always_valid
from testimate.estimators.difference import assisted_ends, residual_sums, smoothed_error
from testimate.estimators.intervals import EVEN_SHARE, EVEN_SHARE_OF_ROUNDS, Interval, no_spread, possible
from testimate.estimators.sample import (
    MeanLoss,
    RoundSample,
    Sample,
    all_labeled,
    as_accuracy,
    need_each_stratum,
    need_first_round,
    need_labels,
    round_sample_of,
    sample_of,
)
from testimate.estimators.skipped_draws import with_skips
from testimate.estimators.stratified import stratified_standard_error

Floats = NDArray[np.float64]
Learn = Callable[[NDArray[np.intp], Floats], Floats]
"""Guessed losses of all N inputs, from k rows and their losses; of no rows, what is guessed before any label."""

# A label that judged guesses it had taught would bias the estimate: decision 74.
FOLDS = 10
"""Parts of a sample, each judged by guesses that the others taught."""


@dataclass(frozen=True, eq=False)
class Judged:
    """An estimated mean loss and what its variance is estimated from.

    Attributes
    ----------
    mean : never clipped.
    sample, rows : the settled draws, and where they lie in the dataset, (n,).
    guesses : (n,) the guess of each draw, made without its own label.
    residuals : (n,) whose spread inside the strata is that of the mean.
    """

    mean: float
    sample: Sample
    rows: NDArray[np.intp]
    guesses: Floats
    residuals: Floats


def judged_across_folds(
    design: SimpleRandom | Stratified, verdicts: Sequence[Verdict], learn: Learn, certain: frozenset[int] = frozenset()
) -> Judged:
    """The mean loss, each part of the draws judged by guesses that the other parts taught.

    The draws of a stratum, in their order, are dealt to K parts. Given the other parts, a part is a simple random sample of
    what they left of each stratum, R_h inputs of N_h, and mu is known, so

        (losses of the other parts + sum of mu over the inputs they left + sum of R_h mean(z - mu) over the part) / N

    is exactly unbiased (Cassel, Sarndal and Wretman 1976 inside each part), and so is the mean of the K, weighted by how many
    draws each has. Fitting on other labels than those it corrects is known as cross-fitting (Wager, Du, Taylor and Tibshirani
    2016, "High-dimensional regression adjustments in randomized experiments").

    There are ``FOLDS`` parts, or as many as the smallest stratum with inputs left has labels; with one label there nothing is
    learned. A stratum that is labeled whole is known, not judged. Those that are ``certain`` need no label, because ``learn``
    gives their losses as they are.

    Raises NotEnoughLabels where a stratum has no label.
    """
    sample = sample_of(design, verdicts, 1.0)
    need_labels(sample)
    rows = np.array([one.draw.row for one in verdicts], dtype=np.intp)[sample.settled]
    settled = sample.only_settled()
    strata, losses = settled.strata, settled.losses
    sizes = np.asarray(design.stratum_sizes, dtype=np.intp)
    counts = np.bincount(strata, minlength=sizes.size)
    need_each_stratum(counts, certain)
    whole = counts == sizes if not design.replacement else np.zeros(sizes.size, dtype=bool)
    parts = min([FOLDS, *counts[~whole & (counts > 0)].tolist()])
    known = whole[strata]  # a draw of a stratum that is labeled whole stands for itself
    if known.all():
        mu = learn(rows, losses)
        mean = (losses.sum() + mu.sum() - mu[rows].sum()) / design.size  # of what is certain, the guesses
        return Judged(float(mean), settled, rows, losses, np.zeros(rows.size))
    fold = np.where(known, -1, _turns(strata) % parts)
    guesses, residuals = np.empty(rows.size), np.empty(rows.size)
    mean = 0.0
    for part in range(parts):
        mine = fold == part
        others = ~mine if parts > 1 else known
        mu = learn(rows[others], losses[others])
        if design.replacement:
            taken, left = np.zeros(rows.size, dtype=bool), sizes
        else:
            taken = others
            left = sizes - np.bincount(strata[others], minlength=sizes.size)
        mine_of = np.bincount(strata[mine], minlength=sizes.size)
        off = losses - mu[rows]
        corrections = (left[strata[mine]] / mine_of[strata[mine]] * off[mine]).sum()
        total = losses[taken].sum() + mu.sum() - mu[rows[taken]].sum() + corrections
        mean += mine.sum() / (~known).sum() * total / design.size
        guesses[mine] = mu[rows[mine]]
        residuals[mine] = off[mine] + mu.mean()
    guesses[known], residuals[known] = losses[known], 0.0
    return Judged(float(mean), settled, rows, guesses, residuals)


def judged_by_round(
    design: Rounds, verdicts: Sequence[Verdict], learn: Learn, spreads: Floats | None = None
) -> RoundSample:
    """The sample of rounds with guesses learned before each round, every loss known or guessed; see ``weighted_mean``.

    A round's chances follow from the rounds before it and so do its guesses, which may be others than those it was drawn by:
    X = (losses so far + sum of mu over the inputs left + N-fold correction) / N is as unbiased (see ``RoundSample.terms``). A
    skipped draw counts as guessed. The predicted variance of a round is estimated by its own draws, from chances and
    guesses alone: the mean over them of v (B / (p N))^2, v the predicted variance of a loss, mu (1 - mu) or ``spreads`` (N,).

    Raises NotEnoughLabels where the first round is not whole.
    """
    sample = round_sample_of(design, verdicts, 1.0)
    need_labels(sample)
    need_first_round(sample, len(verdicts))
    rows = np.array([one.draw.row for one in verdicts], dtype=np.intp)
    losses, guesses = sample.losses.copy(), np.empty(rows.size)
    guessed, variance = np.empty(sample.sizes.size), np.empty(sample.sizes.size)
    for number, first in enumerate(sample.drawn_before.tolist()):
        settled = sample.settled[:first]
        mu = learn(rows[:first][settled], sample.losses[:first][settled])
        own = sample.rounds == number
        guesses[own] = mu[rows[own]]
        losses[own] = np.where(sample.settled[own], losses[own], guesses[own])
        guessed[number] = mu.sum() - mu[rows[:first]].sum()
        random = own & sample.random
        reach = sample.zones[number] / (sample.probabilities[random] * sample.size)
        of_loss = guesses[random] * (1 - guesses[random]) if spreads is None else spreads[rows[random]]
        variance[number] = (of_loss * reach**2).mean() if random.any() else 0.0
    return replace(sample, losses=losses, guesses=guesses, guessed=guessed, variance=variance)


def _turns(strata: NDArray[np.intp]) -> NDArray[np.intp]:
    """Which draw of its stratum each one is, from 0 on, (n,).

    >>> _turns(np.array([0, 1, 0, 0, 1])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(strata, kind="stable")
    counts = np.bincount(strata)
    turns = np.empty(strata.size, dtype=np.intp)
    turns[order] = np.arange(strata.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return turns


def estimate_with_learned_guesses(
    design: Design,
    verdicts: Sequence[Verdict],
    learn: Learn,
    *,
    level: float = 0.95,
    even: float | None = None,
    conservative: bool = False,
) -> Estimate:
    """The accuracy of a model on the whole set, from verdicts of passing (0) or failing (1) in drawing order.

    Simple random and stratified draws are judged across folds, adaptive rounds round by round: exactly unbiased, whatever
    ``learn`` makes of the labels it is given. Intervals, ordinary or ``conservative``: for the first two those of
    ``assisted_ends`` on the residuals, for rounds those of ``proportion_of_rounds``; the skipped draws widen them as
    ``with_skips`` does. ``even`` is the part of every additional failure that may lie anywhere, the design's usual one where
    None. The always-valid interval is the design's own. Other designs take their own estimator, without
    guesses.

    Raises NotEnoughLabels where the design gives no estimate yet.
    """
    check_level(level)
    if not isinstance(design, SimpleRandom | Stratified | Rounds):
        return estimator_of(design).estimate(design, verdicts, level=level)

    def of(settled: Sequence[Verdict]) -> Estimate:
        if isinstance(design, Rounds):
            return _of_rounds(
                design, settled, learn, level, EVEN_SHARE_OF_ROUNDS if even is None else even, conservative
            )
        return _of_strata(design, settled, learn, level, EVEN_SHARE if even is None else even, conservative)

    return with_always_valid(with_skips(of, verdicts, 1.0), design, verdicts, 1.0)


def _of_strata(
    design: SimpleRandom | Stratified,
    verdicts: Sequence[Verdict],
    learn: Learn,
    level: float,
    even: float,
    conservative: bool,
) -> Estimate:
    judged = judged_across_folds(design, verdicts, learn)
    sizes = np.asarray(design.stratum_sizes, dtype=np.intp)
    settled = judged.sample
    if not design.replacement and settled.labeled == design.size:
        found = all_labeled(judged.mean)
    else:
        sums = residual_sums(settled.losses, judged.guesses, judged.residuals, settled.strata, sizes.size)
        mean, replacement = np.asarray(judged.mean), design.replacement
        ends = assisted_ends(
            mean, sums, sizes, level=level, even=even, conservative=conservative, replacement=replacement
        )
        error = stratified_standard_error(judged.residuals, settled.strata, sizes, replacement=design.replacement)
        if error is None or no_spread(error, 1.0):
            error = float(smoothed_error(sums, sizes, replacement=design.replacement))
        name = "Korn-Graubard interval joined with the score interval" if conservative else "score interval"
        method = f"difference estimate, guesses learned across folds, {name}"
        found = MeanLoss(judged.mean, error, Interval(float(ends.low), float(ends.high)), method)

    def mean_of(filled: Sample) -> float:
        losses = filled.losses.tolist()
        said = [replace(one, loss=loss) for one, loss in zip(verdicts, losses, strict=True)]
        return judged_across_folds(design, said, learn).mean

    sample = sample_of(design, verdicts, 1.0)
    return as_accuracy(found, design, sample, level=level, loss_bound=1.0, mean_of=mean_of)


def _of_rounds(
    design: Rounds, verdicts: Sequence[Verdict], learn: Learn, level: float, even: float, conservative: bool
) -> Estimate:
    judged = judged_by_round(design, verdicts, learn)
    sample = sample_of(design, verdicts, 1.0)
    settled = sample.losses[sample.settled]
    limits = possible(settled, design.size, 1.0)
    if settled.size == design.size:
        found = all_labeled(limits.low)
    else:
        found = proportion_of_rounds(judged, limits, level=level, even=even, conservative=conservative)
        found = replace(found, method=found.method.replace(", ", ", guesses learned again, ", 1))
    return as_accuracy(
        found,
        design,
        sample,
        level=level,
        loss_bound=1.0,
        mean_of=lambda filled: weighted_mean(replace(judged, losses=filled.losses)),
    )
