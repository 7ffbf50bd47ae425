"""The report of a session: one HTML file that stands alone, without scripts, with everything needed to check it again."""

import base64
import json
from collections import Counter
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
from numpy.typing import NDArray

from testimate.core.draw import is_exploit
from testimate.core.errors import NotEnoughLabels
from testimate.core.rounding import percent
from testimate.core.subject import Shown
from testimate.core.task import Classification
from testimate.labels.agreement import Agreement, agreement_of
from testimate.metrics import SeverityCounts
from testimate.planning.interval_method import computed_anew
from testimate.project.bundle import write_bundle
from testimate.reports.exports import plan_json, votes_csv
from testimate.reports.live import labeled_rows, live
from testimate.reports.plurals import counted
from testimate.reports.report_chart import report_chart
from testimate.reports.words import skipped_words, whenever_words
from testimate.session.session import Session

PICTURES = 60
"""Failures shown, the most severe first; all of them are in the votes that lie in the report."""

PAIRS = 60
"""Pairs of testers, and disputes that a lead settled, that are listed."""

LETTERS = 600
"""Of a text input, as much as shows what it is."""

MOST_CLASSES = 20
"""With more classes the confusion names only pairs."""

CRISP = 160
"""Pixels across up to which a picture is enlarged with crisp pixels; a larger one is smoothed."""

_TEMPLATE = Path(__file__).with_name("report.html")


def report_html(session: Session) -> str:
    """The session as it stands, as one HTML document in UTF-8.

    It holds the estimate in words, the design and its seed, who labeled what and when, how far they agree, the failures by
    severity with their pictures, the confusion among the labeled, and as files the plan and the votes, from which
    ``testimate estimate`` gives the same numbers again, and the whole session, which reopens with every vote. Text that came
    with the data is escaped, pictures are embedded, and there is no script: what came in an upload can neither run nor fetch
    anything.
    """
    session.refresh()
    report = live(session)
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    rows, losses = labeled_rows(session)
    task = session.inputs.task
    measure, failed = task.measure, task.failed(losses)
    return template.render(
        version=version("testimate"),
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        record=session.session_record,
        size=len(session.inputs),
        title=type(session.selector).title,
        source=type(session.selector).source,
        note=type(session.selector).claims.note,
        design=type(session.selector.design).__name__,
        strata=len(session.selector.design.stratum_sizes),
        words=report.words[:1].upper() + report.words[1:],
        remark=report.estimate.why if report.estimate else "",
        always=whenever_words(session, report.estimate, report.errors),
        skipped=skipped_words(report.estimate, measure),
        anew=computed_anew(session.session_record.interval_method, report.estimate, "session"),
        percent=percent,
        truth="" if report.truth is None else measure.value(report.truth, 2),
        report=report,
        measure=measure,
        chosen=not session.selector.design.at_random,
        chart=report_chart(report.trail, report.truth, measure=measure),
        people=_people(session),
        agreement=(agreement := _agreement(session)),
        pair_kappas=[] if agreement is None else agreement.pairs[:PAIRS],
        disputed=session.disputed(),
        adjudicated=sorted(session.adjudicated()),
        settled_by_lead=_settled_by_lead(session),
        failures=_failures(session, rows[failed], losses[failed]),
        failure_count=int(failed.sum()),
        counted=counted,
        severity=_severity(report.severity),
        confusion=_confusion(session, rows),
        pairs=_pairs(session, rows),
        plan=_as_data(json.dumps(plan_json(session), indent=1), "application/json"),
        votes=_as_data(votes_csv(session), "text/csv"),
        bundle=_as_data(write_bundle(session), "application/zip"),
        file=f"testimate-{session.session_record.id}",
    )


def _people(session: Session) -> list[dict[str, Any]]:
    """Who said how much, and when."""
    said: dict[str, list[str]] = {}
    kinds: dict[str, Counter[str]] = {}
    for event in session.history():
        said.setdefault(event.tester, []).append(event.at)
        kinds.setdefault(event.tester, Counter())[event.kind] += 1
    return [
        {
            "name": name,
            "answers": kinds[name]["answer"],
            "cannot_tell": kinds[name]["cannot tell"],
            "flags": kinds[name]["flag"],
            "adjudications": kinds[name]["adjudication"],
            "first": min(times)[:16].replace("T", " "),
            "last": max(times)[:16].replace("T", " "),
        }
        for name, times in sorted(said.items())
    ]


def _agreement(session: Session) -> Agreement | None:
    """How far the testers agree; None where no input was answered twice."""
    votes = {
        row: {who: tuple(said) if isinstance(said, list) else said for who, said in given.items()}
        for row, given in session.votes().items()
    }
    try:
        return agreement_of(votes, numeric=session.inputs.task.numeric)
    except NotEnoughLabels:
        return None


def _settled_by_lead(session: Session) -> list[dict[str, Any]]:
    """The disputes a lead settled, in the order of their inputs: what each tester said, and the word that stands."""
    task, votes, answers = session.inputs.task, session.votes(), session.answers()

    def in_words(answer: Any) -> str:
        return "cannot tell" if answer is None else task.answer_text(answer) or "none of them"

    return [
        {
            "row": row,
            "said": [f"{who}: {in_words(said)}" for who, said in votes.get(row, {}).items()],
            "word": in_words(answers.get(row)),
            "lead": lead,
        }
        for row, lead in sorted(session.adjudicated().items())[:PAIRS]
    ]


def _failures(session: Session, failed: NDArray[np.intp], losses: NDArray[np.float64]) -> list[dict[str, Any]]:
    """The failures, those of the highest probability first; of a regression, those of the largest loss."""
    inputs, answers = session.inputs, session.answers()
    severe = losses if inputs.confidence is None else inputs.confidence[failed]
    order = failed[np.argsort(-severe, kind="stable")]
    return [
        {
            "row": row,
            "said": inputs.task.prediction_text(inputs.predictions[row]),
            "is": inputs.task.answer_text(answers[row]) or "none of them",
            "confidence": None if inputs.confidence is None else percent(inputs.confidence[row], space=" "),
            "exploit": is_exploit(session.draw_of(row)),
            "why": session.draw_of(row).reason,
            **_shown(session.show(row)),
        }
        for row in order[:PICTURES].tolist()
    ]


def _shown(shown: Shown) -> dict[str, Any]:
    """What is seen of an input: a picture or a sound as data, a text, or cells."""
    if shown.image is not None:
        return {"image": _as_data(shown.image, "image/png"), "crisp": _pixels_across(shown.image) <= CRISP}
    if shown.audio is not None:
        return {"audio": _as_data(shown.audio, "audio/wav")}
    if shown.text is not None:
        return {"text": shown.text if len(shown.text) <= LETTERS else f"{shown.text[:LETTERS]} …"}
    return {"cells": shown.cells}


def _pixels_across(png: bytes) -> int:
    """The width of a PNG, the first number of its first chunk (PNG specification, section 11.2.1)."""
    return int.from_bytes(png[16:20], "big")


def _severity(counts: SeverityCounts | None) -> list[tuple[str, int, float]]:
    """Band, failures in it, and its share of the largest band; empty without a confidence."""
    if counts is None:
        return []
    bands = [("high", counts.high), ("moderate", counts.moderate), ("low", counts.low)]
    largest = max(count for _, count in bands)
    return [(name, count, count / largest if largest else 0.0) for name, count in bands]


def _confusion(session: Session, rows: NDArray[np.intp]) -> dict[str, Any] | None:
    """Counts of the labeled by answer (line) and prediction (column); None where there are too many classes, or none."""
    task, inputs = session.inputs.task, session.inputs
    if not isinstance(task, Classification) or inputs.predictions.ndim != 1 or len(task.classes) > MOST_CLASSES:
        return None
    answers = session.answers()
    counts = Counter((answers[row], int(inputs.predictions[row])) for row in rows.tolist())
    places = range(len(task.classes))
    return {"classes": task.classes, "lines": [[counts[line, column] for column in places] for line in places]}


def _pairs(session: Session, rows: NDArray[np.intp]) -> list[tuple[str, str, int]]:
    """The commonest confusions: label, prediction, count."""
    task, inputs, answers = session.inputs.task, session.inputs, session.answers()
    if not isinstance(task, Classification) or inputs.predictions.ndim != 1:
        return []
    wrong = Counter(
        (answers[row], int(inputs.predictions[row])) for row in rows.tolist() if answers[row] != inputs.predictions[row]
    )
    return [(task.classes[was], task.classes[said], count) for (was, said), count in wrong.most_common(8)]


def _as_data(content: str | bytes, kind: str) -> str:
    data = content.encode() if isinstance(content, str) else content
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
