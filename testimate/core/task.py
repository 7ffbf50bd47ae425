"""The protocol of tasks, the measure each has, and predictions and answers as arrays.

What every task offers: it turns (prediction, answer) into a loss, and says when a loss counts as a failure.

What the accuracy of a task is called and how it is written: a share in percent, or 1 - mean squared error.

Predictions and answers as arrays of one row per input, refused with a sentence where they are not.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from testimate.core.class_index import ClassIndex
from testimate.core.errors import BadInput
from testimate.core.words import (
    UP,
    commas,
    decimal,
    decimal_ends,
    number,
    number_ends,
    percent,
    percent_ends,
    percent_range,
    points,
)


class Measure(Protocol):
    """How one kind of accuracy reads. Numbers are rounded, the ends of an interval outwards; see ``rounding``.

    Attributes
    ----------
    title : on a tile or an axis, "Accuracy".
    noun : inside a sentence, "the accuracy".
    true_noun : its known value, "true accuracy".
    is_share : whether it is a share of the inputs, between 0 and 1.
    right : of a share, what the inputs in it are, "classified right".
    factor : what a chart multiplies it by, 100 for percent.
    """

    is_share: ClassVar[bool]
    factor: ClassVar[float]

    @property
    def title(self) -> str: ...  # noqa: D102 - above
    @property
    def noun(self) -> str: ...  # noqa: D102 - above
    @property
    def true_noun(self) -> str: ...  # noqa: D102 - above
    @property
    def right(self) -> str: ...  # noqa: D102 - above

    def value(self, value: float, digits: int = 1) -> str:
        """The accuracy inside a sentence; ``digits`` after the point of a percentage, here and below."""
        ...

    def ends(self, low: float, high: float, digits: int = 1) -> tuple[str, str]:
        """Both ends of an interval, each by itself."""
        ...

    def range(self, low: float, high: float, digits: int = 1) -> str:
        """Both ends of an interval inside a sentence, "88.1 to 93.5%"."""
        ...

    def difference(self, value: float, digits: int = 1) -> str:
        """A difference of two accuracies."""
        ...

    def half_width(self, value: float, digits: int = 1) -> str:
        """Half the width of an interval, rounded up."""
        ...

    def brief(self, value: float) -> str:
        """The accuracy on a tile, which has room for few digits."""
        ...

    def brief_range(self, low: float, high: float) -> str:
        """Both ends of an interval on a tile."""
        ...

    def interval(self, level: str) -> str:
        """What the interval at a size fixed in advance is called, where ``level`` is "95%"."""
        ...


@dataclass(frozen=True)
class ShareRight:
    """The share of inputs that are right, in percent; differences are in points, since "%" would mean a share of a share.

    >>> share = ShareRight()
    >>> share.value(0.9161), share.ends(0.88151, 0.93449), share.difference(0.084), share.half_width(0.0204)
    ('91.6%', ('88.1%', '93.5%'), '8.4 points', '2.1 points')
    """

    title: str = "Accuracy"
    noun: str = "the accuracy"
    true_noun: str = "true accuracy"
    right: str = "classified right"
    is_share: ClassVar[bool] = True
    factor: ClassVar[float] = 100.0

    def value(self, value: float, digits: int = 1) -> str:
        """The share in percent, "91.6%"."""
        return percent(value, digits)

    def ends(self, low: float, high: float, digits: int = 1) -> tuple[str, str]:
        """Both ends in percent, each with its sign."""
        return percent_ends(low, high, digits)

    def range(self, low: float, high: float, digits: int = 1) -> str:
        """Both ends in percent with one sign."""
        return percent_range(low, high, digits)

    def difference(self, value: float, digits: int = 1) -> str:
        """In percentage points, "8.4 points"."""
        return points(value, digits)

    def half_width(self, value: float, digits: int = 1) -> str:
        """In percentage points, rounded up."""
        return points(value, digits, outwards=True)

    def brief(self, value: float) -> str:
        """The share in percent, which does not break before its sign."""
        return percent(value)

    def brief_range(self, low: float, high: float) -> str:
        """As inside a sentence."""
        return percent_range(low, high)

    def interval(self, level: str) -> str:
        """By its level, which it holds."""
        return f"{level} interval"


class OneMinusSquaredError:
    """1 - mean squared error, a number without a unit: at most 1, and far below 0 where one error is large.

    >>> squared = OneMinusSquaredError()
    >>> squared.value(0.991234), squared.ends(0.98123, 0.99987), squared.brief(-123456.0)
    ('0.9912', ('0.9812', '0.9999'), '-1.23e+05')
    """

    title: ClassVar[str] = "1 - MSE"
    noun: ClassVar[str] = "1 - mean squared error"
    true_noun: ClassVar[str] = "true value"
    right: ClassVar[str] = ""
    is_share: ClassVar[bool] = False
    factor: ClassVar[float] = 1.0

    def value(self, value: float, digits: int = 1) -> str:  # noqa: ARG002 - of percentages alone
        """Four significant digits: ``digits`` are those of a percentage."""
        return number(value)

    def ends(self, low: float, high: float, digits: int = 1) -> tuple[str, str]:  # noqa: ARG002 - of percentages alone
        """Both ends, as ``value`` writes numbers."""
        return number_ends(low, high)

    def range(self, low: float, high: float, digits: int = 1) -> str:  # noqa: ARG002 - of percentages alone
        """Both ends, as ``value`` writes numbers."""
        return " to ".join(number_ends(low, high))

    def difference(self, value: float, digits: int = 1) -> str:  # noqa: ARG002 - of percentages alone
        """A difference of two accuracies, in four significant digits as ``value`` writes them."""
        return number(value)

    def half_width(self, value: float, digits: int = 1) -> str:  # noqa: ARG002 - of percentages alone
        """As ``value`` writes numbers, but rounded up."""
        return number(value, rounding=UP)

    def brief(self, value: float) -> str:
        """Three digits after the point, or in powers of ten where it is as large as ``LONG``."""
        return decimal(value, 3) if abs(value) < LONG else number(value, 3)

    def brief_range(self, low: float, high: float) -> str:
        """Both ends as ``brief`` writes numbers."""
        return " to ".join(decimal_ends(low, high, 3) if max(abs(low), abs(high)) < LONG else number_ends(low, high, 3))

    def interval(self, level: str) -> str:  # noqa: ARG002 - it can hold 85% at 95% where errors have heavy tails
        """Without its level, which it does not hold on heavy tails (docs/studies/share_within_tolerance.md)."""
        return "rough interval"


ROUGH = "It does not allow for large errors that the labels have not shown."
"""The note beside an interval of squared errors."""

LONG = 1000
"""From here on a number without a bound takes more room than a tile has, and is written in powers of ten."""

SHARE_RIGHT, ONE_MINUS_SQUARED_ERROR = ShareRight(), OneMinusSquaredError()


def measure_of(loss_is_pass_or_fail: bool) -> Measure:
    """The measure where only the losses are known, as of a plan without its table: right or wrong, or squared errors."""
    return SHARE_RIGHT if loss_is_pass_or_fail else ONE_MINUS_SQUARED_ERROR


TaskKind = str
"""What a task is called in files and at the command line, its ``kind``: a name in ``tasks.TASKS``."""


@dataclass(frozen=True, eq=False)
class CellAnswers:
    """What the cells of a table say: the task, and the predictions and, where known, the truth in the form it takes."""

    task: "Task"
    predictions: NDArray[Any]
    truth: NDArray[Any] | None


@dataclass(frozen=True)
class BoxCounts:
    """How many boxes and objects of each class n labeled pictures have, each (n, C).

    ``right`` : boxes that are right. ``boxes`` : all boxes. ``objects`` : what is there, found or missed.
    """

    right: NDArray[np.float64]
    boxes: NDArray[np.float64]
    objects: NDArray[np.float64]


class Task(ABC):
    """What the network does, and so what an answer is and what a wrong one costs.

    The accuracy Testimate reports is always ``1 - mean outcome`` over the whole set, the outcome being what a loss counts.

    A kind of task inherits this and answers for itself: nobody asks for its type. What is said here is true of a kind that
    answers by the names of its classes, is right or wrong, and has nothing else to say; a kind overrides what differs.
    Fields of a kind that have no default need ``field()``, since they would take these values for theirs.
    """

    kind: ClassVar[TaskKind]
    numeric: ClassVar[bool] = False
    """Whether an answer is a number, and so a wrong one has an error of some size."""
    one_choice: ClassVar[bool] = False
    """Whether an answer is the place of one of the ``classes``, which one button each can give."""
    one_class: ClassVar[bool] = False
    """Whether that one of the classes is what the network predicts, so that an answer can be compared with it by name."""
    several: ClassVar[bool] = False
    """Whether an answer is a set of classes, a list of their places."""
    graded: ClassVar[bool] = False
    """Whether an answer is a grade of what the network gave out, which is shown with the input."""
    boxed: ClassVar[bool] = False
    """Whether an answer says what is wrong of the boxes in a picture."""

    score_trust: ClassVar[float] = 1.0
    """How far a new session believes 1 - confidence as the chance of a failure, 0 to 1; see the option ``trust`` of rrs."""

    separator: ClassVar[str] = ""
    """What separates the names in a cell of a table, such as ";"; empty where a cell holds a single one, or a number."""

    classes: tuple[str, ...] = ()
    """Names of the classes or grades; empty where an answer is a number."""
    unit: str = ""
    """Unit of an answer that is a number; else empty."""
    form: ClassVar[str] = ""
    """The form of answers on the labeling surface, where it is not that of the kind."""
    criteria: tuple[Any, ...] = ()
    """What is asked of each output, where several things are; see ``tasks.criteria``."""
    top_k: int = 1
    """How many of the first predicted classes count."""
    tolerance: float = 0.0
    """The error beyond which an input counts as a failure; 0 where errors have no size, or none is set."""
    relative: bool = False
    """Whether the tolerance is a share of the true number."""
    answers: tuple[float, float] | None = None
    """The least and the most an answer that is a number can be, where that is known."""
    loss_bound: float | None = 1.0
    """The largest loss one input can have, or None where there is no bound."""

    @classmethod
    def of_cells(
        cls,
        predictions: Sequence[Sequence[str]],
        truth: Sequence[Sequence[str]] | None,
        check_count: Callable[[int], object],
    ) -> CellAnswers:
        """What the names in a table's cells say, which the ``separator`` separates; BadInput where they are no such answers.

        ``check_count`` : refuses a number of classes that is too large.
        """
        del predictions, truth, check_count  # of kinds that read their cells themselves
        raise BadInput(
            f"The table is to be read as {cls.kind} by its cells alone, which do not say enough. Choose another task."
        )

    @property
    def outcome_bound(self) -> float | None:
        """The largest outcome one input can have, or None where there is no bound."""
        return self.loss_bound

    @property
    def measure(self) -> Measure:
        """What its accuracy is called, and how it is written."""
        return SHARE_RIGHT

    @property
    def fault_words(self) -> str:
        """What a fault is, after a count: "3 wrong"."""
        return "wrong"

    @property
    def grades(self) -> str:
        """The name of the scale of grades; empty where an answer is no grade."""
        return ""

    @property
    def table_grades(self) -> str:
        """The name of the scale of grades by which a table is read."""
        return self.grades

    @property
    def compares(self) -> bool:
        """Whether two systems' outputs are compared."""
        return False

    @property
    def best(self) -> int:
        """The place of the best of the grades; BadInput where two systems are compared, of which either may be better."""
        return 0

    @property
    def fault_grades(self) -> tuple[int, ...]:
        """The places of the grades that are faults."""
        return ()

    @property
    def by_name(self) -> bool:
        """Whether an answer is one or several of the ``choices``; else it is a number, or a text that the kind reads."""
        return self.one_choice or self.several

    @property
    def choices(self) -> tuple[str, ...]:
        """The classes or grades that an answer names; empty where it names none."""
        return self.classes

    @property
    def objects(self) -> tuple[str, ...]:
        """What a panel of the surface names besides the ``choices``, such as the classes of objects counted; else empty."""
        return ()

    @property
    def no_class(self) -> str:
        """What the answer is called that none of the classes is present; empty where there is no such answer."""
        return ""

    @property
    def outside(self) -> str:
        """What an answer is called that is none of the classes and makes any prediction wrong; empty where there is none."""
        return ""

    @abstractmethod
    def losses(self, predictions: ArrayLike, answers: ArrayLike) -> NDArray[np.float64]:
        """Loss of each input, shape (n,), from n predictions and n answers in the form ``check_answer`` gives.

        A stored answer becomes a loss by ``Inputs.loss`` or ``Inputs.losses_of``. Raises BadInput where the shapes are not
        the task's: nothing is broadcast. nan where an answer leaves open whether it is right.
        """

    def failed(self, losses: ArrayLike) -> NDArray[np.bool_]:
        """Which losses count as a failure (a fault found), shape (n,): those above 0."""
        return np.asarray(losses, dtype=np.float64) > 0

    def outcomes(self, losses: ArrayLike) -> NDArray[np.float64]:
        """What each loss counts in the accuracy, shape (n,): itself, or 1 for a failure where the accuracy is a share."""
        return np.asarray(losses, dtype=np.float64)

    # Errors that have a size

    def within(self, tolerance: float, *, relative: bool) -> "Task":  # noqa: ARG002 - of errors that have a size
        """The task with another tolerance; itself where errors have no size."""
        return self

    def in_unit(self) -> "Task":
        """The task whose losses are squared errors in the unit, whatever the tolerance is."""
        return self

    def tolerance_at(self, answer: float) -> float:  # noqa: ARG002 - of errors that have a size
        """The tolerance in the unit of the predictions where this is the true number."""
        return 0.0

    def errors(self, losses: ArrayLike) -> NDArray[np.float64]:
        """The error behind each loss, in the unit of the tolerance, shape (n,); the loss where errors have no size."""
        return np.asarray(losses, dtype=np.float64)

    @property
    def within_words(self) -> str:
        """What an input within the tolerance is, "within 6 degrees"; empty where errors have no size."""
        return ""

    def numbers_to_json(self) -> dict[str, Any] | None:
        """What a plan keeps to turn votes into errors without its table; None where errors have no size."""
        return None

    # Boxes

    def counts(self, predictions: ArrayLike, answers: Mapping[int, Sequence[int]]) -> BoxCounts | None:  # noqa: ARG002 - of boxes
        """Boxes and objects of each class of the labeled pictures, row -> answer; None where there are no boxes."""
        return None

    # Answers

    @abstractmethod
    def check_answer(self, answer: Any) -> int | float | tuple[int, ...] | list[int]:
        """The answer in the form ``losses`` takes; raises BadInput where a tester could not have given it."""

    def stored_answer(self, answer: Any) -> Any:
        """The answer in the form events store it: plain JSON values; BadInput as of ``check_answer``.

        A name of a tester's own, of what is none of the classes, is stored as a text, "" where it has none.
        """
        return self.check_answer(answer)

    def names_outside(self, answer: Any) -> tuple[str, ...]:  # noqa: ARG002 - of kinds with such answers
        """The names in a stored answer of what is none of the classes, "" where it was not named."""
        return ()

    @abstractmethod
    def answer_text(self, answer: Any, *, in_full: bool = False) -> str:
        """A tester's answer, as events hold it, for people to read; ``in_full`` for machines. Empty for None."""

    @abstractmethod
    def prediction_text(self, prediction: ArrayLike, *, in_full: bool = False) -> str:
        """A row of ``Inputs.predictions`` for people to read; ``in_full`` for machines."""

    def truth_text(self, truth: ArrayLike) -> str:
        """A row of ``Inputs.truth`` for people to read."""
        return self.prediction_text(truth)

    def typed_answer(self, cell: str, row: int) -> int | float | list[int]:
        """The answer that a person typed into a file of votes, of this row; BadInput where it is none.

        Of classes their name; a number such as 3.0 is the class 3.
        """
        place = ClassIndex(self.classes).as_typed(cell)
        if place is None:
            shown = ", ".join(self.classes[:12]) + (", …" if len(self.classes) > 12 else "")
            raise BadInput(f"Row {row} is labeled {cell!r:.40}. Expected one of {shown}. Correct the label.")
        return place

    def with_classes(self, further: Sequence[str]) -> Self:  # noqa: ARG002 - of kinds whose later versions may know more
        """The task of a version that has learned further classes; the same where versions cannot differ in them."""
        return self

    def typed_names(self, cell: str) -> tuple[str, ...]:  # noqa: ARG002 - of kinds whose answers may be outside their classes
        """The names in a label that a person typed, those of classes as they are spelled; a prediction is wrong where one is
        no class. Empty where such a label is refused, as by a scale of grades or where an answer is a number.
        """
        return ()

    def written_answer(self, text: str, line: int) -> Any:  # noqa: ARG002 - the name says which
        """The answer that ``answer_text`` wrote in full, on this line of a file; BadInput where it is none."""
        return self.class_named(text)

    def entered_answer(self, text: str) -> Any:
        """The answer that a person types into a field, where neither buttons nor a list can give it; BadInput otherwise."""
        return self.written_answer(text, 1)

    def class_named(self, name: str) -> int:
        """The place of the class of that name; BadInput where there is none, as of votes that were exported."""
        place = ClassIndex(self.classes).get(name)
        if place is None:
            shown = ", ".join(self.classes[:12]) + (", …" if len(self.classes) > 12 else "")
            more = f" and {commas(len(self.classes) - 12)} more" if len(self.classes) > 12 else ""
            raise BadInput(f"The votes name the class {name!r:.60}. Expected one of {shown}{more}. Use these names.")
        return place

    def grades_given(self, answer: Any) -> dict[str, str]:  # noqa: ARG002 - of several criteria
        """The grade by the name of each criterion, "" for one left out; empty where one question is asked."""
        return {}

    def answer_names(self, answer: Any) -> list[Any]:
        """The answer as a labeling tool holds it: the names of classes, a number, or a text."""
        return [self.classes[answer]]

    def answer_named(self, names: Sequence[Any]) -> Any:
        """The answer that a labeling tool holds so; BadInput where it names no class."""
        return self.places_named(names)[0]

    def places_named(self, names: Sequence[Any]) -> list[int]:
        """The places of these classes, as a labeling tool names them; BadInput where there is no such class."""
        index = ClassIndex(self.classes)
        unknown = [name for name in names if name not in self.classes]
        if unknown:
            raise BadInput(
                f"The export names the class {unknown[0]!r:.60}; there are {', '.join(self.classes[:12])} ... Use these names."
            )
        return [index[name] for name in names]

    def predicted_places(self, prediction: ArrayLike) -> list[int]:
        """The places of the classes predicted: of several in order the first."""
        places: list[int] = np.ravel(prediction)[:1].tolist()
        return places

    def predicted_counts(self, predictions: NDArray[Any]) -> NDArray[Any]:
        """How often each class is predicted, (C,): of several in order the first."""
        first = predictions if predictions.ndim == 1 else predictions[:, 0]
        return np.bincount(first, minlength=len(self.classes))

    def true_answer(self, truth: Any) -> Any:
        """A row of ``Inputs.truth`` as the answer that a tester would give, in the form events store it."""
        return np.asarray(truth).item()

    # Several testers

    def comparable(self, answer: Any) -> Hashable:
        """The answer in a form in which equal answers compare equal; a set of classes comes as a list of places."""
        return tuple(sorted(answer)) if isinstance(answer, list | tuple) else answer

    def same_answer(self, answer: Any, known: Any) -> bool:
        """Whether the answer is the known one; of numbers, whether it lies within the tolerance of it."""
        return self.comparable(answer) == self.comparable(known)

    def agreeing(self, answers: Sequence[Any]) -> list[int]:
        """The places of the largest group of answers that agree, None among them; of equally large ones the first."""
        groups: dict[Hashable, list[int]] = {}
        for place, answer in enumerate(answers):
            groups.setdefault(self.comparable(answer), []).append(place)
        return max(groups.values(), key=len)

    def settled(self, answers: Sequence[Any]) -> Any:
        """What answers that agree come to: any of them, or of numbers their median."""
        return answers[0]

    # Words

    title: ClassVar[str]
    """What a prediction is, where a person says so: "A class"."""
    meaning: ClassVar[str]
    """What that is, in a phrase: "one of a fixed set; right or wrong"."""
    classes_title: ClassVar[str] = "Classes"
    """What its classes are called as the title of their number."""

    @property
    def usual_question(self) -> str:
        """What a tester is asked where nobody wrote a question."""
        return "Which of these is it?"

    @property
    def judged(self) -> str:
        """What is right or wrong: "inputs", or the "outputs" for them."""
        return "inputs"

    @property
    def outcome_words(self) -> tuple[str, str]:
        """What is said about an answer that shows no failure, and of one that shows one, naming what was judged."""
        return "the model was right", "the model was wrong"

    @property
    def accepts(self) -> tuple[int, int] | None:
        """The places of the two answers that accept and reject; None where more than two could."""
        return None

    @property
    def swipes(self) -> tuple[int, int] | None:
        """The places of the answers that a swipe to the left and to the right gives; None where there are others."""
        return self.accepts

    severity_basis: ClassVar[str] = "the probability of the wrong answer"
    """What the severity of a fault goes by, after "by"."""

    def severity_from(self, times: float, chance: str) -> str:  # noqa: ARG002 - of errors that have a size
        """Where a band of severity begins: at so many tolerances where errors have a size, else at this chance."""
        return chance

    def severe_words(self, begin: str) -> str:
        """The phrase after "fault" that says from where on it is severe; ``begin`` as ``severity_from`` writes it."""
        return f"with at least {begin} confidence"


def answer_array(what: str, values: ArrayLike, dtype: DTypeLike) -> NDArray[Any]:
    """The values as an array of at least one axis; BadInput where they do not form one."""
    try:
        array = np.asarray(values, dtype=dtype)
    except (TypeError, ValueError, OverflowError):  # rows of unequal length, or what is not a number
        raise BadInput(
            f"The {what} {values!r:.60} do not form an array of one row per input. Pass them in the form check_answer gives."
        ) from None
    if not array.ndim:
        raise BadInput(f"The {what} are the single value {values!r:.60}. Expected one per input. Pass a list of them.")
    return array


def whole_array(what: str, values: ArrayLike) -> NDArray[np.intp]:
    """The values as an array of whole numbers with at least one axis; BadInput where they do not form one."""
    return answer_array(what, values, np.intp)


def check_shape(what: str, array: NDArray[Any], expected: tuple[int, ...]) -> None:
    """BadInput where the array has another shape, which numpy would broadcast in silence or refuse without a word."""
    if array.shape != expected:
        raise BadInput(
            f"The {what} have shape {array.shape}. Expected {expected}. Give one prediction and one answer per input, "
            "in the form the task defines."
        )
