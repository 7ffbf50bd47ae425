"""Simple unequal probability sampling: inputs more likely to fail are drawn more often, and weighted less in return."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.design import PerDraw
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.fixed_list import FixedList
from testimate.selectors.settings import Settings, check_settings

NEGATIVE = ("min-max", "shift")


class UnequalProbabilitySampling(FixedList):
    """Independent draws with replacement, each with probability (1 - u) chi / sum chi + u / N.

    The uniform share u keeps every input drawable: a confidence of exactly 1 gives chi = 0, such inputs could never be
    drawn, and without them the estimate is biased. The mixed probability is the one each draw carries. Where every
    chi is 0 the draws are uniform.

    Parameters
    ----------
    scores : (N,) chi, larger = more likely to fail. Negative ones are mapped first, see ``negative``.
    budget : n, draws to plan, 1..N.
    seed : whole number that determines every draw; a larger budget continues the list of a smaller one.
    variant : "as published" draws without the uniform share, as the paper has it.
    uniform_share : u, 0..1.
    negative : what is done where a chi is below 0: "min-max" (for classification) or "shift" by the ceiling of the
        smallest one's size (for regression, where min-max would change the distribution); DeepSample, section 3.3.
    aimed_at : number of labels at which the always-valid interval should be narrow; None for an interval without such a
        target.

    Source: DeepSample, section 3.4.1, SUPS.

    >>> sups = UnequalProbabilitySampling([0.0, 3.0, 1.0], budget=2, seed=1)
    >>> [round(draw.probability, 4) for draw in sups.ask(2)]
    [0.7292, 0.2542]
    """

    name: ClassVar[str] = "sups"
    title: ClassVar[str] = "Unequal probability sampling"
    needs: ClassVar[tuple[Need, ...]] = ("scores",)
    claims: ClassVar[Claims] = Claims(
        "every prefix",
        honest_interval=False,
        always_valid=True,
        note="Exposes many failures; its interval is not honest where failures hide among inputs of very low score, "
        "as they do with confidence, and least of all without the uniform share. The stop-safe interval needs the "
        "uniform share and is wide.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "DeepSample, section 3.4.1; Hansen and Hurwitz (1943)"
    options: ClassVar[tuple[Option, ...]] = (
        Option("uniform_share", 0.05, "Share of the draws that ignores the score.", low=0.0, high=1.0),
        Option("negative", "min-max", "How scores below 0 are mapped to sizes.", choices=NEGATIVE),
    )
    variants: ClassVar[tuple[str, ...]] = ("as published",)
    aims: ClassVar[bool] = True

    def __init__(
        self,
        scores: ArrayLike,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        uniform_share: float = 0.05,
        negative: str = "min-max",
        aimed_at: int | None = None,
    ) -> None:
        given = {"uniform_share": uniform_share, "negative": negative}
        made = check_settings(type(self), scores, budget=budget, seed=seed, variant=variant, **given)
        self._scores, budget = made.scores, made.budget
        chances = chances_of(made, uniform_share, negative)
        bounds = np.cumsum(chances)
        # side="right": an input of chance 0 has an empty interval and is never drawn
        rows = np.searchsorted(bounds / bounds[-1], made.rng.random(budget), side="right")
        self._chances = chances[rows]  # (n,)
        smallest = float(chances.min()) or None
        design = PerDraw((chances.size,), budget, smallest, aimed_at=aimed_at)
        super().__init__(design, rows, self._why, probabilities=self._chances)

    def _why(self, position: int) -> str:
        score, times = self._scores[self._rows[position]], self._chances[position] * self.design.size
        return f"drawn by its score {score:.3g}, {times:.3g} times as likely as average"


def chances_of(made: Settings, uniform_share: float, negative: str) -> NDArray[np.float64]:
    """Chance of each input at every draw, (N,); without the uniform share for "as published"."""
    share = 0.0 if made.published else float(uniform_share)
    return draw_chances(made.scores, uniform_share=share, negative=negative)


def draw_chances(scores: NDArray[np.float64], *, uniform_share: float, negative: str) -> NDArray[np.float64]:
    """Chance of each input at every draw, (N,), summing to 1: proportional to the score, mixed with a uniform share."""
    size, lowest = scores.size, float(scores.min())
    sizes = scores
    if lowest < 0:  # DeepSample, section 3.3
        sizes = scores / 2 - lowest / 2 if negative == "min-max" else scores / 2 + np.ceil(-lowest) / 2
    largest = float(sizes.max())
    if largest <= 0:
        return np.full(size, 1 / size)
    sizes = sizes / largest  # so that no sum can overflow; halved above for the same reason
    chances: NDArray[np.float64] = (1 - uniform_share) * sizes / sizes.sum() + uniform_share / size
    return chances
