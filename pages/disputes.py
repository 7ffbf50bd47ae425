"""Disputes: inputs on which the testers do not agree, and the lead's decision on each."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

import streamlit as st

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.session_record import REOPENS, Event, EventKind, Tester
from testimate.core.stored_record import time_now
from testimate.core.words import commas, counted
from testimate.session.session import Session, ballots_of
from testimate.ui.components.answer_widgets import box_answer, criteria_answer, member_words, members, outside_name
from testimate.ui.components.shown_input import shown_input
from testimate.ui.components.untrusted_text import LETTERS, escape_markdown, shortened
from testimate.ui.current_project import project
from testimate.ui.error_messages import errors_in_words
from testimate.ui.member import is_here, present_member
from testimate.ui.navigation import go, opened_session, sessions_in_dispute
from testimate.ui.page_head import nothing_here, page_head
from testimate.ui.pages import DISPUTES, PLAN, RESULTS
from testimate.ui.sessions import moment, session_name
from testimate.ui.shell import run_page

AT_ONCE = 6
"""Disputes on the page at a time."""

EVERY = 5.0
"""Seconds between two looks at what testers and other leads said."""

MOST_SETTLED = 50
"""Settled ones in the list."""


def show() -> None:
    """The page."""
    page_head(DISPUTES)
    session = opened_session()
    if session is None:
        elsewhere(None)
        words = "No labeling session is open. Plan one, then your team can label it."
        nothing_here(words, PLAN, icon=":material/gavel:")
        return
    st.caption(escape_markdown(session_name(session.session_record, project().session_changes.names(), subject=True)))
    testers_per_input = session.session_record.votes_per_input
    if testers_per_input is None:
        words = "This session is labeled by one person: the latest answer stands and nothing is disputed."
        nothing_here(words, PLAN, icon=":material/gavel:")
        return
    session.refresh()
    waiting = elsewhere(session)
    disputes(session, testers_per_input, present_member(), waiting)


def elsewhere(here: Session | None) -> int:
    """Ways to the other sessions in which disputes wait; returns how many wait in all sessions."""
    found = sessions_in_dispute()
    for session, count in found.items():
        record = session.session_record
        if here is not None and record.id == here.session_record.id:
            continue
        name = session_name(record, project().session_changes.names(), subject=True)
        words = f"{counted(count, 'dispute')} in {name}"
        if st.button(escape_markdown(words), key=f"disputes of {record.id}", icon=":material/arrow_forward:"):
            go(DISPUTES, subject=record.subject, session=record.id)
    return sum(found.values())


@st.fragment(run_every=EVERY)
@errors_in_words
def disputes(session: Session, testers_per_input: int, lead: Tester, waiting: int) -> None:
    """What is open, and what was settled; looked up again by itself, because testers and other leads go on meanwhile.

    ``waiting`` : disputes of all sessions, as the page's steps show them.
    """
    if not is_here(lead) or sum(sessions_in_dispute().values()) != waiting:
        st.rerun()
    session.refresh()
    rows = session.disputed()
    settled = session.adjudicated()
    left, middle, right = st.columns(3)
    left.metric("Disputed", len(rows), help=f"{testers_per_input} testers answered, without a majority.")
    middle.metric("Settled by a lead", len(settled))
    right.metric(
        "Wait for more testers", session.pending(), help=f"Inputs with fewer than {testers_per_input} answers so far."
    )
    if not rows:
        words = "No disputes. Inputs your testers disagree on will appear here."
        nothing_here(words, RESULTS, icon=":material/check_circle:")
    for place, row in enumerate(rows[:AT_ONCE]):
        dispute(session, row, lead, keys=not place)
    if len(rows) > AT_ONCE:
        st.caption(f"{commas(len(rows) - AT_ONCE)} more follow.")
    if settled:
        settled_ones(session, lead)


def settled_ones(session: Session, lead: Tester) -> None:
    """What leads decided, who and when, the latest first; any lead may open it again."""
    words = [(row, word) for row, ballot in ballots_of(session).items() if (word := ballot.adjudication) is not None]
    words.sort(key=lambda one: one[1].at, reverse=True)
    with st.expander(f"Settled: {commas(len(words))}", icon=":material/gavel:", key="settled"):
        for row, word in words[:MOST_SETTLED]:
            with st.container(horizontal=True, vertical_alignment="center"):
                answer = "nobody can tell" if word.answer is None else session.inputs.task.answer_text(word.answer)
                st.text(f"Input {commas(row)}: {answer}, by {word.tester}, {moment(word.at)}")
                st.button(
                    "Reopen",
                    key=f"reopen {row}",
                    help="The input is disputed again. The decision stays in the history.",
                    on_click=reopen,
                    args=(session, row, lead),
                )
        if len(words) > MOST_SETTLED:
            st.caption(f"{commas(len(words) - MOST_SETTLED)} earlier ones are in the report.")


def dispute(session: Session, row: int, lead: Tester, *, keys: bool) -> None:
    """One input: what the testers said, as buttons that decide, and any other answer; ``keys`` : whether keys press them."""
    with st.container(border=True):
        picture, said, word = st.columns([2, 3, 3], gap="medium")
        with picture:
            shown_input(session.show(row), size=180)
        with said:
            name = session.inputs.name_of(row)
            st.markdown(f"**Input {commas(row)}**", help=f"Its file: {escape_markdown(name)}" if name else None)
            testers_answers(session, row, lead, keys=keys)
        with word:
            answer = asked(session, row)
            with st.container(horizontal=True):
                st.button(
                    "This is the answer",
                    key=f"settle {row}",
                    disabled=answer is None,
                    on_click=adjudicate,
                    args=(session, row, answer, lead),
                )
                with st.popover("Nobody can tell", key=f"may be nobody {row}"):
                    st.caption("Leaves the input unanswered. The interval stays wider.")
                    st.button(
                        "Nobody can tell",
                        key=f"nobody {row}",
                        on_click=adjudicate,
                        args=(session, row, None, lead),
                    )


def testers_answers(session: Session, row: int, lead: Tester, *, keys: bool) -> None:
    """A button for each answer, with who gave it, the commonest first; a tester who could not tell has only a line."""
    task, who = session.inputs.task, defaultdict[str, list[str]](list)
    answers = {}
    for tester, answer in session.votes()[row].items():
        words = "can't tell" if answer is None else task.answer_text(answer)
        who[words].append(tester)
        answers[words] = answer
    order = sorted(who, key=lambda words: (answers[words] is None, -len(who[words])))
    with st.container(horizontal=True):
        for place, words in enumerate(order, start=1):
            said = f"{', '.join(who[words])}: {words}"
            if answers[words] is None:
                st.text(said)
                continue
            st.button(
                escape_markdown(shortened(said)),
                key=f"says {row} {place}",
                help=escape_markdown(said) if len(said) > LETTERS else None,
                shortcut=str(place) if keys else None,
                on_click=adjudicate,
                args=(session, row, answers[words], lead),
            )


def asked(session: Session, row: int) -> Any:
    """The lead's own answer in the form the task takes; None while there is none."""
    task = session.inputs.task
    if task.one_choice:
        said = dict.fromkeys(place for place in session.votes()[row].values() if place is not None)
        one = st.selectbox(
            "Another answer",
            [*said, *(place for place in members(task) if place not in said)],
            index=None,
            format_func=member_words(task),
            key=f"answer {row}",
            placeholder="Choose the grade" if task.graded else "Choose the class",
        )
        return outside_name(task, f"outside {row}") if one == "" else one
    if task.several:
        chosen = st.multiselect(
            "Answer",
            members(task),
            format_func=member_words(task),
            key=f"answer {row}",
            placeholder="Choose the classes",
        )
        none = st.checkbox("None of them", key=f"none {row}")
        named = [outside_name(task, f"outside {row}") if one == "" else one for one in chosen]
        return named if named or none else None
    if task.criteria:
        return criteria_answer(task, key=f"answer {row}")
    if task.boxed:
        found = box_answer(task, session.show(row).boxes, key=f"answer {row}")
        return found if found or st.checkbox("All right, nothing missed", key=f"none {row}") else None
    typed = st.text_input("Answer", key=f"answer {row}")
    try:
        return task.entered_answer(typed) if typed.strip() else None
    except BadInput as error:
        st.error(escape_markdown(str(error)))
        return None


def adjudicate(session: Session, row: int, answer: Any, lead: Tester) -> None:
    """Stores the lead's decision, unless another lead was first: then says so."""

    def settle() -> None:
        session.refresh()
        if row not in session.disputed():
            first = session.adjudicated().get(row)
            settled = f"{first} has settled" if first else "The testers have settled"
            raise BadInput(
                f"{settled} input {commas(row)} already, and that decision stands. See the list of settled inputs."
            )
        say(session, row, "adjudication", lead, answer)

    attempt(settle)


def reopen(session: Session, row: int, lead: Tester) -> None:
    """Takes a lead's decision back, whoever made it, unless another lead was first."""

    def take_back() -> None:
        session.refresh()
        if row not in session.adjudicated():
            raise BadInput(f"Input {commas(row)} was reopened already. See above.")
        say(session, row, "undo", lead, detail={REOPENS: True})

    attempt(take_back)


def attempt(act: Callable[[], None]) -> None:
    """Does it, or shows in a sentence why it cannot be done."""
    try:
        act()
    except (BadInput, StoreUnavailable) as error:
        st.toast(escape_markdown(str(error)), icon=":material/error:")


def say(
    session: Session,
    row: int,
    kind: EventKind,
    lead: Tester,
    answer: Any = None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Stores what the lead says about a row; BadInput where it is refused; does nothing where the lead is no longer here."""
    if not is_here(lead):
        return  # the part of the page that runs next asks for the login
    word = Event(str(uuid4()), kind, row, lead.name, time_now("milliseconds"), answer=answer, detail=detail or {})
    for why in session.record([word], lead=lead.leads).refused.values():
        raise BadInput(why)


run_page(DISPUTES, show)
