"""What a session's labels say about slices of its inputs: with top-ups, and in words.

Precision, recall and F1 of a session's classes, and the confusion of all its inputs, in words.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.words import commas, counted, percent, percent_ends
from testimate.estimators.parts import ClassScore, ClassScores
from testimate.estimators.weights import PartEstimate, too_few
from testimate.planning.estimate import Headline, counting_ends, interval_words
from testimate.planning.parts import (
    Grouping,
    PartLabels,
    Slice,
    Trait,
    scores_of_classes,
    slices_of,
    true_class,
    with_outside,
)
from testimate.planning.task_estimates import InUnit, in_unit, outcomes_of, with_losses
from testimate.planning.weak_spots import WeakSpot, WeakSpots, weak_spots
from testimate.project.cluster_review import can_be_sliced, columns_of, of_predictions, traits_of
from testimate.project.project import Project
from testimate.project.selections import (
    ToppedUp,
    known_losses,
    lowest_of,
    members_digest,
    slice_by_fresh_labels,
    top_ups_of,
    topped_up,
    with_top_ups,
)
from testimate.session.session import Session, headline

NOUNS = {"image": "pictures", "text": "texts", "audio": "sounds"}
"""What inputs are called by their modality."""


def groupings_of(session: Session) -> tuple[Grouping, ...]:
    """Predicted class, or bands of predicted numbers, and bands of confidence; none of a session about a part of the inputs.

    None of squared errors either, whose intervals are rough and have no level.
    """
    return tuple(made() for made in of_predictions(session.inputs).values()) if can_be_sliced(session) else ()


def session_slices(session: Session, grouping: Grouping, *, simultaneous: bool = False) -> tuple[Slice, ...]:
    """What the session's labels say about each value of the grouping, with intervals that hold at a size fixed in advance."""
    return slices_of([grouping], part_labels(session), simultaneous=simultaneous)


def part_labels(session: Session) -> PartLabels:
    """The session's labels, by which parts of the set are judged."""
    task, record = session.inputs.task, session.session_record
    verdicts = outcomes_of(task, session.verdicts())
    return PartLabels(session.selector.design, verdicts, record.request.technique, record.level, task.outcome_bound)


@dataclass(frozen=True, eq=False)
class SlicesFound:
    """The slices of a grouping by all labels, and by their places what top-ups say about some."""

    grouping: Grouping
    slices: tuple[Slice, ...]
    top_ups: Mapping[int, ToppedUp]

    @property
    def lowest(self) -> int | None:
        """The place of the slice with the lowest value; None while fewer than two have one."""
        return lowest_of(self.slices)

    @property
    def measured(self) -> tuple[int, ...]:
        """The places of the slices with enough labels for an interval, the lowest value first."""
        there = [(one.estimate.value, place) for place, one in enumerate(self.slices) if one.estimate.low is not None]
        return tuple(place for _, place in sorted(there, key=lambda pair: (pair[0] or 0.0, pair[1])))

    def few_words(self) -> str:
        """How many slices have too few labels for an interval, in a sentence; empty where all have enough."""
        few = len(self.slices) - len(self.measured)
        return (
            f"{commas(few)} of {counted(len(self.slices), 'group')} have too few labels for an interval." if few else ""
        )


def slices_with_top_ups(
    project: Project, session: Session, grouping: Grouping, *, simultaneous: bool = False
) -> SlicesFound:
    """``session_slices``, joined with the labels that were drawn inside single slices."""
    alone = session_slices(session, grouping, simultaneous=simultaneous)
    level = session.session_record.level
    shown = sum(one.estimate.low is not None for one in alone)
    each = 1 - (1 - level) / max(shown, 1) if simultaneous else level
    found = topped_up(project, session, grouping, alone, level=each)
    return SlicesFound(grouping, tuple(with_top_ups(alone, found)), found)


def mean_errors(session: Session, grouping: Grouping) -> tuple[InUnit | None, ...]:
    """Of a regression, each slice's mean absolute error in its unit, with Student's interval; None below 10 labels."""
    task = session.inputs.task
    if not task.numeric:
        return (None,) * len(grouping.values)
    unit = task.in_unit()
    squared = in_unit(session.inputs, session.verdicts(), session.answers())
    errors = with_losses(squared, lambda loss: float(unit.errors([loss])[0]))
    labels = replace(part_labels(session), verdicts=errors, loss_bound=None)
    return tuple(_error(one) for one in slices_of([grouping], labels))


def _error(one: Slice) -> InUnit | None:
    found = one.estimate
    if found.value is None:
        return None
    ends = (None, None) if found.low is None or found.high is None else (1 - found.high, 1 - found.low)
    low, high = (None if end is None else max(0.0, end) for end in ends)
    return InUnit(max(0.0, 1 - found.value), low, high)


def session_weak_spots(project: Project, session: Session, traits: Sequence[Trait]) -> WeakSpots:
    """The weak spots that the session's own labels find and measure."""
    task, record = session.inputs.task, session.session_record
    modality = project.subject(record.subject).dataset.modality
    return weak_spots(
        traits,
        session.selector.design,
        outcomes_of(task, session.verdicts()),
        technique=record.request.technique,
        noun=NOUNS.get(modality, "inputs"),
        level=record.level,
        loss_bound=task.outcome_bound,
        measure=task.measure,
    )


def slice_words(session: Session, one: Slice) -> str:
    """The number with its interval, "91.2% (80.1 to 96.0)" in the measure's words, or why there is none."""
    found, measure = one.estimate, session.inputs.task.measure
    if found.value is None:
        return found.why if found.labeled else too_few(0)
    said = measure.value(found.value)
    if found.low is None or found.high is None:
        return f"{said}; {found.why}"
    return f"{said}, {measure.range(found.low, found.high)}"


def fresh_words(session: Session, one: ToppedUp) -> str:
    """What the labels drawn inside a slice say, which holds however the slice was chosen."""
    measure, found = session.inputs.task.measure, one.fresh
    between = interval_words(found, one.fresh_headline, measure) or NO_INTERVAL
    judged = (
        "the plan's labels made it the lowest, so only these judge it."
        if one.looked_worst
        else "these hold although the part was chosen by what its labels showed."
    )
    return f"by {commas(one.labeled)} labels drawn inside it {measure.value(found.accuracy)} {between}; {judged}"


def confirmed_words(project: Project, session: Session, spot: WeakSpot) -> str:
    """What fresh labels say about a spot; empty where none were drawn inside it."""
    sessions = top_ups_of(project, session).get(members_digest(spot.rows), [])
    if not sessions:
        return ""
    newest, measure = sessions[-1], session.inputs.task.measure
    try:
        found = slice_by_fresh_labels(newest, known_losses(project, session.session_record.subject))
    except NotEnoughLabels as error:
        return f"Fresh labels: {error}"
    counts: Headline = "fixed" if newest.finished and found.low is not None else "always"
    ends, between = counting_ends(found, counts), interval_words(found, counts, measure) or NO_INTERVAL
    said = f"{commas(found.labeled)} fresh labels say {measure.value(found.accuracy)} {between}"
    whole = session_slices(session, _everything(session))[0].estimate.value
    if ends is None or whole is None:
        return f"{said}."
    verdict = "They confirm it." if ends[1] < whole else "They do not confirm it."
    return f"{said}; the whole set: {measure.value(whole)}. {verdict}"


NO_INTERVAL = "(no interval is valid yet)"


def _everything(session: Session) -> Grouping:
    return Grouping("all", ("all",), np.zeros(len(session.inputs), dtype=np.intp))


MOST_COLUMNS = 30
"""Of a report."""


def report_slices(project: Project, session: Session) -> list[SlicesFound]:
    """The slices of every column that groups the inputs, for the report."""
    found = []
    for made in list(columns_of(project, session).values())[:MOST_COLUMNS]:
        with suppress(BadInput):  # a column of too many values
            found.append(slices_with_top_ups(project, session, made()))
    return found


def report_spots(project: Project, session: Session) -> list[str]:
    """The weak spots in words, with what fresh labels say; inputs that nobody described yet are not looked at for it."""
    if not can_be_sliced(session):
        return []
    available = project.columns.has_descriptions(session.session_record.subject)
    found = session_weak_spots(project, session, traits_of(project, session, descriptions=available))
    return [f"{one.sentence()} {confirmed_words(project, session, one)}".strip() for one in found.spots]


MOST_PAIRS = 8
"""Pairs of classes that are named where there are too many for a table."""


def session_scores(session: Session, *, simultaneous: bool = False) -> ClassScores:
    """Precision, recall and F1 of each class and the confusion of all inputs; BadInput where there are none.

    The line of all inputs alike is the session's estimate with the interval that counts, as every screen shows it.
    """
    if not can_be_sliced(session):
        raise BadInput(
            "These labels are about a part of the inputs. Expected a plan of the whole set. Choose another session."
        )
    inputs, record = session.inputs, session.session_record
    scores = scores_of_classes(
        inputs.task,
        inputs.predictions,
        session.selector.design,
        session.verdicts(),
        {row: inputs.task.check_answer(answer) for row, answer in session.answers().items()},
        technique=record.request.technique,
        level=record.level,
        simultaneous=simultaneous,
    )
    if scores.micro.f1.value is None:
        return scores
    try:
        estimate = session.estimate()
    except NotEnoughLabels:
        return scores
    low, high = counting_ends(estimate, headline(session, estimate)) or (None, None)
    whole = PartEstimate(estimate.labeled, estimate.accuracy, estimate.standard_error, low, high)
    return replace(scores, micro=ClassScore(whole, whole, whole))


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


NOT_KNOWN = "0%, the network has no such class"
"""The recall of what is none of the classes."""


def score_lines(scores: ClassScores, classes: Sequence[str], outside: str = "") -> list[ScoreLine]:
    """A line for each class, in their order, then the mean of the classes (macro) and of all inputs alike (micro).

    ``outside`` : the row of labels that are none of the classes; "" without any.
    """

    def line(name: str, one: ClassScore) -> ScoreLine:
        return ScoreLine(name, *map(score_words, (one.precision, one.recall, one.f1)))

    return [
        *(line(name, one) for name, one in zip(classes, scores.classes, strict=True)),
        *([ScoreLine(outside, "–", NOT_KNOWN, "–")] if outside else []),
        line("mean of the classes (macro)", scores.macro),
        line("all inputs alike (micro)", scores.micro),
    ]


def score_words(part: PartEstimate) -> str:
    """The share in percent with its interval, or why there is none.

    >>> score_words(PartEstimate(40, 0.85, 0.05, 0.71, 0.93)), score_words(PartEstimate(4, why="too few labels"))
    ('85.0% (71.0 to 93.0)', 'too few labels')
    """
    if part.value is None:
        return part.why
    share = percent(part.value)
    if part.low is None or part.high is None:
        return share
    low, high = percent_ends(part.low, part.high)
    return f"{share} ({low.removesuffix('%')} to {high.removesuffix('%')})"


@dataclass(frozen=True)
class SharesConfused:
    """Of few classes ``lines``: a true class, and for each prediction the percent of all inputs, "" where none was seen.

    Of many ``pairs``: true class, prediction, and the share in words; the largest first. Names are untrusted text.
    """

    lines: tuple[tuple[str, tuple[str, ...]], ...] = ()
    pairs: tuple[tuple[str, str, str], ...] = ()


def shares_confused(scores: ClassScores, classes: Sequence[str], *, most: int, outside: str = "") -> SharesConfused:
    """The confusion of all inputs; as a table of up to ``most`` classes. ``outside`` : as of ``score_lines``."""
    if len(classes) > most:
        wrong = [one for one in scores.confusion if one.true != one.predicted]
        wrong.sort(key=lambda one: -(one.share.value or 0.0))
        named = [
            (true_class(one.true, classes), classes[one.predicted], score_words(one.share))
            for one in wrong[:MOST_PAIRS]
        ]
        return SharesConfused(pairs=tuple(named))
    rows, places = with_outside(classes, [one.true for one in scores.confusion], outside)
    percents = {
        (place, one.predicted): f"{100 * (one.share.value or 0.0):.1f}"
        for place, one in zip(places, scores.confusion, strict=True)
    }
    return SharesConfused(
        lines=tuple(
            (name, tuple(percents.get((line, column), "") for column in range(len(classes))))
            for line, name in enumerate(rows)
        )
    )
