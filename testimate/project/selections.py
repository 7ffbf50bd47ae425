"""Inputs that a reviewer selected: chosen by what is known of them, summed up, named, and labeled in part.

What labels say about a part: how many of its inputs are labeled and right, an estimate of a part that was drawn from, and more
labels inside a slice combined with those of the plan.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import SimpleRandom
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.session_record import HALF_WIDTH, SessionRecord
from testimate.core.stored_record import time_now
from testimate.core.task import Task
from testimate.core.words import commas
from testimate.estimators import estimator_of
from testimate.estimators.combined import Part, combined
from testimate.estimators.expected_width import simple_random_half_width
from testimate.estimators.labels_needed import labels_needed
from testimate.estimators.parts import spread_of_slices
from testimate.estimators.weights import FEWEST, PartEstimate, too_few
from testimate.labels.notes import COLUMN, Selection
from testimate.planning.estimate import Headline, counting_ends, headline_of
from testimate.planning.parts import Grouping, Slice
from testimate.planning.task_estimates import outcomes_of
from testimate.project.clusters import ClusterView
from testimate.project.project import Project
from testimate.selectors.following import OfSelection
from testimate.session.session import Session


@dataclass(frozen=True, eq=False)
class LabeledCounts:
    """How many inputs of each cluster have an answer, and how many of these are right, (clusters,) each."""

    labeled: NDArray[np.intp]
    right: NDArray[np.intp]


def labeled_counts(labels: NDArray[np.intp], clusters: int, task: Task, losses: NDArray[np.float64]) -> LabeledCounts:
    """Counts by cluster; ``labels`` : (N,) from 0, -1 for none; ``losses`` : (N,), nan where nobody has labeled."""
    rows = np.flatnonzero(np.isfinite(losses) & (labels >= 0))
    right = rows[~np.asarray(task.failed(losses[rows]), dtype=bool)]
    return LabeledCounts(np.bincount(labels[rows], minlength=clusters), np.bincount(labels[right], minlength=clusters))


def is_of_selection(record: SessionRecord) -> bool:
    """Whether the session labels inputs drawn from a selection."""
    return record.request.technique == OfSelection.name


def selection_estimate(session: Session) -> Estimate:
    """The accuracy of the inputs that a session of a selection drew from, as of a simple random sample of these.

    NotEnoughLabels while there is no honest number. Cochran 1977, chapter 2, of the selection in place of the whole set.
    """
    record, task = session.session_record, session.inputs.task
    place = {int(row): at for at, row in enumerate(record.request.options["rows"])}
    design = SimpleRandom((len(place),), record.request.budget)
    verdicts = [
        replace(one, draw=replace(one.draw, row=place[one.draw.row])) for one in outcomes_of(task, session.verdicts())
    ]
    return estimator_of(design).estimate(design, verdicts, level=record.level, loss_bound=task.outcome_bound)


@dataclass(frozen=True, eq=False)
class EstimatedPart:
    """A selection that was labeled in part: the rows drawn from, what it is called, and the estimate for these rows."""

    rows: NDArray[np.intp]
    called: str
    estimate: Estimate


def estimated_parts(project: Project, subject: str) -> list[EstimatedPart]:
    """The selections of a subject with an estimate, the one drawn from the most inputs first."""
    found = []
    for record in project.sessions():
        if record.subject == subject and is_of_selection(record):
            session = project.session(record.id)
            session.refresh()
            try:
                estimate = selection_estimate(session)
            except NotEnoughLabels:
                continue
            options = record.request.options
            found.append(
                EstimatedPart(np.asarray(options["rows"], dtype=np.intp), str(options.get("called", "")), estimate)
            )
    return sorted(found, key=lambda part: -len(part.rows))


def largest_within(parts: list[EstimatedPart], rows: NDArray[np.intp]) -> EstimatedPart | None:
    """The part with the most inputs that lies wholly within these rows; None where none does."""
    return next((part for part in parts if np.isin(part.rows, rows).all()), None)


MINORITY = -1
"""The minority space, where clusters are named by their numbers."""

FAULTS = ("any", "labeled", "not labeled", "wrong", "right")


@dataclass(frozen=True)
class Summary:
    """What a selection holds.

    Attributes
    ----------
    size : inputs in it, n; ``share`` : of all inputs, 0..1.
    predicted : the predicted classes and their counts, the commonest first; empty where there are none.
    clusters : the clusters and their counts, the largest part first; ``MINORITY`` for the minority space.
    mean_confidence : 0..1, or None.
    labeled, right : inputs with a tester's answer, and those of them that are right.
    known_accuracy : where the truth is known, 0..1 (1 - mean outcome), else None.
    """

    size: int
    share: float
    predicted: tuple[tuple[str, int], ...]
    clusters: tuple[tuple[int, int], ...]
    mean_confidence: float | None
    labeled: int
    right: int
    known_accuracy: float | None


def summary_of(rows: NDArray[np.intp], view: ClusterView, inputs: Inputs, losses: NDArray[np.float64]) -> Summary:
    """Summarizes the rows; ``losses`` : (N,) by the testers' answers, nan where nobody has labeled."""
    labels, counts = np.unique(view.labels[rows], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    found = losses[rows][np.isfinite(losses[rows])]
    known = inputs.losses
    return Summary(
        size=len(rows),
        share=len(rows) / len(inputs),
        predicted=_predicted(rows, inputs),
        clusters=tuple((int(labels[place]), int(counts[place])) for place in order),
        mean_confidence=None if inputs.confidence is None or not len(rows) else float(inputs.confidence[rows].mean()),
        labeled=len(found),
        right=len(found) - int(inputs.task.failed(found).sum()),
        known_accuracy=None if known is None or not len(rows) else float(1 - inputs.task.outcomes(known[rows]).mean()),
    )


def _predicted(rows: NDArray[np.intp], inputs: Inputs) -> tuple[tuple[str, int], ...]:
    task = inputs.task
    if not inputs.single_class:
        return ()
    counts = np.bincount(inputs.predictions[rows], minlength=len(task.classes))
    order = np.argsort(-counts, kind="stable")
    return tuple((task.classes[place], int(counts[place])) for place in order if counts[place])


@dataclass(frozen=True)
class Filter:
    """The conditions inputs have to meet, all of those that are given.

    ``classes`` : places of predicted classes, () for all. ``confidence`` : least and most, 0..1. ``clusters`` : numbers,
    ``MINORITY`` among them, () for all. ``fault`` : one of ``FAULTS``, by testers' answers and, where it is known, the
    truth. ``column``, ``values`` : of the tags, "" for none.
    """

    classes: Sequence[int] = ()
    confidence: tuple[float, float] = (0.0, 1.0)
    clusters: Sequence[int] = ()
    fault: str = "any"
    column: str = ""
    values: Sequence[str] = ()


def filtered(
    wanted: Filter,
    view: ClusterView,
    inputs: Inputs,
    losses: NDArray[np.float64],
    tags: Mapping[str, NDArray[np.object_]],
) -> NDArray[np.intp]:
    """The rows that meet all conditions, ascending; empty if none does.

    ``losses`` : (N,), nan where nothing is known. BadInput for a column that is not there.
    """
    kept = np.ones(len(inputs), dtype=bool)
    if wanted.classes:
        kept &= np.isin(inputs.predictions, list(wanted.classes))
    if inputs.confidence is not None:
        least, most = wanted.confidence
        kept &= (inputs.confidence >= least) & (inputs.confidence <= most)
    if wanted.clusters:
        kept &= np.isin(view.labels, list(wanted.clusters))
    if wanted.fault != "any":
        known = np.isfinite(losses)
        failed = np.zeros(len(inputs), dtype=bool)
        failed[known] = inputs.task.failed(losses[known])
        kept &= {"labeled": known, "not labeled": ~known, "wrong": failed, "right": known & ~failed}[wanted.fault]
    if wanted.column:
        if wanted.column not in tags:
            raise BadInput(
                f"There is no column {wanted.column!r:.60} here. Expected one of {', '.join(tags) or 'none'}. Choose another."
            )
        kept &= np.isin(tags[wanted.column], list(wanted.values))
    return np.flatnonzero(kept)


def keep_selection(
    project: Project, subject: str, rows: Sequence[int], name: str, *, tester: str, column: str = ""
) -> Selection:
    """Names the rows, so that the name is their value in a column; raises as ``Selections.keep`` does."""
    kept = Selection(subject, column.strip() or COLUMN, name.strip(), tuple(map(int, rows)), tester, _now())
    project.selections.keep(kept, size=len(project.inputs(subject)))
    return kept


def take_back_selection(project: Project, selection: Selection, *, tester: str) -> None:
    """The rows lose the name, and the column no longer holds it; what was kept stays in the store."""
    project.selections.take_back(selection, tester=tester, at=_now())


def label_some(
    project: Project,
    subject: str,
    rows: Sequence[int],
    count: int,
    *,
    called: str,
    seed: int,
    labeled: Sequence[int] = (),
    like: SessionRecord | None = None,
    half_width: float = HALF_WIDTH,
) -> Session:
    """A new session over ``count`` of the rows, drawn at random from those that are not ``labeled`` yet.

    The labeled ones among the rows are stored with it as known, so that its labels represent all of the rows. ``like``
    : a session whose team, question, colors, level and way to show predictions it takes over. ``half_width`` : 0..1,
    at which one may stop. BadInput where fewer are left.
    """
    done = set(labeled)
    left = [int(row) for row in rows if row not in done]
    known = [int(row) for row in rows if row in done]
    if count < 1 or count > len(left):
        raise BadInput(
            f"{commas(count)} inputs were to be labeled and {commas(len(left))} of the selection have no label yet. "
            "Expected 1 to that many. Choose fewer, or a larger selection."
        )
    return project.start_session(
        subject,
        Request(OfSelection.name, count, seed, options={"rows": left, "called": called, "known": known}),
        half_width=half_width,
        level=0.95 if like is None else like.level,
        show_prediction=like is not None and like.show_prediction,
        votes_per_input=None if like is None else like.votes_per_input,
        question="" if like is None else like.question,
        rubric="" if like is None else like.rubric,
        reasons="never" if like is None else like.reasons,
        colors=None if like is None else like.colors,
    )


def _now() -> str:
    return time_now()


def label_in_slice(
    project: Project, session: Session, rows: Sequence[int], count: int, *, called: str, half_width: float = HALF_WIDTH
) -> Session:
    """A new session over ``count`` inputs of the slice ``rows``, drawn at random from those without a label.

    What is labeled in it by then, in whatever session of the subject, is stored as known. BadInput where fewer are left.
    """
    record = session.session_record
    labeled = known_losses(project, record.subject)
    return label_some(
        project,
        record.subject,
        rows,
        count,
        called=called,
        seed=len(project.sessions()),
        labeled=list(labeled),
        like=record,
        half_width=half_width,
    )


def known_losses(project: Project, subject: str) -> dict[int, float]:
    """What every session of the subject says about its inputs by now: the outcome of each that has an answer."""
    found: dict[int, float] = {}
    for record in project.sessions():
        if record.subject == subject:
            session = project.session(record.id)
            session.refresh()
            answers = {**session.explored(), **session.answers()}
            task = session.inputs.task
            found |= dict(zip(answers, task.outcomes(session.inputs.losses_of(answers)).tolist(), strict=True))
    return found


def slice_by_fresh_labels(top_up: Session, known: Mapping[int, float]) -> Estimate:
    """The accuracy of the slice by the labels drawn inside it, those known before counting as the inputs that they are.

    (sum of known outcomes + R mean of the fresh ones) / N, R of its N inputs having been drawn from: exactly unbiased given
    everything that was known before, and so also of a slice that was chosen for what its labels showed. Cochran 1977, chapter
    2, of the rest. NotEnoughLabels while there is no honest number, or where an earlier answer is gone.
    """
    record, task = top_up.session_record, top_up.inputs.task
    rows, before = record.request.options["rows"], record.request.options.get("known", ())
    place = {int(row): at for at, row in enumerate(rows)}
    gone = [row for row in before if row not in known]
    if gone:
        raise NotEnoughLabels(
            f"{commas(len(gone))} inputs of this part had an answer when these labels were drawn and have none now, input "
            f"{commas(gone[0])} first. Label them again."
        )
    design = SimpleRandom((len(place),), record.request.budget, aimed_at=record.request.budget)
    verdicts = [
        replace(one, draw=replace(one.draw, row=place[one.draw.row])) for one in outcomes_of(task, top_up.verdicts())
    ]
    losses = [known[row] for row in before]
    return estimate_with_known(design, verdicts, losses, level=record.level, loss_bound=task.outcome_bound)


def estimate_with_known(
    design: SimpleRandom, verdicts: Sequence[Verdict], known: Sequence[float], *, level: float, loss_bound: float | None
) -> Estimate:
    """The accuracy of a part: of its inputs with ``known`` losses, and of the R others by labels drawn among them.

    ``design``, ``verdicts`` : of the fresh labels, their rows 0..R - 1. NotEnoughLabels below ``FEWEST`` of them.
    """
    rest = estimator_of(design).estimate(design, verdicts, level=level, loss_bound=loss_bound)
    if rest.labeled < FEWEST and rest.labeled < design.size:
        raise NotEnoughLabels(too_few(rest.labeled))
    return _with_known(rest, len(known) - sum(known), len(known), design.size)


def predicted_variance(members: int, left: int, drawn: int) -> float:
    """Of a top-up: that of ``drawn`` labels among the ``left`` of ``members`` inputs, for an outcome of variance 1."""
    return (left / members) ** 2 * (1 - drawn / left) / drawn


def with_plan(own: PartEstimate, spread: float, parts: Sequence[Part], level: float) -> Estimate:
    """What the plan's labels say about the part, where they say anything, joined with what its top-ups say."""
    found = _as_estimate(own, level)
    return combined(parts if found is None else [Part(found, spread), *parts], level)


def _with_known(rest: Estimate, right: float, known: int, left: int) -> Estimate:
    """The estimate of ``left`` inputs as that of these and the ``known`` ones, of which ``right`` are right."""

    def of(accuracy: float | None) -> float | None:
        return None if accuracy is None else (right + left * accuracy) / (known + left)

    share = left / (known + left)
    return replace(
        rest,
        accuracy=(right + left * rest.accuracy) / (known + left),
        standard_error=None if rest.standard_error is None else share * rest.standard_error,
        low=of(rest.low),
        high=of(rest.high),
        always_low=of(rest.always_low),
        always_high=of(rest.always_high),
        skipped_low=of(rest.skipped_low),
        skipped_high=of(rest.skipped_high),
        settled_low=of(rest.settled_low),
        settled_high=of(rest.settled_high),
    )


@dataclass(frozen=True, eq=False)
class ToppedUp:
    """A slice with labels drawn inside it.

    Attributes
    ----------
    estimate : by all labels, the plan's and the fresh ones, weighted by variances that no label has a part in.
    fresh : by the fresh ones alone, which holds for a slice that was chosen for what its labels showed, too.
    headline, fresh_headline : which interval of each counts: "fixed" once all fresh labels are given that were planned.
    labeled : fresh labels so far. sessions : of which, the newest last.
    looked_worst : whether the plan's labels make it the lowest slice of its column. Those then look worse than the
    slice is, by chance, so the fresh ones alone judge it: with the plan's, 81 to 92% of 95% intervals held
        (``research.studies.slice_coverage``).
    """

    estimate: Estimate
    fresh: Estimate
    headline: Headline | None
    fresh_headline: Headline | None
    labeled: int
    sessions: tuple[str, ...]
    looked_worst: bool


def top_ups_of(project: Project, session: Session) -> dict[bytes, list[Session]]:
    """The sessions that draw inside a part of the subject's inputs, by ``members_digest`` of the whole part."""
    found: dict[bytes, list[Session]] = {}
    for record in project.sessions():
        if record.subject == session.session_record.subject and is_of_selection(record):
            options = record.request.options
            if "known" in options:
                members = np.array(sorted([*options["rows"], *options["known"]]), dtype=np.intp)
                found.setdefault(members_digest(members), []).append(project.session(record.id))
    return found


def members_digest(rows: NDArray[np.intp]) -> bytes:
    """A digest that identifies a part by its rows, whatever its name; ``rows`` ascending."""
    return rows.tobytes()


def topped_up(
    project: Project, session: Session, grouping: Grouping, slices: Sequence[Slice], *, level: float
) -> dict[int, ToppedUp]:
    """By the place of the slice, what its top-ups make of it; slices without one, or without a number yet, are not there.

    Given what was known before, a top-up's estimate is unbiased, so it is not correlated with the plan's, nor with an earlier
    top-up's: they are combined with weights 1 / predicted variance. Of the plan's estimate that is the variance that its
    weights give an outcome of variance 1, of a top-up's (R / N)^2 (1 - m / R) / m.
    """
    by_members = top_ups_of(project, session)
    if not by_members:
        return {}
    record = session.session_record
    verdicts = outcomes_of(session.inputs.task, session.verdicts())
    spreads: NDArray[np.float64] | None = None
    known: dict[int, float] | None = None
    found, worst = {}, lowest_of(slices)
    for place, one in enumerate(slices):
        members = np.flatnonzero(grouping.groups == place)
        sessions = by_members.get(members_digest(members), [])
        if not sessions:
            continue
        if spreads is None or known is None:
            spreads = spread_of_slices(session.selector.design, verdicts, grouping.groups, len(grouping.values))
            known = known_losses(project, record.subject)
        parts, complete = [], []
        for fresh in sessions:
            try:
                estimate = slice_by_fresh_labels(fresh, known)
            except NotEnoughLabels:
                continue
            request = fresh.session_record.request
            variance = predicted_variance(len(members), len(request.options["rows"]), request.budget)
            parts.append(Part(estimate, variance))
            complete.append(fresh.finished)
        if not parts:
            continue
        alone = combined(parts, level)
        every = with_plan(one.estimate, float(spreads[place]), parts, level)
        whole = all(complete)
        found[place] = ToppedUp(
            estimate=every,
            fresh=alone,
            headline=headline_of(whole, every.low, every.always_low),
            fresh_headline=headline_of(whole, alone.low, alone.always_low),
            labeled=alone.labeled,
            sessions=tuple(one.session_record.id for one in sessions),
            looked_worst=place == worst,
        )
    return found


def lowest_of(slices: Sequence[Slice]) -> int | None:
    """The place of the slice with the lowest value; None while fewer than two have one."""
    valued = [(one.estimate.value, place) for place, one in enumerate(slices) if one.estimate.low is not None]
    return min(valued)[1] if len(valued) > 1 else None


def with_top_ups(slices: Sequence[Slice], found: Mapping[int, ToppedUp]) -> list[Slice]:
    """The slices with the interval that counts where there are top-ups: by all labels, or by the fresh ones of the lowest."""
    made = list(slices)
    for place, one in found.items():
        judged, headline = (one.fresh, one.fresh_headline) if one.looked_worst else (one.estimate, one.headline)
        ends = counting_ends(judged, headline)
        low, high = (None, None) if ends is None else ends
        why = "" if ends else "no interval holds yet"
        part = PartEstimate(judged.labeled, judged.accuracy, judged.standard_error, low, high, why)
        made[place] = replace(slices[place], estimate=part)
    return made


def labels_for(half_width: float, size: int, accuracy: float | None, *, level: float = 0.95) -> int | None:
    """Labels inside a part of ``size`` inputs without a label at which its interval is expected within +- ``half_width``.

    ``accuracy`` : its accuracy so far, or None: then one half, which needs the most. None where not even all are enough.
    """
    rate = 0.5 if accuracy is None else min(max(1 - accuracy, 1 / (size + 2)), 0.5)
    return labels_needed(
        half_width,
        lambda budgets: simple_random_half_width(size, budgets, rate, level=level),
        least=1,
        most=size,
    )


def _as_estimate(part: PartEstimate, level: float) -> Estimate | None:
    """What the plan's labels say about a slice; None where they are too few."""
    if part.value is None or part.low is None:
        return None
    return Estimate(
        part.value,
        part.standard_error,
        part.low,
        part.high,
        level,
        part.labeled,
        0,
        "ratio of weighted totals",
        "slice",
    )
