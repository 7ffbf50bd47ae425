"""Label: the input under judgement, and beside it what the labels say by now."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import streamlit as st

from pages.opened import dark, opened_session, page
from testimate.charts.running_estimate import running_estimate
from testimate.charts.severity import severity
from testimate.charts.strata_filled import strata_filled
from testimate.core.design import Purposive
from testimate.core.errors import StoreUnavailable
from testimate.core.task import Classification, Regression
from testimate.core.vote import Event
from testimate.estimators.labels_needed import labels_still_needed
from testimate.sessions.live import LiveReport, labeled_rows, live
from testimate.sessions.session import Session
from testimate.widgets.labeling_surface import Past, QueuedInput, SurfaceView, fallback_buttons, labeling_surface
from testimate.widgets.numbers import percent, percent_range
from testimate.widgets.untrusted_text import escape_markdown

TESTER = "tester"
AHEAD = 16
STRIP = 12
MOST_STRATA = 12
"""With more strata than this only their summary is shown."""


def show() -> None:
    """The page."""
    session = opened_session()
    if session is None:
        st.header("Label", anchor=False)
        st.info("No labeling session is open. Plan one, or start with a demo.", icon=":material/label:")
        with st.container(horizontal=True):
            if st.button("Go to Plan", type="primary"):
                st.switch_page("pages/plan.py")
            if st.button("Go to Subject"):
                st.switch_page("pages/subject.py")
        return
    labeling(session)


@st.fragment
def labeling(session: Session) -> None:
    """Surface and panel; an answer runs this part of the page again and nothing else."""
    session.refresh()
    report = live(session)
    headline(session, report)
    left, right = st.columns([6, 5], gap="medium")
    with left:
        surface(session)
    with right:
        panel(session, report)


def headline(session: Session, report: LiveReport) -> None:
    """Where one is, in a line."""
    record = session.session_record
    parts = [
        f"**{escape_markdown(record.subject_name)}**",
        record.request.technique,
        f"{report.labeled} of {report.planned}",
    ]
    if report.per_minute is not None and report.minutes_left is not None:
        parts += [f"{report.per_minute:.0f} a minute", f"{report.minutes_left:.0f} min left"]
    st.markdown(" · ".join(parts))


@dataclass
class Outcome:
    """What became of the events this browser page sent last."""

    acknowledged: Collection[str] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    offline: str = ""


def surface(session: Session) -> None:
    """The labeling surface, or plain buttons where the tester prefers them."""
    name = f"outcome {session.session_record.id}"
    outcome = st.session_state.setdefault(name, Outcome())

    def record(events: list[Event]) -> None:
        try:
            recorded = session.record(events)
        except StoreUnavailable as error:
            st.session_state[name] = Outcome(offline=str(error))
        else:
            st.session_state[name] = Outcome(recorded.acknowledged, recorded.refused)

    plain = st.session_state.get("plain buttons", False)
    view = view_of(session, outcome)
    if plain:
        fallback_buttons(view, key="fallback", on_event=lambda event: record([event]))
    else:
        labeling_surface(view, key="surface", on_events=record)
    st.toggle("Plain buttons", key="plain buttons", help="For screen readers, and browsers that do not run scripts.")


def view_of(session: Session, outcome: Outcome) -> SurfaceView:
    """What the surface shows now."""
    record, inputs = session.session_record, session.inputs
    queue = [
        QueuedInput(
            row=draw.row,
            position=session.position_of(draw.row),
            shown=session.show(draw.row),
            why=draw.reason,
            prediction=in_words(session, inputs.predictions[draw.row]) if record.show_prediction else None,
        )
        for draw in session.upcoming(AHEAD)
    ]
    history = [
        Past(
            row=vote.row,
            position=session.position_of(vote.row),
            answer=vote.answer,
            label="cannot tell" if vote.loss is None else in_words(session, vote.answer),
            failed=None if vote.loss is None else bool(inputs.task.failed(vote.loss)),
            shown=session.show(vote.row),
        )
        for vote in reversed(session.recent(STRIP))
    ]
    return SurfaceView(
        session=record.id,
        tester=TESTER,
        task=inputs.task,
        queue=queue,
        history=history,
        acknowledged=outcome.acknowledged,
        refused=outcome.refused,
        labeled=session.labeled,
        planned=session.planned,
        waiting=session.waiting and not queue,
        finished=session.finished,
        predictions_shown=record.show_prediction,
        offline_error=outcome.offline,
    )


def in_words(session: Session, answer: Any) -> str:
    """An answer or prediction as a tester reads it."""
    task = session.inputs.task
    if isinstance(task, Classification):
        return task.classes[int(np.ravel(answer)[0])]
    if isinstance(task, Regression):
        return f"{float(answer):.4g} {task.unit}".strip()
    return ", ".join(task.classes[place] for place in np.flatnonzero(answer))


def panel(session: Session, report: LiveReport) -> None:
    """What the labels say by now."""
    estimate_panel(session, report)
    metrics_panel(report)
    left, right = st.columns(2)
    with left:
        severity_panel(session)
    with right:
        strata_panel(report, "cluster" if isinstance(session.selector.design, Purposive) else "stratum")


def estimate_panel(session: Session, report: LiveReport) -> None:
    """The accuracy with both intervals, against labels, and whether one may stop."""
    estimate, record = report.estimate, session.session_record
    regression = isinstance(session.inputs.task, Regression)
    columns = st.columns(3)
    columns[0].metric(
        "1 - MSE" if regression else "Accuracy",
        "–" if estimate is None else share(estimate.accuracy, regression),
        help="Estimated for the whole set: 1 - mean loss.",
    )
    columns[1].metric(
        f"{percent(record.level, 0)} interval",
        interval(None if estimate is None else (estimate.low, estimate.high), regression),
        help="Holds at a number of labels fixed beforehand.",
    )
    columns[2].metric(
        "Stop-safe interval",
        interval(None if estimate is None else (estimate.always_low, estimate.always_high), regression),
        help="Always valid: holds whenever you stop, so you may watch it and decide.",
    )
    trail = report.trail
    figure = running_estimate(
        trail.labels,
        trail.accuracy,
        trail.low,
        trail.high,
        trail.always_low,
        trail.always_high,
        truth=report.truth if st.session_state.get("show truth") else None,
        target_half_width=None if estimate is None or estimate.always_half_width is None else record.half_width,
        level=record.level,
        dark=dark(),
    )
    figure.update_layout(height=230)
    st.plotly_chart(figure, theme=None, key="running estimate", alt=report.words, config={"displayModeBar": False})
    if report.labeled and report.no_number:
        st.caption(escape_markdown(report.no_number))
    (st.success if report.may_stop else st.caption)(
        escape_markdown(report.may_stop_words + still_needed(session, report))
    )
    if report.truth is not None:
        st.toggle(
            "Show the true accuracy", key="show truth", help="Known for this subject; a dashed line in the chart."
        )


def still_needed(session: Session, report: LiveReport) -> str:
    """About how many more labels the stop-safe interval needs, where that can be foretold."""
    estimate, bound = report.estimate, session.inputs.task.loss_bound
    if estimate is None or estimate.always_half_width is None or bound is None or report.may_stop:
        return ""
    wanted = session.session_record.half_width
    count = labels_still_needed(estimate, session.selector.design, wanted, always_valid=True, loss_bound=bound)
    return "" if count is None else f" About {count:,} more labels."


def share(value: float, regression: bool) -> str:
    """A share in percent, or a number."""
    return f"{value:.3f}" if regression else percent(value)


def interval(ends: tuple[float | None, float | None] | None, regression: bool) -> str:
    """Both ends, or a dash."""
    if ends is None or ends[0] is None or ends[1] is None:
        return "–"
    return f"{ends[0]:.3f} – {ends[1]:.3f}" if regression else percent_range(ends[0], ends[1])


def metrics_panel(report: LiveReport) -> None:
    """Faults found, and how well their order finds them."""
    columns = st.columns(4)
    columns[0].metric("Faults found", report.failures, help="Inputs the network got wrong, among those labeled.")
    severe = "–" if report.severity is None else report.severity.high
    columns[1].metric("Severe", severe, help="Wrong with a confidence of at least 80 %.")
    running, exact = report.running, report.exact
    columns[2].metric(
        "WFDR (est.)",
        "–" if running is None or running.wfdr is None else percent(running.wfdr, 0),
        help="Weighted fault detection ratio of the labels so far; how many faults there are is estimated. "
        + ("" if exact is None or exact.wfdr is None else f"With the truth: {percent(exact.wfdr, 0)}."),
    )
    columns[3].metric(
        "SFDR (est.)",
        "–" if running is None else percent(running.sfdr, 0),
        help="Severe fault detection rate: are the severe faults found first? Estimated. "
        + ("" if exact is None else f"With the truth: {percent(exact.sfdr, 0)}."),
    )


def severity_panel(session: Session) -> None:
    """The faults found, by the confidence of the wrong answer."""
    inputs = session.inputs
    if inputs.confidence is None:
        return
    rows, losses = labeled_rows(session)
    figure = severity(inputs.confidence[rows[inputs.task.failed(losses)]], dark=dark())
    figure.update_layout(height=190)
    st.plotly_chart(
        figure, theme=None, key="severity", alt="Faults found by severity", config={"displayModeBar": False}
    )


def strata_panel(report: LiveReport, what: str) -> None:
    """Labels in each stratum, or in each of the last rounds."""
    if report.rounds:
        filled = [one.labeled for one in report.rounds]
        planned = [one.planned for one in report.rounds]
        names = [str(one.number) for one in report.rounds]
        figure = strata_filled(filled, planned, what="round", names=names, dark=dark())
    elif 1 < len(report.strata) <= MOST_STRATA:
        filled = [one.labeled for one in report.strata]
        planned = [one.size if one.planned is None else one.planned for one in report.strata]
        figure = strata_filled(filled, planned, what=what, dark=dark())
    else:
        return
    figure.update_layout(height=190)
    st.plotly_chart(figure, theme=None, key="strata", alt=f"Labels per {what}", config={"displayModeBar": False})


page(show)
