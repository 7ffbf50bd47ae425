"""The task of a detector: a person judges each box in a picture, right or wrong, and counts the objects it missed."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import is_whole
from testimate.core.class_index import ClassIndex
from testimate.core.errors import BadInput
from testimate.core.task import BoxCounts, Measure, ShareRight, Task, TaskKind, whole_array

MOST_BOXES = 300
"""Boxes of one picture that a person can judge; what common detectors give out at most."""

MOST_MISSED = 1000
"""Missed objects of one picture at most."""

EXPECTED_ERRORS = "expected errors"
"""The auxiliary variable that says how many errors a picture holds, by the scores of its boxes."""

ALL_RIGHT = "all right"
NO_BOX = -1
"""What fills ``Inputs.predictions`` beyond a picture's last box."""

_MEASURE = ShareRight(
    "Pictures right",
    "the share of pictures right",
    "true share of pictures right",
    "right in every box, with nothing missed",
)


@dataclass(frozen=True)
class Boxes(Task):
    """What is wrong in a picture: some of its boxes, and objects that have none. The loss is 0 where nothing is, else 1.

    Predictions are the class places of the boxes of each picture, (n, K), ``NO_BOX`` beyond its last box. An answer is a rising
    list of whole numbers: k from 0 on says that box k is wrong, and -1 - c, once for each, that an object of class c was
    missed. The empty list says that all is right. A box around an object of another class is wrong, and its object is missed.

    >>> harbor = Boxes(("ship", "buoy"))
    >>> harbor.losses([[0, 1, 1], [0, -1, -1]], [[], [-2, 0]])
    array([0., 1.])
    >>> harbor.answer_text([-2, -2, 0]), harbor.answer_of("wrong 1; missed buoy 2"), harbor.answer_of("all right")
    ('wrong 1; missed buoy 2', [-2, -2, 0], [])
    """

    classes: tuple[str, ...] = field()
    kind: ClassVar[TaskKind] = "boxes"
    title: ClassVar[str] = "Boxes to judge"
    meaning: ClassVar[str] = "what a detector found in a picture"
    boxed: ClassVar[bool] = True
    measure: ClassVar[Measure] = _MEASURE
    fault_words: ClassVar[str] = "with an error"
    choices: ClassVar[tuple[str, ...]] = ()
    usual_question: ClassVar[str] = "Which boxes are right, and what was missed?"
    outcome_words: ClassVar[tuple[str, str]] = ("the detector made no error", "the detector made an error")
    severity_basis: ClassVar[str] = "the chance that all was right, by the scores"

    def __post_init__(self) -> None:
        if not self.classes or len(set(self.classes)) < len(self.classes):
            raise BadInput(
                f"A detector's classes are {', '.join(self.classes) or 'none'!s:.200}. Expected at least one, each with a name "
                "of its own. Name them."
            )

    def losses(self, predictions: ArrayLike, answers: Any) -> NDArray[np.float64]:
        """0 where nothing is wrong or missed, else 1; shape (n,). BadInput where an answer names a box there is not.

        ``answers`` : n lists, as ``check_answer`` gives them.
        """
        said = _padded(predictions)
        if len(said) != len(answers):
            raise BadInput(
                f"There are {len(answers)} answers for {len(said)} pictures. Expected one for each. Give them in the form "
                "check_answer gives."
            )
        counts = (said != NO_BOX).sum(axis=1)
        for count, answer in zip(counts.tolist(), answers, strict=True):
            if len(answer) and answer[-1] >= count:
                raise BadInput(
                    f"The answer says that box {answer[-1] + 1} is wrong, and the picture has {count}. Expected one of these. "
                    "Judge the picture again."
                )
        return np.array([float(len(answer) > 0) for answer in answers])

    @property
    def objects(self) -> tuple[str, ...]:
        """The classes of the objects that were missed."""
        return self.classes

    def check_answer(self, answer: Any) -> list[int]:
        """The answer in rising order; BadInput where it is no such list."""
        whole = isinstance(answer, Collection) and not isinstance(answer, str | bytes) and all(map(is_whole, answer))
        found = sorted(int(one) for one in answer) if whole else []
        boxes = [one for one in found if one >= 0]
        missed = len(found) - len(boxes)
        if not whole or (found and found[0] < -len(self.classes)) or len(set(boxes)) < len(boxes):
            raise BadInput(
                f"The answer {answer!r:.60} cannot be used. Expected the numbers of the wrong boxes, each once, and -1 "
                f"- c for each missed object of class c, 0 to {len(self.classes) - 1}. Judge the picture again."
            )
        if missed > MOST_MISSED:
            raise BadInput(
                f"{missed} objects are said to be missed. Expected at most {MOST_MISSED}. Count again, or answer can't tell."
            )
        return found

    def answer_text(self, answer: Any, *, in_full: bool = False) -> str:  # noqa: ARG002 - names are always in full
        """The numbers of the wrong boxes, counted from 1 as on the picture, and how many objects of each class were missed."""
        if answer is None:
            return ""
        wrong = [str(one + 1) for one in answer if one >= 0]
        missed = Counter(-1 - one for one in answer if one < 0)
        parts = [f"wrong {', '.join(wrong)}"] if wrong else []
        if missed:
            parts.append("missed " + ", ".join(f"{self.classes[place]} {missed[place]}" for place in sorted(missed)))
        return "; ".join(parts) or ALL_RIGHT

    def answer_of(self, text: str) -> list[int]:
        """The answer that ``answer_text`` wrote, upper or lower case alike; BadInput where it is none.

        Where there is one class alone, "missed 2" is enough.
        """
        said = text.strip()
        if said.casefold() in (ALL_RIGHT, "right"):
            return []
        index = ClassIndex(self.classes, str.casefold)
        found: list[int] = []
        for part in filter(None, (one.strip() for one in said.split(";"))):
            what, _, listed = part.partition(" ")
            for one in (each.strip() for each in listed.split(",")):
                if what.casefold() == "wrong" and one.isdecimal() and 1 <= int(one) <= MOST_BOXES:
                    found.append(int(one) - 1)
                    continue
                name, _, count = one.rpartition(" ")
                place = 0 if not name and len(self.classes) == 1 else index.get(name.strip())
                if what.casefold() != "missed" or place is None or not count.isdecimal() or len(count) > 4:
                    raise BadInput(
                        f"The label {text!r:.60} cannot be read at {one!r:.40}. Expected {ALL_RIGHT!r}, or such as 'wrong 1, "
                        f"3; missed {self.classes[0]} 2', the classes being {', '.join(self.classes)!s:.100}. Correct it."
                    )
                found += [-1 - place] * int(count)
        return self.check_answer(found)

    def prediction_text(self, prediction: ArrayLike, *, in_full: bool = False) -> str:  # noqa: ARG002 - names are always in full
        """How many boxes of each class a picture has.

        >>> Boxes(("ship", "buoy")).prediction_text([1, 0, 1, -1]), Boxes(("ship",)).prediction_text([-1])
        ('buoy 2, ship 1', 'no box')
        """
        counts = Counter(place for place in np.ravel(prediction).tolist() if place != NO_BOX)
        return ", ".join(f"{self.classes[place]} {count}" for place, count in counts.most_common()) or "no box"

    def truth_text(self, truth: ArrayLike) -> str:
        """As an answer, in whose form it is stored."""
        return self.answer_text(truth)

    def true_answer(self, truth: Any) -> list[int]:
        """As an event holds it."""
        return list(truth)

    def typed_answer(self, cell: str, row: int) -> list[int]:  # noqa: ARG002 - the cell itself says which
        """As ``answer_of`` reads it."""
        return self.answer_of(cell)

    def written_answer(self, text: str, line: int) -> list[int]:  # noqa: ARG002 - the text itself says which
        """As ``answer_of`` reads it."""
        return self.answer_of(text)

    def answer_names(self, answer: Any) -> list[Any]:
        """The answer as one text."""
        return [self.answer_text(answer)]

    def answer_named(self, names: Sequence[Any]) -> list[int]:
        """The answer that these words are."""
        return self.answer_of(" ".join(str(one) for one in names))

    def predicted_counts(self, predictions: NDArray[Any]) -> NDArray[Any]:
        """How many boxes each class has, (C,)."""
        return np.bincount(predictions[predictions != NO_BOX], minlength=len(self.classes))

    def severe_words(self, begin: str) -> str:
        """By the scores of the boxes."""
        return f"all right with a chance of {begin} or more by the scores"

    def counts(self, predictions: ArrayLike, answers: Mapping[int, Sequence[int]]) -> BoxCounts:
        """Boxes and objects of each class of the labeled pictures, in the order of ``answers``: row -> answer.

        >>> found = Boxes(("ship", "buoy")).counts([[0, 1, 1]], {0: [-1, 2]})
        >>> found.right.tolist(), found.boxes.tolist(), found.objects.tolist()
        ([[1.0, 1.0]], [[1.0, 2.0]], [[2.0, 1.0]])
        """
        said, count = _padded(predictions), len(self.classes)
        boxes, wrong, missed = (np.zeros((len(answers), count)) for _ in range(3))
        for place, (row, answer) in enumerate(answers.items()):
            there = said[row][said[row] != NO_BOX]
            boxes[place] = np.bincount(there, minlength=count)
            wrong[place] = np.bincount(there[[one for one in answer if one >= 0]], minlength=count)
            missed[place] = np.bincount([-1 - one for one in answer if one < 0], minlength=count)
        return BoxCounts(boxes - wrong, boxes, boxes - wrong + missed)


def _padded(predictions: ArrayLike) -> NDArray[np.intp]:
    """The class places as (n, K)."""
    said = whole_array("predictions", predictions)
    return said if said.ndim == 2 else said[None, :]
