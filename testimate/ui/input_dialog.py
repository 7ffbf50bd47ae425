"""A close look at one input: large, with all that is known about it, and a label that explores and never enters an estimate."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import uuid4

import streamlit as st

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.inputs import Inputs
from testimate.core.session_record import Event
from testimate.core.subject import Subject
from testimate.core.words import percent, spaced
from testimate.session.session import Session
from testimate.ui.components.box_answer import box_answer
from testimate.ui.components.shown_input import picture_width, shown_input
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.explanation import explanation
from testimate.ui.member import present_member
from testimate.ui.pages import PLAN

ROW = "closer look"
REFUSED = "exploration refused"
SIDE, WORDS = 280, 420
"""Width in pixels of a square picture, and of the text beside it."""
FEW = 12
"""Up to that many classes each has a button of its own."""


def look_closer(row: int) -> None:
    """Asks for a close look at the row; ``closer_look_if_asked`` opens it."""
    st.session_state[ROW] = row


def closer_look_if_asked(
    subject: Subject, inputs: Inputs, session: Session | None, why: Mapping[int, Sequence[str]]
) -> None:
    """Opens the dialog if an input was picked; ``why`` gives the reason why each row is shown."""
    row = st.session_state.pop(ROW, None)
    if row is not None:
        closer_look(row, subject, inputs, session, why.get(row, ()))


@st.dialog("A closer look", width="medium")
def closer_look(row: int, subject: Subject, inputs: Inputs, session: Session | None, why: Sequence[str]) -> None:
    """The dialog on one input: what it is, what the network says, why, and a field to say what is in it."""
    shown = subject.dataset.show(row)
    width = picture_width(shown, SIDE)
    left, right = st.columns([width, WORDS], gap="large")
    with left:
        shown_input(shown, size=width)
    with right:
        st.markdown(f"**Input {spaced(row)}**")
        if inputs.name_of(row):
            st.caption(escape_markdown(inputs.name_of(row)))
        st.markdown(escape_markdown(said_in_full(row, inputs)))
        for line in why:
            st.caption(escape_markdown(line[:1].upper() + line[1:]))
        st.divider()
        explore(row, inputs, session)
    explanation(row, subject, inputs, session, shown_again=partial(look_closer, row))


def said_in_full(row: int, inputs: Inputs) -> str:
    """What the network predicts for an input, and the truth where it is known."""
    task = inputs.task
    words = f"The network says {task.prediction_text(inputs.predictions[row])}"
    if inputs.confidence is not None:
        words += f", {percent(inputs.confidence[row])} sure"
    if inputs.losses is not None and inputs.truth is not None:
        failed = bool(task.failed(inputs.losses[row : row + 1])[0])
        words += f"; the truth, known here, is {task.truth_text(inputs.truth[row])}: {'wrong' if failed else 'right'}"
    return words + "."


def explore(row: int, inputs: Inputs, session: Session | None) -> None:
    """A label for an input that the tester picked."""
    if session is None:
        st.caption("To label what you find here, plan a session first; labels are kept in a session.")
        if st.button("Go to Plan"):
            st.switch_page(PLAN.file)
        return
    planned, explored = session.answers(), session.explored()
    if row in planned:
        st.markdown(escape_markdown(f"Labeled in the session: {inputs.task.answer_text(planned[row])}."))
        return
    if row in explored:
        st.markdown(escape_markdown(f"Labeled while exploring: {inputs.task.answer_text(explored[row])}."))
    ask(row, inputs, session)
    refused = st.session_state.pop(REFUSED, "")
    if refused:
        st.error(escape_markdown(refused), icon=":material/error:")
    st.caption(
        "Kept in the session as exploration. You picked this input, not chance, so it never counts in the estimate."
    )


def ask(row: int, inputs: Inputs, session: Session) -> None:
    """Shows buttons or a form for the answer."""
    task, name = inputs.task, f"explore {row}"

    def keep(answer: Any = None) -> None:
        given = st.session_state[name] if answer is None else answer
        try:
            given = task.entered_answer(given) if isinstance(given, str) else given
        except BadInput as error:
            st.session_state[REFUSED] = str(error)
            return
        if given is not None:
            st.session_state[REFUSED] = record(session, row, given)

    if task.one_choice and len(task.classes) <= FEW:
        st.markdown("What is it?")
        with st.container(horizontal=True, gap="small"):
            for place, label in enumerate(task.classes):
                st.button(escape_markdown(label), key=f"{name} {place}", on_click=keep, args=(place,))
        return
    if task.boxed:
        found = box_answer(task, session.show(row).boxes, key=name)
        st.button("Keep the label", key=f"{name} keep", on_click=keep, args=(found,))
        return
    with st.form(f"form {name}", border=False):
        if task.one_choice:
            places = range(len(task.classes))
            st.selectbox("What is it?", places, None, format_func=lambda place: task.classes[place], key=name)
        elif task.several:
            places = range(len(task.classes))
            st.multiselect("What is in it?", places, format_func=lambda place: task.classes[place], key=name)
        elif not task.numeric:
            st.text_input("The right answer", key=name)
        else:
            unit = f" ({task.unit})" if task.unit else ""
            st.number_input(f"The right value{unit}", value=None, format="%g", key=name)
        st.form_submit_button("Keep the label", on_click=keep)


def record(session: Session, row: int, answer: Any) -> str:
    """Stores the label in the exploration stream; returns the sentence that says why it was refused, if it was."""
    event = Event(
        id=str(uuid4()),
        kind="answer",
        row=row,
        tester=present_member().name,
        at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        answer=answer,
        stream="exploration",
        detail={"prediction_seen": True},
    )
    try:
        return next(iter(session.record([event]).refused.values()), "")
    except StoreUnavailable as error:
        return str(error)
