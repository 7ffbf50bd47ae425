"""The faults on the Results page: how severe, how fast they came, what was taken for what, and their pictures."""

import numpy as np
import streamlit as st

from testimate.charts.confusion import confusion
from testimate.charts.fault_curve import fault_curve
from testimate.charts.severity import severity
from testimate.core.draw import is_exploit
from testimate.core.rounding import percent
from testimate.core.task import Classification
from testimate.reports.exports import flag_notes
from testimate.reports.live import LiveReport, labeled_rows
from testimate.reports.plurals import counted
from testimate.session.session import Session
from testimate.ui.appearance import dark
from testimate.ui.components.shown_input import Tile, gallery
from testimate.ui.components.terms import explained
from testimate.ui.empty_state import nothing_here
from testimate.ui.error_sizes import error_sizes, has_error_sizes, largest_errors
from testimate.ui.pages import LABEL, PLAN
from testimate.ui.results.severe_faults import severe_faults

GALLERY = 36
ACROSS = 9
FIGURE = 340  # pixels high, so that the figures side by side end on one line


def faults(session: Session, report: LiveReport) -> None:
    """Faults by severity, their order, their confusion, and their pictures."""
    inputs = session.inputs
    rows, losses = labeled_rows(session)
    failed = inputs.task.failed(losses)
    st.subheader(f"{counted(int(failed.sum()), 'fault')} found", anchor=False, help=explained("fault"))
    if not failed.any():
        no_faults(report)
        return
    figures = {}
    if inputs.confidence is not None:
        levels = severity(inputs.confidence[rows[failed]], dark=dark(), ten_levels=True)
        figures["By the probability of the wrong answer"] = levels
    elif has_error_sizes(inputs.task):
        figures["By the size of the error"] = error_sizes(inputs.task, losses)
    known = None if inputs.losses is None else float(inputs.task.failed(inputs.losses).sum())
    curve = fault_curve({"found": np.cumsum(failed)}, size=len(inputs), faults=known, dark=dark())
    figures["Against the labels"] = curve
    if isinstance(inputs.task, Classification) and inputs.predictions.ndim == 1:
        answers = session.answers()
        answered = [answers[int(row)] for row in rows]
        table = confusion(inputs.predictions[rows], answered, inputs.task.classes, dark=dark())
        figures["Predicted and answered class of the labeled"] = table
    for column, (title, figure) in zip(st.columns(max(len(figures), 2), gap="medium"), figures.items(), strict=False):
        with column:
            st.markdown(f"**{title}**")
            figure.update_layout(height=FIGURE)
            st.plotly_chart(figure, theme=None, alt=f"Faults found: {title}")
    metrics(report)
    if inputs.confidence is None and not inputs.task.numeric:
        st.caption("Without a confidence their severity is not known. Upload the table with a column confidence.")
    severe_faults(session, rows, failed)
    worst_faults(session, rows[failed])


def no_faults(report: LiveReport) -> None:
    """Labels, and no fault among them: what that says, and how to find some."""
    words = (
        f"None of the {counted(report.labeled, 'labeled input')} is wrong. Label more, or plan a session that looks for "
        "failures: a network that is nearly always right shows few in a random sample."
    )
    nothing_here(words, LABEL, PLAN, icon=":material/task_alt:")
    metrics(report)


def metrics(report: LiveReport) -> None:
    """WFDR and SFDR, estimated and exact; nothing where there are none."""
    running, exact = report.running, report.exact
    shown = []
    if running is not None:
        guessed = "How many faults there are among the unlabeled is estimated."
        shown.append(("WFDR, estimated", running.wfdr, explained("WFDR", guessed)))
        shown.append(("SFDR, estimated", running.sfdr, explained("SFDR", guessed)))
    if exact is not None:
        known = "By the known answers."
        shown.append(("WFDR, with the truth", exact.wfdr, explained("WFDR", known)))
        shown.append(("SFDR, with the truth", exact.sfdr, explained("SFDR", known)))
    for column, (name, value, meaning) in zip(st.columns(4), shown, strict=False):
        column.metric(name, "–" if value is None else percent(value), help=meaning)


def worst_faults(session: Session, rows: np.ndarray) -> None:
    """The faults as pictures, the most severe first; of a regression, the largest error first."""
    inputs, answers = session.inputs, session.answers()
    if inputs.task.numeric and len(rows):
        largest_errors(session, rows, count=GALLERY)
    if inputs.confidence is None or inputs.task.numeric or not len(rows):
        return
    st.markdown("**Most severe first**", help=explained("severity"))
    order = rows[np.argsort(-inputs.confidence[rows], kind="stable")][:GALLERY]
    tiles = []
    for row in order.tolist():
        predicted = inputs.task.prediction_text(inputs.predictions[row])
        answered = inputs.task.answer_text(answers[row])
        words = f"said {predicted} ({percent(inputs.confidence[row], 0)}), is {answered}"
        picked = is_exploit(session.draw_of(row))
        tiles.append(Tile(session.show(row), f"{words} · exploit pick" if picked else words))
    gallery(tiles, across=ACROSS)


def flagged(session: Session) -> None:
    """The inputs with a flag and what was noted of them; nothing where there are none."""
    notes = flag_notes(session)
    if not notes:
        return
    task, answers = session.inputs.task, session.answers()
    st.subheader(f"{counted(len(notes), 'flagged input')}", anchor=False)
    rows = [
        {
            "Input": row,
            "Answer": task.answer_text(answers[row]) if row in answers else session.state_of(row),
            "Notes": "; ".join(f"{who}: {note}" for who, note in said),
        }
        for row, said in sorted(notes.items())
    ]
    st.dataframe(rows, hide_index=True)
