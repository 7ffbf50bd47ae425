"""What verdicts say beyond the score: grades, a judge's agreement, sizes of errors, and a detector's precision and recall."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, SimpleRandom, Stratified
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.task import ONE_MINUS_SQUARED_ERROR, ROUGH, Measure, Task
from testimate.core.words import (
    better_or_worse,
    commas,
    counted,
    decimal,
    decimal_ends,
    level_words,
    number,
    number_ends,
    percent,
    percent_range,
    points,
)
from testimate.estimators import estimator_of
from testimate.estimators.judges import (
    JudgeBias,
    JudgedScore,
    JudgeScores,
    JudgingCost,
    judge_assisted,
    judging_ways,
    price_that_pays,
)
from testimate.estimators.parts import BoxScore, BoxScores, box_scores
from testimate.estimators.second_look import JudgeAgreement, judge_agreement
from testimate.estimators.weights import PartEstimate
from testimate.planning.judges import judges_of
from testimate.planning.parts import why_counts_only
from testimate.selectors import with_honest_interval
from testimate.tasks.regression import as_said

JUDGED_RIGHT = 0.5
"""The chance that an output is right from which on a judge is taken to call it right."""

OF_SIDES = ("better by A", "no difference", "better by B")


@dataclass(frozen=True)
class GradeShare:
    """The share of all inputs with a grade; ``estimate.accuracy`` is that share, with its interval."""

    name: str
    estimate: Estimate

    def words(self) -> str:
        """The share with its interval, "right 71.0% (63.9 to 77.3%)"."""
        found = self.estimate
        said = f"{self.name} {percent(found.accuracy)}"
        return said if found.low is None or found.high is None else f"{said} ({percent_range(found.low, found.high)})"


@dataclass(frozen=True)
class Prices:
    """What a person's label and a judge's grade of one output cost, in one unit, money or time.

    BadInput where labels cost nothing, or a price is none.
    """

    label: float
    judge: float

    def __post_init__(self) -> None:
        if not (0 < self.label < float("inf") and 0 <= self.judge < float("inf")):
            raise BadInput(
                f"The prices are {self.label:g} for a label and {self.judge:g} for a judged output. Expected more than 0 for a "
                "label, and 0 or more for a judged output. Correct them."
            )


def prices_of(typed: str) -> Prices:
    """Return what was typed as LABEL,JUDGE; BadInput where it is no two prices.

    >>> prices_of("1.50,0.02")
    Prices(label=1.5, judge=0.02)
    """
    try:
        label, judge = map(float, typed.split(","))
    except ValueError:
        raise BadInput(
            f"--prices is {typed!r:.60}. Expected the price of a label and of a judged output, such as 1.50,0.02. Write them "
            "so."
        ) from None
    return Prices(label, judge)


def _way_words(one: JudgingCost, size: int) -> str:
    if not one.judged:
        return f"label {counted(one.labeled, 'output')} without a judge"
    judged = f"all {commas(size)} outputs" if one.judged >= size else counted(one.judged, "output")
    return f"judge {judged} and label {commas(one.labeled)}"


@dataclass(frozen=True)
class JudgeAssisted:
    """The score that judges help to estimate, beside the plain one; ``remarks`` : what is unusual about their grades."""

    found: JudgedScore
    measure: Measure
    remarks: tuple[str, ...] = ()

    def words(self) -> str:
        """Return the score, what the judges save, each judge's bias, and what is unusual, in sentences."""
        biases = (f"{one.name!r:.60} {bias_words(one)}" for one in self.found.judges)
        return " ".join((self.headline, *biases, *self.remarks))

    @property
    def headline(self) -> str:
        """The score with its interval and what the judges save; why there is none where they do not assist."""
        if self.found.why:
            return f"Judge-assisted: not yet. {self.found.why}"
        estimate, saved = self.found.estimate, self.found.saved
        said = f"Judge-assisted: {self.measure.value(estimate.accuracy)}"
        if estimate.low is not None and estimate.high is not None:
            ends = self.measure.range(estimate.low, estimate.high)
            said += f" ({level_words(estimate.level)} interval {ends}, fixed-size)"
        if saved == 0:
            return f"{said}. The judges save no labels."
        return (
            f"{said}. The judges explain {percent(saved, 0)} of what people say (R squared) and save that share of random "
            f"labels. On further outputs a judge pays off if it costs less than {percent(price_that_pays(saved))} of a label."
        )

    def costs(self, prices: Prices, size: int) -> tuple[JudgingCost, ...]:
        """Return the ways to be as precise by random labels of ``size`` outputs in all, as shares of the labels' price."""
        return judging_ways(self.found.saved, prices.judge / prices.label, self.found.estimate.labeled, size)

    def cost_words(self, prices: Prices, size: int) -> str:
        """Return the cheapest way to be as precise by random labels of ``size`` outputs in all, and what each way costs."""
        labels, ways = self.found.estimate.labeled, self.costs(prices, size)
        each = ", ".join(f"{_way_words(one, size)} for {number(one.cost * labels * prices.label)}" for one in ways)
        best = min(ways, key=lambda one: one.cost)
        if not best.judged:
            said = f"At this price no judge pays. Label {counted(labels, 'output')} without one."
        else:
            way = _way_words(best, size)
            said = (
                f"{way[0].upper()}{way[1:]} of them: as precise as {counted(labels, 'label')} alone, for "
                f"{percent(best.cost, 0)} of their price."
            )
        return said if len(ways) == 1 else f"{said} Equally precise: {each}."

    def to_json(self) -> dict[str, object]:
        """Return plain JSON values: the estimate, R squared, the price below which judges pay, and each judge's bias."""
        return {
            "estimate": self.found.estimate.to_json(),
            "saved": self.found.saved,
            "pays_below": price_that_pays(self.found.saved),
            "why": self.found.why,
            "judges": [asdict(one) | {"score": one.score if one.graded else None} for one in self.found.judges],
            "remarks": list(self.remarks),
        }


def bias_words(one: JudgeBias) -> str:
    """Return how far a judge is from people, after its name.

    >>> bias_words(JudgeBias("gpt", 0.9, 800, 0.25, 0.21, 0.294, 0.3))
    'grades 21.0 to 29.4 points better than people (estimate 25.0 points) and alone explains 30%.'
    """
    if one.bias is None:
        return f"graded {commas(one.graded)} outputs. Too few of them are labeled to say how far it is from people."
    alone = f"alone explains {percent(one.explained, 0)}"
    if one.low is None or one.high is None:
        return f"grades {points(abs(one.bias))} {'better' if one.bias >= 0 else 'worse'} than people and {alone}."
    return f"grades {better_or_worse(one.low, one.high)} than people (estimate {points(one.bias)}) and {alone}."


@dataclass(frozen=True)
class VerdictEstimate:
    """The shares of the grades, the best first, and what is known of the judge whose score came with the outputs.

    Attributes
    ----------
    right : the share of outputs without a fault; None where two systems are compared.
    mean_grade : (value, low, high) of the mean grade on the scale of 1 to 5; None on other scales. Ends None without interval.
    judge : None where no chance that an output is right is known.
    assisted : the score with the help of the judges; None without judges and of a design that they do not assist.
    """

    task: Task
    grades: tuple[GradeShare, ...]
    right: GradeShare | None
    mean_grade: tuple[float, float | None, float | None] | None
    judge: JudgeAgreement | None
    assisted: JudgeAssisted | None = None

    def words(self) -> str:
        """The whole result in sentences; ends in brackets are of intervals at a number of labels fixed in advance."""
        shares = ", ".join(one.words() for one in self.grades)
        level = level_words(self.grades[0].estimate.level)
        said = [f"Of all inputs: {shares}."]
        if self.mean_grade is not None:
            value, low, high = self.mean_grade
            ends = "" if low is None or high is None else f" ({' to '.join(decimal_ends(low, high, 2))})"
            assert self.right is not None
            said = [f"Mean grade {decimal(value, 2)}{ends}, {self.right.words()}.", *said]
        said.append(f"In brackets: fixed-size {level} intervals.")
        if self.judge is not None:
            said.append(judge_words(self.judge))
        return " ".join(said)

    def to_json(self) -> dict[str, object]:
        """Plain JSON values: each share as {value, low, high}."""
        shares = {one.name: _ends(one.estimate) for one in self.grades}
        judge = self.judge
        return {
            "grades": self.task.grades,
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
            "judge_assisted": None if self.assisted is None else self.assisted.to_json(),
        }


def verdict_estimate(
    inputs: Inputs | None, task: Task, design: Design, verdicts: Sequence[Verdict], *, technique: str, level: float
) -> VerdictEstimate | None:
    """What a session's or plan's verdicts say; None of other tasks, and while there is no honest number.

    ``inputs`` : for the judge's score; None where they are not available.
    """
    if not task.graded:
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
    judge = _judge(inputs, task, design, verdicts, level)
    assisted = None if inputs is None else judge_assisted_score(inputs, design, verdicts, mean)
    return VerdictEstimate(task, grades, right, _known(of_five), judge, assisted)


def judge_assisted_score(
    inputs: Inputs, design: Design, verdicts: Sequence[Verdict], plain: Estimate
) -> JudgeAssisted | None:
    """Return the score with the help of every judge of these outputs; None without judges and of another design.

    ``plain`` : the estimate of the same verdicts without judges.
    """
    if not isinstance(design, SimpleRandom | Stratified):
        return None
    scores: dict[str, NDArray[np.float64]] = {}
    remarks: list[str] = []
    for name, read in judges_of(inputs).items():
        if read is None:
            remarks.append(f"The numbers of {name!r:.60} lie on no scale of grades, so it is not used.")
            continue
        scores[name] = read.scores
        remarks += read.remarks
    if not scores:
        return None
    return JudgeAssisted(
        judge_assisted(design, verdicts, JudgeScores(scores), plain), inputs.task.measure, tuple(remarks)
    )


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
    compares = inputs.task.compares
    return None if inputs.confidence is None or compares else inputs.confidence >= JUDGED_RIGHT


def _judge(
    inputs: Inputs | None, task: Task, design: Design, verdicts: Sequence[Verdict], level: float
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


@dataclass(frozen=True)
class InUnit:
    """A mean error of the whole set in the unit of the predictions, with the ends of its interval, or None."""

    value: float
    low: float | None
    high: float | None

    def words(self, unit: str) -> str:
        """The error with its interval, "1.2 degrees (0.9 to 1.6)".

        >>> InUnit(1.23456, 0.9, 1.6).words("degrees"), InUnit(1.23456, None, None).words("")
        ('1.235 degrees (0.9 to 1.6)', '1.235')
        """
        said = f"{number(self.value)} {unit}".rstrip()
        return (
            said
            if self.low is None or self.high is None
            else f"{said} ({' to '.join(number_ends(self.low, self.high))})"
        )


@dataclass(frozen=True)
class ErrorEstimate:
    """What the labels say about a regression's errors, in its unit.

    Attributes
    ----------
    absolute, root_squared : the mean absolute and the root mean squared error. The interval of the first holds what it says,
        that of the second can hold 85% where errors have heavy tails (docs/studies/share_within_tolerance.md).
    squared : the estimate of 1 - mean squared error, the measure that DeepSample publishes.
    """

    task: Task
    absolute: InUnit
    root_squared: InUnit
    squared: Estimate

    def words(self) -> str:
        """The mean errors in a sentence, and 1 - mean squared error as the published measure."""
        level = level_words(self.squared.level)
        measure = ONE_MINUS_SQUARED_ERROR
        said = (
            f"Mean absolute error {self.absolute.words(self.task.unit)}, root mean squared error "
            f"{self.root_squared.words(self.task.unit)}. As published, {measure.title} {measure.value(self.squared.accuracy)}."
        )
        if self.absolute.low is None:
            return said
        return f"{said} In brackets: a {level} interval for the first, a rough one for the second. {ROUGH}"

    def to_json(self) -> dict[str, object]:
        """Tolerance, unit, and each mean error as [value, low, high] in that unit; ends null without an interval."""
        means = {"mean_absolute_error": self.absolute, "root_mean_squared_error": self.root_squared}
        ends = {name: [one.value, one.low, one.high] for name, one in means.items()}
        return {
            "tolerance": as_said(self.task),
            "unit": self.task.unit,
            **ends,
            "rough": ["root_mean_squared_error"],
            "one_minus_mean_squared_error": self.squared.to_json(),
        }


def outcomes_of(task: Task, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts with what each loss counts in the accuracy: of a tolerance 1 beyond it, else 0."""
    return with_losses(verdicts, lambda loss: float(task.outcomes([loss])[0])) if task.numeric else tuple(verdicts)


def in_unit(inputs: Inputs, verdicts: Sequence[Verdict], answers: Mapping[int, Any]) -> tuple[Verdict, ...]:
    """The verdicts with squared errors in the unit, which a relative tolerance does not leave in their losses.

    ``answers`` : of each row with a loss, as events hold them.
    """
    task = inputs.task
    if not task.relative:
        return tuple(verdicts)
    rows = {one.draw.row: answers[one.draw.row] for one in verdicts if one.loss is not None}
    losses = dict(zip(rows, replace(inputs, task=task.in_unit()).losses_of(rows).tolist(), strict=True))
    return tuple(one if one.loss is None else replace(one, loss=losses[one.draw.row]) for one in verdicts)


def error_estimate(
    task: Task, design: Design, squared: Sequence[Verdict], *, technique: str, level: float
) -> ErrorEstimate | None:
    """The mean errors of a session or plan; None of other tasks, without a tolerance, and while there is no honest number.

    ``squared`` : its verdicts with squared errors in the unit, as ``in_unit`` gives them.
    """
    if not task.tolerance:
        return None
    unit = task.in_unit()
    try:
        of_squares = _estimate(design, squared, technique, level, unit.loss_bound)
        absolute = _estimate(
            design, with_losses(squared, lambda loss: float(unit.errors([loss])[0])), technique, level, None
        )
    except NotEnoughLabels:
        return None
    return ErrorEstimate(
        task,
        _mean_error(absolute, float),
        _mean_error(of_squares, lambda mean: float(unit.errors([mean])[0])),
        of_squares,
    )


def with_losses(verdicts: Sequence[Verdict], loss_of: Callable[[float], float]) -> tuple[Verdict, ...]:
    """The verdicts with other losses; what is not settled stays so."""
    return tuple(one if one.loss is None else replace(one, loss=loss_of(one.loss)) for one in verdicts)


def _estimate(
    design: Design, verdicts: Sequence[Verdict], technique: str, level: float, bound: float | None
) -> Estimate:
    found = estimator_of(design).estimate(design, verdicts, level=level, loss_bound=bound, always_valid=False)
    return with_honest_interval(found, technique)


def _mean_error(found: Estimate, turned: Callable[[float], float]) -> InUnit:
    """From the estimate of 1 - mean; an end below 0, which no mean error has, is 0."""
    low, high = (None if end is None else turned(max(0.0, 1 - end)) for end in (found.high, found.low))
    return InUnit(turned(max(0.0, 1 - found.accuracy)), low, high)


ALL = "all classes"


@dataclass(frozen=True)
class BoxLine:
    """A class, or all of them, with its precision and recall in words; ``name`` is untrusted text."""

    name: str
    precision: str
    recall: str


@dataclass(frozen=True)
class BoxEstimate:
    """Precision and recall of each class and of all, pictures being the units drawn."""

    task: Task
    scores: BoxScores
    level: float

    @property
    def named(self) -> tuple[tuple[str, BoxScore], ...]:
        """All classes together, then each by its name."""
        return ((ALL, self.scores.all), *zip(self.task.classes, self.scores.classes, strict=True))

    def lines(self) -> tuple[BoxLine, ...]:
        """The table of them, all classes first."""
        return tuple(BoxLine(name, part_words(one.precision), part_words(one.recall)) for name, one in self.named)

    def words(self) -> str:
        """The whole result in sentences."""
        total = self.scores.all
        said = (
            f"Of all boxes {part_words(total.precision)} are right (precision). Of all objects {part_words(total.recall)} are "
            "found (recall)."
        )
        each = "; ".join(f"{one.name}: precision {one.precision}, recall {one.recall}" for one in self.lines()[1:])
        if len(self.task.classes) > 1:
            said += f" {each}."
        return f"{said} In brackets: fixed-size {level_words(self.level)} intervals."

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values: precision and recall of each class, all classes first."""
        return {name: {"precision": _json(one.precision), "recall": _json(one.recall)} for name, one in self.named}


def box_estimate(
    inputs: Inputs | None,
    task: Task,
    design: Design,
    verdicts: Sequence[Verdict],
    answers: Mapping[int, Sequence[int]],
    *,
    technique: str,
    level: float,
) -> BoxEstimate | None:
    """What the judged boxes of a session or plan say; None of other tasks, and where boxes or answers are not known.

    ``answers`` : row -> answer, of every row with a loss.
    """
    if inputs is None:
        return None
    labeled = [one.draw.row for one in verdicts if one.loss is not None]
    if not labeled or any(row not in answers for row in labeled) or not verdicts:
        return None
    said = {place: answers.get(one.draw.row, []) for place, one in enumerate(verdicts)}
    counts = task.counts(inputs.predictions[[one.draw.row for one in verdicts]], said)
    if counts is None:
        return None
    scores = box_scores(design, verdicts, counts, level=level)
    why = why_counts_only(technique)
    return BoxEstimate(task, _without_numbers(scores, why) if why else scores, level)


def part_words(part: PartEstimate) -> str:
    """The share in percent with its interval, or why there is none.

    >>> part_words(PartEstimate(40, 0.85, 0.05, 0.71, 0.93)).split()
    ['85.0%', '(71.0', 'to', '93.0%)']
    >>> part_words(PartEstimate(4, why="too few labels"))
    'too few labels'
    """
    if part.value is None:
        return part.why
    said = percent(part.value)
    return said if part.low is None or part.high is None else f"{said} ({percent_range(part.low, part.high)})"


def _without_numbers(scores: BoxScores, why: str) -> BoxScores:
    def bare(one: BoxScore) -> BoxScore:
        return BoxScore(*(PartEstimate(part.labeled, why=why) for part in (one.precision, one.recall)))

    return BoxScores(tuple(map(bare, scores.classes)), bare(scores.all))


def _json(part: PartEstimate) -> dict[str, Any]:
    return {"value": part.value, "low": part.low, "high": part.high, "labeled": part.labeled, "why": part.why}
