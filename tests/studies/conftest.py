"""A small operational set of known truth, and techniques made to order."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
import pytest

from testimate.core.design import Design, Purposive
from testimate.core.draw import Draw, Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Claims
from testimate.tasks.classification import Classification


@pytest.fixture(scope="session")
def inputs() -> Inputs:
    """1,000 inputs, 215 of them wrong, more often where the confidence is low."""
    rng = np.random.default_rng(3)
    chance = rng.beta(0.5, 1.8, 1000)
    failed = rng.random(1000) < chance
    return Inputs(
        fingerprint="made",
        task=Classification(classes=("a", "b")),
        predictions=np.zeros(1000, dtype=np.intp),
        confidence=1 - chance,
        scores={"confidence": chance, "noise": rng.random(1000)},
        losses=failed.astype(np.float64),
    )


class Scripted:
    """A technique that draws rows 0, 1, 2 ..., as many ``at_a_time``; it waits for their verdicts before it goes on."""

    name: ClassVar[str] = "scripted"
    title: ClassVar[str] = "Scripted"
    needs: ClassVar[tuple[str, ...]] = ("size",)
    claims: ClassVar[Claims] = Claims("no", honest_interval=False)
    adapts: ClassVar[bool] = True
    source: ClassVar[str] = ""
    options: ClassVar[tuple[()]] = ()
    variants: ClassVar[tuple[str, ...]] = ()

    kind: ClassVar[type[Design]] = Purposive
    chance: ClassVar[float | None] = None
    at_a_time: ClassVar[int] = 1000
    seeded: ClassVar[bool] = False
    listens: ClassVar[bool] = True
    always_row_0: ClassVar[bool] = False

    def __init__(self, size: int, *, budget: int, seed: int, variant: str | None = None) -> None:
        self.variant = variant
        self.design = self.kind(stratum_sizes=(size,), planned=budget)
        first = seed % (size - budget) if self.seeded else 0
        self._rows = [0] * budget if self.always_row_0 else list(range(first, first + budget))
        self._told = 0
        self._asked = 0

    @property
    def remaining(self) -> int:
        return len(self._rows) - self._asked

    def ask(self, count: int) -> Sequence[Draw]:
        if self._told < self._asked:
            return []
        rows = self._rows[self._asked : self._asked + min(count, self.at_a_time)]
        self._asked += len(rows)
        return [Draw(row, self.chance) for row in rows]

    def tell(self, verdicts: Sequence[Verdict]) -> None:
        if self.listens:
            self._told += len(verdicts)


@pytest.fixture
def with_technique(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Adds a scripted technique under the name "scripted", with class attributes changed as given."""

    def add(**changes: Any) -> None:
        known = {"scripted": type("Changed", (Scripted,), changes)}
        for module in ("testimate.studies.study", "testimate.planning.build"):
            monkeypatch.setattr(import_module(module), "SELECTORS", known)

    return add
