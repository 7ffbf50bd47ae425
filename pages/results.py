"""Results: the final estimate in words, the faults and how severe they are, and everything to download."""

import json
from functools import partial

import streamlit as st

from testimate.core.errors import NotEnoughLabels
from testimate.core.words import counted
from testimate.project.bundle import write_bundle
from testimate.project.cluster_review import named_parts
from testimate.project.second_looks import corrections
from testimate.project.selections import is_of_selection, selection_estimate
from testimate.reports.exports import faults_csv, label_studio_json, labels_csv, labels_parquet, plan_json
from testimate.reports.live import live
from testimate.reports.parts import report_slices, report_spots
from testimate.reports.people import votes_csv, votes_parquet
from testimate.reports.report import report_html
from testimate.reports.words import part_words, session_verdicts
from testimate.session.session import Session
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.navigation import opened_session
from testimate.ui.page_head import named_in_errors, nothing_here, page_head
from testimate.ui.pages import LABEL, PLAN, RESULTS, SUBJECT
from testimate.ui.results.estimate import (
    accuracy,
    assisted,
    belongs_to_another,
    belongs_to_versions,
    criteria,
    decision,
    each_label,
    each_model,
    estimate_in_words,
    judge_assisted,
    known_answers,
    reveal_card,
    second_look,
    team_agreement,
    verdicts,
    what_it_rests_on,
)
from testimate.ui.results.failure_codes import why_it_failed
from testimate.ui.results.faults import faults, flagged, found_early
from testimate.ui.results.outside import outside
from testimate.ui.results.slices import boxes, slices
from testimate.ui.shell import run_page
from testimate.ui.truth import report_as_revealed


def show() -> None:
    """The page."""
    with named_in_errors(RESULTS):
        session = opened_session()
    if session is None:
        page_head(RESULTS)
        words = "No labels yet. Start labeling, or try a demo."
        nothing_here(words, PLAN, SUBJECT, icon=":material/label:")
        return
    title = page_head(RESULTS)
    title.caption(escape_markdown(counted(len(session.inputs), "input")), width="content")
    session.refresh()
    if belongs_to_another(session) or belongs_to_versions(session):
        return
    with title:
        files(session)
    report = report_as_revealed(live(session))
    of_selection(session)
    if report.labeled:
        estimate_in_words(session, report)
        decision(session, report)
        say = session_verdicts(session)
        criteria(session)
        judge_assisted(say, session.session_record.level, len(session.inputs))
        reveal_card(session, report)
        faults(session, report)
        why_it_failed(session)
        outside(session)
        slices(session, report)
        boxes(session)
        verdicts(session, say)
        each_label(session)
        if report.estimate is not None or report.failures:
            left, right = st.columns(2, gap="large")
            with left:
                accuracy(session, report)
            with right:
                found_early(session, report)
        what_it_rests_on(session, report)
        if say is None or say.assisted is None:  # there all judges assist already
            assisted(session, report)
        each_model(session)
        second_look(session)
    else:
        nothing_here("No labels in this session yet.", LABEL, icon=":material/label:")
        what_it_rests_on(session, report)
    flagged(session)
    known_answers(session)
    team_agreement(session)


def of_selection(session: Session) -> None:
    """For a session that labels part of a selection: first, what it says about the selection."""
    record = session.session_record
    if not is_of_selection(record):
        return
    called, size = str(record.request.options.get("called", "")), len(record.request.options["rows"])
    try:
        words = part_words(selection_estimate(session), session.inputs.task.measure, size)
    except NotEnoughLabels as error:
        words = str(error)
    st.markdown(f"#### {escape_markdown(f'Selection {called}: {words}' if called else f'Selection: {words}')}")


def files(session: Session) -> None:
    """Files to download; the plan and the votes give the same estimate in the terminal."""
    name = f"testimate-{session.session_record.id}"
    none = not session.verdicts()
    # a download runs nothing again: the files would get new names, and a second click would find none
    download = partial(st.download_button, on_click="ignore")
    download(
        "Report (HTML)",
        lambda: report_html(
            session,
            corrections(project(), session),
            named_parts(project(), session),
            project().explanations,
            report_slices(project(), session),
            report_spots(project(), session),
        ).encode(),
        f"{name}.html",
        "text/html",
        type="primary",
        icon=":material/download:",
        help="One HTML file with the faults and everything needed to recompute the numbers.",
    )
    download = partial(download, width="stretch")
    with st.popover("Export", width="content"):
        download(
            "Faults for retraining (CSV)",
            lambda: faults_csv(session).encode(),
            f"{name}-faults.csv",
            "text/csv",
            disabled=none,
        )
        each = "One row per input, with its final label."
        download(
            "Labels (CSV)",
            lambda: labels_csv(session).encode(),
            f"{name}-labels.csv",
            "text/csv",
            help=each,
            disabled=none,
        )
        download(
            "Labels (Parquet)", lambda: labels_parquet(session), f"{name}-labels.parquet", help=each, disabled=none
        )
        every = "One row per answer: tester, time, and whether it counts."
        download(
            "Votes (CSV)",
            lambda: votes_csv(session).encode(),
            f"{name}-votes.csv",
            "text/csv",
            help=every,
            disabled=none,
        )
        download("Votes (Parquet)", lambda: votes_parquet(session), f"{name}-votes.parquet", help=every, disabled=none)
        download(
            "Plan (JSON)",
            lambda: json.dumps(plan_json(session), indent=1).encode(),
            f"{name}-plan.json",
            "application/json",
        )
        download(
            "Label Studio (JSON)",
            lambda: label_studio_json(session).encode(),
            f"{name}-label-studio.json",
            "application/json",
            disabled=none,
        )
        download(
            "Whole session",
            lambda: write_bundle(session),
            f"{name}.testimate",
            "application/zip",
            help="To reopen it elsewhere: testimate sessions import FILE",
        )
        st.caption("Recompute in a terminal: `testimate estimate PLAN.json LABELS.csv`")


run_page(RESULTS, show)
