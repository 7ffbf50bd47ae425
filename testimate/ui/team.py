"""The testers of a session, and what a lead does with them: in a table, one by one, and in messages to all."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from testimate.core.errors import BadInput, StoreUnavailable, TestimateError
from testimate.core.session_record import Tester
from testimate.core.words import commas, counted, percent
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


WIDTHS = (5, 2, 2, 3, 2, 1)
"""Of the columns of the table."""

ROWS = """<style>
.st-key-team-table [data-testid="stHorizontalBlock"] { flex-wrap: nowrap; align-items: center; gap: 0.5rem; }
.st-key-team-table [data-testid="stColumn"] { min-width: 0; }
.st-key-team-table [data-testid="stColumn"]:last-child { flex: 0 0 3.6rem; }
.st-key-team-table [data-testid="stText"] { overflow-wrap: anywhere; }
@media (max-width: 640px) {
  .st-key-team-table [data-testid="stHorizontalBlock"] { flex-wrap: wrap; row-gap: 0; }
  .st-key-team-table [data-testid="stColumn"]:first-child { flex: 0 0 100%; }
}
</style>"""
"""Keeps a row of the table on one line; on a phone the name stands above its numbers."""


def desk_table(project: Project, session: Session, lead: Tester) -> None:
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
    st.html(ROWS)
    with st.container(key="team-table"):
        heads = st.columns(WIDTHS)
        for place, head in enumerate(("Tester", "Done", "Pace", "Agreement", "Open")):
            heads[place].caption(head)
        for name in names:
            _row(project, lead, _line(name, roles.get(name, REMOVED), id, facts))


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


@dataclass(frozen=True)
class _TesterLine:
    """A tester in the table, every cell in words; ``more`` : what stands behind the row's button."""

    tester: str
    role: str
    now: str
    done: str
    pace: str
    agreement: str
    open: str
    more: str


def _line(name: str, role: str, session: str, facts: _Facts) -> _TesterLine:
    one = facts.progress.get(name)
    seen = last_seen(facts.heard.get(name), one.last if one else "", facts.now)
    more = [f"Role: {role}", f"last seen: {seen}", f"disputes lost: {commas(one.disputes_lost if one else 0)}"]
    if one and one.looked_again:
        more.append(f"corrected: {commas(one.corrected)} of {commas(one.looked_again)}")
    return _TesterLine(
        name,
        role,
        _state(name, role, session, facts),
        commas(one.answers if one else 0),
        UNKNOWN if one is None or one.seconds is None else f"{one.seconds:.1f} s",
        UNKNOWN if one is None or one.agreement is None else percent(one.agreement),
        commas(len(facts.held.get(name, ()))),
        f"{', '.join(more)}.",
    )


def _row(project: Project, lead: Tester, line: _TesterLine) -> None:
    """A tester's row, with what a lead may do about them behind its button."""
    cells = st.columns(WIDTHS)
    with cells[0]:
        st.text(line.tester)
        st.caption(escape_markdown(line.now))
    for cell, words in zip(cells[1:], (line.done, line.pace, line.agreement, line.open), strict=False):
        cell.text(words)
    if line.role != REMOVED:
        with cells[-1].popover("…", help=f"More about {escape_markdown(line.tester)}"):
            st.caption(escape_markdown(line.more))
            one_member(project, line.tester, lead)


def _state(name: str, role: str, session: str, facts: _Facts) -> str:
    held_up = facts.desk.held_up.get(name)
    if role == REMOVED:
        return "has left the team"
    if held_up is not None:
        return f"paused by {held_up.tester}" if held_up.kind == "paused" else "inputs given to others"
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


def members(project: Project, lead: Tester) -> None:
    """The team where no session is open: a row for each member, without numbers."""
    st.html(ROWS)
    with st.container(key="team-table"):
        for member in project.testers.list():
            nothing = (UNKNOWN,) * 4
            _row(project, lead, _TesterLine(member.name, member.role, member.role, *nothing, f"Role: {member.role}."))


def one_member(project: Project, name: str, lead: Tester) -> None:
    """What a lead does about a member."""
    held_up = project.team.desk().held_up.get(name)
    with st.container(horizontal=True):
        if held_up is None:
            st.button(
                "Pause",
                key=f"pause {name}",
                icon=":material/pause:",
                help="They get no new inputs until you resume them. Open inputs go to others. Late answers are kept.",
                on_click=do,
                args=(lambda: project.team.pause(name, lead.name), f"{name} is paused."),
            )
            st.button(
                "Reassign open inputs",
                key=f"take back {name}",
                icon=":material/undo:",
                help="For a tester who left the page open. They get new inputs as soon as they ask for them.",
                on_click=take_back,
                args=(project, name, lead),
            )
        else:
            words = (
                f"{held_up.tester} {'has paused' if held_up.kind == 'paused' else 'took the inputs back from'} {name}."
            )
            st.caption(escape_markdown(words))
            st.button(
                "Resume",
                key=f"resume {name}",
                icon=":material/play_arrow:",
                on_click=do,
                args=(lambda: project.team.go_on(name, lead.name), f"{name} gets inputs again."),
            )
    if not has_provider():
        with st.expander("New password", icon=":material/key:"):
            new_password(project, name)
    if name != lead.name:
        with st.expander("Remove", icon=":material/person_remove:"):
            st.caption("Removes access at once, in every tab. Their answers stay.")
            st.button(
                "Remove from the team",
                key=f"remove {name}",
                on_click=do,
                args=(lambda: project.testers.remove(name), f"{name} can no longer log in. The answers stay."),
            )


def take_back(project: Project, name: str, lead: Tester) -> None:
    """Takes the inputs back, and says how many."""

    def act() -> str:
        return f"{counted(project.team.take_back(name, lead.name), 'input')} of {name} now go to others."

    done(act, "")


def new_password(project: Project, name: str) -> None:
    """The form in which a lead sets a new password for a member."""
    with st.form(f"new password {name}", border=False, clear_on_submit=True):
        typed = st.text_input("New password", type="password", max_chars=LONGEST_PASSWORD, autocomplete="new-password")
        sent = st.form_submit_button("Set the password")
    if sent:
        done(lambda: project.testers.new_password(name, typed), f"{name} logs in with the new password from now on.")


def add_member(project: Project) -> None:
    """The form for a new member, behind the page's main button."""
    with (
        st.popover("Add tester", icon=":material/person_add:", type="primary"),
        st.form("add member", clear_on_submit=True, border=False),
    ):
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
                help=f"At least {SHORTEST_PASSWORD} characters. Tell it to them in person. You can replace it later.",
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
