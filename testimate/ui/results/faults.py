"""The faults on the Results page: how severe, how fast they came, what was taken for what, and their pictures."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from testimate.charts.comparison import confusion, fault_curve
from testimate.charts.estimates import severity
from testimate.charts.palette import FAILED, faint
from testimate.charts.pictures import heat_picture
from testimate.core.draw import is_exploit
from testimate.core.subject import Shown
from testimate.core.words import commas, counted, percent
from testimate.metrics import fault_severity, severity_band
from testimate.metrics.severity import severity_level
from testimate.planning.parts import with_outside
from testimate.reports.exports import flag_notes
from testimate.reports.live import LiveReport, labeled_rows
from testimate.reports.words import reasons_given, severity_bands
from testimate.session.session import Session
from testimate.ui.appearance import dark
from testimate.ui.components.shown_input import Tile, gallery, shown_input
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.input_dialog import ROW, closer_look, closer_look_if_asked, look_closer
from testimate.ui.page_head import nothing_here
from testimate.ui.pages import LABEL, PLAN
from testimate.ui.result_charts import error_sizes, faults_by_severity, has_error_sizes
from testimate.ui.truth import as_revealed

FIRST = 6
"""Faults that are shown at once, the most severe first."""

CARD = 186
"""Pixels of width of a fault's card with a picture."""

GALLERY = 36
ACROSS = 9
FIGURE = 340  # pixels high, so that the figures side by side end on one line


def faults(session: Session, report: LiveReport) -> None:
    """The most severe faults as cards; folded below, the others with their severity, order and confusion."""
    inputs = as_revealed(session.inputs)
    if inputs.task.compares:
        return  # one system not being better is not a fault
    rows, losses = labeled_rows(session)
    failed = inputs.task.failed(losses)
    st.subheader(f"{counted(int(failed.sum()), 'fault')} found", anchor=False, help=explained("fault"))
    if not failed.any():
        no_faults(report)
        return
    order = most_severe_first(session, rows[failed], losses[failed])
    captions = {row: fault_words(session, row) for row in order}
    with st.container(key="faults found"):
        cards(session, dict(list(captions.items())[:FIRST]))
    if inputs.confidence is None and not inputs.task.numeric:
        st.caption("No severity without confidence. Upload the table again with a confidence column.")
    with st.expander("All faults: charts, confusion and pictures"):
        charts(session, rows, losses)
        severe_faults(session, rows, losses)
        others = dict(list(captions.items())[FIRST:GALLERY])
        gallery([tile(session, row, words) for row, words in others.items()], across=ACROSS)
        if others and not inputs.task.graded:  # there is no model to ask
            explain_one(session, others)
    if ROW in st.session_state:
        closer_look_if_asked(project().subject(session.session_record.subject), inputs, session, {})


def most_severe_first(session: Session, rows: NDArray[np.intp], losses: NDArray[np.float64]) -> list[int]:
    """The faults among these rows, (k,): the surest wrong answer first, of a regression the largest error."""
    confidence = session.inputs.confidence
    severe = losses if confidence is None or session.inputs.task.numeric else confidence[rows]
    order: list[int] = rows[np.argsort(-severe, kind="stable")].tolist()
    return order


def fault_words(session: Session, row: int) -> str:
    """What was predicted for a fault and what it is; of a judged output the answer, its reason and the judge's score."""
    inputs = session.inputs
    task, answer = inputs.task, session.answers()[row]
    sure = "" if inputs.confidence is None or task.numeric else percent(inputs.confidence[row], 0)
    if task.graded:
        reason = reasons_given(session).get(row, "")
        words = f"{task.answer_text(answer)}{f': {reason}' if reason else ''}{f' (score {sure})' if sure else ''}"
    else:
        actual = f"{answer:.4g} {task.unit}".rstrip() if task.numeric else task.answer_text(answer)
        words = f"predicted {task.prediction_text(inputs.predictions[row])}{f' ({sure})' if sure else ''}, actually {actual}"
    return f"{words} · exploit pick" if is_exploit(session.draw_of(row)) else words


def tile(session: Session, row: int, words: str) -> Tile:
    """A fault in a gallery."""
    return Tile(session.show(row), words, help=session.inputs.name_of(row))


def cards(session: Session, captions: Mapping[int, str]) -> None:
    """Faults side by side, each with where the network looked if that was asked for, and the button that explains it."""
    wide = any(session.show(row).image is None for row in captions)
    if wide:
        places = st.columns(3)
        for place, (row, words) in enumerate(captions.items()):
            with places[place % 3]:
                card(session, row, words)
        return
    with st.container(horizontal=True, gap="small"):
        for row, words in captions.items():
            with st.container(width=CARD, gap="xsmall"):
                card(session, row, words)


def card(session: Session, row: int, words: str) -> None:
    """One fault."""
    shown, found = session.show(row), project().explanations.of(session.inputs.fingerprint, row)
    if found is not None and found.kind == "picture" and shown.image is not None:
        shown = Shown(shown.modality, image=heat_picture(shown.image, found.effect, found.enough))
        words = f"{words} · orange: where it looked"
    shown_input(shown, caption=words, help=session.inputs.name_of(row), size=CARD)
    if not session.inputs.task.graded:  # there is no model to ask
        st.button("Explain", key=f"explain fault {row}", type="tertiary", on_click=look_closer, args=(row,))


def charts(session: Session, rows: NDArray[np.intp], losses: NDArray[np.float64]) -> None:
    """Faults by severity, their order and their confusion. ``rows``, ``losses`` : of the labeled in draw order, (k,)."""
    inputs = as_revealed(session.inputs)
    failed, figures = inputs.task.failed(losses), {}
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
    for column, (title, figure) in zip(st.columns(max(len(figures), 2)), figures.items(), strict=False):
        with column:
            st.markdown(f"**{title}**")
            figure.update_layout(height=FIGURE)
            st.plotly_chart(figure, theme=None, alt=f"Faults found: {title}")


def no_faults(report: LiveReport) -> None:
    """Labels without a fault among them: what that means, and how to find some."""
    words = (
        f"No faults in {counted(report.labeled, 'label')}. An accurate model shows few in a random sample. Label more, or "
        "start a session that looks for faults."
    )
    nothing_here(words, LABEL, PLAN, icon=":material/task_alt:")


def found_early(session: Session, report: LiveReport) -> None:
    """WFDR and SFDR, estimated and exact, and the faults by severity; nothing where there are none."""
    running, exact = report.running, report.exact
    shown = []
    if running is not None:
        guessed = "Estimated, because the faults among the unlabeled inputs are unknown."
        shown.append(("Found early (WFDR), estimated", running.wfdr, explained("WFDR", guessed)))
        shown.append(("Severe first (SFDR), estimated", running.sfdr, explained("SFDR", guessed)))
    if exact is not None:
        known = "By the known answers."
        shown.append(("Found early (WFDR), with the truth", exact.wfdr, explained("WFDR", known)))
        shown.append(("Severe first (SFDR), with the truth", exact.sfdr, explained("SFDR", known)))
    if not shown and report.severity is None:
        return
    st.subheader("Faults by severity", anchor=False, help=explained("severity"))
    with st.container(key="stacked early faults"):
        columns = st.columns(2)
    for place, (name, value, meaning) in enumerate(shown):
        columns[place % 2].metric(name, "–" if value is None else percent(value), help=meaning)
    faults_by_severity(session, report)


def explain_one(session: Session, captions: Mapping[int, str]) -> None:
    """A close look at one fault: where the network looked, and similar inputs."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        row = st.selectbox(
            "A fault to explain",
            list(captions),
            format_func=lambda row: f"input {commas(row)}: {captions[row]}",
            key="fault to explain",
            width=420,
        )
        if st.button("Explain", icon=":material/visibility:"):
            subject = project().subject(session.session_record.subject)
            closer_look(int(row), subject, as_revealed(session.inputs), session, ())


STRENGTHS = (1.0, 0.75, 0.5)
"""The dashes of each band's line, so that they differ not only in color."""

MOST_PAIRS = 6


def severe_faults(session: Session, rows: NDArray[np.intp], losses: NDArray[np.float64]) -> None:
    """The section; nothing without a severity or a fault. ``rows``, ``losses`` : of the labeled in draw order, (k,)."""
    severity, failed = fault_severity(session.inputs, rows, losses), session.inputs.task.failed(losses)
    if severity is None or not failed.any():
        return
    bands, names = bands_of(severity), severity_bands(session.inputs.task)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Faults by severity, label by label**", help=explained("severity"))
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
        st.caption("Reveal the truth to see how many of all faults these are.")
        return
    if inputs.losses is None or severity is None:
        st.caption("The true number of faults is unknown. The estimate above gives a range.")
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
    st.markdown("**Confident mistakes**")
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
