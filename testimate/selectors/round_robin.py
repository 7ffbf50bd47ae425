"""Round-robin defensive stratification: rounds over strata of equal weight, fixed before any label is seen."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_chances
from testimate.core.design import IntervalVersion, Stratified
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.base import (
    INTERVAL_VERSION,
    TRUST,
    FixedList,
    ShuffledStrata,
    check_settings,
    score_ranges,
    trusted,
)
from testimate.structure.strata import by_equal_size


class RoundRobinStratification(FixedList):
    """Strata of equal total weight by score; each round draws one input from every stratum that has any left.

    The whole order, from the first input to the last, is fixed by the scores and the seed; the budget is how much of it
    is planned. How many inputs a stratum gives never depends on an outcome, so the stratum-weighted mean is unbiased at
    every prefix that has reached each stratum. An input's weight s is at least half the mean weight, so at complete
    rounds the standard error is at most sqrt(2) times simple random sampling's, even where the score is worthless.

    Parameters
    ----------
    scores : (N,) larger = more likely to fail.
    scores_are_chances : whether the scores are chances of failure c in [0, 1], as 1 - confidence is. Then the weight is
        s = (1 - e) r / mean(r) + e with r = sqrt(c (1 - c)), the standard deviation of a failure of chance c, and the
        design carries a prior failure rate per stratum. Else s = (1 - e) chi / mean(chi) + e, scores with values below
        0 shifted so that the smallest is 0. Where all r (or chi) are 0 every s is 1.
    disagreement : (N,) of other models, where the scores were combined from it; used only in the words of a reason.
    history : (N,) chances by earlier models' results, where these are the scores; used only in the words of a reason.
    budget : n, draws to plan, 1..N.
    seed : whole number that determines every draw; a larger budget continues the list of a smaller one.
    strata : strata aimed at; there are fewer where single inputs weigh more than a stratum.
    even_share : e, the part of the weight that every input has regardless of its score.
    trust : how far scores that are chances are believed, 0 to 1: c counts as trust c + (1 - trust) / 2.
    aimed_at : number of labels at which the always-valid interval should be narrow; None for an interval without such a
        target.
    interval_version : how the ordinary interval is computed; sessions and plans keep the one they were made with.

    Source: Testimate's own. Weights near the optimum of Neyman (1934), made defensive as in Hesterberg (1995).
    """

    name: ClassVar[str] = "rrs"
    title: ClassVar[str] = "Round-robin stratification"
    needs: ClassVar[tuple[Need, ...]] = ("scores", "scores_are_chances")
    uses: ClassVar[tuple[Need, ...]] = ("disagreement", "history")
    claims: ClassVar[Claims] = Claims(
        "once every stratum has a label",
        honest_interval=True,
        always_valid=True,
        note="Afterwards the estimate can learn from the labels: on Results, or with --assisted learned. Where a network "
        "fails on whole classes, that halves the error of the estimate.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "Testimate; after Neyman (1934) and Hesterberg (1995)"
    options: ClassVar[tuple[Option, ...]] = (
        Option("strata", 10, "Strata the inputs are cut into, of equal total weight.", low=1, high=100),
        Option("even_share", 0.5, "Share of the weight that ignores the score.", low=0.01, high=1.0),
        TRUST,
    )
    variants: ClassVar[tuple[str, ...]] = ()
    aims: ClassVar[bool] = True

    @staticmethod
    def resolved(
        scores_are_chances: bool, available: Collection[str] = (), options: Mapping[str, Any] = MappingProxyType({})
    ) -> dict[str, Any]:
        """Arguments besides the options that are stored with a session, by their present defaults."""
        del scores_are_chances, available, options
        return {"interval_version": INTERVAL_VERSION}

    def __init__(
        self,
        scores: ArrayLike,
        scores_are_chances: bool,
        disagreement: ArrayLike | None = None,
        history: ArrayLike | None = None,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        aimed_at: int | None = None,
        interval_version: IntervalVersion = INTERVAL_VERSION,
        **options: Any,
    ) -> None:
        made = check_settings(type(self), scores, budget=budget, seed=seed, variant=variant, **options)
        strata, even_share, trust = (made.options[name] for name in ("strata", "even_share", "trust"))
        chi, budget, rng = made.scores, made.budget, made.rng
        if scores_are_chances:
            check_chances(chi)
        believed = trusted(chi, trust) if scores_are_chances else chi
        weights = defensive_weights(_spread(believed, scores_are_chances), even_share)  # (N,)
        labels = by_equal_size(weights, chi, strata, seed=int(rng.integers(2**32)))  # (N,)
        del weights
        piles = ShuffledStrata(labels, rng)
        rows = rows_in_rounds(piles.place, rng.random(chi.size), budget)
        of_confidence = scores_are_chances and disagreement is None and history is None
        self._round, self._ranges = piles.place[rows], score_ranges(1 - chi if of_confidence else chi, labels)
        self._meaning = "confidence" if of_confidence else "chance of failure" if scores_are_chances else "score"
        prior = prior_failure(_spread(believed, True), labels, even_share) if scores_are_chances else None
        sizes = tuple(piles.sizes.tolist())
        design = Stratified(
            sizes,
            budget,
            prior_failure=prior,
            in_rounds=True,
            aimed_at=aimed_at,
            interval_version=interval_version,
        )
        super().__init__(design, rows, self._why, strata=labels[rows])

    def _why(self, position: int) -> str:
        stratum = int(self._strata[position])
        return (
            f"round {self._round[position] + 1}, stratum {stratum + 1} of {len(self._ranges)} "
            f"({self._meaning} {self._ranges[stratum]})"
        )


def defensive_weights(spread: NDArray[np.float64], even_share: float = 0.5) -> NDArray[np.float64]:
    """s = (1 - e) spread / mean(spread) + e for spreads of at least 0, (N,), with mean 1; 1 where all spreads are 0."""
    largest = float(spread.max())
    if largest == 0:
        return np.ones_like(spread)
    weights = spread / largest  # in [0, 1], so that the mean cannot overflow
    mean = weights.mean()
    weights *= 1 - even_share
    weights /= mean
    weights += even_share
    return weights


def prior_failure(
    spread: NDArray[np.float64], strata: NDArray[np.intp], even_share: float = 0.5
) -> tuple[float, ...] | None:
    """The smaller root p0 of p (1 - p) = (mean in the stratum of (1 - e) r + e mean(r))^2, H numbers in [0, 0.5].

    None where every r is 0: such scores predict nothing.
    """
    if spread.max() == 0:
        return None
    sizes = np.bincount(strata)
    in_stratum = (1 - even_share) * np.bincount(
        strata, spread
    ) / sizes + even_share * spread.mean()  # (H,), at most 1/2
    root = np.sqrt(np.maximum(0.25 - in_stratum**2, 0))
    return tuple((0.5 - root).tolist())


def _spread(scores: NDArray[np.float64], scores_are_chances: bool) -> NDArray[np.float64]:
    """What an input weighs before its weight is made defensive, (N,)."""
    if not scores_are_chances:
        return _shifted(scores)
    spread = 1 - scores
    spread *= scores
    return np.sqrt(spread, out=spread)


def _shifted(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores with the smallest at 0 where there are any below 0; halved, so that the largest cannot overflow."""
    return scores / 2 - min(float(scores.min()), 0.0) / 2


def rows_in_rounds(place: NDArray[np.intp], ticket: NDArray[np.float64], budget: int) -> NDArray[np.intp]:
    """The first ``budget`` rows of the order: round by round, each round's strata in the order of their tickets."""
    last = np.partition(place, budget - 1)[budget - 1]  # the round in which the budget ends
    rows = np.flatnonzero(place <= last)
    order: NDArray[np.intp] = rows[np.lexsort((ticket[rows], place[rows]))][:budget]
    return order
