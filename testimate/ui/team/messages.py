"""What a lead writes to the testers of a session, and to everybody."""

import streamlit as st

from testimate.core.session_record import Tester
from testimate.labels.testers import LONGEST_TEXT
from testimate.project.project import Project
from testimate.session.session import Session
from testimate.ui.team.one_member import done


def session_desk(project: Project, session: Session, lead: Tester) -> None:
    """Who labels the session, and the instructions they read."""
    id, desk = session.session_record.id, project.team.desk()
    names = [member.name for member in project.testers.list()]
    st.subheader("This session", anchor=False)
    known = [name for name in desk.assigned.get(id, ()) if name in names]
    with st.form(f"session desk {id}"):
        chosen = st.multiselect(
            "Who labels it",
            names,
            known,
            placeholder="Everybody",
            help="Others do not see it in their list. Leads see every session.",
        )
        before = desk.instructions.get(id)
        text = st.text_area(
            "Instructions",
            before.text if before else "",
            max_chars=LONGEST_TEXT,
            placeholder="What counts as what, and what to do in doubt. Testers read it beside the inputs.",
        )
        sent = st.form_submit_button("Save", icon=":material/save:")
    if not sent:
        return

    def save() -> None:
        if chosen != known:
            project.team.assign(id, chosen, lead.name)
        if text.strip() != (before.text if before else ""):
            project.team.instruct(id, text, lead.name)

    done(save, "Saved. Testers see it at their next input.")


def message_to_all(project: Project, lead: Tester) -> None:
    """The message that everybody reads on the Label page until it is removed."""
    st.subheader("To everybody", anchor=False)
    before = project.team.desk().message
    with st.form("message to all"):
        text = st.text_area(
            "Message",
            before.text if before else "",
            max_chars=LONGEST_TEXT,
            placeholder="Such as: we stop at noon. Everybody reads it on the Label page.",
        )
        with st.container(horizontal=True):
            sent = st.form_submit_button("Say it", icon=":material/campaign:")
            gone = st.form_submit_button("Remove the message", disabled=before is None)
    if sent and done(lambda: project.team.tell_all(text, lead.name), "Testers read it at their next input."):
        st.rerun()
    if gone and done(lambda: project.team.tell_all("", lead.name), "The message was removed."):
        st.rerun()
