"""The inputs of a second look: answers of another session, drawn from it, in the order that session stored."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from testimate.core.checks import check_budget
from testimate.core.design import Purposive
from testimate.core.errors import BadInput
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.fixed_list import FixedList
from testimate.selectors.settings import check_seed, check_variant


class SecondLookSampling(FixedList):
    """Answers of another session to be looked at again, so that errors in it can be corrected.

    Parameters
    ----------
    size : N.
    of : id of the session whose answers they are.
    looks : (budget, 2) row and chance of each, in labeling order.
    answers : how many answers they were drawn from.
    not_by : for each, the names of testers who are not asked, because they gave its first answer; empty where anybody
        may be asked.

    Source: this project; two-phase sampling, Sarndal, Swensson and Wretman 1992, chapter 9.
    """

    name: ClassVar[str] = "second-look"
    title: ClassVar[str] = "A second look"
    needs: ClassVar[tuple[Need, ...]] = ("size",)
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="It has no estimate of its own; it corrects the one of the session whose answers it looks at again.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "this project; after Sarndal, Swensson and Wretman (1992), chapter 9"
    options: ClassVar[tuple[Option, ...]] = (
        Option("of", "", "id of the session whose answers are looked at again"),
        Option("looks", (), "row and chance of each"),
        Option("answers", 0, "how many answers they were drawn from"),
        Option("not_by", (), "for each, the tester who is not asked again"),
    )
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        size: int,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        of: str = "",
        looks: Sequence[Sequence[Any]] = (),
        answers: int = 0,
        not_by: Sequence[Sequence[str]] = (),
    ) -> None:
        check_budget(budget, size)
        check_seed(seed)
        check_variant(variant, self.variants)
        try:
            rows = [int(row) for row, _ in looks]
            chances = [float(chance) for _, chance in looks]
        except (TypeError, ValueError):
            rows, chances = [], []
        sound = len(rows) == len(set(rows)) == budget and all(0 <= row < size for row in rows)
        sound = sound and len(not_by) in (0, budget) and all(isinstance(names, list | tuple) for names in not_by)
        if not (sound and all(0 < chance <= 1 for chance in chances) and of and budget <= answers <= size):
            raise BadInput(
                f"A second look at {budget} of {answers!r:.20} answers of session {of!r:.40} came with {len(rows)} inputs; "
                "expected each input once with its chance. Begin it on the Results page of that session."
            )
        super().__init__(
            Purposive((size,), budget), np.array(rows, dtype=np.intp), lambda _: "an answer to look at again"
        )
