"""The tasks with classes: one class for each input, or several."""

import ast
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import is_whole
from testimate.core.class_index import UNKNOWN, ClassIndex
from testimate.core.errors import BadInput
from testimate.core.spellings import MARKS, folded
from testimate.core.task import CellAnswers, Task, TaskKind, answer_array, check_shape
from testimate.core.visible_text import check_line
from testimate.core.words import class_order, commas

NAME_LETTERS = 100
"""Letters of a tester's own name at most."""


@lru_cache(maxsize=8)
def _spelled(classes: tuple[str, ...]) -> ClassIndex:
    return ClassIndex(classes, key=folded)


def own_name(name: str, classes: tuple[str, ...], outside: str) -> int | str:
    """Return what a tester's own name means: the place of the class that it spells, or else the name, "" where it says nothing.

    Only a case, a space or a form of a letter that does not tell classes apart is passed over. ``outside`` : what answers
    that are none of the classes are called.

    >>> [own_name(name, ("cat", "dog"), "none of these") for name in ("  Gray  fox", "CAT ", "unknown", "None of these")]
    ['Gray fox', 0, '', '']
    """
    plain = " ".join(unicodedata.normalize("NFC", name).split())
    check_line(plain, "name", NAME_LETTERS, shortest=0)
    if plain in classes:
        return classes.index(plain)
    fold = folded(plain)
    place = _spelled(classes).get(plain) if plain else None
    return place if place is not None else "" if fold in MARKS or fold == folded(outside) else plain


def named_answer(text: Any, classes: tuple[str, ...], outside: str) -> int | str:
    """Return the answer that ``answer_text`` wrote in full, or a labeling tool gave; BadInput where it stands for no label."""
    answer = own_name(str(text), classes, outside)
    if answer == "" and folded(str(text)) != folded(outside):
        shown = ", ".join(classes[:12])
        more = f" and {commas(len(classes) - 12)} more" if len(classes) > 12 else ""
        raise BadInput(
            f"The votes name the class {text!r:.60}. Expected one of {shown}{more}, or {outside!r}. Use these names."
        )
    return answer


def _called(name: str, outside: str, *, in_full: bool) -> str:
    """What an answer outside the classes is called: in full by its name alone."""
    if in_full:
        return name or outside
    return f"{outside}: {name}" if name else outside


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

    @property
    def outside(self) -> str:
        """Never the name of a class.

        >>> Classification(("cat",)).outside, Classification(("cat", "None of these")).outside
        ('none of these', 'none of the classes')
        """
        return "none of the classes" if "none of these" in map(str.casefold, self.classes) else "none of these"

    def __post_init__(self) -> None:
        if not self.classes:
            raise BadInput("A classification needs at least one class and got none. Name the classes.")
        if len(set(self.classes)) != len(self.classes):
            raise BadInput(
                "Two classes have the same name, so a tester could not tell them apart. Give each its own name."
            )
        if not 1 <= self.top_k <= len(self.classes):
            raise BadInput(
                f"top_k is {self.top_k}. Expected a number between 1 and the number of classes, {len(self.classes)}. Change it."
            )

    def losses(self, predictions: ArrayLike, answers: ArrayLike) -> NDArray[np.float64]:
        """0 where the answer is among the top_k predicted classes, else 1, as where it is none of the classes; shape (n,)."""
        answered = answer_array("answers", answers, np.intp)
        predicted = answer_array("predictions", predictions, np.intp)
        if predicted.ndim == 1:
            predicted = predicted[:, None]
        check_shape("answers", answered, (len(answered),))
        check_shape("predictions", predicted, (len(answered), max(self.top_k, predicted.shape[-1])))
        hit = (predicted[:, : self.top_k] == answered[:, None]).any(axis=1)
        return np.where(hit & (answered != UNKNOWN), 0.0, 1.0)

    def check_answer(self, answer: Any) -> int:
        """The place of the class answered, UNKNOWN where it is none of them; BadInput where there is no such class."""
        if isinstance(answer, str):
            return UNKNOWN
        if not is_whole(answer, 0, len(self.classes) - 1):
            raise BadInput(
                f"The answer {answer!r:.60} is not a class. Expected a whole number from 0 to "
                f"{len(self.classes) - 1}. Choose one of the classes shown."
            )
        return int(answer)

    def stored_answer(self, answer: Any) -> int | str:
        """The place of the class, or the name of what is none of them."""
        return own_name(answer, self.classes, self.outside) if isinstance(answer, str) else self.check_answer(answer)

    def names_outside(self, answer: Any) -> tuple[str, ...]:
        """Its name, if it is none of the classes."""
        return (answer,) if isinstance(answer, str) else ()

    def answer_text(self, answer: Any, *, in_full: bool = False) -> str:
        """The name of the class; of an answer that is none of them what it is called, in full the name alone.

        >>> cats = Classification(("cat", "dog"))
        >>> cats.answer_text(1), cats.answer_text("fox"), cats.answer_text(""), cats.answer_text("fox", in_full=True)
        ('dog', 'none of these: fox', 'none of these', 'fox')
        """
        if answer is None:
            return ""
        return _called(answer, self.outside, in_full=in_full) if isinstance(answer, str) else self.classes[answer]

    def written_answer(self, text: str, line: int) -> int | str:  # noqa: ARG002 - the name itself says which
        """The class, or the name of what is none of them; words for a missing label are refused."""
        return named_answer(text, self.classes, self.outside)

    def answer_names(self, answer: Any) -> list[Any]:
        """The name of the class, or of what is none of them."""
        return [self.answer_text(answer, in_full=True)]

    def answer_named(self, names: Sequence[Any]) -> int | str:
        """The answer of that name."""
        return named_answer(names[0], self.classes, self.outside)

    def comparable(self, answer: Any) -> Any:
        """Answers that are none of the classes agree, whatever they are named."""
        return "" if isinstance(answer, str) else answer

    def settled(self, answers: Sequence[Any]) -> Any:
        """The class; of answers that are none of them the name that most testers gave, of equals the first.

        >>> Classification(("cat",)).settled(["", "fox", "owl", "fox"])
        'fox'
        """
        names = Counter(answer for answer in answers if isinstance(answer, str) and answer)
        return names.most_common(1)[0][0] if names else answers[0]

    def prediction_text(self, prediction: ArrayLike, *, in_full: bool = False) -> str:  # noqa: ARG002 - names are always in full
        """The name of the class predicted; of the first k all names, the most probable first."""
        return ", ".join(self.classes[place] for place in np.ravel(prediction))

    def with_classes(self, further: Sequence[str]) -> Self:
        """With these behind its own.

        >>> Classification(("cat", "dog")).with_classes(["fox"]).classes
        ('cat', 'dog', 'fox')
        """
        return replace(self, classes=(*self.classes, *further))

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

    @property
    def outside(self) -> str:
        """What a member of a set is called that is none of the classes; never the name of one."""
        return "something unknown" if "something else" in map(str.casefold, self.classes) else "something else"

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
                "Every set in the table is 'none'. Expected at least one class. Name the classes that are present."
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
        """0 where the two sets are equal, else 1; shape (n,). Answers may have one more column: what is none of the classes."""
        answered = answer_array("answers", answers, np.bool_)
        predicted = answer_array("predictions", predictions, np.bool_)
        count = len(self.classes)
        known, other = (answered[:, :count], answered[:, count:]) if answered.ndim == 2 else (answered, answered)
        check_shape("answers", answered, (len(answered), count + (other.shape[-1] == 1)))
        check_shape("predictions", predicted, known.shape)
        return np.where((predicted != known).any(axis=1) | other.any(axis=1), 1.0, 0.0)

    def check_answer(self, answer: Any) -> tuple[int, ...]:
        """The answer as C zeros and ones, from the places of those present, and one more for what is none of the classes."""
        if not isinstance(answer, Collection) or isinstance(answer, str):
            raise BadInput(
                f"The answer {answer!r:.60} is not a list of classes. Expected their places. Choose classes."
            )
        others = self.names_outside(answer)
        places = {int(place) for place in answer if isinstance(place, int | np.integer)}
        if len(places) != len(answer) - len(others) or not places <= set(range(len(self.classes))):
            raise BadInput(
                f"The answer {answer!r:.60} names a class twice or one that does not exist. Expected places from 0 "
                f"to {len(self.classes) - 1}. Choose among the classes shown."
            )
        return (*(int(place in places) for place in range(len(self.classes))), int(bool(others)))

    def stored_answer(self, answer: Any) -> list[int | str]:
        """The places of the classes in rising order, then the names of what is none of them; a comma separates several.

        >>> MultiLabel(("cat", "dog")).stored_answer([1, "fox, Cat, owl"]), MultiLabel(("cat", "dog")).stored_answer([""])
        ([0, 1, 'fox', 'owl'], [''])
        """
        self.check_answer(answer)
        names = [part for name in self.names_outside(answer) for part in re.split("[,;]", name)]
        places = (int(one) for one in answer if not isinstance(one, str))
        members = {*(own_name(name, self.classes, self.outside) for name in names), *places}
        named = sorted(one for one in members if isinstance(one, str) and one)
        unnamed = [""] if "" in members and not named else []
        return [*sorted(one for one in members if isinstance(one, int)), *named, *unnamed]

    def names_outside(self, answer: Any) -> tuple[str, ...]:
        """The names of its members that are none of the classes."""
        return tuple(one for one in answer if isinstance(one, str)) if isinstance(answer, Collection) else ()

    def answer_text(self, answer: Any, *, in_full: bool = False) -> str:
        """The names of what is present; "none" for no class.

        >>> sets = MultiLabel(("cat", "dog", "owl"))
        >>> [sets.answer_text(answer) for answer in ([0, 2], [], [1, "fox"])], sets.answer_text([1, "fox"], in_full=True)
        (['cat, owl', 'none', 'dog, something else: fox'], 'dog, fox')
        """
        return "" if answer is None else ", ".join(self._member_names(answer, in_full=in_full)) or self.no_class

    def _member_names(self, answer: Any, *, in_full: bool) -> list[str]:
        return [
            _called(one, self.outside, in_full=in_full) if isinstance(one, str) else self.classes[one] for one in answer
        ]

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
                f"{', '.join(index)!s:.200}. Expected names separated by ';', or none. Correct it."
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

    def written_answer(self, text: str, line: int) -> list[int | str]:  # noqa: ARG002 - the name itself says which
        """The answer that ``answer_text`` wrote in full."""
        return [] if text == self.no_class else self.answer_named(text.split(", "))

    def answer_names(self, answer: Any) -> list[Any]:
        """The names of what is present."""
        return self._member_names(answer, in_full=True)

    def answer_named(self, names: Sequence[Any]) -> list[int | str]:
        """The set of these names."""
        return [named_answer(name, self.classes, self.outside) for name in dict.fromkeys(names)]

    def comparable(self, answer: Any) -> Any:
        """What is none of the classes is the same, whatever it is named."""
        if answer is None:
            return None
        others = ("",) if self.names_outside(answer) else ()
        return (*sorted(int(one) for one in answer if not isinstance(one, str)), *others)

    def settled(self, answers: Sequence[Any]) -> Any:
        """The set that most testers gave among those that agree, with names rather than without."""
        given = Counter(tuple(answer) for answer in answers if answer is not None)
        named = Counter({one: count for one, count in given.items() if any(self.names_outside(one))})
        return list((named or given).most_common(1)[0][0]) if given else None

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

NO_NAMES = (";", "|", "#")
"""Separators that names of classes hardly have: "tabby, tabby cat" is one name, "cat|dog" may be two."""

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


def form_of_sets(cells: Collection[str], *, every: bool = False) -> SetForm | None:
    """How these distinct cells write sets of names; None where they do not seem to.

    A separator is one if the names that it separates recur in other sets. ``every`` : whether one of ``NO_NAMES`` that is in
    every cell may be one, too, without being sure.

    >>> form_of_sets(["a|b", "b", "c|a", "c"]), form_of_sets(["tabby, tabby cat", "great gray owl, owl"])
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
    if every and filled:
        in_all = (one for one in NO_NAMES if all(len(names_in_set(cell, one)) > 1 for cell in filled))
        return next((SetForm(separator, sure=False) for separator in in_all), None)
    return None


def most_probable(probabilities: NDArray[np.float64], top_k: int) -> NDArray[np.intp]:
    """The place of the most probable class, (N,), or the first k in order, (N, k); of equals the first."""
    if top_k == 1:
        places: NDArray[np.intp] = probabilities.argmax(axis=1)
        return places
    return np.argsort(-probabilities, axis=1, kind="stable")[:, :top_k]
