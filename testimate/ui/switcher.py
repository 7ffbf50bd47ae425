"""The switcher: the one place that says and sets which test set and session every tab is about.

It is drawn on every page; its list is read only while it is open. "Reveal the truth" stands in it, and while the truth is shown
a pill beside it says so.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.session_record import SessionRecord, Tester
from testimate.core.words import commas
from testimate.planning.build import titled
from testimate.ui.components.untrusted_text import escape_markdown, shortened
from testimate.ui.current_project import project
from testimate.ui.error_messages import errors_in_words
from testimate.ui.navigation import forget, go, opened
from testimate.ui.pages import SUBJECT, Page
from testimate.ui.sessions import distinct_names
from testimate.ui.truth import hide_pill, truth_toggle

OPEN = "switcher"
"""The key of its list, and of whether that is open."""

SETS, SESSIONS = 6, 3
"""Test sets, and sessions of each, in the list until something is searched for."""

WIDTH = 330


@dataclass(frozen=True)
class TestSet:
    """A test set, or compared models, in the list: its key, its name and its sessions, the latest first."""

    key: str
    name: str
    sessions: tuple[SessionRecord, ...]


@st.fragment
@errors_in_words
def switcher(page: Page, who: Tester) -> None:
    """What is open, as a button; behind it the recent sessions by test set, and the truth."""
    with st.container(key="switcher-line", horizontal=True, horizontal_alignment="right", vertical_alignment="center"):
        if who.leads:
            hide_pill()
        listed = st.popover(escape_markdown(name_of_what_is_open()), key=OPEN, on_change="rerun", width="content")
    if not listed.open:
        return
    with listed, st.container(width=WIDTH, gap="xsmall"):
        wanted = st.text_input(
            "Find a test set or session",
            placeholder="Find a test set or session",
            label_visibility="collapsed",
            icon=":material/search:",
            max_chars=200,
        )
        found = list(matching(test_sets(who), wanted))
        for one in found:
            entry(one, page, who, shown=None if wanted else SESSIONS)
        if not found:
            st.caption("Nothing fits." if wanted else "Nothing is here yet.")
        if who.leads:
            truth_toggle(opened("subject"))
            if st.button("All test sets", icon=":material/apps:", type="tertiary"):
                forget("subject", "session")
                st.switch_page(SUBJECT.file)


def name_of_what_is_open() -> str:
    """The open test set and, where a session of it is open, when that began."""
    key, session = opened("subject"), opened("session")
    try:
        if session is not None:
            record = project().store.record(session)
            return shortened(f"{record.subject_name} · {session_words(record)}")
        names = {one.key: one.name for one in project().entries()}
    except TestimateError:  # the page itself says why
        names = {}
    return shortened(names.get(key, key)) if key else "Choose a test set"


def session_words(record: SessionRecord) -> str:
    """A session by the name it was given, else by its technique, its labels and the day it was begun."""
    given = project().session_changes.names().get(record.id)
    technique = titled(record.request.technique).rpartition("(")[2].rstrip(")")
    return given or f"{technique}, {commas(record.request.budget)}, {record.created[:10]}"


def test_sets(who: Tester) -> list[TestSet]:
    """Those with sessions that this person may open, the latest first, and for a lead the others by name."""
    desk = project().team.desk()
    grouped: dict[str, list[SessionRecord]] = {}
    for record in project().sessions():
        if who.leads or (record.votes_per_input is not None and desk.may_label(who.name, record.id)):
            grouped.setdefault(record.subject, []).append(record)
    with_sessions = [TestSet(key, records[0].subject_name, tuple(records)) for key, records in grouped.items()]
    if not who.leads:
        return with_sessions
    others = sorted(project().entries(), key=lambda one: one.demo)
    return with_sessions + [TestSet(one.key, one.name, ()) for one in others if one.key not in grouped]


def matching(known: list[TestSet], wanted: str) -> Iterator[TestSet]:
    """Those whose name, or a session's, has every word that is searched for; the first few where nothing is."""
    words = wanted.casefold().split()
    if not words:
        yield from known[:SETS]
        return
    for one in known:
        if all(word in one.name.casefold() for word in words):
            yield one
            continue
        named = [(record, f"{one.name} {session_words(record)}".casefold()) for record in one.sessions]
        fitting = tuple(record for record, name in named if all(word in name for word in words))
        if fitting:
            yield TestSet(one.key, one.name, fitting)


def entry(one: TestSet, page: Page, who: Tester, *, shown: int | None) -> None:
    """A test set and below it its sessions, each to open on the page that is shown; the open one is marked."""
    here = opened("session")
    name = escape_markdown(shortened(one.name))
    if not who.leads:
        st.caption(name)
    elif st.button(f"**{name}**", key=f"switch to {one.key}", type="tertiary", icon=tick(opened("subject") == one.key)):
        go(page, subject=one.key)
    names = distinct_names({record.id: session_words(record) for record in one.sessions})
    for record in one.sessions[:shown]:
        words = escape_markdown(shortened(names[record.id]))
        if st.button(words, key=f"switch to session {record.id}", type="tertiary", icon=tick(here == record.id)):
            go(page, subject=one.key, session=record.id)


def tick(is_open: bool) -> str | None:
    """The mark of what is open."""
    return ":material/check:" if is_open else None
