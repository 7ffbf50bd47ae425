"""The report of a session: one self-contained HTML file, without scripts, with everything needed to check it again.

The running estimate drawn into a report: lines and bands as points, without a script.
"""

import base64
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
from numpy.typing import NDArray

from testimate.charts.pictures import boxed_picture, heat_picture, series_png
from testimate.charts.theme import round_ticks
from testimate.core.draw import Trail, is_exploit
from testimate.core.errors import NotEnoughLabels
from testimate.core.subject import Shown
from testimate.core.task import Measure
from testimate.core.words import commas, counted, percent
from testimate.estimators.failure_codes import share_words
from testimate.labels.agreement import Agreement, agreement_of
from testimate.metrics import SeverityCounts
from testimate.metrics.severity import GRADES, Band
from testimate.planning.build import titled
from testimate.planning.parts import MANY, Slice, with_outside
from testimate.planning.task_estimates import bias_words
from testimate.project.bundle import write_bundle
from testimate.project.cluster_review import NamedPart
from testimate.project.jobs import Explanations
from testimate.reports.calibration import EXPLAINED, session_confidence
from testimate.reports.criteria import asked_later, criteria_lines, session_criteria
from testimate.reports.explained_words import enough_words, strongest_parts
from testimate.reports.exports import flag_notes, labels_csv, plan_json
from testimate.reports.failure_codes import session_codes
from testimate.reports.gaps import session_gaps
from testimate.reports.live import labeled_rows, live, session_boxes
from testimate.reports.outside import counts_outside, outside_of
from testimate.reports.parts import (
    SlicesFound,
    groupings_of,
    score_lines,
    scores_if_any,
    session_slices,
    shares_confused,
    slice_words,
)
from testimate.reports.people import (
    comparable_votes,
    disputed_draws,
    in_words,
    known_answer_words,
    known_label_words,
    label_accuracies,
    with_disputes,
)
from testimate.reports.remarks import remarks
from testimate.reports.words import (
    counts_words,
    decided_words,
    earlier_interval_words,
    extended_words,
    judge_errors,
    measured_words,
    other_interval_words,
    reasons_given,
    session_verdicts,
    severity_bands,
    skipped_words,
)
from testimate.session.session import Session, ballots_of

WIDTH, HEIGHT = 760, 220
"""Of the plot, in the picture's own units."""

LEAST_SPAN = {True: 4.0, False: 1e-4}
"""Of the axis: points of accuracy where it is a share, else of 1 - mean squared error."""


@dataclass(frozen=True)
class ReportChart:
    """A line, two bands and a truth, as points in the picture's units; (place, number) pairs along both axes."""

    line: str
    band: str
    always_band: str
    truth: float | None
    heights: tuple[tuple[float, str], ...]
    widths: tuple[tuple[float, str], ...]


def report_chart(trail: Trail, truth: float | None, *, measure: Measure) -> ReportChart | None:
    """The chart of a session; None while there are not two points to join.

    ``truth`` : the known value, or None. ``measure`` : what the accuracy is.
    """
    if len(trail.labels) < 2:
        return None
    scale, most = measure.factor, float(trail.labels[-1])
    known = [] if truth is None else [truth]
    ends = np.concatenate([trail.accuracy, trail.low, trail.high, trail.always_low, trail.always_high, known])
    low, high = scale * float(np.nanmin(ends)), scale * float(np.nanmax(ends))
    room = max(0.04 * (high - low), (LEAST_SPAN[measure.is_share] - (high - low)) / 2)
    low, high = low - room, high + room

    def down(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return (high - scale * values) / (high - low) * HEIGHT

    def place(values: NDArray[np.float64]) -> list[str]:
        there = np.isfinite(values)
        points = zip(trail.labels[there] / most * WIDTH, down(values[there]), strict=True)
        return [f"{x:.1f},{y:.1f}" for x, y in points]

    def band(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> str:
        return " ".join([*place(upper), *reversed(place(lower))])

    heights = round_ticks(low, min(high, scale), most=5)
    widths = [mark for mark in round_ticks(0, most, most=8).tolist() if mark == round(mark)]
    return ReportChart(
        line=" ".join(place(trail.accuracy)),
        band=band(trail.low, trail.high),
        always_band=band(trail.always_low, trail.always_high),
        truth=None if truth is None else float(down(np.array(truth))),
        heights=tuple(zip(down(heights / scale).tolist(), [f"{mark:.6g}" for mark in heights], strict=True)),
        widths=tuple((mark / most * WIDTH, commas(mark)) for mark in widths),
    )


FIRST = 6
"""Failures, and ``GROUPS`` groups, on the first page, and columns whose groups with few labels are counted there; the others
are in the full tables."""

GROUPS, MOST_LINES = 5, 2

PICTURES = 60
"""Failures shown, the most severe first; all of them are in the votes that lie in the report."""

PARTS = 8
"""Words or columns of an explained fault."""

PAIRS = 60
"""Pairs of testers, and disputes that a lead settled, that are listed."""

LETTERS = 600
"""Characters shown of a text input."""

MOST_CLASSES = 20
"""With more classes the confusion names only pairs."""

CRISP = 160
"""Pixels across up to which a picture is enlarged with crisp pixels; a larger one is smoothed."""


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(Path(__file__).with_name("report.html").read_text(encoding="utf-8"))


def report_html(
    session: Session,
    corrections: Sequence[str] = (),
    named: Sequence[NamedPart] = (),
    explanations: Explanations | None = None,
    slices: Sequence[SlicesFound] | None = None,
    spots: Sequence[str] = (),
) -> str:
    """The session as it stands, as one HTML document in UTF-8.

    ``corrections`` are what second looks at its answers say, ``named`` the clusters and selections that reviewers named,
    ``explanations`` those of the faults that somebody asked for, ``slices`` those of the project's columns, with top-ups
    (by what the network says alone where None), ``spots`` the weak spots in words.

    It holds the estimate in words, the design and its seed, who labeled what and when, how far they agree, the failures by
    severity with their pictures, the confusion among the labeled, and as files the plan and the votes, from which
    ``testimate estimate`` gives the same numbers again, and the whole session, which reopens with every vote. Text that came
    with the data is escaped, pictures are embedded, and there is no script: what came in an upload can neither run nor fetch
    anything.
    """
    session.refresh()
    report = live(session)
    template = _template()
    rows, losses = labeled_rows(session)
    task = session.inputs.task
    measure, failed = task.measure, task.failed(losses)
    scored = scores_if_any(session) if report.labeled else None
    outside, coded = outside_of(session), session_codes(session)
    outside_name = "" if outside is None else outside.row
    return template.render(
        version=version("testimate"),
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        record=session.session_record,
        reading=str(session.inputs.reading or "").splitlines(),
        size=len(session.inputs),
        technique=titled(session.session_record.request.technique),
        source=type(session.selector).source,
        note=type(session.selector).claims.note,
        design=type(session.selector.design).__name__,
        strata=len(session.selector.design.stratum_sizes),
        words=with_disputes(report.words[:1].upper() + report.words[1:], session, report.estimate),
        errors="" if report.errors is None else report.errors.words(),
        verdicts="" if (shares := session_verdicts(session)) is None else shares.words(),
        judges=None if shares is None else shares.assisted,
        bias_words=bias_words,
        criteria=[] if (asked := session_criteria(session)) is None else criteria_lines(session, asked),
        asked_later=asked_later(session),
        boxes=session_boxes(session),
        decided=decided_words(session, report.estimate),
        judge_errors=judge_errors(session)[:PAIRS],
        rubric=session.session_record.rubric,
        remark=report.estimate.why if report.estimate else "",
        other_interval=other_interval_words(session, report.estimate),
        skipped=skipped_words(report.estimate, measure, disputed_draws(session)),
        extended=extended_words(session),
        counts=counts_words(report.counts),
        corrections=corrections,
        again=earlier_interval_words(session, report.estimate),
        percent=percent,
        share_words=share_words,
        truth="" if report.truth is None else measure.value(report.truth, 2),
        report=report,
        measure=measure,
        chosen=not session.selector.design.at_random,
        chart=report_chart(report.trail_that_counts, report.truth, measure=measure),
        people=_people(session),
        known_answers=known_answer_words(session),
        known_labels=(*remarks(session), *known_label_words(session)),
        agreement=(agreement := _agreement(session)),
        pair_kappas=[] if agreement is None else agreement.pairs[:PAIRS],
        disputed=session.disputed(),
        adjudicated=sorted(session.adjudicated()),
        settled_by_lead=_settled_by_lead(session),
        each_label=[(one, in_words(one)) for one in label_accuracies(session)],
        sliced=_sliced(session, slices),
        apart=[
            one for found in _groupings(session, slices) if (one := session_gaps(session, found.grouping)).largest()
        ],
        sure=session_confidence(session),
        sure_explained=EXPLAINED,
        scores=None if scored is None else score_lines(scored, task.classes, outside_name),
        shares=None
        if scored is None
        else shares_confused(scored, task.classes, most=MOST_CLASSES, outside=outside_name),
        coded=coded,
        outside=outside,
        outside_words="" if outside is None else outside.words(session),
        met=[]
        if outside is None
        else _failures(session, np.array(outside.rows, dtype=np.intp), np.ones(len(outside.rows)), explanations),
        spots=spots,
        many=MANY,
        failures=(failures := _failures(session, rows[failed], losses[failed], explanations)),
        first=failures[:FIRST],
        groups=_lowest_groups(session, slices),
        few=_few_words(session, slices),
        measured=measured_words(session, report.estimate),
        explained=_explained(session, rows[failed], explanations),
        failure_count=int(failed.sum()),
        flagged=_flagged(session),
        named=named,
        counted=counted,
        commas=commas,
        severity=_severity(report.severity),
        grades=GRADES,
        task=task,
        bands=", ".join(severity_bands(task).values()),
        basis=task.severity_basis,
        confusion=_confusion(session, rows, outside_name),
        pairs=_pairs(session, rows),
        plan=_as_data(json.dumps(plan_json(session), indent=1), "application/json"),
        labels=_as_data(labels_csv(session), "text/csv"),
        bundle=_as_data(write_bundle(session), "application/zip"),
        file=f"testimate-{session.session_record.id}",
    )


def _sliced(session: Session, slices: Sequence[SlicesFound] | None) -> list[tuple[str, list[tuple[Slice, str]]]]:
    """Each grouping's column with its slices in words."""
    found, outside = _groupings(session, slices), [*counts_outside(session)]
    called = session.inputs.task.outside

    def words(one: SlicesFound, place: int) -> str:
        count = int((one.grouping.groups[outside] == place).sum())
        return slice_words(session, one.slices[place]) + (f"; {commas(count)} {called}" if count else "")

    return [(one.grouping.column, [(part, words(one, at)) for at, part in enumerate(one.slices)]) for one in found]


def _groupings(session: Session, slices: Sequence[SlicesFound] | None) -> Sequence[SlicesFound]:
    if slices is not None:
        return slices
    return [SlicesFound(one, session_slices(session, one), {}) for one in groupings_of(session)]


def _lowest_groups(session: Session, slices: Sequence[SlicesFound] | None) -> list[tuple[str, str]]:
    """The groups with an interval and the lowest values, over all groupings: each named and in words."""
    found = [(one, one.slices[place]) for one in _groupings(session, slices) for place in one.measured]
    lowest = sorted(found, key=lambda pair: pair[1].estimate.value or 0.0)[:GROUPS]
    return [(f"{one.grouping.column} {part.value}", slice_words(session, part)) for one, part in lowest]


def _few_words(session: Session, slices: Sequence[SlicesFound] | None) -> str:
    """How many groups have too few labels, in one line."""
    few = [f"{one.grouping.column}: {words}" for one in _groupings(session, slices) if (words := one.few_words())]
    return " ".join(line[:1].upper() + line[1:] for line in few[:MOST_LINES])


def _people(session: Session) -> list[dict[str, Any]]:
    """Who said how much, and when; answers are those that stand, in a team each tester's own."""
    said: dict[str, list[str]] = {}
    events: dict[str, Counter[str]] = {}
    for event in session.history():
        if event.stream == "known answer":
            continue
        said.setdefault(event.tester, []).append(event.at)
        events.setdefault(event.tester, Counter())[event.kind] += 1
    alone, standing = session.session_record.votes_per_input is None, dict[str, Counter[str]]()
    for ballot in ballots_of(session).values():
        for vote in [ballot.standing] if alone else [*ballot.votes.values(), ballot.adjudication]:
            if vote is not None:
                standing.setdefault(vote.tester, Counter())[vote.kind] += 1
    voting = ("answer", "cannot tell")
    people = []
    for name, times in sorted(said.items()):
        stands = standing.get(name, Counter[str]())
        people.append(
            {
                "name": name,
                "answers": stands["answer"],
                "cannot_tell": stands["cannot tell"],
                "changed": sum(events[name][kind] - stands[kind] for kind in voting),
                "flags": events[name]["flag"],
                "adjudications": stands["adjudication"],
                "first": min(times)[:16].replace("T", " "),
                "last": max(times)[:16].replace("T", " "),
            }
        )
    return people


def _agreement(session: Session) -> Agreement | None:
    """How far the testers agree; None where no input was answered twice."""
    try:
        return agreement_of(comparable_votes(session), numeric=session.inputs.task.numeric)
    except NotEnoughLabels:
        return None


def _settled_by_lead(session: Session) -> list[dict[str, Any]]:
    """The disputes a lead settled, in the order of their inputs: what each tester said, and the word that stands."""
    task, votes, answers = session.inputs.task, session.votes(), session.answers()

    def in_words(answer: Any) -> str:
        return "can't tell" if answer is None else task.answer_text(answer)

    return [
        {
            "row": row,
            "name": session.inputs.name_of(row),
            "said": [f"{who}: {in_words(said)}" for who, said in votes.get(row, {}).items()],
            "word": in_words(answers.get(row)),
            "lead": lead,
        }
        for row, lead in sorted(session.adjudicated().items())[:PAIRS]
    ]


def _failures(
    session: Session, failed: NDArray[np.intp], losses: NDArray[np.float64], explanations: Explanations | None
) -> list[dict[str, Any]]:
    """The failures, those of the highest probability first; of a regression, those of the largest loss.

    A picture is shaded where the network looked, if somebody asked for that.
    """
    inputs, answers = session.inputs, session.answers()
    severe = losses if inputs.confidence is None else inputs.confidence[failed]
    order = failed[np.argsort(-severe, kind="stable")]
    notes, reasons = flag_notes(session), reasons_given(session)
    return [
        {
            "row": row,
            "name": inputs.name_of(row),
            "said": inputs.task.prediction_text(inputs.predictions[row]),
            "is": inputs.task.answer_text(answers[row]),
            "confidence": None if inputs.confidence is None else percent(inputs.confidence[row]),
            "exploit": is_exploit(session.draw_of(row)),
            "why": session.draw_of(row).reason,
            "notes": [f"{who}: {note}" for who, note in notes.get(row, ())],
            "reason": reasons.get(row, ""),
            **_shown(session.show(row)),
            **_where_it_looked(session, row, explanations),
        }
        for row in order[:PICTURES].tolist()
    ]


def _where_it_looked(session: Session, row: int, explanations: Explanations | None) -> dict[str, Any]:
    """The picture with its shade; nothing where nobody asked for it, or where it is no picture."""
    found = None if explanations is None else explanations.of(session.inputs.fingerprint, row)
    image = session.show(row).image
    if found is None or found.kind != "picture" or image is None:
        return {}
    return {"image": _as_data(heat_picture(image, found.effect, found.enough), "image/png"), "looked": True}


def _explained(session: Session, failed: NDArray[np.intp], explanations: Explanations | None) -> list[dict[str, Any]]:
    """The faults that were explained, in the order of their rows: the shaded picture or the strongest parts, in words."""
    inputs, found = session.inputs, []
    for row in sorted(failed.tolist()) if explanations is not None else []:
        one = explanations.of(inputs.fingerprint, row) if explanations is not None else None
        if one is None:
            continue
        image = session.show(row).image if one.kind == "picture" else None
        parts = strongest_parts(one, PARTS, numeric=inputs.task.numeric)
        found.append(
            {
                "row": row,
                "name": inputs.name_of(row),
                "image": None if image is None else _as_data(heat_picture(image, one.effect, one.enough), "image/png"),
                "parts": parts,
                "words": enough_words(one),
            }
        )
    return found[:PICTURES]


def _flagged(session: Session) -> list[dict[str, Any]]:
    """The inputs with a flag, in the order of their rows: what stands of each, and the notes with who wrote them."""
    task, answers = session.inputs.task, session.answers()
    return [
        {
            "row": row,
            "name": session.inputs.name_of(row),
            "state": task.answer_text(answers[row]) if row in answers else session.state_of(row),
            "notes": [f"{who}: {note}" for who, note in notes],
        }
        for row, notes in sorted(flag_notes(session).items())
    ]


def _shown(shown: Shown) -> dict[str, Any]:
    """What is seen of an input: a picture or a sound as data, a text, or cells; of a judged output with a picture, both."""
    if shown.panes and shown.text is None:
        seen = _shown(replace(shown, panes=()))
        texts = [f"{pane.title}: {pane.shown.text}" for pane in shown.panes if pane.shown.text is not None]
        return {**seen, **_shown(Shown("text", text="\n".join(texts)))} if texts else seen
    if shown.image is not None and shown.boxes:
        return {"image": _as_data(boxed_picture(shown.image, shown.boxes), "image/png"), "crisp": False}
    if shown.image is not None:
        return {"image": _as_data(shown.image, "image/png"), "crisp": _pixels_across(shown.image) <= CRISP}
    if shown.series is not None:
        return {"image": _as_data(series_png(shown.series.values), "image/png"), "crisp": False}
    if shown.audio is not None:
        return {"audio": _as_data(shown.audio, "audio/wav")}
    if shown.text is not None:
        return {"text": shown.text if len(shown.text) <= LETTERS else f"{shown.text[:LETTERS]} …"}
    return {"cells": shown.cells}


def _pixels_across(png: bytes) -> int:
    """The width of a PNG, the first number of its first chunk (PNG specification, section 11.2.1)."""
    return int.from_bytes(png[16:20], "big")


def _severity(counts: SeverityCounts | None) -> list[tuple[Band, int, float]]:
    """Band, failures in it, and its share of the largest band; empty without a confidence."""
    if counts is None:
        return []
    bands: list[tuple[Band, int]] = [("high", counts.high), ("moderate", counts.moderate), ("low", counts.low)]
    largest = max(count for _, count in bands)
    return [(name, count, count / largest if largest else 0.0) for name, count in bands]


def _confusion(session: Session, rows: NDArray[np.intp], outside: str) -> dict[str, Any] | None:
    """Counts of the labeled by answer (line) and prediction (column); None where there are too many classes, or none."""
    task, inputs = session.inputs.task, session.inputs
    if not inputs.single_class or len(task.classes) > MOST_CLASSES:
        return None
    answers = session.answers()
    names, true = with_outside(task.classes, [task.check_answer(answers[row]) for row in rows.tolist()], outside)
    counts = Counter(zip(true, inputs.predictions[rows].tolist(), strict=True))
    lines = [(name, [counts[line, column] for column in range(len(task.classes))]) for line, name in enumerate(names)]
    return {"classes": task.classes, "lines": lines}


def _pairs(session: Session, rows: NDArray[np.intp]) -> list[tuple[str, str, int]]:
    """The commonest confusions: label, prediction, count."""
    task, inputs, answers = session.inputs.task, session.inputs, session.answers()
    if not inputs.single_class:
        return []
    wrong = Counter(
        (answers[row], int(inputs.predictions[row])) for row in rows.tolist() if answers[row] != inputs.predictions[row]
    )
    return [(task.answer_text(was), task.classes[said], count) for (was, said), count in wrong.most_common(8)]


def _as_data(content: str | bytes, kind: str) -> str:
    data = content.encode() if isinstance(content, str) else content
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
