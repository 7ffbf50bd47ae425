"""Estimate the score of judged outputs with the help of judges, such as language models that graded them.

A ridge line through all judges' grades guesses what people would say, and people's labels correct it. A judge's own mean is
never an estimate: how far it is from people's is a result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, SimpleRandom, Stratified
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import WrongDesign
from testimate.estimators.intervals import Interval, possible
from testimate.estimators.learned_guesses import Judged, judged_across_folds
from testimate.estimators.sample import MeanLoss, Sample, all_labeled, as_accuracy, sample_of
from testimate.estimators.skipped_draws import with_skips
from testimate.estimators.weights import DrawWeights, draw_weights, part_estimates, ratios, share_ends

Floats = NDArray[np.float64]

FEWEST, FEWEST_UNLIKE = 20, 10
"""Labels, and labels unlike the most frequent one, from which judges assist: with 1 fault in 100 labels the interval of the
residuals held in 90%."""

PENALTIES = (1.0, 3.0, 10.0, 30.0, 100.0, 1000.0)
"""Ridge penalties to choose among, as labels' worth of the belief that a judge knows nothing."""


class JudgeScores:
    """The grades that judges gave all inputs, ready for a line.

    Parameters
    ----------
    scores : (N,) of each judge by name, 0 the worst grade to 1 the best; nan where it gave none.
    """

    def __init__(self, scores: Mapping[str, Floats]) -> None:
        self.scores = {name: np.asarray(values, dtype=np.float64) for name, values in scores.items()}

    @cached_property
    def columns(self) -> Floats:
        """The judges' scores and where they are blank, each of mean 0 and variance 1, (N, K'), without those that are constant.

        A blank has the judge's mean and an effect of its own, so that what a judge left blank has a mean of its own.
        """
        found = []
        for values in self.scores.values():
            blank = ~np.isfinite(values)
            mean = values[~blank].mean() if not blank.all() else 0.0
            found += [np.where(blank, mean, values), blank.astype(np.float64)]
        table = np.column_stack(found)
        spread = table.std(axis=0)
        kept = spread > 1e-9
        standard: Floats = (table[:, kept] - table[:, kept].mean(axis=0)) / spread[kept]
        return standard

    def learn(self, rows: NDArray[np.intp], losses: Floats, weights: Floats) -> Floats:
        """Guess the loss of every input, (N,), by a ridge line through k labels, ``rows`` with ``losses`` and ``weights``.

        The penalty is the one that predicts each label best from the others (leave one out).
        """
        if rows.size < 3 or not self.columns.shape[1]:
            return np.full(len(self.columns), float(weights @ losses / weights.sum()) if rows.size else 0.5)
        share = weights / weights.sum()
        x = self.columns[rows]
        middle, mean = share @ x, float(share @ losses)
        root = np.sqrt(share * rows.size)[:, None]
        u, singular, v = np.linalg.svd(root * (x - middle), full_matrices=False)
        y = root[:, 0] * (losses - mean)
        projected, intercept = u.T @ y, share  # each label's share is its own leverage in the intercept
        best, slope = np.inf, np.zeros(x.shape[1])
        for penalty in PENALTIES:
            shrunk = singular**2 / (singular**2 + penalty)
            off = (y - u @ (shrunk * projected)) / np.maximum(1 - (u**2) @ shrunk - intercept, 0.05)
            if (error := float(off @ off)) < best:
                best, slope = error, v.T @ (singular / (singular**2 + penalty) * projected)
        return np.asarray(mean + (self.columns - middle) @ slope)


@dataclass(frozen=True)
class JudgeBias:
    """How far a judge is from people, over all inputs that it graded.

    Attributes
    ----------
    name : of the judge.
    score : its mean score, 0..1; nan if it graded none. graded : inputs that it graded.
    bias, low, high : its mean score less that of people, with the ends of its interval; above 0 where it is too kind. None
        where no label tells.
    explained : share of the variance of people's grades that a line through its scores alone explains, 0..1.
    """

    name: str
    score: float
    graded: int
    bias: float | None
    low: float | None
    high: float | None
    explained: float


@dataclass(frozen=True)
class JudgedScore:
    """The score that judges help to estimate, and what the labels say about the judges.

    Attributes
    ----------
    estimate : the judge-assisted one, or the plain one where ``why`` says what judges lack.
    judges : each judge's own bias.
    saved : R squared, the share of the variance of people's grades that all judges together explain of labels they did not
        see, 0..1: so large a share of the labels they save.
    """

    estimate: Estimate
    judges: tuple[JudgeBias, ...]
    saved: float
    why: str = ""


def judge_assisted(design: Design, verdicts: Sequence[Verdict], judges: JudgeScores, plain: Estimate) -> JudgedScore:
    """Return the score of the whole set helped by judges' grades of every input, at the level of the plain estimate.

    A generalized regression estimate (Sarndal, Swensson and Wretman 1992, section 6.4) whose line is a ridge, fitted to other
    labels than those that correct it (see ``judged_across_folds``): exactly unbiased, whatever the judges say. Its interval
    is that of a share with the variance of the residuals (``share_ends``): Student's held 91% where nearly all residuals are
    alike. ``verdicts`` are in drawing order, ``plain`` is their estimate without judges, kept with few labels.

    Raises WrongDesign for another design than simple random or stratified draws, and NotEnoughLabels as these do.
    """
    if not isinstance(design, SimpleRandom | Stratified):
        raise WrongDesign(
            f"Judges were to assist the estimate of a {design.kind} design. Expected simple random or stratified draws. Take "
            "the plain estimate."
        )
    judged = judged_by(design, verdicts, judges)
    weights = draw_weights(design, verdicts, 1.0)
    why = _why_too_few(judged.sample.losses, judges)
    estimate = plain if why else with_skips(lambda given: _of(design, given, judges, plain.level), verdicts, 1.0)
    return JudgedScore(
        estimate,
        tuple(_bias(name, values, judged, weights, estimate) for name, values in judges.scores.items()),
        0.0 if why else _saved(judged, weights.weights),
        why,
    )


def _why_too_few(losses: Floats, judges: JudgeScores) -> str:
    """Return why judges do not assist yet, as a sentence; empty if they do."""
    if not judges.columns.shape[1]:
        return "No judge tells one output from another, so judges save no labels."
    unlike = losses.size - int(np.unique(losses.round(9), return_counts=True)[1].max())
    if losses.size < FEWEST:
        return f"Judges assist from {FEWEST} labels on. There are {losses.size}."
    if unlike < FEWEST_UNLIKE:
        return (
            f"Judges assist once {FEWEST_UNLIKE} labels differ from the most frequent grade. {unlike or 'None'} so far."
        )
    return ""


def judged_by(design: SimpleRandom | Stratified, verdicts: Sequence[Verdict], judges: JudgeScores) -> Judged:
    """Return the mean loss, each part of the draws judged by a line through the judges' grades that the other parts taught."""
    sizes = np.asarray(design.stratum_sizes, dtype=np.float64)
    counts = np.bincount([one.draw.stratum for one in verdicts if one.loss is not None], minlength=len(sizes))
    stands_for = sizes / np.maximum(counts, 1)
    weight = {one.draw.row: stands_for[one.draw.stratum] for one in verdicts}

    def learn(rows: NDArray[np.intp], losses: Floats) -> Floats:
        return judges.learn(rows, losses, np.array([weight[row] for row in rows.tolist()]))

    return judged_across_folds(design, verdicts, learn)


def _of(design: SimpleRandom | Stratified, settled: Sequence[Verdict], judges: JudgeScores, level: float) -> Estimate:
    judged = judged_by(design, settled, judges)
    found = _mean(design, settled, judged, level)

    def mean_of(filled: Sample) -> float:
        given = [replace(one, loss=loss) for one, loss in zip(settled, filled.losses.tolist(), strict=True)]
        return judged_by(design, given, judges).mean

    sample = sample_of(design, settled, 1.0)
    return as_accuracy(found, design, sample, level=level, loss_bound=1.0, mean_of=mean_of)


def _mean(design: SimpleRandom | Stratified, verdicts: Sequence[Verdict], judged: Judged, level: float) -> MeanLoss:
    losses = judged.sample.losses
    if not design.replacement and losses.size == design.size:
        return all_labeled(judged.mean)
    weights = draw_weights(design, verdicts, 1.0)
    one = np.ones((losses.size, 1))
    plain = ratios(weights, losses[:, None], one)
    of_residuals = ratios(weights, judged.residuals[:, None], one)
    mean = float(np.clip(judged.mean, 0, 1))
    found = plain._replace(values=np.array([mean]), variances=of_residuals.variances)
    ends = share_ends(found, level)
    limits = possible(losses, None if design.replacement else design.size, 1.0)
    interval = Interval(float(ends.low[0]), float(ends.high[0])).within(*limits)
    interval = Interval(min(interval.low, mean), max(interval.high, mean))
    name = "judge-assisted regression estimate (GREG, ridge, out of fold), score interval of the residuals"
    return MeanLoss(judged.mean, float(np.sqrt(found.variances[0])), interval, name)


def _saved(judged: Judged, weights: Floats) -> float:
    w = weights / weights.sum()
    losses = judged.sample.losses
    error = losses - judged.guesses
    spread = float(w @ (losses - w @ losses) ** 2)
    return max(0.0, 1 - float(w @ (error - w @ error) ** 2) / spread) if spread > 0 else 0.0


def _bias(name: str, values: Floats, judged: Judged, weights: DrawWeights, estimate: Estimate) -> JudgeBias:
    """Return how far one judge is from people.

    Of a judge that graded every input its mean score less the estimate, with the estimate's interval. Of one with blanks it
    is estimated over what it graded, by the labels there: half of it, above one half, is a share and has a share's interval.
    """
    graded = np.isfinite(values)
    score = float(values[graded].mean()) if graded.any() else float("nan")
    inside = graded[judged.rows].astype(np.float64)
    own, people = np.where(graded, values, 0.0)[judged.rows], 1 - judged.sample.losses
    explained = _explained(own, people, weights.weights * inside)
    if graded.all():
        low, high = (None if end is None else score - end for end in (estimate.high, estimate.low))
        return JudgeBias(name, score, len(values), score - estimate.accuracy, low, high, explained)
    found = ratios(weights, ((own - people + 1) / 2 * inside)[:, None], inside[:, None])
    part = part_estimates(found, level=estimate.level)[0]
    bias, low, high = (None if one is None else 2 * one - 1 for one in (part.value, part.low, part.high))
    return JudgeBias(name, score, int(graded.sum()), bias, low, high, explained)


def _explained(own: Floats, people: Floats, weights: Floats) -> float:
    """Return the squared correlation of a judge with people, weighted by (n,) ``weights``."""
    if not weights.sum():
        return 0.0
    w = weights / weights.sum()
    x, y = own - w @ own, people - w @ people
    spread = float(w @ x**2) * float(w @ y**2)
    return float((w @ (x * y)) ** 2 / spread) if spread > 1e-12 else 0.0


@dataclass(frozen=True)
class JudgingCost:
    """How many outputs to judge and to label so that the interval is as wide as by ``labels`` people's labels alone.

    Attributes
    ----------
    judged, labeled : outputs. judged is 0 where no judge pays; then all ``labels`` are needed.
    cost : all of it, as a share of what the labels alone would cost.
    """

    judged: int
    labeled: int
    cost: float


def judging_ways(explained: float, price: float, labels: int, size: int) -> tuple[JudgingCost, ...]:
    """Return the ways to be as precise: no judge, then, if judges explain anything, all outputs judged, or some of them.

    Two-phase sampling (Cochran 1977, section 12.6): with n labels among m judged outputs the variance is
    S^2 ((1 - R^2) / n + R^2 / m), smallest for its cost at n : m = sqrt(1 - R^2) : sqrt(R^2 c_h / c_j); then it costs
    (sqrt(1 - R^2) + sqrt(R^2 c_j / c_h))^2 of labels alone. m is at most ``size``, where it adds no variance. Some are judged
    only where that is cheaper than all.

    Parameters
    ----------
    explained : R squared. price : of one judged output as a share of the price of a label, c_j / c_h. labels : people's, that
        are as precise alone.

    >>> [(one.judged, one.labeled, round(one.cost, 2)) for one in judging_ways(0.35, 0.02, 100, 1000)]
    [(0, 100, 1.0), (1000, 65, 0.85), (373, 72, 0.79)]
    """
    none = JudgingCost(0, labels, 1.0)
    if explained == 0:
        return (none,)
    every = JudgingCost(size, int(np.ceil(labels * (1 - explained))), 1 - explained + price * size / labels)
    alone, helped = np.sqrt(1 - explained), np.sqrt(explained)
    root = alone + helped * np.sqrt(price)
    judged = np.inf if price == 0 else labels * helped / np.sqrt(price) * root
    # judging all of a finite set leaves the judges no variance, which may be cheaper than the best number below that
    if judged >= size or every.cost <= root**2:
        return none, every
    some = JudgingCost(int(np.ceil(judged)), int(np.ceil(labels * alone * root)), float(root**2))
    return none, every, some


def price_that_pays(explained: float) -> float:
    """Return the largest price of a judged output, as a share of a label's, at which judging costs no more than labels alone.

    >>> round(price_that_pays(0.35), 3), price_that_pays(0.0)
    (0.107, 0.0)
    """
    return (1 - float(np.sqrt(1 - explained))) ** 2 / explained if explained > 0 else 0.0
