"""What every task offers: it turns (prediction, answer) into a loss, and says when a loss counts as a failure."""

from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.measure import Measure

TaskKind = Literal["classification", "multi-label", "regression", "verdict", "boxes"]
"""What a task is called in files and at the command line: its ``kind``."""


class Task(Protocol):
    """What the network does, and so what an answer is and what a wrong one costs.

    The accuracy Testimate reports is always ``1 - mean outcome`` over the whole set, the outcome being what a loss counts.
    """

    kind: ClassVar[TaskKind]
    numeric: ClassVar[bool]
    """Whether an answer is a number rather than one or several of the classes."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes; empty where an answer is a number."""
        ...

    @property
    def unit(self) -> str:
        """Unit of an answer that is a number; else empty."""
        ...

    @property
    def measure(self) -> Measure:
        """What its accuracy is called, and how it is written."""
        ...

    @property
    def loss_bound(self) -> float | None:
        """The largest loss one input can have, or None where there is no bound."""
        ...

    @property
    def outcome_bound(self) -> float | None:
        """The largest outcome one input can have, or None where there is no bound."""
        ...

    @property
    def fault_words(self) -> str:
        """What a fault is, after a count: "3 wrong"."""
        ...

    def losses(self, predictions: ArrayLike, answers: ArrayLike) -> NDArray[np.float64]:
        """Loss of each input, shape (n,), from n predictions and n answers in the form ``check_answer`` gives.

        A stored answer becomes a loss by ``Inputs.loss`` or ``Inputs.losses_of``. Raises BadInput where the shapes are not
        the task's: nothing is broadcast.
        """
        ...

    def failed(self, losses: ArrayLike) -> NDArray[np.bool_]:
        """Which losses count as a failure (a fault found), shape (n,)."""
        ...

    def outcomes(self, losses: ArrayLike) -> NDArray[np.float64]:
        """What each loss counts in the accuracy, shape (n,): itself, or 1 for a failure where the accuracy is a share."""
        ...

    def check_answer(self, answer: Any) -> int | float | tuple[int, ...] | list[int]:
        """The answer in the form ``losses`` takes; raises BadInput where a tester could not have given it."""
        ...

    def answer_text(self, answer: Any, *, in_full: bool = False) -> str:
        """A tester's answer, as events hold it, for people to read; ``in_full`` for machines. Empty for None."""
        ...

    def prediction_text(self, prediction: ArrayLike, *, in_full: bool = False) -> str:
        """A row of ``Inputs.predictions`` for people to read; ``in_full`` for machines."""
        ...

    def truth_text(self, truth: ArrayLike) -> str:
        """A row of ``Inputs.truth`` for people to read."""
        ...
