"""Simple random sampling: every input has the same chance."""

from typing import ClassVar

import numpy as np

from testimate.core.checks import check_budget
from testimate.core.design import SimpleRandom
from testimate.core.selector import Claims, Need, Option
from testimate.core.words import spaced
from testimate.selectors.fixed_list import FixedList
from testimate.selectors.settings import check_options, check_seed, check_variant
from testimate.selectors.shuffled_strata import shuffled_rows


class SimpleRandomSampling(FixedList):
    """A simple random sample; every prefix of it is one too.

    Parameters
    ----------
    size : N, the number of inputs.
    budget : n, draws to plan, 1..N.
    seed : whole number that determines every draw; a larger budget continues the list of a smaller one.
    replacement : True lets an input come again, as DeepSample (section 3.4.1) has it.
    aimed_at : number of labels at which the always-valid interval should be narrow; None for an interval without such a
        target.

    Source: Cochran, Sampling Techniques (1977), chapter 2.

    >>> [draw.row for draw in SimpleRandomSampling(1000, budget=3, seed=1).ask(3)] == [
    ...     draw.row for draw in SimpleRandomSampling(1000, budget=9, seed=1).ask(3)]
    True
    """

    name: ClassVar[str] = "srs"
    title: ClassVar[str] = "Simple random sampling"
    needs: ClassVar[tuple[Need, ...]] = ("size",)
    claims: ClassVar[Claims] = Claims(
        "every prefix",
        honest_interval=True,
        always_valid=True,
        note="Afterwards the estimate can learn from the labels: on Results, or with --assisted learned. On most networks "
        "that saves a quarter to a third of the labels.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "Cochran, Sampling Techniques (1977), chapter 2; DeepSample, section 3.4.1"
    options: ClassVar[tuple[Option, ...]] = (
        Option("replacement", False, "Whether an input may be drawn again, as in DeepSample.", choices=(False, True)),
    )
    variants: ClassVar[tuple[str, ...]] = ()

    aims: ClassVar[bool] = True

    def __init__(
        self,
        size: int,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        replacement: bool = False,
        aimed_at: int | None = None,
    ) -> None:
        budget = check_budget(budget, size)
        check_variant(variant, self.variants)
        check_options(self.options, replacement=replacement)
        rng = np.random.default_rng(check_seed(seed))
        rows = rng.integers(size, size=budget) if replacement else shuffled_rows(int(size), rng)[:budget]
        design = SimpleRandom(stratum_sizes=(int(size),), planned=budget, replacement=replacement, aimed_at=aimed_at)
        super().__init__(design, rows.astype(np.intp), self._why)

    def _why(self, position: int) -> str:
        return f"simple random draw {position + 1} from all {spaced(self.design.size)} inputs"
