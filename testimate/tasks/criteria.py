"""Several criteria asked of one output: a grade for each, and together whether the output is right by all of them."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import is_whole
from testimate.core.errors import BadInput
from testimate.tasks.verdict import PASS_OR_FAIL, USUAL_SCALE, Criterion, Judgment

SKIPPED = -1
"""In place of a grade that the tester left out."""

OPEN = "–"
"""What a grade that was left out is written as."""


@dataclass(frozen=True)
class Criteria(Judgment):
    """A grade of each output by each criterion; the output is right where no grade is a fault.

    Answers are lists of places of grades in the order of the criteria, ``SKIPPED`` for what was left out; one of fewer was
    given before further criteria were added. With a grade left out it is open whether the output is right: its loss is nan.

    >>> task = Criteria(criteria=(Criterion("faithful", "1-5"), Criterion("polite")))
    >>> task.losses([0, 0, 0], [[4, 0], [2, 0], [4, -1]])
    array([ 0.,  1., nan])
    """

    scale: str = PASS_OR_FAIL
    table_scale: str = USUAL_SCALE  # by which its table is read
    criteria: tuple[Criterion, ...] = ()
    one_choice: ClassVar[bool] = False
    form: ClassVar[str] = "criteria"

    @property
    def table_grades(self) -> str:
        """The scale by which its table is read."""
        return self.table_scale

    @property
    def choices(self) -> tuple[str, ...]:
        """None: each criterion has its own."""
        return ()

    def losses(self, predictions: ArrayLike, answers: Any) -> NDArray[np.float64]:
        """0 where every grade is there and none is a fault, 1 where one is a fault, nan where one is left out; shape (n,)."""
        outputs = len(np.asarray(predictions))
        if outputs != len(answers):
            raise BadInput(
                f"There are {len(answers)} answers for {outputs} outputs. Expected one for each. Give them in the form "
                "check_answer gives."
            )
        faults = [one.task.fault_grades for one in self.criteria]
        return np.array([_loss(self.check_answer(answer), faults) for answer in answers], dtype=np.float64)

    def check_answer(self, answer: Any) -> Any:
        """The answer with a place for each criterion; BadInput where it is no such list, or every criterion is left out."""
        given = list(answer) if isinstance(answer, list | tuple) else []
        whole = [*given, *[SKIPPED] * (len(self.criteria) - len(given))]
        fits = len(whole) == len(self.criteria) and all(
            is_whole(place, SKIPPED, len(one.task.classes) - 1) for place, one in zip(whole, self.criteria, strict=True)
        )
        if not fits or all(place == SKIPPED for place in whole):
            raise BadInput(
                f"The answer {answer!r:.60} cannot be used. Expected the place of a grade for each of "
                f"{', '.join(one.name for one in self.criteria)!s:.120}, and -1 for what is left out. Judge the output again."
            )
        return [int(place) for place in whole]

    def grades_given(self, answer: Any) -> dict[str, str]:
        """The grade by the name of each criterion, "" for one left out or nothing answered.

        >>> Criteria(criteria=(Criterion("faithful", "1-5"), Criterion("polite"))).grades_given([4])
        {'faithful': '5', 'polite': ''}
        """
        places = [SKIPPED] * len(self.criteria) if answer is None else self.check_answer(answer)
        return {
            one.name: "" if place == SKIPPED else one.task.classes[place]
            for one, place in zip(self.criteria, places, strict=True)
        }

    def answer_text(self, answer: Any, *, in_full: bool = False) -> str:  # noqa: ARG002 - names are always in full
        """Each criterion with its grade, "faithful 5; polite right"."""
        if answer is None:
            return ""
        return "; ".join(f"{name} {grade or OPEN}" for name, grade in self.grades_given(answer).items())

    def answer_of(self, text: str) -> Any:
        """The answer that ``answer_text`` wrote, upper or lower case alike; BadInput where it is none.

        >>> Criteria(criteria=(Criterion("faithful", "1-5"), Criterion("polite"))).answer_of("Faithful 3; polite -")
        [2, -1]
        """
        places = dict.fromkeys((one.name for one in self.criteria), SKIPPED)
        longest_first = sorted(self.criteria, key=lambda one: -len(one.name))
        for part in filter(None, (one.strip() for one in text.split(";"))):
            one = next((one for one in longest_first if part.casefold().startswith(f"{one.name.casefold()} ")), None)
            if one is None:
                raise BadInput(
                    f"The label {text!r:.60} cannot be read at {part!r:.40}. Expected a grade after the name of each of "
                    f"{', '.join(each.name for each in self.criteria)!s:.120}. Correct it."
                )
            grade = part[len(one.name) :].strip()
            places[one.name] = SKIPPED if grade in (OPEN, "-") else one.task.place_of(grade)
        return self.check_answer(list(places.values()))

    def typed_answer(self, cell: str, row: int) -> Any:  # noqa: ARG002 - the cell itself says which
        """As ``answer_of`` reads it."""
        return self.answer_of(cell)

    def written_answer(self, text: str, line: int) -> Any:  # noqa: ARG002 - the text itself says which
        """As ``answer_of`` reads it."""
        return self.answer_of(text)

    def answer_names(self, answer: Any) -> list[Any]:
        """The answer as one text."""
        return [self.answer_text(answer)]

    def answer_named(self, names: Sequence[Any]) -> Any:
        """The answer that these words are."""
        return self.answer_of(" ".join(str(one) for one in names))

    def comparable(self, answer: Any) -> Hashable:
        """The grades in their order."""
        return None if answer is None else tuple(self.check_answer(answer))

    @property
    def usual_question(self) -> str:
        """By their number."""
        return "How good is this output, by each criterion?"

    @property
    def accepts(self) -> tuple[int, int] | None:
        """None: there are several grades to give."""
        return None

    @property
    def swipes(self) -> tuple[int, int] | None:
        """None: there are several grades to give."""
        return None


def _loss(answer: Sequence[int], faults: Sequence[tuple[int, ...]]) -> float:
    if SKIPPED in answer:
        return float("nan")
    return float(any(place in bad for place, bad in zip(answer, faults, strict=True)))


def grades_of_rows(task: Criteria, answers: Mapping[int, Any]) -> dict[str, dict[int, str]]:
    """The grades of answers by row, by the name of each criterion and the row."""
    given = {row: task.grades_given(answer) for row, answer in answers.items()}
    return {one.name: {row: grades[one.name] for row, grades in given.items()} for one in task.criteria}
