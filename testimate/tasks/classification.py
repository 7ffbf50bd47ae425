"""The tasks with classes: one class for each input, or several."""

import ast
import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import is_whole
from testimate.core.class_index import ClassIndex
from testimate.core.errors import BadInput
from testimate.core.task import CellAnswers, Task, TaskKind, answer_array, check_shape
from testimate.core.words import class_order


@dataclass(frozen=True)
class Classification(Task):
    """One class per input; a prediction is right when the answer is among its ``top_k`` first classes.

    Predictions are class places (n,), or (n, top_k) ordered from the most probable; answers are class places (n,).

    >>> letters = Classification(classes=("a", "b", "c"))
    >>> letters.losses([0, 1, 2], [0, 2, 2])
    array([0., 1., 0.])
    >>> Classification(classes=("a", "b", "c"), top_k=2).losses([[0, 1], [1, 2]], [1, 0])
    array([0., 1.])
    """

    classes: tuple[str, ...] = field()
    top_k: int = 1
    kind: ClassVar[TaskKind] = "classification"
    title: ClassVar[str] = "A class"
    meaning: ClassVar[str] = "one of a fixed set; right or wrong"
    one_choice: ClassVar[bool] = True
    one_class: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.classes:
            raise BadInput("A classification needs at least one class and got none. Name the classes.")
        if len(set(self.classes)) != len(self.classes):
            raise BadInput(
                "Two classes have the same name, so a tester could not tell them apart. Give each its own name."
            )
        if not 1 <= self.top_k <= len(self.classes):
            raise BadInput(
                f"top_k is {self.top_k}; it must be between 1 and the number of classes, "
                f"{len(self.classes)}. Change it."
            )

    def losses(self, predictions: ArrayLike, answers: ArrayLike) -> NDArray[np.float64]:
        """0 where the answer is among the top_k predicted classes, else 1; shape (n,)."""
        answered = answer_array("answers", answers, np.intp)
        predicted = answer_array("predictions", predictions, np.intp)
        if predicted.ndim == 1:
            predicted = predicted[:, None]
        check_shape("answers", answered, (len(answered),))
        check_shape("predictions", predicted, (len(answered), max(self.top_k, predicted.shape[-1])))
        hit = (predicted[:, : self.top_k] == answered[:, None]).any(axis=1)
        return np.where(hit, 0.0, 1.0)

    def check_answer(self, answer: Any) -> int:
        """The place of the class answered; BadInput where there is no such class."""
        if not is_whole(answer, 0, len(self.classes) - 1):
            raise BadInput(
                f"The answer {answer!r:.60} is not a class; expected a whole number from 0 to "
                f"{len(self.classes) - 1}. Choose one of the classes shown."
            )
        return int(answer)

    def answer_text(self, answer: Any, *, in_full: bool = False) -> str:  # noqa: ARG002 - names are always in full
        """The name of the class."""
        return "" if answer is None else self.classes[answer]

    def prediction_text(self, prediction: ArrayLike, *, in_full: bool = False) -> str:  # noqa: ARG002 - names are always in full
        """The name of the class predicted; of the first k all names, the most probable first."""
        return ", ".join(self.classes[place] for place in np.ravel(prediction))

    def typed_names(self, cell: str) -> tuple[str, ...]:
        """The class that a label names, or the name that is none; "3.0" is class "3".

        >>> Classification(("cat", "3")).typed_names("3.0"), Classification(("cat", "dog")).typed_names("owl")
        (('3',), ('owl',))
        """
        place = ClassIndex(self.classes).as_typed(cell)
        return (cell if place is None else self.classes[place],)

    @property
    def accepts(self) -> tuple[int, int] | None:
        """Of two classes the first and the second, as they stand on the screen."""
        if len(self.classes) != 2:
            return None
        first, second = class_order(self.classes)
        return first, second


@dataclass(frozen=True)
class MultiLabel(Task):
    """Any set of classes per input; right only when every class is right (subset accuracy).

    Predictions and answers are (n, C) arrays of 0 and 1.

    >>> MultiLabel(classes=("cat", "dog")).losses([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    array([0., 1.])
    """

    classes: tuple[str, ...] = field()
    kind: ClassVar[TaskKind] = "multi-label"
    title: ClassVar[str] = "A set of classes"
    meaning: ClassVar[str] = "several may be present; their names are separated by ;"
    several: ClassVar[bool] = True
    separator: ClassVar[str] = ";"
    classes_title: ClassVar[str] = "Labels"

    @classmethod
    def of_cells(
        cls,
        predictions: Sequence[Sequence[str]],
        truth: Sequence[Sequence[str]] | None,
        check_count: Callable[[int], object],
    ) -> CellAnswers:
        """The sets that the names make; all names that occur, sorted, are the classes."""
        cells = [predictions, *([] if truth is None else [truth])]
        classes = sorted({name for column in cells for names in column for name in names})
        check_count(len(classes))
        if not classes:
            raise BadInput(
                "Every set in the table is 'none'; expected at least one class. Name the classes that are present."
            )
        index = ClassIndex(classes)
        marked = []
        for column in cells:
            sets = np.zeros((len(column), len(classes)), dtype=np.uint8)
            for row, names in enumerate(column):
                sets[row, index.indices(names)] = 1
            marked.append(sets)
        return CellAnswers(cls(tuple(classes)), marked[0], None if truth is None else marked[1])

    def losses(self, predictions: ArrayLike, answers: ArrayLike) -> NDArray[np.float64]:
        """0 where the two sets are equal, else 1; shape (n,)."""
        answered = answer_array("answers", answers, np.bool_)
        predicted = answer_array("predictions", predictions, np.bool_)
        check_shape("answers", answered, (len(answered), len(self.classes)))
        check_shape("predictions", predicted, answered.shape)
        return np.where((predicted != answered).any(axis=1), 1.0, 0.0)

    def check_answer(self, answer: Any) -> tuple[int, ...]:
        """The answer as C zeros and ones, from the places of the classes that are present."""
        if not isinstance(answer, Collection) or isinstance(answer, str):
            raise BadInput(
                f"The answer {answer!r:.60} is not a list of classes; expected their places. Choose classes."
            )
        places = {int(place) for place in answer if isinstance(place, int | np.integer)}
        if len(places) != len(answer) or not places <= set(range(len(self.classes))):
            raise BadInput(
                f"The answer {answer!r:.60} names a class twice or one that does not exist; expected places from 0 "
                f"to {len(self.classes) - 1}. Choose among the classes shown."
            )
        return tuple(int(place in places) for place in range(len(self.classes)))

    def answer_text(self, answer: Any, *, in_full: bool = False) -> str:  # noqa: ARG002 - names are always in full
        """The names of the classes that are present, from their places; "none" for no class.

        >>> MultiLabel(("cat", "dog", "owl")).answer_text([0, 2]), MultiLabel(("cat", "dog", "owl")).answer_text([])
        ('cat, owl', 'none')
        """
        return "" if answer is None else ", ".join(self.classes[place] for place in answer) or self.no_class

    @property
    def no_class(self) -> str:
        """What the answer is called that none of the classes is present; never the name of one."""
        return "none of the classes" if "none" in map(str.casefold, self.classes) else "none"

    def prediction_text(self, prediction: ArrayLike, *, in_full: bool = False) -> str:  # noqa: ARG002 - names are always in full
        """The names of the classes that are present, from C zeros and ones.

        >>> MultiLabel(("cat", "dog", "owl")).prediction_text([1, 0, 1])
        'cat, owl'
        """
        return self.answer_text(np.flatnonzero(prediction))

    def typed_answer(self, cell: str, row: int) -> list[int]:
        """The places of the classes a cell names, in any form of a set; BadInput where there is no such class."""
        index, said = ClassIndex(self.classes), self.typed_names(cell)
        unknown = index.first_unknown(said)
        if unknown is not None:
            raise BadInput(
                f"The label of row {row} names {unknown!r:.40}, which is not one of the classes "
                f"{', '.join(index)!s:.200}; expected names separated by ';', or none. Correct it."
            )
        return [index[name] for name in said]

    def typed_names(self, cell: str) -> tuple[str, ...]:
        """The names in a set in any form, the first in which all are classes.

        >>> MultiLabel(("cat", "dog")).typed_names("dog|cat"), MultiLabel(("cat", "dog")).typed_names("dog;owl")
        (('dog', 'cat'), ('dog', 'owl'))
        """
        index = ClassIndex(self.classes)
        forms = (LISTED,) if _listed(cell) is not None else SEPARATORS
        read = [names_in_set(cell, form) for form in forms]
        return tuple(next((names for names in read if index.first_unknown(names) is None), read[0]))

    def written_answer(self, text: str, line: int) -> list[int]:  # noqa: ARG002 - the name itself says which
        """The places of the classes that ``answer_text`` names; BadInput where there is no such class."""
        return [] if text == self.no_class else [self.class_named(name) for name in text.split(", ")]

    def answer_names(self, answer: Any) -> list[Any]:
        """The names of the classes that are present."""
        return [self.classes[place] for place in answer]

    def answer_named(self, names: Sequence[Any]) -> list[int]:
        """The places of these classes; BadInput where there is no such class."""
        return self.places_named(names)

    def predicted_places(self, prediction: ArrayLike) -> list[int]:
        """The places of the classes that are present."""
        return np.flatnonzero(prediction).tolist()

    def predicted_counts(self, predictions: NDArray[Any]) -> NDArray[Any]:
        """How often each class is predicted, (C,)."""
        counts: NDArray[Any] = predictions.sum(axis=0)
        return counts

    def true_answer(self, truth: Any) -> list[int]:
        """The places of the classes that are present."""
        return np.flatnonzero(truth).tolist()

    @property
    def usual_question(self) -> str:
        """Of several classes."""
        return "Which of these are right?"


NONE_OF_THEM = "none"
"""The content of a cell of sets without any class."""

LISTED = "[]"
"""The form of sets written as lists of JSON or Python: ["a", "b"] or ['a', 'b']."""

SEPARATORS = (";", "|", "#", ",")
"""What may separate the names of a set; the first is what Testimate writes."""

MOST_RECUR = 0.8
"""Share of the names that occur in several sets, from which on a separator is one."""


def names_in_set(cell: str, form: str = SEPARATORS[0]) -> list[str]:
    """The classes a cell names, separated by the form or in a list, each once; empty for "none" and an empty cell.

    >>> names_in_set("dog; cat;dog"), names_in_set("none"), names_in_set("['dog', 'cat']", LISTED)
    (['dog', 'cat'], [], ['dog', 'cat'])
    """
    if cell.strip().casefold() == NONE_OF_THEM:
        return []
    names = _listed(cell) if form == LISTED else cell.split(form)
    return list(dict.fromkeys(name.strip() for name in names or () if name.strip()))


def _listed(cell: str) -> list[str] | None:
    """The names in a list of JSON or Python; None where the cell is neither."""
    if not cell.strip():
        return []
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError):
        try:
            found = ast.literal_eval(cell)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    if not isinstance(found, list | tuple | set) or not all(isinstance(name, str | int) for name in found):
        return None
    return [str(name) for name in found]


@dataclass(frozen=True)
class SetForm:
    """How the cells of a column seem to write sets: ``form`` as ``names_in_set`` takes it.

    ``sure`` : whether their sizes differ, so that they are no names of classes with that character in them.
    """

    form: str
    sure: bool


def form_of_sets(cells: Collection[str]) -> SetForm | None:
    """How these distinct cells write sets of names; None where they do not seem to.

    A separator is one if the names that it separates recur in other sets.

    >>> form_of_sets(["a|b", "b", "c|a", "c"]), form_of_sets(["tabby, tabby cat", "great grey owl, owl"])
    (SetForm(form='|', sure=True), None)
    """
    filled = [cell for cell in cells if cell.strip() and cell.strip().casefold() != NONE_OF_THEM]
    if filled and all(cell.startswith(("[", "(", "{")) for cell in filled):
        return SetForm(LISTED, True) if all(_listed(cell) is not None for cell in filled) else None
    for separator in SEPARATORS:
        if not any(separator in cell for cell in filled):
            continue
        sets = [frozenset(names_in_set(cell, separator)) for cell in filled]
        counts = Counter(name for names in sets for name in names)
        recurring = sum(count > 1 for count in counts.values())
        if len(counts) < len(filled) and recurring >= MOST_RECUR * len(counts):
            return SetForm(separator, len({len(names) for names in sets}) > 1 or len(set(sets)) < len(sets))
    return None


def most_probable(probabilities: NDArray[np.float64], top_k: int) -> NDArray[np.intp]:
    """The place of the most probable class, (N,), or the first k in order, (N, k); of equals the first."""
    if top_k == 1:
        places: NDArray[np.intp] = probabilities.argmax(axis=1)
        return places
    return np.argsort(-probabilities, axis=1, kind="stable")[:, :top_k]
