"""The testers of a session, and what a lead does with them: in a table, one by one, and in messages to all."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from testimate.core.errors import BadInput, StoreUnavailable, TestimateError
from testimate.core.session_record import Tester
from testimate.core.words import counted, percent, spaced
from testimate.labels.testers import LONGEST_NAME, LONGEST_PASSWORD, LONGEST_TEXT, SHORTEST_PASSWORD, TeamDesk
from testimate.project.project import Project
from testimate.project.second_looks import second_looks_at
from testimate.reports.people import ProgressOfTester, progress_of_testers
from testimate.session.next_inputs import IDLE_SECONDS
from testimate.session.session import Session
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.member import has_provider
from testimate.ui.page_head import UNKNOWN

REMOVED = "removed"
_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86_400.0


@dataclass(frozen=True)
class _Facts:
    """The data of the table; ``heard``: seconds since 1970 of each tester's last key in this process."""

    progress: Mapping[str, ProgressOfTester]
    held: Mapping[str, tuple[int, ...]]
    heard: Mapping[str, float]
    desk: TeamDesk
    now: float


def desk_table(project: Project, session: Session) -> None:
    """One line for each member, and for each removed one whose answers count."""
    session.refresh()
    progress = {one.tester: one for one in progress_of_testers(session, _second_looks(project, session))}
    now, id = time.time(), session.session_record.id
    facts = _Facts(progress, project.store.turns_held(id, now=now), session.heard(), project.team.desk(), now)
    roles = {member.name: member.role for member in project.testers.list()}
    names = [*roles, *(name for name in progress if name not in roles)]
    if not names:
        st.caption("Nobody is in the team yet.")
        return
    lines = [_line(name, roles.get(name, REMOVED), id, facts) for name in names]
    st.dataframe(pd.DataFrame(lines), hide_index=True, width="stretch", key="desk")


def _second_looks(project: Project, session: Session) -> list[Session]:
    """The sessions that looked again at this one's answers; those that cannot be opened now are left out."""
    found = []
    for record in second_looks_at(project, session.session_record.id):
        try:
            second = project.session(record.id)
            second.refresh()
        except TestimateError:
            continue
        found.append(second)
    return found


def _line(name: str, role: str, session: str, facts: _Facts) -> dict[str, str]:
    one = facts.progress.get(name)
    return {
        "Tester": name,
        "Role": role,
        "Now": _state(name, role, session, facts),
        "Answers": spaced(one.answers if one else 0),
        "Seconds each": UNKNOWN if one is None or one.seconds is None else f"{one.seconds:.1f}",
        "Last seen": last_seen(facts.heard.get(name), one.last if one else "", facts.now),
        "In hand": spaced(len(facts.held.get(name, ()))),
        "Agreement": UNKNOWN if one is None or one.agreement is None else percent(one.agreement),
        "Disputes lost": spaced(one.disputes_lost if one else 0),
        "Corrected": f"{spaced(one.corrected)} of {spaced(one.looked_again)}" if one and one.looked_again else UNKNOWN,
    }


def _state(name: str, role: str, session: str, facts: _Facts) -> str:
    held_up = facts.desk.held_up.get(name)
    if role == REMOVED:
        return "has left the team"
    if held_up is not None:
        return f"paused by {held_up.tester}" if held_up.kind == "paused" else "inputs taken back"
    if not facts.desk.may_label(name, session):
        return "labels other sessions"
    heard = facts.heard.get(name)
    return "labeling" if heard is not None and abs(facts.now - heard) <= IDLE_SECONDS else "away"


def last_seen(heard: float | None, last_answer: str, now: float) -> str:
    """When somebody pressed a key here last, or else their last answer by their own clock.

    >>> last_seen(1_000.0, "", now=1_030.0), last_seen(1_000.0, "", now=1_060.0), last_seen(None, "", now=0.0)
    ('just now', '1 minute ago', '–')
    >>> last_seen(0.0, "", now=7_300.0), last_seen(None, "2026-05-01T10:00:59Z", now=0.0)
    ('2 hours ago', '2026-05-01 10:00 UTC')
    """
    if heard is None:
        return f"{last_answer[:16].replace('T', ' ')} UTC" if last_answer else UNKNOWN
    ago = max(now - heard, 0.0)
    if ago < _MINUTE:
        return "just now"
    for unit, size, larger in (("minute", _MINUTE, _HOUR), ("hour", _HOUR, _DAY), ("day", _DAY, float("inf"))):
        if ago < larger:
            return f"{counted(int(ago // size), unit)} ago"
    return UNKNOWN


def one_member(project: Project, lead: Tester) -> None:
    """A member, chosen by name, and the actions."""
    st.subheader("One tester", anchor=False)
    names = [member.name for member in project.testers.list()]
    name = st.selectbox("Tester", names, index=None, key="member", placeholder="Choose a tester")
    if name is None:
        st.caption("Choose a tester to pause, reassign, reset the password or remove.")
        return
    held_up = project.team.desk().held_up.get(name)
    with st.container(horizontal=True):
        if held_up is None:
            st.button(
                "Pause",
                icon=":material/pause:",
                help="They get no new inputs until you resume them. Open inputs go to others. Late answers are kept.",
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
            placeholder="For example: We stop at noon. All testers see it while labeling.",
        )
        with st.container(horizontal=True):
            sent = st.form_submit_button("Send", icon=":material/campaign:")
            gone = st.form_submit_button("Remove the message", disabled=before is None)
    if sent and done(lambda: project.team.tell_all(text, lead.name), "Testers read it at their next input."):
        st.rerun()
    if gone and done(lambda: project.team.tell_all("", lead.name), "The message was removed."):
        st.rerun()
