"""Results: the final estimate in words, the faults and how severe they are, and everything to take away."""

import json

import numpy as np
import streamlit as st

from pages.opened import dark, opened_session, page, project
from testimate.charts.confusion import confusion
from testimate.charts.fault_curve import fault_curve
from testimate.charts.running_estimate import running_estimate
from testimate.charts.severity import severity
from testimate.core.task import Classification, Regression
from testimate.sessions.exports import plan_json, votes_csv, votes_parquet
from testimate.sessions.live import LiveReport, labeled_rows, live
from testimate.sessions.session import Session
from testimate.widgets.facts import facts
from testimate.widgets.numbers import percent
from testimate.widgets.shown_input import shown_input
from testimate.widgets.untrusted_text import escape_markdown

GALLERY = 36
ACROSS = 9


def show() -> None:
    """The page."""
    st.header("Results", anchor=False)
    session = opened_session()
    if session is None:
        st.info("There are no labels yet. Start a labeling session on the Plan page, or with a demo.")
        if st.button("Go to Plan", type="primary"):
            st.switch_page("pages/plan.py")
        return
    choose_session(session)
    session.refresh()
    report = live(session)
    in_words(report)
    left, right = st.columns(2, gap="large")
    with left:
        accuracy(session, report)
    with right:
        what_it_rests_on(session, report)
    if report.labeled:
        faults(session, report)
    exports(session)


def choose_session(session: Session) -> None:
    """Another session of the same subject, where there are several."""
    record = session.session_record
    same = [other for other in project().sessions() if other.subject == record.subject]
    if len(same) < 2:
        return
    ids = [other.id for other in same]
    names = {
        other.id: f"{other.request.technique}, {other.request.budget} labels, {other.created[:16]} UTC"
        for other in same
    }
    chosen = st.selectbox("Session", ids, ids.index(record.id), format_func=lambda id: names[id])
    if chosen != record.id:
        st.session_state["opened session"] = chosen
        st.query_params["session"] = chosen
        st.rerun()


def in_words(report: LiveReport) -> None:
    """The estimate as a sentence."""
    words = report.words[:1].upper() + report.words[1:]
    st.markdown(f"#### {escape_markdown(words)}")
    estimate = report.estimate
    if estimate is not None and estimate.always_low is not None and estimate.always_high is not None:
        st.write(
            escape_markdown(
                f"Whenever you stop, the accuracy lies between {percent(estimate.always_low)} and "
                f"{percent(estimate.always_high)} with {percent(estimate.level, 0)} confidence."
            )
        )
    if estimate is not None and estimate.skipped_low is not None and estimate.skipped_high is not None:
        st.write(
            escape_markdown(
                f"{estimate.skipped} inputs were skipped. If all of them were wrong the estimate would be "
                f"{percent(estimate.skipped_low)}, if all were right {percent(estimate.skipped_high)}."
            )
        )


def accuracy(session: Session, report: LiveReport) -> None:
    """The running estimate, with the truth where it is known."""
    st.subheader("Accuracy as the labels came", anchor=False)
    trail = report.trail
    figure = running_estimate(
        trail.labels,
        trail.accuracy,
        trail.low,
        trail.high,
        trail.always_low,
        trail.always_high,
        truth=report.truth,
        level=session.session_record.level,
        dark=dark(),
    )
    st.plotly_chart(figure, theme=None, alt=report.words)


def what_it_rests_on(session: Session, report: LiveReport) -> None:
    """Design, seed, fingerprints: what one needs to check the number."""
    st.subheader("What this rests on", anchor=False)
    record, estimate = session.session_record, report.estimate
    rows = {
        "Technique": f"{record.request.technique}: {type(session.selector).title}",
        "Method": "no number yet" if estimate is None else estimate.method,
        "Labeled, skipped, planned": f"{report.labeled}, {report.skipped}, {report.planned}",
        "Seed": str(record.request.seed),
        "Subject": f"{record.subject_name} ({record.fingerprint[:12]})",
        "Prediction shown before the answer": "yes" if record.show_prediction else "no",
        "Session": f"{record.id}, begun {record.created[:16]} UTC",
    }
    if estimate is not None and estimate.standard_error is not None:
        rows["Standard error"] = percent(estimate.standard_error, 2)
    if report.truth is not None:
        rows["True accuracy (known here)"] = percent(report.truth, 2)
    note = type(session.selector).claims.note
    facts(rows.items())
    if note:
        st.caption(escape_markdown(note))


def faults(session: Session, report: LiveReport) -> None:
    """Faults by severity, their order, their confusion, and their pictures."""
    inputs = session.inputs
    rows, losses = labeled_rows(session)
    failed = inputs.task.failed(losses)
    st.subheader(f"{int(failed.sum())} faults found", anchor=False)
    left, middle, right = st.columns(3, gap="medium")
    if inputs.confidence is not None:
        with left:
            figure = severity(inputs.confidence[rows[failed]], dark=dark(), ten_levels=True)
            st.plotly_chart(figure, theme=None, alt="Faults found by the probability of the wrong answer")
    with middle:
        known = None if inputs.losses is None else float(inputs.task.failed(inputs.losses).sum())
        curve = fault_curve({"found": np.cumsum(failed)}, size=len(inputs), faults=known, dark=dark())
        st.plotly_chart(curve, theme=None, alt="Faults found against labels")
    with right:
        if isinstance(inputs.task, Classification) and inputs.predictions.ndim == 1:
            answers = session.answers()
            answered = [answers[int(row)] for row in rows]
            st.plotly_chart(
                confusion(inputs.predictions[rows], answered, inputs.task.classes, dark=dark()),
                theme=None,
                alt="Predicted class against the tester's answer, among the labeled",
            )
    metrics(report)
    gallery(session, rows[failed])


def metrics(report: LiveReport) -> None:
    """WFDR and SFDR, estimated and exact."""
    columns = st.columns(4)
    running, exact = report.running, report.exact
    columns[0].metric("WFDR, estimated", "–" if running is None or running.wfdr is None else percent(running.wfdr))
    columns[1].metric("SFDR, estimated", "–" if running is None else percent(running.sfdr))
    if exact is not None:
        columns[2].metric("WFDR, with the truth", "–" if exact.wfdr is None else percent(exact.wfdr))
        columns[3].metric("SFDR, with the truth", percent(exact.sfdr))


def gallery(session: Session, rows: np.ndarray) -> None:
    """The faults as pictures, the most severe first."""
    inputs = session.inputs
    if inputs.confidence is None or isinstance(inputs.task, Regression) or not len(rows):
        return
    st.markdown("**Most severe first**")
    order = rows[np.argsort(-inputs.confidence[rows], kind="stable")][:GALLERY]
    answers = session.answers()
    names = inputs.task.classes
    for start in range(0, len(order), ACROSS):
        for column, row in zip(st.columns(ACROSS), order[start : start + ACROSS], strict=False):
            with column:
                shown_input(session.show(int(row)), size=88)
                predicted = names[int(np.ravel(inputs.predictions[row])[0])]
                answered = names[answers[int(row)]] if isinstance(answers[int(row)], int) else str(answers[int(row)])
                st.caption(escape_markdown(f"said {predicted} ({percent(inputs.confidence[row], 0)}), is {answered}"))


def exports(session: Session) -> None:
    """Files to take away; the plan and the votes give the same estimate from the terminal."""
    st.subheader("Take away", anchor=False)
    name = f"testimate-{session.session_record.id}"
    with st.container(horizontal=True):
        st.download_button("Votes (CSV)", lambda: votes_csv(session).encode(), f"{name}-votes.csv", "text/csv")
        st.download_button("Votes (Parquet)", lambda: votes_parquet(session), f"{name}-votes.parquet")
        st.download_button(
            "Plan (JSON)",
            lambda: json.dumps(plan_json(session), indent=1).encode(),
            f"{name}-plan.json",
            "application/json",
        )
    st.caption("The estimate again, from a terminal: `testimate estimate PLAN.json VOTES.csv`")


page(show)
