"""Enough draws from each part of the set to make its interval as narrow as requested, in the order stored."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from testimate.core.checks import check_budget
from testimate.core.design import Stratified
from testimate.core.errors import BadInput
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.fixed_list import FixedList
from testimate.selectors.settings import check_seed, check_variant


class EachPart(FixedList):
    """A simple random sample of each part, such as a predicted class, without replacement.

    Parameters
    ----------
    size : N.
    rows, strata : (budget,) each, in labeling order; a part is a stratum.
    sizes : inputs of each part; they sum to N. called : the column whose values are the parts, untrusted text.

    Source: this project; Cochran 1977, section 5.5 A, on allocation for estimates in strata; ``planning.each_part`` draws it.
    """

    name: ClassVar[str] = "each-part"
    title: ClassVar[str] = "Each part by itself"
    needs: ClassVar[tuple[Need, ...]] = ("size",)
    claims: ClassVar[Claims] = Claims(
        "once every stratum has a label",
        honest_interval=True,
        note="Its labels go to the parts whose intervals would be too wide, not where the estimate of the whole gains most.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "this project; after Cochran (1977), chapter 5"
    options: ClassVar[tuple[Option, ...]] = (
        Option("rows", (), "the inputs, in labeling order"),
        Option("strata", (), "the part of each"),
        Option("sizes", (), "inputs of each part"),
        Option("called", "", "the column whose values are the parts"),
    )
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        size: int,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        rows: Sequence[int] = (),
        strata: Sequence[int] = (),
        sizes: Sequence[int] = (),
        called: str = "",
    ) -> None:
        check_budget(budget, size)
        check_seed(seed)
        check_variant(variant, self.variants)
        whole = all(isinstance(one, int) for one in (*rows, *strata, *sizes))
        sound = len(set(rows)) == len(rows) == len(strata) == budget and sum(sizes) == size
        if not (whole and sound and all(0 <= row < size for row in rows) and all(0 <= h < len(sizes) for h in strata)):
            raise BadInput(
                f"A sample of {budget} from {len(sizes)} parts came with {len(rows)} inputs; expected each input once with its "
                "part. Begin it on the Plan page, or with testimate select --each."
            )
        each = np.bincount(np.array(strata, dtype=np.intp), minlength=len(sizes))
        of = f" of {called}" if called else ""
        super().__init__(
            Stratified(tuple(sizes), budget),
            np.array(rows, dtype=np.intp),
            lambda position: f"one of {each[strata[position]]} from part {strata[position] + 1}{of}",
            strata=np.array(strata, dtype=np.intp),
        )
