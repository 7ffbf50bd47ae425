"""The faults on the Results page: how severe, how fast they came, what was taken for what, and their pictures."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from testimate.charts.comparison import confusion, fault_curve
from testimate.charts.estimates import severity
from testimate.charts.palette import FAILED, faint
from testimate.core.draw import is_exploit
from testimate.core.words import counted, percent, spaced
from testimate.metrics import fault_severity, severity_band
from testimate.metrics.severity import severity_level
from testimate.planning.parts import with_outside
from testimate.reports.exports import flag_notes
from testimate.reports.live import LiveReport, labeled_rows
from testimate.reports.words import reasons_given, severity_bands
from testimate.session.session import Session
from testimate.ui.appearance import dark
from testimate.ui.components.shown_input import Tile, gallery
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.input_dialog import closer_look
from testimate.ui.page_head import nothing_here
from testimate.ui.pages import LABEL, PLAN
from testimate.ui.result_charts import error_sizes, has_error_sizes, largest_errors
from testimate.ui.truth import as_revealed

GALLERY = 36
ACROSS = 9
FIGURE = 340  # pixels high, so that the figures side by side end on one line


def faults(session: Session, report: LiveReport) -> None:
    """Faults by severity, their order, their confusion, and their pictures."""
    inputs = as_revealed(session.inputs)
    if inputs.task.compares:
        return  # one system not being better is not a fault
    rows, losses = labeled_rows(session)
    failed = inputs.task.failed(losses)
    st.subheader(f"{counted(int(failed.sum()), 'fault')} found", anchor=False, help=explained("fault"))
    if not failed.any():
        no_faults(report)
        return
    figures = {}
    if inputs.confidence is not None:
        levels = severity(severity_level(inputs.confidence[rows[failed]]), dark=dark(), ten_levels=True)
        figures[f"By {inputs.task.severity_basis}"] = levels
    elif has_error_sizes(inputs.task):
        figures[f"By {inputs.task.severity_basis}"] = error_sizes(inputs, rows, losses)
    known = None if inputs.losses is None else float(inputs.task.failed(inputs.losses).sum())
    curve = fault_curve({"found": np.cumsum(failed)}, size=len(inputs), faults=known, dark=dark())
    figures["Faults, label by label"] = curve
    if inputs.single_class:
        answers, check = session.answers(), inputs.task.check_answer
        classes, answered = with_outside(inputs.task.classes, [check(answers[int(row)]) for row in rows])
        table = confusion(inputs.predictions[rows], answered, classes, dark=dark())
        figures["Confusion matrix (labeled inputs)"] = table
    with st.container(key="faults found"):
        columns = st.columns(max(len(figures), 2), gap="medium")
    for column, (title, figure) in zip(columns, figures.items(), strict=False):
        with column:
            st.markdown(f"**{title}**")
            figure.update_layout(height=FIGURE)
            st.plotly_chart(figure, theme=None, alt=f"Faults found: {title}")
    metrics(report)
    if inputs.confidence is None and not inputs.task.numeric:
        st.caption("Without a confidence their severity is not known. Upload the table with a column confidence.")
    severe_faults(session, rows, losses)
    worst_faults(session, rows[failed])


def no_faults(report: LiveReport) -> None:
    """Labels without a fault among them: what that means, and how to find some."""
    words = (
        f"None of the {counted(report.labeled, 'labeled input')} is wrong. Label more, or plan a session that "
        "looks for failures: a network that is nearly always right shows few of them in a random sample."
    )
    nothing_here(words, LABEL, PLAN, icon=":material/task_alt:")
    metrics(report)


def metrics(report: LiveReport) -> None:
    """WFDR and SFDR, estimated and exact; nothing where there are none."""
    running, exact = report.running, report.exact
    shown = []
    if running is not None:
        guessed = "Estimated, because the number of faults in the unlabeled inputs is."
        shown.append(("Faults found early (WFDR), estimated", running.wfdr, explained("WFDR", guessed)))
        shown.append(("Severe faults first (SFDR), estimated", running.sfdr, explained("SFDR", guessed)))
    if exact is not None:
        known = "By the known answers."
        shown.append(("Faults found early (WFDR), with the truth", exact.wfdr, explained("WFDR", known)))
        shown.append(("Severe faults first (SFDR), with the truth", exact.sfdr, explained("SFDR", known)))
    with st.container(key="stacked early faults"):
        columns = st.columns(4)
    for column, (name, value, meaning) in zip(columns, shown, strict=False):
        column.metric(name, "–" if value is None else percent(value), help=meaning)


def worst_faults(session: Session, rows: np.ndarray) -> None:
    """The faults as pictures, the most severe first; of a regression, the largest error first."""
    inputs, answers = session.inputs, session.answers()
    if inputs.task.numeric and len(rows):
        explain_one(session, largest_errors(session, rows, count=GALLERY))
    if inputs.confidence is None or inputs.task.numeric or not len(rows):
        return
    st.markdown("**Most severe first**", help=explained("severity"))
    order = rows[np.argsort(-inputs.confidence[rows], kind="stable")][:GALLERY]
    tiles, reasons = [], reasons_given(session) if inputs.task.graded else {}
    for row in order.tolist():
        predicted = inputs.task.prediction_text(inputs.predictions[row])
        answered = inputs.task.answer_text(answers[row])
        words = f"said {predicted} ({percent(inputs.confidence[row], 0)}), is {answered}"
        if inputs.task.graded:
            reason = f": {reasons[row]}" if row in reasons else ""
            words = f"{answered}{reason} (score {percent(inputs.confidence[row], 0)})"
        picked = is_exploit(session.draw_of(row))
        words = f"{words} · exploit pick" if picked else words
        tiles.append(Tile(session.show(row), words, help=inputs.name_of(row)))
    gallery(tiles, across=ACROSS)
    if inputs.task.graded:
        return  # there is no model to ask
    explain_one(session, {row: tile.caption for row, tile in zip(order.tolist(), tiles, strict=True)})


def explain_one(session: Session, captions: Mapping[int, str]) -> None:
    """A close look at one fault: where the network looked, and similar inputs."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        row = st.selectbox(
            "A fault to explain",
            list(captions),
            format_func=lambda row: f"input {spaced(row)}: {captions[row]}",
            key="fault to explain",
            width=420,
        )
        if st.button("Explain", icon=":material/visibility:"):
            subject = project().subject(session.session_record.subject)
            closer_look(int(row), subject, as_revealed(session.inputs), session, ())


STRENGTHS = (1.0, 0.75, 0.5)
"""The dashes of each band's line, so that they differ not only in colour."""

MOST_PAIRS = 6


def severe_faults(session: Session, rows: NDArray[np.intp], losses: NDArray[np.float64]) -> None:
    """The section; nothing without a severity or a fault. ``rows``, ``losses`` : of the labeled in draw order, (k,)."""
    severity, failed = fault_severity(session.inputs, rows, losses), session.inputs.task.failed(losses)
    if severity is None or not failed.any():
        return
    bands, names = bands_of(severity), severity_bands(session.inputs.task)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Faults of each severity against the labels**", help=explained("severity"))
        found = {words: np.cumsum(failed & (bands == name)) for name, words in names.items()}
        curve = fault_curve(found, size=len(session.inputs), dark=dark())
        for line, strength in zip(curve.data, STRENGTHS, strict=True):
            line.line.color = faint(FAILED, strength)
        curve.update_layout(height=300)
        st.plotly_chart(curve, theme=None, alt="Severe, moderate and low faults found against labels")
    with right:
        shares_found(session, rows, bands)
        pairs(session, rows[failed & (bands == "high")])


def bands_of(severity: NDArray[np.float64]) -> NDArray[np.str_]:
    """The band of each severity, (k,)."""
    return np.array([severity_band(float(one)) for one in severity])


def shares_found(session: Session, rows: NDArray[np.intp], bands: NDArray[np.str_]) -> None:
    """How much of each band is found, where the truth is known (Al-Qadasi et al. 2023, table V)."""
    inputs = as_revealed(session.inputs)
    severity = None if inputs.losses is None else fault_severity(inputs, np.arange(len(inputs)), inputs.losses)
    if inputs is not session.inputs:
        st.caption("How many of all faults these are is known here: reveal the truth to see it.")
        return
    if inputs.losses is None or severity is None:
        st.caption("The total number of faults is not known here; the estimate above says how many to expect.")
        return
    truly = inputs.task.failed(inputs.losses)
    every = bands_of(severity[truly])
    st.markdown("**Of all faults there are, found so far**")
    found = truly[rows]
    for column, (name, words) in zip(st.columns(3), severity_bands(inputs.task).items(), strict=True):
        total, here = int((every == name).sum()), int((found & (bands == name)).sum())
        column.metric(
            words.split(" (")[0].capitalize(),
            percent(here / total, 0) if total else "–",
            help=f"{here} of {total}. {words.capitalize()}.",
        )


def pairs(session: Session, severe: NDArray[np.intp]) -> None:
    """Which classes the network confused while it was sure."""
    task, inputs, answers = session.inputs.task, session.inputs, session.answers()
    if task.numeric:
        return  # its largest errors are shown as they are
    st.markdown("**Sure, and wrong**")
    if not inputs.single_class or not len(severe):
        st.caption("No severe fault so far." if not len(severe) else f"{len(severe)} severe faults so far.")
        return
    taken = Counter((answers[row], int(inputs.predictions[row])) for row in severe.tolist())
    lines = []
    for (was, said), count in taken.most_common(MOST_PAIRS):
        words = escape_markdown(f"{task.answer_text(was)} taken for {task.classes[said]}")
        lines.append(f"- {words}: {'once' if count == 1 else f'{count} times'}")
    st.markdown("\n".join(lines))


def flagged(session: Session) -> None:
    """The flagged inputs with their notes; nothing if there are none."""
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
