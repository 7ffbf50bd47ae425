"""A few more labels where they help most: two buttons, each of which opens Label at once."""

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.words import counted
from testimate.planning.top_up import Purpose
from testimate.project.version_history import History, JudgedVersion
from testimate.project.version_labels import is_top_up, start_top_up
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.navigation import go
from testimate.ui.pages import LABEL
from testimate.ui.session_names import moment

FOR_DIFFERENCE, FOR_ACCURACY = 20, 10
"""Labels proposed."""


def top_ups(history: History, one: JudgedVersion) -> None:
    """Both kinds for the chosen version, and those begun before."""
    if one.reused is None or not history.plans:
        return
    st.subheader("A few more labels", anchor=False, help=explained("top-up"))
    for record in project().sessions():
        if record.subject == one.version.key and is_top_up(record):
            session = project().session(record.id)
            session.refresh()
            if not session.finished:
                with st.container(horizontal=True, vertical_alignment="center"):
                    st.markdown(
                        f"Begun {moment(record.created)}: {session.counts().done} of {session.planned} labeled.",
                        width="content",
                    )
                    if st.button("Continue", key=f"continue {record.id}", type="primary"):
                        go(LABEL, subject=record.subject, session=record.id)
    if one.before:
        left = (one.reused.differing or 0) - (one.reused.differing_labeled or 0)
        ask(
            one,
            "difference",
            f"Which is better, {one.version.name} or {one.before}? They differ on {counted(left, 'input')} without a label.",
            min(FOR_DIFFERENCE, left),
            left,
        )
    size = len(project().inputs(one.version.key)) - len(history.labels)
    ask(one, "accuracy", f"How accurate is {one.version.name}?", min(FOR_ACCURACY, size), size)


def ask(one: JudgedVersion, purpose: Purpose, question: str, count: int, most: int) -> None:
    """One kind: how many labels, and the button."""
    st.markdown(escape_markdown(question))
    if most < 2:
        st.caption("There is nothing left to label for it.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wanted = int(
            st.number_input(
                f"Labels for the {purpose}",
                2,
                most,
                max(count, 2),
                key=f"top-up {purpose} {one.version.key}",
                width=180,
            )
        )
        where = "where they differ" if purpose == "difference" else "more"
        if st.button(f"Label {wanted} {where}", icon=":material/label:", key=f"start {purpose}"):
            try:
                with st.spinner("Choosing the inputs …"):
                    session = start_top_up(project(), one.version.key, purpose, wanted)
            except TestimateError as error:
                st.error(escape_markdown(str(error)), icon=":material/error:")
                return
            go(LABEL, subject=one.version.key, session=session.session_record.id)
