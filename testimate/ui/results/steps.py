"""A sample for several models on the Results page: a row for each of them.

The reveal as a step of its own: first the estimate alone, then the truth beside it.

A top-up on the Results page: its result is on Versions.
"""

import streamlit as st

from testimate.core.words import percent, spaced
from testimate.planning.estimate import counting_ends
from testimate.project.version_history import history_of
from testimate.project.version_labels import is_top_up, shared_models
from testimate.reports.live import LiveReport
from testimate.reports.version_words import labels_of_plans, row_of
from testimate.session.session import Session
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.navigation import go
from testimate.ui.page_head import UNKNOWN
from testimate.ui.pages import LABEL, VERSIONS
from testimate.ui.truth import reveal, truth_revealed


def each_model(session: Session) -> None:
    """The models that the sample is for, each with its accuracy; nothing if it is for one."""
    record = session.session_record
    models = shared_models(record)
    if not models:
        return
    st.subheader("Each model", anchor=False)
    with st.spinner("Judging each model …"):
        history = history_of(project(), record.subject, only=models, level=record.level)
    if len(history.plans) > 1:
        st.caption(
            f"Judged by all {labels_of_plans(history)} that these inputs have; what stands above rests on this session's alone."
        )
    st.dataframe([row_of(one) for one in history.versions], hide_index=True, placeholder=UNKNOWN)
    for one in history.versions:
        if one.why:
            st.caption(escape_markdown(f"{one.version.name}: {one.why}"))
    st.caption(
        "These estimates also use the models' predictions, so the tested one may differ slightly from above. The best "
        "of several on the same labels looks better than it is."
    )
    if st.button("Compare them on Versions"):
        go(VERSIONS, subject=record.subject)


def reveal_card(session: Session, report: LiveReport) -> None:
    """Where the right answers are known: the button that shows the truth, then whether the interval that counts holds it.

    Nothing for plans without such an interval, such as a list or part of a selection, which do not estimate the whole
    set.
    """
    estimate, truth = report.estimate, session.inputs.known_accuracy
    ends = None if estimate is None else counting_ends(estimate, report.headline)
    if estimate is None or ends is None or truth is None or not session.inputs.task.measure.is_share:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="reveal-card"):
        if not truth_revealed():
            st.markdown(
                "The right answers of all inputs are known here. Commit to your estimate first.", width="stretch"
            )
            st.button("Reveal the truth", icon=":material/visibility:", key="reveal now", on_click=reveal, args=(True,))
            return
        where = "inside" if ends[0] <= truth <= ends[1] else "outside"
        missing = f"{100 * (1 - session.session_record.level):g} of 100 sessions"
        seldom = f"ever miss in at most {missing}" if report.headline == "always" else f"miss in about {missing}"
        st.markdown(
            f"**The truth is {percent(truth)}, {where} the interval.** The estimate is "
            f"{100 * abs(estimate.accuracy - truth):.1f} points off. Such intervals {seldom}: a class that labels with "
            "different seeds can count them.",
            width="stretch",
        )


def belongs_to_versions(session: Session) -> bool:
    """If the session is a top-up, says so and leads to Versions. Returns whether it is one."""
    record = session.session_record
    if not is_top_up(record):
        return False
    st.info(
        f"These are a few more labels for versions of a model, {spaced(session.counts().done)} of {spaced(session.planned)} so "
        "far. They have no estimate of their own: with the labels before them they judge the versions.",
        icon=":material/history:",
    )
    with st.container(horizontal=True):
        if not session.finished and st.button("Continue", type="primary"):
            st.switch_page(LABEL.file)
        if st.button("Versions", type="primary" if session.finished else "secondary"):
            go(VERSIONS, subject=record.subject)
    return True
