"""Precision, recall and F1 of every class, their means, and the confusion matrix of all inputs, from weighted labels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.estimators.draw_weights import WEIGHED, DrawWeights, draw_weights
from testimate.estimators.ratios import FEWEST, PartEstimate, Ratios, part_estimates, ratios

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
    predicted, true : (n,) class places 0..count - 1 of each verdict; where it has no loss they count for nothing.
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
    return PartEstimate(labels, why=f"too few labels: a mean over the classes needs {FEWEST} of each")


def _class_counts_only(why: str, verdicts: Sequence[Verdict], count: int) -> ClassScores:
    """The number of labels and nothing else."""
    nothing = PartEstimate(sum(one.loss is not None for one in verdicts), why=why)
    score = ClassScore(nothing, nothing, nothing)
    return ClassScores((score,) * count, score, score, ())
