"""The labels of a ladder: the surest inputs first, then less sure ones as long as enough of them are right."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from testimate.core.checks import check_budget, check_scores
from testimate.core.design import Purposive
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput
from testimate.core.selector import Claims, Need, Option, check_options
from testimate.core.words import commas, percent
from testimate.selectors.base import Blocks, ShuffledStrata, check_seed, check_variant
from testimate.structure.confidence_ladder import RIGHT, USUAL, Ladder, check_share, rungs_of


class ConfidenceLadder:
    """Random inputs of the surest tenth, then of each further ring, as ``structure.confidence_ladder`` looks at them.

    Parameters
    ----------
    confidence : (N,) chance that each input is right, 0..1.
    aimed_at : labels by which the looks are laid out.
    right : share that is to be right above a confidence.

    Source: this project; fixed-sequence tests after Angelopoulos and others 2021.
    """

    name: ClassVar[str] = "confidence-ladder"
    title: ClassVar[str] = "Ladder of confidences"
    needs: ClassVar[tuple[Need, ...]] = ("confidence",)
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        tasks=("classification",),
        note="These labels say above which confidence enough inputs are right, and nothing about the whole set.",
    )
    adapts: ClassVar[bool] = True
    aims: ClassVar[bool] = True
    source: ClassVar[str] = "this project; after Angelopoulos and others (2021)"
    options: ClassVar[tuple[Option, ...]] = (
        Option(RIGHT, USUAL, "share of the inputs that is to be right", low=0.5, high=1.0),
    )
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        confidence: ArrayLike,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        right: float = USUAL,
        aimed_at: int | None = None,
    ) -> None:
        sure = check_scores(confidence)
        budget = check_budget(budget, sure.size)
        check_variant(variant, self.variants)
        check_options(self.options, right=check_share(right))
        rungs = rungs_of(sure)
        self._ladder = Ladder(right, rungs.rings, budget, budget if aimed_at is None else aimed_at)
        if budget < (first := self._ladder.labels(0, 0)[0]):
            raise BadInput(
                f"The budget is {commas(budget)}. Expected at least {commas(first)} labels, which show without a fault that "
                f"{percent(right)} are right. Plan more, or ask for a smaller share."
            )
        self._least = rungs.least
        self._piles = ShuffledStrata(rungs.ring, np.random.default_rng([check_seed(seed), 0x1ADD])).piles()
        self._blocks = Blocks(budget, ahead=1)
        self._wrong: list[list[bool]] = [[] for _ in rungs.rings]
        self._ended = False
        self._next()

    @property
    def design(self) -> Purposive:
        """Whose strata are the rings, and whose labels say nothing about the whole set."""
        return Purposive(self._ladder.rings, self._ladder.budget, aimed_at=self._ladder.aimed_at)

    @property
    def remaining(self) -> int:
        """Draws of the budget not asked yet; 0 once the ladder ended."""
        return 0 if self._ended else self._blocks.remaining

    def ask(self, count: int) -> Sequence[Draw]:
        """Return the next draws, at most ``count``; fewer once it ended or while a look waits for verdicts."""
        return self._blocks.ask(count)

    def tell(self, verdicts: Sequence[Verdict]) -> None:
        """Look again once all draws of the look have verdicts."""
        self._blocks.keep(verdicts)
        while self._blocks.settle():
            self._next()

    def _next(self) -> None:
        """Draw the labels of the next look, or end."""
        for draw in self._blocks.draws[sum(map(len, self._wrong)) :]:
            loss = self._blocks.loss_of(draw.row)
            self._wrong[draw.stratum].append(loss is None or loss > 0)
        wanted = self._ladder.climb(self._wrong).wanted
        draws = [
            Draw(int(row), None, ring, f"at random of confidence {percent(self._least[ring], 2)} and above")
            for ring, count in enumerate(wanted)
            for row in self._piles[ring][len(self._wrong[ring]) : count]
        ]
        self._ended = not draws
        if draws:
            self._blocks.add(draws)
