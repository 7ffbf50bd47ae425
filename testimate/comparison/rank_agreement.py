"""How far two rankings agree: Spearman, Kendall tau-b, and the Jaccard similarity of their first k."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import kendalltau, rankdata, spearmanr

from testimate.core.checks import check_scores
from testimate.core.errors import BadInput

FIRST = (1, 3, 5, 10)
"""The k of the Jaccard similarities."""


@dataclass(frozen=True)
class RankAgreement:
    """How far an order agrees with the true one.

    Attributes
    ----------
    spearman, kendall : from -1 to 1; None where all scores of one side are equal, because then there is no order.
    jaccard : k -> the similarity of the first k, 0..1.
    """

    spearman: float | None
    kendall: float | None
    jaccard: dict[int, float]

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; the k as text."""
        jaccard = {str(k): value for k, value in self.jaccard.items()}
        return {"spearman": self.spearman, "kendall": self.kendall, "jaccard": jaccard}


def rank_agreement(scores: ArrayLike, truth: ArrayLike) -> RankAgreement:
    """Agreement of two scores of the same M models, (M,) each, larger = better.

    Models that are tied share the mean of their ranks for Spearman and count as neither order for Kendall's tau-b; for the
    first k they share the best of their ranks, so that more than k models may be among them (r <= k, equation 5).

    Source: Guo et al., section 4.5, equations 3 to 5. (Equation 4, tau-b, counts in T and U the pairs that are tied.)

    >>> found = rank_agreement([0.9, 0.7, 0.8], [0.95, 0.6, 0.5])
    >>> found.spearman, round(found.kendall, 3), found.jaccard[1], found.jaccard[3]
    (0.5, 0.333, 1.0, 1.0)
    """
    ours, true = check_scores(scores), check_scores(truth, "true scores")
    if len(ours) != len(true) or len(ours) < 2:
        raise BadInput(
            f"There are {len(ours)} scores and {len(true)} true ones; expected as many of each, at least 2. Pass both for "
            "the same models."
        )
    jaccard = {k: first_in_common(ours, true, k) for k in FIRST}
    if np.ptp(ours) == 0 or np.ptp(true) == 0:
        return RankAgreement(None, None, jaccard)
    return RankAgreement(float(spearmanr(ours, true).statistic), float(kendalltau(ours, true).statistic), jaccard)


def first_in_common(scores: NDArray[np.float64], truth: NDArray[np.float64], k: int) -> float:
    """Jaccard similarity of the models that rank among the first k by each; Guo et al., equation 5."""
    ours, true = places_of(scores) <= k, places_of(truth) <= k
    return float((ours & true).sum() / (ours | true).sum())


def places_of(scores: ArrayLike) -> NDArray[np.intp]:
    """The rank of each score, (..., M), 1 for the largest of a row; tied ones share the best of their ranks.

    >>> places_of([0.5, 0.9, 0.5]).tolist()
    [2, 1, 2]
    """
    ranks: NDArray[Any] = rankdata(-np.asarray(scores, dtype=np.float64), method="min", axis=-1)
    return ranks.astype(np.intp)
