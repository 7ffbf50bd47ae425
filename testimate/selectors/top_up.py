"""The inputs of a top-up: drawn by a plan of their own beside earlier ones, in the order that the session stored."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from testimate.core.checks import check_budget
from testimate.core.design import Purposive
from testimate.core.errors import BadInput
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.fixed_list import FixedList
from testimate.selectors.settings import check_seed, check_variant


class TopUp(FixedList):
    """A few more inputs to label, so that earlier labels say more about a new version or its difference from another.

    Parameters
    ----------
    size : N.
    rows : (budget,) in labeling order.
    plan : their plan as PLAN.json holds it, by which earlier plans and this one are judged together.
    purpose : "accuracy" or "difference".

    Source: this project; ``planning.top_up``.
    """

    name: ClassVar[str] = "top-up"
    title: ClassVar[str] = "A top-up"
    needs: ClassVar[tuple[Need, ...]] = ("size",)
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="It has no estimate of its own; with the plans before it, it judges versions of a model.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "this project"
    options: ClassVar[tuple[Option, ...]] = (
        Option("rows", (), "the inputs, in labeling order"),
        Option("plan", (), "the plan by which they were drawn"),
        Option(
            "purpose", "accuracy", "which estimate they are to make more precise", choices=("accuracy", "difference")
        ),
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
        plan: Mapping[str, Any] | Sequence[Any] = (),
        purpose: str = "accuracy",
    ) -> None:
        check_budget(budget, size)
        check_seed(seed)
        check_variant(variant, self.variants)
        sound = len(set(rows)) == len(rows) == budget and all(isinstance(row, int) and 0 <= row < size for row in rows)
        if not sound or not isinstance(plan, Mapping) or purpose not in ("accuracy", "difference"):
            raise BadInput(
                f"A top-up of {budget} inputs for the {purpose!r:.20} came with {len(rows)}; expected each input once, with "
                "the plan that drew them. Begin it on the Versions page."
            )
        why = "where the versions differ" if purpose == "difference" else "to judge the new version"
        super().__init__(Purposive((size,), budget), np.array(rows, dtype=np.intp), lambda _: f"one more label, {why}")
