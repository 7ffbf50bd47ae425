"""Inputs drawn at random from a selection that a reviewer made: their labels say nothing about other inputs."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from testimate.core.checks import check_budget
from testimate.core.design import Purposive
from testimate.core.errors import BadInput
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.fixed_list import FixedList
from testimate.selectors.settings import check_seed, check_variant


class OfSelection(FixedList):
    """Some inputs of a selection, drawn without replacement, each with the same chance.

    Parameters
    ----------
    size : N.
    rows : the inputs it draws from, each once.
    called : what the reviewer calls the selection; untrusted text.
    known : further inputs of the selection, each once, that were labeled before it was drawn.

    Source: this project; simple random sampling, Cochran 1977, chapter 2, of a part of the inputs.
    """

    name: ClassVar[str] = "of-selection"
    title: ClassVar[str] = "Some of a selection"
    needs: ClassVar[tuple[Need, ...]] = ("size",)
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="Its inputs come from a part of the set that somebody chose, so they say nothing about the whole set.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "this project; after Cochran (1977), chapter 2"
    options: ClassVar[tuple[Option, ...]] = (
        Option("rows", (), "the inputs it draws from"),
        Option("called", "", "what the reviewer calls the selection"),
        Option("known", (), "further inputs of it that were labeled before"),
    )
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        size: int,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        rows: Sequence[Any] = (),
        called: str = "",
        known: Sequence[Any] = (),
    ) -> None:
        check_budget(budget, size)
        check_seed(seed)
        check_variant(variant, self.variants)
        held = [*rows, *known]
        whole = all(isinstance(row, int) and not isinstance(row, bool) and 0 <= row < size for row in held)
        if not whole or len(set(held)) != len(held) or budget > len(rows):
            raise BadInput(
                f"{budget} inputs were to be drawn from a selection of {len(rows)}; expected at most that many, each "
                f"row once and from 0 to {size - 1}. Select again on the Clusters page."
            )
        drawn = np.random.default_rng([seed, 0x5E1E]).permutation(np.array(rows, dtype=np.intp))[:budget]
        reason = f"drawn from the selection {called}" if called else "drawn from a selection"
        super().__init__(Purposive((size,), budget), drawn, lambda _: reason)
