"""Testers' errors on the Results page: start or continue a second look at some answers, and what it corrects."""

import streamlit as st

from testimate.core.errors import BadInput, NotEnoughLabels, WrongDesign
from testimate.core.session_record import SessionRecord
from testimate.core.words import spaced
from testimate.estimators.second_look import answered_of
from testimate.project.second_looks import (
    corrections,
    first_session_of,
    is_second_look,
    second_looks_at,
    start_second_look,
)
from testimate.session.session import Session
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.navigation import go
from testimate.ui.pages import LABEL, RESULTS
from testimate.ui.session_names import moment

FEWEST, SHARE = 20, 5
"""A second look proposes a fifth of the answers, and at least this many if there are that many."""


def belongs_to_another(session: Session) -> bool:
    """If the session is a second look, says whose answers it corrects and leads there. Returns whether it is one."""
    record = session.session_record
    if not is_second_look(record):
        return False
    done = session.counts().done
    st.info(
        f"This is a second look at answers of another session, {spaced(done)} of {spaced(session.planned)} so far. It has no "
        "estimate of its own: it corrects the one of that session.",
        icon=":material/fact_check:",
    )
    with st.container(horizontal=True):
        if not session.finished and st.button("Continue", type="primary"):
            st.switch_page(LABEL.file)
        if st.button("Results of that session", type="primary" if session.finished else "secondary"):
            go(RESULTS, subject=record.subject, session=first_session_of(record))
    return True


def second_look(session: Session) -> None:
    """The section, for a session that is finished and whose answers are right or wrong."""
    if not session.finished:
        return
    try:
        count = answered_of(session.selector.design, session.verdicts()).rows.size
    except (BadInput, WrongDesign, NotEnoughLabels):
        return
    st.subheader("Are the answers right?", anchor=False)
    looks = second_looks_at(project(), session.session_record.id)
    for words in corrections(project(), session):
        st.write(escape_markdown(words))
    for record in looks:
        not_finished(record)
    why = (
        "Testers err too, and the interval does not allow for it: if 2 answers in 100 are wrong, the estimate is off by up "
        "to 2 points. Look again at some answers, drawn for this purpose and shown without the first answer; the estimate is "
        "then corrected for the errors in all of them."
    )
    with st.expander("Look at some answers again", expanded=not looks, icon=":material/fact_check:"):
        st.caption(why)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            few = min(count, max(FEWEST, round(count / SHARE)))
            wanted = st.number_input(
                "Answers to look at again", 1, count, few, key=f"second looks {session.session_record.id}", width=220
            )
            if st.button(f"Look at {spaced(int(wanted))} again", icon=":material/fact_check:"):
                second = start_second_look(project(), session, int(wanted))
                go(LABEL, subject=second.session_record.subject, session=second.session_record.id)


def not_finished(record: SessionRecord) -> None:
    """The progress of a second look, and a button to continue it; nothing if it is finished."""
    second = project().session(record.id)
    second.refresh()
    if second.finished:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        done = f"{spaced(second.counts().done)} of {spaced(second.planned)}"
        st.markdown(f"Begun {moment(record.created)}: {done} looked at again.", width="content")
        if st.button("Continue", key=f"continue {record.id}"):
            go(LABEL, subject=record.subject, session=record.id)
