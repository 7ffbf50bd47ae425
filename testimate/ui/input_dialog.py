"""A close look at one input: large, with all that is known about it, and a label that explores and never enters an estimate.

``explanation`` shows why the network predicted this: where it looked, what would have changed its answer, and similar
inputs.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import uuid4

import streamlit as st

from testimate.charts.pictures import heat_picture
from testimate.core.class_index import UNKNOWN
from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress
from testimate.core.session_record import Event
from testimate.core.stored_record import time_now
from testimate.core.subject import Subject
from testimate.core.words import commas, percent
from testimate.project.cluster_review import distances_to, nearest_prototype, neighbors
from testimate.project.cluster_settings import suited_settings
from testimate.reports.explained_words import enough_words, strongest_parts
from testimate.session.session import Session
from testimate.subjects.occlusion import Explained, explain
from testimate.ui.components.answer_widgets import box_answer, criteria_answer, member_words, members
from testimate.ui.components.shown_input import Tile, gallery, picture_width, shown_input
from testimate.ui.components.terms import layer_words
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.error_messages import errors_in_words
from testimate.ui.job_progress import EVERY, how_far, running, show_unfinished, start_over
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
        st.markdown(f"**Input {commas(row)}**")
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
    words = f"The model predicts {task.prediction_text(inputs.predictions[row])}"
    if inputs.confidence is not None:
        words += f", {percent(inputs.confidence[row])} sure"
    if inputs.losses is not None and inputs.truth is not None:
        failed = bool(task.failed(inputs.losses[row : row + 1])[0])
        words += f". The truth, known here, is {task.truth_text(inputs.truth[row])}: {'wrong' if failed else 'right'}"
    return words + "."


def explore(row: int, inputs: Inputs, session: Session | None) -> None:
    """A label for an input that the tester picked."""
    if session is None:
        st.caption("To label what you find here, start a session first.")
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
    st.caption("Saved as exploration. You picked this input yourself, so it never counts in the estimate.")


def ask(row: int, inputs: Inputs, session: Session) -> None:
    """Shows buttons or a form for the answer."""
    task, name = inputs.task, f"explore {row}"

    def keep(answer: Any = None) -> None:
        given = st.session_state[name] if answer is None else answer
        try:
            given = task.entered_answer(given) if isinstance(given, str) and not task.by_name else given
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
            if task.outside:
                st.button(task.outside.capitalize(), key=f"{name} outside", on_click=keep, args=("",))
        return
    if task.boxed or task.criteria:
        found = (
            criteria_answer(task, key=name) if task.criteria else box_answer(task, session.show(row).boxes, key=name)
        )
        st.button("Keep the label", key=f"{name} keep", on_click=keep, args=(found,))
        return
    with st.form(f"form {name}", border=False):
        if task.one_choice:
            st.selectbox("What is it?", members(task), None, format_func=member_words(task), key=name)
        elif task.several:
            st.multiselect("What is in it?", members(task), format_func=member_words(task), key=name)
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
        at=time_now("milliseconds"),
        answer=answer,
        stream="exploration",
        detail={"prediction_seen": True},
    )
    try:
        return next(iter(session.record([event]).refused.values()), "")
    except StoreUnavailable as error:
        return str(error)


PARTS = 8
"""How many words or columns are listed."""

AT_ONCE = 1.0
"""Seconds for which the page waits for an explanation before it shows how far it is."""


def explanation(
    row: int,
    subject: Subject,
    inputs: Inputs,
    session: Session | None,
    *,
    blind: bool = False,
    shown_again: Callable[[], None] = lambda: None,
) -> None:
    """Asks for the explanation with a button, then shows it.

    ``blind`` : inputs are still being labeled, so those without a label stay unexplained. ``shown_again`` : called before the
    whole page is drawn again, which closes a dialog that nobody asks for.
    """
    st.markdown("**Why this answer?**")
    if subject.open_model is None:
        st.caption("A table has no model, so nothing can show where it looked.")
    else:
        looking(row, subject, inputs, shown_again)
    if inputs.features:
        alike(row, subject, inputs, session, blind=blind)


@st.fragment
@errors_in_words
def looking(row: int, subject: Subject, inputs: Inputs, shown_again: Callable[[], None]) -> None:
    """Where the network looked, or a button that asks; a part of the page of its own."""
    job = job_of(row, inputs)
    if running(job):
        looking_on(row, inputs, shown_again)
    else:
        seen_or_asked(row, subject, inputs)


@st.fragment(run_every=EVERY)
@errors_in_words
def looking_on(row: int, inputs: Inputs, shown_again: Callable[[], None]) -> None:
    """Shows how far it is, with a button to stop it; once it is over, the page is drawn again and this update ends."""
    job = job_of(row, inputs)
    status = project().jobs.status(job)
    if status is None or status.state != "running":
        shown_again()
        st.rerun()
    step = escape_markdown(status.what or "covering parts of the input")
    share = status.done / status.total if status.total else 0.0
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(1.0, share), text=f"{step[:1].upper()}{step[1:]} · {how_far(status)}")
        st.button(
            "Stop", icon=":material/stop:", key=f"stop explaining {row}", on_click=project().jobs.cancel, args=(job,)
        )


def seen_or_asked(row: int, subject: Subject, inputs: Inputs) -> None:
    """What was found; else why there is nothing, and the button that asks for it."""
    job = job_of(row, inputs)
    found = project().explanations.of(inputs.fingerprint, row)
    if found is not None:
        where_it_looked(found, row, subject, inputs)
        return
    status = project().jobs.status(job)
    if status is not None:
        show_unfinished(job, stopped="Stopped before it was whole, so nothing is shown.")
    asked = "See where it looked" if status is None else "Try again"
    st.button(
        asked,
        key=f"explain {row}",
        icon=":material/visibility:",
        on_click=ask_where_it_looked,
        args=(row, subject, inputs),
    )


def job_of(row: int, inputs: Inputs) -> str:
    """The name of the job that explains an input."""
    return f"explain {inputs.fingerprint} {row}"


def ask_where_it_looked(row: int, subject: Subject, inputs: Inputs) -> None:
    """Asks the model in the background, so that it can be stopped; waits a moment, in which small inputs are done."""
    kept, job = project().explanations, job_of(row, inputs)

    def work(progress: Progress) -> None:
        kept.keep(inputs.fingerprint, row, explain(subject, row, progress=progress))

    start_over(job, work)
    project().jobs.wait(job, AT_ONCE)


def where_it_looked(found: Explained, row: int, subject: Subject, inputs: Inputs) -> None:
    """The picture with its shade, or the words and columns that matter most, and what is enough to change the answer."""
    shown = subject.dataset.show(row)
    if found.kind == "picture" and shown.image is not None:
        st.image(
            heat_picture(shown.image, found.effect, found.enough), width=280, alt="The picture, shaded where it matters"
        )
        less, more = ("its number falls", "it rises") if inputs.task.numeric else ("it is less sure", "it is more sure")
        frame = "" if found.enough is None else " The frame is the smallest square tried that changes the answer."
        st.caption(f"Orange: with this covered, {less}, so the network looked here. Blue: {more}.{frame}")
    else:
        header = "its number falls by" if inputs.task.numeric else "its probability falls by"
        parts = strongest_parts(found, PARTS, numeric=inputs.task.numeric)
        rows = [{"without": part, header: falls} for part, falls in parts]
        st.dataframe(rows, hide_index=True, height="content")
    st.markdown(escape_markdown(enough_words(found)))


def alike(row: int, subject: Subject, inputs: Inputs, session: Session | None, *, blind: bool) -> None:
    """The nearest inputs in the features with what they are, and the nearest prototypes of the classes in question."""
    role = suited_settings(inputs).features
    distances = distances_to(row, inputs.feature(role))
    near = neighbors(row, distances)
    st.markdown(f"**Nearest to it, by the {escape_markdown(layer_words(role))}**")
    tiles = [Tile(subject.dataset.show(one.row), what_it_is(one.row, inputs, session, blind=blind)) for one in near]
    gallery(tiles, across=6, size=72)
    task = inputs.task
    if blind or not inputs.single_class:
        return
    view = project().clusters_if_found(subject.key, suited_settings(inputs))
    if view is None:
        st.caption("Open Clusters once to see the nearest prototypes here as well.")
        return
    taken_for, own = int(inputs.predictions[row]), own_class(row, inputs, session)
    classes = {taken_for: "the predicted class"}
    if own is not None and own != taken_for:
        classes[own] = "the true class"
    tiles = []
    for place, words in classes.items():
        found = nearest_prototype(place, row, view, inputs, distances)
        if found is not None:
            tiles.append(
                Tile(subject.dataset.show(found.row), f"{task.classes[place]}, {words}: distance {found.distance:.3g}")
            )
    if tiles:
        st.markdown("**Nearest prototypes**")
        gallery(tiles, across=4, size=72)


def own_class(row: int, inputs: Inputs, session: Session | None) -> int | None:
    """The class the input is, by a tester's answer or else by the truth where it is known; None if it is none of them."""
    answers = answers_of(session)
    if row in answers:
        place = inputs.task.check_answer(answers[row])
        return place if isinstance(place, int) and place != UNKNOWN else None
    return None if inputs.truth is None else int(inputs.truth[row])


def what_it_is(row: int, inputs: Inputs, session: Session | None, *, blind: bool) -> str:
    """What the network predicts for a neighbor and what it is, if that is known; ``blind``: only for labeled ones."""
    answers = answers_of(session)
    said = f"predicted {inputs.task.prediction_text(inputs.predictions[row])}"
    if row in answers:
        return f"{said}, actually {inputs.task.answer_text(answers[row])}"
    if blind:
        return "not labeled"
    return said if inputs.truth is None else f"{said}, actually {inputs.task.truth_text(inputs.truth[row])}"


def answers_of(session: Session | None) -> dict[int, Any]:
    """Every answer that counts, planned or exploring."""
    return {} if session is None else {**session.explored(), **session.answers()}
