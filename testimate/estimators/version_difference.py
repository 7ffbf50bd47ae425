"""Estimate how much more accurate a new version is than the old one, from old and new labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from testimate.core.checks import check_level
from testimate.core.design import Design, Rounds, SimpleRandom, Stratified
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput
from testimate.estimators import estimator_of
from testimate.estimators.adaptive_rounds import smoothed, weighted_mean
from testimate.estimators.combined import inverse_variance_shares, recovered_ends
from testimate.estimators.intervals import Interval, korn_graubard, paired_score_interval, t_quantile
from testimate.estimators.learned_guesses import Floats, Judged, Learn, judged_across_folds, judged_by_round
from testimate.estimators.skipped_draws import filled
from testimate.estimators.stratified import PSEUDO_LABELS, stratified_variance
from testimate.estimators.weights import draw_weights


@dataclass(frozen=True)
class Difference:
    """Accuracy of a new model minus that of the old one, over all inputs.

    Attributes
    ----------
    value : -1..1.
    standard_error : of the value.
    low, high : ends of the ordinary interval, good at a size fixed in advance; always_low, always_high : of the one that is
        right whenever one stops, None where the design has none.
    """

    value: float
    standard_error: float
    low: float
    high: float
    always_low: float | None = None
    always_high: float | None = None


def difference_with_learned_guesses(
    design: Design,
    verdicts: Sequence[Verdict],
    learn: Learn,
    spreads: Floats,
    apart: NDArray[np.bool_],
    *,
    level: float = 0.95,
    certain: frozenset[int] = frozenset(),
) -> Difference:
    """How much more accurate the new model is, from half-points of (loss of the new - loss of the old + 1) / 2.

    So a verdict is 0 where the new model alone is right, 1 where the old one alone is, and 1/2 where they are alike, which the
    predictions tell without a label wherever they are the same. Judged as in ``estimate_with_learned_guesses``; the interval is
    that of ``difference_ends``, which the value need not lie in (see ``within_reach``). The standard error is smoothed as if
    two more labels in each stratum (two more draws of rounds) had the predicted variance (see ``_smoothed_variance``).
    Skipped draws widen the interval as far as they may go.

    Parameters
    ----------
    learn : guesses half-points. spreads : (N,) variance of a half-point, predicted without any label.
    apart : (N,) inputs on which the predictions differ; only there a half-point is other than 1/2.
    certain : strata whose half-points are known without a label and guessed as they are.

    Raises
    ------
    BadInput : a design other than simple random, stratified and adaptive rounds.
    NotEnoughLabels : the design gives no estimate yet.
    """
    check_level(level)
    if not isinstance(design, SimpleRandom | Stratified | Rounds):
        raise BadInput(
            f"The difference of two models needs draws of srs, a stratified design or adaptive rounds; these are "
            f"{design.kind}. Plan new labels with one of them."
        )
    found = _half_points(design, verdicts, learn, spreads, certain)
    if any(one.loss is None for one in verdicts):
        said = [filled(verdicts, fill) for fill in (0.0, 1.0)]
        ends = [
            difference_ends(design, one, apart, level, _half_points(design, one, learn, spreads, certain), certain)
            for one in said
        ]
    else:
        ends = [difference_ends(design, verdicts, apart, level, found, certain)]
    low, high = min(one.low for one in ends), max(one.high for one in ends)
    always_low = always_high = None
    if design.always_valid:
        plain = estimator_of(design).estimate(design, verdicts, level=level)
        always_low, always_high = plain.always_low, plain.always_high
    return Difference(
        1 - 2 * found.mean,
        2 * found.error,
        low,
        high,
        None if always_low is None else 2 * always_low - 1,
        None if always_high is None else 2 * always_high - 1,
    )


RENEWED = 3
"""The version of the interval from which on guesses narrow a difference, and few labels leave all that is possible."""


def is_renewed(design: Design) -> bool:
    """Whether differences by these draws have the interval of today; those of plans and sessions made before keep theirs."""
    return isinstance(design, Stratified | Rounds) and design.interval_version >= RENEWED


class HalfPoints(NamedTuple):
    """The mean of the half-points with its standard error, and the guess of each label, (n,), which its own has not taught."""

    mean: float
    error: float
    guesses: Floats


class Helped(NamedTuple):
    """New minus old over all inputs by the guesses, corrected, and how far off each label where they differ found its guess."""

    value: float
    residuals: Floats


def difference_ends(
    design: SimpleRandom | Stratified | Rounds,
    verdicts: Sequence[Verdict],
    apart: NDArray[np.bool_],
    level: float = 0.95,
    guessed: HalfPoints | None = None,
    certain: frozenset[int] = frozenset(),
) -> Interval:
    """The ends of new minus old over all N inputs, from half-points of which none is unknown.

    Where the versions predict the same the difference is 0. Of the M inputs where they do not, the labeled ones count as
    they are, K gained less lost, and only the U others are inferred: from Tango's interval of the labels' differences d,
    each weighted by the inputs it stands for beside itself, v, as if there were n of them. n is at most (sum v)^2 / sum v^2
    (Kish 1965, section 11.7) and at most s / V, V the variance of the weighted mean, s that of one label, smoothed alike:
    both sums of squares have one more v of nearly the largest size. A stratum without such a label counts in the sums of v and
    V like one label that stands for all its inputs. For the lower end these say -1, and for the upper one 1: labels of sure
    inputs are few and stand for many, so that they are missed on one side, where they would say the opposite of the others.
    Where at most ``FEW`` of the n say the one or the other, the ends of Clopper and Pearson are joined, as if each d were a
    share of right answers, (1 + d) / 2: where one version loses nearly always, the first label that gains would else rule
    out what is true. No end lies beyond what the predictions and the labels leave possible. Gains are whole numbers of inputs,
    and so are the ends, rounded outwards.

    From ``RENEWED`` on (``is_renewed``) the guesses narrow it, where Kish's n is ``ENOUGH`` or more: n is at least s / V of
    what the labels are off their guesses, with one more that is off by 1 and stands for the mean number, and the interval
    lies around the corrected guesses. Without them n is at most the number m of these labels: strata that none has met had
    counted as labels of their own. With fewer than ``FEWEST`` it is all that is possible: these may all lie among the
    doubtful inputs, which a plan by confidence draws most. In strata that are ``certain`` nothing differs.
    """
    differs = apart[[one.draw.row for one in verdicts]]
    gains = np.array([1 - 2 * (0.5 if one.loss is None else one.loss) for one in verdicts])[differs]
    total, renewed = int(apart.sum()), is_renewed(design)
    if isinstance(design, Rounds):
        weights, each = draw_weights(design, verdicts), np.zeros(len(verdicts))
        each[weights.positions] = weights.weights * apart.size
        beside, unseen = spoken_for(each[differs], total, MISSED if renewed else 0.0)
    else:
        strata = np.array([one.draw.stratum for one in verdicts], dtype=np.intp)
        sizes = np.asarray(design.stratum_sizes)
        beside, unseen = stood_for(strata, differs, sizes, total, certain if renewed else frozenset())
    if not renewed:
        return ends_of_gains(gains, beside, unseen, total, apart.size, level)
    helped = None if guessed is None else Helped(1 - 2 * guessed.mean, gains - (1 - 2 * guessed.guesses[differs]))
    return ends_of_gains(gains, beside, unseen, total, apart.size, level, helped=helped, renewed=True)


def ends_of_gains(
    gains: Floats,
    beside: Floats,
    unseen: Floats,
    total: int,
    size: int,
    level: float = 0.95,
    *,
    helped: Helped | None = None,
    renewed: bool = False,
) -> Interval:
    """The same, from the labeled inputs where the versions differ: their d, (m,), and how many others each stands for, (m,).

    ``unseen`` : how many inputs where they differ are expected in each stratum without such a label, (k,). ``total`` : M,
    inputs on which they differ. ``size`` : N. ``renewed`` : whether they are those of ``RENEWED``.
    """
    m = gains.size
    known, left = float(gains.sum()), total - m
    if m < (FEWEST if renewed else 1) or left <= 0:
        return Interval((known - left) / size, (known + left) / size)
    gained, lost = (float(beside[side].sum() / beside.sum()) for side in (gains > 0, gains < 0))
    mean, spread = gained - lost, gained + lost - (gained - lost) ** 2
    all_, unsaid = beside.sum() + unseen.sum(), unseen @ unseen + float(np.quantile(beside, USUAL)) ** 2
    squares, toward = beside**2 @ (gains - mean) ** 2, m * mean / (m + PSEUDO_LABELS)
    kish = min(all_**2 / (beside @ beside + unsaid), m if renewed else np.inf)
    off_guesses = np.inf
    if helped is not None and kish >= ENOUGH:
        one_more = float(beside @ beside / beside.sum()) ** 2 + unseen @ unseen
        off_guesses = float(beside**2 @ helped.residuals**2 + one_more) / all_**2

    def inferred(says: int) -> Interval:
        """The interval where what no label said says that the new version is better, 1, or worse, -1."""
        off = (says - toward) ** 2
        variance, of_one = (squares + unsaid * off) / all_**2, (m * spread + off) / (m + PSEUDO_LABELS)
        effective, won, missed = min(kish, of_one / variance), gained, lost
        if helped is not None and of_one / off_guesses > effective:
            effective, others = of_one / off_guesses, float(np.clip((helped.value * size - known) / left, -1, 1))
            told = max(gained + lost, abs(others))
            won, missed = (told + others) / 2, (told - others) / 2
        n = 1 / (1 / effective + 1 / left)  # the others are a sample of their own
        near, better = paired_score_interval(n * won, n * missed, n, level), (1 + won - missed) / 2
        if n * min(better, 1 - better) > FEW:
            return near
        exact = korn_graubard(better, n, level)
        return Interval(min(near.low, 2 * exact.low - 1), max(near.high, 2 * exact.high - 1))

    ends = Interval(inferred(-1).low, inferred(1).high)
    low, high = np.floor(known + left * ends.low + LEAST_BESIDE), np.ceil(known + left * ends.high - LEAST_BESIDE)
    return Interval(float(max(low, known - left)) / size, float(min(high, known + left)) / size)


def spoken_for(weights: Floats, total: int, missed: float = 0.0) -> tuple[Floats, Floats]:
    """How many of M = ``total`` inputs each label stands for beside itself, (m,), and how many none stands for, (0,) or (1,).

    In proportion to the inputs that each counts for in the estimate, (m,). Where these are too few, a part ``missed`` of the
    inputs that are missing is taken to lie where no label has met one, like those that rounds draw rarely.
    """
    short = missed * max(total - float(weights.sum()), 0.0)
    if not weights.size:
        return weights, np.zeros(0)
    beside = np.maximum(weights * (total - short) / weights.sum() - 1, LEAST_BESIDE)
    return beside, np.array([short] if short else [])


def stood_for(
    strata: NDArray[np.intp],
    differs: NDArray[np.bool_],
    sizes: NDArray[np.intp],
    total: int,
    certain: frozenset[int] = frozenset(),
) -> tuple[Floats, Floats]:
    """How many inputs each label where the versions differ stands for beside itself, (m,), and how many none stands for, (k,).

    How many of a stratum's inputs are among the M = ``total`` is expected from its labels, smoothed as if two more had the
    share M / N, or a quarter of one were among them where that is more: else the first of many sure inputs that comes up speaks
    for all of them, and those of the strata beside it are forgotten.

    Parameters
    ----------
    strata, differs : (n,) of each label its stratum, and whether the versions differ there. sizes : (H,) of the strata.
    certain : strata in which the versions predict the same.
    """
    labels, among = (np.bincount(one, minlength=sizes.size) for one in (strata, strata[differs]))
    more = max(PSEUDO_LABELS * total / sizes.sum(), LEAST_AMONG)
    expected = np.maximum(sizes * (among + more) / (labels + PSEUDO_LABELS) - among, 0.0) * (labels < sizes)
    expected[list(certain)] = 0.0
    if expected.any():
        expected *= (total - among.sum()) / expected.sum()  # the labels tell how many are left
    each = expected / np.maximum(among, 1)
    return np.maximum(each[strata[differs]], LEAST_BESIDE), expected[among == 0]


FEW = 5  # of n, where a normal approximation is poor

FEWEST = 3
"""Labels where the versions differ from which on they rule anything out."""

MISSED = 0.25
"""See ``spoken_for``; chosen, by width, on half of 28 networks and judged by the others."""

ENOUGH = 12
"""Labels, by Kish's n, from which on the variance of what they are off their guesses is believed."""

USUAL = 0.95
"""The quantile of v that one more label has; chosen, as what it says is, by half of 28 networks and judged by the others."""

LEAST_AMONG = 0.25
"""Of the two labels that smooth a stratum, at least this many are where the versions differ."""

LEAST_BESIDE = 1e-9
"""A label stands for at least this many inputs beside itself, so that weights do not vanish where each stands for itself."""


def _half_points(
    design: SimpleRandom | Stratified | Rounds,
    verdicts: Sequence[Verdict],
    learn: Learn,
    spreads: Floats,
    certain: frozenset[int],
) -> HalfPoints:
    """The mean of the half-points and its standard error, by the smoothed variance."""
    if isinstance(design, Rounds):
        judged = judged_by_round(design, verdicts, learn, spreads)
        return HalfPoints(weighted_mean(judged), float(np.sqrt(smoothed(judged)[1])), judged.guesses)
    across = judged_across_folds(design, verdicts, learn, certain)
    return HalfPoints(across.mean, float(np.sqrt(_smoothed_variance(design, across, spreads))), across.guesses)


def _smoothed_variance(design: SimpleRandom | Stratified, judged: Judged, spreads: Floats) -> float:
    """Of the mean, as if two more labels in each stratum had the predicted variance.

    Of a simple random sample these two are inputs on which the models differ, as in the adjustment of Bonett and Price (2012)
    for paired proportions: most of its labels are on other inputs, which say nothing about the spread, and where the
    versions are alike so few are on these that the interval would be too narrow.
    """
    sizes, sample = np.asarray(design.stratum_sizes, dtype=np.intp), judged.sample
    counts = np.bincount(sample.strata, minlength=sizes.size)
    counts = np.where(counts > 0, counts, sizes)  # strata that are certain are as good as labeled whole
    centered = judged.residuals - (np.bincount(sample.strata, judged.residuals, sizes.size) / counts)[sample.strata]
    squares = np.bincount(sample.strata, centered**2, sizes.size)
    predicted = np.bincount(sample.strata, spreads[judged.rows], sizes.size) / counts
    if isinstance(design, SimpleRandom) and spreads.any():
        predicted = np.full(1, spreads[spreads > 0].mean())
    spread = (squares + PSEUDO_LABELS * predicted) / (counts - 1 + PSEUDO_LABELS)
    return stratified_variance(spread, counts, sizes, replacement=design.replacement)


def within_reach(found: Difference, gains: Floats, size: int) -> Difference:
    """The difference inside what labels and predictions leave possible, whatever design they came by.

    A value beyond its interval is moved to the nearer end: the only part of it that is not exactly unbiased.

    ``gains`` : (M,) 1, 0 or -1 for each input on which the predictions differ, nan where no label says it.

    >>> within_reach(Difference(0.2, 0.1, -0.1, 0.4), np.array([1.0, -1.0, np.nan]), 10).high
    0.1
    """
    known, left = float(np.nansum(gains)), int(np.isnan(gains).sum())
    least, most = (known - left) / size, (known + left) / size

    def inside(end: float) -> float:
        return min(max(end, least), most)

    low, high = inside(found.low), inside(found.high)
    return Difference(
        min(max(found.value, low), high),
        found.standard_error,
        low,
        high,
        None if found.always_low is None else inside(found.always_low),
        None if found.always_high is None else inside(found.always_high),
    )


POWER = 0.9
"""The chance with which the labels proposed show a difference that is as large as it seems, if no other is asked for."""


def check_power(power: float) -> float:
    """The power; BadInput where it is not above 1/2 and below 1."""
    if not 0.5 < power < 1:
        raise BadInput(f"The power is {power:g}. Expected above 0.5 and below 1. Give 0.9 for nine cases in ten.")
    return power


def labels_to_tell(value: float, gains: Floats, size: int, level: float = 0.95, power: float = POWER) -> int | None:
    """How many more labels, drawn at random where the versions differ, show which one is better with the chance ``power``.

    As if the difference were as it seems: M0 = (z + z_power)^2 (s - d^2) / d^2 labels of many inputs, d the mean gain over the
    M that differ and s the share of them on which one version alone is right, smoothed by one of each; M0 / (1 + M0 / U) of
    the U that have no label. None where it seems to be 0, or no input is left.

    ``value`` : the difference over all N = ``size`` inputs. ``gains`` : see ``within_reach``. BadInput for a power that is not
    above 1/2 and below 1.

    >>> labels_to_tell(0.02, np.full(300, np.nan), 3000)
    138
    """
    check_power(power)
    left, known = int(np.isnan(gains).sum()), gains[~np.isnan(gains)]
    if not left or not value:
        return None
    mean = value * size / gains.size
    told = (np.abs(known).sum() + 1) / (known.size + 2) if known.size else 1.0
    spread = max(told, abs(mean)) - mean**2
    of_many = (t_quantile(level, np.inf) + float(ndtri(power))) ** 2 * max(spread, 0.0) / mean**2
    return min(max(int(np.ceil(of_many / (1 + of_many / left))), 2), left)


def combined_differences(found: Sequence[Difference], variances: Sequence[float]) -> Difference:
    """The same for differences, with the variances (k,) predicted for them."""
    if len(found) == 1:
        return found[0]
    shares = inverse_variance_shares(variances)
    values = [one.value for one in found]
    ends = recovered_ends(shares, values, [(one.low, one.high) for one in found])
    assert ends is not None
    ranked = sorted(zip(variances, found, strict=True), key=lambda pair: (pair[1].always_low is None, pair[0]))
    always = ranked[0][1]
    return Difference(
        float(shares @ values),
        float(np.sqrt(((shares * np.array([one.standard_error for one in found])) ** 2).sum())),
        max(-1.0, ends.low),
        min(1.0, ends.high),
        always.always_low,
        always.always_high,
    )
