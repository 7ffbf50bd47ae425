"""The sessions begun, on the first screen: continue, name, delete and restore; the latest few at first, all on request."""

from datetime import UTC, datetime
from typing import Literal

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.session_record import SessionRecord
from testimate.core.words import commas, counted
from testimate.demos.catalog import find_demo
from testimate.labels.notes import LONGEST_SESSION_NAME
from testimate.labels.sql_store import HowFar
from testimate.planning.build import titled
from testimate.project.deleted import (
    DeletedSession,
    delete_session,
    deleted_sessions,
    name_session,
    put_back,
    remove_overdue,
)
from testimate.ui.appearance import lecturing
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.error_messages import errors_in_words, say
from testimate.ui.member import present_member
from testimate.ui.navigation import forget, go, opened
from testimate.ui.pages import LABEL, RESULTS
from testimate.ui.sessions import kept_picture, moment, session_name

LATEST, ON_A_PAGE = 5, 20
"""Sessions that the first screen shows, and those on a page of all of them."""

BUTTON, BUTTON_IN_LARGE_TYPE = 120, 168
"""Pixels of a row's button, so that pictures and names stand below each other; the second ones in projector mode."""

SUBJECT_LETTERS = 60
"""Most characters of a subject's name below a session's own."""

PARAMETER, ALL = "sessions", "all"
"""``sessions=all`` in the address opens the list of all of them, so that the browser's Back leaves it."""


def sessions_begun(sessions: list[SessionRecord]) -> None:
    """The sessions begun, the latest first, which most people come back for; then the deleted ones that can be restored."""
    remove_overdue(project(), datetime.now(UTC))
    if sessions:
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.subheader("Continue labeling", anchor=False, width="content")
            if len(sessions) > LATEST and st.button(
                f"All {counted(len(sessions), 'session')}", key="all sessions", type="tertiary", icon=":material/list:"
            ):
                st.query_params[PARAMETER] = ALL
                st.rerun()
        rows(sessions[:LATEST], primary=True)
    deleted()


def all_sessions(sessions: list[SessionRecord]) -> None:
    """Every session, by page, with a field that finds one by any of its words."""
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.header("Sessions", anchor=False)
        if st.button("First screen", icon=":material/arrow_back:"):
            st.query_params.pop(PARAMETER, None)
            st.rerun()
    wanted = st.text_input(
        "Find a session", placeholder="name, test set, technique or date", icon=":material/search:", max_chars=200
    )
    names = project().session_changes.names()
    found = [record for record in sessions if is_meant(wanted, session_name(record, names, subject=True))]
    pages = max(1, -(-len(found) // ON_A_PAGE))
    place = min(st.session_state.get("page of sessions", 0), pages - 1)
    if not found:
        st.info(
            escape_markdown(f"No sessions match “{wanted}”.") if sessions else "No sessions in this project yet.",
            icon=":material/search_off:",
        )
    else:
        rows(found[place * ON_A_PAGE : (place + 1) * ON_A_PAGE], primary=False)
    if pages > 1:
        with st.container(horizontal=True, vertical_alignment="center"):
            turn("Newer", place - 1, pages, ":material/chevron_left:")
            first, last = place * ON_A_PAGE + 1, min(len(found), (place + 1) * ON_A_PAGE)
            st.text(f"{commas(first)} to {commas(last)} of {commas(len(found))}", width="content")
            turn("Older", place + 1, pages, ":material/chevron_right:")
    deleted()


def turn(label: str, to: int, pages: int, icon: str) -> None:
    """A button to another page of the list."""
    there = 0 <= to < pages
    if st.button(label, key=f"sessions {label}", icon=icon, disabled=not there):
        st.session_state["page of sessions"] = to
        st.rerun()


def is_meant(wanted: str, name: str) -> bool:
    """Whether every typed word is in the session's name.

    >>> is_meant("night RRA", "The night shift · Adaptive rounds (rra)"), is_meant("day", "The night shift")
    (True, False)
    """
    return all(word in name.casefold() for word in wanted.casefold().split())


def rows(records: list[SessionRecord], *, primary: bool) -> None:
    """The sessions, a row each; ``primary`` : whether the first one that is not done is what a visitor is to go on with."""
    how_far, names = project().store.how_far(), project().session_changes.names()
    there = {entry.key for entry in project().entries()}
    open_ones = [record.id for record in records if answered(record, how_far.get(record.id)) < record.request.budget]
    first = (open_ones or [record.id for record in records])[0]
    with st.container(border=True, gap="small", key="begun"):
        for record in records:
            is_there = record.subject in there or find_demo(record.subject) is not None
            session_row(
                record,
                names.get(record.id, ""),
                how_far.get(record.id),
                is_there=is_there,
                first=primary and record.id == first,
            )


def answered(record: SessionRecord, reached: HowFar | None) -> int:
    """How many of the inputs planned have an answer."""
    return 0 if reached is None else min(reached.answered, record.request.budget)


def session_row(record: SessionRecord, name: str, reached: HowFar | None, *, is_there: bool, first: bool) -> None:
    """One session: a few of its inputs, its name, how far it is, and when somebody answered last.

    ``is_there`` : whether its subject is in this project.
    """
    budget, settled = record.request.budget, answered(record, reached)
    done = settled >= budget
    kind: Literal["primary", "secondary"] = "primary" if first else "secondary"
    picture = kept_picture(project(), record.id)
    with st.container(horizontal=True, vertical_alignment="center", key=f"row {record.id}"):
        with st.container(width=BUTTON_IN_LARGE_TYPE if lecturing() else BUTTON):
            if st.button(
                "Results" if done else "Continue",
                key=f"session {record.id}",
                icon=":material/monitoring:" if done else ":material/resume:",
                type=kind,
                help=None
                if is_there
                else "Its test set is no longer in this project. Open the session to see how to restore it.",
            ):
                go(RESULTS if done else LABEL, subject=record.subject, session=record.id)
        with st.container(width=208, key=f"picture {record.id}"):
            if picture.picture:
                st.image(picture.picture, alt=f"A few inputs of {record.subject_name}")
            elif picture.words:
                st.caption(escape_markdown(picture.words))
            else:
                st.html('<div class="no-picture"></div>')  # so that the names of a list stand below each other
        with st.container(width="stretch", gap=None, key=f"name {record.id}"):
            st.markdown(f"**{escape_markdown(name or record.subject_name)}**")
            subject = record.subject_name
            about = [subject if len(subject) <= SUBJECT_LETTERS else f"{subject[:SUBJECT_LETTERS]}…"] if name else []
            about += [titled(record.request.technique)]
            about += ["nothing answered yet" if reached is None else f"last answer {moment(reached.last)}"]
            if not is_there:
                about += ["its test set is no longer in this project"]
            st.caption(escape_markdown(" · ".join(about)))
        with st.container(width=200):
            st.progress(settled / budget, f"{commas(settled)} of {commas(budget)}")
        if present_member().leads:
            with st.container(width=112):
                session_menu(record, name)


@st.fragment
@errors_in_words
def session_menu(record: SessionRecord, name: str) -> None:
    """Name it or delete it; drawn only while it is open, so that a list of sessions stays quick."""
    menu = st.popover("More", icon=":material/more_horiz:", type="tertiary", key=f"menu {record.id}", on_change="rerun")
    if not menu.open:
        return
    with menu, st.container(width=340):
        rename(record, name)
        delete(record, name)


def rename(record: SessionRecord, name: str) -> None:
    """Renames the session; an empty name restores the subject's."""
    with st.form(f"rename {record.id}", border=False):
        new = st.text_input(
            "Name of the session",
            name,
            placeholder=record.subject_name[:80],
            help=f"At most {LONGEST_SESSION_NAME} characters. Without one it has the name of its test set.",
        )
        if st.form_submit_button("Rename", icon=":material/edit:"):
            try:
                name_session(project(), record.id, new, present_member().name)
            except TestimateError as error:
                say(error)
                return
            st.rerun(scope="app")


def delete(record: SessionRecord, name: str) -> None:
    """Deletes it after a confirmation; it can be restored for 30 days."""
    asked = f"asked to delete {record.id}"
    if not st.session_state.get(asked):
        if st.button("Delete …", key=f"ask {record.id}", icon=":material/delete:"):
            st.session_state[asked] = True
            st.rerun(scope="fragment")
        return
    st.markdown(f"Delete **{escape_markdown(name or record.subject_name)}**?")
    st.caption("Removes the session from every list. You can restore it, with all answers, for 30 days.")
    labels_too = st.checkbox(
        "Forget its labels, too",
        key=f"labels too {record.id}",
        help="Leave this off to keep the labels for other versions of the model on the same inputs. Restoring the session "
        "restores its labels.",
    )
    with st.container(horizontal=True):
        if st.button("Delete the session", key=f"delete {record.id}", type="primary"):
            delete_session(project(), record.id, present_member().name, labels_too=labels_too)
            st.session_state.pop(asked)
            if opened("session") == record.id:
                forget("session")
            st.toast("Session deleted. Restore it within 30 days under Deleted sessions.", icon=":material/delete:")
            st.rerun(scope="app")
        if st.button("Keep it", key=f"keep {record.id}"):
            st.session_state.pop(asked)
            st.rerun(scope="fragment")


def deleted() -> None:
    """The sessions that can still be restored; nothing if there are none, or for testers."""
    gone = deleted_sessions(project()) if present_member().leads else []
    if not gone:
        return
    names = project().session_changes.names()
    with st.expander(f"Deleted sessions ({commas(len(gone))})", icon=":material/delete:"):
        for one in gone[:ON_A_PAGE]:
            deleted_row(one, names)
        if len(gone) > ON_A_PAGE:
            st.caption(f"The latest {ON_A_PAGE} of {commas(len(gone))}; earlier ones appear as you restore these.")


def deleted_row(one: DeletedSession, names: dict[str, str]) -> None:
    """A session that can be restored, and until when."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Restore", key=f"put back {one.record.id}", icon=":material/undo:"):
            put_back(project(), one.record.id, present_member().name)
            st.rerun()
        st.text(session_name(one.record, names, subject=True), width="stretch")
        st.caption(f"until {one.deletion.kept_until:%Y-%m-%d}", width="content")
