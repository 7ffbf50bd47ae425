"""What verdicts say beyond the score: the share of each grade, the mean grade, and how far a judge's score agrees."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from testimate.core.design import Design
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.task import Task
from testimate.core.words import decimal, decimal_ends, percent, percent_range
from testimate.estimators import estimator_of
from testimate.estimators.second_look import JudgeAgreement, judge_agreement
from testimate.planning.honest_interval import with_honest_interval
from testimate.tasks.verdict import Judgement

JUDGED_RIGHT = 0.5
"""The chance that an output is right from which on a judge is taken to call it right."""

OF_SIDES = ("better by A", "no difference", "better by B")


@dataclass(frozen=True)
class GradeShare:
    """The share of all inputs with a grade; ``estimate.accuracy`` is that share, with its interval."""

    name: str
    estimate: Estimate

    def words(self) -> str:
        """The share with its interval, "right 71.0 % (63.9 – 77.3 %)"."""
        found = self.estimate
        said = f"{self.name} {percent(found.accuracy, space=' ')}"
        return said if found.low is None or found.high is None else f"{said} ({percent_range(found.low, found.high)})"


@dataclass(frozen=True)
class VerdictEstimate:
    """The shares of the grades, the best first, and what is known of the judge whose score came with the outputs.

    Attributes
    ----------
    right : the share of outputs without a fault; None where two systems are compared.
    mean_grade : (value, low, high) of the mean grade on the scale of 1 to 5; None on other scales. Ends None without interval.
    judge : None where no chance that an output is right is known.
    """

    task: Judgement
    grades: tuple[GradeShare, ...]
    right: GradeShare | None
    mean_grade: tuple[float, float | None, float | None] | None
    judge: JudgeAgreement | None

    def words(self) -> str:
        """The whole result in sentences; ends in brackets are of intervals at a number of labels fixed in advance."""
        shares = ", ".join(one.words() for one in self.grades)
        level = f"{100 * self.grades[0].estimate.level:g} %"
        said = [f"Of all inputs: {shares}."]
        if self.mean_grade is not None:
            value, low, high = self.mean_grade
            ends = "" if low is None or high is None else f" ({' to '.join(decimal_ends(low, high, 2))})"
            assert self.right is not None
            said = [f"Mean grade {decimal(value, 2)}{ends}; {self.right.words()}.", *said]
        said.append(f"In brackets: {level} intervals.")
        if self.judge is not None:
            said.append(judge_words(self.judge))
        return " ".join(said)

    def to_json(self) -> dict[str, object]:
        """Plain JSON values: each share as {value, low, high}."""
        shares = {one.name: _ends(one.estimate) for one in self.grades}
        judge = self.judge
        return {
            "grades": self.task.scale,
            "shares": shares,
            "right": None if self.right is None else _ends(self.right.estimate),
            "mean_grade": None if self.mean_grade is None else list(self.mean_grade),
            "judge": None
            if judge is None
            else {
                "labeled": judge.labeled,
                "agreement": judge.agreement,
                "kappa": judge.kappa,
                "low": judge.low,
                "high": judge.high,
                "why": judge.why,
            },
        }


def verdict_estimate(
    inputs: Inputs | None, task: Task, design: Design, verdicts: Sequence[Verdict], *, technique: str, level: float
) -> VerdictEstimate | None:
    """What a session's or plan's verdicts say; None of other tasks, and while there is no honest number.

    ``inputs`` : for the judge's score; None where they are not available.
    """
    if not isinstance(task, Judgement):
        return None

    def share(name: str, least: float, most: float) -> GradeShare:
        inside = [
            one if one.loss is None else replace(one, loss=0.0 if least <= one.loss <= most else 1.0)
            for one in verdicts
        ]
        found = estimator_of(design).estimate(design, inside, level=level, loss_bound=1.0, always_valid=False)
        return GradeShare(name, with_honest_interval(found, technique))

    places = len(task.classes)
    names = OF_SIDES if task.compares else task.classes if task.best == 0 else task.classes[::-1]
    losses = [place / (places - 1) for place in range(places)]
    try:
        grades = tuple(share(name, loss - 0.01, loss + 0.01) for name, loss in zip(names, losses, strict=True))
        right = None if task.compares else share("graded 4 or 5" if places > 3 else "right", 0.0, 0.49)
        mean = estimator_of(design).estimate(design, verdicts, level=level, loss_bound=1.0, always_valid=False)
    except NotEnoughLabels:
        return None
    mean = with_honest_interval(mean, technique)
    of_five = (_grade(mean.accuracy), _grade(mean.low), _grade(mean.high)) if places > 3 else None
    return VerdictEstimate(task, grades, right, _known(of_five), _judge(inputs, task, design, verdicts, level))


def judge_words(found: JudgeAgreement) -> str:
    """What the labels say about the judge, in sentences."""
    what = f"The judge calls an output right from a score of {JUDGED_RIGHT:g} on"
    if found.agreement is None:
        return f"{what}; how far it agrees with people: {found.why}."
    said = f"{what}; judge and people agree on {percent(found.agreement)} of all inputs"
    if found.kappa is None:
        return f"{said}; {found.why}."
    kappa = f"kappa {decimal(found.kappa, 2)}"
    if found.low is None or found.high is None:
        return f"{said}, {kappa}; {found.why}."
    return f"{said}, {kappa} ({' to '.join(decimal_ends(found.low, found.high, 2))})."


def calls_right(inputs: Inputs) -> "np.ndarray[tuple[int], np.dtype[np.bool_]] | None":
    """Which inputs' outputs the judge calls right, (N,); None where its score is no chance, or nobody's."""
    compares = isinstance(inputs.task, Judgement) and inputs.task.compares
    return None if inputs.confidence is None or compares else inputs.confidence >= JUDGED_RIGHT


def _judge(
    inputs: Inputs | None, task: Judgement, design: Design, verdicts: Sequence[Verdict], level: float
) -> JudgeAgreement | None:
    says = None if inputs is None else calls_right(inputs)
    if says is None:
        return None
    rows = np.array([one.draw.row for one in verdicts], dtype=np.intp)
    losses = np.array([1.0 if one.loss is None else one.loss for one in verdicts])
    return judge_agreement(design, verdicts, says[rows], ~task.failed(losses), level=level)


def _grade(accuracy: float | None) -> float | None:
    return None if accuracy is None else 1 + 4 * accuracy


def _known(
    of_five: tuple[float | None, float | None, float | None] | None,
) -> tuple[float, float | None, float | None] | None:
    return None if of_five is None or of_five[0] is None else (of_five[0], of_five[1], of_five[2])


def _ends(found: Estimate) -> list[float | None]:
    return [found.accuracy, found.low, found.high]
