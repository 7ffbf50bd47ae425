"""The estimate on the Results page: in words, as it came label by label, helped by a model, and what it rests on."""

import streamlit as st

from testimate.core.errors import NotEnoughLabels
from testimate.planning.assisted_estimate import MODELS, assisted_estimate, assisting, why_unassisted
from testimate.planning.honest_interval import with_honest_interval
from testimate.planning.interval_method import computed_anew
from testimate.reports.live import LiveReport
from testimate.reports.words import skipped_words, whenever_words
from testimate.session.session import Session
from testimate.ui.components.fact_list import facts
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.estimate_chart import estimate_chart
from testimate.ui.session_names import moment
from testimate.ui.technique_words import technique_term


def in_words(session: Session, report: LiveReport) -> None:
    """The estimate as a sentence, and what qualifies it."""
    words, estimate = report.words[:1].upper() + report.words[1:], report.estimate
    st.markdown(f"#### {escape_markdown(words)}")
    why = "" if estimate is None else estimate.why
    measure = session.inputs.task.measure
    anew = computed_anew(session.session_record.interval_method, estimate, "session")
    for more in (why, whenever_words(session, estimate, report.errors), skipped_words(estimate, measure), anew):
        if more:
            st.write(escape_markdown(more))


def accuracy(session: Session, report: LiveReport) -> None:
    """The running estimate, with the truth where it is known."""
    chosen = not session.selector.design.at_random
    what = session.inputs.task.measure.title
    watched = explained(
        "stop-safe interval", "The light band; the dark one holds at a number of labels fixed in advance."
    )
    of = f"{what} of the chosen" if chosen else what
    st.subheader(f"{of} as the labels came", anchor=False, help=explained("accuracy") if chosen else watched)
    figure = estimate_chart(session, report, truth=report.truth)
    st.plotly_chart(figure, theme=None, alt=report.words)


def assisted(session: Session, report: LiveReport) -> None:
    """The estimate helped by a model of the losses, where one asks for it; the plain one stays the one above."""
    inputs, plain = session.inputs, report.estimate
    with st.expander("Let the network's own scores help the estimate", icon=":material/function:"):
        models = assisting(inputs, session.selector.design)
        if plain is None or not models:
            why = why_unassisted(inputs, session.selector.design)
            st.caption(escape_markdown(why or "There is no estimate yet that could be helped. Label more inputs."))
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
        technique, design = session.session_record.request.technique, session.selector.design
        measure, found = inputs.task.measure, with_honest_interval(helped.estimate, technique, design)
        said = measure.value(found.accuracy)
        if found.low is not None and found.high is not None:
            said += f", between {' and '.join(measure.ends(found.low, found.high))}"
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
    measure = session.inputs.task.measure
    if report.exploit:
        rows["Exploit picks, thought to fail"] = f"{report.exploit:,}, of which {report.exploit_failures:,} did"
        rows["Drawn at random"] = f"{report.labeled - report.exploit:,}; they alone speak for the rest"
    if estimate is not None and estimate.standard_error is not None:
        rows["Standard error"] = measure.difference(estimate.standard_error, 2)
    if report.truth is not None:
        rows[f"{measure.true_noun.capitalize()} (known here)"] = measure.value(report.truth, 2)
    note = type(session.selector).claims.note
    facts(rows.items())
    if note:
        st.caption(escape_markdown(note))
