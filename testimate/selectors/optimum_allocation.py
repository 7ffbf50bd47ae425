"""SSOA: a pre-sample, or the losses of training inputs, show where losses vary most, and there the rest of the budget goes."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_budget, check_features, check_scores
from testimate.core.design import Design, Stratified, StratifiedAsPublished
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput
from testimate.core.selector import Claims, Need, Option, check_options
from testimate.core.words import commas, counted
from testimate.selectors.base import (
    FixedList,
    ShuffledStrata,
    check_count,
    check_seed,
    check_variant,
    not_drawn,
    score_ranges,
)
from testimate.selectors.prioritizers import check_length
from testimate.structure.strata import by_clusters, by_rule, interleave, neyman

PRE_SAMPLE = Option("h", 10, "Inputs of each stratum labeled first, to see how much it varies.", low=1, high=1000)
CLUSTERS = Option("clusters", 3, "Clusters of the score that become strata.", low=1, high=100)
RULE = (0.1, 0.1, 0.8)  # shares of the inputs, the least confident first; SSOA, section 5.3

FEWEST_MISTAKES = 20
"""Mistakes on the training set below which its losses say nothing about where the network fails."""


def memorized(losses: NDArray[Any], instead: str) -> str:
    """Say that the training set shows too few mistakes to learn from, and what to use instead; "" if it shows enough.

    >>> memorized(np.zeros(400), "rrs")
    'The training set shows 0 mistakes in 400 inputs. Expected at least 20 to learn from. Use rrs instead.'
    """
    mistakes = int(np.count_nonzero(losses))
    if mistakes >= FEWEST_MISTAKES:
        return ""
    return (
        f"The training set shows {counted(mistakes, 'mistake')} in {commas(len(losses))} inputs. Expected at least "
        f"{FEWEST_MISTAKES} to learn from. Use {instead} instead."
    )


class OptimumAllocation(ABC):
    """What both forms of SSOA share: two phases of draws without replacement; the second waits for the first.

    The pre-sampled labels are part of the budget. h inputs per stratum are pre-sampled, fewer where that would take
    more than two thirds of the budget (3 strata get their full 10 from a budget of 45 up), but at least 2 per stratum,
    then 1, while the budget allows: a variance needs two. When every pre-sampled input has its verdict, Neyman
    allocation with the spread of the losses seen gives each stratum n_h, of which n_h - h are still to draw. Losses
    that are None count as settled, but not as known.

    For losses of 0 and 1 the spread is sqrt(p (1 - p)) with p = (z + 1) / (k + 2), z failures among k known: a stratum
    without a failure so far is not taken for one without variance. Other losses: sqrt((SS + 2 V) / (k - 1 + 2)), SS the
    squared deviations in the stratum and V the variance inside strata, pooled over all.

    Parameters
    ----------
    scores : (N,) larger = more likely to fail.
    budget : n, draws to plan, 1..N.
    seed : whole number that, together with the verdicts, determines every draw.
    variant : "as published" takes the plain standard deviation; strata where it is 0 get no label beyond the
        pre-sample, as long as another stratum varies and has inputs left.
    h : inputs pre-sampled per stratum.

    Source: Wu et al. 2023, sections 4.1 to 4.3, equation 6; Neyman (1934).
    """

    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="Slightly biased, because the labels of the pre-sample decide how many inputs a stratum gives; its interval "
        "then covers somewhat less often than it claims, most of all where losses are more than right or wrong.",
    )
    adapts: ClassVar[bool] = True
    needs: ClassVar[tuple[Need, ...]] = ("scores",)
    source: ClassVar[str] = "Wu et al., Stratified random sampling for neural network test input selection (2023)"
    variants: ClassVar[tuple[str, ...]] = ("as published",)

    def __init__(self, scores: ArrayLike, *, budget: int, seed: int, variant: str | None = None, h: int = 10) -> None:
        chi = check_scores(scores)  # (N,)
        self._budget = check_budget(budget, chi.size)
        self._published = check_variant(variant, self.variants) == "as published"
        check_options((PRE_SAMPLE,), h=h)
        rng = np.random.default_rng(check_seed(seed))
        self._tie_seed = int(rng.integers(2**32))
        labels = self._strata(chi)  # (N,)
        self._piles, self._ranges = ShuffledStrata(labels, rng), score_ranges(chi, labels)
        self._pre_sampled = pre_sample_sizes(self._piles.sizes, self._budget, h)  # (H,)
        self._allocation = self._pre_sampled  # (H,), of the phases planned so far
        self._spreads = np.zeros(len(self._pre_sampled))  # (H,)
        self._plan(interleave(self._pre_sampled))
        self._losses: dict[int, float | None] = {}  # of the pre-sample, by row
        self._asked = 0

    @abstractmethod
    def _strata(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        """The stratum of each input, (N,)."""

    @property
    def design(self) -> Design:
        """Strata whose sample sizes depend on the first phase."""
        return Stratified(tuple(self._piles.sizes.tolist()), self._budget)

    @property
    def remaining(self) -> int:
        """Draws of the budget that were not handed out yet; 0 when exhausted."""
        return self._budget - self._asked

    def ask(self, count: int) -> Sequence[Draw]:
        """The next draws, at most ``count``; fewer when exhausted or while verdicts of the pre-sample are missing."""
        first, self._asked = self._asked, min(self._asked + check_count(count), len(self._rows))
        return [
            Draw(int(self._rows[position]), None, int(self._order[position]), self._why(position))
            for position in range(first, self._asked)
        ]

    def tell(self, verdicts: Sequence[Verdict]) -> None:
        """Keeps the losses of the pre-sample; the last one starts the second phase. UnknownRow for rows not drawn."""
        for verdict in verdicts:
            if verdict.draw.row not in self._drawn:
                raise not_drawn(verdict.draw.row)
            self._losses.setdefault(verdict.draw.row, verdict.loss)
            if len(self._losses) == len(self._rows) < self._budget:
                self._start_second_phase()

    def _why(self, position: int) -> str:
        stratum, pre_sampled = int(self._order[position]), int(self._pre_sampled.sum())
        where = f"stratum {stratum + 1} of {len(self._ranges)} (score {self._ranges[stratum]})"
        if position < pre_sampled:
            return f"pre-sample of {self._pre_sampled[stratum]} from {where}"
        return (
            f"second phase, {where} gets {self._allocation[stratum]} in all for its spread {self._spreads[stratum]:.2g}"
        )

    def _plan(self, order: NDArray[np.intp]) -> None:
        self._order, self._rows = order, self._piles.deal(order)  # (draws planned so far,)
        self._drawn = set(self._rows.tolist())

    def _start_second_phase(self) -> None:
        losses = [self._losses[int(row)] for row in self._rows]
        known = np.array([loss is not None for loss in losses], dtype=bool)
        values = np.array([loss for loss in losses if loss is not None], dtype=np.float64)
        self._spreads = loss_spreads(values, self._order[known], len(self._ranges), smooth=not self._published)
        self._allocation = neyman(
            self._piles.sizes, self._spreads, self._budget, minimum=self._pre_sampled
        )  # SSOA, eq. 6; draws already made stay
        self._plan(np.concatenate([self._order, interleave(self._allocation - self._pre_sampled)]))


class OptimumAllocationByRule(OptimumAllocation):
    """SSOA-R-P: strata of the 10% with the highest score, the next 10% and the other 80%; a pre-sample."""

    name: ClassVar[str] = "ssoa-r-p"
    title: ClassVar[str] = "Optimum allocation, strata by rule, after a pre-sample"
    options: ClassVar[tuple[Option, ...]] = (PRE_SAMPLE,)

    def _strata(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        return by_rule(scores, seed=self._tie_seed, shares=RULE)


class OptimumAllocationByClusters(OptimumAllocation):
    """SSOA-C-P: strata by 1-d k-means of the score into ``clusters`` clusters; a pre-sample."""

    name: ClassVar[str] = "ssoa-c-p"
    title: ClassVar[str] = "Optimum allocation, strata by clusters, after a pre-sample"
    options: ClassVar[tuple[Option, ...]] = (PRE_SAMPLE, CLUSTERS)

    def __init__(
        self,
        scores: ArrayLike,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        h: int = 10,
        clusters: int = 3,
    ) -> None:
        check_options((CLUSTERS,), clusters=clusters)
        self._clusters = clusters
        super().__init__(scores, budget=budget, seed=seed, variant=variant, h=h)

    def _strata(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        return by_clusters(scores, self._clusters)


def pre_sample_sizes(sizes: NDArray[np.intp], budget: int, h: int) -> NDArray[np.intp]:
    """Inputs to pre-sample from each stratum, (H,); where the budget is below H, one from each of the largest strata.

    >>> [pre_sample_sizes(np.array([10, 10, 80]), budget, 10).tolist() for budget in (50, 45, 12, 7, 4, 2)]
    [[10, 10, 10], [10, 10, 10], [2, 2, 2], [2, 2, 2], [1, 1, 1], [1, 0, 1]]
    """
    count = len(sizes)
    if budget < count:
        largest = np.zeros(count, dtype=np.intp)
        largest[np.argsort(-sizes, kind="stable")[:budget]] = 1
        return largest
    each = min(h, max(2 * budget // (3 * count), min(2, budget // count)))
    return np.minimum(sizes, each)


def loss_spreads(
    losses: NDArray[np.float64], strata: NDArray[np.intp], count: int, *, smooth: bool
) -> NDArray[np.float64]:
    """Standard deviation of the losses of each of ``count`` strata, (H,), from k known losses and their strata (k,).

    Smoothed as ``OptimumAllocation`` says; unsmoothed, a stratum without known losses has 0.

    >>> loss_spreads(np.array([0.0, 0.0, 0.0, 1.0]), np.array([0, 0, 1, 1]), 2, smooth=True).round(3)
    array([0.433, 0.5  ])
    """
    known = np.bincount(strata, minlength=count)  # (H,)
    means = np.bincount(strata, losses, minlength=count) / np.maximum(known, 1)
    squares = np.bincount(strata, (losses - means[strata]) ** 2, minlength=count)
    if not smooth:
        return np.sqrt(squares / np.maximum(known, 1))
    if np.isin(losses, (0.0, 1.0)).all():
        chance = (known * means + 1) / (known + 2)
        return np.sqrt(chance * (1 - chance))
    freedom = np.maximum(known - 1, 0)
    pooled = squares.sum() / max(int(freedom.sum()), 1)
    spreads: NDArray[np.float64] = np.sqrt((squares + 2 * pooled) / (freedom + 2))
    return spreads


class OptimumAllocationFromTraining(FixedList, ABC):
    """What both forms share: strata of the operational set, Neyman allocation on the spread of the training losses.

    The training inputs go into the strata by the operational strata's cut points. Training losses never depend on the
    labels, so the stratum-weighted mean is unbiased, however wrong they are; but a network that fits its training set
    has failures in few strata, and the others would get few labels. So the spread is smoothed as in the P forms, and
    every stratum gets 2 while the budget allows. The draws are interleaved. ``warning`` says so of a network that has
    memorized its training set: its losses then say nothing, and what is smoothed decides alone.

    Parameters
    ----------
    scores : (N,) larger = more likely to fail.
    training_scores, training_losses : (M,) the same variable and the losses of the training inputs.
    budget : n, draws to plan, 1..N.
    seed : whole number that determines every draw.
    variant : "as published" takes the plain standard deviation; a stratum where it is 0 gets no label and counts as
        right, as in the authors' program: biased.

    Source: Wu et al. 2023, sections 4.1 to 4.3, algorithm 1 and equation 6; Neyman (1934).
    """

    claims: ClassVar[Claims] = Claims("once every stratum has a label", honest_interval=True)
    instead: ClassVar[str] = "ssoa-r-p, ssoa-c-p or rrs"  # where the training set shows no mistakes
    adapts: ClassVar[bool] = False
    needs: ClassVar[tuple[Need, ...]] = ("scores", "training_scores", "training_losses")
    source: ClassVar[str] = "Wu et al., Stratified random sampling for neural network test input selection (2023)"
    variants: ClassVar[tuple[str, ...]] = ("as published",)

    def __init__(
        self,
        scores: ArrayLike,
        training_scores: ArrayLike,
        training_losses: ArrayLike,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
    ) -> None:
        chi = check_scores(scores)  # (N,)
        budget = check_budget(budget, chi.size)
        published = check_variant(variant, self.variants) == "as published"
        training, losses = _check_training(training_scores, training_losses)  # each (M,)
        rng = np.random.default_rng(check_seed(seed))
        self._tie_seed = int(rng.integers(2**32))
        labels = self._stratify(chi)  # (N,)
        trained = self._place(training, chi, labels)  # (M,)
        piles = ShuffledStrata(labels, rng)
        self.warning = memorized(losses, self.instead)
        self._trained = np.bincount(trained, minlength=len(piles.sizes))  # (H,)
        self._spreads = loss_spreads(losses, trained, len(piles.sizes), smooth=not published)  # (H,)
        self._allocation = neyman(piles.sizes, self._spreads, budget, minimum=0 if published else 2)  # SSOA, eq. 6
        order = interleave(self._allocation)
        self._ranges = score_ranges(chi, labels)
        sizes = tuple(piles.sizes.tolist())
        design = StratifiedAsPublished(sizes, budget, program="ssoa") if published else Stratified(sizes, budget)
        super().__init__(design, piles.deal(order), self._why, strata=order)

    @abstractmethod
    def _stratify(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        """The stratum of each operational input, (N,)."""

    @abstractmethod
    def _place(
        self, training: NDArray[np.float64], scores: NDArray[np.float64], strata: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """The stratum of each training score, (M,), by the operational scores and their strata, each (N,)."""

    def _why(self, position: int) -> str:
        stratum = int(self._strata[position])
        trained, spread = int(self._trained[stratum]), f"{self._spreads[stratum]:.2g}"
        known = f"where the losses of {counted(trained, 'training input')} give a spread of {spread}"
        return (
            f"one of {self._allocation[stratum]} draws from stratum {stratum + 1} of {len(self._ranges)} "
            f"(score {self._ranges[stratum]}), "
            + (known if trained else f"where no training input falls and {spread} stands for the spread")
        )


class OptimumAllocationByRuleFromTraining(OptimumAllocationFromTraining):
    """SSOA-R-T: strata of the 10% with the highest score, the next 10% and the other 80%; training data."""

    name: ClassVar[str] = "ssoa-r-t"
    title: ClassVar[str] = "Optimum allocation, strata by rule, from training data"
    options: ClassVar[tuple[Option, ...]] = ()

    def _stratify(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        return by_rule(scores, seed=self._tie_seed, shares=RULE)

    def _place(
        self, training: NDArray[np.float64], scores: NDArray[np.float64], strata: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Between the lowest score of a stratum and the highest of the next; where these tie, to the next."""
        borders = [
            scores[strata == stratum].min() / 2 + scores[strata == stratum + 1].max() / 2
            for stratum in range(strata.max())
        ]
        placed: NDArray[np.intp] = sum(
            (training <= border for border in borders), np.zeros(training.size, dtype=np.intp)
        )
        return placed


class OptimumAllocationByClustersFromTraining(OptimumAllocationFromTraining):
    """SSOA-C-T: strata by 1-d k-means of the score into ``clusters`` clusters; training data."""

    name: ClassVar[str] = "ssoa-c-t"
    title: ClassVar[str] = "Optimum allocation, strata by clusters, from training data"
    options: ClassVar[tuple[Option, ...]] = (CLUSTERS,)

    def __init__(
        self,
        scores: ArrayLike,
        training_scores: ArrayLike,
        training_losses: ArrayLike,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        clusters: int = 3,
    ) -> None:
        check_options((CLUSTERS,), clusters=clusters)
        self._clusters = clusters
        super().__init__(scores, training_scores, training_losses, budget=budget, seed=seed, variant=variant)

    def _stratify(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        return by_clusters(scores, self._clusters)

    def _place(
        self, training: NDArray[np.float64], scores: NDArray[np.float64], strata: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """To the nearest center; SSOA, algorithm 1."""
        largest = max(float(np.abs(scores).max()), 1.0)  # so that no sum overflows
        centers = np.bincount(strata, scores / largest) / np.bincount(strata)
        placed: NDArray[np.intp] = np.searchsorted((centers[1:] + centers[:-1]) / 2, training / largest, side="left")
        return placed


def _check_training(scores: ArrayLike, losses: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The scores and losses as arrays (M,); BadInput where they do not fit each other."""
    chi, known = check_scores(scores, "training_scores"), check_scores(losses, "training_losses")
    if not chi.size or chi.size != known.size or known.min() < 0:
        raise BadInput(
            f"There are {chi.size} training scores and {known.size} training losses, the smallest "
            f"{known.min(initial=np.inf):g}. Expected a loss of at least 0 for each. Give the training data again."
        )
    return chi, known


@dataclass(frozen=True, eq=False)
class ByClass:
    """Inputs and training inputs side by side.

    Attributes
    ----------
    features : (N, width), of the inputs. classes : (N,) their predicted classes.
    training, training_classes : (M, width) and (M,).
    wrong : (M,) whether the network fails on the training input; all False where that is not known.
    """

    features: NDArray[Any]
    classes: NDArray[np.intp]
    training: NDArray[Any]
    training_classes: NDArray[np.intp]
    wrong: NDArray[np.bool_]

    def __iter__(self) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """For each class that is predicted: the rows of the inputs and the rows of the training inputs of that class.

        A class that is not in the training set has no training rows; one that is never predicted is left out.
        """
        inputs = _rows_of(self.classes)
        trained = _rows_of(self.training_classes)
        for kind, rows in inputs.items():
            yield rows, trained.get(kind, np.empty(0, dtype=np.intp))


def by_class(
    features: ArrayLike,
    classes: ArrayLike,
    training_features: ArrayLike,
    training_classes: ArrayLike,
    training_losses: ArrayLike | None,
) -> ByClass:
    """The record of these five arrays; BadInput where shapes or values do not fit."""
    own, trained = check_features(features), check_features(training_features, "training features")
    if own.shape[1] != trained.shape[1]:
        raise BadInput(
            f"The features are {own.shape[1]} wide and the training features {trained.shape[1]}. Expected one width. "
            "Take both from the same layer."
        )
    kinds, trained_kinds = np.asarray(classes, dtype=np.intp), np.asarray(training_classes, dtype=np.intp)
    check_length(kinds, len(own), "predicted classes")
    check_length(trained_kinds, len(trained), "predicted classes of training inputs")
    wrong = np.zeros(len(trained), dtype=np.bool_)
    if training_losses is not None:
        losses = check_scores(training_losses, "training losses")
        check_length(losses, len(trained), "training losses")
        wrong = losses > 0
    return ByClass(own, kinds, trained, trained_kinds, wrong)


def _rows_of(classes: NDArray[np.intp]) -> dict[int, NDArray[np.intp]]:
    order = np.argsort(classes, kind="stable")
    kinds, starts = np.unique(classes[order], return_index=True)
    return dict(zip(kinds.tolist(), np.split(order, starts[1:]), strict=True))
