"""What a lead can do with a member: pause, take inputs back, set a new password, remove; and add a new one.

What a lead writes to the testers of a session, and to everybody.
"""

from collections.abc import Callable

import streamlit as st

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.session_record import Tester
from testimate.core.words import counted
from testimate.labels.testers import LONGEST_NAME, LONGEST_PASSWORD, LONGEST_TEXT, SHORTEST_PASSWORD
from testimate.project.project import Project
from testimate.session.session import Session
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.member import has_provider


def one_member(project: Project, lead: Tester) -> None:
    """A member, chosen by name, and the actions."""
    st.subheader("One tester", anchor=False)
    names = [member.name for member in project.testers.list()]
    name = st.selectbox("Tester", names, index=None, key="member", placeholder="Choose a tester")
    if name is None:
        st.caption("Choose somebody to pause them, take their inputs back, give a new password or remove them.")
        return
    held_up = project.team.desk().held_up.get(name)
    with st.container(horizontal=True):
        if held_up is None:
            st.button(
                "Pause",
                icon=":material/pause:",
                help="No new inputs until you say so; their open inputs go to others. Late answers are kept.",
                on_click=do,
                args=(lambda: project.team.pause(name, lead.name), f"{name} is paused."),
            )
            st.button(
                "Take inputs back",
                icon=":material/undo:",
                help="For somebody who left the page open. They get new inputs as soon as they ask for them.",
                on_click=take_back,
                args=(project, name, lead),
            )
        else:
            words = (
                f"{held_up.tester} {'has paused' if held_up.kind == 'paused' else 'took the inputs back from'} {name}."
            )
            st.caption(escape_markdown(words))
            st.button(
                "Let them go on",
                icon=":material/play_arrow:",
                on_click=do,
                args=(lambda: project.team.go_on(name, lead.name), f"{name} gets inputs again."),
            )
        if not has_provider():
            with st.popover("New password", icon=":material/key:"):
                new_password(project, name)
        with st.popover("Remove", icon=":material/person_remove:", disabled=name == lead.name):
            st.caption("The answers stay. The login ends at once, in every tab.")
            st.button(
                "Remove from the team",
                on_click=do,
                args=(lambda: project.testers.remove(name), f"{name} can no longer log in; the answers stay."),
            )


def take_back(project: Project, name: str, lead: Tester) -> None:
    """Takes the inputs back, and says how many."""

    def act() -> str:
        return f"{counted(project.team.take_back(name, lead.name), 'input')} of {name} now go to others."

    done(act, "")


def new_password(project: Project, name: str) -> None:
    """The form in which a lead sets a new password for a member."""
    with st.form("new password", border=False, clear_on_submit=True):
        typed = st.text_input("Password", type="password", max_chars=LONGEST_PASSWORD, autocomplete="new-password")
        sent = st.form_submit_button("Set the password")
    if sent:
        done(lambda: project.testers.new_password(name, typed), f"{name} logs in with the new password from now on.")


def add_member(project: Project) -> None:
    """The form for a new member."""
    st.subheader("Add a tester", anchor=False)
    with st.form("add member", clear_on_submit=True):
        by_provider = has_provider()
        label = "E-mail, as the identity provider knows it" if by_provider else "Name"
        name = st.text_input(label, max_chars=LONGEST_NAME, autocomplete="off")
        password = None
        if not by_provider:
            password = st.text_input(
                "Password",
                type="password",
                max_chars=LONGEST_PASSWORD,
                autocomplete="new-password",
                help=f"At least {SHORTEST_PASSWORD} characters. Tell it to them in person; you can replace it later.",
            )
        leads = st.checkbox("Leads: sees everybody's answers, settles disputes, plans sessions")
        sent = st.form_submit_button("Add", icon=":material/person_add:")
    if sent and done(
        lambda: project.testers.add(name.strip(), password, "lead" if leads else "tester"),
        f"{name.strip()} may log in.",
    ):
        st.rerun()


def do(act: Callable[[], object], words: str) -> None:
    """As ``done``, for a button."""
    done(act, words)


def done(act: Callable[[], object], words: str) -> bool:
    """Does it and says so, with the text that ``act`` returns, or says why not; returns whether it was done."""
    try:
        found = act()
    except (BadInput, StoreUnavailable) as error:
        st.toast(escape_markdown(str(error)), icon=":material/error:", duration="long")
        return False
    st.toast(escape_markdown(found if isinstance(found, str) else words), icon=":material/check:")
    return True


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
