"""What the estimators' tests share: verdicts from plain lists."""

from collections.abc import Callable, Sequence

import pytest

from testimate.core.draw import Draw, Verdict


@pytest.fixture
def verdicts_of() -> Callable[..., list[Verdict]]:
    """Verdicts from losses in drawing order; rows are 0, 1, ... unless given."""

    def make(
        losses: Sequence[float | None],
        strata: Sequence[int] | None = None,
        probabilities: Sequence[float] | None = None,
        rows: Sequence[int] | None = None,
    ) -> list[Verdict]:
        return [
            Verdict(
                Draw(
                    row=place if rows is None else int(rows[place]),
                    stratum=0 if strata is None else int(strata[place]),
                    probability=None if probabilities is None else float(probabilities[place]),
                ),
                None if loss is None else float(loss),
            )
            for place, loss in enumerate(losses)
        ]

    return make
