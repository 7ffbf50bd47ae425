"""The task without classes: a person reads what a system gave out and says how good it is, or which of two is better."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.class_index import ClassIndex
from testimate.core.errors import BadInput
from testimate.core.task import Measure, ShareRight, Task, TaskKind, check_shape, whole_array

# Places on a scale, so that all that handles classes handles grades: decision 120.
SCALES: Mapping[str, tuple[str, ...]] = {
    "right-partly-wrong": ("right", "partly", "wrong"),
    "1-5": ("1", "2", "3", "4", "5"),
    "sides": ("left", "no difference", "right"),
}
"""The grades of each scale in the order in which they stand; of the first the best comes first, of the second the best last.

The third asks which of two outputs, shown side by side in a random order, is better."""

USUAL_SCALE = "right-partly-wrong"
TWO_SYSTEMS = "sides"

FAULT_FROM = 0.5
"""The loss from which on an output counts as not right: partly, or a grade of 3 of 5."""

_SCORE = ShareRight("Score", "the score", "true score", "right, one that is partly right counting half")
_GRADES = ShareRight(
    "Score", "the score", "true score", "as good as the best grade, each grade less counting a quarter less"
)
_PREFERENCE = ShareRight(
    "Preference for A", "the preference for A", "true preference for A", "better answered by A, ties halved"
)


@dataclass(frozen=True)
class Judgement(Task):
    """A grade per output. The loss is how far it lies from the best grade, as a share of the scale: 0, 1/2, 1; or quarters.

    Predictions are the place of the best grade of each input, (n,): what everybody hopes for, the same for all inputs but where
    two systems' outputs stand side by side; there it is the side on which system A stands. Answers are places of grades, (n,).

    >>> Judgement().losses([0, 0, 0], [0, 1, 2])
    array([0. , 0.5, 1. ])
    >>> Judgement("1-5").losses([4, 4], [4, 1])
    array([0.  , 0.75])
    >>> Judgement("sides").losses([0, 2], [0, 0])  # the left one is better: once A's, once B's
    array([0., 1.])
    """

    scale: str = USUAL_SCALE
    # The grades in the order in which they stand, by the scale alone.
    classes: tuple[str, ...] = field(init=False, repr=False, compare=False)
    kind: ClassVar[TaskKind] = "verdict"
    title: ClassVar[str] = "An output to judge"
    meaning: ClassVar[str] = "a text, a picture or a sound that people judge"
    one_choice: ClassVar[bool] = True
    graded: ClassVar[bool] = True
    classes_title: ClassVar[str] = "Grades"
    severity_basis: ClassVar[str] = "the judge's score"

    def __post_init__(self) -> None:
        if self.scale not in SCALES:
            raise BadInput(
                f"The grades are {self.scale!r:.40}; expected one of {', '.join(SCALES)}. Choose one of these."
            )
        object.__setattr__(self, "classes", SCALES[self.scale])

    @property
    def grades(self) -> str:
        """The name of the scale."""
        return self.scale

    @property
    def compares(self) -> bool:
        """Whether two systems' outputs are compared."""
        return self.scale == TWO_SYSTEMS

    @property
    def best(self) -> int:
        """The place of the best grade; BadInput where two systems are compared, of which either may be better."""
        if self.compares:
            raise BadInput("Of two systems neither is the best in advance. Ask for the side on which A stands.")
        return len(self.classes) - 1 if self.scale == "1-5" else 0

    @property
    def fault_grades(self) -> tuple[int, ...]:
        """The places of the grades that are faults; BadInput where two systems are compared.

        >>> Judgement().fault_grades, Judgement("1-5").fault_grades
        ((1, 2), (0, 1, 2))
        """
        places = np.arange(len(self.classes))
        return tuple(np.flatnonzero(self.failed(self.losses(np.full(len(places), self.best), places))).tolist())

    @property
    def measure(self) -> Measure:
        """The mean score, or the share of inputs on which A is preferred."""
        return {"right-partly-wrong": _SCORE, "1-5": _GRADES, "sides": _PREFERENCE}[self.scale]

    @property
    def fault_words(self) -> str:
        """What a fault is, after a count: "3 not right"."""
        return {"right-partly-wrong": "not right", "1-5": "graded 3 or less", "sides": "not better by A"}[self.scale]

    def losses(self, predictions: ArrayLike, answers: ArrayLike) -> NDArray[np.float64]:
        """The distance from the best grade over the length of the scale, 0..1; shape (n,)."""
        answered = whole_array("answers", answers)
        best = whole_array("predictions", predictions)
        check_shape("answers", answered, (len(answered),))
        check_shape("predictions", best, answered.shape)
        losses: NDArray[np.float64] = np.abs(answered - best) / (len(self.classes) - 1)
        return losses

    def failed(self, losses: ArrayLike) -> NDArray[np.bool_]:
        """A loss of ``FAULT_FROM`` or more is a failure; shape (n,)."""
        return np.asarray(losses, dtype=np.float64) >= FAULT_FROM

    def check_answer(self, answer: Any) -> int:
        """The place of the grade; BadInput where it is none of the scale."""
        if isinstance(answer, bool) or not isinstance(answer, int | np.integer) or not 0 <= answer < len(self.classes):
            raise BadInput(
                f"The grade {answer!r:.60} is not on the scale {', '.join(self.classes)}; expected its place, 0 to "
                f"{len(self.classes) - 1}. Choose one of those shown."
            )
        return int(answer)

    def place_of(self, word: str) -> int:
        """The place of the grade that a cell names, upper or lower case alike; BadInput where it is none of the scale.

        >>> Judgement().place_of("Partly"), Judgement("1-5").place_of("4.0")
        (1, 3)
        """
        grade = ClassIndex(self.classes).as_typed(word.strip().casefold())
        if grade is None:
            raise BadInput(
                f"The grade {word!r:.60} is not on the scale; expected one of {', '.join(self.classes)}. Correct it, or choose "
                "another scale."
            )
        return grade

    def answer_text(self, answer: Any, *, in_full: bool = False) -> str:  # noqa: ARG002 - names are always in full
        """The name of the grade."""
        return "" if answer is None else self.classes[answer]

    def prediction_text(self, prediction: ArrayLike, *, in_full: bool = False) -> str:  # noqa: ARG002 - names are always in full
        """Which side A stood on; of one system nothing, since its output is what is judged.

        >>> Judgement("sides").prediction_text(2), Judgement().prediction_text(0)
        ('A on the right', '')
        """
        return f"A on the {self.classes[int(np.ravel(prediction)[0])]}" if self.compares else ""

    def truth_text(self, truth: ArrayLike) -> str:
        """The name of the grade."""
        return self.classes[int(np.ravel(truth)[0])]

    def typed_answer(self, cell: str, row: int) -> int:  # noqa: ARG002 - the cell itself says which
        """As ``place_of`` reads it."""
        return self.place_of(cell)

    def written_answer(self, text: str, line: int) -> int:  # noqa: ARG002 - the text itself says which
        """As ``place_of`` reads it."""
        return self.place_of(text)

    @property
    def usual_question(self) -> str:
        """By the scale."""
        if self.compares:
            return "Which output is better?"
        return "How good is this output?" if self.best else "Is this output right?"

    @property
    def judged(self) -> str:
        """What is right or wrong is the output; of two systems the input's."""
        return "inputs" if self.compares else "outputs"

    @property
    def outcome_words(self) -> tuple[str, str]:
        """By the scale.

        >>> Judgement().outcome_words
        ('the output was right', 'the output was not right')
        """
        if self.scale == USUAL_SCALE:
            return "the output was right", "the output was not right"
        return "the output counts as right", "the output counts as not right"

    @property
    def accepts(self) -> tuple[int, int] | None:
        """Right and wrong, where these are grades."""
        return (self.best, len(self.classes) - 1) if self.scale == USUAL_SCALE else None

    @property
    def swipes(self) -> tuple[int, int] | None:
        """Wrong to the left and right to the right; of two systems the sides."""
        if self.compares:
            return 0, len(self.classes) - 1
        return (len(self.classes) - 1, self.best) if self.scale == USUAL_SCALE else None

    def severe_words(self, begin: str) -> str:
        """By the judge's score."""
        return f"scored {begin} or more by the judge"
