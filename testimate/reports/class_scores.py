"""Precision, recall and F1 of a session's classes, and the confusion of all its inputs, in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from testimate.core.errors import BadInput
from testimate.estimators.parts import ClassScores
from testimate.estimators.weights import PartEstimate
from testimate.planning.parts import scores_of_classes
from testimate.project.cluster_review import can_be_sliced
from testimate.session.session import Session

MOST_PAIRS = 8
"""Pairs of classes that are named where there are too many for a table."""


def session_scores(session: Session, *, simultaneous: bool = False) -> ClassScores:
    """Precision, recall and F1 of each class and the confusion of all inputs; BadInput where there are none."""
    if not can_be_sliced(session):
        raise BadInput(
            "These labels are about a part of the inputs; expected a plan of the whole set. Choose another session."
        )
    inputs, record = session.inputs, session.session_record
    return scores_of_classes(
        inputs.task,
        inputs.predictions,
        session.selector.design,
        session.verdicts(),
        session.answers(),
        technique=record.request.technique,
        level=record.level,
        simultaneous=simultaneous,
    )


def scores_if_any(session: Session) -> ClassScores | None:
    """As ``session_scores``; None where inputs have no single class, or the draws give no weights for an estimate by class."""
    try:
        scores = session_scores(session)
    except BadInput:
        return None
    return None if scores.micro.f1.value is None else scores


@dataclass(frozen=True)
class ScoreLine:
    """A class, or a mean of all, with its scores in words; ``name`` is untrusted text."""

    name: str
    precision: str
    recall: str
    f1: str


def score_lines(scores: ClassScores, classes: Sequence[str]) -> list[ScoreLine]:
    """A line for each class, in their order, then the mean of the classes (macro) and of all inputs alike (micro)."""
    named = [*zip(classes, scores.classes, strict=True), ("mean of the classes (macro)", scores.macro)]
    return [
        ScoreLine(name, *map(score_words, (one.precision, one.recall, one.f1)))
        for name, one in (*named, ("all inputs alike (micro)", scores.micro))
    ]


def score_words(part: PartEstimate) -> str:
    """The share in percent with its interval, or why there is none.

    >>> score_words(PartEstimate(40, 0.85, 0.05, 0.71, 0.93)), score_words(PartEstimate(4, why="too few labels"))
    ('85.0 % (71.0 to 93.0)', 'too few labels')
    """
    if part.value is None:
        return part.why
    if part.low is None or part.high is None:
        return f"{100 * part.value:.1f} %"
    return f"{100 * part.value:.1f} % ({100 * part.low:.1f} to {100 * part.high:.1f})"


@dataclass(frozen=True)
class SharesConfused:
    """Of few classes ``lines``: a true class, and for each prediction the percent of all inputs, "" where none was seen.

    Of many ``pairs``: true class, prediction, and the share in words; the largest first. Names are untrusted text.
    """

    lines: tuple[tuple[str, tuple[str, ...]], ...] = ()
    pairs: tuple[tuple[str, str, str], ...] = ()


def shares_confused(scores: ClassScores, classes: Sequence[str], *, most: int) -> SharesConfused:
    """The confusion of all inputs; as a table of up to ``most`` classes."""
    if len(classes) > most:
        wrong = [one for one in scores.confusion if one.true != one.predicted]
        wrong.sort(key=lambda one: -(one.share.value or 0.0))
        named = [(classes[one.true], classes[one.predicted], score_words(one.share)) for one in wrong[:MOST_PAIRS]]
        return SharesConfused(pairs=tuple(named))
    percents = {(one.true, one.predicted): f"{100 * (one.share.value or 0.0):.1f}" for one in scores.confusion}
    return SharesConfused(
        lines=tuple(
            (name, tuple(percents.get((line, column), "") for column in range(len(classes))))
            for line, name in enumerate(classes)
        )
    )
