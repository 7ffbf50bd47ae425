"""What judged boxes say beyond the share of pictures right: precision and recall of a detector, class by class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.inputs import Inputs
from testimate.core.task import Task
from testimate.core.words import percent, percent_range
from testimate.estimators.parts import BoxScore, BoxScores, box_scores
from testimate.estimators.weights import PartEstimate
from testimate.planning.slices import why_counts_only
from testimate.tasks.boxes import Boxes

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

    task: Boxes
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
            f"Of all boxes {part_words(total.precision)} are right (precision); of all objects {part_words(total.recall)} are "
            "found (recall)."
        )
        each = "; ".join(f"{one.name}: precision {one.precision}, recall {one.recall}" for one in self.lines()[1:])
        if len(self.task.classes) > 1:
            said += f" {each}."
        return f"{said} In brackets: {100 * self.level:g} % intervals at a number of labels fixed in advance."

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
    if not isinstance(task, Boxes) or inputs is None:
        return None
    labeled = [one.draw.row for one in verdicts if one.loss is not None]
    if not labeled or any(row not in answers for row in labeled) or not verdicts:
        return None
    said = {place: answers.get(one.draw.row, []) for place, one in enumerate(verdicts)}
    counts = task.counts(inputs.predictions[[one.draw.row for one in verdicts]], said)
    scores = box_scores(design, verdicts, counts, level=level)
    why = why_counts_only(technique)
    return BoxEstimate(task, _without_numbers(scores, why) if why else scores, level)


def part_words(part: PartEstimate) -> str:
    """The share in percent with its interval, or why there is none.

    >>> part_words(PartEstimate(40, 0.85, 0.05, 0.71, 0.93)).split()
    ['85.0', '%', '(71.0', '–', '93.0', '%)']
    >>> part_words(PartEstimate(4, why="too few labels"))
    'too few labels'
    """
    if part.value is None:
        return part.why
    said = percent(part.value, space=" ")
    return said if part.low is None or part.high is None else f"{said} ({percent_range(part.low, part.high)})"


def _without_numbers(scores: BoxScores, why: str) -> BoxScores:
    def bare(one: BoxScore) -> BoxScore:
        return BoxScore(*(PartEstimate(part.labeled, why=why) for part in (one.precision, one.recall)))

    return BoxScores(tuple(map(bare, scores.classes)), bare(scores.all))


def _json(part: PartEstimate) -> dict[str, Any]:
    return {"value": part.value, "low": part.low, "high": part.high, "labeled": part.labeled, "why": part.why}
