"""SSOA with training data: the budget goes where the losses of the training inputs vary most."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_budget, check_scores
from testimate.core.design import Stratified, StratifiedAsPublished
from testimate.core.errors import BadInput
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.fixed_list import FixedList
from testimate.selectors.optimum_allocation import CLUSTERS, RULE, loss_spreads
from testimate.selectors.settings import check_options, check_seed, check_variant
from testimate.selectors.shuffled_strata import ShuffledStrata, score_ranges
from testimate.structure.strata import by_clusters, by_rule, interleave, neyman


class OptimumAllocationFromTraining(FixedList, ABC):
    """What both forms share: strata of the operational set, Neyman allocation on the spread of the training losses.

    The training inputs go into the strata by the operational strata's cut points. Training losses never depend on the
    labels, so the stratum-weighted mean is unbiased, however wrong they are; but a network that fits its training set
    has failures in few strata, and the others would get few labels. So the spread is smoothed as in the P forms, and
    every stratum gets 2 while the budget allows. The draws are interleaved.

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
        return (
            f"one of {self._allocation[stratum]} draws from stratum {stratum + 1} of {len(self._ranges)} "
            f"(score {self._ranges[stratum]}), where training losses spread by {self._spreads[stratum]:.2g}"
        )


class OptimumAllocationByRuleFromTraining(OptimumAllocationFromTraining):
    """SSOA-R-T: strata of the 10 % with the highest score, the next 10 % and the other 80 %; training data."""

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
        """To the nearest centre; SSOA, algorithm 1."""
        largest = max(float(np.abs(scores).max()), 1.0)  # so that no sum overflows
        centres = np.bincount(strata, scores / largest) / np.bincount(strata)
        placed: NDArray[np.intp] = np.searchsorted((centres[1:] + centres[:-1]) / 2, training / largest, side="left")
        return placed


def _check_training(scores: ArrayLike, losses: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The scores and losses as arrays (M,); BadInput where they do not fit each other."""
    chi, known = check_scores(scores, "training_scores"), check_scores(losses, "training_losses")
    if not chi.size or chi.size != known.size or known.min() < 0:
        raise BadInput(
            f"There are {chi.size} training scores and {known.size} training losses, the smallest "
            f"{known.min(initial=np.inf):g}; expected a loss of at least 0 for each. Give the training data again."
        )
    return chi, known
