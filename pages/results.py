"""Results: the final estimate in words, the faults and how severe they are, and everything to take away."""

import json

import numpy as np
import streamlit as st

from pages.error_sizes import error_sizes, has_error_sizes, largest_errors
from pages.next_step import TO_LABEL, TO_PLAN, TO_SUBJECT, nothing_here
from pages.opened import dark, forget, opened_session, page
from pages.opened_project import project
from pages.severe_faults import severe_faults
from pages.team_agreement import team_agreement
from pages.technique_words import technique_term
from testimate.charts.confusion import confusion
from testimate.charts.fault_curve import fault_curve
from testimate.charts.running_estimate import running_estimate
from testimate.charts.severity import severity
from testimate.core.draw import is_exploit
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.task import Classification, Regression
from testimate.plans.assisted import MODELS, assisted_estimate, assisting, why_unassisted
from testimate.sessions.bundle import write_bundle
from testimate.sessions.exports import faults_csv, plan_json, votes_csv, votes_parquet
from testimate.sessions.label_studio import label_studio_json
from testimate.sessions.live import LiveReport, labeled_rows, live
from testimate.sessions.report import report_html
from testimate.sessions.session import Session
from testimate.sessions.words import answer_in_words, number_in_words, prediction_in_words
from testimate.widgets.facts import facts
from testimate.widgets.numbers import percent
from testimate.widgets.shown_input import Tile, gallery
from testimate.widgets.terms import explained
from testimate.widgets.untrusted_text import escape_markdown

GALLERY = 36
ACROSS = 9
FIGURE = 340  # pixels high, so that the figures side by side end on one line


def show() -> None:
    """The page."""
    st.header("Results", anchor=False)
    try:
        session = opened_session()
    except BadInput as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        if st.button("Open the latest session", type="primary"):
            forget("session")
            st.rerun()
        return
    if session is None:
        words = "There are no labels yet. Start a labeling session on the Plan page, or with a demo."
        nothing_here(words, TO_PLAN, TO_SUBJECT, icon=":material/label:")
        return
    choose_session(session)
    session.refresh()
    report = live(session)
    in_words(session, report)
    if not report.labeled:
        nothing_here("Nothing is labeled in this session yet.", TO_LABEL, icon=":material/label:")
    left, right = st.columns(2, gap="large")
    with left:
        accuracy(session, report)
        assisted(session, report)
    with right:
        what_it_rests_on(session, report)
    if report.labeled:
        faults(session, report)
    team_agreement(session)
    exports(session)


def choose_session(session: Session) -> None:
    """Another session of the same subject, where there are several."""
    record = session.session_record
    same = [other for other in project().sessions() if other.subject == record.subject]
    if len(same) < 2:
        return
    ids = [other.id for other in same]
    names = {
        other.id: f"{other.request.technique}, {other.request.budget} labels, {moment(other.created)}" for other in same
    }
    chosen = st.selectbox("Session", ids, ids.index(record.id), format_func=lambda id: names[id])
    if chosen != record.id:
        st.session_state["opened session"] = chosen
        st.query_params["session"] = chosen
        st.rerun()


def moment(created: str) -> str:
    """An ISO 8601 time in UTC as a person reads it, to the minute."""
    return f"{created[:16].replace('T', ' ')} UTC"


def in_words(session: Session, report: LiveReport) -> None:
    """The estimate as a sentence."""
    words = report.words[:1].upper() + report.words[1:]
    st.markdown(f"#### {escape_markdown(words)}")
    estimate, regression = report.estimate, isinstance(session.inputs.task, Regression)
    what = "1 - mean squared error" if regression else "the accuracy"
    if estimate is not None and estimate.always_low is not None and estimate.always_high is not None:
        low, high = (number_in_words(end, regression) for end in (estimate.always_low, estimate.always_high))
        sure = percent(estimate.level, 0)
        st.write(escape_markdown(f"Whenever you stop, {what} lies between {low} and {high} with {sure} confidence."))
    if estimate is not None and estimate.skipped_high is not None:
        bounds = f"if all were right {number_in_words(estimate.skipped_high, regression)}"
        if estimate.skipped_low is not None:
            wrong = "as wrong as can be" if regression else "wrong"
            bounds = f"if all of them were {wrong} {number_in_words(estimate.skipped_low, regression)}, {bounds}"
        skipped = "1 input was" if estimate.skipped == 1 else f"{estimate.skipped:,} inputs were"
        st.write(escape_markdown(f"{skipped} skipped or put off. The estimate would be, {bounds}."))


def accuracy(session: Session, report: LiveReport) -> None:
    """The running estimate, with the truth where it is known."""
    what = "1 - MSE" if isinstance(session.inputs.task, Regression) else "Accuracy"
    watched = explained(
        "stop-safe interval", "The light band; the dark one holds at a number of labels fixed beforehand."
    )
    st.subheader(f"{what} as the labels came", anchor=False, help=watched)
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
        shares=not isinstance(session.inputs.task, Regression),
        dark=dark(),
    )
    st.plotly_chart(figure, theme=None, alt=report.words)


def assisted(session: Session, report: LiveReport) -> None:
    """The estimate helped by a model of the losses, where one asks for it; the plain one stays the one above."""
    inputs, plain = session.inputs, report.estimate
    with st.expander("Let the network's own scores help the estimate", icon=":material/function:"):
        models = assisting(inputs, session.selector.design)
        if plain is None or not models:
            why = why_unassisted(inputs, session.selector.design)
            st.caption(escape_markdown(why or "There is no estimate yet that could be helped. Label on."))
            return
        model = st.radio(
            "What guesses the loss of every input?",
            [None, *models],
            format_func=lambda name: "nothing: the estimate above" if name is None else MODELS[name],
            key=f"model {session.session_record.id}",
        )
        st.caption("Decide before you look at the widths: taking whichever interval is narrower holds less often.")
        if model is None:
            return
        bound = inputs.task.loss_bound
        try:
            helped = assisted_estimate(
                inputs, session.selector.design, session.verdicts(), plain, model=model, loss_bound=bound
            )
        except NotEnoughLabels as error:
            st.info(escape_markdown(str(error)), icon=":material/label:")
            return
        regression, found = isinstance(inputs.task, Regression), helped.estimate
        said = number_in_words(found.accuracy, regression)
        if found.low is not None and found.high is not None:
            ends = (number_in_words(end, regression) for end in (found.low, found.high))
            said += f", between {' and '.join(ends)}"
        st.markdown(escape_markdown(f"Model-assisted: {said}."))
        st.write(escape_markdown(helped.words))


def what_it_rests_on(session: Session, report: LiveReport) -> None:
    """Design, seed, fingerprints: what one needs to check the number."""
    st.subheader("What this rests on", anchor=False, help=explained(technique_term(type(session.selector))))
    record, estimate = session.session_record, report.estimate
    rows = {
        "Technique": f"{record.request.technique}: {type(session.selector).title}",
        "Method": "no number yet" if estimate is None else estimate.method,
        "Labeled, skipped, planned": f"{report.labeled:,}, {report.skipped:,}, {report.planned:,}",
        "Seed": str(record.request.seed),
        "Subject": f"{record.subject_name} ({record.fingerprint[:12]})",
        "Prediction shown before the answer": "yes" if record.show_prediction else "no",
        "Session": f"{record.id}, begun {moment(record.created)}",
    }
    regression = isinstance(session.inputs.task, Regression)
    if report.exploit:
        rows["Exploit picks, thought to fail"] = f"{report.exploit:,}, of which {report.exploit_failures:,} did"
        rows["Drawn at random"] = f"{report.labeled - report.exploit:,}; they alone speak for the rest"
    if estimate is not None and estimate.standard_error is not None:
        rows["Standard error"] = number_in_words(estimate.standard_error, regression, 2)
    if report.truth is not None:
        rows["True value (known here)" if regression else "True accuracy (known here)"] = number_in_words(
            report.truth, regression, 2
        )
    note = type(session.selector).claims.note
    facts(rows.items())
    if note:
        st.caption(escape_markdown(note))


def faults(session: Session, report: LiveReport) -> None:
    """Faults by severity, their order, their confusion, and their pictures."""
    inputs = session.inputs
    rows, losses = labeled_rows(session)
    failed = inputs.task.failed(losses)
    st.subheader(f"{int(failed.sum())} faults found", anchor=False, help=explained("fault"))
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
    if inputs.confidence is None and not isinstance(inputs.task, Regression):
        st.caption("Without a confidence their severity is not known. Upload the table with a column confidence.")
    severe_faults(session, rows, failed)
    worst_faults(session, rows[failed])


def no_faults(report: LiveReport) -> None:
    """Labels, and no fault among them: what that says, and how to meet some."""
    words = (
        f"None of the {report.labeled:,} labeled inputs is wrong. Label on, or plan a session that looks for failures: a "
        "network that is nearly always right shows few in a random sample."
    )
    nothing_here(words, TO_LABEL, TO_PLAN, icon=":material/task_alt:")
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
    if isinstance(inputs.task, Regression) and len(rows):
        largest_errors(session, rows, count=GALLERY)
    if inputs.confidence is None or isinstance(inputs.task, Regression) or not len(rows):
        return
    st.markdown("**Most severe first**", help=explained("severity"))
    order = rows[np.argsort(-inputs.confidence[rows], kind="stable")][:GALLERY]
    tiles = []
    for row in order.tolist():
        predicted = prediction_in_words(inputs.task, inputs.predictions[row])
        answered = answer_in_words(inputs.task, answers[row]) or "none of them"
        words = f"said {predicted} ({percent(inputs.confidence[row], 0)}), is {answered}"
        picked = is_exploit(session.draw_of(row))
        tiles.append(Tile(session.show(row), f"{words} · exploit pick" if picked else words))
    gallery(tiles, across=ACROSS)


def exports(session: Session) -> None:
    """Files to take away; the plan and the votes give the same estimate from the terminal."""
    st.subheader("Take away", anchor=False)
    name = f"testimate-{session.session_record.id}"
    none = not session.verdicts()
    with st.container(horizontal=True):
        st.download_button(
            "Report (HTML)",
            lambda: report_html(session).encode(),
            f"{name}.html",
            "text/html",
            type="primary",
            help="One file that stands alone, with the pictures of the faults and the files to check it again.",
        )
        st.download_button(
            "Faults for retraining (CSV)",
            lambda: faults_csv(session).encode(),
            f"{name}-faults.csv",
            "text/csv",
            disabled=none,
        )
        st.download_button(
            "Votes (CSV)", lambda: votes_csv(session).encode(), f"{name}-votes.csv", "text/csv", disabled=none
        )
        st.download_button("Votes (Parquet)", lambda: votes_parquet(session), f"{name}-votes.parquet", disabled=none)
        st.download_button(
            "Plan (JSON)",
            lambda: json.dumps(plan_json(session), indent=1).encode(),
            f"{name}-plan.json",
            "application/json",
        )
        st.download_button(
            "Label Studio (JSON)",
            lambda: label_studio_json(session).encode(),
            f"{name}-label-studio.json",
            "application/json",
            disabled=none,
        )
        st.download_button(
            "Whole session",
            lambda: write_bundle(session),
            f"{name}.testimate",
            "application/zip",
            help="Reopens elsewhere: testimate sessions import FILE.",
        )
    st.caption("The estimate again, from a terminal: `testimate estimate PLAN.json VOTES.csv`")


page(show)
