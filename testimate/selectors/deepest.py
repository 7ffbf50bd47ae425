"""DeepEST: mostly inputs whose score exceeds a threshold, one after another, each with a chance that is known."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.design import Sequential
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.base import FixedList, check_settings
from testimate.selectors.unequal_probability import UnequalProbabilitySampling, draw_chances


class DeepEST(FixedList):
    """The first input at random; then with probability r one in proportion to its weight, else any, never one twice.

    The weight of an input is its chi where that exceeds the threshold, else 0; where no weight is left the draw is
    uniform. That is how the authors' program reads equation 7. Read literally, w_ij is the weight toward the input i
    of the inputs j drawn before, and is chi_j where chi_i exceeds the threshold: then all inputs beyond it would be
    equally likely. In either reading no label decides what is drawn next, so the list is fixed in advance.

    A uniform share u goes on top: the weights are used with probability (1 - u) r.

    Parameters
    ----------
    scores : (N,) chi, larger = more likely to fail. Negative ones are mapped first, see ``negative``.
    scores_are_chances : whether chi is a chance of failure, as 1 - confidence is; the threshold is then ``chance``, else
        the mean of chi and ``deviations`` standard deviations.
    budget : n, draws to plan, 1..N.
    seed : whole number that determines every draw; a larger budget continues the list of a smaller one.
    variant : "as published" draws without the uniform share, as the paper has it. The authors' scripts also use
        thresholds other than those they state: for LSA the mean and the *variance*, which is near the mean (subject D,
        n = 200: 60 failures published, 70 with two deviations, 59 with the 0.09 deviations that are the variance); for
        regression 0, so that every input has its weight (any low enough ``deviations``).
    r : probability that weights are used, 0..1.
    chance, deviations : the thresholds.
    uniform_share : u, 0..1.
    negative : what is done where a chi is below 0, see ``UnequalProbabilitySampling``.

    Source: Guerriero et al., "Operation is the hardest teacher: estimating DNN accuracy looking for mispredictions" (2021);
    DeepSample, section 3.4.1.
    """

    name: ClassVar[str] = "deepest"
    title: ClassVar[str] = "DeepEST"
    needs: ClassVar[tuple[Need, ...]] = ("scores", "scores_are_chances")
    claims: ClassVar[Claims] = Claims(
        "every prefix",
        honest_interval=False,
        note="Exposes many failures; the few labels below the threshold weigh about four each, so where failures hide there, "
        "the interval covers less often than it claims until there are a few hundred labels.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "Guerriero et al., Operation is the hardest teacher (2021); DeepSample, section 3.4.1"
    options: ClassVar[tuple[Option, ...]] = (
        Option("r", 0.8, "Share of the draws made by weight.", low=0.0, high=1.0),
        Option("chance", 0.3, "Threshold for a score that is a chance of failure.", low=0.0, high=1.0),
        Option("deviations", 2.0, "Threshold for other scores, in standard deviations above their mean.", low=-100.0),
        *UnequalProbabilitySampling.options,
    )
    variants: ClassVar[tuple[str, ...]] = ("as published",)

    def __init__(
        self,
        scores: ArrayLike,
        scores_are_chances: bool,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        **options: Any,
    ) -> None:
        made = check_settings(type(self), scores, budget=budget, seed=seed, variant=variant, **options)
        chi, budget, chosen = made.scores, made.budget, made.options
        sizes = draw_chances(chi, uniform_share=0.0, negative=chosen["negative"])  # (N,), in proportion to chi
        threshold = sizes.mean() + chosen["deviations"] * sizes.std()
        beyond = chi > chosen["chance"] if scores_are_chances else sizes > threshold
        weights = np.where(beyond, sizes, 0.0)  # (N,)
        by_weight = float(chosen["r"]) * (1.0 if made.published else 1 - float(chosen["uniform_share"]))
        rows = _draw(weights, by_weight, budget, made.rng)
        self._scores, self._weights = chi, weights
        chances = _chances(weights, rows, by_weight)
        super().__init__(Sequential((chi.size,), budget), rows, self._why, probabilities=chances)

    def _why(self, position: int) -> str:
        row = self._rows[position]
        side = "above" if self._weights[row] > 0 else "below"
        return f"draw {position + 1}, score {self._scores[row]:.3g}, {side} the threshold"


def _draw(weights: NDArray[np.float64], by_weight: float, budget: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """The rows drawn, (n,), from weights (N,).

    Two queues, each a whole order by itself: by weight (the shortest exponential waiting time first, at a rate equal to
    the weight) and at random. Each draw takes the next row of one queue that the other has not given yet; what one
    queue gives says nothing about the order of the rest of the other.
    """
    waiting = np.divide(
        rng.standard_exponential(weights.size), weights, out=np.full(weights.size, np.inf), where=weights > 0
    )
    queues = (rng.permutation(weights.size), np.argsort(waiting, kind="stable")[: np.count_nonzero(weights)])
    weighted = rng.random(budget) < by_weight  # (n,)
    weighted[0] = False
    left, heads = np.count_nonzero(weights), [0, 0]
    taken, rows = np.zeros(weights.size, dtype=bool), np.empty(budget, dtype=np.intp)
    for draw in range(budget):
        side = int(weighted[draw] and left > 0)
        while taken[queues[side][heads[side]]]:
            heads[side] += 1
        rows[draw] = row = queues[side][heads[side]]
        taken[row] = True
        left -= int(weights[row] > 0)
    return rows


def _chances(weights: NDArray[np.float64], rows: NDArray[np.intp], by_weight: float) -> NDArray[np.float64]:
    """The chance of each draw given those before it, (n,); DeepSample, eq. 7."""
    drawn = weights[rows]
    rest = np.delete(weights, rows).sum()
    left = rest + np.cumsum(drawn[::-1])[::-1]  # weight left before each draw, (n,); summed so that nothing cancels
    inputs_left = weights.size - np.arange(len(rows))
    mixed = by_weight * np.divide(drawn, left, out=np.zeros(len(rows)), where=left > 0) + (1 - by_weight) / inputs_left
    chances = np.where(left > 0, mixed, 1 / inputs_left)
    chances[0] = 1 / weights.size
    return np.minimum(chances, 1.0)
