"""The accuracy of parts of the set that are known before any label, and precision, recall and F1 of classes and detectors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from testimate.core.checks import check_level
from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.task import BoxCounts
from testimate.estimators.intervals import Ends, is_graded, t_quantile, wilson_ends
from testimate.estimators.weights import (
    FEWEST,
    WEIGHED,
    DrawWeights,
    PartEstimate,
    Ratios,
    draw_weights,
    lowest_ends,
    mean_ends,
    part_estimates,
    ratios,
    share_ends,
    together_ends,
)


def spread_of_slices(
    design: Design, verdicts: Sequence[Verdict], groups: NDArray[np.intp], count: int
) -> NDArray[np.float64]:
    """The variance that an outcome of variance 1 would give the estimate of each slice, (count,), inf where it has no label.

    It follows from the draws alone: no loss is used. Arguments as of ``slice_estimates``.
    """
    if not isinstance(design, WEIGHED):
        return np.full(count, np.inf)
    try:
        weights = draw_weights(design, verdicts, None)
    except NotEnoughLabels:
        return np.full(count, np.inf)
    of_labels = groups[[verdicts[place].draw.row for place in weights.positions.tolist()]]
    inside = of_labels >= 0
    places, each = of_labels[inside], weights.weights[inside]
    totals = np.bincount(places, each, count)
    squares = np.bincount(places, weights.left[inside] * each**2, count)
    unknown: NDArray[np.float64] = np.full(count, np.inf)
    return np.asarray(np.divide(squares, totals**2, out=unknown, where=totals > 0), dtype=np.float64)


LookedAt = Literal["one", "lowest", "all"]
"""What is looked at of several intervals: one named before the labels, the lowest one, or all of them, at a level near 1."""


def slice_estimates(
    design: Design,
    verdicts: Sequence[Verdict],
    groups: NDArray[np.intp],
    count: int,
    *,
    level: float = 0.95,
    simultaneous: bool = False,
    looked_at: LookedAt = "one",
    loss_bound: float | None = 1.0,
) -> tuple[PartEstimate, ...]:
    """The accuracy, 1 - mean loss, of each of ``count`` groups: the ratio (Hajek) estimate of a domain.

    Sarndal, Swensson and Wretman 1992, section 10.3: sum over the group's labels of w (1 - z) over sum of w. For pass or
    fail the interval is that of ``share_ends``, else Student's. A group all of whose inputs are labeled is known.

    Parameters
    ----------
    groups : (N,) the group of each input, 0..count - 1, or -1 where it is in none; chosen without looking at the labels.
    simultaneous : whether all intervals hold together with chance ``level``.
    looked_at : what the intervals of pass or fail allow for, see ``LookedAt``.

    Returns
    -------
    One for each group. Below ``FEWEST`` labels, and for a design without weights, it holds the count alone.

    Raises
    ------
    BadInput : groups that are not one for each input, or out of range.

    >>> from testimate.core.design import SimpleRandom
    >>> from testimate.core.draw import Draw
    >>> labels = [Verdict(Draw(row), float(row % 5 == 0)) for row in range(20)]
    >>> night = np.where(np.arange(100) < 10, 0, 1)
    >>> one, other = slice_estimates(SimpleRandom((100,), 20), labels, night, 2)
    >>> one.value, one.low, round(other.low, 3), round(other.value, 3)
    (0.8, 0.8, 0.518, 0.8)
    """
    if groups.shape != (design.size,) or (groups.size and not -1 <= groups.min() <= groups.max() < count):
        raise BadInput(
            f"The groups have shape {groups.shape}. Expected one for each of the {design.size} inputs, from 0 to "
            f"{count - 1}, or -1. Name a column of the plan's table."
        )
    settled = np.array([one.loss is not None for one in verdicts], dtype=bool)
    rows = np.array([one.draw.row for one in verdicts], dtype=np.intp)
    counts = np.bincount(groups[rows[settled]] + 1, minlength=count + 1)[1:]
    if not isinstance(design, WEIGHED):
        why = f"a {design.kind} design has no honest interval for parts of the set"
        return tuple(PartEstimate(labels, why=why) for labels in counts.tolist())
    try:
        weights = draw_weights(design, verdicts, loss_bound)
    except NotEnoughLabels as error:
        return tuple(PartEstimate(labels, why=str(error)) for labels in counts.tolist())
    losses = np.array([verdicts[place].loss for place in weights.positions.tolist()], dtype=np.float64)
    of_labels = groups[rows[weights.positions]]
    inside = (of_labels[:, None] == np.arange(count)).astype(np.float64)  # (n, count)
    shares = is_graded(losses, loss_bound)
    ends_of = mean_ends if not shares else together_ends if looked_at == "all" else share_ends
    found = ratios(weights, inside * (1 - losses)[:, None], inside)
    estimates = list(part_estimates(found, level=level, simultaneous=simultaneous, ends_of=ends_of))
    sizes = np.bincount(groups + 1, minlength=count + 1)[1:]
    known = (found.labels == sizes) & (sizes >= FEWEST) & (not design.replacement)
    for group in np.flatnonzero(known).tolist():
        mean = float(1 - losses[of_labels == group].mean())
        estimates[group] = PartEstimate(int(sizes[group]), mean, 0.0, mean, mean)
    if looked_at == "lowest" and shares:
        _allow_for_picking(estimates, found, level)
    return tuple(estimates)


def _allow_for_picking(estimates: list[PartEstimate], found: Ratios, level: float) -> None:
    """Puts the ends of ``lowest_ends`` in the place of those of the lowest of several values; a known one stays."""
    valued = [
        (one.value, place) for place, one in enumerate(estimates) if one.value is not None and one.low is not None
    ]
    if len(valued) < 2:
        return
    place = min(valued)[1]
    one = estimates[place]
    if one.low == one.high:
        return
    own = slice(place, place + 1)
    alone = Ratios(
        found.values[own],
        found.variances[own],
        found.squares[own],
        found.labels[own],
        found.degrees,
    )
    ends = lowest_ends(alone, len(valued), level)
    estimates[place] = replace(one, low=float(ends.low[0]), high=float(ends.high[0]))


Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class ClassScore:
    """Precision TP / (TP + FP), recall TP / (TP + FN) and F1 = 2 TP / (2 TP + FP + FN), of a class or as a mean."""

    precision: PartEstimate
    recall: PartEstimate
    f1: PartEstimate


@dataclass(frozen=True)
class Confused:
    """How many of all inputs are of class ``true`` and predicted as ``predicted``, as a share."""

    true: int
    predicted: int
    share: PartEstimate


@dataclass(frozen=True)
class ClassScores:
    """``classes`` one for each class; ``macro`` the plain means over the classes, ``micro`` all inputs alike: the accuracy.

    ``confusion`` : the pairs that the labels show, by true class; a pair that is missing was not found.
    """

    classes: tuple[ClassScore, ...]
    macro: ClassScore
    micro: ClassScore
    confusion: tuple[Confused, ...]


def class_scores(
    design: Design,
    verdicts: Sequence[Verdict],
    predicted: NDArray[np.intp],
    true: NDArray[np.intp],
    count: int,
    *,
    level: float = 0.95,
    simultaneous: bool = False,
) -> ClassScores:
    """What the labels say about ``count`` classes, as ratios of weighted totals (see ``ratios``).

    Macro means are linearised together (Sarndal, Swensson and Wretman 1992, section 5.5), and stand only where every
    class has ``FEWEST`` labels on either side. A design without weights, and one that has too few labels, gives counts.

    Parameters
    ----------
    predicted, true : (n,) class places 0..count - 1 of each verdict, ``true`` -1 where it is none of them; where
        it has no loss they count for nothing.
    simultaneous : whether the intervals of the precisions hold together with chance ``level``; so for the others.
    """
    if not isinstance(design, WEIGHED):
        return _class_counts_only(f"a {design.kind} design has no honest interval for classes", verdicts, count)
    try:
        weights = draw_weights(design, verdicts)
    except NotEnoughLabels as error:
        return _class_counts_only(str(error), verdicts, count)
    said, was = predicted[weights.positions], true[weights.positions]
    places = np.arange(count)
    predicted_as = (said[:, None] == places).astype(np.float64)  # (n, C)
    truly = (was[:, None] == places).astype(np.float64)
    both = predicted_as * truly
    kinds = [
        ratios(weights, both, predicted_as),
        ratios(weights, both, truly),
        ratios(weights, both, (predicted_as + truly) / 2),
    ]
    parts = [part_estimates(one, level=level, simultaneous=simultaneous) for one in kinds]
    enough = min(int(kinds[0].labels.min()), int(kinds[1].labels.min())) >= FEWEST
    sides = (predicted_as, truly, (predicted_as + truly) / 2)
    macro = [
        _mean(weights, both, side, one, level) if enough else _too_few_for_macro(len(said))
        for one, side in zip(kinds, sides, strict=True)
    ]
    right = both.sum(axis=1, keepdims=True)
    micro = part_estimates(ratios(weights, right, np.ones_like(right)), level=level)[0]
    pairs, cells = np.unique(was * count + said, return_inverse=True)
    one_hot = (cells[:, None] == np.arange(len(pairs))).astype(np.float64)  # (n, pairs)
    shares = part_estimates(ratios(weights, one_hot, np.ones_like(one_hot)), level=level, simultaneous=simultaneous)
    return ClassScores(
        tuple(ClassScore(*of) for of in zip(*parts, strict=True)),
        ClassScore(*macro),
        ClassScore(micro, micro, micro),
        tuple(Confused(pair // count, pair % count, share) for pair, share in zip(pairs.tolist(), shares, strict=True)),
    )


def _mean(weights: DrawWeights, both: Numbers, side: Numbers, of: Ratios, level: float) -> PartEstimate:
    """The mean over the classes of the ratios of ``both`` to ``side``, each (n, C)."""
    totals = weights.weights @ side
    parts = ((both - of.values * side) / totals).mean(axis=1, keepdims=True)  # (n, 1)
    spread = (side / totals).mean(axis=1)
    squares = (weights.left * weights.weights**2) @ spread**2
    mean = Ratios(
        np.array([of.values.mean()]), weights.variance(parts), np.array([squares]), np.array([len(both)], dtype=np.intp)
    )
    return part_estimates(mean, level=level)[0]


def _too_few_for_macro(labels: int) -> PartEstimate:
    return PartEstimate(labels, why=f"needs {FEWEST} labels of each class")


def _class_counts_only(why: str, verdicts: Sequence[Verdict], count: int) -> ClassScores:
    """The number of labels and nothing else."""
    nothing = PartEstimate(sum(one.loss is not None for one in verdicts), why=why)
    score = ClassScore(nothing, nothing, nothing)
    return ClassScores((score,) * count, score, score, ())


NOISE_MISSED = 1.5
"""Factor for the noise of a variance: a sample with heavy tails shows less of it than there is, as it does of skewness."""

EVEN_SHARE_OF_CLUSTERS = 0.3
"""Part of every additional failure that may lie anywhere; the rest lies as those that were found. Decision 181 has the
measurements."""


class Clusters(NamedTuple):
    """What the intervals of K shares need beside the ratios.

    Attributes
    ----------
    rests_on : (K,) how many units each variance rests on, (sum t^2)^2 / sum t^4 of their terms t; 0 where all terms are 0.
    alone : (K,) the variance that members of variance 1 would give if they were independent.
    units : how many were drawn. degrees : of freedom, the units less the strata. left : mean of 1 - sampling fraction.
    """

    rests_on: Numbers
    alone: Numbers
    units: int
    degrees: float
    left: float


def clusters_of(
    weights: DrawWeights, found: Ratios, numerators: Numbers, denominators: Numbers, *, degrees: float
) -> Clusters:
    """The same, of the ratios ``found`` in these numerators and denominators, each (n, K)."""
    totals = weights.weights @ denominators  # (K,)
    safe = np.where(totals > 0, totals, 1.0)
    terms = weights.terms((numerators - np.where(totals > 0, found.values, 0.0) * denominators) / safe)
    fourth = (terms**4).sum(axis=0)
    rests_on = np.where(fourth > 0, (terms**2).sum(axis=0) ** 2 / np.where(fourth > 0, fourth, 1.0), 0.0)
    alone = (weights.left * weights.weights**2) @ denominators / safe**2
    return Clusters(rests_on, alone, len(terms), degrees, float(weights.left.mean()))


def clustered_ends(found: Ratios, clusters: Clusters, level: float = 0.95) -> Ends:
    """Wilson's interval with the effective number of members, r (1 - r) / variance, each end (K,).

    That number is smoothed as if one more unit had come whose members all share one outcome, and counts as many times as the
    variance rests on units: without a failure in sight a unit counts once. Student's t takes the degrees of freedom for
    the noise that the variance has beyond what r explains: its relative variance is 1 / rests_on - 1 / units, and what r
    explains of it (1 - 2 r)^2 variance / (r (1 - r))^2, which is all of it where every unit has one member. Toward one half a
    part of what is added may lie anywhere: where few failures were seen, those unseen need not lie where these do.

    Of what is rarer, r is the share. ``found`` and ``clusters`` are of the same ratios.
    """
    many = found.values > 0.5
    rare = np.clip(np.where(many, 1 - found.values, found.values), 0.0, 1.0)  # (K,)
    known = ~(found.squares > 0)  # every unit that counts is labeled
    spread, shared = np.where(known, 0.0, found.variances), np.where(known, 1.0, found.squares)
    outcome = rare * (1 - rare)
    some = (spread > 0) & (outcome > 0)
    seen = np.where(some, outcome, 1.0) / np.where(some, spread, 1.0)  # members that the variance is worth
    rests_on = np.where(some, clusters.rests_on, 0.0)
    effective = (rests_on * seen + 1 / shared) / (rests_on + 1)
    safe = np.where(some, rests_on, 1.0)
    endless = spread / np.where(
        known, 1.0, clusters.left
    )  # as for an infinite set: how noisy it is does not depend on N
    explained = (1 - 2 * rare) ** 2 * endless / np.where(some, outcome, 1.0) ** 2
    noise = np.where(some, np.maximum(1 / safe - 1 / clusters.units - explained, 0.0), 0.0)
    degrees = np.maximum(1 / (1 / clusters.degrees + NOISE_MISSED * noise / 2), 1.0)
    fewer = (stdtrit(degrees, (1 + check_level(level)) / 2) / t_quantile(level, np.inf)) ** 2
    anywhere = np.maximum(clusters.alone, 1 / effective)
    grown = EVEN_SHARE_OF_CLUSTERS * anywhere + (1 - EVEN_SHARE_OF_CLUSTERS) / effective
    low = np.where(known, rare, wilson_ends(rare, effective / fewer, level).low)
    high = np.where(known, rare, wilson_ends(rare, 1 / (grown * fewer), level).high)
    return Ends(np.where(many, 1 - high, low), np.where(many, 1 - low, high))


@dataclass(frozen=True)
class BoxScore:
    """Precision: right boxes over boxes. Recall: right boxes over objects. ``labeled`` counts pictures that have some."""

    precision: PartEstimate
    recall: PartEstimate


@dataclass(frozen=True)
class BoxScores:
    """``classes`` one for each class; ``all`` of every box and object alike."""

    classes: tuple[BoxScore, ...]
    all: BoxScore


def box_scores(
    design: Design,
    verdicts: Sequence[Verdict],
    counts: BoxCounts,
    *,
    level: float = 0.95,
    simultaneous: bool = False,
) -> BoxScores:
    """Ratios of weighted totals over pictures (Sarndal, Swensson and Wretman 1992, eq. 5.6.10; see ``ratios``).

    Boxes of one picture go wrong together, so pictures, or the groups that were drawn, are clusters of boxes, and the intervals
    are those of ``clustered_ends`` (decision 181). A design without weights, or with too few labels, gives counts.

    Parameters
    ----------
    counts : (n, C) each, of every verdict; where one has no loss they count for nothing.
    simultaneous : whether the intervals of the classes' precisions hold together with chance ``level``; so for the recalls.
    """
    count = counts.boxes.shape[1]
    if not isinstance(design, WEIGHED):
        return _box_counts_only(
            f"a {design.kind} design has no honest interval for precision and recall", verdicts, count
        )
    try:
        weights = draw_weights(design, verdicts)
    except NotEnoughLabels as error:
        return _box_counts_only(str(error), verdicts, count)
    right, boxes, objects = (
        np.column_stack([each, each.sum(axis=1)])[weights.positions]
        for each in (counts.right, counts.boxes, counts.objects)
    )
    strata = len({verdicts[place].draw.stratum for place in weights.positions.tolist()})
    degrees = min(weights.degrees, float(max(len(weights.positions) - strata, 1)))

    def parts(whole: NDArray[np.float64], columns: slice, *, together: bool) -> tuple[PartEstimate, ...]:
        of, some = right[:, columns], whole[:, columns]
        found = ratios(weights, of, some)
        clusters = clusters_of(weights, found, of, some, degrees=degrees)
        return part_estimates(
            found,
            level=level,
            simultaneous=together,
            ends_of=lambda filled, each: clustered_ends(filled, clusters, each),
        )

    made = [
        (*parts(one, slice(count), together=simultaneous), *parts(one, slice(count, None), together=False))
        for one in (boxes, objects)
    ]
    *classes, total = (BoxScore(precision, recall) for precision, recall in zip(*made, strict=True))
    return BoxScores(tuple(classes), total)


def _box_counts_only(why: str, verdicts: Sequence[Verdict], count: int) -> BoxScores:
    """The number of labels and nothing else."""
    nothing = PartEstimate(sum(one.loss is not None for one in verdicts), why=why)
    score = BoxScore(nothing, nothing)
    return BoxScores((score,) * count, score)
