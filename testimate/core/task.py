"""The three tasks: each turns (prediction, answer) into a loss, and says when a loss counts as a failure."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput


class Task(Protocol):
    """What the network does, and so what an answer is and what a wrong one costs.

    The accuracy Testimate reports is always ``1 - mean loss`` over the whole set.
    """

    kind: ClassVar[str]

    @property
    def loss_bound(self) -> float | None:
        """The largest loss one input can have, or None where there is no bound."""
        ...

    def losses(self, predictions: ArrayLike, answers: ArrayLike) -> NDArray[np.float64]:
        """Loss of each input, shape (n,), from n predictions and n answers."""
        ...

    def failed(self, losses: ArrayLike) -> NDArray[np.bool_]:
        """Which losses count as a failure (a fault found), shape (n,)."""
        ...

    def check_answer(self, answer: Any) -> int | float | tuple[int, ...]:
        """The answer in the form ``losses`` takes; raises BadInput where a tester could not have given it."""
        ...


@dataclass(frozen=True)
class Classification:
    """One class per input; a prediction is right when the answer is among its ``top_k`` first classes.

    Predictions are class places (n,), or (n, top_k) ordered from the most probable; answers are class places (n,).

    >>> letters = Classification(classes=("a", "b", "c"))
    >>> letters.losses([0, 1, 2], [0, 2, 2])
    array([0., 1., 0.])
    >>> Classification(classes=("a", "b", "c"), top_k=2).losses([[0, 1], [1, 2]], [1, 0])
    array([0., 1.])
    """

    classes: tuple[str, ...]
    top_k: int = 1
    kind: ClassVar[str] = "classification"
    loss_bound: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        if not self.classes:
            raise BadInput("A classification needs at least one class and got none. Name the classes.")
        if len(set(self.classes)) != len(self.classes):
            raise BadInput("Two classes share a name, and a tester could not tell them apart. Give each its own name.")
        if not 1 <= self.top_k <= len(self.classes):
            raise BadInput(
                f"top_k is {self.top_k}; it must lie between 1 and the number of classes, "
                f"{len(self.classes)}. Change it."
            )

    def losses(self, predictions: ArrayLike, answers: ArrayLike) -> NDArray[np.float64]:
        """0 where the answer is among the top_k predicted classes, else 1; shape (n,)."""
        predicted = np.asarray(predictions, dtype=np.intp)
        answered = np.asarray(answers, dtype=np.intp)
        if predicted.ndim == 1:
            predicted = predicted[:, None]
        if predicted.shape[1] < self.top_k:
            raise BadInput(
                f"Each input has {predicted.shape[1]} predicted classes; top-{self.top_k} accuracy needs {self.top_k}. "
                "Give the ordered predictions or lower top_k."
            )
        hit = (predicted[:, : self.top_k] == answered[:, None]).any(axis=1)
        return np.where(hit, 0.0, 1.0)

    def failed(self, losses: ArrayLike) -> NDArray[np.bool_]:
        """A loss above 0 is a failure; shape (n,)."""
        return np.asarray(losses, dtype=np.float64) > 0

    def check_answer(self, answer: Any) -> int:
        """The place of the class answered; BadInput where there is no such class."""
        if isinstance(answer, bool) or not isinstance(answer, int | np.integer) or not 0 <= answer < len(self.classes):
            raise BadInput(
                f"The answer {answer!r:.60} is not a class; needed is a whole number from 0 to "
                f"{len(self.classes) - 1}. Choose one of the classes shown."
            )
        return int(answer)


@dataclass(frozen=True)
class MultiLabel:
    """Any set of classes per input; right only when every class is right (subset accuracy).

    Predictions and answers are (n, C) arrays of 0 and 1.

    >>> MultiLabel(classes=("cat", "dog")).losses([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    array([0., 1.])
    """

    classes: tuple[str, ...]
    kind: ClassVar[str] = "multi-label"
    loss_bound: ClassVar[float] = 1.0

    def losses(self, predictions: ArrayLike, answers: ArrayLike) -> NDArray[np.float64]:
        """0 where the two sets are equal, else 1; shape (n,)."""
        predicted, answered = np.asarray(predictions, dtype=bool), np.asarray(answers, dtype=bool)
        return np.where((predicted != answered).any(axis=1), 1.0, 0.0)

    def failed(self, losses: ArrayLike) -> NDArray[np.bool_]:
        """A loss above 0 is a failure; shape (n,)."""
        return np.asarray(losses, dtype=np.float64) > 0

    def check_answer(self, answer: Any) -> tuple[int, ...]:
        """The answer as C zeros and ones, from the places of the classes that are present."""
        if not isinstance(answer, Collection) or isinstance(answer, str):
            raise BadInput(
                f"The answer {answer!r:.60} is not a list of classes; needed are their places. Choose classes."
            )
        places = {int(place) for place in answer if isinstance(place, int | np.integer)}
        if len(places) != len(answer) or not places <= set(range(len(self.classes))):
            raise BadInput(
                f"The answer {answer!r:.60} names a class twice or one that does not exist; needed are places from 0 "
                f"to {len(self.classes) - 1}. Choose among the classes shown."
            )
        return tuple(int(place in places) for place in range(len(self.classes)))


@dataclass(frozen=True)
class Regression:
    """A number per input; the loss is the squared error, so accuracy is 1 - MSE (DeepSample, section 4.1).

    ``tolerance`` (in the unit of the predictions) is the error beyond which an input counts as a failure;
    ``loss_bound`` is the largest loss possible, where one is known. ``scale`` is the error whose loss is 1: DeepSample's
    steering is in units of 25 degrees. ``answers`` are the least and the most an answer can be, where that is known.

    >>> steering = Regression(tolerance=0.5)
    >>> losses = steering.losses([0.1, 1.0], [0.0, 0.0])
    >>> losses.round(2), steering.failed(losses)
    (array([0.01, 1.  ]), array([False,  True]))
    """

    tolerance: float
    unit: str = ""
    loss_bound: float | None = None
    # not shown, because fingerprints of subjects are of what is shown, and most have neither
    scale: float = field(default=1.0, repr=False)
    answers: tuple[float, float] | None = field(default=None, repr=False)
    kind: ClassVar[str] = "regression"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.tolerance) and self.tolerance >= 0):
            raise BadInput(f"The tolerance is {self.tolerance}; needed is a number of at least 0. Change it.")
        if not (np.isfinite(self.scale) and self.scale > 0):
            raise BadInput(f"The scale is {self.scale}; needed is a number above 0. Change it.")

    def losses(self, predictions: ArrayLike, answers: ArrayLike) -> NDArray[np.float64]:
        """Squared error of each input, in units of the scale, shape (n,); infinite where it is too far off to be squared."""
        with np.errstate(over="ignore"):
            error = np.asarray(predictions, dtype=np.float64) - np.asarray(answers, dtype=np.float64)
            squared: NDArray[np.float64] = np.square(error / self.scale)
        return squared

    def failed(self, losses: ArrayLike) -> NDArray[np.bool_]:
        """An absolute error beyond the tolerance is a failure; shape (n,)."""
        return self.errors(losses) > self.tolerance

    def errors(self, losses: ArrayLike) -> NDArray[np.float64]:
        """The absolute error behind each loss, in the unit of the predictions; shape (n,)."""
        found: NDArray[np.float64] = self.scale * np.sqrt(np.asarray(losses, dtype=np.float64))
        return found

    def check_answer(self, answer: Any) -> float:
        """The answer as a finite number within ``answers``; BadInput otherwise."""
        if isinstance(answer, bool) or not isinstance(answer, int | float | np.number) or not np.isfinite(answer):
            raise BadInput(f"The answer {answer!r:.60} is not a finite number. Type a number such as 0.25.")
        if self.answers is not None and not self.answers[0] <= answer <= self.answers[1]:
            low, high = self.answers
            raise BadInput(f"The answer is {answer:g}; needed is a number from {low:g} to {high:g}. Type one of these.")
        return float(answer)
