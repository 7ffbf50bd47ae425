"""More labels inside a slice, combined with what the plan's labels say about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import SimpleRandom
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.core.session_record import HALF_WIDTH
from testimate.core.words import spaced
from testimate.estimators import estimator_of
from testimate.estimators.expected_width import simple_random_half_width
from testimate.estimators.labels_needed import labels_needed
from testimate.estimators.parts import spread_of_slices
from testimate.estimators.reused import Part, combined
from testimate.estimators.weights import FEWEST, PartEstimate
from testimate.planning.estimate import Headline, counting_ends, headline_of
from testimate.planning.parts import Grouping, Slice
from testimate.planning.task_estimates import outcomes_of
from testimate.project.labeled_parts import is_of_selection
from testimate.project.project import Project
from testimate.project.selected_inputs import label_some
from testimate.session.session import Session


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
            f"{spaced(len(gone))} inputs of this part had an answer when these labels were drawn and have none now, input "
            f"{spaced(gone[0])} first. Label them again."
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
        raise NotEnoughLabels(f"too few labels: {spaced(rest.labeled)} of at least {FEWEST}")
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
    slice is, by chance, so the fresh ones alone judge it: with the plan's, 81 to 92 % of 95 % intervals held
        (``research.studies.slice_top_ups``).
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
