"""One sample for several models: its draws, as the session stored them."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from testimate.core.checks import check_budget
from testimate.core.design import Stratified
from testimate.core.errors import BadInput
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.fixed_list import FixedList
from testimate.selectors.settings import check_seed, check_variant


class SharedSample(FixedList):
    """A stratified sample drawn where several models on the same inputs may fail, so that its labels judge each of them.

    Parameters
    ----------
    size : N.
    rows, strata : (budget,) each, in labeling order.
    sizes : inputs of each stratum; they sum to N. prior : its guessed failure rate (``Stratified.prior_failure``); empty: none.
    models : keys of the subjects it is for, the session's own first.

    Source: this project; ``planning.shared_sample``, which draws it.
    """

    name: ClassVar[str] = "shared"
    title: ClassVar[str] = "One sample for several models"
    needs: ClassVar[tuple[Need, ...]] = ("size",)
    claims: ClassVar[Claims] = Claims(
        "once every stratum has a label",
        honest_interval=True,
        always_valid=True,
        tasks=("classification",),
        note="Versions judges each model by the same labels.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "Testimate; after Neyman (1934) and Hesterberg (1995)"
    options: ClassVar[tuple[Option, ...]] = (
        Option("rows", (), "the inputs, in labeling order"),
        Option("strata", (), "the stratum of each"),
        Option("sizes", (), "inputs of each stratum"),
        Option("prior", (), "guessed failure rate of each stratum"),
        Option("models", (), "the subjects it is for"),
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
        rows: Sequence[int] = (),
        strata: Sequence[int] = (),
        sizes: Sequence[int] = (),
        prior: Sequence[float] = (),
        models: Sequence[str] = (),
        aimed_at: int | None = None,
    ) -> None:
        check_budget(budget, size)
        check_seed(seed)
        check_variant(variant, self.variants)
        sound = len(set(rows)) == len(rows) == len(strata) == budget and sum(sizes) == size and len(models) > 1
        whole = all(isinstance(one, int) for one in (*rows, *strata, *sizes))
        if not (sound and whole and all(0 <= row < size for row in rows) and all(0 <= h < len(sizes) for h in strata)):
            raise BadInput(
                f"A sample of {budget} for {len(models)} models came with {len(rows)} inputs in {len(sizes)} strata; expected "
                "each input once with its stratum, and two models at least. Begin it on the Plan page."
            )
        super().__init__(
            Stratified(tuple(sizes), budget, prior_failure=tuple(prior) or None, in_rounds=True, aimed_at=aimed_at),
            np.array(rows, dtype=np.intp),
            lambda position: f"stratum {strata[position] + 1} of {len(sizes)}, by how many of the models may fail",
            strata=np.array(strata, dtype=np.intp),
        )
