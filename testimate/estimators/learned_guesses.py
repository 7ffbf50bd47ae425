"""Estimates helped by guesses learned from the labels, yet exactly unbiased: each label meets guesses from the others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Rounds, SimpleRandom, Stratified
from testimate.core.draw import Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.estimators.round_sample import RoundSample, round_sample_of
from testimate.estimators.sample import Sample, need_labels, sample_of

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
    empty = counts == 0
    empty[list(certain)] = False
    if empty.any():
        raise NotEnoughLabels(
            f"{int(empty.sum())} of the {sizes.size} strata have no label that can be used; each needs one before the "
            "estimate is unbiased. Label more."
        )
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
    if len(verdicts) < sample.sizes[0]:
        raise NotEnoughLabels(
            f"{len(verdicts)} of the {sample.sizes[0]} inputs of the first round are labeled; the estimate needs one whole "
            "round. Label more."
        )
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
